/** Marks what hides or misleads in what is drawn already, as `Odd.svelte` does in plain text. */
import { hasOdd, pieces } from "./confusables";

export function markOdd(element: HTMLElement): void {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (texts.nextNode()) found.push(texts.currentNode as Text);
  for (const node of found.filter((one) => hasOdd(one.data) && !one.parentElement?.closest(".odd")))
    node.replaceWith(...pieces(node.data).map(({ text, odd }) => (odd ? box(text, odd) : text)));
}

function box(text: string, odd: string): HTMLElement {
  const [box, name] = [document.createElement("span"), document.createElement("span")];
  box.className = "odd";
  box.title = odd;
  name.className = "hidden";
  name.textContent = ` ${odd} `;
  box.append(text, name);
  return box;
}
