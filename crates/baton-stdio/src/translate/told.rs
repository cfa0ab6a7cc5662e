//! Events that stand for themselves.

use baton_protocol::{
    Event,
    words::{ErrorCode, Runtime},
};

use super::{
    AgentNotification, CheckpointCreated, CompactBoundary, ContextWindowSize, FilesRewound,
    ImageOutput, ModelChanged, Output, PermissionModeChanged, SubagentStarted, SubagentStopped,
    TaskUpdate, TodoUpdate, Translator, trouble, unknown,
};
use crate::output::ContextUsage;

#[expect(
    clippy::too_many_lines,
    reason = "one arm per event, each a plain form of it"
)]
pub(super) fn told(event: &Event, state: &mut Translator, out: &mut Vec<Output>) {
    match event {
        Event::SubagentStarted(begun) => out.push(
            SubagentStarted {
                agent_id: begun.agent_id.clone(),
                agent_type: begun.agent_type.clone(),
                parent_tool_use_id: begun.parent_tool_use_id.clone(),
                description: begun.description.clone(),
            }
            .into(),
        ),
        Event::SubagentStopped(over) => out.push(
            SubagentStopped {
                agent_id: over.agent_id.clone(),
                agent_type: over.agent_type.clone(),
                parent_tool_use_id: over.parent_tool_use_id.clone(),
                status: over.status,
                result: over.result.clone(),
            }
            .into(),
        ),
        Event::TaskUpdated(task) => out.push(
            TaskUpdate {
                task_id: task.task_id.clone(),
                status: task.status,
                description: task.description.clone(),
                tool_use_id: task.tool_use_id.clone(),
                summary: task.summary.clone(),
            }
            .into(),
        ),
        Event::TodoUpdated(list) => out.push(
            TodoUpdate {
                todos: list.items.clone(),
            }
            .into(),
        ),
        // Whoever can read the log adds the image itself.
        Event::ImageOutput(image) => out.push(
            ImageOutput {
                image_id: image.image_id.to_string(),
                media_type: image.media_type.clone(),
                bytes: image.bytes,
                width: image.width,
                height: image.height,
                tool_use_id: image.tool_use_id.clone(),
                data: None,
                path: None,
            }
            .into(),
        ),
        Event::ContextUsage(usage) => {
            out.push(
                ContextUsage {
                    message_id: None,
                    usage: None,
                    tokens: Some(usage.tokens),
                }
                .into(),
            );
            out.push(
                ContextWindowSize {
                    window: usage.window,
                    tokens: usage.tokens,
                    model: state.model.clone(),
                }
                .into(),
            );
        }
        Event::ContextCompacted(compacted) => out.push(
            CompactBoundary {
                trigger: compacted.trigger.clone(),
                pre_tokens: compacted.tokens_before,
                post_tokens: compacted.tokens_after,
            }
            .into(),
        ),
        Event::CheckpointCreated(made) => out.push(
            CheckpointCreated {
                checkpoint_id: made.checkpoint_id,
            }
            .into(),
        ),
        Event::FilesRewound(rewound) => out.push(
            FilesRewound {
                checkpoint_id: rewound.checkpoint_id,
                files: rewound.files.clone(),
                dry_run: false,
                request_id: state.expected.rewound(rewound.checkpoint_id),
            }
            .into(),
        ),
        Event::ModelChanged(changed) => {
            state.model.clone_from(&changed.model);
            out.push(
                ModelChanged {
                    model: changed.model.clone(),
                    reason: changed.reason.clone(),
                    request_id: state.expected.model(changed.model.as_deref()),
                }
                .into(),
            );
        }
        Event::PermissionModeChanged(changed) => out.push(
            PermissionModeChanged {
                mode: changed.mode,
                by: changed.by.clone(),
                request_id: state.expected.mode(changed.mode),
            }
            .into(),
        ),
        // What is said to the model in the user's place is not for people.
        Event::Notification(note) if note.kind == "synthetic" => {}
        Event::Notification(note) => {
            notify(&note.kind, note.title.clone(), &note.message, out);
        }
        Event::RuntimeFallback(fallback) => {
            let how = match (fallback.from, fallback.to) {
                (from, to) if from == to => "in a new process",
                (_, Runtime::Streaming) => "with one process for all turns",
                (_, Runtime::Resume) => "with a process per turn",
            };
            let message = format!("{}; it goes on {how}", fallback.reason);
            state.lost = None;
            state.process_gone(&fallback.reason, out);
            notify("runtime_fallback", None, &message, out);
        }
        Event::AgentRetry(retry) => {
            let message = format!(
                "attempt {} failed ({}); the next one comes in {} ms",
                retry.attempt, retry.reason, retry.delay_ms
            );
            notify("retry", None, &message, out);
        }
        Event::AgentUnknown(unknown) => out.push(unknown::told(&unknown.raw).into()),
        Event::Error(raised) if state.expects_refusal(raised) => {}
        Event::Error(raised) => {
            if raised.code == ErrorCode::AgentLost {
                state.process_lost(&raised.message);
            }
            out.push(trouble(raised, false));
        }
        // Told by other lines, or of no interest to a parent.
        Event::SessionCreated(_)
        | Event::SessionStarted(_)
        | Event::SessionState(_)
        | Event::SessionUpdated(_)
        | Event::SessionEnded(_)
        | Event::TurnStarted(_)
        | Event::TurnCompleted(_)
        | Event::UserMessage(_)
        | Event::MessageDelivered(_)
        | Event::MessageRemoved(_)
        | Event::MessageEdited(_)
        | Event::MessageMoved(_)
        | Event::QueueHeld(_)
        | Event::QueueReleased(_)
        | Event::AssistantMessage(_)
        | Event::AssistantThinking(_)
        | Event::ToolRequested(_)
        | Event::ToolCompleted(_)
        | Event::ApprovalRequested(_)
        | Event::ApprovalResolved(_)
        | Event::PtyOpened(_)
        | Event::PtyResized(_)
        | Event::PtyClosed(_)
        | Event::Unrecognised { .. } => {}
    }
}

pub(super) fn notify(kind: &str, title: Option<String>, message: &str, out: &mut Vec<Output>) {
    out.push(
        AgentNotification {
            title,
            message: message.to_owned(),
            notification_type: kind.to_owned(),
            raw: None,
        }
        .into(),
    );
}
