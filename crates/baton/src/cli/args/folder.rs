//! What the commands take that are about a folder: trust, rules, and sessions
//! that were begun in it without Baton.

use std::path::PathBuf;

use baton_protocol::words::{RuleDecision, Scope};
use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};

use super::scopes;

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// The folder (default: this one)
    pub(crate) path: Option<PathBuf>,
    /// Trusts exactly what is shown, without asking
    #[arg(long)]
    pub(crate) accept: bool,
    /// Lets nothing in the folder run by itself, until you accept it
    #[arg(long, conflicts_with = "accept")]
    pub(crate) refuse: bool,
    /// Prints what is there as JSON, and after an answer what came of it
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RulesCommand>,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Remembers a rule
    #[command(
        after_help = "Examples:\n  baton rules add 'Bash(git status:*)' --decision allow\n  baton rules add 'Edit(secrets/**)' --decision deny --scope user"
    )]
    Add(RuleAddArgs),
    /// Forgets a rule
    #[command(
        after_help = "Examples:\n  baton rules remove 'Bash(git status:*)'\n  baton rules remove rul_…"
    )]
    Remove(RuleRemoveArgs),
    /// Says what a rule would have decided on past requests, and changes nothing
    #[command(
        after_help = "Example:\n  baton rules preview 'Bash(npm run test:*)' --decision allow"
    )]
    Preview(RulePreviewArgs),
    /// Lists what Claude Code's own settings allow, deny and ask, and takes it over
    #[command(
        after_help = "Examples:\n  baton rules import\n  baton rules import 'Bash(npm run test:*)' 'Read(.env)'\n  baton rules import --all"
    )]
    Import(RuleImportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RuleAddArgs {
    /// Such as `Bash(git status:*)`, `Edit(src/**)` or `mcp__server__tool`
    pub(crate) rule: String,
    /// What it says
    #[arg(long, value_parser = decisions())]
    pub(crate) decision: RuleDecision,
    /// How far it reaches (default: project)
    #[arg(long, value_parser = scopes())]
    pub(crate) scope: Option<Scope>,
    /// The project's folder (default: this one)
    #[arg(long, value_name = "DIR", conflicts_with = "session")]
    pub(crate) project: Option<PathBuf>,
    /// The session it is for: its id, the beginning of it, or `last`
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Prints the rule as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RuleRemoveArgs {
    /// The rule: its text if only one reads so, its id, or the beginning of it
    pub(crate) id: String,
    /// Prints the daemon's answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RulePreviewArgs {
    /// Such as `Bash(git status:*)`
    pub(crate) rule: String,
    /// What it would say
    #[arg(long, value_parser = decisions())]
    pub(crate) decision: RuleDecision,
    /// Only requests that were made in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RuleImportArgs {
    /// The rules to take over, as they are listed; without any, they are only listed
    #[arg(value_name = "RULE")]
    pub(crate) rules: Vec<String>,
    /// Takes over all that can be, but none that allows about anything
    #[arg(long, conflicts_with = "rules")]
    pub(crate) all: bool,
    /// The folder whose own settings count too, if it is trusted (default: this one)
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// How far they are to reach (default: as far as in the settings)
    #[arg(long, value_parser = far_scopes())]
    pub(crate) scope: Option<Scope>,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The folder (default: this one)
    pub(crate) path: Option<PathBuf>,
    /// One JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The agent's id of the session, or the beginning of it; `baton history` lists them
    pub(crate) id: String,
    /// The folder it was begun in (default: this one)
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Prints the session as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn far_scopes() -> impl TypedValueParser<Value = Scope> {
    let words = [Scope::User, Scope::Project].map(Scope::as_str);
    PossibleValuesParser::new(words).try_map(|word| word.parse::<Scope>())
}

fn decisions() -> impl TypedValueParser<Value = RuleDecision> {
    let words = RuleDecision::ALL.iter().map(|decision| decision.as_str());
    PossibleValuesParser::new(words).try_map(|word| word.parse::<RuleDecision>())
}
