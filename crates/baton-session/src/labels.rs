//! Tool calls in words a person reads at a glance: `Reading …/file.rs`.

use baton_protocol::mask;
use serde_json::Value;

/// Longest label; the rest is cut with an ellipsis.
const MAX: usize = 80;

/// What the call does, in a few words.
pub fn label(tool: &str, input: &Value) -> String {
    let field = |name: &str| input[name].as_str().unwrap_or_default();
    let path = || short_path(field("file_path"));
    let text = match tool {
        "Read" => format!("Reading {}", path()),
        "Write" => format!("Writing {}", path()),
        "Edit" | "MultiEdit" => format!("Editing {}", path()),
        "NotebookEdit" => format!("Editing {}", short_path(field("notebook_path"))),
        "Bash" => format!("Running {}", one_line(field("command"))),
        "Glob" => format!("Finding {}", one_line(field("pattern"))),
        "Grep" => format!("Searching for {}", one_line(field("pattern"))),
        "WebFetch" => format!("Fetching {}", one_line(field("url"))),
        "WebSearch" => format!("Searching the web for {}", one_line(field("query"))),
        "Agent" | "Task" => format!("Sub-agent: {}", one_line(field("description"))),
        "TodoWrite" | "TaskCreate" | "TaskUpdate" => "Updating the list".to_owned(),
        "TaskList" | "TaskGet" => "Looking at the list".to_owned(),
        "AskUserQuestion" => "Asking you".to_owned(),
        "ExitPlanMode" => "Presenting a plan".to_owned(),
        "EnterPlanMode" => "Starting to plan".to_owned(),
        "Skill" => format!("Using the skill {}", one_line(field("skill"))),
        "StructuredOutput" => "Giving the answer as data".to_owned(),
        _ => match tool
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"))
        {
            Some((server, name)) => format!("{server}: {}", name.replace('_', " ")),
            None => tool.to_owned(),
        },
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
    use serde_json::json;

    use super::*;

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
