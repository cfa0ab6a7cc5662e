//! What each command takes.

mod embed;
mod folder;
mod project;
mod sign_in;

pub(crate) use embed::*;
pub(crate) use folder::*;
pub(crate) use project::*;
pub(crate) use sign_in::*;

use std::path::PathBuf;

use baton_protocol::words::{ListedState, PermissionMode, Remedy, Scope};
use baton_session::agents::AgentKind;
use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};

const RUN_EXAMPLES: &str = "Examples:
  baton run \"Fix the failing test\"
  baton run --resume last \"Now add another one\"
  baton run --agent demo tour
  baton run --env PATH --env VIRTUAL_ENV \"Run the tests\"
  git diff | baton run -              approvals are denied then: nobody can be asked
  baton run --json \"Say hello\" | jq -r .type

Exit code: 0 when the turn ended well, 1 when it failed or was interrupted, 2 for wrong usage,
3 when an approval waits and --approvals is fail.
On a terminal, Ctrl-C interrupts the turn; twice leaves it to the daemon, where it goes on.";

#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// What to say; `-` reads it from standard input
    pub(crate) prompt: String,
    /// Which agent: claude, or demo, which needs no account (default: claude if it is installed)
    #[arg(long, value_parser = agents())]
    pub(crate) agent: Option<AgentKind>,
    /// Which model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// What the agent may do without asking
    #[arg(long, value_name = "MODE", value_parser = modes())]
    pub(crate) permission_mode: Option<PermissionMode>,
    /// Goes on with a session: its id, the beginning of it, or `last`
    #[arg(long, value_name = "ID", conflicts_with_all = ["agent", "project", "model", "permission_mode", "setting_sources", "title", "max_budget", "tools", "add_dir", "env"])]
    pub(crate) resume: Option<String>,
    /// The folder to work in (default: this one)
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// What the session is called (default: the first line of the prompt)
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// What the session may cost in all, in US dollars
    #[arg(long, value_name = "USD", value_parser = amount)]
    pub(crate) max_budget: Option<Amount>,
    /// The tools that the agent has, with commas between
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
    /// A further folder to work in; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,
    /// A variable for the agent, which otherwise has the daemon's: NAME takes this shell's value.
    /// It stays with the session, and nobody is shown the value; may be repeated
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<String>,
    /// A file or image to send along; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// Which of claude's settings to load, with commas between. The folder's own can run
    /// programs by themselves, so before you trust it (`baton trust`) only `user` is loaded
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    pub(crate) setting_sources: Option<Vec<SettingSource>>,
    /// With --resume: what is done should the agent lack a part of the past (setting: agent.lostMemory)
    #[arg(long, value_name = "REMEDY", value_parser = remedies(), requires = "resume")]
    pub(crate) memory: Option<Remedy>,
    /// What happens to approvals when there is no terminal to ask on
    #[arg(long, value_enum, default_value_t = Approvals::Deny)]
    pub(crate) approvals: Approvals,
    /// Prints every event and live frame as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

/// What happens to approvals without a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approvals {
    /// They are denied at once, and recorded
    Deny,
    /// They wait for another client, such as `baton approve`
    Wait,
    /// They wait, and this command ends with exit code 3
    Fail,
}

fn agents() -> impl TypedValueParser<Value = AgentKind> {
    let names = AgentKind::ALL.iter().map(|kind| kind.name());
    PossibleValuesParser::new(names).map(|name| AgentKind::from_name(&name).unwrap_or_default())
}

/// Where claude's settings come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SettingSource {
    User,
    Project,
    Local,
}

