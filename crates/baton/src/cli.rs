//! The command line.

mod args;
mod wrong;

pub(crate) use args::*;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{CommandFactory, Parser, Subcommand};
use tokio::task::JoinSet;
use tracing_subscriber::EnvFilter;

use crate::{
    commands,
    daemon::DaemonLog,
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, say_failure},
};

/// Runs coding agents on your own machine and hands every session to any screen.
#[derive(Debug, Parser)]
#[command(name = "baton", version, propagate_version = true, after_help = EXAMPLES)]
struct Cli {
    /// Where Baton keeps its data (also: BATON_DATA_DIR; default: ~/.baton)
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<BatonCommand>,
}

const EXAMPLES: &str = "Examples:
  baton                               start here: opens this folder to a browser
  baton run --agent demo help         see what it can do, with no account
  baton run \"What is in this folder?\"  ask Claude Code
  baton watch last                    follow it from another terminal
  baton status                        what runs, and what waits for you
  baton sessions                      what was done so far
  baton export last                   the last session, event by event";

#[derive(Debug, Subcommand)]
enum BatonCommand {
    /// Sends a prompt to an agent and streams the answer
    Run(RunArgs),
    /// Sends a further message to a session
    #[command(
        after_help = "Examples:\n  baton send last \"Now the tests\" --wait\n  baton send ses_… --queue \"Then commit it\""
    )]
    Send(SendArgs),
    /// Shows a session from its beginning, then live; Ctrl-C ends the watching only
    #[command(after_help = "Examples:\n  baton watch last\n  baton watch ses_… --json --after 120")]
    Watch(WatchArgs),
    /// Allows what an agent asks for
    #[command(
        after_help = "Examples:\n  baton approve last\n  baton approve apr_… --input '{\"command\":\"ls\"}'\n  baton approve last --answer 'Which colour?=Green'"
    )]
    Approve(ApproveArgs),
    /// Denies what an agent asks for
    #[command(
        after_help = "Examples:\n  baton deny last --message \"use the other file\"\n  baton deny apr_… --interrupt"
    )]
    Deny(DenyArgs),
    /// Stops the running turn and holds what waits; where none runs, stops what goes on in the background
    #[command(after_help = "Examples:\n  baton interrupt last\n  baton interrupt last --clear")]
    Interrupt(InterruptArgs),
    /// Shows the messages that wait for a turn, and changes, orders, holds or takes them back
    #[command(
        after_help = "Examples:\n  baton queue last\n  baton queue last --take-back 3f2a9c1e\n  baton queue last --edit 3f2a9c1e \"Only the unit tests\"\n  baton queue last --release"
    )]
    Queue(QueueArgs),
    /// Shows the sub-agents and background commands at work in a session
    #[command(after_help = "Examples:\n  baton tasks last\n  baton tasks last --stop b7c1f2a90")]
    Tasks(TasksArgs),
    /// Ends a session and its agent
    #[command(after_help = "Example:\n  baton end ses_…")]
    End(SessionArg),
    /// Takes an ended session up again
    #[command(after_help = "Example:\n  baton resume ses_…")]
    Resume(SessionArg),
    /// Removes an ended session from the log, with its files
    #[command(after_help = "Example:\n  baton end ses_… && baton delete ses_…")]
    Delete(SessionArg),
    /// Makes a session that goes on from a copy of another
    #[command(after_help = "Example:\n  baton fork last")]
    Fork(ForkArgs),
    /// Puts files back to where they were at a message; lists the choices without one
    #[command(
        after_help = "Examples:\n  baton rewind last\n  baton rewind last 3f2a --dry-run\n\nWhat shell commands changed is not covered."
    )]
    Rewind(RewindArgs),
    /// Gives a session a title
    #[command(after_help = "Example:\n  baton title last \"The parser bug\"")]
    Title(TitleArgs),
    /// Changes what a session may cost in all; what waits for money goes on
    #[command(after_help = "Examples:\n  baton budget last 5\n  baton budget last none")]
    Budget(BudgetArgs),
    /// Lets a session go on with another model
    #[command(after_help = "Examples:\n  baton model last opus\n  baton model last")]
    Model(ModelArgs),
    /// Changes what a session's agent may do without asking
    #[command(after_help = "Example:\n  baton mode last plan")]
    Mode(ModeArgs),
    /// Lists the slash commands of a session's agent
    #[command(
        after_help = "Example:\n  baton commands last\n\nThey are sent as messages: baton send last /compact"
    )]
    Commands(SessionArg),
    /// Shows what a folder would run by itself, and asks whether you trust it
    #[command(after_help = "Examples:\n  baton trust\n  baton trust ~/project --accept")]
    Trust(TrustArgs),
    /// Lists the remembered rules; adds, removes or tries one
    #[command(
        after_help = "Examples:\n  baton rules\n  baton rules add 'Bash(git status:*)' --decision allow"
    )]
    Rules(RulesArgs),
    /// Lists what Claude Code did in a folder without Baton
    #[command(after_help = "Example:\n  baton history ~/project")]
    History(HistoryArgs),
    /// Makes a session of one that was begun without Baton
    #[command(after_help = "Example:\n  baton import 3f2a9c1e --project ~/project")]
    Import(ImportArgs),
    /// Lists a folder as a project
    #[command(after_help = "Example:\n  baton add ~/code/shop --title \"The shop\"")]
    Add(AddArgs),
    /// Takes a project off the list; its files and sessions stay
    #[command(after_help = "Example:\n  baton remove shop")]
    Remove(RemoveArgs),
    /// Lists projects, the last used first
    #[command(
        after_help = "Example:\n  baton projects --scan\n\nGIT is the branch, * for changes, + and - for commits before and behind its upstream."
    )]
    Projects(ProjectsArgs),
    /// Finds words in everything that was said
    #[command(after_help = "Example:\n  baton search parser bug --project shop")]
    Search(SearchArgs),
    /// Counts cost and tokens by day, project and model
    #[command(after_help = "Example:\n  baton usage --from 2026-11-01 --project shop")]
    Usage(UsageArgs),
    /// Writes a copy of the event log to a new file, and reads it back
    #[command(
        after_help = "Example:\n  baton backup ~/backups/baton.db\n\nTo restore it: stop the daemon, and put the file in place of baton.db in the data folder."
    )]
    Backup(BackupArgs),
    /// Prints what a shell needs to complete commands
    #[command(
        after_help = "Examples:\n  baton completions bash > ~/.local/share/bash-completion/completions/baton\n  baton completions zsh > ~/.zfunc/_baton\n  baton completions fish > ~/.config/fish/completions/baton.fish"
    )]
    Completions(CompletionsArgs),
    /// Prints names, for completions
    #[command(
        name = "__known",
        hide = true,
        after_help = "Example:\n  baton __known sessions"
    )]
    Known(KnownArgs),
    /// Lists sessions, newest first
    #[command(after_help = "Example:\n  baton sessions --limit 5")]
    Sessions(SessionsArgs),
    /// Prints a whole session
    #[command(
        after_help = "Examples:\n  baton export last\n  baton export ses_… --format markdown > talk.md"
    )]
    Export(ExportArgs),
    /// Runs the daemon in this terminal; service managers run this
    #[command(after_help = "Example:\n  baton serve --data-dir ~/.baton")]
    Serve(ServeArgs),
    /// Starts the daemon in the background, as other commands do when they need it
    #[command(after_help = "Example:\n  baton start")]
    Start(StartArgs),
    /// Lets running turns finish, ends agents, and stops the daemon
    ///
    /// A turn that waits for a person cannot finish: it is stopped at once, and
    /// what it asked ends unanswered. `restart` keeps both.
    #[command(
        after_help = "Examples:\n  baton stop\n  baton stop --now\n  baton stop --keep-agents\n\nA queued message is kept: it begins when a daemon runs again."
    )]
    Stop(StopArgs),
    /// Replaces the daemon by a new one; agents go on
    #[command(after_help = "Example:\n  baton restart")]
    Restart(StartArgs),
    /// Says how the daemon stands, and what waits for you
    #[command(after_help = "Example:\n  baton status --json")]
    Status(StatusArgs),
    /// Sets or clears the PIN that browsers sign in with
    #[command(subcommand, after_help = "Example:\n  baton pin set")]
    Pin(PinCommand),
    /// Shows or changes the API token
    #[command(subcommand, after_help = "Example:\n  baton token show")]
    Token(TokenCommand),
    /// Lists who is signed in; signs one out
    #[command(after_help = "Examples:\n  baton devices\n  baton devices revoke dev_…")]
    Devices(DevicesArgs),
    /// Makes a link that lets one device in, once
    #[command(
        after_help = "Examples:\n  baton link\n  baton link --scope observe    for somebody who may only look"
    )]
    Link(LinkArgs),
    /// Checks what Baton needs, and says what to do about what is missing
    #[command(after_help = "Example:\n  baton doctor")]
    Doctor(DoctorArgs),
    /// Runs the daemon as a service that starts with the machine
    #[command(subcommand, after_help = "Example:\n  baton service install")]
    Service(ServiceCommand),
    /// Tells what Baton is set to
    #[command(subcommand, after_help = "Example:\n  baton config show")]
    Config(ConfigCommand),
    /// Holds one conversation over standard input and output, for programs
    Stdio(Box<StdioArgs>),
    /// Serves Baton's tools about a workspace to any agent, over MCP
    Mcp(McpArgs),
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Shows every setting and the agents' environment, each with where it comes from
    #[command(after_help = "Examples:\n  baton config show\n  baton config show --json | jq .")]
    Show(ConfigShowArgs),
    /// Has the daemon read its settings again; says what changed and what needs a restart
    #[command(after_help = "Example:\n  baton config reload")]
    Reload(ConfigReloadArgs),
}

