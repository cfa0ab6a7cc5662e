//! The lines the CLI writes, as values.

use serde_json::{Value, json};

use crate::clock::timestamp;
use crate::engine::{Engine, Message};

const TOOLS_197: [&str; 27] = [
    "Task",
    "AskUserQuestion",
    "Bash",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "NotebookEdit",
    "Read",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "Skill",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];
const TOOLS_325: [&str; 25] = [
    "Task",
    "AskUserQuestion",
    "Bash",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "ListAgents",
    "Monitor",
    "NotebookEdit",
    "Read",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "Skill",
    "TaskStop",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
];
const CAPABILITIES: [&str; 3] = [
    "interrupt_receipt_v1",
    "interrupt_cancel_queued_v1",
    "msg_lifecycle_v1",
];

/// The tools offered in this version.
pub(crate) fn tools(engine: &Engine) -> &'static [&'static str] {
    if engine.options.version.is_325() {
        &TOOLS_325
    } else {
        &TOOLS_197
    }
}

/// `system/init`, at the start of every turn.
pub(crate) fn init(engine: &mut Engine, uuids: &[String]) -> Value {
    let mut line = json!({
        "type": "system", "subtype": "init", "cwd": engine.options.cwd, "session_id": engine.session,
        "tools": tools(engine), "mcp_servers": [], "model": engine.model, "permissionMode": engine.mode,
        "slash_commands": ["clear", "compact", "context", "cost"], "apiKeySource": "ANTHROPIC_API_KEY",
        "claude_code_version": engine.options.version.number(), "output_style": "default",
        "agents": ["general-purpose"], "skills": [], "plugins": [], "analytics_disabled": true,
        "product_feedback_disabled": true, "uuid": engine.out.ids.uuid(), "fast_mode_state": "off",
    });
    if engine.options.version.is_325() {
        line["capabilities"] = json!(CAPABILITIES);
        line["original_cwd"] = json!(engine.options.cwd);
        line["user_message_uuids"] = json!(uuids);
    }
    line
}

/// A `system` line with its own fields.
pub(crate) fn system(engine: &mut Engine, subtype: &str, fields: Value) -> Value {
    let mut line = json!({
        "type": "system", "subtype": subtype, "uuid": engine.out.ids.uuid(), "session_id": engine.session,
    });
    extend(&mut line, fields);
    line
}

/// The echo of an accepted message.
pub(crate) fn replay(engine: &Engine, message: &Message) -> Value {
    json!({
        "type": "user", "message": {"role": "user", "content": message.content}, "session_id": engine.session,
        "parent_tool_use_id": null, "uuid": message.uuid, "timestamp": timestamp(), "isReplay": true,
    })
}

/// A `user` line of the CLI's own making, and its uuid.
pub(crate) fn user(engine: &mut Engine, content: &Value, parent: Option<&str>) -> (String, Value) {
    let uuid = engine.out.ids.uuid();
    let line = json!({
        "type": "user", "message": {"role": "user", "content": content}, "parent_tool_use_id": parent,
        "session_id": engine.session, "uuid": uuid, "timestamp": timestamp(),
    });
    (uuid, line)
}

/// An `assistant` line with one block, and its uuid.
pub(crate) fn assistant(
    engine: &mut Engine,
    block: &Value,
    parent: Option<&str>,
) -> (String, Value) {
    let uuid = engine.out.ids.uuid();
    let mut line = json!({
        "type": "assistant",
        "message": {
            "id": message_id(engine), "type": "message", "role": "assistant", "model": api_model(engine),
            "content": [block], "stop_reason": null, "stop_sequence": null, "usage": usage(1), "context_management": null,
        },
        "parent_tool_use_id": parent, "session_id": engine.session, "uuid": uuid,
        "request_id": format!("req_fake_{}", engine.api_calls),
    });
    if parent.is_some() {
        extend(
            &mut line,
            json!({"subagent_type": "general-purpose", "task_description": "helper"}),
        );
    }
    if engine.options.version.is_325() {
        line["timestamp"] = json!(timestamp());
    }
    (uuid, line)
}

