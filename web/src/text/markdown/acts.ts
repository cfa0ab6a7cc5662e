/** What a reader can do in drawn markdown: copy code as it was written, wrap it, unfold it, go to a footnote and back. */
import { copy } from "../../ui/copy";

const TOLD_MS = 1500;

export function acts(element: HTMLElement): () => void {
  const heard = (event: MouseEvent): void => {
    const button = (event.target as Element | null)?.closest("button");
    if (button && element.contains(button)) act(element, button);
  };
  element.addEventListener("click", heard);
  return () => element.removeEventListener("click", heard);
}

function act(element: HTMLElement, button: HTMLButtonElement): void {
  const { act, note, back } = button.dataset;
  const code = button.closest<HTMLElement>(".code, .formula");
  if (act === "copy" && code) void copyOf(code, button);
  else if (act === "wrap" && code) {
    const wrapped = code.toggleAttribute("data-wrapped");
    button.setAttribute("aria-pressed", String(wrapped));
  } else if (act === "source" && code) {
    const asked = code.toggleAttribute("data-source");
    button.setAttribute("aria-pressed", String(asked));
  } else if (act === "unfold" && code) {
    code.removeAttribute("data-folded");
    button.remove();
    code.querySelector("pre")?.focus({ preventScroll: true });
  } else if (note !== undefined) go(element, "text", note);
  else if (back !== undefined) go(element, "note", back);
}

async function copyOf(code: HTMLElement, button: HTMLButtonElement): Promise<void> {
  const done = await copy(source(code));
  button.textContent = done ? "Copied" : "Not copied";
  setTimeout(() => (button.textContent = "Copy"), TOLD_MS);
}

/** The text of a block of code, without what was put into it to warn a reader. */
export function source(code: Element): string {
  const clean = code.querySelector("pre")?.cloneNode(true) as Element | undefined;
  for (const added of clean?.querySelectorAll(".odd > .hidden") ?? []) added.remove();
  return clean?.textContent ?? "";
}

/** To the footnote of that name, or to where it is first named. */
function go(element: HTMLElement, kind: "text" | "note", label: string): void {
  const found = [...element.querySelectorAll<HTMLElement>(`[data-${kind}]`)].find(
    (one) => one.dataset[kind] === label,
  );
  const target = kind === "text" ? found?.querySelector<HTMLElement>("[data-back]") : found;
  target?.scrollIntoView({ block: "nearest" });
  target?.focus({ preventScroll: true });
}
