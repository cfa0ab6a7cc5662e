//! What the agent is doing right now, in a few words.

use std::collections::BTreeSet;

use baton_protocol::{ApprovalId, Envelope, Event, Live, LiveFrame, event::RunningWork, work};

/// Folds a session to one line such as `Reading …/main.rs`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Activity {
    in_turn: bool,
    approvals: BTreeSet<ApprovalId>,
    /// Calls without an end, oldest first.
    tools: Vec<Tool>,
    /// Only live frames tell.
    writing: Option<&'static str>,
    work: Vec<RunningWork>,
}

#[derive(Debug, Clone, PartialEq)]
struct Tool {
    id: String,
    label: String,
    parent: Option<String>,
}

const WAITING: &str = "Waiting for you";
const WORKING: &str = "Working";
const THINKING: &str = "Thinking";
const WRITING: &str = "Writing";

impl Activity {
    /// What to show; none when nothing goes on.
    pub fn label(&self) -> Option<String> {
        if !self.approvals.is_empty() {
            return Some(WAITING.to_owned());
        }
        // A call that waits for calls of its own sub-agent is shown by those.
        let is_leaf = |tool: &&Tool| {
            let mut others = self.tools.iter();
            !others.any(|other| other.parent.as_ref() == Some(&tool.id))
        };
        let mut leaves = self.tools.iter().rev().filter(is_leaf);
        if let Some(newest) = leaves.next() {
            let label = &newest.label;
            return Some(match leaves.count() {
                0 => label.clone(),
                more => format!("{label} (+{more})"),
            });
        }
        let word = self.writing.or_else(|| self.in_turn.then_some(WORKING));
        word.map(str::to_owned).or_else(|| self.beside())
    }

    /// What goes on though no turn does.
    fn beside(&self) -> Option<String> {
        let newest = self.work.last()?;
        let what = newest
            .description
            .as_deref()
            .unwrap_or(newest.kind.as_str());
        Some(match self.work.len() - 1 {
            0 => format!("In the background: {what}"),
            more => format!("In the background: {what} (+{more})"),
        })
    }

    pub fn live(&mut self, frame: &LiveFrame) {
        match &frame.live {
            Live::AssistantDelta(_) => self.writing = Some(WRITING),
            Live::ThinkingDelta(_) => self.writing = Some(THINKING),
            Live::ToolProgress(_) | Live::PtyData(_) => {}
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "an event that starts or ends no work changes nothing here"
    )]
    pub fn event(&mut self, envelope: &Envelope) {
        work::follow(&mut self.work, envelope.ts, &envelope.event);
        match &envelope.event {
            Event::TurnStarted(_) => self.in_turn = true,
            Event::TurnCompleted(_) => {
                self.in_turn = false;
                self.writing = None;
            }
            Event::SessionEnded(_) => *self = Self::default(),
            Event::AssistantMessage(_) | Event::AssistantThinking(_) => self.writing = None,
            Event::ToolRequested(requested) => {
                self.writing = None;
                self.tools.push(Tool {
                    id: requested.tool_use_id.clone(),
                    label: requested.label.clone(),
                    parent: requested.parent_tool_use_id.clone(),
                });
            }
            Event::ToolCompleted(completed) => {
                self.tools.retain(|tool| tool.id != completed.tool_use_id);
            }
            Event::ApprovalRequested(requested) => {
                self.approvals.insert(requested.approval_id);
            }
            Event::ApprovalResolved(resolved) => {
                self.approvals.remove(&resolved.approval_id);
            }
            _ => {}
        }
    }
}
