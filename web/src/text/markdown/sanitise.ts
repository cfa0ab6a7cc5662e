/** The wall between what an agent wrote and the page, behind a renderer that makes nothing dangerous already. */
import createPurifier from "dompurify";

const purifier = createPurifier(window);

export function sanitise(html: string): string {
  return purifier.sanitize(html, {
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
  });
}
