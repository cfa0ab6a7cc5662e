/** What can be done with a session, as far as this device may. */
import { access } from "../../store/access.svelte";
import { copy } from "../../ui/copy";
import type { MenuItem } from "../../ui/menu.svelte";
import { markItems } from "../home/touch";
import type { Actions } from "./actions.svelte";
import { exportSession } from "./export";
import type { Screen } from "./screen.svelte";

export function sessionItems(
  screen: Screen,
  actions: Actions,
  path: string,
  show: (sheet: "rename" | "share") => void,
): MenuItem[] {
  const { id } = screen.session;
  const changes: MenuItem[] = [
    { label: "Rename", icon: "rename", act: () => show("rename") },
    { label: "Fork", note: "A new session with all of this", icon: "fork", act: () => void actions.fork() },
  ];
  const share: MenuItem = {
    label: "Share to watch",
    note: "A one-time link, with a QR code",
    icon: "share",
    act: () => show("share"),
  };
  const end: MenuItem = {
    label: "End session",
    note: "The agent's process ends; you can continue later",
    icon: "end",
    danger: true,
    disabled: screen.header.state === "ended",
    act: () => void actions.end(),
  };
  return [
    { label: "Find", note: "Words in this session", icon: "find", act: () => (screen.finding = true) },
    ...(screen.steer ? changes : []),
    ...markItems(id),
    { label: "Copy link", icon: "link", act: () => void copy(location.origin + path) },
    ...(access.admits ? [share] : []),
    {
      label: "Export",
      note: "Every event, one JSON line each",
      icon: "export",
      act: async () => {
        actions.problem = await exportSession(id);
      },
    },
    ...(screen.steer ? [end] : []),
  ];
}
