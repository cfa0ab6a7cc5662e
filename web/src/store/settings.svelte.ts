/** Choices of this device, kept in origin storage. */
import type { Beside } from "../routes";

interface Settings {
  theme: "system" | "light" | "dark";
  /** Enter sends; otherwise it makes a new line and Ctrl or ⌘ sends. Undefined: by pointer type. */
  enterSends?: boolean;
  /** Single letters do things when no field has focus. */
  letters: boolean;
  /** What stands beside a session where there is room. */
  panel?: Beside;
  /** Claude Code's own rules were offered, and taken or not. */
  ownRulesSeen?: boolean;
}

const KEY = "baton.settings";
const initial: Settings = { theme: "system", letters: true };

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
  get letters() {
    return current.letters;
  },
  get panel(): Beside | undefined {
    return current.panel;
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
    applyTheme();
  },
};

export function applyTheme(): void {
  const { theme } = current;
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
