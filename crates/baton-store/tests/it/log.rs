//! Append, read and follow.

use std::{
    task::{Context, Waker},
    time::Duration,
};

use baton_protocol::{Seq, SeqNo};
use baton_store::{RequestChange, Store, StoreError};
use rusqlite::Connection;
use tokio::{task::JoinSet, time::timeout};

use crate::support::{
    Scratch, assert_dense, creating, events, note, noted, options, put, read_all, session,
};

/// Generous: only a hang is slower.
const LIMIT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn what_was_appended_is_read_back_in_order_and_after_a_cursor() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let a = session(1);
    let first = put(&store, creating(a, vec![note("1"), note("2")])).await;
    let second = store.append(events(a, vec![note("3")])).await.unwrap();
    assert_eq!((first.first, first.last), (Seq(1), Seq(2)));
    assert_eq!((second.first, second.last), (Seq(3), Seq(3)));

    let all = read_all(&store, a).await;
    assert_eq!(all.iter().map(noted).collect::<Vec<_>>(), ["1", "2", "3"]);
    assert_dense(&all);
    for event in &all {
        let envelope = event.envelope().unwrap();
        assert_eq!(serde_json::to_string(&envelope).unwrap(), &*event.text);
        assert_eq!(envelope.runner_id, store.runner_id());
    }
    assert_eq!(store.head(a).await.unwrap(), Seq(3));
    let rest = store.read_after(a, Seq(2), 10).await.unwrap();
    assert_eq!(rest.iter().map(noted).collect::<Vec<_>>(), ["3"]);
    assert!(store.read_after(a, Seq(3), 10).await.unwrap().is_empty());
    assert!(
        store
            .read_after(a, Seq(u64::MAX), 10)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn numbers_go_on_after_the_log_is_opened_again() {
    let scratch = Scratch::new();
    let a = session(1);
    let store = scratch.open();
    store.append(creating(a, vec![note("1")])).await.unwrap();
    store.close().await;
    assert!(matches!(
        store.append(events(a, vec![note("x")])).await,
        Err(StoreError::Closed)
    ));
    assert!(matches!(store.head(a).await, Err(StoreError::Closed)));
    drop(store);

    let store = scratch.open();
    put(&store, creating(session(2), vec![note("other")])).await;
    store.append(events(a, vec![note("2")])).await.unwrap();
    let all = store.read_all_after(SeqNo(0), 10).await.unwrap();
    let numbers: Vec<_> = all
        .iter()
        .map(|event| (event.session, event.seq, event.seq_no))
        .collect();
    assert_eq!(
        numbers,
        [
            (a, Seq(1), SeqNo(1)),
            (session(2), Seq(1), SeqNo(2)),
            (a, Seq(2), SeqNo(3)),
        ]
    );
}

#[tokio::test]
async fn a_batch_is_bounded_by_bytes_and_has_at_least_one_row() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let large = "x".repeat(300 << 10);
    let drafts = vec![note(&large), note(&large), note(&large), note("small")];
    store.append(creating(session(1), drafts)).await.unwrap();
    let batch = store.read_after(session(1), Seq::START, 100).await.unwrap();
    assert_eq!(batch.len(), 2);
    assert_eq!(read_all(&store, session(1)).await.len(), 4);
    let huge = "x".repeat(5 << 20);
    put(&store, creating(session(2), vec![note(&huge)])).await;
    assert_eq!(read_all(&store, session(2)).await.len(), 1);
}

