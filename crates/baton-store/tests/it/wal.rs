//! The WAL stays bounded while readers read and writers write.

use std::time::Duration;

use baton_protocol::Seq;
use baton_store::{Store, WalLimits};
use rusqlite::Connection;
use tokio::{sync::watch, task::JoinSet, time::timeout};

use crate::support::{Scratch, creating, events, note, options, put, session};

const PAGE: u64 = 4096;
const LIMIT: Duration = Duration::from_secs(120);

fn open(scratch: &Scratch, idle: Duration) -> (Store, WalLimits) {
    let mut options = options();
    options.wal = WalLimits {
        passive_pages: 50,
        restart_pages: 400,
        idle,
    };
    let store = Store::open(&scratch.path(), &options).unwrap();
    (store, options.wal)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn constant_readers_and_writers_do_not_make_it_grow() {
    const WRITERS: u128 = 3;
    const EACH: u64 = 400;
    let scratch = Scratch::new();
    let (store, limits) = open(&scratch, Duration::from_secs(60));
    let mut tasks = JoinSet::new();
    let (done, _) = watch::channel(());
    let text = "x".repeat(8 << 10);
    for number in 0..WRITERS {
        let a = session(number);
        store.append(creating(a, Vec::new())).await.unwrap();
        // One follows, one reads everything from the start again and again.
        let mut follow = store.follow(a, Seq::START);
        tasks.spawn(async move {
            while follow.cursor() < Seq(EACH) {
                timeout(LIMIT, follow.next()).await.unwrap().unwrap();
            }
        });
        let (reader, mut stop) = (store.clone(), done.subscribe());
        tasks.spawn(async move {
            let mut cursor = Seq::START;
            while !stop.has_changed().unwrap_or(true) {
                let batch = reader.read_after(a, cursor, 100).await.unwrap();
                cursor = batch.last().map_or(Seq::START, |event| event.seq);
            }
            stop.mark_unchanged();
        });
    }
    let mut writers = JoinSet::new();
    for number in 0..WRITERS {
        let (store, text) = (store.clone(), text.clone());
        writers.spawn(async move {
            let mut largest = 0;
            for _ in 0..EACH {
                put(&store, events(session(number), vec![note(&text)])).await;
                largest = store.wal_bytes().max(largest);
            }
            largest
        });
    }
    let mut largest = 0;
    while let Some(size) = writers.join_next().await {
        largest = size.unwrap().max(largest);
    }
    drop(done);
    while let Some(reader) = tasks.join_next().await {
        reader.unwrap();
    }
    let written = u64::try_from(WRITERS).unwrap() * EACH * 8 * 1024;
    let bound = limits.restart_pages * PAGE * 2;
    assert!(
        written > bound * 2,
        "the test writes too little to show anything"
    );
    assert!(largest <= bound, "{largest} bytes, more than {bound}");
    store.close().await;
}

#[tokio::test]
async fn a_reader_that_stays_makes_it_grow_only_while_it_stays() {
    let scratch = Scratch::new();
    let (store, limits) = open(&scratch, Duration::from_secs(60));
    let a = session(1);
    store.append(creating(a, vec![note("1")])).await.unwrap();
    let outside = Connection::open(scratch.path()).unwrap();
    outside.execute_batch("BEGIN").unwrap();
    let read = |conn: &Connection| -> i64 {
        conn.query_row("SELECT count(*) FROM events", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(read(&outside), 1);
    let text = "x".repeat(64 << 10);
    let limit = limits.restart_pages * PAGE;
    while store.wal_bytes() < limit + limit / 2 {
        store.append(events(a, vec![note(&text)])).await.unwrap();
    }
    // Still the snapshot from before.
    assert_eq!(read(&outside), 1);
    outside.execute_batch("COMMIT").unwrap();
    let grown = store.wal_bytes();
    for _ in 0..100 {
        store.append(events(a, vec![note(&text)])).await.unwrap();
    }
    assert!(store.wal_bytes() <= grown + limit / 4);
    assert!(store.wal_bytes() <= limit * 2, "{}", store.wal_bytes());
}

#[tokio::test]
async fn an_idle_log_truncates_what_has_grown_past_the_limit() {
    let scratch = Scratch::new();
    let (store, limits) = open(&scratch, Duration::from_millis(10));
    let a = session(1);
    store.append(creating(a, Vec::new())).await.unwrap();
    let limit = limits.restart_pages * PAGE;
    // One commit that is larger than the limit, twice, as the second meets a sleeping thread.
    for _ in 0..2 {
        let large = vec![note(&"x".repeat(usize::try_from(limit * 2).unwrap()))];
        store.append(events(a, large)).await.unwrap();
        let shrunk = async {
            while store.wal_bytes() > limit {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(LIMIT, shrunk).await.unwrap();
    }
    // All of it is in the database: a copy of that file alone has it.
    let moved = async {
        let copy = scratch.folder.path().join("alone.db");
        loop {
            std::fs::copy(scratch.path(), &copy).unwrap();
            let alone = Store::open(&copy, &options()).unwrap();
            if alone.head(a).await.is_ok_and(|head| head == Seq(2)) {
                break;
            }
        }
    };
    timeout(LIMIT, moved).await.unwrap();
}
