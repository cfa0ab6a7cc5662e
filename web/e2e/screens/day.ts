/** A day's work on three projects: every state that a session can be in. */
import { join } from "node:path";
import type { Project, SessionRow } from "../../src/link/types";
import type { Stage } from "./stage";
import {
  asks,
  background,
  calls,
  edits,
  fails,
  lists,
  notes,
  open,
  says,
  sends,
  starts,
  streams,
  thinks,
  turn,
} from "./story";

export interface Day {
  readonly ledger: Project;
  readonly shop: Project;
  readonly notes: Project;
  readonly sessions: Record<Name, SessionRow>;
}

type Name =
  | "keys"
  | "cache"
  | "axum"
  | "importer"
  | "audit"
  | "flaky"
  | "chart"
  | "plan"
  | "failed"
  | "retry"
  | "ended"
  | "agent";

export const POST = [
  "pub async fn post(",
  "    State(pool): State<PgPool>,",
  "    Json(req): Json<Post>,",
  ") -> Result<Json<Payment>> {",
  "    let mut tx = pool.begin().await?;",
  "    insert(&mut tx, req).await?;",
  "    tx.commit().await?;",
  "    Ok(Json(req.into()))",
  "}",
  "",
].join("\n");

const MIGRATION = [
  "create table payment_keys (",
  "  key text primary key,",
  "  payment_id uuid not null,",
  "  created_at timestamptz not null",
  "    default now()",
  ");",
  "",
].join("\n");

export async function projects(stage: Stage): Promise<Pick<Day, "ledger" | "shop" | "notes">> {
  const { daemon } = stage;
  const ledger = await daemon.project("ledger-api", {
    "Cargo.toml": '[package]\nname = "ledger-api"\nversion = "0.8.2"\nedition = "2024"\n',
    "README.md": "# ledger-api\n\nPosts payments, once.\n",
    "migrations/0013_payments.sql": "create table payments (id uuid primary key);\n",
    "src/main.rs": "mod payments;\n\nfn main() {}\n",
    "src/payments/mod.rs": "pub mod post;\n",
    "src/payments/post.rs": POST,
    "tests/posting.rs": "#[tokio::test]\nasync fn a_payment_is_posted() {}\n",
  });
  const shop = await daemon.project("web-shop", {
    "package.json": '{ "name": "web-shop" }\n',
    "src/session.ts": "export const sessions = new Map();\n",
    ".claude/settings.json": JSON.stringify({
      hooks: {
        Stop: [{ hooks: [{ type: "command", command: "npm run lint" }] }],
        PostToolUse: [{ matcher: "Edit", hooks: [{ type: "command", command: "npx prettier --write ." }] }],
      },
    }),
    ".mcp.json": JSON.stringify({ mcpServers: { linear: { command: "npx", args: ["-y", "linear-mcp"] } } }),
  });
  const plain = await daemon.project("notes");
  stage.change(plain, { "todo.txt": "milk\n" });
  stage.change(ledger, {
    "src/payments/post.rs": POST.replace("tx, req)", "tx, &key, req)"),
    "migrations/0014_keys.sql": MIGRATION,
    "src/payments/key.rs": "pub struct Key(String);\n",
  });
  return { ledger, shop, notes: plain };
}

