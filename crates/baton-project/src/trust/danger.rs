//! What stands out in a survey: what runs by itself, and what lets the agent act
//! without a person. Each comes with a sentence that says why.
//!
//! It is only shown. Whatever is listed is accepted or refused as a whole.

use super::item::Kind;

/// Variables by which a program is made to load or run something else, or to
/// speak to somebody else.
const VARIABLES: &[&str] = &[
    "BASH_ENV",
    "BROWSER",
    "EDITOR",
    "ENV",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "PAGER",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "SHELL",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "VISUAL",
    "ZDOTDIR",
];

/// The same, by how their names begin.
const VARIABLE_FAMILIES: &[&str] = &[
    "ANTHROPIC_",
    "AWS_",
    "CLAUDE_",
    "DYLD_",
    "GIT_",
    "LD_",
    "NPM_CONFIG_",
    "OTEL_",
    "SSL_",
];

/// Programs that run what they are told, so that a rule which allows them with
/// any arguments allows everything.
const RUNNERS: &[&str] = &[
    "awk", "bash", "bun", "bunx", "cargo", "curl", "deno", "docker", "doas", "env", "eval", "exec",
    "find", "fish", "git", "make", "node", "npm", "npx", "perl", "php", "pip", "pnpm", "podman",
    "python", "python3", "rm", "ruby", "sed", "sh", "source", "ssh", "su", "sudo", "tar", "uv",
    "uvx", "wget", "xargs", "yarn", "zsh",
];

/// Tools that change nothing, so that nothing is lost if they do not ask.
const READING: &[&str] = &[
    "AskUserQuestion",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "Read",
    "TodoRead",
    "TodoWrite",
    "WebSearch",
];

/// Modes in which nothing is done that would otherwise be asked about.
const CAREFUL_MODES: &[&str] = &["default", "plan"];

/// Git settings that say where something is, and start no program.
const GIT_PLACES: &[&str] = &[
    "core.attributesfile",
    "core.worktree",
    "protocol.allow",
    "init.templatedir",
];

/// Of one entry, by what it is, its name and what it comes to.
pub(super) fn of(kind: Kind, name: &str, detail: &str) -> Option<String> {
    match kind {
        Kind::Hook => Some("Runs by itself at this moment of a session.".into()),
        Kind::Helper => Some("Runs by itself when the agent needs what it gives.".into()),
        Kind::McpServer if name == "enableAllProjectMcpServers" && detail != "false" => {
            Some("Starts every server that .mcp.json names, also later ones.".into())
        }
        Kind::Environment => variable(name),
        Kind::Permission => permission(name),
        Kind::Plugin if !detail.ends_with("false") => {
            Some("Brings hooks, servers, agents and commands that are not listed here.".into())
        }
        Kind::Git => git(name, detail),
        Kind::GitHook => Some("Git runs this program by itself.".into()),
        Kind::Other => other(name, detail),
        Kind::McpServer
        | Kind::Plugin
        | Kind::Marketplace
        | Kind::Command
        | Kind::Agent
        | Kind::Skill
        | Kind::OutputStyle
        | Kind::ToolSurface
        | Kind::Problem => None,
    }
}

/// Of an MCP server that is started as a program.
pub(super) fn program() -> String {
    "Starts this program with every session.".into()
}

/// Of a mode that a file chooses.
pub(super) fn mode(value: &str) -> Option<String> {
    let careful = CAREFUL_MODES.contains(&value);
    (!careful).then(|| format!("Chooses the mode {value}, in which less is asked."))
}

/// Of tools that a file lets the agent use.
pub(super) fn unasked(tools: &str) -> Option<String> {
    let mut named = listed(tools);
    named.retain(|tool| !READING.contains(&tool.as_str()));
    let tools = named.join(", ");
    (!named.is_empty()).then(|| format!("Lets the agent use {tools} without asking."))
}

/// The entries of a list as people write them: with commas, blanks, dashes or
/// brackets between. Parentheses hold an entry together.
fn listed(text: &str) -> Vec<String> {
    let mut entries = vec![String::new()];
    let mut depth = 0_usize;
    for sign in text.chars() {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let between = matches!(sign, ',' | '[' | ']' | '"' | '\'') || sign.is_whitespace();
        match entries.last_mut() {
            Some(last) if depth > 0 || !between => last.push(sign),
            _ => entries.push(String::new()),
        }
    }
    entries.retain(|entry| !entry.is_empty() && entry != "-");
    entries
}

fn variable(name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    let known = VARIABLES.contains(&upper.as_str());
    let family = VARIABLE_FAMILIES.iter().any(|head| upper.starts_with(head));
    (known || family)
        .then(|| "Changes what programs load and run, or whom the agent speaks to.".into())
}

/// What a folder allows, and the mode it would begin in, are left out when it
/// is accepted, so neither stands out.
fn permission(name: &str) -> Option<String> {
    match name {
        "additionalDirectories" => Some("Gives the agent a folder beside this one.".into()),
        _ => None,
    }
}

/// Whether a rule of the CLI that allows leaves about everything open.
pub fn is_wide(rule: &str) -> bool {
    let (tool, content) = match rule.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').unwrap_or(rest))),
        None => (rule, None),
    };
    match (tool.trim(), content.map(str::trim)) {
        ("Bash" | "Monitor" | "PowerShell", None) => true,
        ("Bash" | "Monitor" | "PowerShell", Some(command)) => wide_command(command),
        ("Edit" | "Write" | "MultiEdit" | "NotebookEdit", None) => true,
        ("Edit" | "Write" | "MultiEdit" | "NotebookEdit", Some(path)) => {
            let path = path.trim_start_matches("./");
            matches!(path, "*" | "**" | "/**" | "**/*" | "/*")
                || path.starts_with("//")
                || path.starts_with("~/")
        }
        ("Skill" | "Agent" | "Task" | "Workflow", None) => true,
        (tool, None) => tool.is_empty() || tool == "*" || tool.starts_with("mcp__*"),
        (_, Some(_)) => false,
    }
}

fn wide_command(command: &str) -> bool {
    let open = command.contains('*');
    let written = command.split([' ', ':', '*']).next().unwrap_or_default();
    let first = written.rsplit('/').next().unwrap_or_default();
    // A second word that is fixed leaves less open, if the program is one that
    // names its commands so.
    let rest = command.get(written.len()..).unwrap_or_default();
    let fixed = rest
        .trim_start()
        .starts_with(|sign: char| sign.is_ascii_alphabetic());
    let by_word = matches!(
        first,
        "cargo" | "docker" | "git" | "npm" | "pip" | "pnpm" | "podman" | "uv" | "yarn"
    );
    open && (first.is_empty() || (RUNNERS.contains(&first) && !(by_word && fixed)))
}

fn git(name: &str, detail: &str) -> Option<String> {
    let elsewhere = ["include.", "includeif.", "url."];
    let place = GIT_PLACES.contains(&name) || elsewhere.iter().any(|head| name.starts_with(head));
    let off = matches!(detail, "" | "false" | "true");
    (!place && !off).then(|| "Git runs this program by itself.".into())
}

fn other(name: &str, detail: &str) -> Option<String> {
    match name {
        "disableSkillShellExecution" if detail == "false" => {
            Some("Lets skills and commands run a shell by themselves.".into())
        }
        "sandbox" | "autoMode" | "skipDangerousModePermissionPrompt" => {
            Some("Changes what is asked about.".into())
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "danger_tests.rs"]
mod tests;
