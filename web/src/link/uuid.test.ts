import { expect, test } from "vitest";
import { uuid, uuidAgain } from "./uuid";

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("what says a message again has one name, whoever sends it", () => {
  const first = uuid();
  const again = uuidAgain(first);
  expect(again).toMatch(form);
  expect(uuidAgain(first.toUpperCase())).toBe(again);
  // Saying it a third time is another message, and so is saying another one again.
  const all = [first, again, uuidAgain(again), uuidAgain(uuid()), uuidAgain(uuid())];
  expect(new Set(all).size).toBe(all.length);
});
