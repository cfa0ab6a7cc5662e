//! Processes that end.

use std::time::Duration;

use baton_protocol::{
    api::RunningTool,
    event::{
        ErrorRaised, RunningWork, SessionEnded, SubagentStopped, TaskUpdated, ToolCompleted,
        TurnCompleted,
    },
    words::{EndStatus, ErrorCode, StopReason, TaskStatus},
};

use super::{
    Phase, Process, ProcessEnd, RunningTurn, Step, Stopping, Stored, Trouble, Why, agent::millis,
    timers::in_words,
};
use crate::agents::AgentKind;

/// How long a queue waits after a process could not be started.
const RETRY: Duration = Duration::from_secs(30);

impl Step<'_> {
    /// The process never came up: the turn fails, the message stays
    /// undelivered. What is queued behind it would fail in the same way now,
    /// and tries its own luck a little later, or when somebody sends more.
    pub(super) fn start_failed(&mut self, trouble: Trouble) {
        if matches!(self.machine.facts.phase, Phase::Ended { .. }) {
            return;
        }
        let message = trouble.message.clone();
        self.record(trouble.told());
        self.fail_requests(&message);
        if let Phase::Running(running) = self.machine.facts.phase.clone() {
            self.complete(&running, StopReason::Error, None, Some(message));
        }
        self.wind_down(None);
        self.try_later();
    }

    /// The process came up and was told nothing. Another one may be spoken to,
    /// and gets the message; only that one's failure is the turn's.
    pub(super) fn not_attached(&mut self, trouble: Trouble) {
        let wanted = self.machine.life.stopping.is_none() && self.machine.ending.is_none();
        match &self.machine.facts.phase {
            Phase::Running(running) if wanted && self.may_go_on(running) => {
                self.wind_down(Some(&ProcessEnd {
                    watched: true,
                    stored: Stored::No,
                    exit_code: None,
                    how: "it could not be spoken to".into(),
                    lost: false,
                    stderr: String::new(),
                }));
            }
            Phase::Running(_) | Phase::Idle | Phase::Ended { .. } => self.start_failed(trouble),
        }
    }

    pub(super) fn try_later(&mut self) {
        if self.machine.facts.open.next().is_some() {
            self.machine.queue.try_at(self.moment.at.plus(RETRY));
        }
    }

    pub(super) fn exited(&mut self, end: &ProcessEnd) {
        if matches!(self.machine.facts.phase, Phase::Ended { .. }) {
            return;
        }
        // One that never came up would not the next time either.
        let never_up = self.machine.process.is_starting()
            || matches!(self.machine.life.stopping, Some(stopping) if stopping.why == Why::NeverUp);
        self.wind_down(Some(end));
        if never_up && !matches!(self.machine.facts.phase, Phase::Running(_)) {
            self.try_later();
        }
    }

    /// Gives everything that was open its end: no process is there any more.
    pub(super) fn wind_down(&mut self, end: Option<&ProcessEnd>) {
        let was = std::mem::replace(&mut self.machine.process, Process::None);
        self.machine.life.gated.clear();
        self.close_tools(|_| true);
        self.cancel_where("the agent ended before it was answered", |_, _| true);
        self.stop_background();
        self.fail_requests("the agent ended");
        let stopping = self.machine.life.stopping.take();
        if let Phase::Running(running) = self.machine.facts.phase.clone() {
            if let Some(how) = self.can_go_on(&running, stopping, &was, end) {
                self.confirm_answers();
                self.go_on(&how, &running, stopping, end);
                return;
            }
            if end.is_some_and(|end| end.stored == Stored::Yes) {
                // It is the first that was looked for.
                self.deliver(&running, running.messages.iter().take(1));
            }
            let stop = self.how_it_stopped(&running, stopping, &was, end);
            let exit_code = end.and_then(|end| end.exit_code);
            self.complete(&running, stop, exit_code, None);
        }
        self.confirm_answers();
        self.end_if_asked(end.and_then(|end| end.exit_code));
    }

    /// Why a turn ends with its process; an end that nobody wanted is told.
    fn how_it_stopped(
        &mut self,
        running: &RunningTurn,
        stopping: Option<Stopping>,
        was: &Process,
        end: Option<&ProcessEnd>,
    ) -> StopReason {
        match stopping.map(|stopping| stopping.why) {
            Some(Why::Asked) => StopReason::Interrupted,
            Some(Why::TimedOut) => StopReason::Timeout,
            Some(Why::OverBudget) => StopReason::Budget,
            _ if self.machine.ending.is_some() => StopReason::Interrupted,
            Some(Why::NeverUp | Why::Distrusted | Why::Unasked) => StopReason::Error,
            Some(Why::Hung) => {
                let limit = self.machine.limits.hang_timeout.unwrap_or_default();
                self.record(silent(limit));
                StopReason::Error
            }
            None => {
                let told = end.and_then(|end| self.why_it_ended(end));
                let stored = end.map_or(Stored::Unknown, |end| end.stored);
                let facts = &self.machine.facts;
                let taken = facts.undelivered().is_none();
                let worked = facts.stats.tool_calls > 0;
                // What began the turn is kept where only the word to go on is not.
                let kept = stored == Stored::Yes || running.continuation.is_some();
                self.record(told.unwrap_or_else(|| match was {
                    _ if kept => unexpected_end(end),
                    Process::Starting { .. } => not_taken(end, "before it was ready"),
                    _ if stored == Stored::No && !taken => {
                        not_taken(end, "before it had taken the message")
                    }
                    _ if stored == Stored::No => not_kept(end, worked),
                    Process::None | Process::Ready | Process::Closing { .. } => unexpected_end(end),
                }));
                StopReason::Error
            }
        }
    }

    /// What the agent's last words say, where they are known.
    pub(super) fn why_it_ended(&self, end: &ProcessEnd) -> Option<ErrorRaised> {
        let created = self.machine.facts.created.as_ref()?;
        AgentKind::from_name(&created.agent)?.last_words(&end.stderr)
    }

    /// Gives every matching open tool call its end, so that no spinner stays.
    pub(super) fn close_tools(&mut self, matching: impl Fn(&RunningTool) -> bool) {
        let mut open = self.machine.facts.open.tools.clone();
        open.retain(matching);
        for tool in open {
            let took = self
                .machine
                .own
                .tool_took(&tool.tool_use_id, self.moment.at);
            self.record(ToolCompleted {
                tool_use_id: tool.tool_use_id,
                name: tool.name,
                output: "The agent stopped before this tool reported a result.".into(),
                detail: None,
                is_error: true,
                duration_ms: millis(took),
                images: Vec::new(),
                truncated: false,
                bytes: None,
                output_blob: None,
                parent_tool_use_id: tool.parent_tool_use_id,
            });
        }
    }

    pub(super) fn stop_background(&mut self) {
        let subagents: Vec<_> = self.machine.facts.open.subagents().cloned().collect();
        for agent in subagents {
            self.stop_subagent(agent, TaskStatus::Stopped);
        }
        let tasks = self.machine.facts.open.tasks.clone();
        for (_, task) in tasks {
            self.record(TaskUpdated {
                status: TaskStatus::Stopped,
                summary: Some("the agent ended".into()),
                ..task
            });
        }
    }

    pub(super) fn stop_subagent(&mut self, agent: RunningWork, status: TaskStatus) {
        let agent_id = agent.id;
        self.record_from(
            SubagentStopped {
                agent_id: agent_id.clone(),
                agent_type: agent.agent_type,
                parent_tool_use_id: agent.tool_use_id,
                description: agent.description,
                status,
                result: None,
            },
            Some(agent_id),
        );
    }

    fn fail_requests(&mut self, why: &str) {
        for (request, awaiting) in std::mem::take(&mut self.machine.life.awaiting) {
            self.settle(request, awaiting.what, Err(why.to_owned()));
        }
    }

    pub(super) fn complete(
        &mut self,
        running: &RunningTurn,
        stop_reason: StopReason,
        exit_code: Option<i32>,
        result: Option<String>,
    ) {
        let spent = self.take_spent(running);
        let took = self.machine.own.turn_took(self.moment.at);
        self.record(TurnCompleted {
            turn: running.turn,
            message_ids: running.message_ids().collect(),
            stop_reason,
            exit_code,
            is_error: stop_reason == StopReason::Error,
            result,
            structured_output: None,
            duration_ms: millis(took),
            cost_usd: spent.cost_usd,
            usage: spent.usage,
            stats: self.machine.facts.stats.clone(),
            still_running: self.machine.still_running(),
        });
    }

    fn end_if_asked(&mut self, exit_code: Option<i32>) {
        if let Some((status, reason)) = self.machine.ending.take() {
            if status == EndStatus::Asleep {
                self.hold_queue(None, Some("the session fell asleep"));
            } else {
                self.empty_queue();
            }
            self.record(SessionEnded {
                status,
                reason: Some(reason),
                exit_code: exit_code.filter(|_| status == EndStatus::Failed),
                error: None,
            });
        }
    }
}

