//! A rule in words.

use baton_protocol::words::RuleDecision;

use crate::pattern::{Access, Domain, FilePattern, Kind, Pattern, Root, ShellPattern};

/// Says for a person what a rule does.
pub fn words(pattern: &Pattern, decision: RuleDecision) -> String {
    let does = match decision {
        RuleDecision::Allow => "Allows",
        RuleDecision::Deny => "Denies",
        RuleDecision::Ask => "Always asks before",
    };
    let what = match &pattern.0 {
        Kind::Tool(name) => match name.as_str() {
            "Bash" => "every shell command".to_owned(),
            "Edit" => "changing any file".to_owned(),
            "Read" => "reading any file".to_owned(),
            name => format!("every use of {name}"),
        },
        Kind::Tools(wild) if wild.is_all() => "every tool".to_owned(),
        Kind::Tools(_) => format!("every tool whose name matches `{pattern}`"),
        Kind::Server(server) => format!("every tool of the MCP server `{server}`"),
        Kind::Shell(ShellPattern::Exact { text, .. }) => format!("exactly `{text}`"),
        Kind::Shell(ShellPattern::Prefix { text, .. }) => format!("`{text}` with any arguments"),
        Kind::Shell(ShellPattern::Wild(wild)) => {
            format!(
                "commands like `{}`, with anything for each `*`",
                wild.pieces.join("*")
            )
        }
        Kind::File(file) => file_words(file),
        Kind::Domain(Domain::Any) => "fetching from any host".to_owned(),
        Kind::Domain(Domain::Host(host)) if decision == RuleDecision::Allow => {
            format!("fetching from {host}")
        }
        Kind::Domain(Domain::Host(host)) => format!("fetching from {host} and the hosts below it"),
        Kind::Domain(Domain::Below(host)) => format!("fetching from any host below {host}"),
    };
    format!("{does} {what}")
}

fn file_words(pattern: &FilePattern) -> String {
    let does = match pattern.access {
        Access::Edit => "changing",
        Access::Read => "reading",
    };
    let text = pattern.to_string();
    let path = text.split_once('(').map_or("", |(_, path)| path);
    let path = path.strip_suffix(')').unwrap_or(path);
    let (path, place) = match pattern.root {
        Root::System => (path.strip_prefix('/').unwrap_or(path), ""),
        Root::Home => (path, ""),
        Root::Project if pattern.any_depth => (path, " anywhere in the project"),
        Root::Project => (path.strip_prefix('/').unwrap_or(path), " in the project"),
    };
    match path.strip_suffix("/**") {
        Some(folder) => format!("{does} anything below `{folder}`{place}"),
        None => format!("{does} `{path}`{place}"),
    }
}
