//! Instructions that the CLI finds only by itself where it reads a folder's
//! own settings: those above the folder, those of this user for it, and those
//! of folders below.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
};

use super::{LEVELS, Sources, same};
use crate::file;

/// As much of one file as anybody writes.
const TEXT_BYTES: u64 = 256 << 10;

/// How far folders below are looked through, nearest first, and how many of
/// their instructions are named.
const MOST_ENTRIES: usize = 20_000;
const MOST_BELOW: usize = 50;

/// Folders of other people's files.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "vendor"];

pub(super) fn notes(folder: &Path, claude_config: &Path, sources: Sources) -> Option<String> {
    let above = above(folder, claude_config, sources);
    let mut notes: Vec<String> = above.iter().filter_map(|path| told(path)).collect();
    if sources.local {
        notes.extend(told(&folder.join("CLAUDE.local.md")));
    }
    if sources.project {
        let below = below(folder);
        if !below.is_empty() {
            notes.push(format!(
                "These folders have instructions of their own. Read the file before you work in \
                 its folder:\n{}",
                below.join("\n")
            ));
        }
    }
    (!notes.is_empty()).then(|| notes.join("\n\n"))
}

/// Where instructions above the folder would be, the farthest first.
fn above(folder: &Path, claude_config: &Path, sources: Sources) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut above: Vec<&Path> = folder.ancestors().skip(1).take(LEVELS).collect();
    above.reverse();
    for base in above {
        if sources.project {
            paths.push(base.join("CLAUDE.md"));
            let claude = base.join(".claude");
            // The user's own are read as such.
            if !same(&claude, claude_config) {
                paths.push(claude.join("CLAUDE.md"));
            }
        }
        if sources.local {
            paths.push(base.join("CLAUDE.local.md"));
        }
    }
    paths
}

/// The instructions that an agent is given of a folder that is trusted, its
/// own first, as paths from there, and those above it by their whole paths.
pub fn instructions(folder: &Path, claude_config: &Path, sources: Sources) -> Vec<PathBuf> {
    let own = [
        ("CLAUDE.md", sources.project),
        (".claude/CLAUDE.md", sources.project),
        ("CLAUDE.local.md", sources.local),
    ];
    let own = own.into_iter().filter(|(_, counts)| *counts);
    let own = own.map(|(name, _)| PathBuf::from(name));
    let mut above = above(folder, claude_config, sources);
    above.reverse();
    let all = own.chain(above);
    all.filter(|path| folder.join(path).is_file()).collect()
}

fn told(path: &Path) -> Option<String> {
    let bytes = file::read(path, TEXT_BYTES).ok().flatten()?;
    let text = String::from_utf8(bytes).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| format!("Instructions from {}:\n\n{text}", path.display()))
}

/// The instructions of folders below, as paths from the folder.
fn below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = MOST_ENTRIES;
    let mut folders = VecDeque::from([folder.to_owned()]);
    while let Some(next) = folders.pop_front() {
        let mut entries: Vec<_> = fs::read_dir(&next)
            .into_iter()
            .flatten()
            .flatten()
            .collect();
        entries.sort_unstable_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if left == 0 || found.len() == MOST_BELOW {
                return found;
            }
            left -= 1;
            let name = entry.file_name();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
                folders.push_back(entry.path());
            } else if kind.is_file() && name == "CLAUDE.md" {
                let path = entry.path();
                let inside = path.strip_prefix(folder).unwrap_or(&path);
                let own = ["CLAUDE.md", ".claude/CLAUDE.md"].map(Path::new);
                if !own.contains(&inside) {
                    found.push(inside.display().to_string());
                }
            }
        }
    }
    found
}
