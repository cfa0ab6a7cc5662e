//! What to start for a session, and how to say that it could not be started.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use baton_process::{
    SpawnError, Spec,
    holder::{AgentFile, AttachError, HolderError, RequestMarks},
};
use baton_project::{accepted::Accepted, git::Quiet};
use baton_protocol::words::{ErrorCode, PermissionMode};

use super::{AgentKind, claude};
use crate::{
    folder::FolderRules,
    machine::{Facts, Trouble},
    settings::Defaults,
};

/// What this machine has for agents, found out once by the binary.
#[derive(Debug, Clone)]
pub struct AgentHome {
    /// This program: it is the holder and the demo agent too.
    pub baton: PathBuf,
    /// The hidden subcommands that make it so.
    pub holder_command: String,
    pub demo_command: String,
    /// The `claude` program, if it was found.
    pub claude: Option<PathBuf>,
    /// A setting names it.
    pub claude_named: bool,
    /// Where the CLI keeps its sessions.
    pub claude_config: PathBuf,
    /// The user's own environment without Baton's secrets.
    pub env: Vec<(OsString, OsString)>,
    /// The time between two words of the demo agent.
    pub demo_pace: Duration,
}

impl AgentHome {
    /// The user's home folder, as agents see it.
    pub fn home(&self) -> PathBuf {
        let home = self.env.iter().find(|(name, _)| name == "HOME");
        home.map(|(_, value)| PathBuf::from(value))
            .unwrap_or_default()
    }

    /// Whether a process of this kind could be started: its program and this
    /// one, which holds it, are where they were found. Asks the disk.
    pub fn can_start(&self, kind: AgentKind) -> bool {
        is_program(&self.baton) && self.program(kind).is_some_and(is_program)
    }
}

fn is_program(path: &Path) -> bool {
    let found = std::fs::metadata(path);
    found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// A process about to be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub kind: AgentKind,
    pub spec: Spec,
    pub marks: RequestMarks,
    /// What it is given in files, for nobody else to see.
    pub files: Vec<AgentFile>,
}

/// Why there is nothing to start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    #[error("the session names the agent `{0}`, which this version does not have")]
    UnknownAgent(String),
    #[error("the {} program was not found", .0.name())]
    NoProgram(AgentKind),
    #[error("the folder {} is not there", .0.display())]
    NoFolder(PathBuf),
    #[error("the message is too long for a claude that knows no stream-json")]
    TooLongForText,
}

/// The most that Linux takes as one argument, with room to spare.
const MAX_ARGUMENT: usize = 120 * 1024;

impl LaunchError {
    pub fn trouble(&self) -> Trouble {
        let (code, hint) = match self {
            Self::UnknownAgent(_) => (ErrorCode::AgentMissing, "Update Baton."),
            Self::NoProgram(kind) => (ErrorCode::AgentMissing, kind.install()),
            Self::NoFolder(_) => (ErrorCode::InvalidRequest, FOLDER_GONE),
            Self::TooLongForText => (
                ErrorCode::InvalidRequest,
                "Update claude, or send less at once.",
            ),
        };
        Trouble {
            code,
            message: self.to_string(),
            hint: Some(hint.into()),
            detail: None,
        }
    }
}

const FOLDER_GONE: &str = "Put the folder back. If it was moved or renamed, say where it is with \
     `baton projects move OLD NEW`: all of its sessions go on there.";

/// On which terms a process is started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) facts: &'a Facts,
    /// The session's mode, as far as it may be in it.
    pub(crate) mode: PermissionMode,
    pub(crate) folder: &'a FolderRules,
    pub(crate) defaults: &'a Defaults,
    /// The MCP server inside the host.
    pub(crate) host_server: Option<&'a str>,
    /// The folder that its files will be in.
    pub(crate) place: &'a Path,
    /// What a trusted folder brings, copied when it was last looked at.
    pub(crate) accepted: Option<&'a Accepted>,
    /// Rules that deny reading, as the agent writes them.
    pub(crate) unread: &'a [String],
    /// What keeps git from running what a folder names that is not trusted.
    pub(crate) quiet: Option<&'a Quiet>,
    /// What it may cost, in US dollars.
    pub(crate) allowance: Option<f64>,
    /// For an agent that answers in plain text.
    pub(crate) text: Option<&'a TextTerms>,
}

/// What an agent is started with that takes nothing later.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextTerms {
    pub(crate) prompt: String,
    /// The rules that deny or ask.
    pub(crate) forbidden: Vec<String>,
    /// There is one more that cannot be read.
    pub(crate) in_doubt: bool,
}

