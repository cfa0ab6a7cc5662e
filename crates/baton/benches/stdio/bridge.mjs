// The same bridge with the TypeScript Agent SDK: messages as JSON lines in,
// text in paragraphs and the results of turns as JSON lines out.
//
//   node bridge.mjs PATH-OF-THE-SDK PATH-OF-CLAUDE
import { createInterface } from "node:readline";

const [sdk, claude] = process.argv.slice(2);
const { query } = await import(sdk);

const say = (event) => process.stdout.write(JSON.stringify(event) + "\n");

const waiting = [];
let wake = null;
let closed = false;
const poke = () => {
  wake?.();
  wake = null;
};
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "message") waiting.push(message.content);
    if (message.type === "stop") closed = true;
    poke();
  })
  .on("close", () => {
    closed = true;
    poke();
  });

async function* messages() {
  for (;;) {
    while (waiting.length > 0) {
      const content = waiting.shift();
      yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
    }
    if (closed) return;
    await new Promise((resolve) => (wake = resolve));
  }
}

let buffer = "";
const flush = (text) => text && say({ type: "assistant_text", text });
const heard = (text) => {
  buffer += text;
  const end = buffer.lastIndexOf("\n\n");
  if (end < 0) return;
  const whole = buffer.slice(0, end + 2);
  buffer = buffer.slice(end + 2);
  flush(whole);
};

const conversation = query({
  prompt: messages(),
  options: {
    pathToClaudeCodeExecutable: claude,
    includePartialMessages: true,
    permissionMode: "default",
    canUseTool: async (_, input) => ({ behavior: "allow", updatedInput: input }),
  },
});
say({ type: "ready" });
for await (const message of conversation) {
  if (message.type === "system" && message.subtype === "init") {
    say({ type: "init", sessionId: message.session_id, model: message.model, tools: message.tools });
  } else if (message.type === "stream_event" && message.parent_tool_use_id === null) {
    const { event } = message;
    if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
      heard(event.delta.text);
    }
  } else if (message.type === "result") {
    flush(buffer);
    buffer = "";
    say({ type: "result", success: message.subtype === "success", usage: message.usage });
    say({ type: "turn_complete" });
  }
}
say({ type: "complete" });
say({ type: "shutdown", reason: "stop" });
process.exit(0);
