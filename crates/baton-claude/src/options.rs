//! How to start the CLI: options in, argument list and environment out.
//!
//! Pure: nothing is read from the environment and nothing is started. Values
//! that may begin with a dash travel as `--flag=value`, never as a word of
//! their own, and nothing passes through a shell.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use baton_process::Spec;
use uuid::Uuid;

use crate::control::PermissionMode;
use crate::json::{RawJson, word_enum};
use crate::version::SESSION_STATE_VARIABLES;

/// How to start the CLI. [`Options::new`] gives a session that can be driven:
/// asks come to the host, messages stream, sent messages are acknowledged.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The CLI: an absolute path, or a bare name looked up in `PATH` of `env`.
    pub program: PathBuf,
    /// The project. Sessions belong to their directory: a resume from another
    /// one fails.
    pub cwd: PathBuf,
    /// The environment of the process; nothing is inherited. It needs at least
    /// `HOME` and `PATH`, and `ANTHROPIC_API_KEY` unless a login is stored.
    /// `CLAUDECODE` is dropped from it.
    pub env: BTreeMap<OsString, OsString>,
    /// Which session.
    pub session: Session,
    /// The model. Pass it on resume too: 2.1.197 otherwise falls back to the
    /// last answer's model and loses a long context window.
    pub model: Option<String>,
    /// Models to fall back to when the first is overloaded.
    pub fallback_models: Vec<String>,
    /// The permission mode. It is not restored on resume.
    pub permission_mode: Option<PermissionMode>,
    /// Lets a later `set_permission_mode` reach `bypassPermissions`. Beware:
    /// with it, tools run without asking in plan mode.
    pub allow_bypass: bool,
    /// Settings files to load; `None` means all, an empty list none.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// A settings file, or settings as JSON, laid over all others.
    pub settings: Option<String>,
    /// MCP servers by name, as in `.mcp.json`. They appear in the process
    /// list, so secrets belong into `mcp_config_files`.
    pub mcp_servers: BTreeMap<String, RawJson>,
    /// Names of MCP servers inside the host.
    pub sdk_mcp_servers: Vec<String>,
    /// Files with MCP servers.
    pub mcp_config_files: Vec<PathBuf>,
    /// Ignores every other source of MCP servers. Without it the project's
    /// `.mcp.json` servers start without approval.
    pub strict_mcp_config: bool,
    /// Built-in tools to offer; `None` means all, an empty list none.
    pub tools: Option<Vec<String>>,
    /// Rules for calls that need no ask, such as `Bash(git:*)`.
    pub allowed_tools: Vec<String>,
    /// Tools to take away, or rules for calls to refuse.
    pub disallowed_tools: Vec<String>,
    /// Model calls per message.
    pub max_turns: Option<u32>,
    /// Dollars per process.
    pub max_budget_usd: Option<f64>,
    /// Limits reasoning, for models that take a limit.
    pub max_thinking_tokens: Option<u64>,
    /// Whether the model reasons.
    pub thinking: Option<Thinking>,
    /// How hard the model tries: `low` to `max`.
    pub effort: Option<String>,
    /// Replaces the system prompt.
    pub system_prompt: Option<String>,
    /// Adds to the system prompt.
    pub append_system_prompt: Option<String>,
    /// A file whose text is added to the system prompt; beside a text only the
    /// text counts.
    pub append_system_prompt_file: Option<PathBuf>,
    /// JSON Schema the final answer must fit.
    pub json_schema: Option<RawJson>,
    /// Further directories to work in.
    pub add_dirs: Vec<PathBuf>,
    /// Kinds of sub-agents by name.
    pub agents: Option<RawJson>,
    /// Plugins for this session only.
    pub plugin_dirs: Vec<PathBuf>,
    /// API features to ask for.
    pub betas: Vec<String>,
    /// The session's name.
    pub name: Option<String>,
    /// Where to write a debug log.
    pub debug_file: Option<PathBuf>,
    /// Streams messages while they are written.
    pub partial_messages: bool,
    /// Repeats accepted messages, which acknowledges them in 2.1.197.
    pub replay_user_messages: bool,
    /// Reports command hooks.
    pub hook_events: bool,
    /// Keeps a transcript on disk.
    pub persist: bool,
    /// Keeps copies of files, for [`crate::RewindFiles`].
    pub file_checkpointing: bool,
    /// Reports whether the session runs, waits or is idle.
    pub session_state_events: bool,
    /// Switches on experimental teams of agents.
    pub agent_teams: bool,
    /// How often a failed API call is tried again; the CLI's default is 10,
    /// which takes minutes for a wrong key.
    pub max_retries: Option<u32>,
    /// Replaces `~/.claude`.
    pub config_dir: Option<PathBuf>,
    /// How the host calls itself towards the API and in transcripts.
    pub entrypoint: Option<String>,
}