fn unexpected_end(end: Option<&ProcessEnd>) -> ErrorRaised {
    let (code, how) = match end {
        Some(end) if !end.lost => (ErrorCode::AgentExited, end.how.as_str()),
        Some(end) => (ErrorCode::AgentLost, end.how.as_str()),
        None => (ErrorCode::AgentLost, "lost"),
    };
    let stderr = end.map(|end| end.stderr.clone());
    ErrorRaised {
        code,
        message: format!("the agent's process ended in the middle of the turn ({how})"),
        hint: Some("Send a message to continue: the conversation so far is kept.".into()),
        retryable: true,
        retry_at: None,
        detail: stderr.filter(|text| !text.is_empty()),
    }
}

/// The agent never had the message, and was given it as often as it is.
fn not_taken(end: Option<&ProcessEnd>, when: &str) -> ErrorRaised {
    let how = end.map_or("lost", |end| end.how.as_str());
    ErrorRaised {
        message: format!("the agent's process ended {when} ({how})"),
        hint: Some(
            "Send the message again: the agent never had it. `baton doctor` checks what is needed."
                .into(),
        ),
        ..unexpected_end(end)
    }
}

/// The agent had the message and went before it wrote it down.
fn not_kept(end: Option<&ProcessEnd>, worked: bool) -> ErrorRaised {
    let look = match worked {
        true => " Look first at what it did for it: that is not undone.",
        false => "",
    };
    let how = end.map_or("lost", |end| end.how.as_str());
    ErrorRaised {
        message: format!(
            "the agent's process ended in the middle of the turn, before it had written the \
             message down ({how})"
        ),
        hint: Some(format!(
            "Send the message again: the agent does not remember it.{look}"
        )),
        ..unexpected_end(end)
    }
}

