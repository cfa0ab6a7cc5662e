//! What follows from what the agent says.

use baton_protocol::{
    Event,
    api::{GateLevel, Rewound},
    event::{
        CheckpointCreated, FilesRewound, MessageDelivered, ModelChanged, ToolCompleted,
        TurnCompleted, TurnStarted,
    },
    words::{ApprovalKind, Json, Origin, StopReason},
};

use super::{Asked, Effect, Phase, Process, RunningTurn, Spent, Step, Stopping, Why};
use crate::{
    agents::{AgentCommand, AgentOutput, ToolResult, TurnEnd, Whole},
    blob,
};

/// Longer tool outputs are kept beside the log; the event carries the head.
const OUTPUT_LIMIT: usize = 64 * 1024;

impl Step<'_> {
    pub(super) fn agent(&mut self, output: AgentOutput) {
        if matches!(self.machine.facts.phase, Phase::Ended { .. }) {
            return;
        }
        self.machine.life.heard = self.moment.at;
        match output {
            AgentOutput::Compacting(compacting) => self.machine.life.compacting = compacting,
            AgentOutput::Ready => self.ready(),
            AgentOutput::Started(started) => self.started(started),
            AgentOutput::TurnStarted => self.turn_started(),
            AgentOutput::AtRest => self.at_rest(),
            AgentOutput::Taken(message) => self.taken(message),
            AgentOutput::Unstopped => self.ask_again_to_stop(),
            AgentOutput::Event { event, agent_id } => self.said(event, agent_id),
            AgentOutput::Live(live) => self.effect(Effect::Live(live)),
            AgentOutput::ToolResult(result) => {
                self.tool_ended(result);
                self.ask_for_cost();
            }
            AgentOutput::Blob {
                id,
                media_type,
                bytes,
            } => self.effect(Effect::Blob {
                id,
                media_type,
                bytes,
            }),
            AgentOutput::Ask { request, ask } => self.asked(request, ask),
            AgentOutput::Gate { request, ask } => self.gate(request, &ask),
            AgentOutput::AskWithdrawn { request } => self.withdrawn(&request),
            AgentOutput::Spent(usage) => self.machine.life.spent.usage = Some(usage),
            AgentOutput::TurnEnded(end) => self.turn_ended(end),
            AgentOutput::Reply { request, outcome } => self.replied(request, outcome),
            AgentOutput::Unsupported { request, what } => self.refuse(request, &what),
            // Where there is a host, its messages do not come this far.
            AgentOutput::HostMessage { request, .. } => {
                self.refuse(request, "an MCP server that is not here");
            }
            AgentOutput::Greeting(_) => {}
        }
    }

    fn ready(&mut self) {
        let Process::Starting { unsent, .. } = &mut self.machine.process else {
            return;
        };
        let unsent = std::mem::take(unsent);
        self.machine.process = Process::Ready;
        for command in unsent {
            self.effect(Effect::Tell(command));
        }
        self.ask_for_cost();
        self.prompt();
    }

    fn turn_started(&mut self) {
        if matches!(self.machine.facts.phase, Phase::Idle) {
            self.machine.life.spent = Spent::default();
            let aftermath = self.machine.life.aftermath.take();
            self.record(TurnStarted {
                turn: self.machine.facts.open.turn.next(),
                origin: Origin::Agent,
                message_id: None,
                because: aftermath.map(|one| one.ended).unwrap_or_default(),
            });
            if self.machine.life.hush {
                self.ask_to_stop(Why::Asked);
            }
        }
    }

    fn taken(&mut self, message_id: baton_protocol::MessageId) {
        let Phase::Running(running) = &self.machine.facts.phase else {
            return;
        };
        let mut messages = running.messages.iter().chain(&running.continuation);
        let Some(message) = messages.find(|message| message.message_id == message_id) else {
            return;
        };
        if running.delivered.contains(&message_id) {
            return;
        }
        // The agent's own commands begin no checkpoint. Those that stand for a
        // prompt do, but nobody can tell them apart here: none is promised.
        let is_command = message.text.starts_with('/')
            || running.continuation.as_ref().map(|one| one.message_id) == Some(message_id);
        self.record(MessageDelivered { message_id });
        let created = self.machine.facts.created.as_ref();
        let checkpoints = created.and_then(|created| created.options.checkpointing);
        if checkpoints == Some(true) && !is_command {
            self.record(CheckpointCreated {
                checkpoint_id: message_id,
            });
        }
    }

    fn said(&mut self, event: Event, agent_id: Option<String>) {
        if let Event::PermissionModeChanged(changed) = &event {
            self.agent_mode(changed.mode, &changed.by);
            return;
        }
        if let Event::ModelChanged(changed) = event {
            self.agent_model(changed);
            return;
        }
        let open = &self.machine.facts.open;
        let repeated = if let Event::ToolRequested(requested) = &event {
            open.tool(&requested.tool_use_id).is_some()
        } else if let Event::SubagentStarted(started) = &event {
            open.has_subagent(&started.agent_id)
        } else if let Event::SubagentStopped(stopped) = &event {
            !open.has_subagent(&stopped.agent_id)
        } else {
            false
        };
        if let Event::AgentRetry(retry) = &event {
            let delay = std::time::Duration::from_millis(retry.delay_ms);
            self.machine.life.quiet_until = Some(self.moment.at.plus(delay));
        }
        if repeated {
            return;
        }
        self.ended_beside(&event);
        if let Event::SubagentStopped(stopped) = &event {
            self.subagent_left(stopped);
        }
        let event = self.name_budget(event);
        self.record_from(event, agent_id);
    }

    fn tool_ended(&mut self, result: ToolResult) {
        let gated = self.machine.has_passed_gate(&result.tool_use_id);
        // A result without its call, or a second one, says nothing new.
        let Some(open) = self.machine.facts.open.tool(&result.tool_use_id).cloned() else {
            return;
        };
        let watched = self.machine.watches_gate && self.capabilities().gate == GateLevel::Every;
        let ran = watched && !result.is_error;
        let past_the_gate = ran && !gated && !self.machine.facts.text_output;
        self.cancel_questions_about(&result.tool_use_id);
        self.confirm_answers_about(&result.tool_use_id);
        let took = self
            .machine
            .own
            .tool_took(&result.tool_use_id, self.moment.at);
        let mut completed = ToolCompleted {
            tool_use_id: result.tool_use_id,
            name: open.name,
            output: result.output,
            detail: result
                .detail
                .filter(|detail| detail.text().len() <= OUTPUT_LIMIT),
            is_error: result.is_error,
            duration_ms: millis(took),
            images: result.images,
            truncated: false,
            bytes: None,
            output_blob: None,
            parent_tool_use_id: result.parent_tool_use_id.or(open.parent_tool_use_id),
        };
        let head = completed.output.floor_char_boundary(OUTPUT_LIMIT);
        let whole = match result.whole {
            Whole::Read(whole) => Some(whole),
            Whole::Said | Whole::Kept(_) => {
                (head < completed.output.len()).then(|| completed.output.clone().into_bytes())
            }
        };
        completed.output.truncate(head);
        if let Some(whole) = whole {
            completed.truncated = true;
            completed.bytes = Some(whole.len() as u64);
            let id = blob::id_of(&whole);
            completed.output_blob = Some(id);
            self.effect(Effect::Blob {
                id,
                media_type: "text/plain; charset=utf-8".into(),
                bytes: whole,
            });
        }
        self.record_from(completed, result.agent_id);
        if past_the_gate {
            self.ran_unasked();
        }
    }

    /// An agent that uses a tool without permission does so again.
    fn ran_unasked(&mut self) {
        if self.machine.process == Process::Ready {
            self.record(super::endings::unasked());
            self.kill_because(Why::Unasked);
        }
    }

    fn turn_ended(&mut self, end: TurnEnd) {
        // A result nobody announced still was a turn.
        self.turn_started();
        let Phase::Running(running) = self.machine.facts.phase.clone() else {
            return;
        };
        let stopping = self.machine.life.stopping.take();
        let interrupted = end.stop_reason == Some(StopReason::Interrupted);
        // Its own count is the better one.
        self.machine.life.spent = Spent {
            cost_usd: end.cost_usd,
            usage: end.usage.or(self.machine.life.spent.usage),
        };
        if let Some(Stopping { why: Why::Hung, .. }) = stopping
            && interrupted
        {
            // It stopped because it was told to, not because it was done.
            self.kill_because(Why::Hung);
            return;
        }
        self.close_what_the_turn_left();
        let mut message_ids: Vec<_> = running.message_ids().collect();
        message_ids.extend(end.messages.iter().filter(|id| {
            self.machine.facts.messages.contains_key(id)
                && !running.message_ids().any(|one| one == **id)
        }));
        let stop_reason = match stopping.map(|stopping| stopping.why) {
            Some(Why::TimedOut) if interrupted || end.stop_reason.is_none() => StopReason::Timeout,
            Some(Why::OverBudget) if interrupted || end.stop_reason.is_none() => StopReason::Budget,
            Some(Why::Asked) => end.stop_reason.unwrap_or(StopReason::Interrupted),
            _ if end.is_error => end.stop_reason.unwrap_or(StopReason::Error),
            _ => end.stop_reason.unwrap_or(StopReason::End),
        };
        let spent = self.take_spent(&running);
        // The agent counts only what it did itself, and only in this process.
        let took = self.machine.own.turn_took(self.moment.at);
        self.record(TurnCompleted {
            turn: running.turn,
            message_ids,
            stop_reason,
            exit_code: None,
            is_error: end.is_error,
            result: end.result,
            structured_output: end.structured_output,
            duration_ms: millis(took),
            cost_usd: spent.cost_usd,
            usage: spent.usage,
            stats: self.machine.facts.stats.clone(),
            still_running: self.machine.still_running(),
        });
        self.machine.life.cost_before = None;
        self.ask_for_cost();
        self.confirm_answers_of_the_turn();
        self.machine.life.compacting = false;
        self.machine.life.quiet_until = None;
        if self.machine.ending.is_some() {
            self.kill_process();
        } else {
            // The next turn may want a process of its own.
            self.settle_process();
        }
    }

    /// What the whole turn has used up, in all its processes.
    pub(super) fn take_spent(&mut self, running: &RunningTurn) -> Spent {
        let last = std::mem::take(&mut self.machine.life.spent);
        let spent = running.carried.plus(last);
        self.machine.spent_today_usd += spent.cost_usd.unwrap_or(0.0);
        spent
    }

    /// Ends the calls and questions of the turn itself. Those of sub-agents
    /// that go on in the background stay.
    fn close_what_the_turn_left(&mut self) {
        self.stop_subagents_of_the_turn();
        let going_on = self.machine.facts.open.subagents();
        let going_on: Vec<_> = going_on.filter_map(|one| one.tool_use_id.clone()).collect();
        self.close_tools(|tool| match &tool.parent_tool_use_id {
            Some(parent) => !going_on.contains(parent),
            None => true,
        });
        self.cancel_where("the turn ended before it was answered", |open, asked| {
            let agent = asked.agent_id.as_deref();
            asked.kind != ApprovalKind::Other && agent.is_none_or(|one| !open.has_subagent(one))
        });
    }

    fn replied(&mut self, request: String, outcome: Result<Json, String>) {
        let Some(awaiting) = self.machine.life.awaiting.remove(&request) else {
            return;
        };
        let refused = match &outcome {
            Ok(answer) => awaiting.what.refused_by(answer),
            Err(why) => Some(why.clone()),
        };
        let (Ok(answer), None) = (&outcome, &refused) else {
            self.settle(request, awaiting.what, Err(refused.unwrap_or_default()));
            return;
        };
        match awaiting.what {
            Asked::Model(model) => {
                let reason = Some("user".into());
                self.model_is(ModelChanged { model, reason });
            }
            Asked::Mode(mode) => self.mode_is(mode, "user"),
            Asked::RewindFiles { checkpoint } => {
                let next = Asked::Rewind {
                    checkpoint,
                    preview: answer.clone(),
                    asker: request,
                };
                self.ask_agent(next, |id| AgentCommand::RewindFiles {
                    id,
                    checkpoint,
                    dry_run: false,
                });
                return;
            }
            Asked::Rewind {
                checkpoint,
                preview,
                asker,
            } => {
                self.record(FilesRewound {
                    checkpoint_id: checkpoint,
                    files: rewound(&preview).files_changed,
                });
                self.effect(Effect::Settled {
                    request: asker,
                    outcome: Ok(preview),
                });
                return;
            }
            Asked::Cost => {
                self.has_cost(answer);
                return;
            }
            Asked::RewindPreview | Asked::Question => {}
        }
        self.effect(Effect::Settled { request, outcome });
    }
}

