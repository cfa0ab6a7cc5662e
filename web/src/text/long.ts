/**
 * Words of thousands of letters: hashes, encoded data, mischief.
 *
 * Breaking one of them into lines takes browsers the square of its length with
 * a font that kerns, and parsers of markdown likewise. Such text is drawn as it
 * is, without kerning (the class `flat`).
 */
const LONGEST = 1000;

export const hasLongWord = (text: string): boolean =>
  text.length > LONGEST && text.split(/\s+/).some((word) => word.length > LONGEST);
