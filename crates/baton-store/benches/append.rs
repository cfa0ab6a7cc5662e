//! Events per second through the store, next to raw SQLite doing the same commits.
//!
//! For each case they take turns in the same run. "Same rows" writes about what
//! the store writes: the events, a session's row once per append (on a simpler
//! table), and the search index for messages; it makes no events, composes no
//! envelope, folds no projection and has no thread between. "Events only"
//! leaves the row and the index out too. Both commit as many events at once as
//! the store's groups had on average.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark stops at the first surprise"
)]

use std::{path::Path, time::Duration};

use baton_protocol::{
    EventDraft, ProjectId, RunnerId, Seq, SessionId, Timestamp, Turn,
    event::{AssistantBlock, AssistantMessage, ToolCompleted},
};
use baton_store::{Append, NewSession, Store, StoreOptions};
use rusqlite::{Connection, params};
use tokio::{task::JoinSet, time::Instant};
use uuid::Uuid;

/// Short rounds and many, so that both see the same moods of the disk.
const ROUND: Duration = Duration::from_millis(300);
const ROUNDS: usize = 11;
const BODY: usize = 250;
/// About as long as a session's row.
const ROW: usize = 850;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap();
    say("writers  per append   store ev/s  per commit    same rows  ratio  events only  ratio");
    for (writers, group) in [
        (1, 1),
        (1, 10),
        (1, 100),
        (8, 1),
        (8, 10),
        (8, 100),
        (64, 1),
        (64, 10),
        (64, 100),
    ] {
        let folder = tempfile::TempDir::new().unwrap();
        let store = open(folder.path());
        for number in 0..writers {
            runtime.block_on(store.append(create(number))).unwrap();
        }
        let mut same = Raw::open(&folder.path().join("same.db"), Rows::Same { group });
        let mut only = Raw::open(&folder.path().join("only.db"), Rows::EventsOnly);
        let [mut ours, mut sizes, mut same_rates, mut only_rates] = [const { Vec::new() }; 4];
        let [mut same_ratios, mut only_ratios] = [const { Vec::new() }; 2];
        for round in 0..=ROUNDS {
            let (rate, size) = runtime.block_on(store_rate(&store, writers, group));
            let (same, only) = (same.rate(size), only.rate(size));
            // The first round makes the files grow.
            if round > 0 {
                ours.push(rate);
                sizes.push(size);
                same_rates.push(same);
                only_rates.push(only);
                same_ratios.push(rate / same);
                only_ratios.push(rate / only);
            }
        }
        runtime.block_on(store.close());
        say(&format!(
            "{writers:7}  {group:10}  {:11.0}  {:10.1}  {:11.0}  {:3.0} %  {:11.0}  {:3.0} %",
            median(ours),
            median(sizes),
            median(same_rates),
            100.0 * median(same_ratios),
            median(only_rates),
            100.0 * median(only_ratios)
        ));
    }
    replay(&runtime);
}

/// Events per second, and events per commit.
async fn store_rate(store: &Store, writers: u128, group: usize) -> (f64, f64) {
    let before = store.stats();
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..writers {
        let store = store.clone();
        tasks.spawn(async move {
            let mut written = 0;
            while begin.elapsed() < ROUND {
                let append = Append {
                    events: (written..written + group).map(draft).collect(),
                    ..Append::to(session(number))
                };
                store.append(append).await.unwrap();
                written += group;
            }
            written
        });
    }
    let mut written = 0;
    while let Some(count) = tasks.join_next().await {
        written += count.unwrap();
    }
    let rate = float(written) / begin.elapsed().as_secs_f64();
    let commits = store.stats().commits - before.commits;
    (rate, float(written) / commits as f64)
}

/// What raw SQLite writes beside the events.
enum Rows {
    /// What the store writes, for appends of this many events.
    Same {
        group: usize,
    },
    EventsOnly,
}

struct Raw {
    conn: Connection,
    number: u64,
    rows: Rows,
}

