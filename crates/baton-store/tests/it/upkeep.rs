//! Retention, backup, integrity, and logs of earlier versions.

use std::{collections::BTreeSet, fs, time::Duration};

use baton_protocol::{
    BlobId, RuleId, Seq, SeqNo, SessionId, Timestamp,
    event::{CheckpointCreated, SessionCreated, SessionEnded, SessionOptions, SessionStateChanged},
    words::{EndStatus, Json, Mode, RuleDecision, Runtime, SessionState},
};
use baton_store::{
    Append, HolderChange, JournalMark, NewBlob, RemovedSession, RequestChange, RetentionPolicy,
    RuleChange, RuleRecord, RuleScope, SessionFilter, Store, StoreError, TrustRecord, UsageFilter,
    projection,
};
use rusqlite::Connection;
use uuid::Uuid;

use crate::support::{
    NOW, Scratch, assert_dense, creating, draft_at, events, holder, message_id, note, options,
    project, read_all, said, session, turn_done,
};

const DAY: i64 = 24 * 3600 * 1000;

fn ended(day: i64) -> baton_protocol::EventDraft {
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
async fn history(store: &Store) {
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
    store
        .append(creating(session(5), vec![said(5, "needle")]))
        .await
        .unwrap();
    let held = Append {
        holder: Some(HolderChange::Added {
            holder: holder(6),
            facts: Json::null(),
        }),
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

async fn left(store: &Store) -> BTreeSet<SessionId> {
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
    store
        .append(creating(session(1), vec![ended(1)]))
        .await
        .unwrap();
    store
        .append(creating(session(2), vec![ended(1)]))
        .await
        .unwrap();
    let again = draft_at(
        NOW,
        SessionStateChanged {
            state: SessionState::Idle,
            reason: None,
        },
    );
    store.append(events(session(1), vec![again])).await.unwrap();
    store
        .append(events(session(2), vec![note("last"), ended(2)]))
        .await
        .unwrap();
    let policy = RetentionPolicy {
        max_age: Some(Duration::ZERO),
        ..RetentionPolicy::default()
    };
    let removed = store.retain(policy, on_day(9)).await.unwrap();
    assert_eq!(numbers(&removed), [2]);
    store.close().await;
    drop(store);
    let store = scratch.open();
    store
        .append(creating(session(3), vec![note("new")]))
        .await
        .unwrap();
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
    store
        .append(events(session(5), vec![note("later")]))
        .await
        .unwrap();
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

/// One log per released format, as that version left it, next to its export.
#[tokio::test]
async fn logs_of_every_version_open_read_the_same_and_go_on() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs");
    let mut versions = 0;
    for entry in fs::read_dir(&fixtures).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "db") {
            continue;
        }
        versions += 1;
        let scratch = Scratch::new();
        fs::copy(&file, scratch.path()).unwrap();
        let store = scratch.open();
        let number = file.file_stem().unwrap().to_str().unwrap();
        let beside = number[1..].parse::<u32>().unwrap() >= 2;
        assert_eq!(!store.rules().await.unwrap().is_empty(), beside);
        assert_eq!(store.trust(project()).await.unwrap().is_some(), beside);
        let usage = store.usage(UsageFilter::default()).await.unwrap();
        assert_eq!(!usage.is_empty(), beside);
        let all = store.read_all_after(SeqNo(0), 10_000).await.unwrap();
        let export: String = all
            .iter()
            .map(|event| format!("{}\n", event.text))
            .collect();
        let expected = fs::read_to_string(file.with_extension("ndjson")).unwrap();
        assert_eq!(export, expected, "{}", file.display());
        for id in left(&store).await {
            let row = store.session_row(id).await.unwrap().unwrap();
            let events = read_all(&store, id).await;
            assert_dense(&events);
            let mut again = projection::SessionRow::new(id, row.project_id, row.started_at);
            for event in &events {
                projection::apply(&mut again, &event.envelope().unwrap());
            }
            assert_eq!(row, again);
            let next = store.append(events_after(id)).await.unwrap();
            assert_eq!(next.first.0, row.event_count + 1);
        }
        assert!(store.check().await.unwrap().is_ok());
    }
    assert!(versions >= 2);
}

fn events_after(id: SessionId) -> Append {
    events(id, vec![note("written by this version")])
}

/// Run by hand before a release that changes the format; released files stay as they are.
#[tokio::test]
#[ignore = "writes the fixture of the current version"]
async fn write_the_log_of_this_version() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs");
    let scratch = Scratch::new();
    let store = scratch.open();
    let created = draft_at(
        NOW,
        SessionCreated {
            agent: "demo".to_owned(),
            mode: Mode::Structured,
            runtime: Runtime::Streaming,
            cwd: "/p".to_owned(),
            title: Some("Fixture".to_owned()),
            forked_from: None,
            forked_at: None,
            resumes: None,
            options: SessionOptions::default(),
        },
    );
    history(&store).await;
    let append = Append {
        requests: vec![RequestChange::Opened {
            holder: holder(7),
            request_id: "r".to_owned(),
            approval: None,
            body: Json::null(),
        }],
        holder: Some(HolderChange::Added {
            holder: holder(7),
            facts: Json::null(),
        }),
        journal: Some(JournalMark {
            holder: holder(7),
            position: 12,
            translator: Some("{}".to_owned()),
        }),
        ..creating(
            session(7),
            vec![
                created,
                said(7, "häy \u{1F600} \"quoted\""),
                draft_at(
                    NOW,
                    CheckpointCreated {
                        checkpoint_id: message_id(7),
                    },
                ),
                turn_done(NOW, Some(0.25), 12),
            ],
        )
    };
    store.append(append).await.unwrap();
    beside(&store).await;
    let all = store.read_all_after(SeqNo(0), 1000).await.unwrap();
    let export: String = all
        .iter()
        .map(|event| format!("{}\n", event.text))
        .collect();
    let version: u32 = Connection::open(scratch.path())
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap();
    let target = fixtures.join(format!("v{version}.db"));
    if !target.exists() {
        store.backup(&target).await.unwrap();
        fs::write(target.with_extension("ndjson"), export).unwrap();
    }
}

/// What people answered.
async fn beside(store: &Store) {
    let rule = RuleRecord {
        id: RuleId::from_uuid(Uuid::from_u128(7)),
        scope: RuleScope::Session(session(7)),
        rule: "Bash(ls:*)".to_owned(),
        decision: RuleDecision::Ask,
        created_at: Timestamp::from_millis(NOW),
        client: None,
        approval: None,
    };
    let rules = vec![RuleChange::Added(rule)];
    store.change_rules(rules).await.unwrap();
    let trust = TrustRecord {
        project_id: project(),
        path: "/p".to_owned(),
        digest: "00".to_owned(),
        accepted: true,
        at: Timestamp::from_millis(NOW),
        client: None,
    };
    store.set_trust(trust).await.unwrap();
}
