//! Commands, agents, skills and output styles as the files of plugins.
//!
//! The CLI puts a plugin's name before the names of what is in it. It also
//! knows commands and skills by the `name` in their head, so that is set to
//! what they are called in the folder: both `/name` and `/project:name` work.
//! A command in a folder of its own is called `/folder:name`, which is what it
//! is called in a plugin of the folder's name.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use crate::file;

/// The plugin of all that lies in no folder of its own.
const PLUGIN: &str = "project";

/// The most that is copied; the survey of a folder with more is not complete,
/// or it is a folder of data.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: u64 = 64 << 20;
const DEPTH: usize = 16;

/// One file of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFile {
    /// The plugin's name, and below it the file's.
    pub name: PathBuf,
    pub bytes: Vec<u8>,
    pub executable: bool,
}

impl PluginFile {
    /// Which plugin it belongs to.
    pub fn plugin(&self) -> &Path {
        self.name.iter().next().map_or(&self.name, Path::new)
    }
}

/// Copies from each folder `.claude`, nearest first. An output style that the
/// settings name is named there as it is called from now on.
pub(super) fn files<'a>(
    folders: impl Iterator<Item = &'a PathBuf>,
    settings: &mut Map<String, Value>,
) -> Vec<PluginFile> {
    let mut copy = Copy::default();
    for claude in folders {
        for kind in ["commands", "agents", "output-styles"] {
            copy.below(&claude.join(kind), Path::new(kind), DEPTH);
        }
        copy.skills(&claude.join("skills"));
    }
    let style = settings.get("outputStyle").and_then(Value::as_str);
    if let Some(style) = style.filter(|style| copy.has_style(style)) {
        let style = format!("{PLUGIN}:{style}");
        settings.insert("outputStyle".into(), Value::String(style));
    }
    let mut files = copy.files;
    let mut plugins = BTreeSet::new();
    for file in &mut files {
        let (plugin, name) = placed(&file.name);
        if let Some(name) = called(&file.name).filter(|_| plugin == PLUGIN) {
            file.bytes = with_name(&file.bytes, &name);
        }
        file.name = Path::new(&plugin).join(name);
        plugins.insert(plugin);
    }
    for plugin in plugins {
        let about = json!({
            "name": plugin,
            "version": "1.0.0",
            "description": "What this folder brings, as it was accepted",
        });
        files.push(PluginFile {
            name: Path::new(&plugin).join(".claude-plugin/plugin.json"),
            bytes: about.to_string().into_bytes(),
            executable: false,
        });
    }
    files
}

/// The plugin that a file goes to, and its place there.
fn placed(file: &Path) -> (String, PathBuf) {
    let mut parts = file.iter();
    if let (Some(kind), Some(folder)) = (parts.next(), parts.next())
        && kind == "commands"
        && parts.clone().next().is_some()
        && let Some(folder) = folder.to_str()
        && may_be_called(folder)
    {
        return (folder.to_owned(), Path::new(kind).join(parts.as_path()));
    }
    (PLUGIN.to_owned(), file.to_owned())
}

/// Whether a plugin may have this name.
fn may_be_called(name: &str) -> bool {
    let plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '-';
    name != PLUGIN && !name.is_empty() && name.chars().all(plain)
}

#[derive(Default)]
struct Copy {
    files: Vec<PluginFile>,
    names: BTreeSet<PathBuf>,
    bytes: u64,
}

impl Copy {
    /// Each skill is whole from one folder.
    fn skills(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = Path::new("skills").join(entry.file_name());
            if self.names.insert(name.clone()) {
                self.below(&entry.path(), &name, DEPTH);
            }
        }
    }

    /// Through links too, as the CLI goes.
    fn below(&mut self, path: &Path, name: &Path, depth: usize) {
        if path.is_dir() {
            if depth == 0 {
                return;
            }
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                self.below(&entry.path(), &name.join(entry.file_name()), depth - 1);
            }
            return;
        }
        let left = MOST_BYTES.saturating_sub(self.bytes);
        let Ok(Some(bytes)) = file::read(path, left) else {
            return;
        };
        if self.files.len() >= MOST_FILES || !self.names.insert(name.to_owned()) {
            return;
        }
        self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let mode = path.metadata().map_or(0, |meta| meta.permissions().mode());
        self.files.push(PluginFile {
            name: name.to_owned(),
            bytes,
            executable: mode & 0o111 != 0,
        });
    }

    fn has_style(&self, style: &str) -> bool {
        let styles = self.files.iter();
        let mut styles = styles.filter(|file| file.name.starts_with("output-styles"));
        styles.any(|file| {
            let stem = file.name.file_stem().unwrap_or_default();
            let named = head(&file.bytes).and_then(|head| name_in(head.0));
            stem == style || named.as_deref() == Some(style)
        })
    }
}

/// What a command or skill is called in its folder.
fn called(file: &Path) -> Option<String> {
    let mut parts: Vec<String> = file
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    match (parts.first()?.as_str(), parts.last()?.as_str()) {
        ("skills", "SKILL.md") if parts.len() == 3 => Some(parts.swap_remove(1)),
        ("commands", last) if last.ends_with(".md") => {
            let mut name = parts.split_off(1).join(":");
            name.truncate(name.len() - ".md".len());
            Some(name)
        }
        _ => None,
    }
}

/// The lines between the two rulers at the beginning, and all after them.
fn head(bytes: &[u8]) -> Option<(&str, &str)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let rest = text.strip_prefix("---")?;
    let rest = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

fn name_in(head: &str) -> Option<String> {
    let line = head.lines().find_map(|line| line.strip_prefix("name:"))?;
    Some(line.trim().trim_matches(['"', '\'']).to_owned())
}

/// The same text with this name in its head.
fn with_name(bytes: &[u8], name: &str) -> Vec<u8> {
    // JSON is YAML, whatever is in the name.
    let name = format!("name: {}\n", Value::from(name));
    let Some((lines, body)) = head(bytes) else {
        return [format!("---\n{name}---\n").as_bytes(), bytes].concat();
    };
    let others: String = lines
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("name:"))
        .collect();
    format!("---\n{name}{others}---\n{body}").into_bytes()
}
