import { describe, expect, it } from "vitest";
import { learn } from "../../store/secrets";
import { COVER, covered, hasSecret } from "./cover";
import { parts, secretWord } from "./parts";

const shown = (text: string): string[] => parts(text).map((one) => (one.kind ? `<${one.kind}>` : one.text));

describe("what looks like a credential", () => {
  it("is covered wherever it stands, and the rest stays as it was asked", () => {
    const command = "curl -H 'X: tok.en+1' https://x.example && echo tok.en+1";
    expect(shown(command)).toEqual([command]);
    learn([{ text: "tok.en+1", kind: "token" }]);
    expect(shown(command)).toEqual(["curl -H 'X: ", "<token>", "' https://x.example && echo ", "<token>"]);
    expect(
      parts(command)
        .map((one) => one.text)
        .join(""),
    ).toBe(command);
    expect(covered(command)).toBe(`curl -H 'X: ${COVER}' https://x.example && echo ${COVER}`);
    // Its letters are no pattern.
    expect(hasSecret("tokXen+1 tok.en")).toBe(false);
    expect(hasSecret("tok.en+1")).toBe(true);
    expect(hasSecret("tok.en+1")).toBe(true);
  });

  it("is covered only in its place where it is short", () => {
    learn([{ text: "ab", kind: "password", before: "-u joe:" }]);
    expect(shown("cabbage -u joe:ab grab")).toEqual(["cabbage -u joe:", "<password>", " grab"]);
  });

  it("is covered in JSON too, and the longer of two first", () => {
    learn([
      { text: 'pa"ss\\1', kind: "password" },
      { text: "secret-token", kind: "token" },
      { text: "secret-token-longer", kind: "token" },
    ]);
    expect(shown(JSON.stringify({ password: 'pa"ss\\1' }))).toEqual(['{"password":"', "<password>", '"}']);
    expect(shown("secret-token-longer secret-token")).toEqual(["<token>", " ", "<token>"]);
  });

  it("has a word for its kind, also for one that only a later daemon knows", () => {
    expect(secretWord("private_key")).toBe("private key");
    expect(secretWord("fingerprint" as "token")).toBe("secret");
    learn(undefined);
    learn([]);
  });
});