#[tokio::test]
async fn an_unknown_session_is_an_error_value_everywhere() {
    let store = Store::in_memory(&options()).unwrap();
    let nobody = session(9);
    let unknown = |error| matches!(error, StoreError::UnknownSession(id) if id == nobody);
    assert!(unknown(
        store
            .append(events(nobody, vec![note("x")]))
            .await
            .unwrap_err()
    ));
    assert!(unknown(
        store.read_after(nobody, Seq::START, 1).await.unwrap_err()
    ));
    assert!(unknown(store.head(nobody).await.unwrap_err()));
    assert!(unknown(
        store.follow(nobody, Seq::START).next().await.unwrap_err()
    ));
    assert_eq!(store.session_row(nobody).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn followers_at_any_cursor_see_each_event_once_and_in_order() {
    const WRITERS: u64 = 4;
    const EACH: u64 = 250;
    let scratch = Scratch::new();
    let store = scratch.open();
    let a = session(1);
    put(&store, creating(a, vec![note("first")])).await;
    let mut tasks = JoinSet::new();
    for after in [0, 0, 1, 400] {
        let mut follow = store.follow(a, Seq(after));
        tasks.spawn(async move {
            let mut seen = Vec::new();
            while seen.len() as u64 != 1 + WRITERS * EACH - after {
                seen.extend(timeout(LIMIT, follow.next()).await.unwrap().unwrap());
            }
            for (number, event) in (after + 1..).zip(&seen) {
                assert_eq!(event.seq, Seq(number));
            }
        });
    }
    for _ in 0..WRITERS {
        let store = store.clone();
        tasks.spawn(async move {
            for _ in 0..EACH {
                store.append(events(a, vec![note("x")])).await.unwrap();
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert!(store.check().await.unwrap().is_ok());
}

#[tokio::test]
async fn a_cancelled_wait_loses_nothing() {
    let store = Store::in_memory(&options()).unwrap();
    let a = session(1);
    store.append(creating(a, vec![note("1")])).await.unwrap();
    let mut follow = store.follow(a, Seq::START);
    assert_eq!(follow.next().await.unwrap().len(), 1);
    for number in 2..20 {
        // Reads run in turn here, so after the second one the first is done and waits.
        tokio::select! {
            biased;
            _ = follow.next() => panic!("nothing was appended"),
            head = store.head(a) => assert_eq!(head.unwrap(), Seq(number - 1)),
        }
        store.append(events(a, vec![note("x")])).await.unwrap();
        let batch = timeout(LIMIT, follow.next()).await.unwrap().unwrap();
        assert_eq!(batch[0].seq, Seq(number));
    }
}

#[tokio::test]
async fn closing_ends_a_follower_that_waits() {
    let scratch = Scratch::new();
    let store = scratch.open();
    put(&store, creating(session(1), Vec::new())).await;
    let mut follow = store.follow(session(1), Seq::START);
    let waiting = async { timeout(LIMIT, follow.next()).await.unwrap() };
    let (ended, ()) = tokio::join!(waiting, store.close());
    assert!(matches!(ended, Err(StoreError::Closed)));
}

/// With the database locked from outside, units pile up; once it is free they
/// share transactions, and one that is refused does not touch its neighbours.
#[tokio::test]
async fn waiting_units_share_a_commit_and_a_bad_one_fails_alone() {
    let scratch = Scratch::new();
    let store = scratch.open();
    for number in 0..50 {
        put(&store, creating(session(number), Vec::new())).await;
    }
    let before = store.stats();
    let outside = Connection::open(scratch.path()).unwrap();
    outside.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Sessions from 50 on do not exist.
    let mut appends: Vec<_> = (0..100)
        .map(|number| {
            let drafts = vec![note("a"), note("b")];
            Box::pin(store.append(events(session(number), drafts)))
        })
        .collect();
    for append in &mut appends {
        // The first poll puts the unit into the queue.
        let mut context = Context::from_waker(Waker::noop());
        assert!(append.as_mut().poll(&mut context).is_pending());
    }
    outside.execute_batch("COMMIT").unwrap();
    for (number, append) in (0..).zip(appends) {
        match timeout(LIMIT, append).await.unwrap() {
            Ok(committed) => assert!(number < 50 && committed.last == Seq(2)),
            Err(StoreError::UnknownSession(id)) => assert!(number >= 50 && id == session(number)),
            Err(other) => panic!("{other:?}"),
        }
    }
    let after = store.stats();
    assert_eq!(after.appends - before.appends, 50);
    let commits = after.commits - before.commits;
    // What the writer had taken when it met the lock, and the rest.
    assert!(commits <= 2, "{commits} commits for 100 units");
    let all = store.read_all_after(SeqNo(0), 1000).await.unwrap();
    assert_eq!(all.len(), 100);
    for (number, event) in (1..).zip(&all) {
        assert_eq!(event.seq_no, SeqNo(number));
    }
}

/// The good unit's event is in the log, so whoever follows must hear of it,
/// although a later unit of the same session and commit was refused.
#[tokio::test]
async fn a_refused_unit_does_not_hide_the_one_before_it() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let id = session(1);
    store.append(creating(id, vec![note("a")])).await.unwrap();
    let mut follow = store.follow(id, Seq(1));
    let nothing_yet = timeout(Duration::from_millis(100), follow.next()).await;
    assert!(nothing_yet.is_err(), "it waits for a wake-up now");
    let outside = Connection::open(scratch.path()).unwrap();
    outside.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut refused = events(id, vec![note("c")]);
    refused.requests = vec![RequestChange::Answered {
        request_id: "nobody asked".to_owned(),
        answer: baton_protocol::words::Json::null(),
    }];
    // The writer meets the lock with the first unit alone; the others wait together.
    let first = store.append(creating(session(2), vec![note("x")]));
    let good = store.append(events(id, vec![note("b")]));
    let (first, good) = (Box::pin(first), Box::pin(good));
    let refused = Box::pin(store.append(refused));
    let mut appends = [
        first as std::pin::Pin<Box<dyn Future<Output = _>>>,
        good,
        refused,
    ];
    for append in &mut appends {
        let mut context = Context::from_waker(Waker::noop());
        assert!(append.as_mut().poll(&mut context).is_pending());
    }
    outside.execute_batch("COMMIT").unwrap();
    let [first, good, refused] = appends;
    first.await.unwrap();
    assert_eq!(good.await.unwrap().last, Seq(2));
    assert!(refused.await.is_err());
    let heard = timeout(LIMIT, follow.next()).await.unwrap().unwrap();
    assert_eq!(heard.len(), 1);
    let next = store.append(events(id, vec![note("d")])).await.unwrap();
    assert_eq!(next.last, Seq(3));
}