/** The session of the pictures: explored, edited, and about to touch the database. */
export function keys({ path }: Project) {
  const at = (file: string): string => join(path, file);
  return [
    ...turn(
      0.11,
      thinks("The handler opens a transaction. Where would a second request with the same key be seen?"),
      calls("Grep", { pattern: "idempoten", path }, "Found 2 files\nsrc/payments/post.rs\nREADME.md"),
      calls("Read", { file_path: at("src/payments/post.rs") }, POST),
      calls("Read", { file_path: at("src/payments/mod.rs") }, "pub mod post;\n"),
      calls("Glob", { pattern: "migrations/*.sql", path }, "migrations/0013_payments.sql"),
      says(
        "`post` commits every request it gets. Nothing remembers the key, so a retry is a second payment.",
      ),
    ),
    ...turn(
      0.27,
      says(
        "The handler opens a transaction but never records the request key, so a retry inserts again. I'll store the key in the same transaction and answer the second request from the stored result.",
        76_000,
      ),
      calls("Read", { file_path: at("Cargo.toml") }, "[package]\n"),
      calls("Read", { file_path: at("tests/posting.rs") }, "#[tokio::test]\n"),
      calls("Grep", { pattern: "fn insert", path }, "src/payments/mod.rs"),
      edits({
        path: at("src/payments/post.rs"),
        at: 41,
        lines: [
          "     let mut tx = pool.begin().await?;",
          "-    insert(&mut tx, req).await?;",
          "+    insert(&mut tx, &key, req).await?;",
          "     tx.commit().await?;",
        ],
      }),
      calls(
        "Bash",
        { command: "cargo check", description: "Check the crate" },
        "    Checking ledger-api v0.8.2\n    Finished in 3.1 s",
      ),
      asks(
        "Bash",
        {
          command: "sqlx migrate run --database-url $DATABASE_URL",
          description: "Apply migration 0014",
        },
        { why: "It changes a database outside the project." },
      ),
    ),
  ];
}

const questions = [
  {
    question: "Which cache should sessions use after the split?",
    header: "Cache",
    multiSelect: false,
    options: [
      { label: "Redis", description: "Already runs in production" },
      { label: "Postgres", description: "One thing less to run, slower" },
      { label: "In memory", description: "Only with a single server" },
    ],
  },
  {
    question: "Which logins keep their session?",
    header: "Logins",
    multiSelect: true,
    options: [
      { label: "Web", description: "Cookie" },
      { label: "App", description: "Token" },
    ],
  },
];

export const PLAN = `# Store the request key once

A retry must return the first answer, not a second payment. The key and the payment are written in one transaction.

## 1. Migration

New table \`payment_keys(key, payment_id, created_at)\` with a unique key.

## 2. Handler

Insert the key first. On conflict read the stored payment and answer with it.

\`\`\`sql
insert into payment_keys values ($1, $2)
on conflict (key) do nothing
\`\`\`

## 3. Tests

Two posts at once, a retry after a crash, a key reused with other amounts.
`;

/** Until a folder is trusted its sessions say so, which is a picture of its own. */
async function trust({ daemon }: Stage, { slug }: Project): Promise<void> {
  const { digest } = await daemon.ask<{ digest: string }>("GET", `/projects/${slug}/trust`);
  await daemon.ask("POST", `/projects/${slug}/trust`, { accept: true, digest });
}

