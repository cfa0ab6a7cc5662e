/** Which session shall stand beside those that are open: what needs somebody first, then what was used last. */
import { rowWord } from "../../fold/words";
import { panes } from "../../store/panes.svelte";
import { sessions } from "../../store/sessions.svelte";
import { menu } from "../../ui/menu.svelte";

const MOST = 12;

export function chooseOther(): void {
  const others = sessions.all.filter((row) => !panes.all.includes(row.id));
  const asking = others.filter((row) => row.openApprovals > 0);
  const rest = others.filter((row) => row.openApprovals === 0);
  menu.open({
    title: "Open beside",
    items: [...asking, ...rest].slice(0, MOST).map((row) => ({
      label: sessions.titleOf(row),
      note: [rowWord(row).text, sessions.placeOf(row)].filter(Boolean).join(" · "),
      act: () => panes.open(row.id),
    })),
  });
}
