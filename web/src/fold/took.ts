/** How long things took, with the time they waited for a person told apart. */
import type { Request, Row, ToolRow } from "./view";

/** From the question to its answer, in milliseconds since 1970. */
export type Wait = readonly [from: number, to: number];

/** The answered requests of a row and of everything nested in it, as long as its call was open: nobody waits after it. */
export function waitsOf(row: Row): Wait[] {
  if (row.kind === "request") return waitOf(row.request);
  if (row.kind !== "tool") return [];
  const over = row.done ? Date.parse(row.done.ts) : Number.POSITIVE_INFINITY;
  return [...row.requests.flatMap(waitOf), ...within(row.children.flatMap(waitsOf), over)];
}

/** What of them was before `end`, and after `start`. */
export const within = (waits: readonly Wait[], end: number, start = Number.NEGATIVE_INFINITY): Wait[] =>
  waits
    .map(([from, to]): Wait => [Math.max(from, start), Math.min(to, end)])
    .filter(([from, to]) => from < to);

const waitOf = ({ ts, resolved }: Request): Wait[] =>
  resolved ? [[Date.parse(ts), Date.parse(resolved.ts)]] : [];

/** How long at least one of them was open: those at the same time count once. */
export function waited(waits: readonly Wait[]): number {
  let sum = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const [from, to] of waits.toSorted((a, b) => a[0] - b[0])) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

/** It was or is at work after its call had returned. */
export const wentOn = ({ agent, done }: ToolRow): boolean =>
  agent !== undefined &&
  done?.isError === false &&
  (agent.until === undefined || Date.parse(agent.until) > Date.parse(done.ts));

/** How long a call took as of `now`; where a sub-agent worked, how long that did. Without what it waited for people. */
export function timeOf(row: ToolRow, now: number): number {
  const { agent, done } = row;
  if (!agent) return ownTime(row, done ? done.durationMs : now - Date.parse(row.ts));
  const [start, end] = [Date.parse(agent.since), agent.until ? Date.parse(agent.until) : now];
  return Math.max(0, end - start - waited(within(row.children.flatMap(waitsOf), end, start)));
}

/** Of a time that a tool call was open, what the tool itself took. */
export const ownTime = (row: ToolRow, openMs: number): number => Math.max(0, openMs - waited(waitsOf(row)));

/** The longest time to answer that says nothing about anybody. */
const AT_ONCE_MS = 10_000;

/** How long a request waited for its answer, if that was long. */
export function longWait(request: Request): number | undefined {
  const ms = waited(waitOf(request));
  return ms >= AT_ONCE_MS ? ms : undefined;
}
