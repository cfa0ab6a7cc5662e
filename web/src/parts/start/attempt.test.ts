import { expect, test } from "vitest";
import { Attempt } from "./attempt";

test("the same again has the same name, and what was changed another", () => {
  const attempt = new Attempt();
  const files = ["a"];
  const first = attempt.of("shop", "Fix it.", files);
  expect(attempt.of("shop", "Fix it.", files)).toBe(first);
  const edited = attempt.of("shop", "Fix it all.", files);
  expect(edited).not.toBe(first);
  expect(attempt.of("store", "Fix it all.", files)).not.toBe(edited);
  const last = attempt.of("store", "Fix it all.", ["a"]);
  attempt.done();
  expect(attempt.of("store", "Fix it all.", ["a"])).not.toBe(last);
});