pub(super) fn distrusted() -> ErrorRaised {
    ErrorRaised {
        code: ErrorCode::AgentExited,
        message: "the folder is no longer trusted, because what it would run by itself has \
                  changed; the agent was ended at once"
            .into(),
        hint: Some(
            "`baton trust` shows what it would run now and asks. Without it the next message \
             goes on with the folder's own settings left out."
                .into(),
        ),
        retryable: true,
        retry_at: None,
        detail: None,
    }
}

pub(super) fn unasked() -> ErrorRaised {
    ErrorRaised {
        code: ErrorCode::AgentExited,
        message: "the agent used a tool without asking Baton for permission, so no rule was \
                  looked at; it was ended at once"
            .into(),
        hint: Some(
            "Look at what the tool did. Settings of the agent that switch its hooks off cause \
             this; take them out and send a message to continue."
                .into(),
        ),
        retryable: true,
        retry_at: None,
        detail: None,
    }
}

fn silent(limit: Duration) -> ErrorRaised {
    ErrorRaised {
        code: ErrorCode::AgentSilent,
        message: format!(
            "the agent was silent for {} and was stopped",
            in_words(limit)
        ),
        hint: Some("Send a message to continue: the conversation so far is kept.".into()),
        retryable: true,
        retry_at: None,
        detail: None,
    }
}
