//! The agent's tools by name, as far as rules care.

/// Tools that run a shell command. Rules for `Bash` govern all of them.
pub(crate) const SHELLS: &[&str] = &["Bash", "Monitor", POWERSHELL];
/// The one whose language is another.
pub(crate) const POWERSHELL: &str = "PowerShell";
/// Tools that change a file. Rules for `Edit` govern all of them.
pub(crate) const EDITS: &[&str] = &["Edit", "Write", "MultiEdit", "NotebookEdit"];
/// Tools that read files. Rules for `Read` govern all of them.
pub(crate) const READS: &[&str] = &["Read", "Glob", "Grep", "NotebookRead", "LS"];
/// Tools through which the agent speaks to a person.
pub(crate) const PERSON: &[&str] = &["AskUserQuestion", "ExitPlanMode"];
/// Tools that start or address another agent, whose calls are judged by themselves.
pub(crate) const SUB_AGENTS: &[&str] = &["Agent", "Task"];
/// The one that has other agents do something, those of other sessions too,
/// where other rules hold.
pub(crate) const SEND: &str = "SendMessage";
/// Further tools that change nothing outside the agent itself.
pub(crate) const HARMLESS: &[&str] = &[
    "TodoWrite",
    "TodoRead",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
    "TaskStop",
    "Task",
    "Agent",
    "KillShell",
    "KillBash",
    "CronList",
    "ReportFindings",
    "StructuredOutput",
    "EnterPlanMode",
    "ToolSearch",
    "BashOutput",
    "TaskOutput",
    "AgentOutputTool",
];

/// Tools that are known to do something, and so asked about like any unknown one.
pub(crate) const ASKED: &[&str] = &[
    "CronCreate",
    "CronDelete",
    "DesignSync",
    "EnterWorktree",
    "ExitWorktree",
    "LSP",
    // It names sessions of other projects.
    "ListAgents",
    "ListMcpResourcesTool",
    "ReadMcpResourceTool",
    "ScheduleWakeup",
    SEND,
    "Skill",
    "WebFetch",
    "WebSearch",
    "Workflow",
];

/// The tools that nothing is known of; those of MCP servers are never known.
pub fn unknown_tools(announced: &[String]) -> Vec<&str> {
    let known = |name: &str| {
        name.starts_with("mcp__")
            || [SHELLS, EDITS, READS, PERSON, HARMLESS, ASKED]
                .into_iter()
                .any(|list| list.contains(&name))
    };
    let announced = announced.iter().map(String::as_str);
    announced.filter(|name| !known(name)).collect()
}

/// The known name that differs from `name` in case only, or `name` itself.
pub(crate) fn known(name: &str) -> Option<&'static str> {
    [SHELLS, EDITS, READS, PERSON, HARMLESS, ASKED]
        .into_iter()
        .flatten()
        .copied()
        .find(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a rule that names `rule` governs calls of `tool`.
pub(crate) fn governs(rule: &str, tool: &str) -> bool {
    rule == tool
        || (rule.starts_with("mcp__") && server_name(rule) == tool)
        || match rule {
            "Bash" => SHELLS.contains(&tool),
            "Edit" => EDITS.contains(&tool),
            "Read" => READS.contains(&tool),
            "Task" => tool == "Agent",
            "Agent" => tool == "Task",
            _ => false,
        }
}

/// Whether nothing tells what a tool may do with what it is told of.
pub(crate) fn may_do_anything(tool: &str) -> bool {
    const WEB: &[&str] = &["WebFetch", "WebSearch"];
    let lists = [SHELLS, EDITS, READS, PERSON, HARMLESS, WEB];
    !lists.into_iter().any(|list| list.contains(&tool))
}

/// Whether a tool changes a file.
pub fn edits_files(tool: &str) -> bool {
    EDITS.contains(&tool)
}

/// Whether a tool starts another agent.
pub fn starts_agent(tool: &str) -> bool {
    known(tool).is_some_and(|tool| SUB_AGENTS.contains(&tool))
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
