/** Which calls the API's document has: what each takes, and what it answers. */
import type { paths } from "../gen/api";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";
type Operation<M extends Method, P extends keyof paths> = paths[P][Lowercase<M>];
type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
type Told<O> = O extends { responses: infer R } ? R[keyof R] : never;

/** Paths, as the document has them after `/api/v1`. */
export type Path<M extends Method> = {
  [P in keyof paths]: Operation<M, P> extends object ? P : never;
}[keyof paths];

/** Paths whose answer is the bytes of a file. */
export type FilePath = {
  [P in Path<"GET">]: [Json<Told<Operation<"GET", P>>>] extends [never] ? P : never;
}[Path<"GET">];

/** Names in the path, then `query` and `body`, where the call has them. */
export type Given<M extends Method, P extends Path<M>> =
  Operation<M, P> extends infer O extends { parameters: object; requestBody?: unknown }
    ? (O["parameters"] extends { path: infer Names } ? Names : unknown) &
        Pick<O["parameters"], "query" & keyof O["parameters"]> &
        (O extends { requestBody: infer B } ? { body: Json<B> } : { body?: Json<O["requestBody"]> })
    : never;

/** What was given, which may be left out if nothing has to be, and a signal that ends the call. */
export type Rest<M extends Method, P extends Path<M>> =
  Record<never, never> extends Given<M, P>
    ? [given?: Given<M, P>, signal?: AbortSignal]
    : [given: Given<M, P>, signal?: AbortSignal];

/** What a call answers; nothing if it only says that it was done. */
export type Reply<M extends Method, P extends Path<M>> = [Json<Told<Operation<M, P>>>] extends [never]
  ? undefined
  : Json<Told<Operation<M, P>>>;
