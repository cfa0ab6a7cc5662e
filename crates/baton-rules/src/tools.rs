//! Names of tools as people write them in rules.
//!
//! What a call is, its agent's translation says ([`ToolKind`]). A rule for one of
//! the families below governs every call of that kind, whatever the tool is called.

use baton_protocol::ToolKind;

/// What rules call every reading of files.
pub const READ: &str = "Read";

/// Names of tools that change a file. Rules for `Edit` govern all of them.
pub(crate) const EDITS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];
/// Names of tools that read files. Rules for `Read` govern all of them.
pub(crate) const READS: &[&str] = &[READ, "Glob", "Grep", "NotebookRead", "LS"];
/// Other names that a rule is likely to have, to tell a slip of case.
const OTHERS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "KillShell",
    "LSP",
    "ListAgents",
    "ListMcpResourcesTool",
    "Monitor",
    "PowerShell",
    "ReadMcpResourceTool",
    "ScheduleWakeup",
    "SendMessage",
    "Skill",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Workflow",
];

/// The known name that differs from `name` in case only, or `name` itself.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    [EDITS, READS, OTHERS]
        .into_iter()
        .flatten()
        .copied()
        .find(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a rule that names `rule` governs calls of `tool`.
pub(crate) fn governs(rule: &str, tool: &str, kind: ToolKind) -> bool {
    rule == tool
        || (rule.starts_with("mcp__") && server_name(rule) == tool)
        || match rule {
            "Bash" => kind == ToolKind::Shell,
            "Edit" => kind.changes_file(),
            READ => kind.reads_files(),
            "Task" | "Agent" => kind == ToolKind::Agent,
            _ => false,
        }
}

/// The name that a tool has in an MCP server, if it is one of that server's.
/// A server whose name only begins like this one's has its own name in the rest.
pub fn tool_of_server<'a>(server: &str, tool: &'a str) -> Option<&'a str> {
    let rest = tool.strip_prefix("mcp__")?.strip_prefix(server)?;
    let name = rest.strip_prefix("__")?;
    (!name.starts_with('_') && !name.contains("__")).then_some(name)
}

/// The name of a server as it stands in the names of its tools.
pub(crate) fn server_name(server: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    server
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect()
}