/// Which session to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Session {
    /// A fresh one.
    New {
        /// Its id; the CLI fails if it is in use. `None` lets the CLI choose.
        id: Option<Uuid>,
    },
    /// One that exists.
    Resume {
        /// Its id.
        id: Uuid,
        /// Forgets what came after this message, which must be on the active
        /// branch.
        at: Option<Uuid>,
        /// Leaves the old session alone and continues in a copy.
        fork: Option<ForkedAs>,
    },
    /// The most recent one of the directory.
    Continue {
        /// Leaves the old session alone and continues in a copy.
        fork: Option<ForkedAs>,
    },
}

/// A copy of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForkedAs {
    /// Its id. `None` lets the CLI choose.
    pub id: Option<Uuid>,
}

word_enum! {
    /// A settings file.
    SettingSource {
        /// `~/.claude/settings.json`.
        User = "user",
        /// `.claude/settings.json`.
        Project = "project",
        /// `.claude/settings.local.json`.
        Local = "local",
    }
}

word_enum! {
    /// Whether the model reasons.
    Thinking {
        /// It decides itself.
        Adaptive = "adaptive",
        /// It does not.
        Disabled = "disabled",
    }
}

impl Options {
    /// A fresh, streaming session in `cwd` with `env` as its environment.
    #[must_use]
    pub fn new(
        program: impl Into<PathBuf>,
        cwd: impl Into<PathBuf>,
        env: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        Self {
            program: program.into(),
            cwd: cwd.into(),
            env: env.into_iter().collect(),
            session: Session::New { id: None },
            model: None,
            fallback_models: Vec::new(),
            permission_mode: None,
            allow_bypass: false,
            setting_sources: None,
            settings: None,
            mcp_servers: BTreeMap::new(),
            sdk_mcp_servers: Vec::new(),
            mcp_config_files: Vec::new(),
            strict_mcp_config: false,
            tools: None,
            allowed_tools: Vec::new(),
            disallowed_tools: Vec::new(),
            max_turns: None,
            max_budget_usd: None,
            max_thinking_tokens: None,
            thinking: None,
            effort: None,
            system_prompt: None,
            append_system_prompt: None,
            append_system_prompt_file: None,
            json_schema: None,
            add_dirs: Vec::new(),
            agents: None,
            plugin_dirs: Vec::new(),
            betas: Vec::new(),
            name: None,
            debug_file: None,
            partial_messages: true,
            replay_user_messages: true,
            hook_events: false,
            persist: true,
            file_checkpointing: false,
            session_state_events: false,
            agent_teams: false,
            max_retries: None,
            config_dir: None,
            entrypoint: None,
        }
    }

    /// The arguments, without the program.
    #[must_use]
    pub fn argv(&self) -> Vec<OsString> {
        let mut args = Args::default();
        for word in [
            "--output-format",
            "stream-json",
            "--verbose",
            "--input-format",
            "stream-json",
            "--permission-prompt-tool",
            "stdio",
        ] {
            args.word(word);
        }
        args.flag("--include-partial-messages", self.partial_messages);
        args.flag("--replay-user-messages", self.replay_user_messages);
        args.flag("--include-hook-events", self.hook_events);
        args.flag("--no-session-persistence", !self.persist);
        self.session_args(&mut args);
        self.model_args(&mut args);
        self.permission_args(&mut args);
        self.tool_args(&mut args);
        self.prompt_args(&mut args);
        args.each("--add-dir", &self.add_dirs);
        args.each("--plugin-dir", &self.plugin_dirs);
        args.value("--name", self.name.as_ref());
        args.value("--debug-file", self.debug_file.as_ref());
        args.0
    }

    /// The arguments for one answer in plain text, of a CLI that knows no
    /// stream-json. Nothing can be asked there, so `unchecked` is the only way
    /// to tools that would be asked about.
    #[must_use]
    pub fn text_argv(&self, prompt: &str, unchecked: bool) -> Vec<OsString> {
        let mut args = Args::default();
        for word in ["--print", "--output-format", "text"] {
            args.word(word);
        }
        self.session_args(&mut args);
        args.value("--model", self.model.as_ref());
        if unchecked {
            args.word("--dangerously-skip-permissions");
        } else {
            let mode = self.permission_mode.as_ref().map(PermissionMode::as_str);
            args.value("--permission-mode", mode);
        }
        if let Some(sources) = &self.setting_sources {
            let sources: Vec<&str> = sources.iter().map(SettingSource::as_str).collect();
            args.value("--setting-sources", Some(sources.join(",")));
        }
        args.value("--settings", self.settings.as_ref());
        self.tool_args(&mut args);
        args.value("--append-system-prompt", self.append_system_prompt.as_ref());
        args.each("--add-dir", &self.add_dirs);
        args.value("--debug-file", self.debug_file.as_ref());
        args.word("--");
        args.word(prompt);
        args.0
    }

    fn session_args(&self, args: &mut Args) {
        let fork = match &self.session {
            Session::New { id } => {
                args.value("--session-id", id.map(|id| id.to_string()));
                return;
            }
            Session::Resume { id, at, fork } => {
                args.value("--resume", Some(id.to_string()));
                args.value("--resume-session-at", at.map(|at| at.to_string()));
                fork
            }
            Session::Continue { fork } => {
                args.word("--continue");
                fork
            }
        };
        if let Some(ForkedAs { id }) = fork {
            args.word("--fork-session");
            args.value("--session-id", id.map(|id| id.to_string()));
        }
    }

