import { expect, test } from "vitest";
import type { AgentChoices } from "../../link/types";
import { Offered } from "./offered.svelte";

const choices = (word: string): AgentChoices => ({
  agent: word,
  models: [{ value: word, name: word, isDefault: true, efforts: [] }],
  commands: [{ name: word }],
  prompts: [`Do ${word}.`],
});

test("what one project or agent offers is not offered for another", async () => {
  const answers = new Map<string, (told: AgentChoices) => void>();
  const offered = new Offered(
    (slug, agent) => new Promise((answer) => answers.set(`${slug} ${agent}`, answer)),
  );
  const models = () => offered.models.map(({ value }) => value);

  offered.look("shop", "");
  // Who asks before there is an answer gets it.
  const early = offered.commands();
  answers.get("shop ")?.(choices("one"));
  expect((await early).map(({ name }) => name)).toEqual(["one"]);
  expect(models()).toEqual(["one"]);
  expect(offered.prompts).toEqual(["Do one."]);

  // Another agent has other models and commands; what was said here stays.
  offered.look("shop", "demo");
  expect([models(), offered.prompts]).toEqual([[], ["Do one."]]);
  answers.get("shop demo")?.(choices("two"));
  expect((await offered.commands()).map(({ name }) => name)).toEqual(["two"]);
  expect(models()).toEqual(["two"]);

  offered.look("store", "demo");
  expect([models(), offered.prompts]).toEqual([[], []]);
});
