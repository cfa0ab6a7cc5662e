import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Where `npm run dev` finds the API: the daemon, or the gateway in `dev/`. */
const api = process.env.BATON_API ?? "http://127.0.0.1:2633";

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

export default defineConfig({
  plugins: [svelte(), precompress()],
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
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
    testTimeout: 30_000,
  },
});
