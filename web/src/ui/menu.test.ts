import { expect, test } from "vitest";
import { type MenuItem, menu } from "./menu.svelte";

const item = (label: string): MenuItem => ({ label, act: () => {} });

test("what one session offers is neither another's nor gone with another", () => {
  menu.offer("first", [item("End first")]);
  expect(menu.offered("second")).toEqual([]);
  expect(menu.offered("first").map((one) => one.label)).toEqual(["End first"]);

  // The second goes after the focus went back to the first.
  menu.offer("second", [item("End second")]);
  menu.offer("first", [item("End first")]);
  menu.withdraw("second");
  expect(menu.offered("first").map((one) => one.label)).toEqual(["End first"]);
  menu.withdraw("first");
  expect(menu.offered("first")).toEqual([]);
});
