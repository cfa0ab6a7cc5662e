//! Random appends: numbers stay dense, and folding the log gives the stored row.

use std::collections::BTreeMap;

use baton_protocol::{
    Event, EventDraft, Seq, SeqNo, Timestamp, Turn,
    event::{
        CheckpointCreated, ContextUsage, ModelChanged, SessionEnded, SessionStarted,
        SessionStateChanged, SessionUpdated, TurnCompleted, TurnStarted, TurnStats,
    },
    words::{EndStatus, Origin, SessionState, StopReason, Usage},
};
use baton_store::{SessionRow, Store, UsageFilter, projection};
use proptest::prelude::*;
use tokio::task::JoinSet;

use crate::support::{
    Scratch, assert_dense, creating, events, message_id, note, project, put, read_all, said,
    session,
};
use crate::usage::downgrade;

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        any::<String>().prop_map(|text| note(&text).event),
        (any::<u128>(), any::<String>()).prop_map(|(id, text)| said(id, &text).event),
        (0..SessionState::ALL.len()).prop_map(|index| {
            SessionStateChanged {
                state: SessionState::ALL[index],
                reason: None,
            }
            .into()
        }),
        (0..EndStatus::ALL.len(), any::<Option<i32>>()).prop_map(|(index, exit_code)| {
            SessionEnded {
                status: EndStatus::ALL[index],
                reason: None,
                exit_code,
                error: None,
            }
            .into()
        }),
        any::<Option<String>>().prop_map(|title| {
            SessionUpdated {
                title,
                ..SessionUpdated::default()
            }
            .into()
        }),
        (0..9_u32).prop_map(|turn| {
            TurnStarted {
                turn: Turn(turn),
                origin: Origin::User,
                message_id: None,
                because: Vec::new(),
            }
            .into()
        }),
        (0..9_u32, any::<Option<f64>>(), any::<u64>()).prop_map(|(turn, cost, tokens)| {
            TurnCompleted {
                turn: Turn(turn),
                message_ids: Vec::new(),
                stop_reason: StopReason::End,
                exit_code: None,
                is_error: false,
                result: None,
                structured_output: None,
                duration_ms: tokens,
                cost_usd: cost.filter(|cost| cost.is_finite()).map(|cost| cost % 1e9),
                usage: Some(Usage {
                    input_tokens: tokens,
                    ..Usage::default()
                }),
                stats: TurnStats::default(),
                still_running: Vec::new(),
            }
            .into()
        }),
        (any::<u32>(), any::<u32>()).prop_map(|(tokens, window)| {
            ContextUsage {
                tokens: tokens.into(),
                window: window.into(),
            }
            .into()
        }),
        any_counted_event(),
    ]
}

/// Events that say what a turn counts for, or that are listed.
fn any_counted_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (0..9_u128).prop_map(|number| {
            CheckpointCreated {
                checkpoint_id: message_id(number),
            }
            .into()
        }),
        any::<Option<String>>().prop_map(|model| {
            SessionStarted {
                agent_session_id: None,
                model,
                tools: Vec::new(),
                mcp_servers: Vec::new(),
                slash_commands: Vec::new(),
                permission_mode: None,
                agent_version: None,
                pid: None,
            }
            .into()
        }),
        any::<Option<String>>().prop_map(|model| {
            ModelChanged {
                model,
                reason: None,
            }
            .into()
        }),
    ]
}

fn any_draft() -> impl Strategy<Value = EventDraft> {
    (any_event(), 0..4_000_000_000_000_i64, any::<u32>()).prop_map(|(event, millis, turn)| {
        EventDraft {
            ts: Timestamp::from_millis(millis),
            turn: Turn(turn),
            agent_id: None,
            event,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_appends_keep_numbers_dense_and_rows_equal_to_their_fold(
        appends in proptest::collection::vec(
            (0..4_u128, proptest::collection::vec(any_draft(), 0..6)), 1..40),
        reopen in any::<prop::sample::Index>(),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2).enable_time().build().unwrap();
        runtime.block_on(run(&appends, reopen.index(appends.len())));
    }
}

async fn run(appends: &[(u128, Vec<EventDraft>)], reopen: usize) {
    let scratch = Scratch::new();
    let store = scratch.open();
    for number in 0..4 {
        put(&store, creating(session(number), Vec::new())).await;
    }
    let (before, after) = appends.split_at(reopen);
    append_side_by_side(&store, before).await;
    store.close().await;
    drop(store);
    let store = scratch.open();
    append_side_by_side(&store, after).await;

    let all = store.read_all_after(SeqNo(0), 10_000).await.unwrap();
    let mut counts: BTreeMap<_, u64> = BTreeMap::new();
    for (number, event) in (1..).zip(&all) {
        assert_eq!(event.seq_no, SeqNo(number));
        let count = counts.entry(event.session).or_insert(0);
        *count += 1;
        assert_eq!(event.seq, Seq(*count));
        let envelope = event.envelope().unwrap();
        assert_eq!(serde_json::to_string(&envelope).unwrap(), &*event.text);
    }
    let expected: usize = appends.iter().map(|(_, drafts)| drafts.len()).sum();
    assert_eq!(all.len(), expected);
    for number in 0..4 {
        let id = session(number);
        let events = read_all(&store, id).await;
        assert_dense(&events);
        let row = store.session_row(id).await.unwrap().unwrap();
        let mut again = SessionRow::new(id, project(), row.started_at);
        for event in &events {
            projection::apply(&mut again, &event.envelope().unwrap());
        }
        assert_eq!(row, again);
    }
    assert!(store.check().await.unwrap().is_ok());
    counted_alike_when_read_again(&scratch, store).await;
}

/// What was counted with each event is what a migration counts from the log.
async fn counted_alike_when_read_again(scratch: &Scratch, store: Store) {
    let mut seen = Vec::new();
    let mut store = Some(store);
    for _ in 0..2 {
        let open = store.take().unwrap_or_else(|| scratch.open());
        let mut checkpoints = Vec::new();
        for number in 0..4 {
            checkpoints.push(open.checkpoints(session(number)).await.unwrap());
        }
        seen.push((
            open.usage(UsageFilter::default()).await.unwrap(),
            checkpoints,
        ));
        open.close().await;
        drop(open);
        downgrade(scratch);
    }
    assert_eq!(seen[0], seen[1]);
}

/// Each session's appends in order, the sessions beside each other.
async fn append_side_by_side(store: &Store, appends: &[(u128, Vec<EventDraft>)]) {
    let mut sessions: BTreeMap<u128, Vec<Vec<EventDraft>>> = BTreeMap::new();
    for (number, drafts) in appends {
        sessions.entry(*number).or_default().push(drafts.clone());
    }
    let mut tasks = JoinSet::new();
    for (number, appends) in sessions {
        let store = store.clone();
        tasks.spawn(async move {
            for drafts in appends {
                store.append(events(session(number), drafts)).await.unwrap();
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
}