/// An `assistant` line the CLI makes up itself, for errors and commands.
pub(crate) fn synthetic(engine: &mut Engine, text: &str, error: Option<&str>) -> (String, Value) {
    let uuid = engine.out.ids.uuid();
    let mut line = json!({
        "type": "assistant",
        "message": {
            "id": engine.out.ids.uuid(), "container": null, "model": "<synthetic>", "role": "assistant",
            "stop_details": null, "stop_reason": "stop_sequence", "stop_sequence": "", "type": "message",
            "usage": usage(0), "content": [{"type": "text", "text": text}], "context_management": null,
        },
        "parent_tool_use_id": null, "session_id": engine.session, "uuid": uuid,
    });
    if let Some(error) = error {
        line["error"] = json!(error);
    }
    (uuid, line)
}

/// A `stream_event` around one API event.
pub(crate) fn stream_event(engine: &mut Engine, event: &Value) -> Value {
    let mut line = json!({
        "type": "stream_event", "event": event, "session_id": engine.session, "parent_tool_use_id": null,
        "uuid": engine.out.ids.uuid(),
    });
    if event["type"] == "message_start" {
        line["ttft_ms"] = json!(1);
    } else if engine.options.version.is_325() {
        line["api_message_id"] = json!(message_id(engine));
    }
    line
}

/// A `result`; `fields` says what kind.
pub(crate) fn result(engine: &mut Engine, calls: u64, started_ms: u64, fields: Value) -> Value {
    let price = if engine.options.version.is_325() {
        0.0008
    } else {
        0.001
    };
    let total = u32::try_from(engine.api_calls).map_or(0.0, |calls| f64::from(calls) * price);
    let mut line = json!({
        "type": "result", "duration_ms": crate::clock::unix_millis().saturating_sub(started_ms), "duration_api_ms": 1,
        "session_id": engine.session, "total_cost_usd": total, "usage": usage(calls),
        "modelUsage": {&engine.model: {
            "inputTokens": 100 * engine.api_calls, "outputTokens": 20 * engine.api_calls, "cacheReadInputTokens": 0,
            "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": total, "contextWindow": 1_000_000,
            "maxOutputTokens": 64_000,
        }},
        "permission_denials": [], "fast_mode_state": "off", "uuid": engine.out.ids.uuid(),
    });
    extend(&mut line, fields);
    line
}

/// The result written when a session cannot be resumed.
pub(crate) fn failed_start(engine: &mut Engine, text: &str) -> Value {
    json!({
        "type": "result", "subtype": "error_during_execution", "duration_ms": 0, "duration_api_ms": 0,
        "is_error": true, "num_turns": 0, "stop_reason": null, "session_id": engine.session, "total_cost_usd": 0,
        "usage": usage(0), "modelUsage": {}, "permission_denials": [], "uuid": engine.out.ids.uuid(), "errors": [text],
    })
}

/// The answer to `initialize`.
pub(crate) fn initialized(engine: &Engine) -> Value {
    let mut answer = json!({
        "commands": [
            {"name": "clear", "description": "Start over", "argumentHint": ""},
            {"name": "compact", "description": "Summarise the conversation", "argumentHint": "<instructions>"},
        ],
        "agents": [{"name": "general-purpose", "description": "Any task"}],
        "output_style": "default", "available_output_styles": ["default"],
        "models": [{
            "value": "default", "resolvedModel": engine.options.version.default_model(), "displayName": "Default",
            "description": "The fake model", "supportsEffort": true,
            "supportedEffortLevels": ["low", "medium", "high"], "supportsAdaptiveThinking": true,
        }],
        "account": {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY", "apiProvider": "firstParty"},
        "pid": std::process::id(),
    });
    if engine.options.version.is_325() {
        let more = json!({
            "claude_code_version": engine.options.version.number(), "current_permission_mode": engine.mode,
            "session_state": "idle", "capabilities": CAPABILITIES, "fast_mode_state": "off",
            "hook_on_failure_supported": true,
        });
        extend(&mut answer, more);
    }
    answer
}

/// The current API message.
pub(crate) fn message_id(engine: &Engine) -> String {
    format!("msg_fake_{}", engine.api_calls)
}

/// The model as the API names it: without the window's suffix.
pub(crate) fn api_model(engine: &Engine) -> String {
    engine.model.trim_end_matches("[1m]").to_owned()
}

/// The usage of so many calls.
pub(crate) fn usage(calls: u64) -> Value {
    json!({
        "input_tokens": 100 * calls, "output_tokens": 20 * calls, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    })
}

/// The text of a message's content.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| block["text"].as_str())
                .collect();
            texts.join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

pub(crate) fn extend(line: &mut Value, fields: Value) {
    if let (Value::Object(line), Value::Object(fields)) = (line, fields) {
        line.extend(fields);
    }
}
