// Writes the types that the daemon is tested against: of events and live frames
// from their schema, of everything else that the API says from its document.
// `--check` only says whether the committed files are up to date.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";
import openapi, { astToString } from "openapi-typescript";

const read = async (name) =>
  JSON.parse(await readFile(new URL(`../../schema/${name}`, import.meta.url), "utf8"));
const banner = (name) => `// Generated from schema/${name} by \`npm run gen\`; do not edit.`;

async function events() {
  const name = "events.schema.json";
  const schema = await read(name);
  schema.title = "Line";
  // Payloads keep their plain names; the lines that carry them say what they are.
  for (const variant of schema.$defs.Envelope.oneOf) variant.title += ".event";
  for (const variant of schema.$defs.LiveFrame.oneOf) variant.title += ".frame";
  schema.$defs.Json = { tsType: "unknown" };
  return compile(schema, "Line", {
    bannerComment: banner(name),
    additionalProperties: false,
    unreachableDefinitions: true,
    ignoreMinAndMaxItems: true,
    format: true,
  });
}

async function api() {
  const name = "openapi.json";
  const document = await read(name);
  // The page names paths itself; what goes over them is what has types.
  document.paths = {};
  return `${banner(name)}\n\n${astToString(await openapi(document))}`;
}

async function unseen() {
  const name = "unseen.json";
  const ranges = (await read(name)).map(([from, to]) => `  [${from}, ${to}],\n`);
  return `${banner(name)}\n\nexport const unseen: readonly (readonly [number, number])[] = [\n${ranges.join("")}];\n`;
}

for (const [name, make] of [
  ["events.ts", events],
  ["api.ts", api],
  ["unseen.ts", unseen],
]) {
  const target = new URL(`../src/gen/${name}`, import.meta.url);
  const text = await make();
  if (!process.argv.includes("--check")) {
    await writeFile(target, text);
  } else if ((await readFile(target, "utf8").catch(() => "")) !== text) {
    console.error(`src/gen/${name} does not fit the schema: run \`npm run gen\``);
    process.exitCode = 1;
  }
}
