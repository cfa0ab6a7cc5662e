/** Which row an element of the timeline shows, which one the mouse is over, and their menus. */
import type { Drawn } from "../../fold/settled";
import { later } from "../../ui/later";
import { menu } from "../../ui/menu.svelte";
import type { Actions } from "../session/actions.svelte";
import type { Screen } from "../session/screen.svelte";

export class Rows {
  /** The row under the mouse that has no button of its own, and where it stands. */
  pointed = $state.raw<{ row: Drawn; top: number } | undefined>(undefined);
  private readonly known = new WeakMap<Element, Drawn>();

  constructor(
    private readonly screen: Screen,
    private readonly actions: Actions,
  ) {}

  /** For the article of a row. */
  shows = (row: Drawn) => (article: Element) => {
    this.known.set(article, row);
  };

  open = (row: Drawn, anchor: Element): void => {
    if (row.kind === "work") return;
    later(import("./menu"), ({ menuTitle, rowItems }) =>
      menu.open({ title: menuTitle(row), items: rowItems(row, this.screen, this.actions), anchor }),
    );
  };

  openFor = (element: Element): void => {
    const article = element.closest("article");
    const row = article && this.known.get(article);
    if (article && row) this.open(row, article.querySelector("[aria-haspopup]") ?? article);
  };

  point = (event: PointerEvent): void => {
    const target = event.target as Element;
    if (event.pointerType !== "mouse" || target.closest("[data-row-button]")) return;
    const article = target.closest("article");
    const row = article && this.known.get(article);
    const own = row?.kind === "user" || row?.kind === "text" || row?.kind === "work";
    this.pointed = article && row && !own ? { row, top: article.offsetTop } : undefined;
  };
}
