//! The command line.

use std::{path::PathBuf, process::ExitCode};

use baton_protocol::words::PermissionMode;
use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use tokio::task::JoinSet;
use tracing_subscriber::EnvFilter;

use crate::{
    commands,
    failure::{Exit, Failure},
    setup::Setup,
    terminal::say_failure,
};

/// Runs coding agents on your own machine and hands every session to any screen.
#[derive(Debug, Parser)]
#[command(name = "baton", version, propagate_version = true, after_help = EXAMPLES)]
struct Cli {
    /// Where Baton keeps its data (also: BATON_DATA_DIR; default: ~/.baton)
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  baton run --agent demo help         see what it can do, with no account
  baton run \"What is in this folder?\"  ask Claude Code
  baton sessions                      what was done so far
  baton export last                   the last session, event by event";

#[derive(Debug, Subcommand)]
enum Command {
    /// Sends a prompt to an agent and streams the answer
    Run(RunArgs),
    /// Lists sessions, newest first
    #[command(after_help = "Example:\n  baton sessions --limit 5")]
    Sessions(SessionsArgs),
    /// Prints a whole session
    #[command(
        after_help = "Examples:\n  baton export last\n  baton export ses_… --format markdown > talk.md"
    )]
    Export(ExportArgs),
    /// Checks what Baton needs, and says what to do about what is missing
    #[command(after_help = "Example:\n  baton doctor")]
    Doctor(DoctorArgs),
    /// Tells what Baton is set to
    #[command(subcommand)]
    Config(ConfigCommand),
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Shows every setting and the agents' environment, each with where it comes from
    #[command(after_help = "Examples:\n  baton config show\n  baton config show --json | jq .")]
    Show(ConfigShowArgs),
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

const RUN_EXAMPLES: &str = "Examples:
  baton run \"Fix the failing test\"
  baton run --resume last \"Now add another one\"
  baton run --agent demo tour
  git diff | baton run -              approvals are denied then: nobody can be asked
  baton run --json \"Say hello\" | jq -r .type

Exit code: 0 when the turn ended well, 1 when it failed or was interrupted, 2 for wrong usage.
On a terminal, Ctrl-C interrupts the turn; twice ends the agent.";

#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// What to say; `-` reads it from standard input
    pub(crate) prompt: String,
    /// Which agent: claude, or demo, which needs no account (default: claude if it is installed)
    #[arg(long, value_enum)]
    pub(crate) agent: Option<AgentArg>,
    /// Which model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// What the agent may do without asking
    #[arg(long, value_name = "MODE", value_parser = modes())]
    pub(crate) permission_mode: Option<PermissionMode>,
    /// Goes on with a session: its id, or `last`
    #[arg(long, value_name = "ID", conflicts_with_all = ["agent", "project", "model", "permission_mode", "setting_sources"])]
    pub(crate) resume: Option<String>,
    /// The folder to work in (default: this one)
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// A file or image to send along; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// Which of claude's settings to load, with commas between. The folder's own can run
    /// programs by themselves, so only `user` is loaded unless you say so
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum)]
    pub(crate) setting_sources: Option<Vec<SettingSource>>,
    /// Prints every event and live frame as one JSON line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentArg {
    Claude,
    Demo,
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
    /// At most this many
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The session's id, or `last`
    pub(crate) id: String,
    /// Every event for programs, or the conversation to read
    #[arg(long, value_enum, default_value_t = Format::Ndjson)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Every event, one JSON object per line
    Ndjson,
    /// The conversation, to read
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

fn modes() -> impl TypedValueParser<Value = PermissionMode> {
    let words = PermissionMode::ALL.iter().map(|mode| mode.as_str());
    PossibleValuesParser::new(words).try_map(|word| word.parse::<PermissionMode>())
}

/// Parses, runs, and turns the result into an exit code.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let failed = error.use_stderr();
            error.print().ok();
            return ExitCode::from(if failed { Exit::Usage as u8 } else { 0 });
        }
    };
    let exit = match run(cli) {
        Ok(exit) => exit,
        Err(failure) => {
            say_failure(&failure);
            failure.exit
        }
    };
    ExitCode::from(exit as u8)
}

fn run(cli: Cli) -> Result<Exit, Failure> {
    let setup = Setup::read(cli.data_dir)?;
    if let Some(filter) = &setup.log {
        let filter = EnvFilter::try_new(filter).map_err(|error| {
            Failure::usage(
                format!("BATON_LOG is no filter: {error}"),
                "Write for example BATON_LOG=baton=debug.",
            )
        })?;
        let log = tracing_subscriber::fmt().with_env_filter(filter);
        log.with_ansi(false).with_writer(std::io::stderr).init();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::new(
                format!("cannot start: {error}"),
                "Free some memory or processes.",
            )
        })?;
    // A task, not the thread that blocks here: then an event and what shows it
    // run on the same worker, and no thread has to be woken between them.
    let result = runtime.block_on(async {
        let mut command = JoinSet::new();
        command.spawn(perform(setup, cli.command));
        command.join_next().await
    });
    // A read of the terminal may still wait for a line that nobody will type.
    runtime.shutdown_background();
    match result {
        Some(Ok(result)) => result,
        Some(Err(_)) | None => Err(Failure::new(
            "the command stopped because of a bug in Baton",
            "What was stored is kept. Please report the message above.",
        )),
    }
}

async fn perform(setup: Setup, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(args) => commands::run(&setup, args).await,
        Command::Sessions(args) => commands::sessions(&setup, &args).await,
        Command::Export(args) => commands::export(&setup, &args).await,
        Command::Doctor(args) => commands::doctor(&setup, &args).await,
        Command::Config(ConfigCommand::Show(args)) => commands::config_show(&setup, &args).await,
    }
}
