/** All sessions and projects as the daemon lists them, kept up to date by the socket. */
import { baseName } from "../fold/labels";
import { call, Problem, whyNot } from "../link/api";
import type { OpenApproval, Project, SessionRow, ToldProject } from "../link/types";
import { learn } from "./secrets";

let rows = $state.raw<ReadonlyMap<string, SessionRow>>(new Map());
let projects = $state.raw<readonly Project[]>([]);
let approvals = $state.raw<readonly OpenApproval[]>([]);
let loaded = $state(false);
let listed = $state(false);
/** Answers may come in another order than they were asked for; the newest question counts. */
let asking = 0;
let problem = $state.raw<Problem | undefined>(undefined);

const newestFirst = (a: SessionRow, b: SessionRow): number =>
  b.lastActivityAt.localeCompare(a.lastActivityAt);
const sorted = $derived([...rows.values()].sort(newestFirst));
const bySlug = $derived(new Map(projects.map((one) => [one.slug, one])));
const byId = $derived(new Map(projects.map((one) => [one.id, one])));

/** A project without a title of its own is called by its folder. */
const called = (one: ToldProject): Project => ({ ...one, title: one.title || one.name || one.slug });

async function refresh(): Promise<void> {
  const asked = [
    call("GET", "/sessions", { query: { limit: 200 } }).then((list) => {
      rows = new Map(list.items.map((row) => [row.id, row]));
      loaded = true;
    }),
    call("GET", "/projects").then((known) => {
      projects = known.items.map(called);
      listed = true;
    }),
    refreshApprovals(),
  ];
  // What one list cannot tell must not hide the others.
  const [first] = await Promise.allSettled(asked);
  if (first?.status === "rejected" && !(first.reason instanceof Problem)) throw first.reason;
  problem = first?.status === "rejected" ? (first.reason as Problem) : undefined;
}

async function refreshApprovals(): Promise<void> {
  const ticket = ++asking;
  // If it fails, the next change of the list asks again.
  await whyNot(async () => {
    const open = await call("GET", "/approvals");
    learn(open.secrets);
    if (ticket === asking) approvals = open.items;
  });
}

/** Drops what this device kept of sessions to read (`kept.ts`, which lets go of it then). */
export const forgetRead = (): unknown => indexedDB.deleteDatabase("baton-sessions");

export const sessions = {
  get all(): readonly SessionRow[] {
    return sorted;
  },
  get projects(): readonly Project[] {
    return projects;
  },
  get approvals(): readonly OpenApproval[] {
    return approvals;
  },
  get loaded(): boolean {
    return loaded;
  },
  /** Whether the list of projects came at least once. */
  get listed(): boolean {
    return listed;
  },
  get problem(): Problem | undefined {
    return problem;
  },
  one: (id: string): SessionRow | undefined => rows.get(id),
  projectOf: (row: SessionRow | undefined): Project | undefined =>
    row ? byId.get(row.projectId) : undefined,
  /** What to call a session: a copy without a title of its own is called after what it was made from. */
  titleOf(row: SessionRow | undefined): string {
    const parent = row?.forkedFrom ? rows.get(row.forkedFrom)?.title : undefined;
    return row?.title || (parent ? `${parent}, fork` : "Untitled session");
  },
  /** What to call the place a session works in. */
  placeOf(row: SessionRow | undefined): string {
    return (row && byId.get(row.projectId)?.title) || baseName(row?.cwd ?? "");
  },
  project: (slug: string): Project | undefined => bySlug.get(slug),
  refresh,
  /** It was deleted. */
  forget(id: string): void {
    sessions.merge([], [id]);
  },
  merge(news: readonly SessionRow[], removed: readonly string[] = []): void {
    const next = new Map(rows);
    for (const id of removed) next.delete(id);
    if (removed.length > 0) forgetRead();
    let asked = false;
    let stranger = false;
    for (const row of news) {
      const before = next.get(row.id);
      asked ||= (before?.openApprovals ?? 0) !== row.openApprovals || row.openApprovals > 0;
      stranger ||= before === undefined && !byId.has(row.projectId);
      next.set(row.id, row);
    }
    rows = next;
    if (stranger) void refresh();
    else if (asked) void refreshApprovals();
  },
};
