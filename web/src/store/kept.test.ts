import { describe, expect, it } from "vitest";
import type { Envelope } from "../gen/events";
import { fitting } from "./kept";

const event = (seq: number, text: string): Envelope => ({ seq, payload: { text } }) as unknown as Envelope;

describe("what is kept of a session", () => {
  it("is its newest events, without a gap, as many as fit", () => {
    const events = [event(1, "x".repeat(900)), event(2, "a"), event(3, "b")];
    expect(fitting(events)).toEqual(events);
    expect(fitting(events, 200)).toEqual(events.slice(1));
    expect(fitting([...events, event(4, "x".repeat(900))], 200)).toEqual([]);
    expect(fitting([])).toEqual([]);
  });
});
