import { beforeEach, expect, it, vi } from "vitest";
import { fitting, initial, lastChosen, remember } from "./chosen";

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});

it("remembers the last choice of each project, but never that nothing is asked", () => {
  remember("ledger", { agent: "claude", model: "opus", effort: "high", mode: "plan" });
  remember("shop", { ...initial, mode: "bypassPermissions" });
  expect(lastChosen("ledger")).toEqual({ agent: "claude", model: "opus", effort: "high", mode: "plan" });
  expect(lastChosen("shop").mode).toBe("default");
  expect(lastChosen("other")).toEqual(initial);
});

it("keeps the choices of a bounded number of projects", () => {
  for (let at = 0; at < 120; at++) remember(`p${at}`, { ...initial, model: "opus" });
  expect(lastChosen("p0").model).toBe("");
  expect(lastChosen("p119").model).toBe("opus");
});

it("drops an effort that the model does not take, and an agent that is gone with all that was chosen of it", () => {
  const models = [
    { value: "default", name: "Default", isDefault: true },
    { value: "opus", name: "Opus", efforts: ["low", "high"] },
  ];
  const chosen = { agent: "gone", model: "opus", effort: "high", mode: "default" } as const;
  expect(fitting(chosen, models, [{ name: "claude" }])).toEqual(initial);
  expect(fitting({ ...chosen, agent: "", model: "" }, models, []).effort).toBe("");
  // Nothing is known yet, so nothing is dropped.
  expect(fitting(chosen, [], [{ name: "gone" }])).toEqual(chosen);
});

it("drops a mode that the agent does not have", () => {
  const agents = [
    { name: "claude", capabilities: { modes: ["default", "plan"] as const } },
    { name: "demo", capabilities: { modes: ["default"] as const } },
  ];
  const chosen = { ...initial, mode: "plan" } as const;
  expect(fitting(chosen, [], agents).mode).toBe("plan");
  expect(fitting({ ...chosen, agent: "demo" }, [], agents).mode).toBe("default");
});
