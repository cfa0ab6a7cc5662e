import { describe, expect, it } from "vitest";
import { outputOf } from "./outputs";

describe("what a tool said", () => {
  it("is shown without the marks that an agent puts around it", () => {
    expect(outputOf("<tool_use_error>Error: No such tool\nx</tool_use_error>", false, true)).toBe(
      "Error: No such tool\nx",
    );
    expect(outputOf("plain <b> output\n", false, false)).toBe("plain <b> output\n");
    expect(outputOf("a <tool_use_error>b</tool_use_error>", false, false)).toBe(
      "a <tool_use_error>b</tool_use_error>",
    );
  });

  it("is its beginning where the whole is elsewhere, and says where if the log has not got it", () => {
    const said =
      "<persisted-output>\nOutput too large (1.2MB). Full output saved to: /home/user/tool-results/b.txt\n\nPreview (first 2KB):\n1\n2\n...\n</persisted-output>";
    expect(outputOf(said, true, false)).toBe("1\n2");
    expect(outputOf(said, false, false)).toBe(
      "1\n2\n…\nOutput too large (1.2MB). Full output kept by the agent in /home/user/tool-results/b.txt",
    );
  });

  it("says of nobody that they refused what fell with its turn", () => {
    const fell =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, …).";
    expect(outputOf(fell, false, true)).toBe("Stopped before it was done.");
    expect(outputOf(`${fell} the user said:\nshorter`, false, true)).toMatch(/shorter$/);
    // A tool may print anything.
    expect(outputOf(fell, false, false)).toBe(fell);
  });
});
