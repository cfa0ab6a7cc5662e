//! What is counted and listed over sessions: usage by day, past requests, checkpoints.

use std::time::Duration;

use baton_protocol::{
    EventDraft, ProjectId, Seq, SessionId, Timestamp, Turn,
    event::{AgentUnknown, CheckpointCreated, ModelChanged, SessionEnded},
    words::{Decision, EndStatus, Json},
};
use baton_store::{
    Append, Day, NewSession, RetentionPolicy, Store, StoreError, UsageFilter, UsageRow,
};
use rusqlite::Connection;

use crate::support::{
    NOW, Scratch, asked, creating, decided, draft, draft_at, events, message_id, new_session, note,
    options, project, put, said, session, turn_done,
};

const DAY: i64 = 24 * 3600 * 1000;

fn today() -> Day {
    Day::of(Timestamp::from_millis(NOW))
}

fn model(name: Option<&str>) -> EventDraft {
    draft(ModelChanged {
        model: name.map(str::to_owned),
        reason: None,
    })
}

fn other_project() -> ProjectId {
    ProjectId::from_digest(&[1; 32])
}

fn creating_elsewhere(id: SessionId, drafts: Vec<EventDraft>) -> Append {
    Append {
        create: Some(NewSession {
            project_id: other_project(),
            project_path: "/q".to_owned(),
            ..new_session()
        }),
        ..events(id, drafts)
    }
}

fn short(row: &UsageRow) -> (i64, Option<&str>, String, u64, u64) {
    let day = (row.day.start().as_millis() - today().start().as_millis()) / DAY;
    let cost = format!("{:.9}", row.cost_usd);
    let tokens = row.usage.input_tokens;
    (day, row.model.as_deref(), cost, tokens, row.turns)
}

async fn all_usage(store: &Store) -> Vec<UsageRow> {
    store.usage(UsageFilter::default()).await.unwrap()
}

#[tokio::test]
async fn turns_count_on_the_day_they_end_and_for_the_model_of_that_moment() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let midnight = today().plus(1).start().as_millis();
    let drafts = vec![
        turn_done(NOW, None, 1),
        model(Some("one")),
        turn_done(midnight - 1, Some(0.25), 10),
        turn_done(midnight, Some(0.5), 20),
        model(Some("two")),
        turn_done(midnight, Some(1.0), 40),
        model(None),
        turn_done(midnight, Some(-9.0), u64::MAX),
    ];
    store.append(creating(session(1), drafts)).await.unwrap();
    let elsewhere = vec![model(Some("one")), turn_done(NOW, Some(2.0), 80)];
    put(&store, creating_elsewhere(session(2), elsewhere)).await;

    let rows = all_usage(&store).await;
    let here: Vec<_> = rows
        .iter()
        .filter(|row| row.project_id == project())
        .collect();
    let seen: Vec<_> = here.iter().map(|row| short(row)).collect();
    let expected = [
        (1, None, "0.000000000", 1_000_000_000_000, 1),
        (1, Some("one"), "0.500000000", 20, 1),
        (1, Some("two"), "1.000000000", 40, 1),
        (0, None, "0.000000000", 1, 1),
        (0, Some("one"), "0.250000000", 10, 1),
    ];
    let expected = expected
        .map(|(day, model, cost, tokens, turns)| (day, model, cost.to_owned(), tokens, turns));
    assert_eq!(seen, expected);
    let spent = |day| store.spent_on(day);
    assert!((spent(today()).await.unwrap() - 2.25).abs() < 1e-12);
    assert!((spent(today().plus(1)).await.unwrap() - 1.5).abs() < 1e-12);
    assert!(spent(today().plus(2)).await.unwrap().abs() < 1e-12);

    let filter = UsageFilter {
        to: Some(today()),
        project: Some(other_project()),
        ..UsageFilter::default()
    };
    let rows = store.usage(filter).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].turns, rows[0].usage.input_tokens), (1, 80));
    let later = UsageFilter {
        from: Some(today().plus(2)),
        ..UsageFilter::default()
    };
    assert!(store.usage(later).await.unwrap().is_empty());
}

