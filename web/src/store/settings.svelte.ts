/** Choices of this device, kept in origin storage. */
import type { Beside } from "../routes";

interface Settings {
  theme: "system" | "light" | "dark";
  /** How large words are, beside what the browser is set to. */
  text: "small" | "usual" | "large" | "largest";
  /** How close rows stand. */
  density: "usual" | "compact";
  /** Enter sends; otherwise it makes a new line and Ctrl or ⌘ sends. Undefined: by pointer type. */
  enterSends?: boolean;
  /** Single letters do things when no field has focus. */
  letters: boolean;
  /** What stands beside a session where there is room. */
  panel?: Beside;
  /** Changes are shown side by side where there is room. */
  split?: boolean;
  /** Claude Code's own rules were offered, and taken or not. */
  ownRulesSeen?: boolean;
}

const KEY = "baton.settings";
const initial: Settings = { theme: "system", text: "usual", density: "usual", letters: true };

function load(): Settings {
  try {
    return { ...initial, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Settings>) };
  } catch {
    return initial;
  }
}

let current = $state.raw<Settings>(load());

export const settings = {
  get theme() {
    return current.theme;
  },
  get text() {
    return current.text;
  },
  get density() {
    return current.density;
  },
  get letters() {
    return current.letters;
  },
  get panel(): Beside | undefined {
    return current.panel;
  },
  get split(): boolean {
    return current.split ?? false;
  },
  get ownRulesSeen(): boolean {
    return current.ownRulesSeen ?? false;
  },
  get enterSends() {
    return current.enterSends ?? !matchMedia("(pointer: coarse)").matches;
  },
  change(news: Partial<Settings>): void {
    current = { ...current, ...news };
    localStorage.setItem(KEY, JSON.stringify(current));
    applyLooks();
  },
};

export function applyLooks(): void {
  const { dataset } = document.documentElement;
  const { theme, text, density } = current;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
  dataset.text = text;
  dataset.density = density;
}
