//! Logs that earlier versions left.

use std::{collections::BTreeSet, fs, time::Duration};

use baton_protocol::{
    DeviceId, RuleId, SeqNo, SessionId, Timestamp,
    event::{CheckpointCreated, SessionCreated, SessionOptions},
    words::{AccessScope, ClientRef, Json, Mode, RuleDecision, Runtime, SignInMethod},
};
use baton_store::{
    Append, DeviceRecord, JournalMark, LinkRecord, NewProject, ProjectChange, RequestChange,
    RuleChange, RuleRecord, RuleScope, SignInRecord, SignInRoot, SignInValue, Store, TrustRecord,
    UsageFilter, projection,
};
use rusqlite::Connection;
use uuid::Uuid;

use crate::{
    support::{
        NOW, Scratch, assert_dense, creating, draft_at, events, held_by, holder, message_id, note,
        project, read_all, said, session, turn_done,
    },
    upkeep::{ended, history, left},
};

/// One log per released format, as that version left it, next to its export.
#[tokio::test]
async fn logs_of_every_version_open_read_the_same_and_go_on() {
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs");
    let mut versions = BTreeSet::new();
    for entry in fs::read_dir(&fixtures).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|extension| extension != "db") {
            continue;
        }
        let scratch = Scratch::new();
        fs::copy(&file, scratch.path()).unwrap();
        let store = scratch.open();
        let number = file.file_stem().unwrap().to_str().unwrap();
        let number: u32 = number[1..].parse().unwrap();
        versions.insert(number);
        let beside = number >= 2;
        assert_eq!(!store.rules().await.unwrap().is_empty(), beside);
        assert_eq!(store.trust(project()).await.unwrap().is_some(), beside);
        let usage = store.usage(UsageFilter::default()).await.unwrap();
        assert_eq!(!usage.is_empty(), beside);
        served(&store, number >= 6).await;
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
    let newest = version(&Scratch::new());
    assert!(
        versions.is_superset(&BTreeSet::from([1, 2, newest])),
        "`cargo test -p baton-store -- --ignored write_the_log` writes what is missing"
    );
}

/// The version of a log that this program makes.
fn version(scratch: &Scratch) -> u32 {
    drop(scratch.open());
    Connection::open(scratch.path())
        .unwrap()
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .unwrap()
}

/// What a daemon keeps besides: who signed in, the list of projects, and what
/// was removed. Logs of before have none of it.
async fn served(store: &Store, kept: bool) {
    let devices = store.devices().await.unwrap();
    let pin = store.sign_in_value(SignInValue::Pin).await.unwrap();
    let listed = store.project_list().await.unwrap();
    let removed = store.removed_session(session(8)).await.unwrap();
    if !kept {
        assert!(devices.is_empty() && pin.is_none() && listed.is_empty() && removed.is_none());
        return;
    }
    assert_eq!(devices, [device()]);
    assert_eq!(pin, Some(pin_record()));
    let link = store.link([9; 32], Timestamp::from_millis(NOW)).await;
    assert_eq!(link.unwrap(), Some(link_record()));
    let slugs: Vec<_> = listed.iter().map(|entry| entry.slug.as_str()).collect();
    assert_eq!(slugs, ["shop"]);
    assert_eq!(listed[0].title.as_deref(), Some("The shop"));
    let removed = removed.unwrap();
    assert_eq!(removed.client, Some(somebody()));
    assert_eq!(removed.title.as_deref(), Some("gone"));
    assert_eq!(removed.events, 2);
}

fn device() -> DeviceRecord {
    let at = Timestamp::from_millis(NOW);
    DeviceRecord {
        id: DeviceId::from_uuid(Uuid::from_u128(1)),
        hash: [1; 32],
        name: "my phone".to_owned(),
        scope: AccessScope::Operate,
        via: SignInMethod::Pin,
        let_in_by: None,
        root: SignInRoot::Pin,
        share: None,
        created_at: at,
        last_used_at: at,
    }
}

fn pin_record() -> SignInRecord {
    SignInRecord {
        value: "a hash".to_owned(),
        configured: false,
    }
}

fn link_record() -> LinkRecord {
    let at = Timestamp::from_millis(NOW);
    LinkRecord {
        hash: [9; 32],
        scope: AccessScope::Observe,
        made_by: "terminal".to_owned(),
        created_at: at,
        expires_at: at.plus(Duration::from_secs(600)),
    }
}

fn somebody() -> ClientRef {
    ClientRef {
        id: "dev_1".to_owned(),
        name: "my phone".to_owned(),
    }
}

async fn serve(store: &Store) {
    let pin = store.set_sign_in_value(SignInValue::Pin, Some(pin_record()));
    pin.await.unwrap();
    let added = store.add_device(device(), SignInValue::Pin, "a hash".to_owned());
    assert!(added.await.unwrap());
    assert!(store.add_link(link_record(), 9).await.unwrap());
    let listed = NewProject {
        id: project(),
        path: "/p/shop".to_owned(),
        slug: "shop".to_owned(),
        at: Timestamp::from_millis(NOW),
    };
    let titled = ProjectChange::Title(project(), Some("The shop".to_owned()));
    let changes = vec![ProjectChange::Add(listed), titled];
    store.change_projects(changes).await.unwrap();
    let words = vec![said(8, "gone"), ended(1)];
    store.append(creating(session(8), words)).await.unwrap();
    let at = Timestamp::from_millis(NOW);
    let removed = store.remove_session(session(8), at, somebody()).await;
    assert!(removed.unwrap().is_some());
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
            project: None,
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
        holder: Some(held_by(7)),
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
    serve(&store).await;
    let all = store.read_all_after(SeqNo(0), 1000).await.unwrap();
    let export: String = all
        .iter()
        .map(|event| format!("{}\n", event.text))
        .collect();
    let version = version(&Scratch::new());
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
