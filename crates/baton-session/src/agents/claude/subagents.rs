//! Files that describe sub-agents: the user's own, those of plugins and
//! marketplaces, and those that a trusted folder brought.
//!
//! Whatever a sub-agent does passes the gate call by call. But its file may ask
//! for things that happen before its first call: hooks, servers, a work tree.
//! So starting one is harmless only if its file asks for nothing of the kind.
//! A file of which it cannot be told whom it describes may be the one.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use baton_project::{marketplaces, trust};
use serde_json::{Map, Value};

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

/// Where the CLI has sub-agents from.
#[derive(Debug, Clone, Copy)]
pub(in crate::agents) struct SubAgents<'a> {
    /// Its own folder.
    pub(in crate::agents) config: &'a Path,
    /// What a trusted folder brought, as the running process was given it.
    pub(in crate::agents) brought: Option<&'a Path>,
    pub(in crate::agents) folder: &'a Path,
    /// Folders beside it that the agent has.
    pub(in crate::agents) extra: &'a [PathBuf],
}

impl SubAgents<'_> {
    fn places(&self) -> Vec<PathBuf> {
        let mut places = ["agents", "plugins"]
            .map(|name| self.config.join(name))
            .to_vec();
        places.extend(self.brought.map(|place| place.join("plugins")));
        // These it reads as they lie, while it runs too.
        let added = self.extra.iter().map(PathBuf::as_path).chain([self.folder]);
        places.extend(added.map(|folder| folder.join(".claude/agents")));
        if let Some(brought) = self.brought {
            let settings = object(&brought.join("settings.json"));
            places.extend(marketplaces::folders(&settings, self.folder));
        }
        places.extend(own_marketplaces(self.config, self.folder));
        places
    }
}

/// Folders that the user has plugins from. `base` is where relative ones begin.
pub(super) fn own_marketplaces(config: &Path, base: &Path) -> Vec<PathBuf> {
    let mut places = marketplaces::folders(&object(&config.join("settings.json")), base);
    // Where they were added from.
    let known = object(&config.join("plugins/known_marketplaces.json"));
    for place in known.values() {
        let at = [place.get("installLocation"), place.pointer("/source/path")];
        let at = at.into_iter().flatten().filter_map(Value::as_str);
        places.extend(at.map(PathBuf::from).filter(|path| path.is_absolute()));
    }
    places
}

