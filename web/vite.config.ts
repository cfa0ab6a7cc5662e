import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Where `npm run dev` finds the API: the daemon, or the gateway in `dev/`. */
const api = process.env.BATON_API ?? "http://127.0.0.1:2633";

/**
 * Icons as the drawings they are. The package builds each of them from data at
 * run time, which is most of the work of drawing a row, and code for it besides.
 */
function icons(): Plugin {
  type Shape = readonly [tag: string, attributes: Record<string, string>];
  return {
    name: "icons",
    enforce: "pre",
    load(id) {
      const path = id.split("?")[0] ?? "";
      if (id !== path || !/@lucide\/svelte\/dist\/icons\/[\w-]+\.svelte$/.test(path)) return null;
      const data = /const iconData = (\{.*\});/.exec(readFileSync(path, "utf8"))?.[1];
      if (!data) throw new Error(`${path} is not an icon as they were`);
      const { node, size } = JSON.parse(data) as { node: Shape[]; size: number };
      const shapes = node.map(([tag, attributes]) => {
        const words = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
        return `<${tag}${words.join("")} />`;
      });
      return `<script>let { size = 24, strokeWidth = 2, fill = "none" } = $props();</script>
<svg xmlns="http://www.w3.org/2000/svg" width={size} height={size} viewBox="0 0 ${size} ${size}" {fill} stroke="currentColor" stroke-width={strokeWidth} stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${shapes.join("")}</svg>`;
    },
  };
}

/** Puts a `.br` and a `.gz` beside everything that gets smaller by it, so that the daemon never compresses. */
function precompress(): Plugin {
  const walk = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? walk(path) : [path];
    });
  return {
    name: "precompress",
    apply: "build",
    writeBundle(options) {
      for (const path of walk(options.dir ?? "dist")) {
        if (!/\.(js|css|html|svg|json|webmanifest|txt)$/.test(path)) continue;
        const bytes = readFileSync(path);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

/** Every browser that can show this page reads the smallest kind of font; the others need not be kept. */
function fonts(): Plugin {
  return {
    name: "fonts",
    enforce: "pre",
    transform(code, id) {
      if (!/katex[^?]*\.css/.test(id)) return null;
      return code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)/g, "");
    },
  };
}

/** Tells the service worker which files make up the page, under a name that changes when any of them does. */
function shell(): Plugin {
  const still = ["/manifest.webmanifest", "/mark.svg", "/icon-192.png"];
  return {
    name: "shell",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const worker = bundle["sw.js"];
      if (worker?.type !== "chunk") throw new Error("there is no service worker in the bundle");
      // What draws formulas and diagrams is large, and fetched only where there are some.
      const names = Object.keys(bundle).filter((name) => /^assets\/(?!KaTeX|math-|diagram)/.test(name));
      const files = [...names.map((name) => `/${name}`), ...still].sort();
      const hash = createHash("sha256").update(files.join("\n")).update(worker.code);
      const told = JSON.stringify({ version: hash.digest("hex").slice(0, 16), files });
      worker.code = `const SHELL = ${told};\n${worker.code}`;
    },
  };
}

/** What the first screen shares with others. */
const STARTS =
  /\/src\/(routes\.ts|fold\/(labels|format|words|running)\.ts|link\/(api|uuid)\.ts|store\/(secrets|sessions\.svelte|device)\.ts)$/;

export default defineConfig({
  // See there why: the drawing library asks for another.
  resolve: {
    alias: { "elkjs/lib/elk.bundled.js": join(import.meta.dirname, "src/text/drawings/layout.ts") },
  },
  plugins: [icons(), fonts(), svelte(), shell(), precompress()],
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: { index: "index.html", sw: "src/sw.ts" },
      output: {
        // What the first screen and others need is one file: many small ones pack worse.
        codeSplitting: { groups: [{ name: "start", test: STARTS }] },
        // The worker's address must never change, and it must reach the whole page.
        entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
  worker: { format: "es" },
  server: {
    port: 5173,
    // The daemon takes requests of its own origin only.
    proxy: { "/api": { target: api, ws: true, changeOrigin: true, headers: { origin: api } } },
  },
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    environment: "node",
    server: { deps: { inline: ["beautiful-mermaid"] } },
    testTimeout: 30_000,
  },
});
