//! Tool calls in words a person reads at a glance: `Reading …/file.rs`.

use baton_protocol::{ToolKind, ToolUse, mask};

/// Longest label; the rest is cut with an ellipsis.
const MAX: usize = 80;

/// What the call does, in a few words. `title` is what its agent says of it,
/// for kinds that say too little.
pub fn label(what: &ToolUse, title: &str) -> String {
    let subject = &what.subject;
    let line = |text: &Option<String>| one_line(text.as_deref().unwrap_or_default());
    let path = || short_path(subject.path.as_deref().unwrap_or_default());
    let text = match what.kind {
        ToolKind::Shell => format!("Running {}", line(&subject.command)),
        ToolKind::Read => format!("Reading {}", path()),
        ToolKind::Write => format!("Writing {}", path()),
        ToolKind::Edit => format!("Editing {}", path()),
        ToolKind::Search => match (&subject.pattern, &subject.query) {
            (pattern @ Some(_), _) => format!("Finding {}", line(pattern)),
            (None, query @ Some(_)) => format!("Searching for {}", line(query)),
            (None, None) => format!("Looking into {}", path()),
        },
        ToolKind::Fetch if subject.query.is_some() => {
            format!("Searching the web for {}", line(&subject.query))
        }
        ToolKind::Fetch => format!("Fetching {}", line(&subject.url)),
        ToolKind::Agent => format!("Sub-agent: {}", line(&subject.text)),
        ToolKind::Question => "Asking you".to_owned(),
        ToolKind::Plan => "Presenting a plan".to_owned(),
        ToolKind::Skill => format!("Using the skill {}", line(&subject.text)),
        ToolKind::Mcp => match (&subject.server, &subject.tool) {
            (Some(server), Some(tool)) => format!("{server}: {}", tool.replace('_', " ")),
            _ => title.to_owned(),
        },
        ToolKind::Message
        | ToolKind::Todo
        | ToolKind::Inner
        | ToolKind::Schedule
        | ToolKind::Other => title.to_owned(),
    };
    // Before it is cut: the first half of a secret looks like none.
    cut(&mask::text(text.trim_end()), MAX)
}

/// The last two parts of a path are enough to know it by.
fn short_path(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [.., name] if parts.len() > 2 => format!("…/{name}"),
        _ => path.trim_start_matches('/').to_owned(),
    }
}

/// The first line without control characters, so that no label can paint the screen.
pub fn one_line(text: &str) -> String {
    let first = text.trim().lines().next().unwrap_or_default();
    let mut line: String = first.chars().filter(|c| !c.is_control()).collect();
    if text.trim().lines().nth(1).is_some() {
        line.push_str(" …");
    }
    line
}

pub(crate) fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(max - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::agents::AgentKind;

    fn label(tool: &str, input: &Value) -> String {
        let what = AgentKind::Claude.tool_use(tool, input);
        AgentKind::Claude.label(tool, &what)
    }

    #[track_caller]
    fn check(tool: &str, input: &Value, expected: &str) {
        assert_eq!(label(tool, input), expected);
    }

    #[test]
    fn labels_say_what_a_tool_does() {
        check(
            "Read",
            &json!({"file_path": "/home/user/project/src/main.rs"}),
            "Reading …/main.rs",
        );
        check("Read", &json!({"file_path": "main.rs"}), "Reading main.rs");
        check(
            "Bash",
            &json!({"command": "cargo test\nls"}),
            "Running cargo test …",
        );
        check("mcp__calc__add_numbers", &json!({}), "calc: add numbers");
        check("TaskUpdate", &json!({}), "Updating the list");
        check("Frobnicate", &json!({}), "Frobnicate");
        check("Read", &json!({}), "Reading");
    }

    #[test]
    fn a_label_has_no_secret_in_it_not_even_half_of_one() {
        let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        for before in 0..70 {
            let command = format!("{} {token}", "x".repeat(before));
            let text = label("Bash", &json!({ "command": command }));
            assert!(!text.contains("ghp"), "{text}");
        }
    }

    #[test]
    fn a_label_carries_no_control_characters_and_is_short() {
        let long = "x".repeat(500);
        let text = label("Bash", &json!({"command": format!("\u{1b}[31m{long}")}));
        assert!(!text.contains('\u{1b}'));
        assert_eq!(text.chars().count(), 80);
    }
}
