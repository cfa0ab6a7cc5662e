//! One seam for agents: what is known of an agent stands in its own module.

use super::{Report, Rule, extension, is_under};
use crate::repository::Tree;

/// Where an agent is known by name: its crate, its module, and programs that
/// stand in for it.
const AGENTS: &[&str] = &[
    "crates/baton-claude",
    "crates/baton-testkit",
    "crates/baton-session/src/agents",
    "crates/baton-session/src/agents.rs",
];

/// Asking for an agent by name, or past the seam.
const NAMES: &[&str] = &[
    "AgentKind::Claude",
    "AgentKind::Demo",
    "baton_claude::",
    "agents::claude",
    ".claude_config",
    "\"claude\"",
    "\"demo\"",
];

/// Where people write names of tools, so that code must read them.
const RULES: &[&str] = &["crates/baton-rules", "crates/baton/src/commands/rules"];

/// Names that are ordinary words too are left out.
const TOOLS: &[&str] = &[
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "TodoRead",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
];

pub(super) fn check(tree: &Tree, report: &mut Report) {
    let quoted: Vec<_> = TOOLS.iter().map(|tool| format!("\"{tool}\"")).collect();
    for (path, text) in &tree.texts {
        if !is_product(path) || AGENTS.iter().any(|home| is_under(path, home)) {
            continue;
        }
        let may_name_tools = RULES.iter().any(|home| is_under(path, home));
        for (index, line) in text.lines().enumerate() {
            // A file's own tests come last.
            if line.trim() == "#[cfg(test)]" {
                break;
            }
            if line.trim_start().starts_with("//") {
                continue;
            }
            if let Some(name) = NAMES.iter().find(|name| line.contains(**name)) {
                let text = format!("{name} asks for one agent: ask what the agent can do");
                report.problem_at(Rule::Seam, path, index + 1, text);
            }
            let tool = quoted.iter().find(|tool| line.contains(tool.as_str()));
            if let Some(tool) = tool.filter(|_| !may_name_tools) {
                let text = format!("{tool} is one agent's name of a tool: ask for its kind");
                report.problem_at(Rule::Seam, path, index + 1, text);
            }
        }
    }
}

/// Sources of the product, without tests and what is generated.
pub(super) fn is_product(path: &str) -> bool {
    let rust = path.starts_with("crates/") && path.contains("/src/") && extension(path) == "rs";
    let page = path.starts_with("web/src/") && matches!(extension(path), "ts" | "svelte");
    let mut parts = path.split('/');
    let is_test = parts.any(|part| {
        let name = part.split('.').next().unwrap_or(part);
        part == "gen" || name.ends_with("_tests") || part.contains(".test.")
    });
    (rust || page) && !is_test
}