impl SettingSource {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    /// Only those of this project: its slug, id or folder
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Only those in this state
    #[arg(long, value_name = "STATE", value_parser = states())]
    pub(crate) state: Option<ListedState>,
    /// At most this many
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// Every event for programs, or the conversation to read
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    pub(crate) format: Format,
    /// Of a copy of another session: first that one's events, up to the copy (in text to read they
    /// always are)
    #[arg(long)]
    pub(crate) past: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Every event, one JSON object per line
    Ndjson,
    /// The conversation, to read
    Markdown,
    /// The same as one page for a browser; what looks like a credential is masked
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SendArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// What to say; `-` reads it from standard input
    pub(crate) text: String,
    /// Lets the message wait when a turn is running
    #[arg(long)]
    pub(crate) queue: bool,
    /// A file or image to send along; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// What is done should the agent lack a part of the past (setting: agent.lostMemory)
    #[arg(long, value_name = "REMEDY", value_parser = remedies())]
    pub(crate) memory: Option<Remedy>,
    /// Streams the answer, as `run` does, until the turn has ended
    #[arg(long, conflicts_with = "queue")]
    pub(crate) wait: bool,
    /// With --wait: what happens to approvals when there is no terminal to ask on
    #[arg(long, value_enum, default_value_t = Approvals::Wait, requires = "wait")]
    pub(crate) approvals: Approvals,
    /// Prints the answer to the message as JSON; with --wait every event and live frame
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// Only what comes after this event
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub(crate) after: u64,
    /// With --json, of a copy of another session: first that one's events, up to the copy
    #[arg(long, requires = "json", conflicts_with = "after")]
    pub(crate) past: bool,
    /// Prints every event and live frame as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The approval, or a session in which exactly one waits
    pub(crate) id: String,
    /// The whole input to use instead, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// Answers a question; may be repeated
    #[arg(long, value_name = "QUESTION=ANSWER")]
    pub(crate) answer: Vec<String>,
    /// After a plan: the permission mode to go on in
    #[arg(long, value_parser = modes())]
    pub(crate) mode: Option<PermissionMode>,
    /// Remembers this rule with the answer
    #[arg(long)]
    pub(crate) rule: Option<String>,
    /// How far the answer is remembered
    #[arg(long, value_name = "SCOPE", value_parser = scopes())]
    pub(crate) remember: Option<Scope>,
    /// Prints the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DenyArgs {
    /// The approval, or a session in which exactly one waits
    pub(crate) id: String,
    /// What to say to the agent
    #[arg(long)]
    pub(crate) message: Option<String>,
    /// Stops the turn as well
    #[arg(long)]
    pub(crate) interrupt: bool,
    /// Remembers this rule with the answer
    #[arg(long)]
    pub(crate) rule: Option<String>,
    /// How far the answer is remembered
    #[arg(long, value_name = "SCOPE", value_parser = scopes())]
    pub(crate) remember: Option<Scope>,
    /// Prints the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InterruptArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// Takes back the messages that wait, too
    #[arg(long)]
    pub(crate) clear: bool,
    /// Prints the daemon's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct QueueArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// Takes this one back: its id, or the beginning of it
    #[arg(long, value_name = "MESSAGE", group = "act")]
    pub(crate) take_back: Option<String>,
    /// Gives this one another text
    #[arg(long, value_names = ["MESSAGE", "TEXT"], num_args = 2, group = "act")]
    pub(crate) edit: Vec<String>,
    /// Puts this one first
    #[arg(long, value_name = "MESSAGE", group = "act")]
    pub(crate) first: Option<String>,
    /// Puts this one last
    #[arg(long, value_name = "MESSAGE", group = "act")]
    pub(crate) last: Option<String>,
    /// Begins this one at once; a running turn is stopped for it
    #[arg(long, value_name = "MESSAGE", group = "act")]
    pub(crate) now: Option<String>,
    /// Begins none of those that wait now before they are let go on
    #[arg(long, group = "act")]
    pub(crate) hold: bool,
    /// Lets what is held go on
    #[arg(long, group = "act")]
    pub(crate) release: bool,
    /// Prints the list, or the daemon's answer, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TasksArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// Stops this one
    #[arg(long, value_name = "TASK")]
    pub(crate) stop: Option<String>,
    /// Prints the list, or the daemon's answer, as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SessionArg {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// Prints the daemon's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TitleArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// The new title
    pub(crate) title: String,
    /// Prints the daemon's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BudgetArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// In US dollars, over the session's whole life; `none` leaves it to the settings
    #[arg(value_parser = amount)]
    pub(crate) amount: Amount,
    /// Prints the daemon's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// US dollars, or none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Amount(pub(crate) Option<f64>);

pub(crate) fn amount(text: &str) -> Result<Amount, String> {
    if text == "none" {
        return Ok(Amount(None));
    }
    let amount = text.trim_start_matches('$').parse::<f64>().ok();
    let amount = amount.filter(|amount| amount.is_finite() && *amount >= 0.0);
    let amount = amount.ok_or("it is an amount in US dollars, such as 5 or 0.50, or `none`")?;
    Ok(Amount(Some(amount)))
}

#[derive(Debug, Args)]
pub(crate) struct ModelArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// The model to go on with (default: the agent's own)
    pub(crate) model: Option<String>,
    /// Prints the daemon's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ModeArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// What the agent may do without asking
    #[arg(value_parser = modes())]
    pub(crate) mode: PermissionMode,
    /// Prints the daemon's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// Where to cut: the agent's id of a message (default: the end)
    #[arg(long, value_name = "MESSAGE")]
    pub(crate) at: Option<String>,
    /// Prints the new session as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RewindArgs {
    /// The session: its id, the beginning of it, or `last`
    pub(crate) id: String,
    /// The checkpoint, or the beginning of its id; without it they are listed
    pub(crate) checkpoint: Option<String>,
    /// Only says which files
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Prints the daemon's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    /// Opens a browser on it
    #[arg(long)]
    pub(crate) open: bool,
    /// The configuration file (default: ./baton.yaml, else config.yaml in the data folder)
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Started by another baton that waits for a word
    #[arg(long, hide = true)]
    pub(crate) background: bool,
    /// Ends after so many seconds without clients and work
    #[arg(long, hide = true, value_name = "SECONDS")]
    pub(crate) exit_when_idle: Option<u64>,
}