/// The whole command line, for those who describe it.
pub(crate) fn command_line() -> clap::Command {
    Cli::command()
}

/// Parses, runs, and turns the result into an exit code.
pub(crate) fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = std::iter::once(OsString::from("baton"))
        .chain(args)
        .collect();
    // Looked for by hand: it must hold for arguments that make no sense, too.
    let json = args
        .iter()
        .take_while(|arg| *arg != "--")
        .any(|arg| arg == "--json");
    let embedded = args.iter().skip(1).any(|arg| arg == "stdio");
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return unparsed(error, json, embedded),
    };
    let embedded = matches!(cli.command, Some(BatonCommand::Stdio(_)));
    let exit = match run(cli) {
        Ok(exit) => exit,
        Err(failure) => {
            if embedded {
                commands::shout(&failure);
            }
            say_failure(&failure, json);
            failure.exit
        }
    };
    ExitCode::from(exit as u8)
}

/// What the parser has to say, help included, to whoever reads it.
fn unparsed(error: clap::Error, json: bool, embedded: bool) -> ExitCode {
    if !error.use_stderr() {
        error.print().ok();
        return ExitCode::from(Exit::Success as u8);
    }
    let what = wrong::words(error);
    if embedded {
        // On one line: the program that embeds this shows it as it likes.
        let first = what.lines().next().unwrap_or_default();
        let failure = Failure::usage(first, "`baton stdio --help` lists the flags.");
        commands::shout(&failure);
        say_failure(&failure, false);
    } else if json {
        say_failure(&Failure::usage(what.trim(), "Try --help."), true);
    } else {
        Screen::stderr(false).line(&format!("error: {what}")).ok();
    }
    ExitCode::from(Exit::Usage as u8)
}