export async function day(stage: Stage, picture: string, trusted = true): Promise<Day> {
  const places = await projects(stage);
  const { ledger, shop } = places;
  const { daemon } = stage;
  if (trusted) await trust(stage, shop);
  const at = (file: string): string => join(shop.path, file);
  const sessions = {} as Record<Name, SessionRow>;
  const begin = async (
    name: Name,
    project: Project,
    prompt: string,
    steps: ReturnType<typeof turn>,
    more: object = {},
  ): Promise<void> => {
    sessions[name] = await stage.session(project, prompt, steps, more);
  };
  const settled = (name: Name) => daemon.settled(sessions[name].id);

  await begin("ended", shop, "Bump axum to 0.8", turn(0.31, says("axum is at 0.8 and the tests pass.")));
  await settled("ended");
  await daemon.ask("POST", `/sessions/${sessions.ended.id}/stop`, {});

  await begin("flaky", shop, "Flaky login test", [
    ...turn(
      0.42,
      calls("Bash", { command: "npx vitest run login --retry 20" }, "\u001b[31m✗\u001b[0m 3 of 20 failed", {
        failed: true,
      }),
      says("The test reads the clock twice. Around midnight the two differ."),
    ),
    ...turn(0.9, says("Fixed: the clock is injected in 3 tests. 200 runs, none failed.", 88_000)),
  ]);
  await settled("flaky");
  await daemon.say(sessions.flaky.id, "Inject the clock everywhere, please");
  await settled("flaky");

  await begin(
    "failed",
    shop,
    "Write the release notes",
    fails("authentication_failed", "Not logged in · Please run /login"),
  );
  await settled("failed");

  await begin(
    "chart",
    ledger,
    "Draw last week's latencies",
    turn(
      0.08,
      calls("Bash", { command: "python3 plot.py --last 7d" }, [
        { type: "text", text: "wrote latency.png" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: picture } },
      ]),
      says(
        "The slow posts begin on **Thursday**, with the new index:\n\n| day | p50 | p99 |\n|---|---:|---:|\n| Wed | 12 ms | 41 ms |\n| Thu | 13 ms | 188 ms |\n| Fri | 12 ms | 201 ms |\n\nDropping `payments_created_at_idx` would bring p99 back.",
      ),
    ),
  );
  await settled("chart");

  await begin(
    "audit",
    ledger,
    "Audit rounding in refunds",
    turn(1.12, says("All nine places round half to even.", 122_000)),
  );
  await settled("audit");

  await begin(
    "retry",
    shop,
    "Translate the checkout",
    open(
      says("I begin with the German texts."),
      notes("api_retry", {
        attempt: 2,
        max_retries: 10,
        retry_delay_ms: 8000,
        error_status: 529,
        error: "overloaded",
      }),
    ),
  );

  const helper = sends("Map all session reads");
  await begin(
    "importer",
    shop,
    "Port the importer to streaming",
    open(
      lists(
        ["Add the Redis client", "completed"],
        ["Move reads behind SessionStore", "in_progress"],
        ["Migrate live sessions", "pending"],
      ),
      helper.steps,
      calls("Grep", { pattern: "session\\.get", path: shop.path }, "Found 4 files", {
        parent: helper.agent.call,
      }),
      calls("Read", { file_path: at("src/session.ts") }, "export const sessions", {
        parent: helper.agent.call,
      }),
      helper.back("Three helpers read sessions."),
      background("npm run dev", "Start the server"),
      streams(
        "text",
        "Reads go through three helpers, so I'll put the trait there and leave call sites alone:\n\n```ts\nexport interface SessionStore {\n  get(id: string): Promise<Session?>;\n  put(s: Session, ttl: 3600): void;\n}\n```\n\nThe cookie keeps its signature, so nobody is signed ",
      ),
    ),
    { permissionMode: "acceptEdits" },
  );

  const waiting = sends("Clean up old fixtures");
  await begin(
    "agent",
    ledger,
    "Remove the old fixtures",
    open(
      says("I'll have the fixtures looked through first."),
      waiting.steps,
      calls("Glob", { pattern: "tests/fixtures/**", path: ledger.path }, "41 files", {
        parent: waiting.agent.call,
      }),
      asks("Bash", { command: "git rm -r tests/fixtures/2023" }, { agent: waiting.agent }),
    ),
  );

  await begin("axum", ledger, "Raise the lock timeout", [
    ...turn(
      0.19,
      says("One line. I also set it in the test configuration."),
      asks("Edit", {
        file_path: join(ledger.path, "Cargo.toml"),
        old_string: 'version = "0.8.2"',
        new_string: 'version = "0.8.3"',
      }),
    ),
  ]);
  await begin("plan", ledger, "Plan the idempotency keys", turn(0.05, asks("ExitPlanMode", { plan: PLAN })), {
    permissionMode: "plan",
  });
  await begin(
    "cache",
    shop,
    "Split session store",
    turn(0.33, says("Reads and writes are apart now."), asks("AskUserQuestion", { questions })),
  );
  await begin("keys", ledger, "Why are some payments posted twice?", keys(ledger));
  await settled("keys");
  await daemon.say(
    sessions.keys.id,
    "Payments can be posted twice when the client retries. Add idempotency keys.",
  );
  for (const name of ["agent", "axum", "plan", "cache", "keys"] as const)
    await daemon.asked(sessions[name].id);
  await daemon.ask("PATCH", `/sessions/${sessions.keys.id}`, { title: "Add idempotency keys" });
  return { ...places, sessions };
}

/** What goes on in a session that only thinks, or only runs. */
export const thinking = open(
  says("Let me see what the retries have in common."),
  streams(
    "thinking",
    "The three failing requests all carry the same key, but the second one arrives before the first has ",
  ),
);

export const running = open(
  calls(
    "Bash",
    { command: "cargo build", description: "Build" },
    "   Compiling ledger-api v0.8.2\n    Finished in 8.2 s",
  ),
  starts("Bash", { command: "cargo test --workspace", description: "Run all tests" }),
);
