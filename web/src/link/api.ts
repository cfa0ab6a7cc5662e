/** Calls of the HTTP API. Every refusal becomes a `Problem` with words for a person. */
import { sentence } from "../fold/format";
import type { FilePath, Method, Path, Reply, Rest } from "./paths";
import { shared } from "./share";
import type { ProblemBody } from "./types";

const KEY = "baton.token";

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: ProblemBody;

  constructor(status: number, body: ProblemBody) {
    super(sentence(body.detail ?? body.title ?? wordsFor(status)));
    this.status = status;
    this.code = body.code ?? (status === 0 ? "unreachable" : String(status));
    this.body = body;
  }

  /** What is wrong with the one field that was filled in, without the field's own name. */
  get ofField(): string {
    return this.body.errors?.[0]?.message ?? this.message;
  }

  /** Nothing was decided: the same call may be made again. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** The browser runs on the daemon's own machine. */
export const isHere = (host: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(host);

function wordsFor(status: number): string {
  if (status === 0)
    return `Baton cannot be reached.${isHere(location.hostname) ? "" : " Same network or VPN?"}`;
  if (status === 401) return "This device is signed out.";
  if (status === 403) return "This device may not do that.";
  if (status === 404) return "That is not there any more.";
  if (status === 429) return "Too many tries. Wait a moment.";
  return `Baton answered ${status}.`;
}

/** Why it could not be done, in words; empty if it was. */
export async function whyNot(
  done: () => Promise<unknown>,
  words = (problem: Problem): string => problem.message,
): Promise<string> {
  try {
    await done();
    return "";
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return words(error);
  }
}

export const token = {
  get: (): string | null => shared ?? localStorage.getItem(KEY),
  set: (value: string): void => localStorage.setItem(KEY, value),
  clear: (): void => localStorage.removeItem(KEY),
};

let signedOut = (): void => {};

/** Told once a call is answered with 401. */
export function onSignedOut(told: () => void): void {
  signedOut = told;
}

/** Of the API's document: what a call takes and answers, `paths.ts` says. */
export async function call<M extends Method, P extends Path<M>>(
  method: M,
  path: P,
  ...[given, signal]: Rest<M, P>
): Promise<Reply<M, P>> {
  const response = await answered(method, path, given, signal);
  const answer: unknown = response.status === 204 ? undefined : await response.json();
  // Nothing but the document says what is in it.
  return answer as Reply<M, P>;
}

/** Bytes, such as an image or a whole output. */
export async function bytes<P extends FilePath>(path: P, ...[given, signal]: Rest<"GET", P>): Promise<Blob> {
  return (await answered("GET", path, given, signal)).blob();
}

interface Parts {
  [name: string]: unknown;
  query?: object;
  body?: unknown;
}

async function answered(
  method: Method,
  path: string,
  { query = {}, body, ...names }: Parts = {},
  signal?: AbortSignal,
): Promise<Response> {
  const headers = new Headers();
  const known = token.get();
  if (known) headers.set("authorization", `Bearer ${known}`);
  if (body !== undefined) headers.set("content-type", "application/json");
  const place = path.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(String(names[name])));
  const asked = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = asked.length > 0 ? `?${new URLSearchParams(asked)}` : "";
  let response: Response;
  try {
    response = await fetch(`/api/v1${place}${search}`, {
      method,
      headers,
      body: JSON.stringify(body),
      signal,
      credentials: "omit",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, {});
  }
  if (response.ok) return response;
  const said = await problemOf(response);
  if (response.status === 401 && !path.startsWith("/auth/")) signedOut();
  throw said;
}

async function problemOf(response: Response): Promise<Problem> {
  const after = Number(response.headers.get("retry-after"));
  const body: ProblemBody = await response.json().catch(() => ({}));
  if (Number.isFinite(after) && after > 0) body.retryAfter = after;
  return new Problem(response.status, body);
}
