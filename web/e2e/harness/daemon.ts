/** A daemon of its own for a test: real program, scratch folders, nothing of the caller's environment. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Envelope } from "../../src/gen/events";
import type { EventPage, OpenApproval, Project, SessionRow, SessionView } from "../../src/link/types";
import { endAllBelow, isAlive } from "./processes";

const run = promisify(execFile);
const LIMIT_MS = 60_000;
const LOOK_MS = 50;
const repository = join(dirname(fileURLToPath(import.meta.url)), "../../..");

/** A program of this repository, as `cargo build` made it. */
export const program = (name: string): string =>
  join(process.env.CARGO_TARGET_DIR ?? join(repository, "target"), "debug", name);

/** The newest of the CLIs that `scripts/setup-claude` fetches. */
const CLAUDE = "2.1.325";

function claude(): string {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return join(process.env.BATON_TEST_CACHE ?? join(caches, "baton"), "claude", CLAUDE, "claude");
}

export interface Settings {
  /** Milliseconds between two words of the demo agent. */
  pace?: number;
  /** Where the real CLI finds its model; without it there is no real CLI. */
  model?: string;
  env?: Record<string, string>;
}

export interface Start {
  agent?: "demo" | "claude";
  prompt?: string;
  model?: string;
  permissionMode?: string;
}

export class Daemon {
  readonly root = mkdtempSync(join(process.env.BATON_E2E_ROOT ?? "", "d-"));
  readonly home = join(this.root, "home");
  readonly data = join(this.root, "data");
  private readonly env: Record<string, string>;
  private facts = { pid: 0, url: "" };
  /** What browsers call the machine, if not by its address. */
  private name: string | undefined;
  /** Of the device that asks; none is the daemon's own. */
  token: string | undefined;

  private constructor(settings: Settings) {
    for (const folder of [this.home, join(this.root, "tmp"), join(this.root, "projects")]) mkdirSync(folder);
    this.env = {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      LANG: "C.UTF-8",
      TERM: "dumb",
      SHELL: "/bin/bash",
      HOME: this.home,
      TMPDIR: join(this.root, "tmp"),
      GIT_CONFIG_NOSYSTEM: "1",
      BATON_DATA_DIR: this.data,
      BATON_RUNNER_PORT: "0",
      BATON_AGENT_DEMO_PACE_MS: String(settings.pace ?? 0),
      // Should a run be killed: nothing stays for ever.
      BATON_DAEMON_IDLE_EXIT_S: "600",
      // Discard: refused at once, should a test forget its model.
      ANTHROPIC_BASE_URL: settings.model ?? "http://127.0.0.1:9",
      ANTHROPIC_API_KEY: "sk-ant-test-dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      // Without it the CLI refuses some permission modes to root.
      ...(process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {}),
      ...(settings.model ? { BATON_AGENT_CLAUDE_PATH: claude() } : {}),
      ...settings.env,
    };
  }

  static async start(settings: Settings = {}): Promise<Daemon> {
    const daemon = new Daemon(settings);
    await daemon.start();
    return daemon;
  }

  /** The same for the whole life of the test: later starts take the port of the first. */
  get url(): string {
    return this.facts.url;
  }

  /** Where browsers find it. */
  get origin(): string {
    const { url, name } = this;
    return name ? `http://${name}:${new URL(url).port}` : url;
  }

  get pid(): number {
    return this.facts.pid;
  }

  /** Runs the program; what it prints is returned, and a failure is thrown with all it said. */
  async baton(
    args: readonly string[],
    { cwd = this.root, input = "" }: { cwd?: string; input?: string } = {},
  ): Promise<string> {
    const running = run(program("baton"), [...args], { cwd, env: this.env, timeout: LIMIT_MS });
    // One that ends without its input tells by its exit what that means.
    running.child.stdin?.on("error", () => {}).end(input);
    return (await running).stdout;
  }

  /** Runs the real CLI as in a terminal, without Baton. */
  async claude(args: readonly string[], cwd: string): Promise<string> {
    const running = run(claude(), [...args], { cwd, env: this.env, timeout: LIMIT_MS });
    running.child.stdin?.on("error", () => {}).end();
    return (await running).stdout;
  }

  async start(): Promise<void> {
    await this.baton(["start"]);
    this.learn();
  }