fn run(cli: Cli) -> Result<Exit, Failure> {
    let data = cli.data_dir.clone();
    let setup = Setup::read(cli.data_dir)?;
    init_log(&setup, cli.command.as_ref())?;
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
        command.spawn(perform(setup, cli.command, data));
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

/// What goes on inside is told on standard error: by a daemon always, by the
/// other commands when asked.
fn init_log(setup: &Setup, command: Option<&BatonCommand>) -> Result<(), Failure> {
    let serves = matches!(command, Some(BatonCommand::Serve(_)));
    let debugs = matches!(command, Some(BatonCommand::Stdio(args)) if args.sdk_debug);
    let asked = setup.log.as_deref();
    let asked = asked.or(debugs.then_some("baton=debug,warn"));
    let embedded = matches!(command, Some(BatonCommand::Stdio(_) | BatonCommand::Mcp(_)));
    let asked = asked.or(embedded.then_some("baton=warn,error"));
    let Some(filter) = asked.or(serves.then_some("baton=info,warn")) else {
        return Ok(());
    };
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        Failure::usage(
            format!("BATON_LOG is no filter: {error}"),
            "Write for example BATON_LOG=baton=debug.",
        )
    })?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false);
    if matches!(command, Some(BatonCommand::Serve(args)) if args.background) {
        log.with_writer(DaemonLog::new(&setup.data)).init();
    } else {
        log.with_writer(std::io::stderr).init();
    }
    Ok(())
}

