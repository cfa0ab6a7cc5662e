//! What the parent says: every message, one JSON object per line.
//!
//! [`parse`] tells exactly what is wrong with a line that is none of them.

use std::collections::BTreeMap;

use baton_protocol::{
    ApprovalId, MessageId,
    words::{Decision, Json, PermissionMode, Remedy, Scope},
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

macro_rules! inputs {
    ($($(#[$doc:meta])* $variant:ident($body:ty) = $name:literal,)+) => {
        /// One line of the input.
        #[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum Input {
            $($(#[$doc])* #[serde(rename = $name)] $variant($body),)+
        }

        impl Input {
            /// Every name, `type` in the line.
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            fn read(name: &str, body: Value) -> Result<Self, Wrong> {
                match name {
                    $($name => body_of(name, body).map(Self::$variant),)+
                    _ => Err(Wrong::UnknownType {
                        name: name.chars().take(80).collect(),
                    }),
                }
            }
        }
    };
}

inputs! {
    /// A message to the agent. While a turn runs it waits its turn.
    Message(Message) = "message",
    /// Ends the conversation in order.
    Stop(Bare) = "stop",
    /// Stops the running turn; where none runs, all that goes on in the
    /// background. The conversation goes on.
    Interrupt(Bare) = "interrupt",
    /// Stops one sub-agent or background command. Answered with `task_stopping`.
    StopTask(StopTask) = "stop_task",
    /// The model from the next message on; null is the default.
    SetModel(SetModel) = "set_model",
    /// What the agent may do without asking, from the next tool call on.
    SetPermissionMode(SetPermissionMode) = "set_permission_mode",
    /// What the conversation may cost in all, from here on. Answered with
    /// `budget_changed`.
    SetBudget(SetBudget) = "set_budget",
    /// Answered with `supported_models`.
    GetSupportedModels(Bare) = "get_supported_models",
    /// Answered with `supported_commands`.
    GetSupportedCommands(Bare) = "get_supported_commands",
    /// Answered with `mcp_status`.
    GetMcpStatus(Bare) = "get_mcp_status",
    /// Answered with `account_info`.
    GetAccountInfo(Bare) = "get_account_info",
    /// Asks what of the folder is left out, or answers whether it is to count.
    TrustFolder(TrustFolder) = "trust_folder",
    /// Puts files back to where they were at a checkpoint. Only what file tools changed.
    RewindFiles(RewindFiles) = "rewind_files",
    /// Answers a `user_question_request`.
    UserQuestionResponse(UserQuestionResponse) = "user_question_response",
    /// Answers a `plan_approval_request`.
    PlanApprovalResponse(PlanApprovalResponse) = "plan_approval_response",
    /// Answers a `tool_approval_request`.
    ToolApprovalResponse(ToolApprovalResponse) = "tool_approval_response",
}

/// A message without a body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Bare {
    /// Comes back with the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Message {
    pub content: String,
    /// A UUID of the sender's choice; the same one again is not run twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// Null is none.
    #[serde(
        default,
        deserialize_with = "list_or_null",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub attachments: Vec<AttachmentIn>,
    /// What is done should the agent lack a part of the past.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Remedy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// A file or image, as base64 or as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AttachmentIn {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Base64. Either this or `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopTask {
    /// As `task_update`, `subagent_started` or `stillRunning` told it.
    pub task_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetModel {
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetPermissionMode {
    pub mode: PermissionMode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetBudget {
    /// US dollars; null is what the settings say.
    pub max_budget_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustFolder {
    /// Whether what is in the folder is to count. Left out, it is only asked
    /// what that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<bool>,
    /// Of the `folder_trust` that is answered: what changed since is not
    /// accepted with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RewindFiles {
    pub checkpoint_id: MessageId,
    /// Only says which files would be put back.
    #[serde(default)]
    pub dry_run: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UserQuestionResponse {
    pub request_id: ApprovalId,
    /// By the question's text. With none the question counts as declined.
    pub answers: BTreeMap<String, Answer>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanApprovalResponse {
    pub request_id: ApprovalId,
    pub approved: bool,
    /// What to change; told to the agent when it is not approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// The mode to go on in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolApprovalResponse {
    pub request_id: ApprovalId,
    pub decision: Decision,
    /// The whole input to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_input: Option<Json>,
    /// Told to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny_message: Option<String>,
    /// With a denial: stops the turn too.
    #[serde(default)]
    pub interrupt: bool,
    /// Remembers the decision for what this rule covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// How far it is remembered; without a rule, exactly this call is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

/// One answer, or several of a question that takes several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value")]
pub struct Answer(pub String);

impl TryFrom<Value> for Answer {
    type Error = &'static str;

    fn try_from(value: Value) -> Result<Self, Self::Error> {
        const WANTED: &str = "an answer is a text or a list of texts";
        match value {
            Value::String(text) => Ok(Self(text)),
            Value::Array(texts) => {
                let texts: Option<Vec<&str>> = texts.iter().map(Value::as_str).collect();
                texts.map(|texts| Self(texts.join(", "))).ok_or(WANTED)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Err(WANTED),
        }
    }
}

impl JsonSchema for Answer {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Answer".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "array"], "items": {"type": "string"}})
    }
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error("the line is no JSON: {0}")]
    NoJson(String),
    #[error("a message is a JSON object")]
    NoObject,
    #[error("the message has no `type`")]
    NoType,
    #[error("there is no message of type `{name}`; there are: {known}", known = Input::NAMES.join(", "))]
    UnknownType { name: String },
    #[error("the message `{name}` does not fit: {why}")]
    Misfit { name: String, why: String },
}

impl Wrong {
    /// The `code` of the error event.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoJson(_) => "bad_json",
            Self::NoObject | Self::NoType | Self::Misfit { .. } => "bad_message",
            Self::UnknownType { .. } => "unknown_type",
        }
    }
}

/// A line that is no message: why, and the request it belongs to if it said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    pub wrong: Wrong,
    pub request_id: Option<String>,
}

/// Reads one line.
pub fn parse(line: &[u8]) -> Result<Input, BadLine> {
    // Some writers begin with a mark of the byte order.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let value: Value = serde_json::from_slice(line).map_err(|error| BadLine {
        wrong: Wrong::NoJson(error.to_string()),
        request_id: request_in(line),
    })?;
    let Value::Object(mut fields) = value else {
        return Err(BadLine {
            wrong: Wrong::NoObject,
            request_id: None,
        });
    };
    let request_id = fields.get("requestId").and_then(Value::as_str);
    let request_id = request_id.map(|id| id.chars().take(200).collect());
    let bad = |wrong| BadLine { wrong, request_id };
    let Some(Value::String(name)) = fields.remove("type") else {
        return Err(bad(Wrong::NoType));
    };
    Input::read(&name, Value::Object(fields)).map_err(bad)
}

/// The request of a line that is no JSON, as far as it can be made out: whoever
/// sent it waits for an answer.
fn request_in(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let (_, rest) = text.split_once("\"requestId\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let (id, _) = rest.strip_prefix('"')?.split_once('"')?;
    let plain = !id.is_empty() && id.len() <= 200 && !id.contains('\\');
    plain.then(|| id.to_owned())
}

fn list_or_null<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<AttachmentIn>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn body_of<T: DeserializeOwned>(name: &str, body: Value) -> Result<T, Wrong> {
    serde_path_to_error::deserialize(body).map_err(|error| {
        let field = format!("`{}`", error.path());
        let mut why = error.into_inner().to_string();
        // Of one that is missing or unknown the words name it already.
        if field != "`.`" && !why.contains(&field) {
            why = format!("{field}: {why}");
        }
        Wrong::Misfit {
            name: name.to_owned(),
            why,
        }
    })
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
