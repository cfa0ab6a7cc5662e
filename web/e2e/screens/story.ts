/**
 * What the agent of the pictures does, as steps of the stand-in CLI (`harness/fake.ts`).
 *
 * Prompts that say what to do would be in the pictures; here the prompt is what
 * a person would write, and the answer is told apart from it.
 */
import type { Step } from "../harness/fake";

export const MODEL = "claude-opus-4-5";
const WINDOW = 200_000;

let count = 0;
const next = (): string => `toolu_${String(++count).padStart(4, "0")}`;

const emit = (line: object): Step => ({ emit: { session_id: "$session", ...line } });

const assistant = (block: object, { parent = null as string | null, tokens = 0 } = {}): Step =>
  emit({
    type: "assistant",
    message: {
      id: `msg_${next()}`,
      role: "assistant",
      model: MODEL,
      content: [block],
      ...(tokens > 0 ? { usage: { input_tokens: tokens, output_tokens: 400 } } : {}),
    },
    parent_tool_use_id: parent,
  });

const result = (id: string, content: unknown, detail: unknown, more: object = {}, parent?: string): Step =>
  emit({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...more }] },
    parent_tool_use_id: parent ?? null,
    tool_use_result: detail,
  });

/** An answer, with how much of the context it took. */
export const says = (text: string, tokens = 52_000): Step[] => [
  assistant({ type: "text", text }, { tokens }),
];

export const thinks = (text: string): Step[] => [
  assistant({ type: "thinking", thinking: text, signature: "c2ln" }),
];

export interface Called {
  readonly detail?: unknown;
  readonly failed?: boolean;
  readonly parent?: string;
}

/** A tool that was called and has answered. */
export function calls(name: string, input: object, output: unknown, called: Called = {}): Step[] {
  const id = next();
  const { detail = {}, failed = false, parent } = called;
  return [
    assistant({ type: "tool_use", id, name, input }, { parent: parent ?? null }),
    result(id, output, detail, failed ? { is_error: true } : {}, parent),
  ];
}

/** A tool that was called and goes on. */
export const starts = (name: string, input: object, parent?: string): Step[] => [
  assistant({ type: "tool_use", id: next(), name, input }, { parent: parent ?? null }),
];

/** A tool that may run only after somebody said so. What follows comes after the answer. */
export function asks(
  name: string,
  input: object,
  { why, agent, refused = false }: { why?: string; agent?: Agent; refused?: boolean } = {},
): Step[] {
  const id = next();
  return [
    assistant({ type: "tool_use", id, name, input }, { parent: agent?.call ?? null }),
    {
      ask: {
        tool_name: name,
        input,
        tool_use_id: id,
        ...(why ? { decision_reason: why } : {}),
        ...(agent ? { agent_id: agent.task } : {}),
      },
    },
    result(id, refused ? "Denied." : "done", {}, refused ? { is_error: true } : {}, agent?.call),
  ];
}

/** One hunk, as the CLI tells it with a finished edit. */
export interface Hunk {
  readonly path: string;
  readonly at: number;
  readonly lines: readonly string[];
}

export function edits({ path, at, lines }: Hunk): Step[] {
  const of = (sign: string): string[] =>
    lines.filter((line) => line.startsWith(sign) || line.startsWith(" ")).map((line) => line.slice(1));
  const [before, after] = [of("-"), of("+")];
  return calls(
    "Edit",
    { file_path: path, old_string: before.join("\n"), new_string: after.join("\n") },
    `The file ${path} has been updated successfully.`,
    {
      detail: {
        filePath: path,
        structuredPatch: [
          { oldStart: at, oldLines: before.length, newStart: at, newLines: after.length, lines },
        ],
      },
    },
  );
}

export interface Agent {
  readonly call: string;
  readonly task: string;
}

