//! Files that describe sub-agents: the user's own, those of plugins, and those
//! that a trusted folder brought.
//!
//! Whatever a sub-agent does passes the gate call by call. But its file may ask
//! for things that happen before its first call: hooks, servers, a work tree.
//! So starting one is harmless only if its file asks for nothing of the kind.

use std::{
    fs,
    path::{Path, PathBuf},
};

use baton_project::trust;
use serde_json::Value;

/// What a file may say of a sub-agent, without what tells two spellings of a
/// key apart. All else may do something at its start.
const HARMLESS: &[&str] = &[
    "background",
    "color",
    "description",
    "disallowedtools",
    "effort",
    "maxturns",
    "model",
    "name",
    "permissionmode",
    "tools",
];

/// More files are not looked at; then one of them may be meant.
const MOST_ENTRIES: usize = 20_000;
const MOST_BYTES: u64 = 1 << 20;

/// Why the start of a sub-agent of this kind may do something by itself.
pub(in crate::agents) fn wants_more(
    config: &Path,
    brought: Option<&Path>,
    input: &Value,
) -> Option<String> {
    let kind = input.get("subagent_type").and_then(Value::as_str);
    let kind = kind.unwrap_or("general-purpose");
    let mut files = Vec::new();
    let own = ["agents", "plugins"].map(|place| config.join(place));
    let brought = brought.map(|place| place.join("plugins"));
    if !own
        .iter()
        .chain(&brought)
        .all(|place| collect(place, &mut files))
    {
        return Some("there are too many files of sub-agents to look at".to_owned());
    }
    files.iter().find_map(|file| asks(file, kind))
}

/// All text files below a place; `false` if there are too many.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> bool {
    if files.len() > MOST_ENTRIES {
        return false;
    }
    // Links are followed, as the CLI does; a circle uses up what may be looked at.
    let Ok(meta) = fs::metadata(path) else {
        return true;
    };
    if meta.is_dir() {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        return entries
            .into_iter()
            .all(|entry| collect(&entry.path(), files));
    }
    if path.extension().is_some_and(|end| end == "md") {
        files.push(path.to_owned());
    }
    true
}

/// What a file asks for, if it is about this kind of sub-agent.
fn asks(file: &Path, kind: &str) -> Option<String> {
    // A plugin's have its name before theirs.
    let kind = kind.rsplit(':').next().unwrap_or(kind);
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    let stem = stem.is_none_or(|stem| may_be(stem, kind));
    let large = fs::metadata(file).is_ok_and(|meta| meta.len() > MOST_BYTES);
    let text = if large {
        String::new()
    } else {
        fs::read_to_string(file).unwrap_or_default()
    };
    let shown = file.display();
    let Some(head) = trust::head(&text).filter(|_| !large) else {
        let named = || letters(&text).contains(&letters(kind)) || !kind.is_ascii();
        return (stem || large || named())
            .then(|| format!("{shown} cannot be read, and may be about this sub-agent"));
    };
    let name = head.iter().find(|(key, _)| key == "name");
    let name = name.map(|(_, value)| value.trim_matches(['"', '\'']));
    if !stem && !name.is_some_and(|name| may_be(name, kind)) {
        return None;
    }
    let mut keys = head.iter().map(|(key, _)| key);
    let more = keys.find(|key| !HARMLESS.contains(&key.as_str()))?;
    Some(format!(
        "{shown} asks for {more}, which happens when it is started"
    ))
}

/// Whether the CLI may take two names for one. It passes over case, blanks and
/// signs, and knows other forms of letters. A name in a file may be written in
/// ways that only YAML knows.
fn may_be(name: &str, kind: &str) -> bool {
    let written = name.contains(['\\', '#', '&', '*', '!', '|', '>', '%', '@', '{', '[']);
    written || !name.is_ascii() || !kind.is_ascii() || letters(name) == letters(kind)
}

fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::wants_more;

    #[test]
    fn what_a_file_asks_for_at_the_start_is_found() {
        let config = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = config.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(
            "agents/plain.md",
            "---\nname: plain\ntools: Read\n---\nisolation: no\n",
        );
        write(
            "agents/below/x.md",
            "---\nname: tree\nisolation: worktree\n---\n",
        );
        write("agents/stem.md", "---\nhooks:\n  PreToolUse: []\n---\n");
        write(
            "agents/odd.md",
            "---\n{name: odd, isolation: worktree}\n---\n",
        );
        write(
            "plugins/p/agents/own.md",
            "---\nname: own\nmcpServers: {}\n---\n",
        );
        write("agents/notes.md", "Not about tree at all.");
        write(
            "files/plugins/project/agents/of-the-folder.md",
            "---\nname: of-the-folder\nisolation: worktree\n---\n",
        );
        for (kind, more) in [
            ("plain", false),
            ("general-purpose", false),
            ("tree", true),
            ("Tree", true),
            ("stem", true),
            ("odd", true),
            ("p:own", true),
            ("project:of-the-folder", true),
            (" tree", true),
            ("tr-ee ", true),
            ("t_ree", true),
            ("ｔree", true),
        ] {
            let brought = config.path().join("files");
            let input = serde_json::json!({"subagent_type": kind});
            let found = wants_more(config.path(), Some(&brought), &input);
            assert_eq!(found.is_some(), more, "{kind}: {found:?}");
        }
    }
}