async fn perform(
    setup: Setup,
    command: Option<BatonCommand>,
    data: Option<PathBuf>,
) -> Result<Exit, Failure> {
    let Some(command) = command else {
        return commands::here(&setup).await;
    };
    match command {
        BatonCommand::Run(args) => commands::run(&setup, args).await,
        BatonCommand::Send(args) => commands::send(&setup, args).await,
        BatonCommand::Watch(args) => commands::watch(&setup, &args).await,
        BatonCommand::Approve(args) => commands::approve(&setup, args).await,
        BatonCommand::Deny(args) => commands::deny(&setup, args).await,
        BatonCommand::Interrupt(args) => commands::interrupt(&setup, &args).await,
        BatonCommand::Queue(args) => commands::queue(&setup, &args).await,
        BatonCommand::Tasks(args) => commands::tasks(&setup, &args).await,
        BatonCommand::End(args) => commands::end(&setup, &args).await,
        BatonCommand::Resume(args) => commands::resume(&setup, &args).await,
        BatonCommand::Fork(args) => commands::fork(&setup, &args).await,
        BatonCommand::Rewind(args) => commands::rewind(&setup, &args).await,
        BatonCommand::Delete(args) => commands::delete(&setup, &args).await,
        BatonCommand::Title(args) => commands::title(&setup, &args).await,
        BatonCommand::Budget(args) => commands::budget(&setup, &args).await,
        BatonCommand::Model(args) => commands::model(&setup, &args).await,
        BatonCommand::Mode(args) => commands::mode(&setup, &args).await,
        BatonCommand::Commands(args) => commands::slash_commands(&setup, &args).await,
        BatonCommand::Trust(args) => commands::trust(&setup, &args).await,
        BatonCommand::Rules(args) => commands::rules(&setup, args).await,
        BatonCommand::History(args) => commands::history(&setup, &args).await,
        BatonCommand::Import(args) => commands::import(&setup, &args).await,
        BatonCommand::Add(args) => commands::add(&setup, &args).await,
        BatonCommand::Remove(args) => commands::remove(&setup, &args).await,
        BatonCommand::Projects(args) => commands::projects(&setup, &args).await,
        BatonCommand::Search(args) => commands::search(&setup, &args).await,
        BatonCommand::Usage(args) => commands::usage(&setup, &args).await,
        BatonCommand::Backup(args) => commands::backup(&setup, &args).await,
        BatonCommand::Completions(args) => commands::completions(&args),
        BatonCommand::Known(args) => commands::known(&setup, &args).await,
        BatonCommand::Sessions(args) => commands::sessions(&setup, &args).await,
        BatonCommand::Export(args) => commands::export(&setup, &args).await,
        BatonCommand::Serve(args) => commands::serve(&setup, &args).await,
        BatonCommand::Start(args) => commands::start(&setup.listening(&args.listen), &args).await,
        BatonCommand::Stop(args) => commands::stop(&setup, &args).await,
        BatonCommand::Restart(args) => {
            commands::restart(&setup.listening(&args.listen), &args).await
        }
        BatonCommand::Status(args) => commands::status(&setup, &args).await,
        BatonCommand::Pin(command) => commands::pin(&setup, &command).await,
        BatonCommand::Token(command) => commands::token(&setup, &command).await,
        BatonCommand::Devices(args) => commands::devices(&setup, &args).await,
        BatonCommand::Link(args) => commands::link(&setup, &args).await,
        BatonCommand::Doctor(args) => commands::doctor(&setup, &args).await,
        BatonCommand::Service(command) => commands::service(&setup, &command).await,
        BatonCommand::Config(ConfigCommand::Show(args)) => {
            commands::config_show(&setup, &args).await
        }
        BatonCommand::Config(ConfigCommand::Reload(args)) => {
            commands::config_reload(&setup, &args).await
        }
        BatonCommand::Stdio(args) => commands::stdio(&setup, *args, data).await,
        BatonCommand::Mcp(args) => commands::mcp(&setup, &args).await,
    }
}

#[cfg(test)]
#[path = "cli_tests.rs"]
mod tests;
