import { expect, it } from "vitest";
import type { SessionView } from "../link/types";
import { headerOf } from "./snapshot";

it("has every number and every time from the daemon", () => {
  const told = {
    lastActivityAt: "2026-11-16T12:00:00Z",
    contextShare: 0.5,
    facts: {
      seq: 40,
      approvals: [{ approvalId: "apr_1", seq: 12, requestedAt: "2026-11-16T11:00:00Z" }],
      queue: [{ messageId: "m1", text: "Then this", attachments: [], queuedAt: "2026-11-16T11:30:00Z" }],
      context: { tokens: 100_000, window: 200_000 },
      todo: [],
      tools: [],
      work: [],
    },
  } as unknown as SessionView;
  const header = headerOf(told);
  expect(header.context).toEqual({ tokens: 100_000, window: 200_000 });
  expect(header.requests).toMatchObject([{ id: "apr_1", seq: 12, ts: "2026-11-16T11:00:00Z" }]);
  expect(header.queue).toMatchObject([{ messageId: "m1", ts: "2026-11-16T11:30:00Z" }]);
  const { context: _, ...rest } = told.facts;
  expect(headerOf({ ...told, facts: rest }).context).toBeUndefined();
});
