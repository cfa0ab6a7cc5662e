//! What a session may be asked to run with, declared once: as the log keeps it
//! and as a field of the request that makes a session.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    api::AttachmentBody,
    id::MessageId,
    words::{Json, Mode, PermissionMode, Runtime},
};

macro_rules! session_options {
    ($($(#[$doc:meta])* $field:ident: $kind:ty,)+) => {
        /// What a session was asked to run with. Absent means the default.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", default)]
        pub struct SessionOptions {
            $($(#[$doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $field: Option<$kind>,)+
        }

        // Not flattened: beside other fields no text could be kept as it came,
        // and no misspelt field be refused.
        /// A session to be made.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
        pub struct Create {
            /// The folder it works in, as an absolute path.
            pub project: String,
            /// A folder within that for the agent to begin in, as an absolute path.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub cwd: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub prompt: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub message_id: Option<MessageId>,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub attachments: Vec<AttachmentBody>,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub agent: Option<String>,
            /// `structured` when absent. A terminal cannot be opened yet.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub mode: Option<Mode>,
            /// Goes on with this conversation: the id of a session here, which is then
            /// the answer, or the agent's own id of one that was begun elsewhere. It
            /// keeps what it was made with, so only a message may go with it.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub resume: Option<String>,
            /// With `resume`: leaves that conversation as it is, and goes on from a
            /// copy of it in a new session.
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            pub fork: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            pub title: Option<String>,
            /// How its processes relate to turns; absent is as the settings say.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub runtime: Option<Runtime>,
            $($(#[$doc])*
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $field: Option<$kind>,)+
        }

        impl Create {
            /// What the session is to run with.
            pub fn options(&self) -> SessionOptions {
                SessionOptions { $($field: self.$field.clone(),)+ }
            }
        }
    };
}

session_options! {
    model: String,
    /// How hard the model tries, in a word of the agent's.
    effort: String,
    fallback_model: String,
    permission_mode: PermissionMode,
    tools: Vec<String>,
    tool_preset: String,
    max_budget_usd: f64,
    max_turns: u32,
    max_thinking_tokens: u32,
    append_system_prompt: String,
    add_dirs: Vec<String>,
    /// Variables of its agents beside those that all have. Their values are
    /// kept apart from the log, which has the names and a mask for each value.
    env: BTreeMap<String, String>,
    mcp_servers: Json,
    strict_mcp_config: bool,
    setting_sources: Vec<String>,
    betas: Vec<String>,
    output_schema: Json,
    checkpointing: bool,
    debug_file: String,
}

impl SessionOptions {
    /// An option that is given, as it is written; none if none is.
    pub fn first_given(&self) -> Option<String> {
        let given: BTreeMap<String, serde::de::IgnoredAny> = Json::of(self).parse()?;
        given.into_keys().next()
    }
}
