//! Claude Code's tools: what a call of each is. Nothing else knows their names,
//! but for rules, in which people write them.

use baton_protocol::{ToolKind, ToolSubject, ToolUse};
use serde_json::Value;

use crate::labels;

/// What a call does, in a few words.
pub(crate) fn label(name: &str, what: &ToolUse) -> String {
    let title = match name {
        "TaskList" | "TaskGet" | "TodoRead" => "Looking at the list",
        _ if what.kind == ToolKind::Todo => "Updating the list",
        "EnterPlanMode" => "Starting to plan",
        "StructuredOutput" => "Giving the answer as data",
        _ => name,
    };
    labels::label(what, title)
}

/// What a call is.
pub(crate) fn tool_use(name: &str, input: &Value) -> ToolUse {
    let field = |name: &str| input[name].as_str().map(str::to_owned);
    let none = ToolSubject::default;
    let about = |path: &str| ToolSubject {
        path: field(path),
        ..none()
    };
    let in_folder = || Some(field("path").unwrap_or_else(|| ".".to_owned()));
    let kind = kind(name);
    let subject = match kind {
        ToolKind::Shell => ToolSubject {
            command: field("command"),
            language: (name == "PowerShell").then(|| "PowerShell".to_owned()),
            in_background: input["run_in_background"] == true,
            ..none()
        },
        ToolKind::Read | ToolKind::Edit | ToolKind::Write if name.starts_with("Notebook") => {
            about("notebook_path")
        }
        ToolKind::Read | ToolKind::Edit | ToolKind::Write => about("file_path"),
        ToolKind::Search if name == "Glob" => ToolSubject {
            // Without names to look for it is not known where it looks.
            path: field("pattern").and_then(|_| in_folder()),
            pattern: field("pattern"),
            ..none()
        },
        ToolKind::Search if name == "Grep" => ToolSubject {
            path: in_folder(),
            query: Some(field("pattern").unwrap_or_default()),
            ..none()
        },
        ToolKind::Search => ToolSubject {
            path: in_folder(),
            ..none()
        },
        ToolKind::Fetch if name == "WebSearch" => ToolSubject {
            query: Some(field("query").unwrap_or_default()),
            ..none()
        },
        ToolKind::Fetch => ToolSubject {
            url: field("url"),
            ..none()
        },
        ToolKind::Agent => ToolSubject {
            text: field("description"),
            ..none()
        },
        ToolKind::Skill => ToolSubject {
            text: field("skill"),
            ..none()
        },
        ToolKind::Mcp => served(name, input),
        ToolKind::Message
        | ToolKind::Question
        | ToolKind::Plan
        | ToolKind::Todo
        | ToolKind::Inner
        | ToolKind::Schedule
        | ToolKind::Other => none(),
    };
    ToolUse {
        is_unusual: kind == ToolKind::Agent && (!is_exact(name) || asks_more(input)),
        is_basic: kind.is_for_person() || matches!(name, "EnterPlanMode" | "StructuredOutput"),
        kind,
        subject,
    }
}

const AGENTS: &[&str] = &["Agent", "Task"];

pub(super) fn kind(name: &str) -> ToolKind {
    match name {
        "Bash" | "Monitor" | "PowerShell" => ToolKind::Shell,
        "Read" | "NotebookRead" => ToolKind::Read,
        "Glob" | "Grep" | "LS" => ToolKind::Search,
        "Edit" | "MultiEdit" | "NotebookEdit" => ToolKind::Edit,
        "Write" => ToolKind::Write,
        "WebFetch" | "WebSearch" => ToolKind::Fetch,
        "AskUserQuestion" => ToolKind::Question,
        "ExitPlanMode" => ToolKind::Plan,
        "TodoWrite" | "TodoRead" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" => {
            ToolKind::Todo
        }
        "TaskStop" | "KillShell" | "KillBash" | "CronList" | "ReportFindings"
        | "StructuredOutput" | "EnterPlanMode" | "ToolSearch" | "BashOutput" | "TaskOutput"
        | "AgentOutputTool" => ToolKind::Inner,
        "SendMessage" => ToolKind::Message,
        "CronCreate" | "ScheduleWakeup" => ToolKind::Schedule,
        "Skill" => ToolKind::Skill,
        _ if AGENTS.iter().any(|known| known.eq_ignore_ascii_case(name)) => ToolKind::Agent,
        // Those that read what a server has, whatever later versions call them.
        _ if name.starts_with("mcp__") || name.contains("Mcp") => ToolKind::Mcp,
        _ => ToolKind::Other,
    }
}

/// Tools that are known to do something that no kind describes.
const KNOWN: &[&str] = &[
    "CronDelete",
    "DesignSync",
    "EnterWorktree",
    "ExitWorktree",
    "LSP",
    // It names sessions of other projects.
    "ListAgents",
    "Workflow",
];

/// The tools that nothing is known of; those of MCP servers are never known.
pub(crate) fn unknown(announced: &[String]) -> Vec<&str> {
    const READS: &[&str] = &["ListMcpResourcesTool", "ReadMcpResourceTool"];
    let is_unknown = |name: &&str| {
        let kind = kind(name);
        (kind == ToolKind::Other && !KNOWN.contains(name))
            || (kind == ToolKind::Mcp && !name.starts_with("mcp__") && !READS.contains(name))
            || (kind == ToolKind::Agent && !is_exact(name))
    };
    let announced = announced.iter().map(String::as_str);
    announced.filter(is_unknown).collect()
}

fn is_exact(agent: &str) -> bool {
    AGENTS.contains(&agent)
}

/// Whether a sub-agent is asked for in an unknown way. Some ways make a work
/// tree for it, and git then runs programs of the repository.
fn asks_more(input: &Value) -> bool {
    const KNOWN: &[&str] = &[
        "description",
        "message",
        "model",
        "name",
        "prompt",
        "recipient",
        "run_in_background",
        "subagent_type",
        "summary",
        "team_name",
        "to",
    ];
    let fields = input.as_object();
    fields.is_some_and(|fields| fields.keys().any(|key| !KNOWN.contains(&key.as_str())))
}

fn served(name: &str, input: &Value) -> ToolSubject {
    let rest = name.strip_prefix("mcp__");
    let named = rest.and_then(|rest| rest.split_once("__"));
    let (server, tool) = match (rest, named) {
        (_, Some((server, tool))) => (Some(server.to_owned()), Some(tool.to_owned())),
        (Some(rest), None) => (None, Some(rest.to_owned())),
        (None, None) => (input["server"].as_str().map(str::to_owned), None),
    };
    ToolSubject {
        server,
        tool,
        ..ToolSubject::default()
    }
}
