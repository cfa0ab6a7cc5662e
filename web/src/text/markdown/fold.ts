/** Long code shows its beginning, until somebody wants the rest. */

/** More lines than this are folded … */
const LONG = 40;
/** … to as many. */
const SHOWN = 24;

/** Only for what was complete when it came: nothing folds while it is being read. */
export function foldLong(element: HTMLElement): void {
  for (const code of element.querySelectorAll<HTMLElement>(".code:not([data-lang=mermaid])")) {
    const lines = (code.querySelector("pre")?.textContent ?? "").trimEnd().split("\n").length;
    if (lines <= LONG) continue;
    code.style.setProperty("--lines", String(SHOWN));
    code.toggleAttribute("data-folded", true);
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.act = "unfold";
    button.textContent = `Show all ${lines} lines`;
    code.append(button);
  }
}