  /** Ends the daemon as a crash would. Its agents go on. */
  async kill(): Promise<void> {
    const { pid } = this;
    process.kill(pid, "SIGKILL");
    await until(() => !isAlive(pid), `process ${pid} to be gone`);
  }

  async restart(): Promise<void> {
    await this.baton(["restart"]);
    this.learn();
  }

  /** Lets the demo speak faster or slower from the next message on: its process is started anew. */
  async pace(ms: number): Promise<void> {
    await this.baton(["stop", "--now"]);
    this.env.BATON_AGENT_DEMO_PACE_MS = String(ms);
    await this.start();
  }

  /** Lets browsers call it by a name of the local network; theirs is the matter of where that leads. */
  async called(name: string): Promise<void> {
    this.name = name;
    this.env.BATON_RUNNER_PUBLIC_URLS = this.origin;
    await this.restart();
  }

  async end(): Promise<void> {
    await endAllBelow(this.root);
  }

  /** Asks the API, with the daemon's own token unless there is another. */
  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const token = this.token ?? readFileSync(join(this.data, "token"), "utf8").trim();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  }

  async pin(digits: string): Promise<void> {
    await this.baton(["pin", "set"], { input: `${digits}\n` });
  }

  /** An address that signs one browser in. */
  async link(scope = "admin"): Promise<string> {
    const { url } = await this.ask<{ url: string }>("POST", "/auth/links", { scope });
    const { pathname, hash } = new URL(url);
    return this.origin + pathname + hash;
  }

  /** A new folder that Baton lists, with these files in it; a git repository if it has any. */
  async project(name: string, files: Record<string, string> = {}): Promise<Project> {
    const path = join(this.root, "projects", name);
    mkdirSync(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
    }
    if (Object.keys(files).length > 0) {
      await this.git(path, "init", "--quiet", "--initial-branch=main");
      await this.git(path, "add", "--all");
      await this.git(path, "commit", "--quiet", "--message=Begin");
    }
    return this.ask<Project>("POST", "/projects", { path });
  }

  async git(path: string, ...args: string[]): Promise<string> {
    const who = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    return (await run("git", [...who, ...args], { cwd: path, env: this.env, timeout: LIMIT_MS })).stdout;
  }

  session(project: Project, start: Start = {}): Promise<SessionRow> {
    return this.ask("POST", `/projects/${project.slug}/sessions`, { agent: "demo", ...start });
  }

  view(id: string): Promise<SessionView> {
    return this.ask("GET", `/sessions/${id}`);
  }

  async say(id: string, text: string): Promise<void> {
    await this.ask("POST", `/sessions/${id}/messages`, { text, queue: true });
  }

  async events(id: string): Promise<Envelope[]> {
    return (await this.ask<EventPage>("GET", `/sessions/${id}/events?limit=5000`)).events;
  }

  async approvals(): Promise<OpenApproval[]> {
    return (await this.ask<{ items: OpenApproval[] }>("GET", "/approvals")).items;
  }

  /** The request that a session waits with, as soon as it does. */
  async asked(id: string): Promise<OpenApproval> {
    let found: OpenApproval | undefined;
    await until(async () => {
      found = (await this.approvals()).find((one) => one.sessionId === id);
      return found !== undefined;
    }, `a request of ${id}`);
    return found as OpenApproval;
  }

  async answer(open: OpenApproval, body: object): Promise<void> {
    await this.ask("POST", `/sessions/${open.sessionId}/approvals/${open.approval.approvalId}`, body);
  }

  /** Waits until a session's turns are all done. */
  async settled(id: string): Promise<SessionView> {
    let view: SessionView | undefined;
    await until(async () => {
      view = await this.view(id);
      return (view.state === "idle" || view.state === "ended") && view.facts.queue.length === 0;
    }, `${id} to settle`);
    return view as SessionView;
  }

  private learn(): void {
    this.facts = JSON.parse(readFileSync(join(this.data, "daemon.json"), "utf8"));
    this.env.BATON_RUNNER_PORT = new URL(this.facts.url).port;
  }
}

/** Waits for what nobody announces. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + LIMIT_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${LIMIT_MS / 1000} s for ${what}`);
    await pause(LOOK_MS);
  }
}
