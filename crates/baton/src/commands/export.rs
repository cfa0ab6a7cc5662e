//! `baton export`

use baton_protocol::{Event, Seq};

use super::find_session;
use crate::{
    cli::{ExportArgs, Format},
    failure::{Exit, Failure},
    owner::Log,
    setup::Setup,
    terminal::Screen,
};

/// Events read at once; a session of any length is exported in little memory.
const PAGE: usize = 500;

pub(crate) async fn export(setup: &Setup, args: &ExportArgs) -> Result<Exit, Failure> {
    let log = Log::open(setup).await?;
    let id = find_session(log.store(), &args.id).await?;
    let mut screen = Screen::stdout(false);
    let mut after = Seq::START;
    loop {
        let page = log.store().read_after(id, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for stored in &page {
            match args.format {
                Format::Ndjson => screen.line(&stored.text)?,
                Format::Markdown => {
                    if let Some(text) = markdown(&stored.envelope()?.event) {
                        screen.line(&text)?;
                    }
                }
            }
        }
    }
    log.close().await;
    Ok(Exit::Success)
}

/// What a reader of the conversation wants to see of an event.
fn markdown(event: &Event) -> Option<String> {
    Some(match event {
        Event::SessionCreated(created) => {
            let title = created.title.as_deref().unwrap_or("Session");
            format!(
                "# {title}\n\nAgent: {}, in `{}`\n",
                created.agent, created.cwd
            )
        }
        Event::UserMessage(message) => format!("## You\n\n{}\n", message.text),
        Event::AssistantMessage(block) => {
            let who = block
                .0
                .parent_tool_use_id
                .as_ref()
                .map_or("Agent", |_| "Sub-agent");
            format!("## {who}\n\n{}\n", block.0.content)
        }
        Event::AssistantThinking(block) => {
            let quoted: Vec<String> = block
                .0
                .content
                .lines()
                .map(|line| format!("> {line}"))
                .collect();
            format!("{}\n", quoted.join("\n"))
        }
        Event::ToolRequested(tool) => format!("- **{}**: {}", tool.name, tool.label),
        Event::ToolCompleted(tool) => fenced(&tool.output),
        Event::ApprovalResolved(resolved) => {
            let why = resolved
                .message
                .as_deref()
                .map(|text| format!(": {text}"))
                .unwrap_or_default();
            format!("- *{} by {}{why}*\n", resolved.decision, resolved.by)
        }
        Event::Error(error) => format!("**Error:** {}\n", error.message),
        Event::TurnCompleted(turn) => {
            let cost = turn
                .cost_usd
                .map(|cost| format!(", ${cost:.4}"))
                .unwrap_or_default();
            format!(
                "---\n\n*Turn {}: {}, {} ms{cost}*\n",
                turn.turn, turn.stop_reason, turn.duration_ms
            )
        }
        Event::SessionStarted(_)
        | Event::SessionState(_)
        | Event::SessionUpdated(_)
        | Event::SessionEnded(_)
        | Event::TurnStarted(_)
        | Event::MessageDelivered(_)
        | Event::MessageRemoved(_)
        | Event::ApprovalRequested(_)
        | Event::SubagentStarted(_)
        | Event::SubagentStopped(_)
        | Event::TaskUpdated(_)
        | Event::TodoUpdated(_)
        | Event::ImageOutput(_)
        | Event::ContextUsage(_)
        | Event::ContextCompacted(_)
        | Event::CheckpointCreated(_)
        | Event::FilesRewound(_)
        | Event::ModelChanged(_)
        | Event::PermissionModeChanged(_)
        | Event::Notification(_)
        | Event::RuntimeFallback(_)
        | Event::AgentRetry(_)
        | Event::AgentUnknown(_)
        | Event::PtyOpened(_)
        | Event::PtyResized(_)
        | Event::PtyClosed(_)
        | Event::Unrecognised { .. } => return None,
    })
}

/// A block whose fence is longer than any inside it.
fn fenced(text: &str) -> String {
    let longest = text
        .lines()
        .map(|line| line.trim_start().chars().take_while(|c| *c == '`').count())
        .max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("\n{fence}\n{}\n{fence}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        assert_eq!(fenced("a\n```\nb"), "\n````\na\n```\nb\n````\n");
        assert_eq!(fenced("a"), "\n```\na\n```\n");
    }
}
