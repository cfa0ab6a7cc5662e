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

interface Agent {
  readonly name: string;
  readonly capabilities?: { readonly modes?: readonly PermissionMode[] };
}

/** The choice among what there is: what belongs to an agent that is not here, or that this one lacks, is none. */
export function fitting(chosen: Chosen, models: readonly ModelChoice[], agents: readonly Agent[]): Chosen {
  const found = agents.find((one) => one.name === chosen.agent);
  const here = chosen.agent === "" || found !== undefined;
  const { agent, model, effort } = here ? chosen : initial;
  const modes = (found ?? agents[0])?.capabilities?.modes;
  const mode = !modes || modes.includes(chosen.mode) ? chosen.mode : initial.mode;
  const known = models.find((one) => (model ? one.value === model : one.isDefault));
  const fits = models.length === 0 || known?.efforts?.includes(effort);
  return { agent, model, effort: fits ? effort : "", mode };
}
