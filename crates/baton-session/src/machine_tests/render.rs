//! What follows from a step, in as few words as it can be told.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for a few kinds among all"
)]

use std::collections::BTreeMap;

use baton_protocol::{
    ApprovalId, Event, MessageId,
    event::{ApprovalResolved, ErrorRaised},
};

use super::super::{CloseRequest, Effect, Rejected, Reply};
use crate::agents::{AgentCommand, AskDecision, GateAnswer};

type Names = BTreeMap<ApprovalId, String>;

pub(super) fn followed(reply: &Reply, effects: &[Effect], names: &Names) -> String {
    let mut told: Vec<String> = effects.iter().map(|done| effect(done, names)).collect();
    match reply {
        Reply::Done => {}
        Reply::Message { turn, state, .. } => told.push(match turn {
            Some(turn) => format!("→ turn {turn}, {state}"),
            None => format!("→ waits, {state}"),
        }),
        Reply::Later { request } => told.push(format!("→ later {}", step(request))),
    }
    if told.is_empty() {
        return "nothing".into();
    }
    told.join("; ")
}

pub(super) fn refused(rejected: &Rejected, names: &Names) -> String {
    match rejected {
        Rejected::AlreadyAnswered(winner) => {
            let by = winner.client.as_ref().map_or("", |client| &client.name);
            let name = named(winner.approval_id, names);
            let text = format!(
                "{name} was already {} by {} {by}",
                winner.decision, winner.by
            );
            text.trim_end().to_owned()
        }
        Rejected::UnknownApproval { approval } => {
            format!("unknown approval {}", named(*approval, names))
        }
        Rejected::MessageConflict { id } => format!("{} has other text", short(*id)),
        Rejected::NotQueued { id } => format!("{} is not queued", short(*id)),
        other => other.to_string(),
    }
}

fn named(approval: ApprovalId, names: &Names) -> String {
    names.get(&approval).cloned().unwrap_or_else(|| "?".into())
}

fn effect(effect: &Effect, names: &Names) -> String {
    match effect {
        Effect::Record { event: said, .. } => event(said, names),
        Effect::At(at) => format!("at {}", at.as_millis()),
        Effect::Blob { bytes, .. } => format!("blob of {} bytes", bytes.len()),
        Effect::AddRule { rule, decision, .. } => {
            format!("rule {decision} {} for {}", rule.text, rule.scope)
        }
        Effect::OpenRequest { request, .. } => format!("open {request}"),
        Effect::CloseRequest { request, close } => match close {
            CloseRequest::Answered(_) => format!("keep answer {request}"),
            CloseRequest::Confirmed => format!("confirmed {request}"),
            CloseRequest::Dropped => format!("drop {request}"),
        },
        Effect::Live(live) => format!("live {}", live.name()),
        Effect::Start => "START".into(),
        Effect::Tell(command) => format!("tell {}", told(command)),
        Effect::RememberEnd { .. } => "remember the end".into(),
        Effect::CloseStdin => "CLOSE STDIN".into(),
        Effect::Kill { has_work: false } => "KILL".into(),
        Effect::Kill { has_work: true } => "KILL AT ONCE".into(),
        Effect::Settled { request, outcome } => match outcome {
            Ok(answer) => format!("settled {}: {}", step(request), answer.text()),
            Err(why) => format!("settled {}: failed, {why}", step(request)),
        },
    }
}

fn told(command: &AgentCommand) -> String {
    match command {
        AgentCommand::Prompt {
            message_id, text, ..
        } if text == "other" => format!("prompt {} {text}", short(*message_id)),
        AgentCommand::Prompt { message_id, .. } => format!("prompt {}", short(*message_id)),
        AgentCommand::Answer { request, answer } => match &answer.decision {
            AskDecision::Allow {
                modified_input,
                mode,
            } => {
                let changed = if modified_input.is_some() {
                    " changed"
                } else {
                    ""
                };
                let mode = mode.map(|mode| format!(" {mode}")).unwrap_or_default();
                format!("allow {request}{changed}{mode}")
            }
            AskDecision::Deny { message, interrupt } => {
                let stop = if *interrupt { " and stop" } else { "" };
                format!("deny {request}{stop} ({message})")
            }
        },
        AgentCommand::Gate { request, answer } => match answer {
            GateAnswer::Pass => format!("pass {request}"),
            GateAnswer::Ask { reason } => format!("make {request} ask ({reason})"),
            GateAnswer::Deny { message } => format!("stop {request} ({message})"),
        },
        AgentCommand::Refuse { request, message } => format!("refuse {request}: {message}"),
        AgentCommand::Interrupt { .. } => "interrupt".into(),
        AgentCommand::SetModel { model, .. } => format!("model {model:?}"),
        AgentCommand::SetPermissionMode { mode, .. } => format!("mode {mode}"),
        AgentCommand::RewindFiles { dry_run: true, .. } => "rewind, dry".into(),
        AgentCommand::RewindFiles { dry_run: false, .. } => "rewind".into(),
        AgentCommand::ContextUsage { .. } => "context".into(),
        AgentCommand::StopTask { task_id, .. } => format!("stop {task_id}"),
        AgentCommand::McpStatus { .. }
        | AgentCommand::Cost { .. }
        | AgentCommand::Initialize { .. }
        | AgentCommand::HostAnswer { .. } => format!("{command:?}"),
    }
}

