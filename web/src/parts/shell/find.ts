/** Which entries a few typed letters mean, the likeliest first. */

export interface Entry {
  readonly name: string;
  readonly note?: string;
}

/** Every word must occur; beginnings of words count more, and so does the name before the note. */
export function score(entry: Entry, words: readonly string[]): number {
  const name = entry.name.toLowerCase();
  const note = (entry.note ?? "").toLowerCase();
  let sum = 0;
  for (const word of words) {
    if (name.startsWith(word)) sum += 8;
    else if (name.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word))) sum += 5;
    else if (name.includes(word)) sum += 3;
    else if (note.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

export function find<T extends Entry>(entries: readonly T[], typed: string, most = 40): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries.slice(0, most);
  return entries
    .map((entry, at) => ({ entry, at, score: score(entry, words) }))
    .filter((one) => one.score > 0)
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, most)
    .map((one) => one.entry);
}
