//! What programs that embed agents call.

use std::path::PathBuf;

use baton_session::agents::AgentKind;
use clap::Args;

use super::agents;

const STDIO_EXAMPLES: &str = "Examples:
  baton stdio --cwd ~/project --permission-mode plan
  echo '{\"type\":\"message\",\"content\":\"Say hello\"}' | baton stdio

One conversation per process: messages are JSON lines on standard input, events
are JSON lines on standard output. With --data-dir the event log is kept there,
else it ends with the process. docs/stdio.md has every message and event.

Exit code: 0 after stop, end of input, SIGTERM or SIGINT, 1 after a fatal error, 2 for wrong usage.";

/// The values are checked by [`baton_stdio::Options`], so that a bad one
/// becomes an event as well.
#[derive(Debug, Args)]
#[command(after_help = STDIO_EXAMPLES)]
pub(crate) struct StdioArgs {
    /// The folder to work in (default: this one)
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Which agent: claude, or demo, which needs no account (default: claude)
    #[arg(long, value_parser = agents())]
    pub(crate) agent: Option<AgentKind>,
    /// Vouches for the folder: its settings, hooks, servers and instructions
    /// count, as if somebody had accepted them with `baton trust`
    #[arg(long)]
    pub(crate) trust_folder: bool,
    /// A name for the conversation, given back in `ready` (default: default)
    #[arg(long, value_name = "ID")]
    pub(crate) conversation_id: Option<String>,
    /// Goes on with a conversation of claude's: its session id
    #[arg(long, value_name = "UUID")]
    pub(crate) resume: Option<String>,
    /// Goes on in a copy of it; needs --resume
    #[arg(long)]
    pub(crate) fork: bool,
    /// The issue being worked on, such as LIN-123
    #[arg(long, value_name = "ID")]
    pub(crate) linear_issue: Option<String>,
    /// The branch that the work is to go back to
    #[arg(long, value_name = "BRANCH")]
    pub(crate) target_branch: Option<String>,
    /// Which tools there are: full, read-only, no-bash or safe-edit (default: full)
    #[arg(long, value_name = "PRESET")]
    pub(crate) tool_preset: Option<String>,
    /// Keeps the files' state at each message, for rewind_files
    #[arg(long)]
    pub(crate) enable_checkpointing: bool,
    /// A JSON schema that every answer is to fit
    #[arg(long, value_name = "JSON")]
    pub(crate) structured_output: Option<String>,
    /// What the conversation may cost; over its whole life with --data-dir, else in this process
    #[arg(long, value_name = "USD", allow_hyphen_values = true)]
    pub(crate) max_budget_usd: Option<String>,
    /// How many rounds of tools a message may take
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_turns: Option<String>,
    /// How much the model may think
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_thinking_tokens: Option<String>,
    /// default, acceptEdits, plan, dontAsk, auto or bypassPermissions (default: default)
    #[arg(long, value_name = "MODE")]
    pub(crate) permission_mode: Option<String>,
    /// Which of claude's settings to load: user, project, local, with commas between
    #[arg(long, value_name = "LIST")]
    pub(crate) setting_sources: Option<String>,
    /// Beta features, with commas between
    #[arg(long, value_name = "LIST")]
    pub(crate) betas: Option<String>,
    /// Which model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Which model when that one is overloaded
    #[arg(long, value_name = "MODEL")]
    pub(crate) fallback_model: Option<String>,
    /// A file whose text is added to claude's own instructions
    #[arg(long, value_name = "FILE")]
    pub(crate) instructions_file: Option<PathBuf>,
    /// A file with MCP servers: {"mcpServers": {…}}
    #[arg(long, value_name = "FILE")]
    pub(crate) mcp_servers_file: Option<PathBuf>,
    /// Tells on standard error what goes on, and lets claude write a debug file
    #[arg(long)]
    pub(crate) sdk_debug: bool,
    /// Where claude writes its debug file
    #[arg(long, value_name = "FILE")]
    pub(crate) sdk_debug_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example, as an agent's configuration:\n  {\"mcpServers\": {\"baton\": {\"command\": \"baton\", \"args\": [\"mcp\", \"--cwd\", \"/project\"]}}}"
)]
pub(crate) struct McpArgs {
    /// The workspace (default: this folder)
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// The branch that the work is to go back to
    #[arg(long, value_name = "BRANCH")]
    pub(crate) target_branch: Option<String>,
    /// The issue being worked on, as .baton/issues/ID.json tells it
    #[arg(long, value_name = "ID", conflicts_with = "linear_issue")]
    pub(crate) issue: Option<String>,
    /// The issue being worked on, such as LIN-123
    #[arg(long, value_name = "ID")]
    pub(crate) linear_issue: Option<String>,
}
