/** The wall between what an agent wrote and the page, behind a renderer that makes nothing dangerous already. */
import createPurifier, { type Config } from "dompurify";

const rules: Config = {
  ALLOWED_TAGS: [
    ...[
      "p",
      "br",
      "hr",
      "h1",
      "h2",
      "h3",
      "h4",
      "h5",
      "h6",
      "ul",
      "ol",
      "li",
      "blockquote",
      "pre",
      "code",
      "em",
    ],
    ...["strong", "del", "a", "table", "thead", "tbody", "tr", "th", "td", "div"],
  ],
  ALLOWED_ATTR: ["href", "target", "rel", "class", "start", "tabindex", "role", "aria-label"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ADD_ATTR: ["aria-label"],
  // These are words, not addresses.
  ADD_URI_SAFE_ATTR: ["target", "rel", "start", "tabindex", "role", "aria-label"],
};

// Reading the rules takes longer than most texts, so each purifier reads them once.
const toText = createPurifier(window);
toText.setConfig(rules);
const toNodes = createPurifier(window);
toNodes.setConfig({ ...rules, RETURN_DOM_FRAGMENT: true });

export const sanitise = (html: string): string => toText.sanitize(html);

/** The same, without writing down what is read again at once. */
export const sanitisedNodes = (html: string): DocumentFragment =>
  toNodes.sanitize(html, { RETURN_DOM_FRAGMENT: true });
