// A stand-in for the daemon's HTTP side, for developing and testing the page
// before or without it: it speaks the contract's HTTP and WebSocket to browsers
// and the control socket to a real daemon. Loopback only, never shipped.
//
//   node dev/gateway.mjs DATA_DIR [PORT] [STATIC_DIR]
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { extname, join, normalize } from "node:path";
import { createInterface } from "node:readline";
import { WebSocketServer } from "ws";
import { commandOf } from "./projects.mjs";

const [dataDir, port = "2633", pages] = process.argv.slice(2);
if (!dataDir) {
  console.error("usage: node dev/gateway.mjs DATA_DIR [PORT] [STATIC_DIR]");
  process.exit(2);
}
const socketPath = join(dataDir, "daemon.sock");
const TOKEN = "dev";
const PIN = "123456";

/** One connection to the daemon, with replies matched by id. */
function daemon(onLine = () => {}) {
  const socket = connect(socketPath);
  const waiting = new Map();
  let next = 0;
  const lines = createInterface({ input: socket });
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "reply" && waiting.has(message.id)) {
      waiting.get(message.id)(message);
      waiting.delete(message.id);
    } else onLine(message, line);
  });
  const close = () => {
    for (const answer of waiting.values())
      answer({ ok: false, problem: { status: 503, code: "unavailable", detail: "the daemon is gone" } });
    waiting.clear();
  };
  socket.on("close", close);
  socket.on("error", close);
  const send = (message) => socket.write(`${JSON.stringify(message)}\n`);
  send({ type: "hello", client: { id: "dev_browser", name: "Browser" } });
  return {
    socket,
    send,
    command: (command, sessionId, payload = {}) =>
      new Promise((resolve) => {
        const id = `g${next++}`;
        waiting.set(id, resolve);
        send({ type: "command", id, command, sessionId, payload });
      }),
  };
}

/** Asks one thing on a connection of its own. */
async function ask(command, sessionId, payload) {
  const one = daemon();
  try {
    return await one.command(command, sessionId, payload);
  } finally {
    one.socket.end();
  }
}

/** A page of events: the control socket only knows how to follow. */
function events(sessionId, after, limit) {
  return new Promise((resolve) => {
    const found = [];
    const done = (all) => {
      one.socket.destroy();
      const nextAfter = found.at(-1)?.seq ?? after;
      resolve({ events: found, nextAfter, done: all });
    };
    const one = daemon((message) => {
      if (message.type === "event") {
        if (found.length < limit) found.push(message.event);
        if (found.length === limit) done(false);
      } else if (message.type === "caught_up") done(true);
    });
    one.send({ type: "subscribe", sessionId, after });
  });
}

/** How the daemon stands: one of its own commands, without a type. */
function status() {
  return new Promise((resolve) => {
    const one = daemon((message) => {
      if (message.type === "welcome") return;
      one.socket.destroy();
      resolve(message);
    });
    one.send({ cmd: "get_status" });
  });
}

const bodyOf = (request) =>
  new Promise((resolve) => {
    let text = "";
    request.on("data", (part) => {
      text += part;
    });
    request.on("end", () => resolve(text ? JSON.parse(text) : {}));
  });

const problem = (status, code, detail) => ({
  status,
  body: { type: "about:blank", title: code, status, code, detail },
});
const answer = (reply, status = 200) =>
  reply.ok
    ? { status, body: reply.result ?? {} }
    : { status: reply.problem?.status ?? 500, body: reply.problem };

