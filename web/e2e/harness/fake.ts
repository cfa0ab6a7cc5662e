/** The stand-in for the real CLI: quick, and it does what no model would do on request (`fake-claude`). */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program, type Settings } from "./daemon";

/** Settings under which the agent `claude` is the stand-in; prompts say what it does, one line each. */
export const fake = (env: Record<string, string> = {}): Settings => ({
  env: { BATON_AGENT_CLAUDE_PATH: program("fake-claude"), FAKE_CLAUDE_VERSION: "325", ...env },
});

/** What the stand-in writes and waits for, in place of prompts; `crates/baton-testkit/src/bin/fake-claude/main.rs`. */
export type Step = Record<string, unknown>;

/** The first turn as the steps say, the later ones by their prompts. A fixture, for `test.use({ settings: … })`. */
export const scripted = (...steps: Step[]) => script(...begun, ...steps, ended, { serve: true });

/** Every process does these steps and nothing else; a test may write others to the file. A fixture as well. */
export const script =
  (...steps: Step[]) =>
  // biome-ignore lint/correctness/noEmptyPattern: fixtures are found by this pattern
  async ({}, use: (settings: Settings) => Promise<void>): Promise<void> => {
    const file = join(mkdtempSync(join(process.env.BATON_E2E_ROOT ?? "", "s-")), "script.jsonl");
    writeFileSync(file, steps.map((step) => `${JSON.stringify(step)}\n`).join(""));
    await use(fake({ FAKE_CLAUDE_SCRIPT: file }));
  };

/** An answer of the model that calls one tool, and the request for permission that follows. */
export const asks = (id: string, name: string, input: unknown): Step[] => [
  {
    emit: {
      type: "assistant",
      message: {
        id: `msg_${id}`,
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [{ type: "tool_use", id, name, input }],
      },
      parent_tool_use_id: null,
      session_id: "$session",
    },
  },
  { ask: { tool_name: name, input, tool_use_id: id } },
];

/** The first message is taken, and a turn begins. */
export const begun: Step[] = [
  { initialize: true },
  { expect: { type: "user" } },
  {
    emit: {
      type: "system",
      subtype: "init",
      session_id: "$session",
      model: "claude-sonnet-4-5",
      tools: ["Bash"],
      permissionMode: "default",
      claude_code_version: "2.1.325",
    },
  },
  {
    emit: {
      type: "user",
      isReplay: true,
      uuid: "$uuid",
      message: { role: "user", content: "" },
      parent_tool_use_id: null,
    },
  },
];

/** The turn is over. */
export const ended: Step = {
  emit: {
    type: "result",
    subtype: "success",
    is_error: false,
    result: "done",
    terminal_reason: "completed",
    session_id: "$session",
  },
};

/** An answer that comes at once. */
export const answers = (text: string, id = "msg_answer"): Step => ({
  emit: {
    type: "assistant",
    message: {
      id,
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text }],
    },
    parent_tool_use_id: null,
    session_id: "$session",
  },
});

/** The same, word by word. What follows must say it as a whole. */
export function streams(text: string): Step[] {
  const event = (one: object): Step => ({
    emit: { type: "stream_event", event: one, parent_tool_use_id: null, session_id: "$session" },
  });
  const message = { id: "msg_answer", role: "assistant", model: "claude-sonnet-4-5", content: [], usage: {} };
  return [
    event({ type: "message_start", message }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...text
      .split(/(?<= )/)
      .map((word) =>
        event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } }),
      ),
  ];
}
