//! What the host answers to the CLI's requests.

use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use super::hook::HookOutput;
use super::permission::PermissionDecision;
use crate::json::RawJson;

/// An answer to a [`crate::CliRequest`]. Which kind fits which request is up
/// to the caller.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// To `can_use_tool`.
    Permission(PermissionDecision),
    /// To `hook_callback`.
    Hook(Box<HookOutput>),
    /// To `mcp_message`: the JSON-RPC answer. For a notification anything
    /// will do, such as an empty result.
    Mcp(RawJson),
    /// To `elicitation`.
    Elicitation(ElicitationReply),
    /// Anything else, such as the answer to a dialog.
    Raw(RawJson),
    /// The request is refused or not understood.
    Error(String),
}

/// What the user said to an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub enum ElicitationReply {
    /// Here it is.
    Accept {
        /// The answer, of the wanted schema.
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<RawJson>,
    },
    /// No.
    Decline,
    /// The user closed the question.
    Cancel,
}

/// The envelope's inner object.
pub(crate) struct ReplyEnvelope<'a> {
    pub(crate) request_id: &'a str,
    pub(crate) reply: &'a Reply,
}

impl Serialize for ReplyEnvelope<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("response", 3)?;
        if let Reply::Error(message) = self.reply {
            out.serialize_field("subtype", "error")?;
            out.serialize_field("request_id", self.request_id)?;
            out.serialize_field("error", message)?;
        } else {
            out.serialize_field("subtype", "success")?;
            out.serialize_field("request_id", self.request_id)?;
            out.serialize_field("response", &ReplyBody(self.reply))?;
        }
        out.end()
    }
}

struct ReplyBody<'a>(&'a Reply);

impl Serialize for ReplyBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Reply::Permission(decision) => decision.serialize(serializer),
            Reply::Hook(output) => output.serialize(serializer),
            Reply::Mcp(answer) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("mcp_response", answer)?;
                map.end()
            }
            Reply::Elicitation(reply) => reply.serialize(serializer),
            Reply::Raw(raw) => raw.serialize(serializer),
            Reply::Error(_) => serializer.serialize_none(),
        }
    }
}
