/** A text with secrets in it, in pieces. */
import type { SecretKind } from "../../gen/events";
import { secretIn } from "./cover";

export interface Part {
  readonly text: string;
  /** Of one that is covered. */
  readonly kind?: SecretKind;
}

const words: Record<SecretKind, string> = {
  password: "password",
  token: "token",
  private_key: "private key",
};
export const secretWord = (kind: SecretKind): string => words[kind] ?? "secret";

export function parts(text: string): Part[] {
  const secret = secretIn();
  const out: Part[] = [];
  let at = 0;
  for (const found of secret ? text.matchAll(secret.pattern) : []) {
    if (found.index > at) out.push({ text: text.slice(at, found.index) });
    out.push({ text: found[0], kind: secret?.kinds.get(found[0]) ?? "token" });
    at = found.index + found[0].length;
  }
  if (at < text.length) out.push({ text: text.slice(at) });
  return out;
}
