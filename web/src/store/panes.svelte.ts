/** The sessions that stand side by side, as the address has them, and which of them has the focus. */
import { panesOf, paths } from "../routes";
import { spacious } from "../ui/wide.svelte";
import { router } from "./router.svelte";
import { sessions } from "./sessions.svelte";

/** With the one that the address names; more would be too narrow to read. */
const MOST = 3;
let chosen = $state("");
const boarded = $derived(router.route.name === "board");
const shown = $derived(panesOf(router.route, spacious.current));

function go(ids: readonly string[]): void {
  const [first, ...more] = ids;
  if (boarded) return router.go(paths.board(ids));
  if (first) router.go(paths.session(sessions.projectOf(sessions.one(first))?.slug, first, more));
}

export const panes = {
  get all(): readonly string[] {
    return shown;
  },
  /** Something stands beside a session: others, or the board. */
  get several(): boolean {
    return boarded || shown.length > 1;
  },
  /** Keys act here alone. */
  get focused(): string | undefined {
    return boarded || shown.includes(chosen) ? chosen : shown[0];
  },
  /** Nothing: what is no session has the focus. */
  focus(id: string): void {
    chosen = id;
  },
  /** To the right of what is open; instead of the last where there is no more room. */
  open(id: string): void {
    chosen = id;
    if (shown.includes(id)) return;
    if (boarded && spacious.current) return go([id]);
    if (shown.length > 0 && spacious.current) return go([...shown.slice(0, MOST - 1), id]);
    router.go(paths.session(sessions.projectOf(sessions.one(id))?.slug, id));
  },
  close(id: string): void {
    chosen = "";
    go(shown.filter((one) => one !== id));
  },
  /** Another one in the place of the one that has the focus. */
  swap(id: string): void {
    const at = panes.focused;
    chosen = id;
    go(shown.map((one) => (one === at ? id : one)));
  },
};
