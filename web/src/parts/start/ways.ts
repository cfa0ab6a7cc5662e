/** What the pill of a new session offers: agents, and models and efforts as the chosen one names them. */
import type { AgentChoices, ModelChoice } from "../../link/types";
import type { PickGroup } from "../../ui/pick";
import type { Chosen } from "./chosen";

interface Agent {
  readonly name: string;
  readonly about?: string;
  readonly capabilities?: { readonly changeModel?: boolean };
}

export const agentWord = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const unknown: ModelChoice = {
  value: "",
  name: "Default",
  about: "The others are known once a session has run.",
  isDefault: true,
};

/** The model that a choice comes to; none if the agent did not name it. */
export const modelOf = (how: Chosen, models: AgentChoices["models"]): ModelChoice | undefined =>
  models.find((one) => (how.model ? one.value === how.model : one.isDefault));

/** The first agent is the one that runs when none is chosen. */
export function ways(
  how: Chosen,
  agents: readonly Agent[],
  models: AgentChoices["models"],
  choose: (news: Partial<Chosen>) => void,
): PickGroup[] {
  const agent = agents.find((one) => one.name === how.agent) ?? agents[0];
  const model = modelOf(how, models);
  const groups: PickGroup[] = [
    {
      label: "Agent",
      items: agents.map((one, at) => ({
        key: `agent ${one.name}`,
        label: agentWord(one.name),
        note: one.about,
        chosen: one === agent,
        stays: true,
        act: () => choose({ agent: at === 0 ? "" : one.name, model: "", effort: "" }),
      })),
    },
  ];
  if (!agent?.capabilities?.changeModel) return groups;
  const offered = models.length > 0 ? models : [unknown];
  const efforts = model?.efforts?.length ? ["", ...model.efforts] : [];
  return [
    ...groups,
    {
      label: "Model",
      items: offered.map((one) => ({
        key: `model ${one.value}`,
        label: one.name,
        note: one.about ?? undefined,
        chosen: model ? one === model : one.value === how.model,
        stays: (one.efforts?.length ?? 0) > 0,
        act: () => choose({ model: one.isDefault ? "" : one.value }),
      })),
    },
    {
      label: "Effort",
      items: efforts.map((effort) => ({
        key: `effort ${effort}`,
        label: effort || "Usual effort",
        chosen: how.effort === effort,
        act: () => choose({ effort }),
      })),
    },
  ];
}
