/** Code to coloured code. The usual languages are at hand, others are fetched when they are first met. */
import type { LanguageFn } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const usual = {
  ...{ bash, cpp, css, diff, go, ini, java, javascript, json, markdown, python, rust, sql, typescript },
  ...{ xml, yaml },
};
for (const [name, language] of Object.entries(usual)) hljs.registerLanguage(name, language);

type Fetched = () => Promise<{ default: LanguageFn }>;
const others: Record<string, Fetched> = {
  csharp: () => import("highlight.js/lib/languages/csharp"),
  dart: () => import("highlight.js/lib/languages/dart"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  haskell: () => import("highlight.js/lib/languages/haskell"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  nginx: () => import("highlight.js/lib/languages/nginx"),
  perl: () => import("highlight.js/lib/languages/perl"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  protobuf: () => import("highlight.js/lib/languages/protobuf"),
  r: () => import("highlight.js/lib/languages/r"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scss: () => import("highlight.js/lib/languages/scss"),
  swift: () => import("highlight.js/lib/languages/swift"),
};

/** What people call them besides; the usual ones know most of their other names. */
const called: Record<string, string> = {
  ...{ sh: "bash", shell: "bash", zsh: "bash", console: "bash", "shell-session": "bash", toml: "ini" },
  ...{ c: "cpp", h: "cpp", jsonc: "json", json5: "json", svelte: "xml", vue: "xml", postgresql: "sql" },
  ...{ cs: "csharp", "c#": "csharp", docker: "dockerfile", ex: "elixir", gql: "graphql", hs: "haskell" },
  ...{ kt: "kotlin", kts: "kotlin", make: "makefile", mk: "makefile", pl: "perl", ps1: "powershell" },
  ...{ proto: "protobuf", rb: "ruby", sc: "scala", sass: "scss" },
};

/** Not what every object has, such as a constructor. */
const own = <T>(table: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export async function coloured(code: string, language: string): Promise<string | undefined> {
  const lower = language.toLowerCase();
  const name = own(called, lower) ?? lower;
  const fetched = own(others, name);
  if (fetched && !hljs.getLanguage(name)) hljs.registerLanguage(name, (await fetched()).default);
  return hljs.getLanguage(name) && hljs.highlight(code, { language: name, ignoreIllegals: true }).value;
}
