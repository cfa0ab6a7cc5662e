//! What the host asks the CLI: one struct per subtype, each with its answer.
//!
//! A malformed request can wedge 2.1.197 for good, so requests are only ever
//! written from these types. Subtypes that only 2.1.325 knows are refused by
//! 2.1.197 with [`crate::ControlRefusal`], which is safe.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::answer::*;
use super::initialize::{Initialize, InitializeAnswer};
use super::permission::PermissionMode;
use crate::json::RawJson;

/// A request whose answer has a type.
pub trait Request: Into<HostRequest> + Send {
    /// What a success answers.
    type Answer: DeserializeOwned + Send;

    /// Reads the body of a success; an absent one counts as empty.
    ///
    /// # Errors
    /// Fails when the body does not have the answer's shape.
    fn read_answer(body: Option<&RawJson>) -> Result<Self::Answer, serde_json::Error> {
        serde_json::from_str(body.map_or("{}", RawJson::get))
    }
}

/// Declares the request structs, their enum and their answers.
macro_rules! requests {
    ($(
        $(#[$meta:meta])*
        $name:ident ($subtype:literal) -> $answer:ty {
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

            impl Request for $name {
                type Answer = $answer;
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

        impl HostRequest {
            /// The subtype as it travels.
            #[must_use]
            pub fn subtype(&self) -> &'static str {
                match self {
                    Self::Initialize(_) => "initialize",
                    $(Self::$name(_) => $subtype,)+
                }
            }
        }
    };
}

impl From<Initialize> for HostRequest {
    fn from(request: Initialize) -> Self {
        Self::Initialize(Box::new(request))
    }
}

impl Request for Initialize {
    type Answer = InitializeAnswer;
}

requests! {
    /// Stops the running turn. Queued messages survive and run next.
    Interrupt("interrupt") -> Interrupted {
        /// Also withdraws queued messages; 2.1.197 ignores it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cancel_queued: Option<bool>,
    }
    /// Changes the permission mode, also in the middle of a turn. 2.1.197
    /// answers success to words it does not know and does nothing.
    SetPermissionMode("set_permission_mode") -> ModeSet {
        /// The new mode.
        mode: PermissionMode,
    }
    /// Changes the model from the next message on. The name is not checked.
    SetModel("set_model") -> ModelSet {
        /// The new model; absent means the default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    }
    /// Limits reasoning.
    SetMaxThinkingTokens("set_max_thinking_tokens") -> Done {
        /// The limit; `None` lifts it.
        max_thinking_tokens: Option<u64>,
        /// How much of the reasoning is shown; 2.1.197 ignores it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking_display: Option<String>,
    }
    /// Lists MCP servers and how they are.
    McpStatus("mcp_status") -> McpServers {}
    /// Connects an MCP server again.
    McpReconnect("mcp_reconnect") -> Done {
        /// The server.
        #[serde(rename = "serverName")]
        server_name: String,
    }
    /// Switches an MCP server on or off.
    McpToggle("mcp_toggle") -> Done {
        /// The server.
        #[serde(rename = "serverName")]
        server_name: String,
        /// On or off.
        enabled: bool,
    }
    /// Replaces all servers that were added at run time. Servers inside the
    /// host that are not listed are dropped.
    McpSetServers("mcp_set_servers") -> McpServersSet {
        /// All servers, by name, as in `--mcp-config`.
        servers: BTreeMap<String, RawJson>,
    }
    /// Calls an MCP tool, without asking and without the model.
    McpCall("mcp_call") -> McpCalled {
        /// The tool, such as `mcp__server__tool`.
        tool: String,
        /// Its input.
        arguments: RawJson,
    }
    /// Starts the login of an MCP server.
    McpAuthenticate("mcp_authenticate") -> RawJson {
        /// The server.
        #[serde(rename = "serverName")]
        server_name: String,
    }
    /// Forgets the login of an MCP server.
    McpClearAuth("mcp_clear_auth") -> RawJson {
        /// The server.
        #[serde(rename = "serverName")]
        server_name: String,
    }
    /// Completes the login of an MCP server.
    McpOauthCallbackUrl("mcp_oauth_callback_url") -> RawJson {
        /// The server.
        #[serde(rename = "serverName")]
        server_name: String,
        /// The address the browser was sent to.
        #[serde(rename = "callbackUrl")]
        callback_url: String,
    }
    /// Reads a resource of an MCP server (2.1.325).
    McpReadResource("mcp_read_resource") -> RawJson {
        /// The server.
        #[serde(rename = "serverName")]
        server_name: String,
        /// The resource.
        uri: String,
    }
    /// Puts files back to where they were when a message was sent. Needs
    /// [`crate::Options::file_checkpointing`].
    RewindFiles("rewind_files") -> FilesRewound {
        /// The message, by the uuid the host chose.
        user_message_id: Uuid,
        /// Only says what would change; the real run does not list files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dry_run: Option<bool>,
    }
    /// Takes the conversation back to before a message.
    RewindConversation("rewind_conversation") -> ConversationRewound {
        /// The message. Required: without it 2.1.197 hangs for good.
        target_message_uuid: Uuid,
        /// Interrupts first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interrupt_if_running: Option<bool>,
    }
    /// Says what fills the context window.
    GetContextUsage("get_context_usage") -> ContextUsage {}
    /// Says what the session cost, as text for people.
    GetSessionCost("get_session_cost") -> SessionCost {}
    /// Says what the session and the subscription used.
    GetUsage("get_usage") -> SessionUsage {
        /// Leaves out what takes long to find out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skip_behaviors: Option<bool>,
    }
    /// Lists the settings in effect.
    GetSettings("get_settings") -> Settings {}
    /// Lays settings over all others.
    ApplyFlagSettings("apply_flag_settings") -> Done {
        /// The settings.
        settings: RawJson,
    }
    /// Writes settings to a file (2.1.325).
    UpdateSettings("update_settings") -> RawJson {
        /// Which file, such as `localSettings`.
        source: String,
        /// The settings.
        settings: RawJson,
    }
    /// Says which binary runs.
    GetBinaryVersion("get_binary_version") -> BinaryVersion {}
    /// Completes a file name.
    FileSuggestions("file_suggestions") -> FilesSuggested {
        /// What was typed.
        query: String,
    }
    /// Reads a file.
    ReadFile("read_file") -> FileContents {
        /// The file.
        path: String,
        /// Reads no more than this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_bytes: Option<u64>,
        /// Such as `base64`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        encoding: Option<String>,
    }
    /// Tells the CLI that a file was read, so that it may edit it.
    SeedReadState("seed_read_state") -> Done {
        /// The file.
        path: String,
        /// Its modification time in milliseconds since 1970.
        mtime: u64,
    }
    /// Loads plugins anew.
    ReloadPlugins("reload_plugins") -> PluginsReloaded {}
    /// Loads skills anew.
    ReloadSkills("reload_skills") -> SkillsReloaded {}
    /// Loads output styles anew (2.1.325).
    ReloadOutputStyles("reload_output_styles") -> RawJson {}
    /// Ends a task; success also for tasks that do not exist.
    StopTask("stop_task") -> Done {
        /// The task.
        task_id: String,
    }
    /// Lets foreground work go on in the background. Does nothing for work not
    /// announced by `task_started`.
    BackgroundTasks("background_tasks") -> Done {
        /// The call; absent means all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_use_id: Option<String>,
    }
    /// Reads what a task wrote (2.1.325).
    GetTaskOutput("get_task_output") -> RawJson {
        /// The task.
        task_id: String,
    }
    /// Withdraws a message that still waits.
    CancelAsyncMessage("cancel_async_message") -> MessageCancelled {
        /// The message, by the uuid the host chose.
        message_uuid: Uuid,
    }
    /// Names the session.
    RenameSession("rename_session") -> Done {
        /// The title.
        title: String,
    }
    /// Lets the model name the session.
    GenerateSessionTitle("generate_session_title") -> TitleGenerated {
        /// What the session is about.
        description: String,
        /// Whether to keep it.
        persist: bool,
    }
    /// Asks the model something aside; not stored.
    SideQuestion("side_question") -> SideAnswer {
        /// The question.
        question: String,
    }
    /// Adds a repository below the working directory.
    RegisterRepoRoot("register_repo_root") -> Done {
        /// The directory.
        directory: String,
    }
    /// Ends the process after its answer.
    EndSession("end_session") -> Done {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    }
    /// Colours the session; neither tested version supports it.
    SetColor("set_color") -> Done {
        /// The colour.
        color: String,
    }
    /// Lists models to choose from (2.1.325).
    ListModels("list_models") -> Models {}
    /// Lists permission rules (2.1.325).
    ListPermissionRules("list_permission_rules") -> PermissionRules {}
    /// Lists hooks (2.1.325).
    GetHooksListing("get_hooks_listing") -> HooksListing {}
    /// Reads the plan (2.1.325).
    GetPlan("get_plan") -> Plan {}
    /// Reads the status page (2.1.325).
    GetStatus("get_status") -> StatusPage {}
    /// Says whether anyone watches (2.1.325).
    SetHasSubscribers("set_has_subscribers") -> Done {
        /// Whether anyone does.
        has_subscribers: bool,
    }
}
