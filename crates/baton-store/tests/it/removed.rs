//! Sessions that somebody removes, what is remembered of them, and counters.

use baton_protocol::{
    Timestamp,
    event::SessionEnded,
    words::{ClientRef, EndStatus},
};
use baton_store::{Append, HolderChange, RetentionPolicy, StoreError};

use crate::support::{
    NOW, Scratch, creating, draft_at, events, held_by, holder, note, project, put, said, session,
};

fn ended() -> baton_protocol::EventDraft {
    draft_at(
        NOW,
        SessionEnded {
            status: EndStatus::Stopped,
            reason: None,
            exit_code: None,
            error: None,
        },
    )
}

fn somebody() -> ClientRef {
    ClientRef {
        id: "dev_1".into(),
        name: "my phone".into(),
    }
}

const LATER: Timestamp = Timestamp::from_millis(NOW + 5);

#[tokio::test]
async fn a_removal_is_remembered_with_who_did_it() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let mut commits = store.watch_all();
    for number in 1..=2 {
        let both = vec![said(number, "the first words"), ended()];
        store.append(creating(session(number), both)).await.unwrap();
    }
    assert_eq!(store.last_removed().await.unwrap(), 0);
    commits.mark_unchanged();
    let gone = store.remove_session(session(1), LATER, somebody()).await;
    assert_eq!(gone.unwrap().unwrap().events, 2);
    assert!(
        commits.has_changed().unwrap(),
        "whoever lists them looks again"
    );
    let record = store.removed_session(session(1)).await.unwrap().unwrap();
    assert_eq!(record.client, Some(somebody()));
    assert_eq!(record.title.as_deref(), Some("the first words"));
    assert_eq!(record.project_id, project());
    assert_eq!(record.events, 2);
    assert_eq!(record.removed_at, LATER);
    let again = store.remove_session(session(1), LATER, somebody()).await;
    assert_eq!(again.unwrap(), None);
    let late = store.append(events(session(1), vec![note("late")])).await;
    assert!(matches!(late, Err(StoreError::UnknownSession(_))));

    // What retention takes is remembered too, after it, as nobody's doing.
    let policy = RetentionPolicy {
        max_age: Some(std::time::Duration::ZERO),
        ..RetentionPolicy::default()
    };
    store.retain(policy, LATER).await.unwrap();
    let since = store.removed_after(record.number, 10).await.unwrap();
    assert_eq!(since.len(), 1);
    assert_eq!((since[0].session, &since[0].client), (session(2), &None));
    assert_eq!(store.last_removed().await.unwrap(), since[0].number);
    store.close().await;
    let again = scratch.open();
    assert_eq!(again.removed_after(0, 10).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_session_that_lives_or_is_held_is_not_removed() {
    let scratch = Scratch::new();
    let store = scratch.open();
    put(&store, creating(session(1), vec![said(1, "hello")])).await;
    let held = Append {
        holder: Some(held_by(2)),
        ..creating(session(2), vec![ended()])
    };
    store.append(held).await.unwrap();
    for number in 1..=3 {
        let gone = store.remove_session(session(number), LATER, somebody());
        assert_eq!(gone.await.unwrap(), None, "{number}");
    }
    assert_eq!(store.last_removed().await.unwrap(), 0);
    let freed = Append {
        holder: Some(HolderChange::Removed { holder: holder(2) }),
        ..events(session(2), vec![])
    };
    store.append(freed).await.unwrap();
    let gone = store.remove_session(session(2), LATER, somebody()).await;
    assert!(gone.unwrap().is_some());
}

#[tokio::test]
async fn appends_are_counted_and_timed() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let begin = vec![said(1, "one"), note("two")];
    store.append(creating(session(1), begin)).await.unwrap();
    store.append(events(session(1), vec![])).await.unwrap();
    put(&store, events(session(1), vec![note("three")])).await;
    let refused = store
        .append(events(session(9), vec![note("nowhere")]))
        .await;
    assert!(refused.is_err());
    let stats = store.stats();
    assert_eq!((stats.appends, stats.events), (3, 3));
    let times = store.append_times();
    let counted: u64 = times.classes.iter().map(|(_, count)| count).sum();
    assert_eq!(counted + times.longer, 3);
    assert!(times.classes.is_sorted_by_key(|(bound, _)| *bound));
    let queues = store.queues();
    assert_eq!((queues.writes, queues.reads), (0, 0));
}
