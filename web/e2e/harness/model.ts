/** The scripted model: prompts say what it shall do, see `crates/baton-testkit/src/directive.rs`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { program } from "./daemon";

export interface Model {
  readonly url: string;
  end(): Promise<void>;
}

export async function startModel(): Promise<Model> {
  const child = spawn(program("scripted-model"), ["--idle-exit", "600"], {
    env: {},
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    async end() {
      const gone = once(child, "exit");
      // It ends with its input.
      child.stdin.end();
      await gone;
    },
  };
}
