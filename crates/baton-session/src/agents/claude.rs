//! Translation of the Claude Code CLI: the only code that knows both its
//! language and ours.
//!
//! The translator is pure: lines in, outputs out. What it must remember
//! between lines (the open block, sub-agents, the list, the price so far) is
//! its whole state and is committed as a snapshot with the events it made.
//!
//! Start at [`Translator::line`]; `stream` is the path of every token, `chat`
//! that of finished messages, `tasks` sub-agents and background work, `asks`
//! what the CLI wants from a person, `ending` results and errors, `commands`
//! the way back.

mod asks;
mod chat;
mod choices;
mod commands;
mod denials;
mod disk;
mod ending;
mod health;
mod history;
pub(super) mod hooks;
mod known;
mod launch;
mod memory;
pub(super) mod mentions;
mod slash;
mod start_files;
mod stream;
pub(super) mod subagents;
mod tasks;
mod text;
mod todo;
pub(crate) mod tools;
mod watcher;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub(super) use baton_claude::transcript::{contains_message, known_folders, locate};
use baton_claude::{Message, SystemMessage};
use baton_protocol::{
    Event, MessageId,
    api::{Capabilities, GateLevel},
    event::{
        AgentUnknown, ContextCompacted, McpServerState, ModelChanged, Notification,
        PermissionModeChanged, SessionStarted, SessionUpdated, TodoItem,
    },
    words::{Json, PermissionMode, Usage},
};
pub(super) use choices::choices;
pub(crate) use commands::text_prompt;
pub(super) use disk::{is_plan_of, own_files, owner, past_sessions, rule_files, running};
pub(super) use ending::{last_words, speaks_only_text};
pub(super) use health::{INSTALL, examine, version};
use history::History;
pub(crate) use known::Known;
pub(super) use launch::{options, stored};
pub(crate) use memory::{Notes, Written};
pub(super) use memory::{find, find_here, foreign_owner};
use serde::{Deserialize, Serialize};
pub(super) use slash::{is_for_people, refused_command};
pub(crate) use start_files::StartFiles;
pub use text::Text;
pub(super) use text::argv as text_argv;
use uuid::Uuid;
pub(crate) use watcher::{Watched, Watcher};

use super::{AgentOutput, output::garbled};

pub(super) const ABOUT: &str = "The claude CLI on this machine";

pub(super) fn capabilities() -> Capabilities {
    Capabilities {
        gate: GateLevel::Every,
        modes: PermissionMode::ALL.to_vec(),
        has_modes: true,
        change_model: true,
        resume: true,
        fork: true,
        rewind: true,
        stop_task: true,
        images: true,
        commands: true,
        context_usage: true,
        tells_cost: true,
        mcp_status: true,
        tells_folder: true,
        settings: true,
        own_history: true,
    }
}

/// What a translator is told about the process it will follow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Start {
    pub todo: Vec<TodoItem>,
    pub mode: Option<PermissionMode>,
    /// It answers in plain text.
    pub text: Option<Text>,
}

/// How many lines are remembered to notice one that comes twice.
const REMEMBERED_LINES: usize = 16;

/// How many requests for permission are remembered; more do not wait at once.
const REMEMBERED_CALLS: usize = 256;

