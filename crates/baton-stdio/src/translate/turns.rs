//! What a turn used, whether anything goes on, and how a turn ends.

use baton_protocol::{
    Turn,
    event::{AssistantBlock, TurnCompleted},
    words::{SessionState, StopReason, Usage},
};

use super::{Output, Translator};
use crate::output::{
    AgentStop, BackgroundDone, ContextUsage, Interrupted, Result as TurnResult, TurnComplete,
};

impl Translator {
    /// Tells the tokens of a message of the model, once. One without any is
    /// none of the model's.
    pub(super) fn count(&mut self, block: &AssistantBlock, out: &mut Vec<Output>) {
        let main = block.parent_tool_use_id.is_none();
        let new = self.counted.as_ref() != Some(&block.message_id);
        let counts = block.usage.filter(|usage| *usage != Usage::default());
        if let Some(usage) = counts.filter(|_| main && new) {
            self.counted = Some(block.message_id.clone());
            out.push(
                ContextUsage {
                    message_id: Some(block.message_id.clone()),
                    usage: Some(usage),
                    tokens: None,
                }
                .into(),
            );
        }
    }

    /// Whether anything goes on is the session's to say.
    pub(super) fn state(&mut self, state: SessionState, turn: Turn, out: &mut Vec<Output>) {
        self.busy = match state {
            SessionState::Starting | SessionState::Processing | SessionState::Waiting => true,
            SessionState::Idle | SessionState::Ended => false,
        };
        if !self.busy && std::mem::take(&mut self.owes_end) {
            out.push(BackgroundDone { turn }.into());
        }
    }

    pub(super) fn turn_completed(&mut self, done: &TurnCompleted, out: &mut Vec<Output>) {
        self.thinking.close(out);
        self.turn = None;
        let exit = done.exit_code;
        let exit = exit.map(|code| format!("its process ended with exit code {code}"));
        self.exited = exit.or_else(|| self.lost.take());
        self.lost = None;
        self.total_cost_usd = in_nanos(self.total_cost_usd + done.cost_usd.unwrap_or_default());
        let interrupted = done.stop_reason == StopReason::Interrupted;
        let asked = self.expected.interrupts();
        if interrupted || !asked.is_empty() {
            // Each who asked hears of it; without anyone it is told once.
            let nobody = asked.is_empty().then_some(None);
            for request_id in asked.into_iter().chain(nobody) {
                out.push(
                    Interrupted {
                        turn: Some(done.turn),
                        was_running: interrupted,
                        request_id,
                    }
                    .into(),
                );
            }
        }
        if done.stop_reason == StopReason::End {
            out.push(AgentStop { turn: done.turn }.into());
        }
        out.push(
            TurnResult {
                turn: done.turn,
                message_ids: done.message_ids.clone(),
                success: done.stop_reason == StopReason::End && !done.is_error,
                is_error: done.is_error,
                stop_reason: done.stop_reason,
                result: done.result.clone(),
                structured_output: done.structured_output.clone(),
                cost_usd: done.cost_usd,
                total_cost_usd: self.total_cost_usd,
                usage: done.usage,
                duration_ms: done.duration_ms,
                exit_code: done.exit_code,
                stats: done.stats.clone(),
                still_running: done.still_running.clone(),
            }
            .into(),
        );
        out.push(
            TurnComplete {
                turn: done.turn,
                stop_reason: done.stop_reason,
                still_running: done.still_running.clone(),
            }
            .into(),
        );
        self.owes_end |= !done.still_running.is_empty();
    }
}

/// A sum without the dust that adding leaves.
fn in_nanos(usd: f64) -> f64 {
    (usd * 1e9).round() / 1e9
}
