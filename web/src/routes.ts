/** Which screen an address means. Pure: the router in `store/` does the rest. */

export type Route =
  | { name: "home" }
  | { name: "inbox"; approval?: string }
  | { name: "new"; project?: string }
  | {
      name: "project";
      slug: string;
      tab: "sessions" | "files" | "diff" | "trust";
      path?: string;
      lines?: string;
    }
  | {
      name: "session";
      slug?: string;
      id: string;
      at?: number;
      panel?: Beside;
      /** Sessions that stand beside it. */
      also?: readonly string[];
      /** The address names something that this page cannot show. */
      lacks?: "terminal";
    }
  | { name: "board"; also?: readonly string[] }
  | { name: "search"; q: string; project?: string }
  | { name: "usage"; range: string; by: string }
  | { name: "settings"; page: string }
  | { name: "projects" }
  | { name: "more" }
  | { name: "signin"; next: string }
  | { name: "missing" };

/** What can be seen beside a session's timeline. */
export type Beside = "changes" | "agents" | "tasks";

export function match(url: URL): Route {
  const parts = url.pathname.split("/").filter(Boolean).map(decode);
  const query = url.searchParams;
  const [first, second] = parts;
  switch (first) {
    case undefined:
      return { name: "home" };
    case "inbox":
      return { name: "inbox", ...(second ? { approval: second } : {}) };
    case "a":
      return { name: "inbox", ...(second ? { approval: second } : {}) };
    case "new":
      return { name: "new", ...(query.get("project") ? { project: query.get("project") ?? "" } : {}) };
    case "p":
      return second ? project(second, parts.slice(2), query) : { name: "projects" };
    case "s":
      return second ? session(undefined, second, parts.slice(2), query) : { name: "missing" };
    case "board":
      return { name: "board", ...also(query) };
    case "search":
      return {
        name: "search",
        q: query.get("q") ?? "",
        ...(query.get("project") ? { project: query.get("project") ?? "" } : {}),
      };
    case "usage":
      return { name: "usage", range: query.get("range") ?? "30d", by: query.get("by") ?? "model" };
    case "settings":
      return { name: "settings", page: second ?? "" };
    case "projects":
      return { name: "projects" };
    case "more":
      return { name: "more" };
    case "signin":
      return { name: "signin", next: ownPath(query.get("next")) };
    default:
      return { name: "missing" };
  }
}

function project(slug: string, rest: string[], query: URLSearchParams): Route {
  const [section, ...path] = rest;
  switch (section) {
    case undefined:
      return { name: "project", slug, tab: "sessions" };
    case "trust":
      return { name: "project", slug, tab: "trust" };
    case "files":
      return {
        name: "project",
        slug,
        tab: "files",
        path: path.join("/") || (query.get("path") ?? ""),
        lines: query.get("line") ?? undefined,
      };
    case "diff":
      return { name: "project", slug, tab: "diff", path: query.get("file") ?? undefined };
    case "s":
      return path[0] ? session(slug, path[0], path.slice(1), query) : { name: "missing" };
    default:
      return { name: "missing" };
  }
}

function also(query: URLSearchParams): { also?: readonly string[] } {
  const ids = query.get("with");
  return ids ? { also: ids.split(",").slice(0, 2) } : {};
}

/** The sessions that an address shows side by side, where there is room; a board leaves room for one. */
export function panesOf(route: Route, room: boolean): readonly string[] {
  const beside = (room && "also" in route && route.also) || [];
  return route.name === "session" ? [...new Set([route.id, ...beside])] : beside.slice(0, 1);
}

function session(slug: string | undefined, id: string, rest: string[], query: URLSearchParams): Route {
  const at = Number(query.get("at"));
  const base: Route = {
    name: "session",
    id,
    ...(slug ? { slug } : {}),
    ...(Number.isSafeInteger(at) && at > 0 ? { at } : {}),
    ...also(query),
  };
  switch (rest[0]) {
    case undefined:
      return base;
    case "terminal":
      return { ...base, lacks: "terminal" };
    // They are the project's.
    case "files":
      return slug ? { name: "project", slug, tab: "files", path: "" } : base;
    case "agent":
      return { ...base, panel: "agents" };
    case "changes":
    case "agents":
    case "tasks":
      return { ...base, panel: rest[0] };
    default:
      return { name: "missing" };
  }
}

/** Where a link may lead after sign-in: a path on this origin, else home. */
export function ownPath(next: string | null): string {
  if (!next?.startsWith("/") || next.startsWith("//") || next.includes("\\")) return "/";
  return next;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function search(given: Record<string, string | undefined>): string {
  const known = Object.entries(given).filter((one): one is [string, string] => Boolean(one[1]));
  return known.length > 0 ? `?${new URLSearchParams(known)}` : "";
}

const beside = (ids: readonly string[]): string => (ids.length > 0 ? `?with=${ids.join()}` : "");

export const paths = {
  session: (slug: string | undefined, id: string, also: readonly string[] = []) =>
    (slug ? `/p/${encodeURIComponent(slug)}/s/${id}` : `/s/${id}`) + beside(also),
  board: (also: readonly string[] = []) => `/board${beside(also)}`,
  beside: (slug: string | undefined, id: string, panel: Beside) => `${paths.session(slug, id)}/${panel}`,
  /** A new session, in a project if one is named. */
  begin: (project?: string) => `/new${search({ project })}`,
  project: (slug: string) => `/p/${encodeURIComponent(slug)}`,
  trust: (slug: string) => `/p/${encodeURIComponent(slug)}/trust`,
  /** The path is a parameter: a name with a dot at an address's end is taken for a file of the page. */
  files: (slug: string, path = "", lines?: string) =>
    `/p/${encodeURIComponent(slug)}/files${search({ path, line: lines })}`,
  diff: (slug: string, file?: string) => `/p/${encodeURIComponent(slug)}/diff${search({ file })}`,
  event: (slug: string | undefined, id: string, seq: number) => `${paths.session(slug, id)}?at=${seq}`,
  search: (q: string, project?: string) => `/search${search({ q, project })}`,
  usage: (range: string, by: string) => `/usage${search({ range, by })}`,
  request: (approvalId: string) => `/inbox/${approvalId}`,
  signin: (next: string) => `/signin?next=${encodeURIComponent(next)}`,
};
