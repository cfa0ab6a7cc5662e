import { describe, expect, it } from "vitest";
import { look } from "./labels";
import { mannerOf, OF_CHANGE, OF_COMMAND } from "./manner";

describe("how a tool is used", () => {
  const texts = (input: unknown, shown: readonly string[]) => mannerOf(input, shown).map((one) => one.text);

  it("says in words what changes a command", () => {
    const input = {
      command: "sh wait.sh",
      description: "Waits",
      run_in_background: true,
      timeout: 600_000,
      dangerouslyDisableSandbox: true,
    };
    expect(texts(input, OF_COMMAND)).toEqual([
      "Goes on in the background after the call returns",
      "Is stopped after 10 m 00 s",
      "Runs outside the sandbox",
    ]);
    expect(mannerOf(input, OF_COMMAND).map((one) => one.grave)).toEqual([false, false, true]);
    expect(look({ name: "Bash", toolKind: "shell", subject: { inBackground: true } }).ask).toBe(
      "Run a command in the background?",
    );
  });

  it("leaves nothing out that it has no words for", () => {
    expect(texts({ command: "ls", shell: "zsh", env: { A: "1" } }, OF_COMMAND)).toEqual([
      "shell: zsh",
      'env: {"A":"1"}',
    ]);
  });

  it("says that a change is made everywhere, and nothing of what is switched off", () => {
    const change = { file_path: "a", old_string: "x", new_string: "y" };
    expect(texts({ ...change, replace_all: true }, OF_CHANGE)).toEqual([
      "Replaces every place in the file that reads so",
    ]);
    expect(texts({ ...change, replace_all: false }, OF_CHANGE)).toEqual([]);
    expect(texts({ command: "ls", run_in_background: false }, OF_COMMAND)).toEqual([]);
  });
});