#[tokio::test]
async fn many_small_costs_add_up_exactly_and_stay_when_their_session_goes() {
    let store = Store::in_memory(&options()).unwrap();
    put(&store, creating(session(1), Vec::new())).await;
    for _ in 0..10 {
        let turns = (0..1000).map(|_| turn_done(NOW, Some(0.1), 0)).collect();
        store.append(events(session(1), turns)).await.unwrap();
    }
    let spent = store.spent_on(today()).await.unwrap();
    assert_eq!(spent.to_string(), "1000");
    let ended = draft(SessionEnded {
        status: EndStatus::Completed,
        reason: None,
        exit_code: None,
        error: None,
    });
    store.append(events(session(1), vec![ended])).await.unwrap();
    let policy = RetentionPolicy {
        max_age: Some(Duration::ZERO),
        ..RetentionPolicy::default()
    };
    let later = Timestamp::from_millis(NOW + 1);
    assert_eq!(store.retain(policy, later).await.unwrap().len(), 1);
    let spent = store.spent_on(today()).await.unwrap();
    assert_eq!(spent.to_string(), "1000");
}

#[tokio::test]
async fn an_append_that_fails_costs_nothing() {
    let store = Store::in_memory(&options()).unwrap();
    let failing = Append {
        requests: vec![baton_store::RequestChange::Answered {
            request_id: "none".to_owned(),
            answer: Json::null(),
        }],
        ..creating(session(1), vec![turn_done(NOW, Some(1.0), 1)])
    };
    assert!(store.append(failing).await.is_err());
    assert!(all_usage(&store).await.is_empty());
}

#[tokio::test]
async fn past_requests_come_newest_first_with_their_answers() {
    let store = Store::in_memory(&options()).unwrap();
    // Ids tell nothing about the order; the log does.
    let first = vec![draft(asked(9)), draft(asked(1))];
    store.append(creating(session(1), first)).await.unwrap();
    put(
        &store,
        creating_elsewhere(session(2), vec![draft(asked(5))]),
    )
    .await;
    let answers = vec![draft(decided(9, Decision::Deny)), draft(asked(2))];
    store.append(events(session(1), answers)).await.unwrap();

    let seen = async |project, limit| {
        let past = store.past_requests(project, limit).await.unwrap();
        past.into_iter()
            .map(|past| {
                (
                    past.approval.requested.approval_id.uuid().as_u128(),
                    past.approval.resolved.map(|resolved| resolved.decision),
                )
            })
            .collect::<Vec<_>>()
    };
    let deny = Some(Decision::Deny);
    let wanted = [(2, None), (5, None), (1, None), (9, deny)];
    assert_eq!(seen(None, 10).await, wanted);
    assert_eq!(seen(None, 2).await, [(2, None), (5, None)]);
    let wanted = [(2, None), (1, None), (9, deny)];
    assert_eq!(seen(Some(project()), 10).await, wanted);
    let elsewhere = store.past_requests(Some(other_project()), 1).await.unwrap();
    assert_eq!(elsewhere[0].project_id, other_project());
    assert_eq!(elsewhere[0].approval.session, session(2));
}

#[tokio::test]
async fn past_requests_end_when_they_get_large() {
    let store = Store::in_memory(&options()).unwrap();
    let large = |number| {
        let mut asked = asked(number);
        asked.input = Json::of(&"x".repeat(3 << 20));
        draft(asked)
    };
    let drafts = (1..=5).map(large).collect();
    store.append(creating(session(1), drafts)).await.unwrap();
    assert_eq!(store.past_requests(None, 10).await.unwrap().len(), 3);
}

