//! Every line of every recorded session, in both directions.

use std::collections::BTreeMap;
use std::path::Path;

use baton_claude::{ApiEvent, CliRequestBody, Delta, Message, RawJson, SystemMessage, decode};
use expect_test::{Expect, expect};
use serde::Deserialize;

/// One line of a recorded session.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) dir: String,
    pub(crate) msg: RawJson,
}

/// All recordings by name, without the line that describes the run.
pub(crate) fn recordings() -> BTreeMap<String, Vec<Row>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts");
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let rows = text
            .lines()
            .map(|line| serde_json::from_str::<Row>(line).unwrap());
        all.insert(name, rows.filter(|row| row.dir != "meta").collect());
    }
    assert_eq!(all.len(), 86);
    all
}

#[test]
fn every_recorded_line_of_the_cli_is_understood() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut unknown = Vec::new();
    for (name, rows) in recordings() {
        for row in rows.iter().filter(|row| row.dir == "out") {
            let message = decode(row.msg.get().as_bytes()).unwrap();
            let label = label(&message);
            if label.contains("other") || label.contains("unknown") {
                unknown.push(format!("{name}: {label}"));
            }
            *counts.entry(label).or_default() += 1;
        }
    }
    assert_eq!(unknown, Vec::<String>::new());
    let table: String = counts
        .iter()
        .map(|(label, count)| format!("{label} {count}\n"))
        .collect();
    counts_of_all_recordings().assert_eq(&table);
}

/// What the CLI said in all recordings together.
fn counts_of_all_recordings() -> Expect {
    expect![[r#"
        assistant 309
        cancel 2
        lifecycle cancelled 3
        lifecycle completed 7
        lifecycle queued 10
        lifecycle started 9
        request can_use_tool 37
        request hook MessageDisplay 11
        request hook PermissionRequest 1
        request hook PostCompact 1
        request hook PostToolBatch 7
        request hook PostToolUse 6
        request hook PostToolUseFailure 1
        request hook PreCompact 1
        request hook PreToolUse 8
        request hook SessionStart 1
        request hook Stop 9
        request hook SubagentStart 1
        request hook SubagentStop 2
        request hook TaskCreated 1
        request hook UserPromptSubmit 7
        request mcp_message 7
        response error 26
        response ok 168
        result error_during_execution Failed 4
        result error_during_execution Interrupted 8
        result error_max_budget_usd BudgetLimit 5
        result error_max_structured_output_retries BadStructuredOutput 1
        result error_max_turns TurnLimit 1
        result success ApiFailed { status: None } 2
        result success ApiFailed { status: Some(400) } 1
        result success ApiFailed { status: Some(401) } 1
        result success ApiFailed { status: Some(403) } 1
        result success ApiFailed { status: Some(404) } 1
        result success ApiFailed { status: Some(413) } 1
        result success ApiFailed { status: Some(429) } 1
        result success ApiFailed { status: Some(529) } 1
        result success Completed 136
        result success Interrupted 1
        stream content_block_start 68
        stream content_block_stop 67
        stream input_json_delta 21
        stream message_delta 52
        stream message_start 53
        stream message_stop 52
        stream signature_delta 1
        stream text_delta 180
        stream thinking_delta 9
        system api_retry 14
        system commands_changed 1
        system compact_boundary 2
        system hook_response 4
        system hook_started 4
        system init 165
        system model_fallback 1
        system notification 2
        system status 72
        system task_notification 12
        system task_progress 6
        system task_started 12
        system task_updated 11
        system thinking_tokens 9
        user 11
        user replay 35
        user synthetic 4
        user tool result 99
    "#]]
}

/// What a message is, for counting; `other` or `unknown` where it is raw.
fn label(message: &Message<'_>) -> String {
    match message {
        Message::System(system) => format!("system {}", system_label(&system.message)),
        Message::StreamEvent(event) => format!("stream {}", event_label(&event.event)),
        Message::Assistant(_) => "assistant".into(),
        Message::User(user) if user.is_replay => "user replay".into(),
        Message::User(user) if user.is_synthetic => "user synthetic".into(),
        Message::User(user) if user.tool_results().next().is_some() => "user tool result".into(),
        Message::User(_) => "user".into(),
        Message::Result(result) => format!("result {} {:?}", result.subtype, result.ending()),
        Message::ControlRequest(request) => match &request.body {
            CliRequestBody::CanUseTool(_) => "request can_use_tool".into(),
            CliRequestBody::HookCallback(hook) => {
                format!("request hook {}", hook.parsed().unwrap().hook_event_name)
            }
            CliRequestBody::McpMessage(_) => "request mcp_message".into(),
            CliRequestBody::Elicitation(_) => "request elicitation".into(),
            CliRequestBody::RequestUserDialog(_) => "request user_dialog".into(),
            CliRequestBody::Other { .. } => "request other".into(),
        },
        Message::ControlResponse(response) if response.outcome.is_ok() => "response ok".into(),
        Message::ControlResponse(_) => "response error".into(),
        Message::ControlCancelRequest { .. } => "cancel".into(),
        Message::CommandLifecycle(lifecycle) => format!("lifecycle {}", lifecycle.state),
        Message::ToolProgress(_)
        | Message::ToolUseSummary(_)
        | Message::AuthStatus(_)
        | Message::RateLimitEvent(_)
        | Message::PromptSuggestion(_)
        | Message::KeepAlive
        | Message::ConversationReset(_)
        | Message::Unknown(_) => "unknown".into(),
    }
}

fn system_label(message: &SystemMessage) -> &'static str {
    match message {
        SystemMessage::Init(_) => "init",
        SystemMessage::Status(_) => "status",
        SystemMessage::CompactBoundary(_) => "compact_boundary",
        SystemMessage::HookStarted(_) => "hook_started",
        SystemMessage::HookResponse(_) => "hook_response",
        SystemMessage::TaskStarted(_) => "task_started",
        SystemMessage::TaskProgress(_) => "task_progress",
        SystemMessage::TaskUpdated(_) => "task_updated",
        SystemMessage::TaskNotification(_) => "task_notification",
        SystemMessage::ApiRetry(_) => "api_retry",
        SystemMessage::ModelFallback(_) => "model_fallback",
        SystemMessage::ThinkingTokens(_) => "thinking_tokens",
        SystemMessage::CommandsChanged(_) => "commands_changed",
        SystemMessage::Notification(_) => "notification",
        SystemMessage::HookProgress(_)
        | SystemMessage::BackgroundTasksChanged(_)
        | SystemMessage::SessionStateChanged(_)
        | SystemMessage::Other { .. } => "other",
    }
}

fn event_label(event: &ApiEvent<'_>) -> &'static str {
    match event {
        ApiEvent::MessageStart(_) => "message_start",
        ApiEvent::ContentBlockStart { .. } => "content_block_start",
        ApiEvent::ContentBlockDelta { delta, .. } => match delta {
            Delta::Text(_) => "text_delta",
            Delta::Thinking(_) => "thinking_delta",
            Delta::Signature(_) => "signature_delta",
            Delta::InputJson(_) => "input_json_delta",
            Delta::Other(_) => "other",
        },
        ApiEvent::ContentBlockStop { .. } => "content_block_stop",
        ApiEvent::MessageDelta { .. } => "message_delta",
        ApiEvent::MessageStop => "message_stop",
        ApiEvent::Ping | ApiEvent::Error(_) | ApiEvent::Other(_) => "other",
    }
}
