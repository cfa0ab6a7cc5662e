//! The head of a file for the agent: what an agent, a skill or a command asks for
//! beside its text.
//!
//! It is YAML, of which only the plain form is read here: one key a line, and
//! what is indented belongs to the key above it. A head of another form stands
//! out as such, because the CLI may read in it what is not seen here.

use super::danger;

/// More of one value is not shown, in characters.
const SHOWN: usize = 300;

/// Names and descriptions are for the model, and are not what a person decides on.
const PLAIN: &[&str] = &["description", "name", "whentouse", "argumenthint"];

/// Keys whose values hold commands.
const RUN: &[&str] = &["hooks", "lspservers", "mcpservers", "monitors"];

/// What a file says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Front {
    /// Its keys and values, on one line.
    pub(super) shown: String,
    /// What stands out.
    pub(super) danger: Vec<String>,
    /// Texts that hold commands which run by themselves.
    pub(super) commands: Vec<String>,
}

/// Reads the head and looks for commands in the text below it.
pub(super) fn read(text: &str) -> Front {
    let text = text.trim_start_matches('\u{FEFF}');
    let mut front = Front::default();
    let (head, body) = split(text);
    match head.and_then(entries) {
        Some(entries) => {
            let shown = entries.iter().filter(|entry| !PLAIN.contains(&&*entry.key));
            let shown = shown.map(|entry| {
                let value: String = entry.value.chars().take(SHOWN).collect();
                format!("{}: {value}", entry.written)
            });
            front.shown = shown.collect::<Vec<_>>().join("; ");
            front.danger.extend(entries.iter().filter_map(stands_out));
            let run = entries
                .into_iter()
                .filter(|entry| RUN.contains(&&*entry.key));
            front.commands = run.map(|entry| entry.value).collect();
        }
        None if head.is_some() => {
            let told = "Its head is written so that it cannot be read here.";
            front.danger.push(told.into());
            front.commands.extend(head.map(str::to_owned));
        }
        None => {}
    }
    if let Some(command) = command(body) {
        front
            .danger
            .push(format!("Runs a shell when it is used: {command}"));
    }
    front
}

/// The keys and values in the head of a file for the agent, keys without what
/// tells two spellings of them apart. `None` if it cannot be read.
pub fn head(text: &str) -> Option<Vec<(String, String)>> {
    let (head, _) = split(text.trim_start_matches('\u{FEFF}'));
    let Some(head) = head else {
        return Some(Vec::new());
    };
    let entries = entries(head)?.into_iter();
    Some(entries.map(|entry| (entry.key, entry.value)).collect())
}

/// One key and all that belongs to it.
struct HeadKey {
    /// As it is written.
    written: String,
    /// Without what tells two spellings of it apart.
    key: String,
    value: String,
}

/// The lines of the head, if there is one, and the text below it. A head that
/// does not end is all there is.
fn split(text: &str) -> (Option<&str>, &str) {
    let trimmed = text.trim_start();
    let Some(rest) = trimmed.strip_prefix("---") else {
        return (None, text);
    };
    let mut at = 0;
    for line in rest.split_inclusive(['\n', '\r']) {
        if at > 0 && line.starts_with("---") {
            return (rest.get(..at), rest.get(at..).unwrap_or_default());
        }
        at += line.len();
    }
    (Some(rest), rest)
}

/// `None` if the head has another form than one key a line.
fn entries(head: &str) -> Option<Vec<HeadKey>> {
    let mut entries: Vec<HeadKey> = Vec::new();
    // All that YAML takes for the end of a line.
    for line in head.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with([' ', '\t', '-']) {
            let value = &mut entries.last_mut()?.value;
            value.push(' ');
            value.push_str(line.trim_start());
            continue;
        }
        let (written, value) = line.split_once(':')?;
        let plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-');
        let separate = value.is_empty() || value.starts_with([' ', '\t']);
        if written.is_empty() || !written.chars().all(plain) || !separate {
            return None;
        }
        let key = written.chars().filter(char::is_ascii_alphanumeric);
        entries.push(HeadKey {
            written: written.to_owned(),
            key: key.collect::<String>().to_ascii_lowercase(),
            value: value.trim().to_owned(),
        });
    }
    Some(entries)
}

fn stands_out(entry: &HeadKey) -> Option<String> {
    let value = entry.value.trim_matches(['"', '\'']);
    match entry.key.as_str() {
        "permissionmode" => danger::mode(value),
        "allowedtools" => danger::unasked(value),
        "hooks" => Some("Brings hooks, which run by themselves.".into()),
        "mcpservers" => Some("Starts MCP servers of its own.".into()),
        "isolation" => Some("Has git make a work tree, in which hooks of git may run.".into()),
        "lspservers" | "monitors" => Some("Starts programs of its own.".into()),
        _ => None,
    }
}

/// The first command that the CLI would run before it gives the text to the model.
fn command(body: &str) -> Option<String> {
    let inline = body.match_indices("!`").find_map(|(at, _)| {
        let before = body.get(..at).and_then(|before| before.chars().next_back());
        let free = before.is_none_or(char::is_whitespace);
        free.then(|| body.get(at + 2..).unwrap_or_default())
    });
    let block = || {
        let (_, rest) = body.split_once("```!")?;
        Some(rest.trim_start())
    };
    let command = inline.or_else(block)?;
    let command: String = command
        .chars()
        .take_while(|sign| *sign != '`')
        .take(SHOWN)
        .collect();
    Some(command.trim().to_owned())
}

#[cfg(test)]
#[path = "front_tests.rs"]
mod tests;