fn decided(resolved: &ApprovalResolved, names: &Names) -> String {
    let name = named(resolved.approval_id, names);
    let (decision, by) = (resolved.decision, resolved.by);
    let mode = resolved.mode.map(|mode| format!(" {mode}"));
    let rule = resolved.rule.as_ref().map(|rule| format!(" {rule}"));
    let nobody = if resolved.unattended {
        " unattended"
    } else {
        ""
    };
    let (mode, rule) = (mode.unwrap_or_default(), rule.unwrap_or_default());
    format!("{name} {decision} by {by}{mode}{nobody}{rule}")
}

fn event(event: &Event, names: &Names) -> String {
    let name = event.name();
    let rest = match event {
        Event::SessionState(changed) => return changed.state.to_string().to_uppercase(),
        Event::SessionStarted(started) => started.model.clone().unwrap_or_default(),
        Event::SessionUpdated(updated) => {
            let tools = updated.folder_tools.as_ref();
            let tools = tools.map(|left| format!(" tools {left:?}"));
            let tools = tools.unwrap_or_default();
            format!("{:?} {:?}{tools}", updated.title, updated.agent_session_id)
        }
        Event::SessionEnded(ended) => format!("{} {:?}", ended.status, ended.reason),
        Event::TurnStarted(started) => {
            let ended = started.because.iter();
            let why = ended.map(|one| format!(" ({} {})", one.id, one.status));
            let with = started.message_id.map(|id| format!(" with {}", short(id)));
            format!(
                "{} {}{}{}",
                started.turn,
                started.origin,
                with.unwrap_or_default(),
                why.collect::<String>()
            )
        }
        Event::TurnCompleted(completed) => {
            let error = if completed.is_error { " error" } else { "" };
            let ids = completed.message_ids.iter().map(|id| short(*id));
            let ids = ids.collect::<Vec<_>>().join(" ");
            let code = completed.exit_code.map(|code| format!(" exit {code}"));
            let code = code.unwrap_or_default();
            let running = completed.still_running.iter();
            let running: String = running.map(|one| format!(" +{}", one.id)).collect();
            format!(
                "{} [{ids}] {}{error}{code}{running}",
                completed.turn, completed.stop_reason
            )
        }
        Event::UserMessage(message) => {
            let queued = if message.queued { " queued" } else { "" };
            format!("{}{queued}", short(message.message_id))
        }
        Event::MessageDelivered(delivered) => short(delivered.message_id),
        Event::MessageRemoved(removed) => {
            let why = removed.reason.as_ref().map(|why| format!(" ({why})"));
            format!("{}{}", short(removed.message_id), why.unwrap_or_default())
        }
        Event::MessageEdited(edited) => format!("{} {}", short(edited.message_id), edited.text),
        Event::MessageMoved(moved) => {
            let before = moved.before.map_or_else(|| "the end".into(), short);
            format!("{} to {before}", short(moved.message_id))
        }
        Event::QueueHeld(held) => {
            let why = held.reason.as_ref().map(|why| format!("({why})"));
            why.unwrap_or_default()
        }
        Event::QueueReleased(released) => released.message_id.map(short).unwrap_or_default(),
        Event::CheckpointCreated(checkpoint) => short(checkpoint.checkpoint_id),
        Event::AssistantMessage(message) => message.0.content.clone(),
        Event::ToolRequested(tool) => tool.tool_use_id.clone(),
        Event::ToolCompleted(tool) => {
            let error = if tool.is_error { " error" } else { "" };
            let cut = tool.bytes.map(|bytes| format!(" cut from {bytes}"));
            format!("{}{error}{}", tool.tool_use_id, cut.unwrap_or_default())
        }
        Event::ApprovalRequested(asked) => asked.kind.to_string(),
        Event::ApprovalResolved(resolved) => decided(resolved, names),
        Event::SubagentStarted(agent) => agent.agent_id.clone(),
        Event::SubagentStopped(agent) => format!("{} {}", agent.agent_id, agent.status),
        Event::TaskUpdated(task) => format!("{} {}", task.task_id, task.status),
        Event::RuntimeFallback(fallback) => {
            let by = fallback.continued_by.map(|_| " continued");
            format!("{}{}", fallback.to, by.unwrap_or_default())
        }
        Event::FilesRewound(rewound) => rewound.files.join(" "),
        Event::ModelChanged(changed) => format!("{:?}", changed.model),
        Event::PermissionModeChanged(changed) => format!("{} by {}", changed.mode, changed.by),
        Event::Notification(told) => format!("{} ({})", told.kind, told.message),
        Event::Error(ErrorRaised { code, message, .. }) => format!("{code} ({message})"),
        _ => String::new(),
    };
    format!("{name} {rest}").trim_end().to_owned()
}

fn short(id: MessageId) -> String {
    format!("m{}", id.uuid().as_u128() & 0xff)
}

/// Our own requests are named by the step that made them.
fn step(request: &str) -> String {
    let id = uuid::Uuid::parse_str(request).map(|id| id.as_u128());
    id.map_or_else(|_| request.to_owned(), |number| format!("#{number}"))
}
