import { expect, test } from "vitest";
import type { SlashCommand } from "../../link/types";
import { Offers, once } from "./offers";

test("commands are asked for until an agent has told some, and then no more", async () => {
  const told: (readonly SlashCommand[] | Error)[] = [[], new Error("gone"), [{ name: "compact" }], []];
  let asked = 0;
  const commands = once(async () => {
    const next = told[asked++];
    if (next instanceof Error) throw next;
    return next ?? [];
  });
  expect(await commands()).toEqual([]);
  await expect(commands()).rejects.toThrow("gone");
  expect(await commands()).toEqual([{ name: "compact" }]);
  expect(await commands()).toEqual([{ name: "compact" }]);
  expect(asked).toBe(3);
});

test("the commands that are offered are those of now", async () => {
  let names = ["one"];
  const offers = new Offers(async () => names.map((name) => ({ name })));
  expect((await offers.slash("")).map(({ value }) => value)).toEqual(["/one"]);
  names = ["two"];
  expect((await offers.slash("")).map(({ value }) => value)).toEqual(["/two"]);
  expect(await offers.hint("one")).toBe(undefined);
});
