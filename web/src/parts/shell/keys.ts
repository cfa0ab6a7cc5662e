/** What a key press means when nothing that takes text has the focus. Pure; `hotkeys` acts on it. */

export interface Press {
  readonly key: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
}

export type Meaning =
  | {
      readonly do:
        | "palette"
        | "keys"
        | "next"
        | "previous"
        | "needs"
        | "before"
        | "after"
        | "begin"
        | "board"
        | "await";
    }
  | { readonly do: "go"; readonly to: string };

const places: Record<string, string> = {
  h: "/",
  i: "/inbox",
  p: "/projects",
  u: "/usage",
  s: "/settings",
  f: "/search",
};

/** `begun` is true right after a G. */
export function meaningOf(
  press: Press,
  begun: boolean,
  typing: boolean,
  letters: boolean,
): Meaning | undefined {
  if (press.ctrl && !press.alt && press.key.toLowerCase() === "k") return { do: "palette" };
  if (typing || press.ctrl || press.alt) return undefined;
  if (press.key === "?") return { do: "keys" };
  if (!letters) return undefined;
  if (begun) {
    const to = places[press.key.toLowerCase()];
    return to ? { do: "go", to } : undefined;
  }
  switch (press.key) {
    case "g":
      return { do: "await" };
    case "c":
      return { do: "begin" };
    case "b":
      return { do: "board" };
    case "/":
      return { do: "go", to: "/search" };
    case "j":
      return { do: "next" };
    case "k":
      return { do: "previous" };
    case "N":
      return { do: "needs" };
    case "[":
      return { do: "before" };
    case "]":
      return { do: "after" };
    default:
      return undefined;
  }
}
