//! What the commands take that are about projects and the log as a whole.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The folder (default: this one)
    pub(crate) path: Option<PathBuf>,
    /// What to call it
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Prints the project as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The project's slug, id or folder
    pub(crate) project: String,
    /// Prints the daemon's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ProjectsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProjectsCommand>,
    /// Looks first where the settings say, and where Claude Code was used
    #[arg(long)]
    pub(crate) scan: bool,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProjectsCommand {
    /// Says that a project's folder was moved or renamed: its sessions, rules and comments follow
    #[command(
        after_help = "Example, after `mv ~/shop ~/store`:\n  baton projects move ~/shop ~/store"
    )]
    Move(MoveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MoveArgs {
    /// The folder as it was, or the project's slug or id
    pub(crate) old: String,
    /// The folder as it is now
    pub(crate) new: PathBuf,
    /// Prints the project as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// All of these occur in what is found
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// Only in this project: its slug, id or folder
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// How many, the newest first
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=200))]
    pub(crate) limit: u32,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// The first day in UTC, such as 2026-11-15
    #[arg(long, value_name = "DAY")]
    pub(crate) from: Option<String>,
    /// The last day
    #[arg(long, value_name = "DAY")]
    pub(crate) to: Option<String>,
    /// Only this project: its slug, id or folder
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// A file that is not there yet (default: baton-DATE.db in this folder)
    pub(crate) file: Option<PathBuf>,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
pub(crate) struct KnownArgs {
    /// Which names
    #[arg(value_enum)]
    pub(crate) what: Known,
}

/// What has names that only the data folder knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Known {
    Sessions,
    Projects,
}

impl Known {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Projects => "projects",
        }
    }
}