impl Terms<'_> {
    /// The environment of an agent in this folder.
    pub(crate) fn env(&self, home: &AgentHome, cwd: &Path) -> Vec<(OsString, OsString)> {
        let mut env: BTreeMap<OsString, OsString> = home.env.iter().cloned().collect();
        for (folder, more) in &self.defaults.folder_env {
            if cwd.starts_with(folder) {
                env.extend(more.iter().cloned());
            }
        }
        let created = self.facts.created.as_ref();
        let own = created.and_then(|created| created.options.env.as_ref());
        for (name, value) in own.into_iter().flatten() {
            env.insert(name.into(), value.into());
        }
        // Last: nothing that is said before may undo it.
        if let Some(quiet) = self.quiet {
            quiet.add_to(&mut env);
        }
        env.into_iter().collect()
    }
}

/// What to run for a session in its present state.
pub(crate) fn launch(home: &AgentHome, terms: &Terms<'_>) -> Result<Launch, LaunchError> {
    let created = terms.facts.created.as_ref();
    let name = created
        .map(|created| created.agent.as_str())
        .unwrap_or_default();
    let kind = AgentKind::from_name(name).ok_or_else(|| LaunchError::UnknownAgent(name.into()))?;
    let cwd = created
        .map(|created| PathBuf::from(&created.cwd))
        .unwrap_or_default();
    if !cwd.is_dir() {
        return Err(LaunchError::NoFolder(cwd));
    }
    match kind {
        AgentKind::Demo => Ok(Launch {
            kind,
            spec: Spec {
                program: home.baton.clone(),
                args: vec![
                    OsString::from(&home.demo_command),
                    home.demo_pace.as_millis().to_string().into(),
                ],
                env: terms.env(home, &cwd),
                cwd,
            },
            marks: demo_marks(),
            files: Vec::new(),
        }),
        AgentKind::Claude => {
            let program = home.program(kind).ok_or(LaunchError::NoProgram(kind))?;
            let prompt = terms.text.map_or(0, |text| text.prompt.len());
            if prompt > MAX_ARGUMENT {
                return Err(LaunchError::TooLongForText);
            }
            Ok(claude_launch(home, terms, program, cwd))
        }
    }
}

fn claude_launch(home: &AgentHome, terms: &Terms<'_>, program: &Path, cwd: PathBuf) -> Launch {
    let (options, files) = claude::options(home, terms, program, cwd.clone());
    let env = options.environment().into_iter().collect();
    let args = match terms.text {
        Some(text) => claude::text_argv(options, terms.mode, &terms.folder.tools, text),
        None => options.argv(),
    };
    Launch {
        kind: AgentKind::Claude,
        spec: Spec {
            program: program.to_owned(),
            args,
            env,
            cwd,
        },
        marks: RequestMarks {
            opened_by_output: vec![r#"{"type":"control_request""#.into()],
            closed_by_output: vec![r#"{"type":"control_cancel_request""#.into()],
            closed_by_input: vec![r#"{"type":"control_response""#.into()],
            id_key: Some("request_id".into()),
        },
        files,
    }
}

fn demo_marks() -> RequestMarks {
    RequestMarks {
        opened_by_output: vec![r#"{"t":"ask""#.into()],
        closed_by_output: vec![r#"{"t":"withdrawn""#.into()],
        closed_by_input: vec![r#"{"t":"answer""#.into()],
        id_key: Some("request".into()),
    }
}

/// Something that kept a process from starting.
pub trait StartFailure: std::error::Error {
    fn spawn_error(&self) -> Option<&SpawnError> {
        None
    }
}

impl StartFailure for AttachError {}

impl StartFailure for HolderError {
    fn spawn_error(&self) -> Option<&SpawnError> {
        match self {
            Self::Agent(error) => Some(error),
            Self::InUse { .. }
            | Self::Folder { .. }
            | Self::Exe { .. }
            | Self::Begin { .. }
            | Self::StillRunning { .. }
            | Self::Undying { .. } => None,
        }
    }
}

/// Says in plain words why a process did not start.
pub fn start_trouble(kind: AgentKind, error: &impl StartFailure) -> Trouble {
    let detail = crate::chain(error);
    let name = kind.name();
    let (message, hint) = match error.spawn_error() {
        Some(SpawnError::NoProgram { program }) => (
            format!("{name} is not at {}", program.display()),
            kind.install(),
        ),
        Some(SpawnError::NoInterpreter { program }) => (
            format!(
                "{} needs a program that is not installed",
                program.display()
            ),
            "Install what its first line names (for claude: Node.js), or point BATON_AGENT_CLAUDE_PATH to another claude.",
        ),
        Some(SpawnError::NotExecutable { program }) => (
            format!("{} may not be executed", program.display()),
            "Make it executable, or point BATON_AGENT_CLAUDE_PATH to the claude program itself.",
        ),
        Some(SpawnError::NoDirectory { cwd }) => (
            format!("the folder {} is not there", cwd.display()),
            FOLDER_GONE,
        ),
        Some(SpawnError::System { .. }) | None => (
            format!("{name} could not be started"),
            "See the details; `baton doctor` checks what is needed.",
        ),
    };
    Trouble {
        code: ErrorCode::AgentMissing,
        message,
        hint: Some(hint.to_owned()),
        detail: Some(detail),
    }
}