fn object(file: &Path) -> Map<String, Value> {
    let text = fs::read(file).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Why the start of a sub-agent of this kind may do something by itself.
pub(in crate::agents) fn wants_more(places: &SubAgents<'_>, input: &Value) -> Option<String> {
    let kind = input.get("subagent_type").and_then(Value::as_str);
    let kind = kind.unwrap_or("general-purpose");
    let mut files = Vec::new();
    if !places
        .places()
        .iter()
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

/// What a file asks for, if it is about this kind of sub-agent, or may be.
fn asks(file: &Path, kind: &str) -> Option<String> {
    let stem = file.file_stem().and_then(|stem| stem.to_str());
    let stem = stem.is_none_or(|stem| may_be(stem, kind));
    let large = fs::metadata(file).is_ok_and(|meta| meta.len() > MOST_BYTES);
    let text = if large {
        String::new()
    } else {
        fs::read_to_string(file).unwrap_or_default()
    };
    let shown = file.display();
    let head = trust::head(&text).filter(|head| !large && is_plain(head));
    let Some(head) = head else {
        let named = || {
            let text = letters(&text);
            let mut names = names(kind);
            names.any(|name| text.contains(&letters(name))) || !kind.is_ascii()
        };
        // Its name may be put together in ways that only YAML knows.
        let head = text.split("\n---").next().unwrap_or_default();
        let hidden = || head.contains(['\\', '&', '*', '!', '%']) && is_for_agents(file);
        return (stem || large || named() || hidden())
            .then(|| format!("{shown} cannot be read, and may be about this sub-agent"));
    };
    let name = head.iter().find(|(key, _)| key == "name");
    let name = name.map(|(_, value)| value.as_str());
    if !stem && !name.is_some_and(|name| is_odd(name) || may_be(name, kind)) {
        return None;
    }
    let mut keys = head.iter().map(|(key, _)| key);
    let more = keys.find(|key| !HARMLESS.contains(&key.as_str()))?;
    Some(format!(
        "{shown} asks for {more}, which happens when it is started"
    ))
}

/// Of two values of one key it is not known which counts.
fn is_plain(head: &[(String, String)]) -> bool {
    let mut keys = BTreeSet::new();
    head.iter().all(|(key, _)| keys.insert(key))
}

/// Whether the CLI takes sub-agents from where a file lies: from folders of this
/// name, and from where a plugin or its marketplace says.
fn is_for_agents(file: &Path) -> bool {
    let says = |folder: &Path| {
        let files = ["plugin.json", "marketplace.json"];
        let mut files = files
            .map(|name| folder.join(".claude-plugin").join(name))
            .into_iter();
        files.any(|file| {
            let text = fs::read_to_string(file);
            text.is_ok_and(|text| text.contains("agents"))
        })
    };
    file.ancestors().skip(1).any(|folder| {
        let name = folder.file_name().unwrap_or_default();
        name.eq_ignore_ascii_case("agents") || says(folder)
    })
}

/// Whether what a file calls its sub-agent may be another name: YAML has ways of
/// its own to write texts, numbers and dates.
fn is_odd(name: &str) -> bool {
    let signs = ['\\', '#', '&', '*', '!', '|', '>', '%', '@', '{', '['];
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '+' | '-');
    name.contains(signs) || name.starts_with(number)
}

/// What a kind may be called in its file. A plugin's have its name before theirs,
/// and names have colons too.
fn names(kind: &str) -> impl Iterator<Item = &str> {
    let after = kind.match_indices(':').map(|(at, _)| &kind[at + 1..]);
    std::iter::once(kind).chain(after)
}

/// Whether the CLI may take two names for one. It passes over case, blanks and
/// signs, and knows other forms of letters.
fn may_be(name: &str, kind: &str) -> bool {
    let same = |one: &str| letters(name) == letters(one);
    !name.is_ascii() || !kind.is_ascii() || names(kind).any(same)
}

fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{SubAgents, wants_more};

    #[test]
    fn what_a_file_asks_for_at_the_start_is_found() {
        let config = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = config.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for (name, head) in [
            (
                "agents/plain.md",
                "name: plain\ntools: Read\n---\nisolation: no",
            ),
            ("agents/below/x.md", "name: tree\nisolation: worktree"),
            ("agents/stem.md", "hooks:\n  PreToolUse: []"),
            ("agents/odd.md", "{name: odd, isolation: worktree}"),
            ("plugins/p/agents/own.md", "name: own\nmcpServers: {}"),
            (
                "files/plugins/project/agents/of-the-folder.md",
                "name: of-the-folder\nisolation: worktree",
            ),
            ("agents/two.md", "name: two\nhooks: {}\nname: second"),
            ("agents/c.md", "name: with:colon\nhooks: {}"),
            ("settled/p/agents/a.md", "name: of-settings\nhooks: {}"),
            ("known/p/agents/a.md", "name: of-known\nhooks: {}"),
            ("project/mk/p/agents/a.md", "name: of-the-market\nhooks: {}"),
            ("added/.claude/agents/a.md", "name: of-the-added\nhooks: {}"),
        ] {
            write(name, &format!("---\n{head}\n---\n"));
        }
        write("agents/notes.md", "Not about tree at all.");
        let at = |name: &str| config.path().join(name).display().to_string();
        let market = |path: &str| serde_json::json!({"extraKnownMarketplaces": {"m": {"source": {"path": path}}}});
        write("settings.json", &market(&at("settled")).to_string());
        write("files/settings.json", &market("./mk").to_string());
        let known = serde_json::json!({"m": {"installLocation": at("known")}});
        write("plugins/known_marketplaces.json", &known.to_string());
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
            ("two", true),
            ("second", true),
            ("with:colon", true),
            ("p:with:colon", true),
            ("of-settings", true),
            ("m:of-known", true),
            ("p:of-the-market", true),
            ("of-the-added", true),
        ] {
            let brought = config.path().join("files");
            let places = SubAgents {
                config: config.path(),
                brought: Some(&brought),
                folder: &config.path().join("project"),
                extra: &[config.path().join("added")],
            };
            let input = serde_json::json!({"subagent_type": kind});
            let found = wants_more(&places, &input);
            assert_eq!(found.is_some(), more, "{kind}: {found:?}");
        }
    }

    #[test]
    fn a_name_that_only_yaml_can_tell_is_anybodys() {
        for (head, more) in [
            ("name: 0x10\nhooks: {}", true),
            ("name: 2001-01-01\nhooks: {}", true),
            ("\"name\": \"\\x62\"\nhooks: {}", true),
            ("name: &a b\nhooks: {}", true),
            ("? name\n: !!str b\nhooks: {}", true),
            ("name: \"\\x62\"\ntools: Read", false),
            ("name: other\nhooks: {}", false),
        ] {
            let config = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(config.path().join("agents")).unwrap();
            let text = format!("---\n{head}\n---\n");
            std::fs::write(config.path().join("agents/file.md"), text).unwrap();
            let places = SubAgents {
                config: config.path(),
                brought: None,
                folder: &PathBuf::from("/nowhere"),
                extra: &[],
            };
            let input = serde_json::json!({"subagent_type": "b"});
            assert_eq!(wants_more(&places, &input).is_some(), more, "{head}");
        }
    }
}