impl Step<'_> {
    /// Gives the asker its answer, also where it took two requests.
    pub(super) fn settle(&mut self, request: String, what: Asked, outcome: Result<Json, String>) {
        let request = match what {
            Asked::Rewind { asker, .. } => asker,
            Asked::Model(_)
            | Asked::Mode(_)
            | Asked::RewindPreview
            | Asked::RewindFiles { .. }
            | Asked::Cost
            | Asked::Question => request,
        };
        self.effect(Effect::Settled { request, outcome });
    }
}

impl Asked {
    /// Why an answer that came without an error is a refusal all the same.
    fn refused_by(&self, answer: &Json) -> Option<String> {
        match self {
            Self::RewindPreview | Self::RewindFiles { .. } | Self::Rewind { .. } => {
                let answer = answer.value();
                let why = answer["error"]
                    .as_str()
                    .unwrap_or("files cannot be rewound");
                (answer["canRewind"] == false).then(|| why.to_owned())
            }
            Self::Model(_) | Self::Mode(_) | Self::Cost | Self::Question => None,
        }
    }
}

/// What an agent says of the files that it puts back. One that says it in
/// another form has put back none that are known.
pub(crate) fn rewound(answer: &Json) -> Rewound {
    serde_json::from_str(answer.text()).unwrap_or_default()
}

pub(super) fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
