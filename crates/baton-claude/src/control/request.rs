//! What the host asks the CLI: one struct per subtype.
//!
//! A malformed request can wedge 2.1.197 for good, so requests are only ever
//! written from these types. Subtypes that only 2.1.325 knows are refused by
//! 2.1.197 with [`crate::ControlRefusal`], which is safe.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::initialize::Initialize;
use super::permission::PermissionMode;

/// Declares the request structs and their enum.
macro_rules! requests {
    ($(
        $(#[$meta:meta])*
        $name:ident ($subtype:literal) {
            $($(#[$fmeta:meta])* $field:ident : $type:ty,)*
        }
    )+) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                $($(#[$fmeta])* pub $field: $type,)*
            }

            impl From<$name> for HostRequest {
                fn from(request: $name) -> Self {
                    Self::$name(request)
                }
            }
        )+

        /// Anything the host can ask.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "subtype")]
        pub enum HostRequest {
            /// Introduces the host.
            #[serde(rename = "initialize")]
            Initialize(Box<Initialize>),
            $($(#[$meta])* #[serde(rename = $subtype)] $name($name),)+
        }
    };
}

impl From<Initialize> for HostRequest {
    fn from(request: Initialize) -> Self {
        Self::Initialize(Box::new(request))
    }
}

requests! {
    /// Stops the running turn. Queued messages survive and run next.
    Interrupt("interrupt") {
        /// Also withdraws queued messages; 2.1.197 ignores it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cancel_queued: Option<bool>,
    }
    /// Changes the permission mode, also in the middle of a turn. 2.1.197
    /// answers success to words it does not know and does nothing.
    SetPermissionMode("set_permission_mode") {
        /// The new mode.
        mode: PermissionMode,
    }
    /// Changes the model from the next message on. The name is not checked.
    SetModel("set_model") {
        /// The new model; absent means the default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    }
    /// Lists MCP servers and how they are.
    McpStatus("mcp_status") {}
    /// Puts files back to where they were when a message was sent. Needs
    /// [`crate::Options::file_checkpointing`].
    RewindFiles("rewind_files") {
        /// The message, by the uuid the host chose.
        user_message_id: Uuid,
        /// Only says what would change; the real run does not list files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dry_run: Option<bool>,
    }
    /// Says what fills the context window.
    GetContextUsage("get_context_usage") {}
    /// Says what the session and the subscription used.
    GetUsage("get_usage") {
        /// Leaves out what takes long to find out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skip_behaviors: Option<bool>,
    }
    /// Ends a task; success also for tasks that do not exist.
    StopTask("stop_task") {
        /// The task.
        task_id: String,
    }
}
