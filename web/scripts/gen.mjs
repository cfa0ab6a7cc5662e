// Writes the types of events and live frames from the schema that the daemon is
// tested against. `--check` only says whether the committed file is up to date.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";

const source = new URL("../../schema/events.schema.json", import.meta.url);
const target = new URL("../src/gen/events.ts", import.meta.url);

const schema = JSON.parse(await readFile(source, "utf8"));
schema.title = "Line";
// Payloads keep their plain names; the lines that carry them say what they are.
for (const variant of schema.$defs.Envelope.oneOf) variant.title += ".event";
for (const variant of schema.$defs.LiveFrame.oneOf) variant.title += ".frame";
schema.$defs.Json = { tsType: "unknown" };
const banner = "// Generated from schema/events.schema.json by `npm run gen`; do not edit.";
const text = await compile(schema, "Line", {
  bannerComment: banner,
  additionalProperties: false,
  unreachableDefinitions: true,
  ignoreMinAndMaxItems: true,
  format: true,
});

if (process.argv.includes("--check")) {
  const committed = await readFile(target, "utf8").catch(() => "");
  if (committed !== text) {
    console.error("src/gen/events.ts does not fit the schema: run `npm run gen`");
    process.exit(1);
  }
} else {
  await writeFile(target, text);
}
