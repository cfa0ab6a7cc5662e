//! The protocol: JSON-RPC, and the few methods that a server of tools has.

use serde_json::{Value, json};

use crate::{
    NAME,
    tools::{self, ToolError},
    workspace::{Withheld, Workspace},
};

/// Versions of the protocol whose tools look the same. The first is offered to
/// a client that wants another.
const VERSIONS: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const INVALID_REQUEST: i32 = -32600;
const NO_METHOD: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

/// Baton's tools for one workspace.
#[derive(Debug, Clone)]
pub struct Server {
    workspace: Workspace,
    version: String,
}

impl Server {
    /// `version` is told to clients.
    pub fn new(workspace: Workspace, version: &str) -> Self {
        Self {
            workspace,
            version: version.to_owned(),
        }
    }

    /// The same for an agent that these files are kept from.
    #[must_use]
    pub fn without(mut self, withheld: Withheld) -> Self {
        self.workspace.withheld = withheld;
        self
    }

    /// The answer to one message; none for a notification or an answer.
    pub async fn answer(&self, message: &Value) -> Option<Value> {
        let Some(fields) = message.as_object() else {
            return Some(failure(
                &Value::Null,
                INVALID_REQUEST,
                "a message is one object",
            ));
        };
        let id = fields.get("id");
        let Some(method) = fields.get("method").and_then(Value::as_str) else {
            // An answer to a question that was never asked.
            if fields.contains_key("result") || fields.contains_key("error") {
                return None;
            }
            let id = id.unwrap_or(&Value::Null);
            return Some(failure(id, INVALID_REQUEST, "`method` is missing"));
        };
        let id = id?;
        if !id.is_string() && !id.is_number() {
            let text = "`id` is a string or a number";
            return Some(failure(&Value::Null, INVALID_REQUEST, text));
        }
        let params = fields.get("params").unwrap_or(&Value::Null);
        Some(match self.call(method, params).await {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, text)) => failure(id, code, &text),
        })
    }

    async fn call(&self, method: &str, params: &Value) -> Result<Value, (i32, String)> {
        match method {
            "initialize" => Ok(self.initialize(params)),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(json!({"tools": tools::list()})),
            "tools/call" => self.call_tool(params).await,
            other => {
                let name: String = other.chars().take(80).collect();
                Err((NO_METHOD, format!("there is no method `{name}`")))
            }
        }
    }

    fn initialize(&self, params: &Value) -> Value {
        let wanted = params.get("protocolVersion").and_then(Value::as_str);
        let known = VERSIONS.iter().find(|known| wanted == Some(**known));
        json!({
            "protocolVersion": known.unwrap_or(&VERSIONS[0]),
            "capabilities": {"tools": {"listChanged": false}},
            "serverInfo": {"name": NAME, "title": "Baton", "version": self.version},
            "instructions": "Tools about this workspace: its git state, review comments, the issue being worked on, and the scripts it runs.",
        })
    }

    async fn call_tool(&self, params: &Value) -> Result<Value, (i32, String)> {
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            return Err((INVALID_PARAMS, "`name` is missing".into()));
        };
        let nothing = json!({});
        let arguments = match params.get("arguments") {
            None | Some(Value::Null) => &nothing,
            Some(arguments) => arguments,
        };
        match tools::call(&self.workspace, name, arguments).await {
            Ok(result) => Ok(tool_result(&result)),
            Err(ToolError::Unknown) => {
                let name: String = name.chars().take(80).collect();
                Err((INVALID_PARAMS, format!("there is no tool `{name}`")))
            }
            // The model reads this and can do better.
            Err(ToolError::Failed(text)) => Ok(json!({
                "content": [{"type": "text", "text": text}],
                "isError": true,
            })),
        }
    }
}

fn tool_result(result: &Value) -> Value {
    let text = serde_json::to_string_pretty(result).unwrap_or_default();
    json!({
        "content": [{"type": "text", "text": text}],
        "structuredContent": result,
        "isError": false,
    })
}

pub(crate) fn failure(id: &Value, code: i32, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "server_hostile_tests.rs"]
mod hostile_tests;

#[cfg(test)]
#[path = "server_git_tests.rs"]
mod git_tests;
