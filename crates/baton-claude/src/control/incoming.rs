//! What the CLI asks the host, and how it answers the host's own questions.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::hook::HookCallback;
use super::permission::PermissionUpdate;
use crate::json::{self, RawJson};

/// A question of the CLI. Every one must be answered, also those we do not
/// know: with an error.
#[derive(Debug, Clone, PartialEq)]
pub struct CliRequest {
    /// Names the request; a UUID.
    pub request_id: String,
    /// What is asked.
    pub body: CliRequestBody,
}

/// What the CLI asks.
#[derive(Debug, Clone, PartialEq)]
pub enum CliRequestBody {
    /// May this tool run?
    CanUseTool(Box<CanUseTool>),
    /// Run this hook.
    HookCallback(HookCallback),
    /// Pass this to the host's own MCP server.
    McpMessage(McpMessage),
    /// An MCP server wants something from the user.
    Elicitation(Box<Elicitation>),
    /// Show a dialog of a kind the host said it knows.
    RequestUserDialog(RequestUserDialog),
    /// Any other question, whole.
    Other {
        /// The subtype.
        subtype: Option<String>,
        /// The request.
        raw: RawJson,
    },
}

/// May this tool run? Also how `AskUserQuestion` and `ExitPlanMode` reach the
/// user: in every mode, so no handler should allow them unseen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CanUseTool {
    /// The tool.
    pub tool_name: String,
    /// The tool's input, to be sent back whole when allowed.
    pub input: RawJson,
    /// The call.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_use_id: Option<String>,
    /// The tool's name for people.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub display_name: Option<String>,
    /// What the call is for, by the model's account.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub description: Option<String>,
    /// A heading for the question.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub title: Option<String>,
    /// What the user could allow from now on.
    #[serde(default, deserialize_with = "json::or_default")]
    pub permission_suggestions: Vec<PermissionUpdate>,
    /// The path that made the CLI ask.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub blocked_path: Option<String>,
    /// Why the CLI asks.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub decision_reason: Option<String>,
    /// The kind of reason, such as `other`, `workingDir`, `hook`.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub decision_reason_type: Option<String>,
    /// The sub-agent that asks; equals its task id.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub agent_id: Option<String>,
    /// Whether only a person can answer (2.1.325).
    #[serde(default, deserialize_with = "json::flag")]
    pub requires_user_interaction: bool,
}

/// A JSON-RPC message for an MCP server inside the host. Notifications need an
/// answer to the control request too.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct McpMessage {
    /// The server.
    pub server_name: String,
    /// The JSON-RPC message.
    pub message: RawJson,
}

/// An MCP server wants something from the user.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Elicitation {
    /// The server.
    pub mcp_server_name: String,
    /// What it wants.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub message: Option<String>,
    /// How, such as `form` or `url`.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub mode: Option<String>,
    /// Where to go.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub url: Option<String>,
    /// Names the question.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub elicitation_id: Option<String>,
    /// The JSON Schema of the wanted answer.
    #[serde(default)]
    pub requested_schema: Option<RawJson>,
}

/// Show a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RequestUserDialog {
    /// Which.
    pub dialog_kind: String,
    /// With what.
    #[serde(default)]
    pub payload: Option<RawJson>,
    /// The call it belongs to.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_use_id: Option<String>,
}

/// An answer. With replay on the CLI also repeats the host's own answers, so
/// an answer to an unknown request means nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlResponse {
    /// The request answered.
    pub request_id: String,
    /// The answer.
    pub outcome: Result<Option<RawJson>, ControlRefusal>,
    /// Asks that were open before a late `initialize`.
    pub pending_permission_requests: Vec<CliRequest>,
    /// Dialogs that were open before a late `initialize`.
    pub pending_user_dialog_requests: Vec<CliRequest>,
}

/// The CLI will not or cannot do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ControlRefusal {
    /// The CLI's own words.
    pub message: String,
    /// Such as `unsupported_request`, `invalid_mode` (2.1.325).
    pub code: Option<String>,
}

#[derive(Deserialize)]
struct RequestWire<'a> {
    request_id: String,
    #[serde(borrow)]
    request: &'a RawValue,
}

#[derive(Deserialize)]
struct SubtypeWire {
    #[serde(default, deserialize_with = "json::opt_string")]
    subtype: Option<String>,
}

impl<'de> Deserialize<'de> for CliRequest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = RequestWire::deserialize(deserializer)?;
        Ok(Self {
            request_id: wire.request_id,
            body: request_body(wire.request),
        })
    }
}

fn request_body(raw: &RawValue) -> CliRequestBody {
    let text = raw.get();
    let subtype = serde_json::from_str::<SubtypeWire>(text)
        .ok()
        .and_then(|wire| wire.subtype);
    let known = match subtype.as_deref() {
        Some("can_use_tool") => serde_json::from_str(text)
            .ok()
            .map(CliRequestBody::CanUseTool),
        Some("hook_callback") => serde_json::from_str(text)
            .ok()
            .map(CliRequestBody::HookCallback),
        Some("mcp_message") => serde_json::from_str(text)
            .ok()
            .map(CliRequestBody::McpMessage),
        Some("elicitation") => serde_json::from_str(text)
            .ok()
            .map(CliRequestBody::Elicitation),
        Some("request_user_dialog") => serde_json::from_str(text)
            .ok()
            .map(CliRequestBody::RequestUserDialog),
        _ => None,
    };
    known.unwrap_or_else(|| CliRequestBody::Other {
        subtype,
        raw: raw.into(),
    })
}

#[derive(Deserialize)]
struct ResponseLineWire {
    response: ResponseWire,
}

#[derive(Deserialize)]
struct ResponseWire {
    subtype: String,
    request_id: String,
    #[serde(default)]
    response: Option<RawJson>,
    #[serde(default, deserialize_with = "json::opt_string")]
    error: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    error_code: Option<String>,
    #[serde(default, deserialize_with = "json::or_default")]
    pending_permission_requests: Vec<CliRequest>,
    #[serde(default, deserialize_with = "json::or_default")]
    pending_user_dialog_requests: Vec<CliRequest>,
}

pub(crate) fn decode_response(line: &str) -> Result<ControlResponse, serde_json::Error> {
    let wire = serde_json::from_str::<ResponseLineWire>(line)?.response;
    let outcome = match &*wire.subtype {
        "success" => Ok(wire.response),
        "error" => Err(ControlRefusal {
            message: wire.error.unwrap_or_else(|| "no reason given".to_owned()),
            code: wire.error_code,
        }),
        other => {
            use serde::de::Error as _;
            return Err(serde_json::Error::custom(format_args!(
                "unknown outcome {other}"
            )));
        }
    };
    Ok(ControlResponse {
        request_id: wire.request_id,
        outcome,
        pending_permission_requests: wire.pending_permission_requests,
        pending_user_dialog_requests: wire.pending_user_dialog_requests,
    })
}