/// The translation's whole memory.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Translator {
    ready: bool,
    started: bool,
    initialize: Option<Uuid>,
    /// A mode that a person asked for, so that its echo is not the agent's doing.
    mode_asked: Option<PermissionMode>,
    /// The request that asked for it, until it is answered.
    mode_request: Option<String>,
    /// A mode that Baton keeps while the CLI runs in its default.
    held_mode: Option<PermissionMode>,
    version: Option<String>,
    open: stream::OpenMessage,
    /// The last complete block: its message and number.
    last_block: Option<(String, u32)>,
    /// Hashes of the last lines' ids.
    seen: VecDeque<u64>,
    tasks: BTreeMap<String, tasks::Task>,
    /// Work in the background has ended since it was last known to be at rest.
    restless: bool,
    /// Calls that were asked to run in the background.
    background: BTreeSet<String>,
    /// The last requests for permission, which are answered in another form.
    at_the_gate: VecDeque<String>,
    /// Of the last denials that the CLI was told, to know them again.
    denials: VecDeque<u64>,
    todo: Vec<TodoItem>,
    /// Inputs of list calls whose results complete them.
    todo_calls: BTreeMap<String, todo::Call>,
    /// The CLI's running total, to tell one turn's price.
    cost_total: f64,
    /// Tokens of the last answer on the main thread, which fill the context.
    context_tokens: Option<u64>,
    model: Option<String>,
    /// Tokens of this turn's answers but the last, and of the last one.
    used: (Usage, Usage),
    /// The price of turns that were not ends of their own.
    carried: f64,
    /// A message that the CLI was given and has not taken.
    prompted: Option<MessageId>,
    interrupt: Option<String>,
    /// The CLI has obeyed an interrupt: what it still says was cut short.
    cut_short: bool,
    /// The CLI heard an interrupt before it had begun with the message.
    unheard: bool,
    compacting: bool,
    /// Why the context was not compacted, which the CLI says twice.
    compact_error: Option<String>,
    /// An error of this turn has been told.
    error_told: bool,
    /// When the allowance that was used up starts anew, in seconds since 1970.
    limit_resets: Option<u64>,
    /// The last plan as its call has it, with that call.
    plan: Option<(String, String)>,
    images: chat::ImageBudget,
    /// Set for a process that answers in plain text.
    text: Option<Text>,
}

impl Translator {
    pub(super) const fn expect(&mut self, message: MessageId) {
        self.prompted = Some(message);
    }

    pub fn new(start: &Start) -> Self {
        Self {
            todo: start.todo.clone(),
            held_mode: start.mode.and_then(commands::held),
            ready: start.text.is_some(),
            text: start.text.clone(),
            ..Self::default()
        }
    }

    pub(super) const fn is_ready(&self) -> bool {
        self.ready
    }

    pub(super) const fn has_started(&self) -> bool {
        self.started
    }