#[tokio::test]
async fn checkpoints_show_their_message_and_where_they_stand() {
    let store = Store::in_memory(&options()).unwrap();
    let made = |number, turn| EventDraft {
        turn: Turn(turn),
        ..draft_at(
            NOW + i64::from(turn),
            CheckpointCreated {
                checkpoint_id: message_id(number),
            },
        )
    };
    let long = "ä".repeat(300);
    let drafts = vec![
        said(9, "Fix it\nplease"),
        made(9, 1),
        note("between"),
        said(3, &long),
        made(3, 2),
        made(9, 3),
        made(4, 4),
    ];
    store.append(creating(session(1), drafts)).await.unwrap();
    let checkpoints = store.checkpoints(session(1)).await.unwrap();
    let seen: Vec<_> = checkpoints
        .iter()
        .map(|made| {
            (
                made.checkpoint_id,
                made.seq,
                made.turn,
                made.text.as_deref(),
            )
        })
        .collect();
    let head = "ä".repeat(200);
    let expected = [
        (message_id(9), Seq(2), Turn(1), Some("Fix it\nplease")),
        (message_id(3), Seq(5), Turn(2), Some(&*head)),
        (message_id(4), Seq(7), Turn(4), None),
    ];
    assert_eq!(seen, expected);
    assert_eq!(checkpoints[1].at, Timestamp::from_millis(NOW + 2));
    put(&store, creating(session(2), Vec::new())).await;
    assert!(store.checkpoints(session(2)).await.unwrap().is_empty());
    assert!(matches!(
        store.checkpoints(session(3)).await,
        Err(StoreError::UnknownSession(_))
    ));
}

/// Takes a closed log back to the version before usage and checkpoints.
pub(crate) fn downgrade(scratch: &Scratch) {
    let conn = Connection::open(scratch.path()).unwrap();
    conn.execute_batch(
        "DROP TABLE removed_sessions; DROP TABLE project_list; DROP TABLE devices; DROP TABLE links; DROP TABLE attempts; DROP TABLE sign_in;
         DROP TABLE rules; DROP TABLE trust; DROP TABLE usage; DROP TABLE checkpoints;
         DROP INDEX messages_by_id; DROP INDEX approvals_by_no; ALTER TABLE approvals DROP COLUMN requested_no;
         PRAGMA user_version = 1;",
    )
    .unwrap();
}

#[tokio::test]
async fn an_older_log_is_counted_as_if_it_had_always_been() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let drafts = vec![
        draft(asked(9)),
        turn_done(NOW, Some(0.1), 3),
        model(Some("one")),
        said(4, "hello"),
        draft(CheckpointCreated {
            checkpoint_id: message_id(4),
        }),
        turn_done(NOW, Some(0.2), u64::MAX),
        draft(asked(1)),
        // A name inside a payload is no event of that name.
        draft(AgentUnknown {
            raw: Json::of(&serde_json::json!({"type": "turn.completed"})),
        }),
    ];
    store.append(creating(session(1), drafts)).await.unwrap();
    let usage = all_usage(&store).await;
    let checkpoints = store.checkpoints(session(1)).await.unwrap();
    let past = store.past_requests(None, 9).await.unwrap();
    assert_eq!((usage.len(), checkpoints.len(), past.len()), (2, 1, 2));
    store.close().await;
    drop(store);
    downgrade(&scratch);
    // Something unreadable among the events must not keep the log from opening.
    let conn = Connection::open(scratch.path()).unwrap();
    conn.execute_batch(
        r#"INSERT INTO events (seq_no, session, seq, text)
           VALUES (50, 1, 50, 'bad "type":"turn.completed"'),
                  (51, 1, 51, '{"type":"checkpoint.created","payload":{"checkpointId":"x"}}'),
                  (52, 1, 52, '{"type":"turn.completed","payload":{}}');"#,
    )
    .unwrap();
    drop(conn);
    let store = scratch.open();
    assert_eq!(all_usage(&store).await, usage);
    assert_eq!(store.checkpoints(session(1)).await.unwrap(), checkpoints);
    assert_eq!(store.past_requests(None, 9).await.unwrap(), past);
}