    fn model_args(&self, args: &mut Args) {
        args.value("--model", self.model.as_ref());
        args.joined("--fallback-model", &self.fallback_models);
        args.value("--max-turns", self.max_turns.map(|turns| turns.to_string()));
        args.value(
            "--max-budget-usd",
            self.max_budget_usd.map(|usd| usd.to_string()),
        );
        let tokens = self.max_thinking_tokens.map(|tokens| tokens.to_string());
        args.value("--max-thinking-tokens", tokens);
        args.value("--thinking", self.thinking.as_ref().map(Thinking::as_str));
        args.value("--effort", self.effort.as_ref());
        args.each("--betas", &self.betas);
    }

    fn permission_args(&self, args: &mut Args) {
        let mode = self.permission_mode.as_ref().map(PermissionMode::as_str);
        args.value("--permission-mode", mode);
        args.flag("--allow-dangerously-skip-permissions", self.allow_bypass);
        if let Some(sources) = &self.setting_sources {
            let sources: Vec<&str> = sources.iter().map(SettingSource::as_str).collect();
            args.value("--setting-sources", Some(sources.join(",")));
        }
        args.value("--settings", self.settings.as_ref());
    }

    fn tool_args(&self, args: &mut Args) {
        if let Some(tools) = &self.tools {
            args.value("--tools", Some(tools.join(",")));
        }
        args.joined("--allowedTools", &self.allowed_tools);
        args.joined("--disallowedTools", &self.disallowed_tools);
        args.value("--mcp-config", self.mcp_config());
        args.each("--mcp-config", &self.mcp_config_files);
        args.flag("--strict-mcp-config", self.strict_mcp_config);
    }

    fn prompt_args(&self, args: &mut Args) {
        args.value("--system-prompt", self.system_prompt.as_ref());
        args.value("--append-system-prompt", self.append_system_prompt.as_ref());
        let file = self.append_system_prompt_file.as_ref();
        args.value("--append-system-prompt-file", file);
        args.value("--json-schema", self.json_schema.as_ref().map(RawJson::get));
        args.value("--agents", self.agents.as_ref().map(RawJson::get));
    }

    /// The servers given inline, those inside the host included.
    fn mcp_config(&self) -> Option<String> {
        let mut servers = serde_json::Map::new();
        for (name, server) in &self.mcp_servers {
            servers.insert(name.clone(), server.parse().unwrap_or_default());
        }
        for name in &self.sdk_mcp_servers {
            servers.insert(
                name.clone(),
                serde_json::json!({ "type": "sdk", "name": name }),
            );
        }
        (!servers.is_empty()).then(|| serde_json::json!({ "mcpServers": servers }).to_string())
    }

    /// The whole environment of the process.
    #[must_use]
    pub fn environment(&self) -> BTreeMap<OsString, OsString> {
        let mut env = self.env.clone();
        // It marks processes started by a CLI, which this one is not.
        env.remove(OsStr::new("CLAUDECODE"));
        let mut set = |name: &str, value: &OsStr| {
            env.insert(name.into(), value.to_owned());
        };
        if self.file_checkpointing {
            set(
                "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
                OsStr::new("true"),
            );
        }
        if self.session_state_events {
            for name in SESSION_STATE_VARIABLES {
                set(name, OsStr::new("1"));
            }
        }
        if self.agent_teams {
            set("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", OsStr::new("1"));
        }
        if let Some(retries) = self.max_retries {
            set("CLAUDE_CODE_MAX_RETRIES", OsStr::new(&retries.to_string()));
        }
        if let Some(dir) = &self.config_dir {
            set("CLAUDE_CONFIG_DIR", dir.as_os_str());
        }
        if let Some(entrypoint) = &self.entrypoint {
            set("CLAUDE_CODE_ENTRYPOINT", OsStr::new(entrypoint));
        }
        env
    }
}

impl From<&Options> for Spec {
    fn from(options: &Options) -> Self {
        Self {
            program: options.program.clone(),
            args: options.argv(),
            env: options.environment().into_iter().collect(),
            cwd: options.cwd.clone(),
        }
    }
}

/// An argument list in the making.
#[derive(Default)]
struct Args(Vec<OsString>);

impl Args {
    fn word(&mut self, word: &str) {
        self.0.push(word.into());
    }

    fn flag(&mut self, flag: &str, wanted: bool) {
        if wanted {
            self.word(flag);
        }
    }

    fn value(&mut self, flag: &str, value: Option<impl AsRef<OsStr>>) {
        if let Some(value) = value {
            let mut word = OsString::from(flag);
            word.push("=");
            word.push(value);
            self.0.push(word);
        }
    }

    fn each(&mut self, flag: &str, values: &[impl AsRef<OsStr>]) {
        for value in values {
            self.value(flag, Some(value));
        }
    }

    fn joined(&mut self, flag: &str, values: &[String]) {
        self.value(flag, (!values.is_empty()).then(|| values.join(",")));
    }
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