    pub fn line(&mut self, line: &[u8], out: &mut Vec<AgentOutput>) {
        if let Some(text) = &mut self.text {
            text.line(line, out);
            return;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match baton_claude::decode(line) {
            Ok(Message::StreamEvent(event)) => self.stream(event, out),
            Ok(message) => self.message(message, out),
            Err(error) => out.push(garbled(&error.to_string(), line)),
        }
    }

    fn message(&mut self, message: Message<'_>, out: &mut Vec<AgentOutput>) {
        match message {
            Message::StreamEvent(event) => self.stream(event, out),
            Message::System(system) => {
                let session = system.session_id.clone();
                self.system(system.message, session, out);
            }
            Message::Assistant(assistant) => self.assistant(&assistant, out),
            Message::User(user) => self.user(&user, out),
            Message::Result(result) => self.result(&result, out),
            Message::ControlRequest(request) => {
                let before = out.len();
                asks::request(*request, out);
                for output in out.iter_mut().skip(before) {
                    self.with_plan(output);
                    if let AgentOutput::Gate { request, .. } = output {
                        if self.at_the_gate.len() == REMEMBERED_CALLS {
                            self.at_the_gate.pop_front();
                        }
                        self.at_the_gate.push_back(request.clone());
                    }
                }
            }
            Message::ControlResponse(response) => self.response(*response, out),
            Message::ControlCancelRequest { request_id } => {
                out.push(AgentOutput::AskWithdrawn {
                    request: request_id,
                });
            }
            Message::CommandLifecycle(lifecycle) => {
                if matches!(lifecycle.state, baton_claude::LifecycleState::Started) {
                    self.taken(&lifecycle.command_uuid, out);
                }
            }
            Message::ToolProgress(progress) => stream::progress(&progress, out),
            Message::ToolUseSummary(summary) => notify(out, "summary", summary.summary),
            Message::AuthStatus(status) => {
                if let Some(error) = status.error {
                    self.told_error(ending::auth(&error), out);
                }
            }
            Message::RateLimitEvent(event) => {
                let info = event.rate_limit_info;
                let status = info.status.unwrap_or_default();
                self.limit_resets = info.resets_at.filter(|_| status == "rejected");
                if !status.is_empty() && status != "allowed" {
                    let which = info.rate_limit_type.unwrap_or_default();
                    notify(out, "rate_limit", format!("rate limit {which}: {status}"));
                }
            }
            Message::PromptSuggestion(suggestion) => {
                notify(out, "suggestion", suggestion.suggestion);
            }
            Message::ConversationReset(reset) => out.push(event(SessionUpdated {
                agent_session_id: Some(reset.new_conversation_id),
                ..SessionUpdated::default()
            })),
            Message::KeepAlive => {}
            Message::Unknown(unknown) => out.push(raw(unknown.raw.get())),
        }
    }

    fn system(
        &mut self,
        message: SystemMessage,
        session: Option<String>,
        out: &mut Vec<AgentOutput>,
    ) {
        match message {
            SystemMessage::Init(init) => self.init(*init, session, out),
            SystemMessage::Status(status) => {
                if let Some(told) = status.permission_mode {
                    let by = if self.mode_told(&told) {
                        "user"
                    } else {
                        "agent"
                    };
                    let by = by.to_owned();
                    let mode = self.mode_of(&told);
                    out.extend(mode.map(|mode| event(PermissionModeChanged { mode, by })));
                }
                let compacting = status.status.as_deref() == Some("compacting");
                if compacting != self.compacting {
                    self.compacting = compacting;
                    out.push(AgentOutput::Compacting(compacting));
                }
                if let Some(error) = status.compact_error {
                    self.compact_error = Some(error.clone());
                    notify(out, "compact", error);
                }
            }
            SystemMessage::CompactBoundary(boundary) => {
                let metadata = boundary.compact_metadata;
                self.context_tokens = metadata.post_tokens.or(self.context_tokens);
                out.push(event(ContextCompacted {
                    trigger: metadata.trigger.unwrap_or_else(|| "manual".into()),
                    tokens_before: metadata.pre_tokens,
                    tokens_after: metadata.post_tokens,
                }));
            }
            SystemMessage::HookResponse(hook) => {
                if let Some(code) = hook.exit_code.filter(|code| *code != 0) {
                    let name = hook.hook_name.unwrap_or_default();
                    let mut said = hook.stderr.into_iter().chain(hook.output);
                    let said = said.find(|text| !text.trim().is_empty());
                    let said = said.unwrap_or_else(|| format!("ended with exit code {code}"));
                    notify(out, "hook", format!("{name}: {}", said.trim()));
                }
            }
            SystemMessage::TaskStarted(started) => self.task_started(started, out),
            SystemMessage::TaskUpdated(updated) => self.task_updated(&updated, out),
            SystemMessage::TaskNotification(ended) => self.task_ended(ended, out),
            SystemMessage::ApiRetry(retry) => out.push(event(ending::retry(&retry))),
            SystemMessage::ModelFallback(fallback) => out.push(event(ModelChanged {
                model: fallback.fallback_model,
                reason: fallback.content.or(fallback.trigger),
            })),
            SystemMessage::Notification(notification) => notify(
                out,
                notification.key.as_deref().unwrap_or("agent"),
                notification.text.unwrap_or_default(),
            ),
            SystemMessage::SessionStateChanged(changed)
                if changed.state == baton_claude::SessionState::Idle =>
            {
                if std::mem::take(&mut self.restless) {
                    out.push(AgentOutput::AtRest);
                }
            }
            SystemMessage::Other { raw: text, .. } => out.push(raw(text.get())),
            // Told by other lines, or of no interest to a person.
            SystemMessage::HookStarted(_)
            | SystemMessage::HookProgress(_)
            | SystemMessage::TaskProgress(_)
            | SystemMessage::BackgroundTasksChanged(_)
            | SystemMessage::ThinkingTokens(_)
            | SystemMessage::SessionStateChanged(_)
            | SystemMessage::CommandsChanged(_) => {}
        }
    }

    /// The CLI begins every turn with its facts, its own turns too.
    fn init(
        &mut self,
        init: baton_claude::Init,
        session: Option<String>,
        out: &mut Vec<AgentOutput>,
    ) {
        self.started = true;
        self.error_told = false;
        self.images = chat::ImageBudget::default();
        self.model.clone_from(&init.model);
        self.version.clone_from(&init.claude_code_version);
        out.push(AgentOutput::TurnStarted);
        let servers = init.mcp_servers.into_iter().map(|server| McpServerState {
            name: server.name,
            status: server.status.as_str().to_owned(),
        });
        out.push(AgentOutput::Started(SessionStarted {
            agent_session_id: session,
            model: init.model,
            tools: init.tools,
            mcp_servers: servers.collect(),
            slash_commands: init.slash_commands,
            permission_mode: init
                .permission_mode
                .as_ref()
                .and_then(|mode| self.mode_of(mode)),
            agent_version: init.claude_code_version,
            pid: None,
        }));
    }

    fn taken(&mut self, uuid: &str, out: &mut Vec<AgentOutput>) {
        if let Some(id) = message_id(uuid) {
            self.prompted.take_if(|prompted| *prompted == id);
            out.push(AgentOutput::Taken(id));
            if std::mem::take(&mut self.unheard) {
                out.push(AgentOutput::Unstopped);
            }
        }
    }

    /// The session's mode, from what the CLI says of its own.
    fn mode_of(&self, mode: &baton_claude::PermissionMode) -> Option<PermissionMode> {
        let mode: PermissionMode = mode.as_str().parse().ok()?;
        Some(match mode {
            PermissionMode::Default => self.held_mode.unwrap_or(mode),
            PermissionMode::AcceptEdits
            | PermissionMode::Plan
            | PermissionMode::DontAsk
            | PermissionMode::BypassPermissions
            | PermissionMode::Auto => mode,
        })
    }

    /// Whether a line with this id was seen a moment ago.
    fn repeated(&mut self, uuid: Option<&str>) -> bool {
        let Some(uuid) = uuid.and_then(|uuid| Uuid::try_parse(uuid).ok()) else {
            return false;
        };
        let (high, low) = uuid.as_u64_pair();
        let hash = high ^ low;
        if self.seen.contains(&hash) {
            return true;
        }
        if self.seen.len() == REMEMBERED_LINES {
            self.seen.pop_front();
        }
        self.seen.push_back(hash);
        false
    }

    /// The sub-agent behind a parent call.
    fn agent_of(&self, parent: Option<&str>) -> Option<String> {
        let parent = parent?;
        let mut tasks = self.tasks.iter();
        tasks
            .find(|(_, task)| task.tool_use_id.as_deref() == Some(parent))
            .map(|(id, _)| id.clone())
    }
}

/// An output that becomes an event as it stands.
fn event(event: impl Into<Event>) -> AgentOutput {
    AgentOutput::Event {
        event: event.into(),
        agent_id: None,
    }
}

fn event_of(event: impl Into<Event>, agent_id: Option<String>) -> AgentOutput {
    AgentOutput::Event {
        event: event.into(),
        agent_id,
    }
}

/// Something the CLI said that has no other place.
fn raw(text: &str) -> AgentOutput {
    event(AgentUnknown { raw: json(text) })
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| Json::of(text))
}

fn notify(out: &mut Vec<AgentOutput>, kind: &str, message: String) {
    if !message.trim().is_empty() {
        out.push(event(Notification {
            title: None,
            message,
            kind: kind.to_owned(),
        }));
    }
}

fn message_id(text: &str) -> Option<MessageId> {
    text.parse().ok()
}

#[cfg(test)]
#[path = "claude_tests.rs"]
mod tests;
