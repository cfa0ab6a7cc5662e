/** The models that a session's agent offers, in its own words. */
import { call, Problem } from "../../link/api";
import type { ModelChoice } from "../../link/types";
import { sessions } from "../../store/sessions.svelte";

const none: readonly ModelChoice[] = [{ value: "default", name: "Default", isDefault: true }];

/** Without an answer there is still its default. */
export async function modelsOf(id: string): Promise<readonly ModelChoice[]> {
  const row = sessions.one(id);
  const slug = sessions.projectOf(row)?.slug;
  if (!slug) return none;
  try {
    const told = await call("GET", "/projects/{slug}/choices", { slug, query: { agent: row?.agent } });
    return told.models.length > 0 ? told.models : none;
  } catch (error) {
    if (error instanceof Problem) return none;
    throw error;
  }
}
