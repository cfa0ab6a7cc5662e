//! What became of each message and of each command with an effect, whatever
//! happened in between.

use std::collections::BTreeMap;

use baton_protocol::{
    Envelope, Event, MessageId, Turn,
    event::TurnCompleted,
    words::{StopReason, TaskStatus},
};
use baton_session::machine::Facts;

use super::rules;

/// Every message that was taken was answered, or its turn says why not.
pub(crate) fn messages<'a>(
    seen: &[Envelope],
    script: impl IntoIterator<Item = (MessageId, &'a str)>,
) {
    let facts = Facts::replay(seen);
    for (id, text) in script {
        let taken = facts.messages.get(&id);
        let Some(turn) = taken.and_then(|message| message.turn) else {
            panic!("{text:?} has no turn\nin\n{}", rules::text(seen));
        };
        let end = end_of(seen, turn);
        let why = in_turn(seen, turn).any(|event| matches!(event, Event::Error(_)));
        let delivered = in_turn(seen, turn).any(|event| match event {
            Event::MessageDelivered(delivered) => delivered.message_id == id,
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
            "{text:?} ended with {end:?}\nin\n{}",
            rules::text(seen)
        );
    }
}

/// Nothing went wrong, as far as the log tells.
pub(crate) fn undisturbed(seen: &[Envelope]) {
    let trouble = |envelope: &&Envelope| match &envelope.event {
        Event::Error(_) | Event::RuntimeFallback(_) | Event::AgentUnknown(_) => true,
        Event::TurnCompleted(end) => end.stop_reason != StopReason::End,
        _ => false,
    };
    let trouble = seen.iter().find(trouble);
    assert!(trouble.is_none(), "{trouble:?}\nin\n{}", rules::text(seen));
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
    // Every turn ends.
    end.unwrap()
}

/// No command ran twice, each that the log calls done ran, and none ran that
/// the log does not know.
pub(crate) fn effects(seen: &[Envelope], lines: &[String]) {
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
