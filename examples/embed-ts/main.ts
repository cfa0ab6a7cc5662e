// Holds one conversation: says a prompt, shows what happens, answers questions,
// allows harmless tools, and stops when nothing goes on any more.
//
//   node main.ts BATON PROMPT [FLAGS…]

import { Conversation } from "./baton.ts";

const [program = "baton", prompt = "Say hello.", ...flags] = process.argv.slice(2);
const conversation = new Conversation(program, flags);
let waiting = false;

for await (const event of conversation.events()) {
  switch (event.type) {
    case "ready":
      console.log(`ready: ${event.agent}`);
      conversation.send({ type: "message", content: prompt });
      break;
    case "folder_trust":
      for (const { kind, name } of event.leftOut ?? []) console.log(`left out: ${kind} ${name}`);
      break;
    case "assistant_text":
      console.log(event.text.trimEnd());
      break;
    case "tool_start":
      console.log(`… ${event.label}`);
      break;
    case "tool_end":
      console.log(`${event.success ? "✓" : "✗"} ${event.name}: ${event.summary}`);
      break;
    case "tool_approval_request": {
      const decision = event.toolName === "Bash" || event.risk === "high" ? "deny" : "allow";
      console.log(`${decision} ${event.toolName}`);
      conversation.send({
        type: "tool_approval_response",
        requestId: event.requestId,
        decision,
        ...(decision === "deny" && { denyMessage: "This program allows no shell commands, and nothing of high risk." }),
      });
      break;
    }
    case "user_question_request": {
      const first = event.questions.map((asked): [string, string] => [
        asked.question,
        asked.options[0]?.label ?? "",
      ]);
      const answers = Object.fromEntries(first);
      console.log(`answers ${JSON.stringify(answers)}`);
      conversation.send({ type: "user_question_response", requestId: event.requestId, answers });
      break;
    }
    case "plan_approval_request":
      conversation.send({
        type: "plan_approval_response",
        requestId: event.requestId,
        approved: true,
      });
      break;
    case "error":
    case "auth_error":
      console.error(`${event.message}${event.hint ? ` — ${event.hint}` : ""}`);
      break;
    case "turn_complete":
      console.log(`turn ${event.turn}: ${event.stopReason}`);
      // A stop would end what still runs in the background.
      waiting ||= (event.stillRunning ?? []).length > 0;
      if (!waiting) conversation.send({ type: "stop" });
      break;
    case "background_done":
      conversation.send({ type: "stop" });
      break;
    case "shutdown":
      console.log(`shutdown: ${event.reason}`);
      break;
  }
}

try {
  process.exitCode = (await conversation.exit()) ?? 1;
} catch (error) {
  console.error(`${program} cannot be started: ${(error as Error).message}`);
  process.exitCode = 1;
}
