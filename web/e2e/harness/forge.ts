/** A host of repositories: over https, with a certificate that only the test's daemon trusts. */
import { execFileSync } from "node:child_process";
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";

export interface Forge {
  /** Of a repository that is there; with `slow` it is asked for and never comes. */
  url(name: "shop" | "slow"): string;
  /** For the daemon: its git trusts this host. */
  env: Record<string, string>;
  close(): Promise<void>;
}

export async function forge(files: Record<string, string>): Promise<Forge> {
  const root = mkdtempSync(join(process.env.BATON_E2E_ROOT ?? "", "f-"));
  const [work, bare, key, cert] = ["work", "shop", "key.pem", "cert.pem"].map((name) => join(root, name));
  if (!work || !bare || !key || !cert) throw new Error("no names");
  const git = (...args: string[]): void => {
    const env = { PATH: process.env.PATH ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], { cwd: root, env });
  };
  git("init", "-q", "-b", "main", work);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(work, name, ".."), { recursive: true });
    writeFileSync(join(work, name), text);
  }
  git("-C", work, "add", ".");
  git("-C", work, "commit", "-q", "-m", "First");
  git("clone", "-q", "--bare", work, bare);
  // What a host needs that only serves files.
  git("-C", bare, "update-server-info");
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  execFileSync("openssl", [...made, ...subject], { stdio: "ignore" });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const path = normalize(new URL(request.url ?? "/", "https://host").pathname);
    if (path.startsWith("/slow")) return;
    const file = join(root, path);
    try {
      if (!statSync(file).isFile()) throw new Error("no file");
    } catch {
      response.writeHead(404).end();
      return;
    }
    createReadStream(file).pipe(response.writeHead(200));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: (name) => `https://127.0.0.1:${port}/${name}`,
    env: { GIT_SSL_CAINFO: cert },
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
