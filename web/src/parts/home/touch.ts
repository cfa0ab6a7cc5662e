/** What fingers can do to a session in a list: swipe to pin or mute, press long for the same in a menu. */
import { paths } from "../../routes";
import { marks } from "../../store/marks.svelte";
import { panes } from "../../store/panes.svelte";
import { copy } from "../../ui/copy";
import { hold } from "../../ui/hold";
import { type MenuItem, menu } from "../../ui/menu.svelte";
import { swipe } from "../../ui/swipe";
import { spacious } from "../../ui/wide.svelte";

export function markItems(id: string): MenuItem[] {
  const [pinned, muted] = [marks.pinned(id), marks.muted(id)];
  return [
    {
      label: pinned ? "Unpin" : "Pin",
      note: pinned ? undefined : "First in lists, on this device",
      icon: "pin",
      act: () => marks.toggle(id, "pin"),
    },
    {
      label: muted ? "Unmute" : "Mute",
      note: muted ? undefined : "Last in lists, not announced, on this device",
      icon: "mute",
      act: () => marks.toggle(id, "mute"),
    },
  ];
}

export function touches(
  node: HTMLElement,
  one: () => { id: string; title: string; slug?: string },
): () => void {
  const ends = [
    swipe(node, () => {
      const { id } = one();
      return {
        left: { label: marks.muted(id) ? "Unmute" : "Mute", act: () => marks.toggle(id, "mute") },
        right: { label: marks.pinned(id) ? "Unpin" : "Pin", act: () => marks.toggle(id, "pin") },
      };
    }),
    hold(node, () => {
      const { id, title, slug } = one();
      const link = location.origin + paths.session(slug, id);
      menu.open({
        title,
        items: [
          ...(spacious.current
            ? [{ label: "Open beside", icon: "beside" as const, act: () => panes.open(id) }]
            : []),
          ...markItems(id),
          { label: "Copy link", icon: "link", act: () => void copy(link) },
        ],
        anchor: node,
      });
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
