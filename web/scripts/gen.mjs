// Writes the types that the daemon is tested against: of events and live frames
// from their schema, of everything else that the API says from its document.
// `--check` only says whether the committed files are up to date.
import { readFile, writeFile } from "node:fs/promises";
import { compile } from "json-schema-to-typescript";
import openapi, { astToString } from "openapi-typescript";
import ts from "typescript";

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

/** What all paths of the page begin with; `link/api.ts` puts it before them. */
const PREFIX = "/api/v1";
/** Said over the WebSocket, or in place of any answer. */
const BESIDE = ["ClientFrame", "ServerFrame", "Problem"];
/** These have types of their own already. */
const EVENTS = ["Envelope", "LiveFrame"];

async function api() {
  const name = "openapi.json";
  const document = await read(name);
  const { schemas } = document.components;
  // What a request leaves out is the default; an answer always says it.
  const spare = (said) => {
    for (const field of Object.values(said?.properties ?? {})) delete field.default;
  };
  for (const frame of schemas.ClientFrame.anyOf) spare(frame);
  for (const path of Object.keys(document.paths)) {
    const methods = document.paths[path];
    delete document.paths[path];
    if (path.startsWith(PREFIX)) document.paths[path.slice(PREFIX.length)] = methods;
    for (const { requestBody, responses } of Object.values(methods)) {
      const body = requestBody?.content["application/json"]?.schema;
      spare(schemas[body?.$ref?.split("/").at(-1)] ?? body);
      // Every refusal is a `Problem`.
      for (const status of Object.keys(responses)) if (!status.startsWith("2")) delete responses[status];
    }
  }
  for (const one of EVENTS) schemas[one] = {};
  const used = new Set();
  const use = (part) => {
    for (const [, one] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(one)) continue;
      used.add(one);
      use(schemas[one]);
    }
  };
  use(document.paths);
  use(BESIDE.map((one) => `#/components/schemas/${one}`));
  for (const one of Object.keys(schemas)) if (!used.has(one)) delete schemas[one];
  const nodes = await openapi(document, {
    inject: `import type { ${EVENTS.join(", ")} } from "./events";\n`,
    transform: (_, { path }) => {
      const one = EVENTS.find((event) => path === `#/components/schemas/${event}`);
      return one && ts.factory.createTypeReferenceNode(one);
    },
  });
  return `${banner(name)}\n\n${astToString(nodes)}`;
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
