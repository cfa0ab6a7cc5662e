//! What must be true of a life that is over, whatever died in it.

use std::collections::BTreeMap;

use baton_protocol::{
    Envelope, Event, Seq, Turn,
    event::TurnCompleted,
    words::{SessionState, StopReason, TaskStatus},
};
use baton_session::machine::Facts;
use baton_store::Store;

use super::{house::House, life::Said, rules};

/// Everything there is to check after the daemon was stopped.
pub(super) fn check(house: &House, seen: &[Envelope], script: &[Said]) {
    rules::check(seen);
    // A holder whose agent was given up ends by itself.
    house.until("no process is left", |house| house.running().is_empty());
    stored(house, seen);
    messages(seen, script);
    effects(seen, &house.effects());
}

/// Nothing of what died can be told from the log.
pub(super) fn undisturbed(seen: &[Envelope]) {
    let trouble = |envelope: &&Envelope| match &envelope.event {
        Event::Error(_) | Event::RuntimeFallback(_) | Event::AgentUnknown(_) => true,
        Event::TurnCompleted(end) => end.stop_reason != StopReason::End,
        _ => false,
    };
    let trouble = seen.iter().find(trouble);
    assert!(trouble.is_none(), "{trouble:?}\nin\n{}", rules::text(seen));
}

/// The log is what the reader saw, and what the log is summed up to.
fn stored(house: &House, seen: &[Envelope]) {
    let path = house.sandbox.data().join("baton.db");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let look = async {
        let store = Store::open_read_only(&path).unwrap();
        let session = seen[0].session_id;
        let log = store.read_after(session, Seq::START, 5000).await.unwrap();
        let log: Vec<_> = log.iter().map(|event| event.envelope().unwrap()).collect();
        let row = store.session_row(session).await.unwrap().unwrap();
        let open = store.open_approvals(None).await.unwrap().len();
        let holders = store.holders().await.unwrap().len();
        store.close().await;
        (log, row, open, holders)
    };
    let (log, row, open, holders) = runtime.block_on(look);
    assert_eq!(log, seen, "the reader has the log");
    let facts = Facts::replay(&log);
    assert_eq!(Some(row.state), facts.state);
    assert!(
        matches!(row.state, SessionState::Idle | SessionState::Ended),
        "nothing runs: {}",
        row.state
    );
    assert_eq!(row.event_count, log.len() as u64);
    assert_eq!((open, holders), (0, 0));
}

/// Every message that was taken was answered, or its turn says why not.
fn messages(seen: &[Envelope], script: &[Said]) {
    let facts = Facts::replay(seen);
    for said in script {
        let taken = facts.messages.get(&said.id);
        let Some(turn) = taken.and_then(|message| message.turn) else {
            panic!("{:?} has no turn\nin\n{}", said.text, rules::text(seen));
        };
        let end = end_of(seen, turn);
        let why = in_turn(seen, turn).any(|event| matches!(event, Event::Error(_)));
        let delivered = in_turn(seen, turn).any(|event| match event {
            Event::MessageDelivered(delivered) => delivered.message_id == said.id,
            _ => false,
        });
        let answered = in_turn(seen, turn).any(|event| matches!(event, Event::AssistantMessage(_)));
        let fine = if end.stop_reason == StopReason::End {
            delivered && answered
        } else {
            end.is_error && why
        };
        assert!(
            fine,
            "{:?} ended with {end:?}\nin\n{}",
            said.text,
            rules::text(seen)
        );
    }
}

fn in_turn(seen: &[Envelope], turn: Turn) -> impl Iterator<Item = &Event> {
    let within = seen.iter().filter(move |envelope| envelope.turn == turn);
    within.map(|envelope| &envelope.event)
}

fn end_of(seen: &[Envelope], turn: Turn) -> &TurnCompleted {
    let end = in_turn(seen, turn).find_map(|event| match event {
        Event::TurnCompleted(end) => Some(end),
        _ => None,
    });
    end.expect("every turn ends")
}

/// No command ran twice, each that the log calls done ran, and none ran that
/// the log does not know.
fn effects(seen: &[Envelope], lines: &[String]) {
    let mut calls: BTreeMap<&str, (String, bool)> = BTreeMap::new();
    for envelope in seen {
        match &envelope.event {
            Event::ToolRequested(tool) => {
                let input = tool.input.value();
                let command = input["command"].as_str().unwrap_or_default();
                if let Some(line) = written_by(command) {
                    calls.insert(&tool.tool_use_id, (line.to_owned(), false));
                }
            }
            Event::ToolCompleted(tool) => {
                if let Some((_, done)) = calls.get_mut(tool.tool_use_id.as_str()) {
                    // One in the background has only begun.
                    *done = !tool.is_error && !tool.output.contains("background");
                }
            }
            Event::TaskUpdated(task) => {
                let tool = task.tool_use_id.as_deref().unwrap_or_default();
                if let Some((_, done)) = calls.get_mut(tool) {
                    *done |= task.status == TaskStatus::Completed;
                }
            }
            _ => {}
        }
    }
    let log = rules::text(seen);
    for line in lines {
        let times = lines.iter().filter(|other| *other == line).count();
        assert_eq!(times, 1, "{line} was written {times} times\nin\n{log}");
        let known = calls.values().any(|(written, _)| written == line);
        assert!(known, "{line} was written behind the log\nin\n{log}");
    }
    for (line, done) in calls.values() {
        let there = lines.contains(line);
        assert!(there || !done, "{line} was not written\nin\n{log}");
    }
}

/// `echo LINE >> effects`
fn written_by(command: &str) -> Option<&str> {
    let (_, rest) = command.split_once("echo ")?;
    let (line, _) = rest.split_once(" >> effects")?;
    Some(line)
}
