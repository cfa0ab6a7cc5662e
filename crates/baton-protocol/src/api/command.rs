//! Every command and its payload: the closed list.
//!
//! A new command is a line in the table below, a body, and an arm wherever
//! commands are carried out.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    offered::{RulesOffered, RulesTake},
    problem::{Problem, ProblemCode},
    project::{
        DiffBody, ListFiles, ListProjects, ProjectAdd, ProjectMove, ProjectName, ProjectUpdate,
        ReadFile,
    },
    records::{Backup, Search, UsageQuery},
    review::{CommentAdd, CommentRemove, CommentResolve, ListComments},
};
use crate::{
    event::SessionOptions,
    id::{ApprovalId, MessageId, RuleId},
    words::{
        AccessScope, Decision, Json, ListedState, Mode, PermissionMode, Remedy, RuleDecision,
        Runtime, Scope,
    },
};

macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $scope:ident, $body:ty;)+) => {
        /// Something a client asks for.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Command { $($(#[$doc])* $variant($body),)+ }

        impl Command {
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// What a client needs to be allowed to send it.
            pub const fn scope(&self) -> AccessScope {
                match self { $(Self::$variant(_) => AccessScope::$scope,)+ }
            }

            /// Reads a command's payload; absent is the same as empty.
            pub fn parse(name: &str, payload: Option<&Json>) -> Result<Self, Problem> {
                match name {
                    $($name => body(name, payload).map(Self::$variant),)+
                    _ => Err(Problem::new(ProblemCode::UnknownCommand, format!(
                        "`{}` is no command; there are: {}",
                        name.chars().take(80).collect::<String>(), Self::NAMES.join(", "),
                    ))),
                }
            }

            pub fn payload(&self) -> Json {
                match self { $(Self::$variant(body) => Json::of(body),)+ }
            }
        }
    };
}

commands! {
    /// Makes a session, and sends it its first message if there is one.
    Create = "create", Operate, Box<Create>;
    Message = "message", Operate, MessageBody;
    /// Takes a queued message back.
    TakeBack = "take_back", Operate, TakeBack;
    /// Stops the running turn; where none runs, all that goes on in the background.
    Interrupt = "interrupt", Operate, Nothing;
    /// Stops one sub-agent or background command.
    StopTask = "stop-task", Operate, StopTask;
    /// Ends the session.
    Stop = "stop", Operate, Nothing;
    /// Takes an ended session up again.
    Resume = "resume", Operate, Nothing;
    Fork = "fork", Operate, Fork;
    Model = "model", Operate, Model;
    PermissionMode = "permission-mode", Operate, PermissionModeBody;
    Rewind = "rewind", Operate, Rewind;
    Checkpoints = "checkpoints", Observe, ListPart;
    Title = "title", Operate, Title;
    /// Changes what a session may cost.
    Budget = "budget", Operate, Budget;
    /// Chooses what is done about a past that the agent lacks.
    Memory = "memory", Operate, Memory;
    Approve = "approve", Operate, Approve;
    /// Lists sessions.
    Sessions = "sessions", Observe, ListSessions;
    /// One session with what is open in it.
    Session = "session", Observe, Nothing;
    /// Removes an ended session from the log, with its files.
    Delete = "delete", Operate, Nothing;
    /// Open approvals, of one session or of all.
    Approvals = "approvals", Observe, ListPart;
    /// Approvals that were answered, the newest first.
    PastApprovals = "approvals.past", Observe, ListPastApprovals;
    /// Every rule there is.
    Rules = "rules", Observe, ListPart;
    RuleAdd = "rule.add", Operate, RuleBody;
    RuleRemove = "rule.remove", Operate, RuleRemove;
    /// What a rule would have decided on past requests. It tells what stands in
    /// them, so it is not for who sees no secrets.
    RulePreview = "rule.preview", Operate, RulePreview;
    /// Rules that the agent's own settings have. It reads the disk where the
    /// client says, so it is not for everyone.
    RulesOffered = "rules.offered", Operate, RulesOffered;
    /// Takes some of them over.
    RulesTake = "rules.take", Operate, RulesTake;
    /// What a folder would run by itself; with `accept`, the answer to it. It
    /// reads the disk where the client says, so reading it is not for everyone.
    Trust = "trust", Operate, TrustBody;
    /// What the agent has on disk for a folder and Baton did not begin. It reads
    /// the disk where the client says, so it is not for everyone.
    History = "history", Operate, History;
    /// Makes a session of one of these.
    Import = "import", Operate, Import;
    /// The agent's slash commands, and which of them are not sent to it.
    Commands = "commands", Observe, ListPart;
    /// Lists projects.
    Projects = "projects", Observe, ListProjects;
    /// One project.
    Project = "project", Observe, ProjectName;
    /// Lists a folder as a project.
    ProjectAdd = "project.add", Operate, ProjectAdd;
    /// Takes a project off the list. Its files and sessions stay.
    ProjectRemove = "project.remove", Operate, ProjectName;
    ProjectUpdate = "project.update", Operate, ProjectUpdate;
    /// Tells that a project's folder was moved: all that belongs to it follows.
    ProjectMove = "project.move", Operate, ProjectMove;
    /// Looks for projects where the settings say, and where the agent was used.
    ProjectScan = "project.scan", Operate, Nothing;
    /// Lists a folder of a project.
    Files = "files", Observe, ListFiles;
    /// Shows a file of a project.
    File = "file", Observe, ReadFile;
    /// How a project's work tree differs from its last commit.
    Diff = "diff", Observe, DiffBody;
    /// Review comments on a project's files.
    Comments = "comments", Observe, ListComments;
    /// Keeps a review comment.
    CommentAdd = "comment.add", Operate, CommentAdd;
    /// Settles a review comment, or opens it again.
    CommentResolve = "comment.resolve", Operate, CommentResolve;
    /// Takes a review comment off the list for good.
    CommentRemove = "comment.remove", Operate, CommentRemove;
    /// Looks for words in everything that was said.
    Search = "search", Observe, Search;
    /// Cost and tokens by day, project and model.
    Usage = "usage", Observe, UsageQuery;
    /// Writes a copy of the log.
    Backup = "backup", Admin, Backup;
    /// Removes now what the settings let go.
    Retain = "retain", Admin, Nothing;
    /// Whether everything is here that Baton needs. It runs programs.
    Doctor = "doctor", Operate, Nothing;
}