impl Raw {
    fn open(path: &Path, rows: Rows) -> Self {
        let conn = Connection::open(path).unwrap();
        conn.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get::<_, String>(0))
            .unwrap();
        conn.pragma_update(None, "synchronous", "FULL").unwrap();
        conn.execute_batch(
            "CREATE TABLE events (seq_no INTEGER PRIMARY KEY, session INTEGER NOT NULL,
             seq INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (session, seq)) STRICT;
             CREATE TABLE sessions (key INTEGER PRIMARY KEY, row TEXT NOT NULL) STRICT;
             INSERT INTO sessions VALUES (1, '');
             CREATE VIRTUAL TABLE search USING fts5 (body, columnsize = 0,
             tokenize = 'unicode61 remove_diacritics 2');
             INSERT INTO search (search, rank) VALUES ('automerge', 16);",
        )
        .unwrap();
        Self {
            conn,
            number: 0,
            rows,
        }
    }

    fn rate(&mut self, per_commit: f64) -> f64 {
        // As long as the store's envelope texts.
        let text = "x".repeat(260 + 110 + BODY);
        let per_commit = per_commit.round().max(1.0) as u64;
        let before = self.number;
        let begin = Instant::now();
        while begin.elapsed() < ROUND {
            self.run("BEGIN IMMEDIATE");
            for _ in 0..per_commit {
                self.number += 1;
                self.conn
                    .prepare_cached(
                        "INSERT INTO events (seq_no, session, seq, text) VALUES (?1, ?2, ?3, ?4)",
                    )
                    .unwrap()
                    .execute(params![self.number, 1, self.number, text])
                    .unwrap();
                self.beside();
            }
            self.run("COMMIT");
        }
        (self.number - before) as f64 / begin.elapsed().as_secs_f64()
    }

    /// The rows that come with the event just written.
    fn beside(&self) {
        let Rows::Same { group } = self.rows else {
            return;
        };
        let number = self.number as usize;
        if number.is_multiple_of(10) {
            let body = "lorem ipsum ".repeat(BODY / 12);
            self.conn
                .prepare_cached("INSERT INTO search (rowid, body) VALUES (?1, ?2)")
                .unwrap()
                .execute(params![self.number, body])
                .unwrap();
        }
        if number.is_multiple_of(group) {
            let row = "x".repeat(ROW);
            self.conn
                .prepare_cached("UPDATE sessions SET row = ?1 WHERE key = 1")
                .unwrap()
                .execute(params![row])
                .unwrap();
        }
    }

    fn run(&self, sql: &str) {
        self.conn.prepare_cached(sql).unwrap().execute([]).unwrap();
    }
}

/// Rows per second of a whole session through the handle.
fn replay(runtime: &tokio::runtime::Runtime) {
    const ROWS: usize = 200_000;
    let folder = tempfile::TempDir::new().unwrap();
    runtime.block_on(async {
        let store = open(folder.path());
        store.append(create(0)).await.unwrap();
        for batch in 0..ROWS / 1000 {
            let append = Append {
                events: (batch * 1000..(batch + 1) * 1000).map(draft).collect(),
                ..Append::to(session(0))
            };
            store.append(append).await.unwrap();
        }
        let begin = Instant::now();
        let (mut cursor, mut bytes) = (Seq::START, 0);
        loop {
            let events = store.read_after(session(0), cursor, 1000).await.unwrap();
            let Some(last) = events.last() else { break };
            cursor = last.seq;
            bytes += events.iter().map(|event| event.text.len()).sum::<usize>();
        }
        let seconds = begin.elapsed().as_secs_f64();
        say(&format!(
            "replay: {ROWS} rows, {} MB, {:.0} rows/s",
            bytes >> 20,
            float(ROWS) / seconds
        ));
        store.close().await;
    });
}

fn open(folder: &Path) -> Store {
    let runner = RunnerId::from_uuid(Uuid::from_u128(1));
    Store::open(&folder.join("log.db"), &StoreOptions::new(runner)).unwrap()
}

fn session(number: u128) -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(number + 1))
}

fn create(number: u128) -> Append {
    Append {
        create: Some(NewSession {
            project_id: ProjectId::from_digest(&[1; 32]),
            project_path: "/p".to_owned(),
            created_at: Timestamp::from_millis(1_794_725_041_000),
        }),
        ..Append::to(session(number))
    }
}

/// Every tenth event is a message, which search indexes.
fn draft(number: usize) -> EventDraft {
    let body = "lorem ipsum ".repeat(BODY / 12);
    let event = if number.is_multiple_of(10) {
        AssistantMessage(AssistantBlock {
            message_id: "msg_01XYZ".to_owned(),
            agent_uuid: None,
            block: 0,
            content: body,
            model: Some("claude".to_owned()),
            usage: None,
            parent_tool_use_id: None,
            aborted: false,
        })
        .into()
    } else {
        ToolCompleted {
            tool_use_id: "toolu_01ABCDEFGH".to_owned(),
            name: "Bash".to_owned(),
            output: body,
            detail: None,
            is_error: false,
            duration_ms: 12,
            images: Vec::new(),
            truncated: false,
            bytes: None,
            output_blob: None,
            parent_tool_use_id: None,
        }
        .into()
    };
    EventDraft {
        ts: Timestamp::from_millis(1_794_725_041_522 + number as i64),
        turn: Turn(1),
        agent_id: None,
        event,
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn float(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::print_stdout, reason = "a benchmark's result is its output")]
fn say(line: &str) {
    println!("{line}");
}
