//! Retention, backup and integrity.

use std::{collections::BTreeSet, time::Duration};

use baton_protocol::{
    BlobId, Seq, SeqNo, SessionId, Timestamp,
    event::{SessionEnded, SessionStateChanged},
    words::{EndStatus, SessionState},
};
use baton_store::{
    Append, NewBlob, RemovedSession, RetentionPolicy, SessionFilter, Store, StoreError,
};
use rusqlite::Connection;
use uuid::Uuid;

use crate::support::{
    NOW, Scratch, creating, draft_at, events, held_by, message_id, note, options, put, said,
    session,
};

const DAY: i64 = 24 * 3600 * 1000;

pub(crate) fn ended(day: i64) -> baton_protocol::EventDraft {
    draft_at(
        NOW + day * DAY,
        SessionEnded {
            status: EndStatus::Completed,
            reason: None,
            exit_code: Some(0),
            error: None,
        },
    )
}

/// Sessions 1 to 4 ended on days 1 to 4; 5 runs; 6 ended on day 1 but has a holder.
pub(crate) async fn history(store: &Store) {
    for number in 1..=4 {
        let day = i64::try_from(number).unwrap();
        let append = Append {
            blobs: vec![NewBlob {
                id: BlobId::from_uuid(Uuid::from_u128(number)),
                media_type: "text/plain".to_owned(),
                bytes: vec![1],
            }],
            ..creating(session(number), vec![said(number, "needle"), ended(day)])
        };
        store.append(append).await.unwrap();
    }
    put(store, creating(session(5), vec![said(5, "needle")])).await;
    let held = Append {
        holder: Some(held_by(6)),
        ..creating(session(6), vec![ended(1)])
    };
    store.append(held).await.unwrap();
}

fn numbers(removed: &[RemovedSession]) -> Vec<u128> {
    removed
        .iter()
        .map(|removed| removed.session.uuid().as_u128())
        .collect()
}

pub(crate) async fn left(store: &Store) -> BTreeSet<SessionId> {
    let page = store.sessions(SessionFilter::default(), None, 100).await;
    page.unwrap().items.into_iter().map(|row| row.id).collect()
}

fn on_day(day: i64) -> Timestamp {
    Timestamp::from_millis(NOW + day * DAY)
}

#[tokio::test]
async fn old_ended_sessions_go_with_everything_of_theirs() {
    let scratch = Scratch::new();
    let store = scratch.open();
    history(&store).await;
    let mut follow = store.follow(session(1), Seq(2));
    let policy = RetentionPolicy {
        max_age: Some(Duration::from_secs(3 * 24 * 3600)),
        ..RetentionPolicy::default()
    };
    assert!(store.retain(policy, on_day(3)).await.unwrap().is_empty());
    let removed = store.retain(policy, on_day(5)).await.unwrap();
    assert_eq!(numbers(&removed), [1, 2]);
    assert_eq!(removed[0].events, 2);
    assert_eq!(left(&store).await, (3..=6).map(session).collect());
    assert!(matches!(
        follow.next().await,
        Err(StoreError::UnknownSession(_))
    ));
    let gone = BlobId::from_uuid(Uuid::from_u128(1));
    assert_eq!(store.blob(session(1), gone).await.unwrap(), None);
    assert_eq!(
        store.message(session(1), message_id(1)).await.unwrap(),
        None
    );
    assert_eq!(
        store
            .search("needle", None, 10, None)
            .await
            .unwrap()
            .items
            .len(),
        3
    );
    assert!(store.check().await.unwrap().is_ok());
}

#[tokio::test]
async fn beyond_the_most_events_the_first_ended_go_until_it_fits() {
    let store = Store::in_memory(&options()).unwrap();
    history(&store).await;
    let policy = RetentionPolicy {
        max_events: Some(7),
        ..RetentionPolicy::default()
    };
    let removed = store.retain(policy, on_day(9)).await.unwrap();
    // Ten events; two sessions of two leave six. The held one is passed over.
    assert_eq!(numbers(&removed), [1, 2]);
    let all = RetentionPolicy {
        max_events: Some(0),
        ..RetentionPolicy::default()
    };
    let removed = store.retain(all, on_day(9)).await.unwrap();
    assert_eq!(numbers(&removed), [3, 4]);
    assert_eq!(left(&store).await, [session(5), session(6)].into());
}

#[tokio::test]
async fn what_a_hub_has_not_got_stays() {
    let store = Store::in_memory(&options()).unwrap();
    history(&store).await;
    let policy = RetentionPolicy {
        max_age: Some(Duration::ZERO),
        max_events: None,
        // Session 2 ends with number 4.
        delivered_up_to: Some(SeqNo(3)),
    };
    let removed = store.retain(policy, on_day(9)).await.unwrap();
    assert_eq!(numbers(&removed), [1]);
}

#[tokio::test]
async fn a_resumed_session_stays_and_numbers_are_never_given_twice() {
    let scratch = Scratch::new();
    let store = scratch.open();
    put(&store, creating(session(1), vec![ended(1)])).await;
    put(&store, creating(session(2), vec![ended(1)])).await;
    let again = draft_at(
        NOW,
        SessionStateChanged {
            state: SessionState::Idle,
            reason: None,
        },
    );
    store.append(events(session(1), vec![again])).await.unwrap();
    put(&store, events(session(2), vec![note("last"), ended(2)])).await;
    let policy = RetentionPolicy {
        max_age: Some(Duration::ZERO),
        ..RetentionPolicy::default()
    };
    let removed = store.retain(policy, on_day(9)).await.unwrap();
    assert_eq!(numbers(&removed), [2]);
    store.close().await;
    drop(store);
    let store = scratch.open();
    put(&store, creating(session(3), vec![note("new")])).await;
    let last = store.read_all_after(SeqNo(3), 10).await.unwrap();
    let numbers: Vec<_> = last.iter().map(|event| event.seq_no).collect();
    assert_eq!(numbers, [SeqNo(6)]);
}

#[tokio::test]
async fn a_backup_is_a_whole_log_and_overwrites_nothing() {
    let scratch = Scratch::new();
    let store = scratch.open();
    history(&store).await;
    let copy = scratch.folder.path().join("copy.db");
    store.backup(&copy).await.unwrap();
    put(&store, events(session(5), vec![note("later")])).await;
    assert!(matches!(
        store.backup(&copy).await,
        Err(StoreError::Io { .. })
    ));
    let restored = Store::open(&copy, &options()).unwrap();
    assert!(restored.check().await.unwrap().is_ok());
    assert_eq!(left(&restored).await, left(&store).await);
    assert_eq!(restored.head(session(5)).await.unwrap(), Seq(1));
    assert_eq!(
        restored
            .search("needle", None, 10, None)
            .await
            .unwrap()
            .items
            .len(),
        5
    );
}

#[tokio::test]
async fn the_check_finds_a_gap() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let drafts = vec![note("1"), note("2"), note("3")];
    store.append(creating(session(1), drafts)).await.unwrap();
    assert!(store.check().await.unwrap().is_ok());
    let outside = Connection::open(scratch.path()).unwrap();
    outside
        .execute("DELETE FROM events WHERE seq = 2", [])
        .unwrap();
    let report = store.check().await.unwrap();
    assert_eq!(report.problems.len(), 1, "{report:?}");
    assert!(report.problems[0].contains("events 1 to 3, has 2"));
}
