//! How dangerous a request is, and what a person should notice in it.

mod command;
mod grave;
mod inside;
mod secret;
mod tokens;

use std::{collections::BTreeSet, path::Path};

use baton_protocol::{ToolKind, ToolUse, event::Warning, unseen::is_unseen, words::Risk};
use baton_rules::Weight;
use serde_json::Value;

use self::inside::lexically_inside;

/// Warnings after which nobody should allow in passing.
const GRAVE: &[&str] = &[
    "autorun",
    "beyond",
    "destructive",
    "invisible",
    "lookalike",
    "pipe_to_shell",
    "privilege",
    "sandbox",
    "secret",
];

/// How much harm a call could do. High is what looks dangerous, cannot be
/// undone, or reaches beyond the project; medium runs or changes something in
/// it that nobody knows; low is known to change nothing.
pub fn risk(kind: ToolKind, weight: Weight, warnings: &[Warning]) -> Risk {
    let told = |kind: &str| warnings.iter().any(|warning| warning.kind == kind);
    let grave = GRAVE.iter().any(|kind| told(kind)) || kind == ToolKind::Schedule;
    match weight {
        Weight::Guarded => Risk::High,
        _ if grave => Risk::High,
        // A change outside the project, as far as a command says where.
        Weight::Changes if told("outside") => Risk::High,
        Weight::Changes | Weight::Elsewhere => Risk::Medium,
        Weight::Harmless => Risk::Low,
    }
}

/// What the words of a request may hide.
pub fn warnings(what: &ToolUse, input: &Value, cwd: &Path) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut warn = |kind: &str, message: String| {
        found.push(Warning {
            kind: kind.into(),
            message,
        });
    };
    for text in strings(input) {
        if let Some(hidden) = unseen(text) {
            let code = u32::from(hidden);
            warn(
                "invisible",
                format!("contains the invisible character U+{code:04X}"),
            );
            break;
        }
    }
    if input["dangerouslyDisableSandbox"] == true {
        warn("sandbox", "runs outside the sandbox".into());
    }
    let is_shell = what.kind == ToolKind::Shell;
    if is_shell {
        let command = what.subject.command.as_deref().unwrap_or_default();
        if command.contains("$(") || command.contains('`') || command.contains("<(") {
            warn("substitution", "runs a command inside a command".into());
        }
        for (kind, message) in command::notices(command, cwd) {
            warn(kind, message);
        }
        if has_lookalike(command) {
            warn(
                "lookalike",
                "mixes Latin letters with look-alikes of another script".into(),
            );
        }
    }
    let other = strings(input).into_iter().filter(|_| !is_shell);
    if let Some(message) = other
        .map(secret::hints)
        .find_map(|found| secret::words(&found))
    {
        warn("secret", message);
    }
    // What a tool that nothing is known of calls its paths is a guess.
    let named = ["file_path", "notebook_path", "path"].map(|name| input[name].as_str());
    let named: BTreeSet<_> = named
        .into_iter()
        .flatten()
        .chain(what.subject.path.as_deref())
        .collect();
    for path in named {
        if !lexically_inside(Path::new(path), cwd) {
            warn("outside", format!("reaches outside the project: {path}"));
        }
    }
    found
}

fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(map) => {
            let pairs = map.iter();
            pairs
                .flat_map(|(name, value)| std::iter::once(name.as_str()).chain(strings(value)))
                .collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The first character that nobody sees. What ends a line in files of some
/// systems is seen by what it does.
fn unseen(text: &str) -> Option<char> {
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let ends_line = c == '\r' && characters.peek() == Some(&'\n');
        if is_unseen(c) && !ends_line {
            return Some(c);
        }
    }
    None
}

/// A word with both Latin and Cyrillic or Greek letters is a disguise.
fn has_lookalike(command: &str) -> bool {
    command.split_whitespace().any(|word| {
        let latin = word.chars().any(|c| c.is_ascii_alphabetic());
        let other = word
            .chars()
            .any(|c| matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{4ff}'));
        latin && other
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agents::AgentKind;

    fn kinds(tool: &str, input: &Value) -> Vec<String> {
        let what = AgentKind::Claude.tool_use(tool, input);
        let found = warnings(&what, input, Path::new("/home/user/project"));
        found.into_iter().map(|warning| warning.kind).collect()
    }

    #[test]
    fn what_hides_in_a_name_is_pointed_out_too() {
        let input = json!({"scripts": {"te\u{202e}st": "make"}});
        assert_eq!(kinds("mcp__x__y", &input), ["invisible"]);
    }

    #[test]
    fn what_hides_is_pointed_out() {
        assert_eq!(
            kinds("Bash", &json!({"command": "ls $(rm x)"})),
            ["substitution"]
        );
        assert_eq!(
            kinds("Bash", &json!({"command": "ls\u{202e}"})),
            ["invisible"]
        );
        assert_eq!(
            kinds("Bash", &json!({"command": "c\u{430}t x"})),
            ["lookalike"]
        );
        assert_eq!(
            kinds("Read", &json!({"file_path": "/home/user/project/../x"})),
            ["outside"]
        );
        assert_eq!(
            kinds("Read", &json!({"file_path": "/etc/passwd"})),
            ["outside"]
        );
        assert!(kinds("Edit", &json!({"file_path": "src/main.rs"})).is_empty());
        assert!(kinds("Bash", &json!({"command": "cargo test"})).is_empty());
    }

    #[test]
    fn every_character_that_nobody_sees_is_told() {
        for c in char::MIN..=char::MAX {
            let input = json!({"command": format!("echo a{c}b")});
            let found = kinds("Bash", &input);
            let told = found.iter().any(|kind| kind == "invisible");
            assert_eq!(told, is_unseen(c), "U+{:04X}", u32::from(c));
        }
        let lines = json!({"file_path": "a.txt", "content": "one\r\ntwo\r\n"});
        assert_eq!(kinds("Write", &lines), Vec::<String>::new());
    }
}

#[cfg(test)]
#[path = "caution/risk_tests.rs"]
mod risk_tests;
