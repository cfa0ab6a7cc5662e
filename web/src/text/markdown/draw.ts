/**
 * Draws a block of markdown into its element, again and again while it grows.
 *
 * Nodes that are still right stay: a browser lays out a paragraph that got
 * longer much quicker than a new one, and a selection in it survives. Plain text
 * that follows plain text goes straight to the last node. What is in the
 * element is at any time what drawing the whole block would give.
 */
import { completed, isDecided, isPlain } from "./blocks";
import { render, renderOnce } from "./render";

/** Where plain text might be part of an address, a cell, a tag, a sign by its name or a formula. */
const involved = /[[|<&\\$]/;
/** Words longer than this are looked at again each time: they may get too long. */
const USUAL_WORD = 50;

export class Drawing {
  private text = "";
  /** The node that plain text would be added to. */
  private end: Text | undefined;
  /** Whether spaces at the end are left out there until more comes; undefined before that was seen. */
  private trims: boolean | undefined;

  constructor(private readonly element: Element) {}

  /** `open` while more of it may come. */
  show(text: string, open: boolean): void {
    if (!open || !this.goesOn(text)) {
      update(this.element, open ? renderOnce(completed(text)) : render(text));
      this.end = open ? endOf(this.element, text) : undefined;
      this.trims = this.end && text.endsWith(" ") ? !this.end.data.endsWith(" ") : undefined;
    }
    this.text = text;
  }

  /** Adds what has come, if it is plain text after plain text. */
  private goesOn(text: string): boolean {
    if (!this.end || !text.startsWith(this.text)) return false;
    const news = text.slice(this.text.length);
    if (!isPlain(news) || (news.endsWith(" ") && this.trims === undefined)) return false;
    const near = text.slice(-USUAL_WORD - news.length);
    if (/www\./i.test(near) || near.split(" ").some((word) => word.length >= USUAL_WORD)) return false;
    if (this.trims) this.end.appendData(text.slice(this.text.trimEnd().length).trimEnd());
    else this.end.appendData(news);
    return true;
  }
}

/** The last text in the element, if the block ends in it and would just go on. */
function endOf(element: Element, text: string): Text | undefined {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  const word = /\S+ *$/.exec(line.slice(-USUAL_WORD))?.[0];
  if (!word || !isPlain(word) || involved.test(line) || !isDecided(text)) return undefined;
  let last: Node | null = element;
  while (last?.lastChild) last = last.lastChild;
  return last instanceof Text && (last.data.endsWith(word) || last.data.endsWith(word.trimEnd()))
    ? last
    : undefined;
}

/** Makes the children of an element what they are in the other; that one is used up. */
export function update(element: ParentNode & Node, wanted: ParentNode & Node): void {
  let here = element.firstChild;
  for (let there = wanted.firstChild; there; ) {
    const next: ChildNode | null = there.nextSibling;
    if (!here) element.append(there);
    else if (isSame(here, there)) {
      if (here instanceof Text && there instanceof Text) become(here, there.data);
      else update(here as Element, there as Element);
      here = here.nextSibling;
    } else {
      const old: ChildNode = here;
      here = old.nextSibling;
      old.replaceWith(there);
    }
    there = next;
  }
  while (here) {
    const next: ChildNode | null = here.nextSibling;
    here.remove();
    here = next;
  }
}

function become(node: Text, data: string): void {
  const { length } = node.data;
  if (node.data === data) return;
  if (length > 0 && data.startsWith(node.data)) node.appendData(data.slice(length));
  else node.data = data;
}

function isSame(here: Node, there: Node): boolean {
  if (here instanceof Text) return there instanceof Text;
  if (!(here instanceof Element && there instanceof Element)) return false;
  if (here.tagName !== there.tagName) return false;
  const [mine, wanted] = [given(here), given(there)];
  return (
    mine.length === wanted.length && wanted.every(({ name, value }) => here.getAttribute(name) === value)
  );
}

/** What a reader did to a block stays while it grows. */
const readers = ["aria-pressed", "data-wrapped"];
const given = (element: Element): Attr[] =>
  [...element.attributes].filter(({ name }) => !readers.includes(name));
