// The gateway's routes of projects, records and rules: each is one command of
// the daemon, asked over its control socket.

const SECTIONS = {
  GET: { "": "project", trust: "trust", sessions: "sessions", files: "files", file: "file", diff: "diff" },
  POST: { trust: "trust", sessions: "create" },
  PATCH: { "": "project.update" },
  DELETE: { "": "project.remove" },
};
/** Commands that take a folder where the page names a project. */
const BY_PATH = ["trust", "history", "import", "create"];

const NUMBERS = ["limit", "from", "lines"];

function query(url) {
  const found = Object.fromEntries(url.searchParams);
  for (const name of NUMBERS)
    if (found[name] !== undefined && !found[name].includes("-")) found[name] = Number(found[name]);
  return found;
}

/** The command for a path with its payload; undefined if it is somebody else's. */
export async function commandOf(method, path, url, body, ask) {
  if (path === "/projects") return method === "POST" ? ["project.add", body] : ["projects", {}];
  if (path === "/projects/scan") return ["project.scan", {}];
  if (path === "/search" || path === "/usage") return [path.slice(1), query(url)];
  if (path === "/rules" && method === "POST") return ["rule.add", body];
  const rule = /^\/rules\/(rul_[0-9a-f]+)$/.exec(path);
  if (rule && method === "DELETE") return ["rule.remove", { ruleId: rule[1] }];
  const named = /^\/projects\/([^/]+)(?:\/(.*))?$/.exec(path);
  if (!named) return undefined;
  const [, slug, rest = ""] = named;
  const past = /^history(?:\/(.+))?$/.exec(rest);
  const command = past ? (past[1] ? "import" : "history") : SECTIONS[method]?.[rest];
  if (!command) return undefined;
  let project = decodeURIComponent(slug);
  if (BY_PATH.includes(command)) {
    const known = await ask("project", undefined, { project });
    if (!known.ok) return ["project", { project }];
    project = known.result.path;
  }
  const given = method === "GET" ? query(url) : body;
  return [command, { ...given, project, ...(past?.[1] ? { agentSessionId: past[1] } : {}) }];
}
