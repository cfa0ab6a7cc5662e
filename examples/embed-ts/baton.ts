// A small client of `baton stdio`: starts it, sends messages, yields events.
// It needs nothing but Node.js.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What Baton is told. docs/stdio.md has every message. */
export type Message =
  | { type: "message"; content: string; messageId?: string }
  | { type: "stop" | "interrupt"; requestId?: string }
  | { type: "set_permission_mode"; mode: string; requestId?: string }
  | {
      type: "tool_approval_response";
      requestId: string;
      decision: "allow" | "deny";
      denyMessage?: string;
    }
  | { type: "user_question_response"; requestId: string; answers: Record<string, string> }
  | { type: "plan_approval_response"; requestId: string; approved: boolean; feedback?: string };

/** What Baton says. Unknown types and fields are to be ignored. */
export type BatonEvent =
  | { type: "ready"; sessionId: string; agent: string }
  | { type: "assistant_text"; text: string }
  | { type: "tool_start"; toolUseId: string; name: string; label: string }
  | { type: "tool_end"; toolUseId: string; name: string; success: boolean; summary: string }
  | {
      type: "tool_approval_request";
      requestId: string;
      toolName: string;
      input: Record<string, unknown>;
      risk: "low" | "medium" | "high";
    }
  | {
      type: "user_question_request";
      requestId: string;
      questions: { question: string; options: { label: string }[] }[];
    }
  | { type: "plan_approval_request"; requestId: string; plan: string }
  | { type: "result"; turn: number; success: boolean; result?: string; totalCostUsd: number }
  | { type: "turn_complete"; turn: number; stopReason: string }
  | { type: "error" | "auth_error"; message: string; hint?: string; fatal: boolean }
  | { type: "shutdown"; reason: string; exitCode: number };

/** One conversation. */
export class Conversation {
  readonly #child;
  readonly #exit: Promise<number | null>;

  constructor(program: string, flags: string[] = []) {
    this.#child = spawn(program, ["stdio", ...flags], { stdio: ["pipe", "pipe", "inherit"] });
    this.#exit = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code) => resolve(code));
    });
    // A conversation that has ended reads no more; its last event says why.
    this.#child.stdin.on("error", () => {});
  }

  send(message: Message): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Every event until the last one. What is not read waits in Baton. */
  async *events(): AsyncGenerator<BatonEvent> {
    for await (const line of createInterface({ input: this.#child.stdout })) {
      yield JSON.parse(line) as BatonEvent;
    }
  }

  /** The exit code, once the process is gone. */
  exit(): Promise<number | null> {
    return this.#exit;
  }
}
