/**
 * The daemon folds a session too, and tells it to a screen that opens one at its
 * tail. Both folds are held to the same results on the same logs: what the
 * daemon says of them is in `told/told.txt`, which a test of `baton-session` keeps.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Envelope } from "../gen/events";
import type { SessionView } from "../link/types";
import { reduce } from "./reduce";
import { headerOf } from "./snapshot";
import { empty, type Header, type Row, type View } from "./view";

type Facts = Omit<SessionView["facts"], "subagents"> & { subagents: Record<string, string> };
type Told = Omit<SessionView, "facts"> & { facts: Facts };

const here = new URL("../../tests/fixtures/", import.meta.url);
const recordings = new URL("../../../crates/baton-session/fixtures/events/", import.meta.url);
const lines = (name: string, folder: URL): string[] =>
  readFileSync(new URL(name, folder), "utf8").trim().split("\n");

/** A recording has `TURN TYPE [AGENT] PAYLOAD` for each event, and a second for each. */
function recorded(name: string, folder = recordings): Envelope[] {
  const events = lines(name, folder).flatMap((line) => {
    const [, turn, type, agentId, payload] = /^(\d+) (\S+) (?:\[(.*?)\] )?(\{.*)$/.exec(line) ?? [];
    return payload === undefined ? [] : [{ turn: Number(turn), type, agentId, payload: JSON.parse(payload) }];
  });
  return events.map(
    (event, at) => ({ ...event, seq: at + 1, ts: new Date((at + 1) * 1000).toISOString() }) as Envelope,
  );
}

const logs = new Map([["edges", recorded("told/edges.txt", here)]]);
for (const name of readdirSync(recordings)) logs.set(name.replace(".txt", ""), recorded(name));
for (const name of readdirSync(here).filter((one) => one.endsWith(".ndjson"))) {
  const all = lines(name, here).map((line) => JSON.parse(line) as Envelope);
  logs.set(
    name.replace(".ndjson", ""),
    all.filter((one) => "seq" in one),
  );
}

const told = new Map<string, { facts: object }>();
for (const line of lines("told/told.txt", here)) {
  const [, name, seq, changes] = /^(\S+) (\d+) (.*)$/.exec(line) ?? [];
  told.set(`${name} ${seq}`, JSON.parse(changes ?? ""));
}

/** As far as a snapshot tells it, and in one form. */
function plain({ slashCommands, agentVersion, turnSince, ts, ...header }: Header) {
  return {
    ...header,
    requests: header.requests.map(({ id, seq, ts: at, asked }) => ({ id, seq, at, tool: asked.toolName })),
    queue: header.queue.map(({ messageId, text, ts: at, held }) => ({
      messageId,
      text,
      at,
      ...(held ? { held } : {}),
    })),
  };
}

/** How each sub-agent stands that a call on the screen began. */
function agents(view: View): Record<string, string> {
  const found: Record<string, string> = {};
  const look = (row: Row): void => {
    if (row.kind !== "tool") return;
    const { agent } = row;
    // One that nobody told the end of fell with its session.
    const gone = agent?.status === "running" && !view.header.work.some((one) => one.id === agent.agentId);
    if (agent) found[agent.agentId] = gone ? "stopped" : agent.status;
    row.children.forEach(look);
  };
  for (const { rows } of view.chunks) rows.forEach(look);
  return found;
}

/** What goes on begins with the newest call, where nobody is asked. */
function activity({ requests, tools, turnSince, work }: Header): string {
  if (requests.length > 0) return "Waiting for you";
  if (tools.length > 0) return tools.at(-1)?.label ?? "";
  if (turnSince) return "Working";
  return work.length > 0 ? "In the background: " : "";
}

it("knows every log that the daemon tells of", () => {
  const names = [...told.keys()].map((key) => key.split(" ", 1)[0]);
  expect(new Set(names)).toEqual(new Set(logs.keys()));
});

it.each([...logs.keys()])("folds %s to what the daemon tells of it", (name) => {
  let view = empty;
  let now = { facts: {} } as Told;
  for (const event of logs.get(name) ?? []) {
    view = reduce(view, { kind: "event", event });
    const changes = told.get(`${name} ${event.seq}`);
    if (changes) now = { ...now, ...changes, facts: { ...now.facts, ...changes.facts } };
    now.facts.seq = event.seq;
    // It is committed together with the turn that it begins.
    if (event.type === "user.message" && !event.payload.queued) continue;
    const at = `after event ${event.seq}, ${event.type}`;
    expect(plain(view.header), at).toEqual(plain(headerOf(now as unknown as SessionView)));
    expect(now.facts.activity ?? "", at).toMatch(activity(view.header));
    expect(now.facts.subagents, at).toMatchObject(agents(view));
  }
});
