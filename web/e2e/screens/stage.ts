/** Daemons that look as after a day's work: projects, and an agent that is told what to do apart from its prompts. */
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Project, SessionRow } from "../../src/link/types";
import { Daemon, program, type Settings, type Start, until } from "../harness/daemon";
import type { Step } from "../harness/fake";

/** Takes the next script, when it is a conversation that begins and not a question about the version. */
const CLI = (folder: string): string => `#!/bin/sh
case "$*" in *stream-json*)
  if [ -f '${folder}/next' ]; then
    mv '${folder}/next' "${folder}/$$"
    export FAKE_CLAUDE_SCRIPT="${folder}/$$"
  fi
esac
exec '${program("fake-claude")}' "$@"
`;

/** Lets what the pictures show be said on a telephone. */
async function signIn(daemon: Daemon): Promise<void> {
  const link = new URLSearchParams(new URL(await daemon.link()).hash.slice(1)).get("link");
  const by = { link, name: "Pixel 8" };
  daemon.token = (await daemon.ask<{ token: string }>("POST", "/auth/login", by)).token;
}

export class Stage {
  private constructor(
    readonly daemon: Daemon,
    private readonly folder: string,
  ) {}

  static async open(settings: Settings = {}): Promise<Stage> {
    const folder = mkdtempSync(join(process.env.BATON_E2E_ROOT ?? "", "stage-"));
    const cli = join(folder, "claude");
    writeFileSync(cli, CLI(folder));
    chmodSync(cli, 0o755);
    const env = { BATON_AGENT_CLAUDE_PATH: cli, FAKE_CLAUDE_VERSION: "325", ...settings.env };
    const daemon = await Daemon.start({ ...settings, env });
    await signIn(daemon);
    return new Stage(daemon, folder);
  }

  /** Starts a session that goes as the steps say, and waits until it has begun. */
  async session(project: Project, prompt: string, steps: Step[], start: Start = {}): Promise<SessionRow> {
    const all: Step[] = [{ initialize: true }, ...steps, { serve: true }];
    const [draft, next] = [join(this.folder, "draft"), join(this.folder, "next")];
    writeFileSync(draft, all.map((step) => `${JSON.stringify(step)}\n`).join(""));
    renameSync(draft, next);
    const row = await this.daemon.session(project, { agent: "claude", prompt, ...start });
    await until(() => !existsSync(next), "the script to be taken");
    return row;
  }

  /** Leaves a conversation behind as the CLI does in a terminal. */
  terminal(project: Project, said: string, answer: string): void {
    const id = randomUUID();
    const folder = join(this.daemon.home, ".claude/projects", project.path.replace(/[^a-zA-Z0-9]/g, "-"));
    const row = (type: string, content: unknown, uuid: string, parentUuid: string | null) => ({
      type,
      message: { role: type, content },
      uuid,
      parentUuid,
      sessionId: id,
      cwd: project.path,
      isSidechain: false,
      timestamp: new Date().toISOString(),
      version: "2.1.325",
    });
    const [first, second] = [randomUUID(), randomUUID()];
    const rows = [
      row("user", said, first, null),
      row("assistant", [{ type: "text", text: answer }], second, first),
    ];
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${id}.jsonl`), rows.map((one) => `${JSON.stringify(one)}\n`).join(""));
  }

  /** Changes files of a project as a person would. */
  change(project: Project, files: Record<string, string | Buffer>): void {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project.path, file)), { recursive: true });
      writeFileSync(join(project.path, file), text);
    }
  }
}
