//! A writer process is killed at random moments; what it was told is committed must be there.
//!
//! The writer is this test binary itself, started with the name of the ignored
//! test below and its folder as working directory.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

use baton_protocol::Seq;
use baton_store::{Append, JournalMark, Store, StoreError, WalLimits};
use tokio::task::JoinSet;

use crate::support::{Scratch, creating, events, held_by, holder, note, noted, options, session};

const SESSIONS: u128 = 4;
const ROUNDS: u64 = 30;
const MARKER: &str = "killed-by-the-crash-test";

#[test]
fn a_killed_writer_loses_nothing_it_acknowledged() {
    let scratch = Scratch::new();
    fs::write(scratch.folder.path().join(MARKER), "").unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut acknowledged = BTreeMap::new();
    let mut verified = BTreeMap::new();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..ROUNDS {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        run_and_kill(scratch.folder.path(), random >> 33, &mut acknowledged);
        runtime.block_on(inspect(&scratch, &acknowledged, &mut verified));
    }
    let total: u64 = acknowledged.values().sum();
    assert!(total > 2_000, "only {total} events were acknowledged");
}

/// Starts a writer, reads some of its acknowledgements, kills it, reads the rest.
fn run_and_kill(folder: &Path, random: u64, acknowledged: &mut BTreeMap<u128, u64>) {
    #[expect(
        clippy::disallowed_methods,
        reason = "the store's own crash test; the process crate is not below it"
    )]
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "crash::writer_that_gets_killed"])
        .current_dir(folder)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
    let mut before_kill = 1 + random % 200;
    let mut killed = false;
    while let Some(Ok(line)) = lines.next() {
        if let Some(("ack", rest)) = line.split_once(' ')
            && let Some((number, seq)) = rest.split_once(' ')
        {
            let head = acknowledged.entry(number.parse().unwrap()).or_insert(0);
            *head = seq.parse::<u64>().unwrap().max(*head);
            before_kill = before_kill.saturating_sub(1);
        }
        if before_kill == 0 && !killed {
            writer.kill().unwrap();
            killed = true;
        }
    }
    writer.wait().unwrap();
    assert!(killed, "the writer ended by itself");
}

/// Looks at what is new since the last look; `verified` is where that ended.
async fn inspect(
    scratch: &Scratch,
    acknowledged: &BTreeMap<u128, u64>,
    verified: &mut BTreeMap<u128, u64>,
) {
    let store = scratch.open();
    let report = store.check().await.unwrap();
    assert!(report.is_ok(), "{report:?}");
    for (number, head) in acknowledged {
        let stored = verified.entry(*number).or_insert(0);
        // Each event carries the journal position it stands for: no gap, no repeat.
        loop {
            let batch = store
                .read_after(session(*number), Seq(*stored), 1_000)
                .await
                .unwrap();
            if batch.is_empty() {
                break;
            }
            for event in batch {
                *stored += 1;
                assert_eq!(event.seq, Seq(*stored));
                assert_eq!(noted(&event), stored.to_string());
            }
        }
        assert!(
            *stored >= *head,
            "session {number}: {head} acknowledged, {stored} stored"
        );
        let mark = store.journal_mark(holder(*number)).await.unwrap().unwrap();
        assert_eq!(mark.position, *stored);
        assert_eq!(mark.translator, Some(stored.to_string()));
    }
    store.close().await;
}

#[test]
#[ignore = "the process that the crash test kills"]
fn writer_that_gets_killed() {
    if !Path::new(MARKER).exists() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut options = options();
        // Small, so that kills fall into checkpoints too.
        options.wal = WalLimits {
            passive_pages: 20,
            restart_pages: 100,
            ..WalLimits::default()
        };
        let store = Store::open(Path::new("log.db"), &options).unwrap();
        let mut writers = JoinSet::new();
        for number in 0..SESSIONS {
            writers.spawn(write_for_ever(store.clone(), number));
        }
        while let Some(done) = writers.join_next().await {
            done.unwrap();
        }
    });
}

async fn write_for_ever(store: Store, number: u128) {
    let begin = Append {
        holder: Some(held_by(number)),
        ..creating(session(number), Vec::new())
    };
    match store.append(begin).await {
        Ok(_) | Err(StoreError::SessionExists(_)) => {}
        Err(error) => panic!("{error:?}"),
    }
    let mut position = store.head(session(number)).await.unwrap().0;
    loop {
        let count = 1 + position % 7;
        let drafts = (1..=count)
            .map(|step| note(&(position + step).to_string()))
            .collect();
        position += count;
        let append = Append {
            journal: Some(JournalMark {
                holder: holder(number),
                position,
                translator: Some(position.to_string()),
            }),
            ..events(session(number), drafts)
        };
        let committed = store.append(append).await.unwrap();
        assert_eq!(committed.last, Seq(position));
        let line = format!("ack {number} {position}\n");
        std::io::stdout().write_all(line.as_bytes()).unwrap();
    }
}
