//! Words for what works beside the conversation.

use baton_protocol::event::{EndedWork, RunningWork, TurnCompleted, TurnStarted};

use super::clean;

/// Why the agent goes on though nobody said anything.
pub(super) fn goes_on(started: &TurnStarted) -> Option<String> {
    let ended: Vec<_> = started.because.iter().map(how_it_ended).collect();
    (!ended.is_empty()).then(|| format!("  ↳ the agent goes on: {}", ended.join(", ")))
}

/// What is not over though the turn is.
pub(super) fn still_running(turn: &TurnCompleted) -> Option<String> {
    let names: Vec<_> = turn.still_running.iter().map(name).collect();
    (!names.is_empty()).then(|| format!("  ⇢ still running: {}", names.join(", ")))
}

fn how_it_ended(work: &EndedWork) -> String {
    let what = work.description.as_deref().unwrap_or(&work.id);
    format!("{} {}", clean(what, 60), work.status)
}

fn name(work: &RunningWork) -> String {
    clean(work.description.as_deref().unwrap_or(&work.id), 60)
}
