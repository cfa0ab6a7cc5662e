/**
 * Calls that must not compile. `npm run check` is the test: it fails where an
 * expected error is missing. Nothing of it ever runs.
 */
import { bytes, call } from "../src/link/api";
import { Remote } from "../src/store/remote.svelte";

export async function refusedByTypes(signal: AbortSignal): Promise<void> {
  await call("GET", "/status", {}, signal);
  await call("POST", "/sessions/{id}/fork", { id: "s", body: { at: "x" } }, signal);
  await call("POST", "/sessions/{id}/fork", { id: "s" });

  // @ts-expect-error: no such path
  await call("GET", "/session/{id}", { id: "s" });
  // @ts-expect-error: a filled-in path is none of the document's
  await call("GET", "/sessions/abc");
  // @ts-expect-error: the path has no such method
  await call("PATCH", "/rules", { body: {} });
  // @ts-expect-error: a name of the path is missing
  await call("GET", "/sessions/{id}");
  // @ts-expect-error: one of two is missing
  await call("DELETE", "/sessions/{id}/messages/{messageId}", { id: "s" });
  // @ts-expect-error: another name than the path has
  await call("GET", "/sessions/{id}", { sessionId: "s" });
  // @ts-expect-error: not text
  await call("GET", "/sessions/{id}", { id: undefined });
  // @ts-expect-error: no such name in the query
  await call("GET", "/sessions", { query: { limits: 200 } });
  // @ts-expect-error: a number, not text
  await call("GET", "/sessions", { query: { limit: "200" } });
  // @ts-expect-error: nothing to search for
  await call("GET", "/search", { query: { limit: 5 } });
  // @ts-expect-error: the call takes no query
  await call("GET", "/status", { query: { limit: 5 } });
  // @ts-expect-error: no such field in the body
  await call("PATCH", "/sessions/{id}", { id: "s", body: { name: "x" } });
  // @ts-expect-error: another type than the field has
  await call("POST", "/sessions/{id}/stop-task", { id: "s", body: { taskId: 7 } });
  // @ts-expect-error: a value that the field cannot have
  await call("POST", "/rules", { body: { rule: "x", decision: "perhaps", scope: "user" } });
  // @ts-expect-error: a body that must be there
  await call("POST", "/projects");
  // @ts-expect-error: the call takes no body
  await call("GET", "/status", { body: {} });

  const row = await call("POST", "/sessions/{id}/fork", { id: "s" });
  row.id satisfies string;
  // @ts-expect-error: the answer has no such field
  void row.sessionId;
  const page = await call("GET", "/sessions/{id}/events", { id: "s" });
  for (const event of page.events)
    if (event.type === "user.message") {
      event.payload.messageId satisfies string;
      // @ts-expect-error: the event has no such field
      void event.payload.message;
    }
  (await call("POST", "/auth/logout")) satisfies undefined;

  await bytes("/sessions/{id}/export", { id: "s", query: { format: "markdown" } }, signal);
  // @ts-expect-error: its answer is no file
  await bytes("/sessions/{id}", { id: "s" });
  // @ts-expect-error: no such format
  await bytes("/sessions/{id}/export", { id: "s", query: { format: "pdf" } });

  const status = new Remote((gone) => call("GET", "/status", {}, gone));
  status.value?.version satisfies string | undefined;
  // @ts-expect-error: the answer has no such field
  void status.value?.versions;
  // @ts-expect-error: another answer than it asks for
  void status.run((gone) => call("GET", "/doctor", {}, gone));
}