async function route(method, url, request) {
  const path = url.pathname.replace(/^\/api\/v1/, "");
  const body = method === "GET" ? {} : await bodyOf(request);
  if (path === "/auth/login") {
    if (body.pin === PIN || body.token === TOKEN || body.link === "dev")
      return {
        status: 200,
        body: { token: TOKEN, device: { id: "dev_1", name: "Browser" }, scope: "admin" },
      };
    return problem(401, "wrong_pin", "Wrong PIN. 4 tries left.");
  }
  if (request.headers.authorization !== `Bearer ${TOKEN}`)
    return problem(401, "unauthorized", "Sign in first.");
  if (path === "/status") return { status: 200, body: await status() };
  if (path === "/approvals") return answer(await ask("approvals"));
  if (path === "/rules/preview") return answer(await ask("rule.preview", undefined, body));
  if (path === "/rules" && method === "GET") return answer(await ask("rules"));
  if (path === "/sessions") {
    const limit = Number(url.searchParams.get("limit") ?? 200);
    return answer(await ask("sessions", undefined, { limit }));
  }
  const command = await commandOf(method, path, url, body, ask);
  if (command)
    return answer(await ask(command[0], undefined, command[1]), command[0] === "create" ? 201 : 200);
  const session = /^\/sessions\/(ses_[0-9a-f]+)(?:\/(.+))?$/.exec(path);
  if (!session) return problem(404, "not_found", `There is no ${path}.`);
  const [, id, rest = ""] = session;
  if (rest === "" && method === "GET") {
    const reply = await ask("session", id);
    if (!reply.ok) return answer(reply);
    const approvals = reply.result.approvals.map((one) => one.approval);
    // The control socket knows no more; the page only needs it of long sessions.
    const facts = {
      seq: reply.result.session.eventCount,
      approvals,
      queue: [],
      todo: [],
      tools: [],
      tasks: [],
    };
    return { status: 200, body: { ...reply.result.session, facts } };
  }
  if (rest === "" && method === "PATCH") return answer(await ask("title", id, body));
  if (rest === "events") {
    const after = Number(url.searchParams.get("after") ?? 0);
    return { status: 200, body: await events(id, after, Number(url.searchParams.get("limit") ?? 1000)) };
  }
  if (rest === "messages") return answer(await ask("message", id, body), 202);
  const message = /^messages\/(.+)$/.exec(rest);
  if (message && method === "DELETE") return answer(await ask("take_back", id, { messageId: message[1] }));
  const approval = /^approvals\/(.+)$/.exec(rest);
  if (approval) return answer(await ask("approve", id, { ...body, approvalId: approval[1] }));
  const plain = [
    "interrupt",
    "stop",
    "resume",
    "fork",
    "model",
    "permission-mode",
    "rewind",
    "checkpoints",
    "commands",
  ];
  if (plain.includes(rest)) return answer(await ask(rest, id, body));
  return problem(404, "not_found", `There is no ${path}.`);
}

const kinds = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; " +
  "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function page(url, response) {
  const wanted = normalize(join(pages, url.pathname));
  const file =
    wanted.startsWith(pages) && existsSync(wanted) && statSync(wanted).isFile()
      ? wanted
      : join(pages, "index.html");
  response.writeHead(200, {
    "content-type": kinds[extname(file)] ?? "application/octet-stream",
    "content-security-policy": CSP,
  });
  createReadStream(file).pipe(response);
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (!url.pathname.startsWith("/api/") && pages) return page(url, response);
  try {
    const { status, body } = await route(request.method, url, request);
    const type = status < 400 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "content-type": type });
    response.end(JSON.stringify(body));
  } catch (error) {
    response.writeHead(502, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ status: 502, code: "gateway", detail: String(error) }));
  }
});

const sockets = new WebSocketServer({ server, path: "/api/v1/ws" });
sockets.on("connection", (browser) => {
  let upstream;
  browser.on("message", (data) => {
    const message = JSON.parse(String(data));
    if (message.type === "hello") {
      if (message.token !== TOKEN) return browser.close(4401, "unauthorized");
      upstream = daemon((_, line) => browser.readyState === 1 && browser.send(line));
      upstream.socket.on("close", () => browser.close(1001, "daemon gone"));
      return;
    }
    upstream?.send(message);
  });
  browser.on("close", () => upstream?.socket.destroy());
});

server.listen(Number(port), "127.0.0.1", () =>
  console.log(`gateway on http://127.0.0.1:${server.address().port}`),
);