/** A sub-agent that works; its own calls name it as their parent. */
export function sends(description: string): { agent: Agent; steps: Step[]; back: (said: string) => Step[] } {
  const call = next();
  const task = `a${call}`;
  const input = { description, prompt: description, subagent_type: "general-purpose" };
  return {
    agent: { call, task },
    steps: [
      assistant({ type: "tool_use", id: call, name: "Agent", input }),
      emit({
        type: "system",
        subtype: "task_started",
        task_id: task,
        tool_use_id: call,
        description,
        subagent_type: "general-purpose",
        task_type: "local_agent",
        prompt: description,
      }),
    ],
    back: (said) => [
      emit({
        type: "system",
        subtype: "task_notification",
        task_id: task,
        tool_use_id: call,
        status: "completed",
        summary: description,
        output_file: "",
        usage: { total_tokens: 9200, tool_uses: 3, duration_ms: 6100 },
      }),
      result(call, [{ type: "text", text: said }], { status: "completed", agentId: task }),
    ],
  };
}

/** A command that goes on beside the conversation. */
export function background(command: string, description: string): Step[] {
  const call = next();
  return [
    assistant({
      type: "tool_use",
      id: call,
      name: "Bash",
      input: { command, description, run_in_background: true },
    }),
    emit({
      type: "system",
      subtype: "task_started",
      task_id: `b${call}`,
      tool_use_id: call,
      description: command,
      task_type: "local_bash",
    }),
    result(call, `Command running in background with ID: b${call}.`, { backgroundTaskId: `b${call}` }),
  ];
}

export type Todo = readonly [what: string, status: "completed" | "in_progress" | "pending"];

export const lists = (...todos: Todo[]): Step[] =>
  calls(
    "TodoWrite",
    { todos: todos.map(([content, status]) => ({ content, status, activeForm: content })) },
    "Todos have been modified successfully",
  );

export const notes = (subtype: string, fields: object): Step[] => [
  emit({ type: "system", subtype, ...fields }),
];

/** An answer in the middle of a word. */
export function streams(kind: "text" | "thinking", text: string): Step[] {
  const event = (one: object): Step => emit({ type: "stream_event", event: one, parent_tool_use_id: null });
  const id = `msg_${next()}`;
  return [
    event({
      type: "message_start",
      message: { id, role: "assistant", model: MODEL, content: [], usage: {} },
    }),
    event({ type: "content_block_start", index: 0, content_block: { type: kind, [kind]: "" } }),
    ...text
      .split(/(?<= )/)
      .map((word) =>
        event({ type: "content_block_delta", index: 0, delta: { type: `${kind}_delta`, [kind]: word } }),
      ),
  ];
}

const taken: Step[] = [
  { expect: { type: "user" } },
  {
    emit: {
      type: "system",
      subtype: "init",
      session_id: "$session",
      model: MODEL,
      tools: ["Bash"],
      permissionMode: "default",
      slash_commands: ["compact", "context", "review", "security-review"],
      claude_code_version: "2.1.325",
    },
  },
  emit({
    type: "user",
    isReplay: true,
    uuid: "$uuid",
    message: { role: "user", content: "" },
    parent_tool_use_id: null,
  }),
];

/** What a turn cost until now, all turns of the session together. */
const done = (cost: number, failure?: object): Step =>
  emit({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "done",
    terminal_reason: "completed",
    total_cost_usd: cost,
    usage: { input_tokens: 48_000, output_tokens: 2_100 },
    modelUsage: { [MODEL]: { costUSD: cost, contextWindow: WINDOW } },
    ...failure,
  });

/** A turn that ends. */
export const turn = (cost: number, ...steps: Step[][]): Step[] => [...taken, ...steps.flat(), done(cost)];

/** A turn that does not end while anybody looks. */
export const open = (...steps: Step[][]): Step[] => [...taken, ...steps.flat(), { hang: true }];

/** A turn that fails in the CLI's own words. */
export const fails = (error: string, text: string): Step[] => [
  ...taken,
  emit({
    type: "assistant",
    error,
    message: { role: "assistant", model: "<synthetic>", content: [{ type: "text", text }] },
    parent_tool_use_id: null,
  }),
  done(0.02, { is_error: true, result: text, stop_reason: "stop_sequence" }),
];
