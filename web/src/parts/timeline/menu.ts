/** What can be done with a row: the same for its button, a long press and the key. */
import type { Shown } from "../../fold/groups";
import { paths } from "../../routes";
import { access } from "../../store/access.svelte";
import { sessions } from "../../store/sessions.svelte";
import { copy } from "../../ui/copy";
import type { MenuItem } from "../../ui/menu.svelte";
import type { Actions } from "../session/actions.svelte";
import type { Screen } from "../session/screen.svelte";

const names: Partial<Record<Shown["kind"], string>> = {
  user: "Your message",
  text: "Answer",
  thinking: "Thought",
  turn: "Turn",
  error: "Error",
  todo: "To do",
};

export const menuTitle = (row: Shown): string => names[row.kind] ?? "Row";

export function rowItems(row: Shown, screen: Screen, actions: Actions): MenuItem[] {
  const items = [...copies(row), ...(screen.steer ? steering(row, screen, actions) : [])];
  if ("live" in row && row.live) return items;
  const slug = sessions.projectOf(sessions.one(screen.session.id))?.slug;
  const link = location.origin + paths.event(slug, screen.session.id, row.seq);
  return [
    ...items,
    // What only a shared link opens, its address without that does not.
    ...(access.alone
      ? []
      : [{ label: "Copy link", note: "To this place", icon: "link" as const, act: () => void copy(link) }]),
    { label: "Raw event", note: "As it is in the log", icon: "raw", act: () => (screen.raw = row.seq) },
  ];
}

function copies(row: Shown): MenuItem[] {
  const one = (label: string, text: string): MenuItem => ({
    label,
    icon: "copy",
    act: () => void copy(text),
  });
  switch (row.kind) {
    case "user":
    case "text":
    case "thinking":
      return [one("Copy", row.text)];
    case "tool": {
      const { command, path } = row.subject ?? {};
      const input =
        command != null
          ? one("Copy command", command)
          : path != null
            ? one("Copy path", path)
            : one("Copy input", JSON.stringify(row.input, null, 2));
      return [input, ...(row.done?.output ? [one("Copy output", row.done.output)] : [])];
    }
    case "error":
      return [one("Copy details", JSON.stringify(row.error, null, 2))];
    case "todo":
      return [
        one(
          "Copy",
          row.items
            .map((item) => `- [${item.status === "completed" ? "x" : " "}] ${item.content}`)
            .join("\n"),
        ),
      ];
    default:
      return [];
  }
}

function steering(row: Shown, screen: Screen, actions: Actions): MenuItem[] {
  if ((row.kind !== "user" && row.kind !== "text") || ("live" in row && row.live)) return [];
  const quoted = row.kind === "user" ? row.text : `${row.text.trim().replace(/^/gm, "> ")}\n\n`;
  const quote: MenuItem = { label: "Quote", icon: "quote", act: () => screen.quote(quoted) };
  const { can } = screen.session;
  const leads = row.kind === "user" ? can?.rewind || can?.fork : can?.fork && row.agentUuid;
  if (!leads) return [quote];
  return [
    quote,
    {
      label: "Go back here",
      note: row.kind === "user" ? "Rewind files, fork, or edit and send again" : "Fork from here",
      icon: "undo",
      act: () => {
        actions.problem = "";
        actions.back = row;
      },
    },
  ];
}
