// A small client of `baton stdio`: starts it, sends messages, yields events.
// It needs nothing but Node.js.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What Baton is told. docs/stdio.md has every message. */
export type Message =
  | { type: "message"; content: string; messageId?: string; attachments?: Attachment[]; memory?: "log" | "none" | "refuse"; requestId?: string }
  | { type: "stop" | "interrupt"; requestId?: string }
  | { type: "stop_task"; taskId: string; requestId?: string }
  | { type: "set_model"; model: string | null; requestId?: string }
  | { type: "set_permission_mode"; mode: Mode; requestId?: string }
  | { type: "set_budget"; maxBudgetUsd: number | null; requestId?: string }
  | {
      type: "get_supported_models" | "get_supported_commands" | "get_mcp_status" | "get_account_info";
      requestId?: string;
    }
  | { type: "trust_folder"; accept?: boolean; digest?: string; requestId?: string }
  | { type: "rewind_files"; checkpointId: string; dryRun?: boolean; requestId?: string }
  | {
      type: "tool_approval_response";
      requestId: string;
      decision: "allow" | "deny";
      modifiedInput?: Record<string, unknown>;
      denyMessage?: string;
      interrupt?: boolean;
      rule?: string;
      scope?: "session" | "project" | "user";
    }
  | { type: "user_question_response"; requestId: string; answers: Record<string, string | string[]> }
  | {
      type: "plan_approval_response";
      requestId: string;
      approved: boolean;
      feedback?: string;
      mode?: Mode;
    };

export type Mode = "default" | "acceptEdits" | "plan" | "dontAsk" | "auto" | "bypassPermissions";

/** Text, or anything as base64 in `data`. The name may be a path in the project. */
export type Attachment = { name: string; mediaType?: string } & ({ text: string } | { data: string });

/** What every line has: its number in this process, and when it was said. */
export type Stamp = { seq: number; ts: string; cut?: { field: string; bytes: number }[] };

/**
 * What Baton says, as far as this example cares: docs/stdio.md has every event and field.
 * Unknown types and fields are to be ignored. A line has at most 1 MiB.
 */
export type BatonEvent = Stamp & SomeEvent;

type SomeEvent =
  | { type: "ready"; sessionId: string; agent: string }
  | {
      type: "folder_trust";
      trusted: boolean;
      leftOut?: { kind: string; name: string; file: string }[];
      reason?: string;
      digest: string;
    }
  | { type: "message_accepted"; messageId: string; again?: boolean; requestId?: string }
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
  | { type: "turn_complete"; turn: number; stopReason: string; stillRunning?: Running[] }
  | { type: "background_done"; turn: number }
  | { type: "error" | "auth_error"; message: string; hint?: string; retryAt?: string; fatal: boolean }
  | { type: "shutdown"; reason: string; exitCode: number };

/** A sub-agent or a command that goes on though its turn is over. */
export type Running = { id: string; kind: "subagent" | "task"; description?: string; startedAt: string };

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
    // Whoever asks for the exit hears of a program that cannot be started.
    this.#exit.catch(() => {});
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

  /** The exit code, once the process is gone; null after a signal. Fails if there never was one. */
  exit(): Promise<number | null> {
    return this.#exit;
  }
}