/// Where to listen, in place of the settings.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ListenArgs {
    /// The address to listen on (setting: runner.host); 0.0.0.0 lets other devices in
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
    /// The port to listen on (setting: runner.port); 0 takes a free one
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Does not wait for running turns, and ends agents by force
    #[arg(long)]
    pub(crate) now: bool,
    /// How many seconds running turns are waited for (default: 30)
    #[arg(long, value_name = "SECONDS", conflicts_with = "now")]
    pub(crate) grace: Option<u64>,
    /// Lets agents go on; the next daemon takes them over
    #[arg(long, conflicts_with_all = ["now", "grace"])]
    pub(crate) keep_agents: bool,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigReloadArgs {
    /// Prints it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigShowArgs {
    /// The file of settings (default: ./baton.yaml, else config.yaml in the data folder)
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

fn scopes() -> impl TypedValueParser<Value = Scope> {
    let words = Scope::ALL.iter().map(|scope| scope.as_str());
    PossibleValuesParser::new(words).try_map(|word| word.parse::<Scope>())
}

fn states() -> impl TypedValueParser<Value = ListedState> {
    let words = ListedState::ALL.iter().map(|state| state.as_str());
    PossibleValuesParser::new(words).try_map(|word| word.parse::<ListedState>())
}

fn remedies() -> impl TypedValueParser<Value = Remedy> {
    let words = Remedy::ALL.iter().map(|remedy| remedy.as_str());
    PossibleValuesParser::new(words).try_map(|word| word.parse::<Remedy>())
}

fn modes() -> impl TypedValueParser<Value = PermissionMode> {
    let words = PermissionMode::ALL.iter().map(|mode| mode.as_str());
    PossibleValuesParser::new(words).try_map(|word| word.parse::<PermissionMode>())
}