fn body<T: DeserializeOwned>(command: &str, payload: Option<&Json>) -> Result<T, Problem> {
    let text = payload.map_or("{}", Json::text);
    let text = if text == "null" { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| {
        Problem::new(
            ProblemCode::InvalidRequest,
            format!("the payload of `{command}` is wrong: {error}"),
        )
    })
}

/// The payload of a command that needs none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<PermissionMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_preset: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_budget_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_thinking_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_dirs: Option<Vec<String>>,
    /// Variables of its agents beside those that all have. Their values are
    /// kept apart from the log and shown to nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_servers: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_mcp_config: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting_sources: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub betas: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpointing: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debug_file: Option<String>,
}

impl Create {
    /// What the session is to run with.
    pub fn options(&self) -> SessionOptions {
        SessionOptions {
            model: self.model.clone(),
            fallback_model: self.fallback_model.clone(),
            permission_mode: self.permission_mode,
            tools: self.tools.clone(),
            tool_preset: self.tool_preset.clone(),
            max_budget_usd: self.max_budget_usd,
            max_turns: self.max_turns,
            max_thinking_tokens: self.max_thinking_tokens,
            append_system_prompt: self.append_system_prompt.clone(),
            add_dirs: self.add_dirs.clone(),
            env: self.env.clone(),
            mcp_servers: self.mcp_servers.clone(),
            strict_mcp_config: self.strict_mcp_config,
            setting_sources: self.setting_sources.clone(),
            betas: self.betas.clone(),
            output_schema: self.output_schema.clone(),
            checkpointing: self.checkpointing,
            debug_file: self.debug_file.clone(),
        }
    }
}

/// A file that goes with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AttachmentBody {
    /// Of a file that was uploaded: absent keeps the name it came with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it is said to be; absent leaves it to the name and the bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Base64; empty for one that was uploaded or is elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data: String,
    /// A file that was uploaded before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload_id: Option<String>,
    /// Where it is, over HTTPS. An image is fetched from the hosts that Baton
    /// fetches from; anything else goes into the prompt as its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A message to a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct MessageBody {
    pub text: String,
    /// Chosen by the sender, so that sending again sends once; else Baton makes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentBody>,
    /// Whether it waits when a turn is running, or is refused.
    pub queue: bool,
    /// What is done should the agent lack a part of the past; absent is as the
    /// settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Remedy>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StopTask {
    /// The `id` of one that is among the session's `work`.
    pub task_id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TakeBack {
    pub message_id: MessageId,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Fork {
    /// A row of the agent to cut after; absent is the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Model {
    /// Absent is the agent's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionModeBody {
    pub mode: PermissionMode,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// What the session may cost in all, in US dollars; absent is as the
    /// settings say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_budget_usd: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Memory {
    /// What is done about it from the next message on; `refuse` leaves it open.
    pub memory: Remedy,
}

/// Puts files back to where they were at a message. What shell commands
/// changed is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rewind {
    pub checkpoint_id: MessageId,
    /// Only says which files.
    #[serde(default)]
    pub dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Title {
    pub title: String,
}

/// An answer to an approval; the first wins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approve {
    pub approval_id: ApprovalId,
    pub decision: Decision,
    /// A rule to remember with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// How far the answer is remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The whole input to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified_input: Option<Json>,
    /// Said to the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deny_message: Option<String>,
    /// Denies and stops the turn.
    #[serde(default)]
    pub interrupt: bool,
    /// Of a question: answer by the question's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<BTreeMap<String, String>>,
    /// Of a plan: the mode to go on in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
    /// Nobody was asked: the client denies because it has nobody to ask.
    #[serde(default)]
    pub unattended: bool,
}

/// A rule to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleBody {
    /// Such as `Bash(git status:*)`.
    pub rule: String,
    pub decision: RuleDecision,
    pub scope: Scope,
    /// What the scope is about: a session's id; a project's slug, id or folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope_id: Option<String>,
    /// Of a project: its folder, where `scopeId` is absent. A rule for a session
    /// may be sent with the session instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleRemove {
    pub rule_id: RuleId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RulePreview {
    pub rule: String,
    pub decision: RuleDecision,
    /// Only requests made in this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustBody {
    /// The folder, as an absolute path.
    pub project: String,
    /// Absent only asks what there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<bool>,
    /// Names what is accepted, as it was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct History {
    /// The folder, as an absolute path.
    pub project: String,
    /// At most 1,000; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A session that was begun elsewhere. The same one again is the same session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Import {
    /// The folder it was begun in, as an absolute path.
    pub project: String,
    /// The agent's name for it.
    pub agent_session_id: String,
}

/// Which part of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListPart {
    /// At most 1,000; all of it when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Which answered approvals, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListPastApprovals {
    /// At most 500; 100 when absent. Fewer come when they are large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Only those of this project: its slug, id or path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// Which sessions, the latest activity first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ListSessions {
    /// At most 1,000; 100 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// `next` of an earlier answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<ListedState>,
    /// Leaves ended ones out, and those that are asleep.
    pub running: bool,
    /// Only those of this project: its slug, id or path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}
