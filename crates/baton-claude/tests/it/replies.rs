//! Every recorded line of the host, built again from our types.

use baton_claude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::recordings::recordings;

#[test]
fn every_recorded_line_of_the_host_can_be_built_from_our_types() {
    let mut exceptions = Vec::new();
    for (name, rows) in recordings() {
        for row in rows.iter().filter(|row| row.dir == "in") {
            let wanted: Value = row.msg.parse().unwrap();
            if is_never_asked(&wanted) {
                continue;
            }
            let Some(line) = rebuild(&wanted) else {
                exceptions.push(format!("{name}: {}", exception(&wanted)));
                continue;
            };
            let mut built: Value = serde_json::from_slice(&encode(&line).unwrap()).unwrap();
            // Request ids of the recordings are not UUIDs; ours always are.
            if wanted["type"] == "control_request" {
                built["request_id"] = wanted["request_id"].clone();
            }
            assert_eq!(without_nulls(&built), without_nulls(&wanted), "{name}");
        }
    }
    exceptions.sort();
    exceptions.dedup();
    assert_eq!(exceptions, EXCEPTIONS);
}

/// What the recordings did on purpose and this crate makes impossible.
const EXCEPTIONS: &[&str] = &[
    // Messages without a uuid.
    r#"03-permission-edge-cases: {"message":null,"parent_tool_use_id":null,"session_id":"","type":"user"}"#,
    // An allow without the input, and an answer of no known shape.
    r#"03-permission-edge-cases: {"response":{"response":{"behavior":"allow"},"subtype":"success"},"type":"control_response"}"#,
    r#"03-permission-edge-cases: {"response":{"response":{"hello":1},"subtype":"success"},"type":"control_response"}"#,
    r#"24b-rewind-after-resume: {"message":null,"parent_tool_use_id":null,"session_id":"","type":"user"}"#,
    r#"25-parallel-permissions: {"message":null,"parent_tool_use_id":null,"session_id":"","type":"user"}"#,
    r#"26-hook-decisions: {"message":null,"parent_tool_use_id":null,"session_id":"","type":"user"}"#,
    r#"31-mode-and-model-change: {"message":null,"parent_tool_use_id":null,"session_id":"","type":"user"}"#,
    r#"v325-basic: {"response":{"response":{"behavior":"allow"},"subtype":"success"},"type":"control_response"}"#,
];

/// Whether a line is a request that the recordings tried and Baton never makes.
fn is_never_asked(line: &Value) -> bool {
    let subtype = line["request"]["subtype"].as_str().unwrap_or_default();
    line["type"] == "control_request" && !ASKED.contains(&subtype)
}

/// What Baton asks.
const ASKED: &[&str] = &[
    "initialize",
    "interrupt",
    "set_permission_mode",
    "set_model",
    "mcp_status",
    "rewind_files",
    "get_context_usage",
    "get_usage",
    "stop_task",
];

fn exception(line: &Value) -> String {
    let part = if line["type"] == "control_request" {
        &line["request"]
    } else {
        line
    };
    let mut part = part.clone();
    if let Some(message) = part.get_mut("message") {
        *message = Value::Null;
    }
    if let Some(response) = part.get_mut("response").and_then(Value::as_object_mut) {
        response.remove("request_id");
    }
    part.to_string()
}

/// None for what cannot be said with our types.
fn rebuild(line: &Value) -> Option<Outgoing> {
    match line["type"].as_str()? {
        "user" => rebuild_user(line).map(Outgoing::User),
        "control_request" => {
            let mut body = line["request"].clone();
            let subtype = body.as_object_mut()?.remove("subtype")?;
            let request = rebuild_request(subtype.as_str()?, &body)?;
            Some(Outgoing::Request {
                request_id: uuid::Uuid::nil(),
                request,
            })
        }
        "control_response" => {
            let response = &line["response"];
            let reply = match response["subtype"].as_str()? {
                "error" => Reply::Error(response["error"].as_str()?.to_owned()),
                _ => rebuild_reply(&response["response"])?,
            };
            let request_id = response["request_id"].as_str()?.to_owned();
            Some(Outgoing::Reply { request_id, reply })
        }
        _ => None,
    }
}

fn rebuild_user(line: &Value) -> Option<UserMessage> {
    let content = &line["message"]["content"];
    let content = match content.as_str() {
        Some(text) => UserContent::Text(text.to_owned()),
        None => UserContent::Blocks(serde_json::from_value(content.clone()).ok()?),
    };
    let uuid = line.get("uuid")?.as_str()?.parse().ok()?;
    let mut message = UserMessage::new(uuid, content);
    message.priority = line
        .get("priority")
        .and_then(Value::as_str)
        .map(Priority::from);
    Some(message)
}

fn rebuild_reply(body: &Value) -> Option<Reply> {
    if let Some(answer) = body.get("mcp_response") {
        return Some(Reply::Mcp(RawJson::from(answer.clone())));
    }
    match body.get("behavior").and_then(Value::as_str) {
        Some("allow") => {
            let updates = body
                .get("updatedPermissions")
                .cloned()
                .unwrap_or(Value::Array(vec![]));
            Some(Reply::Permission(PermissionDecision::Allow {
                updated_input: RawJson::from(body.get("updatedInput")?.clone()),
                updated_permissions: serde_json::from_str(&updates.to_string()).unwrap(),
            }))
        }
        Some(_) => Some(Reply::Permission(PermissionDecision::Deny {
            message: body["message"].as_str()?.to_owned(),
            interrupt: body.get("interrupt") == Some(&Value::Bool(true)),
        })),
        None => read::<HookOutput>(body).map(|output| Reply::Hook(Box::new(output))),
    }
}

fn read<T: DeserializeOwned>(body: &Value) -> Option<T> {
    serde_json::from_str(&body.to_string()).ok()
}

fn rebuild_request(subtype: &str, body: &Value) -> Option<HostRequest> {
    macro_rules! by_subtype {
        ($($subtype:literal $name:ident,)+) => {
            match subtype {
                $($subtype => read::<$name>(body).map(HostRequest::from),)+
                _ => None,
            }
        };
    }
    by_subtype! {
        "initialize" Initialize,
        "interrupt" Interrupt,
        "set_permission_mode" SetPermissionMode,
        "set_model" SetModel,
        "mcp_status" McpStatus,
        "rewind_files" RewindFiles,
        "get_context_usage" GetContextUsage,
        "get_usage" GetUsage,
        "stop_task" StopTask,
    }
}

/// The CLI does not tell null from absent, so the comparison does not either.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), without_nulls(value)))
            .collect(),
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
