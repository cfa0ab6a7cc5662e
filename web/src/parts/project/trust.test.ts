import { describe, expect, it } from "vitest";
import type { TrustItem } from "../../link/records";
import { kindWord, trustDanger, trustGroups, trustSummary } from "./trust";

const item = (kind: string, name = kind): TrustItem => ({ kind, name, file: "f", detail: "d" });

describe("what a folder would run", () => {
  it("is counted by kind, what runs first", () => {
    const items = [item("environment"), item("hook", "a"), item("mcpServer"), item("hook", "b")];
    expect(trustSummary(items)).toBe("2 hooks, 1 MCP server and 1 variable");
    expect(trustSummary([item("skill")])).toBe("1 skill");
  });

  it("never leaves out a kind that this version does not know", () => {
    const groups = trustGroups([item("daemonizer"), item("hook")]);
    expect(groups.map((group) => group.kind)).toEqual(["hook", "daemonizer"]);
    expect(trustSummary([item("daemonizer")])).toBe("1 daemonizer");
  });

  it("has what runs by itself apart, and still counts it with its kind", () => {
    const items = [item("skill"), { ...item("hook", "a"), danger: "Runs by itself." }, item("hook", "b")];
    expect(trustDanger(items).map((one) => one.name)).toEqual(["a"]);
    expect(trustSummary(items)).toBe("2 hooks and 1 skill");
    expect(kindWord("mcpServer")).toBe("MCP server");
    expect(kindWord("daemonizer")).toBe("daemonizer");
  });
});
