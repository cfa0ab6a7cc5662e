/** What was last chosen for sessions of each project, on this device. */
import type { PermissionMode } from "../../gen/events";
import type { ModelChoice } from "../../link/types";

export interface Chosen {
  /** Empty: the default one. */
  agent: string;
  model: string;
  effort: string;
  mode: PermissionMode;
}

export const initial: Chosen = { agent: "", model: "", effort: "", mode: "default" };

const KEY = "baton.chosen";
const MOST = 100;

function all(): Record<string, Partial<Chosen>> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, Partial<Chosen>>;
  } catch {
    return {};
  }
}

export const lastChosen = (slug: string): Chosen => ({ ...initial, ...all()[slug] });

export function remember(slug: string, chosen: Chosen): void {
  const { [slug]: _, ...others } = all();
  // What runs unasked is chosen anew each time.
  const mode = chosen.mode === "bypassPermissions" ? "default" : chosen.mode;
  const known = [...Object.entries(others).slice(1 - MOST), [slug, { ...chosen, mode }]];
  localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(known)));
}

/** The choice among what there is: an effort that the model does not take is none. */
export function fitting(chosen: Chosen, models: readonly ModelChoice[], agents: readonly string[]): Chosen {
  const agent = agents.includes(chosen.agent) ? chosen.agent : "";
  const model = models.find((one) => (chosen.model ? one.value === chosen.model : one.isDefault));
  const effort = models.length === 0 || model?.efforts?.includes(chosen.effort) ? chosen.effort : "";
  return { ...chosen, agent, effort };
}
