/** What can be done with a session, as far as this device may. */
import { access } from "../../store/access.svelte";
import { copy } from "../../ui/copy";
import { later } from "../../ui/later";
import type { MenuItem } from "../../ui/menu.svelte";
import { spacious } from "../../ui/wide.svelte";
import { markItems } from "../home/touch";
import type { Actions } from "./actions.svelte";
import { exportSession } from "./export";
import type { Screen } from "./screen.svelte";

export function sessionItems(
  screen: Screen,
  actions: Actions,
  path: string,
  show: (sheet: "rename" | "budget" | "share" | "delete") => void,
): MenuItem[] {
  const { id } = screen.session;
  const changes: MenuItem[] = [
    { label: "Rename", icon: "rename", act: () => show("rename") },
    { label: "Budget", note: "What this session may cost", icon: "budget", act: () => show("budget") },
  ];
  if (screen.session.can?.fork)
    changes.push({
      label: "Fork",
      note: "A new session with all of this",
      icon: "fork",
      act: () => void actions.fork(),
    });
  const alongside: MenuItem = {
    label: "Open another beside",
    note: "Two or three side by side; Alt-click does it too",
    icon: "add",
    act: () => later(import("./others"), ({ chooseOther }) => chooseOther()),
  };
  const share: MenuItem = {
    label: "Share to watch",
    note: "This session alone, or everything",
    icon: "share",
    act: () => show("share"),
  };
  const end: MenuItem = {
    label: "End session",
    note: "The agent's process ends; you can continue later",
    icon: "end",
    danger: true,
    act: () => void actions.end(),
  };
  const gone: MenuItem = {
    label: "Delete session",
    note: "Takes it out of the log, with its files",
    icon: "remove",
    danger: true,
    act: () => show("delete"),
  };
  const save = (label: string, note: string, format: "html" | "markdown" | "ndjson"): MenuItem => ({
    label,
    note,
    icon: "export",
    act: async () => {
      actions.problem = await exportSession(id, format);
    },
  });
  const files = [
    save("Save as a page", "To read in any browser; what looks like a credential is masked", "html"),
    save("Export to read", "What was said and done, as Markdown", "markdown"),
    save("Export events", "Every event, one JSON line each", "ndjson"),
  ];
  if (access.alone) return files;
  return [
    { label: "Find", note: "Words in this session", icon: "find", act: () => (screen.finding = true) },
    {
      label: "Changes",
      note: "Files, sub-agents and tasks beside the timeline",
      icon: "beside",
      act: () => screen.beside("changes"),
    },
    ...(spacious.current ? [alongside] : []),
    ...(screen.steer ? changes : []),
    ...markItems(id),
    { label: "Copy link", icon: "link", act: () => void copy(location.origin + path) },
    ...(access.admits ? [share] : []),
    ...files,
    ...(screen.steer ? [screen.header.state === "ended" ? gone : end] : []),
  ];
}
