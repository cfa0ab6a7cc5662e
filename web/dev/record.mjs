// Records one session of a running daemon as NDJSON, events and live frames as
// they come, for the fixtures of the fold's tests.
//
//   node dev/record.mjs DATA_DIR PROJECT OUT AGENT PROMPT [allow|deny|wait]
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const [dataDir, project, out, agent, prompt, approvals = "allow"] = process.argv.slice(2);
const socket = connect(`${dataDir}/daemon.sock`);
const lines = [];
const send = (message) => socket.write(`${JSON.stringify(message)}\n`);
const finish = () => {
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  // Recordings say nothing about the machine they were made on.
  writeFileSync(out, `${text.replaceAll(project, "/home/user/project")}\n`);
  socket.end();
};

send({ type: "hello", client: { id: "recorder", name: "Recorder" } });
send({ type: "command", id: "new", command: "create", payload: { project, agent, prompt } });
createInterface({ input: socket }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "reply" && message.id === "new") {
    if (!message.ok) throw new Error(JSON.stringify(message.problem));
    send({ type: "subscribe", sessionId: message.result.id, after: 0 });
  } else if (message.type === "live") lines.push(message.frame);
  else if (message.type === "event") {
    lines.push(message.event);
    const { type, payload, sessionId } = message.event;
    if (type === "approval.requested" && approvals !== "wait") {
      const questions = payload.input?.questions ?? [];
      const answers = Object.fromEntries(questions.map((one) => [one.question, one.options[0].label]));
      const body = { approvalId: payload.approvalId, decision: approvals };
      if (payload.kind === "question" && approvals === "allow") body.answers = answers;
      send({ type: "command", id: payload.approvalId, command: "approve", sessionId, payload: body });
    }
    if (
      type === "session.state" &&
      payload.state === "idle" &&
      lines.some((one) => one.type === "turn.completed")
    )
      finish();
  }
});
