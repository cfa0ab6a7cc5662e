//! Folders whose files the CLI obeys: listed by name, known by their contents.

use std::{
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use ring::digest::{Context, SHA256};

use super::{
    front::{self, Front},
    item::{Found, Kind, Scan, finish},
    scripts::{self, Runs},
};
use crate::file;

/// How deep such a folder is walked.
const DEPTH: usize = 16;

/// What makes one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// Each file, at any depth.
    Files,
    /// Each entry of the folder, with all that is below it.
    Folders,
}

/// Adds what is in `folder`, if there is such a folder.
pub(super) fn list(scan: &mut Scan, base: &Path, folder: &Path, kind: Kind, listing: Listing) {
    scan.walked.clear();
    let mut files = Vec::new();
    walk(scan, base, folder, DEPTH, &mut files);
    match listing {
        Listing::Files => {
            for path in files {
                add(scan, base, folder, kind, &path, &[&path]);
            }
        }
        Listing::Folders => {
            let mut rest = &files[..];
            while let Some(first) = rest.first() {
                let top = top(folder, first);
                let count = rest
                    .iter()
                    .take_while(|path| path.starts_with(&top))
                    .count()
                    .max(1);
                let (group, others) = rest.split_at(count);
                let group: Vec<&Path> = group.iter().map(PathBuf::as_path).collect();
                add(scan, base, folder, kind, &top, &group);
                rest = others;
            }
        }
    }
}

/// The entry of `folder` that `path` is, or is below.
fn top(folder: &Path, path: &Path) -> PathBuf {
    let below = path.strip_prefix(folder).ok();
    let first = below.and_then(|below| below.components().next());
    first.map_or_else(|| path.to_owned(), |first| folder.join(first))
}

fn add<P: AsRef<Path>>(
    scan: &mut Scan,
    base: &Path,
    folder: &Path,
    kind: Kind,
    path: &Path,
    group: &[P],
) {
    let mut context = Context::new(&SHA256);
    let mut bytes = 0;
    let mut front = Front::default();
    for file in group.iter().map(AsRef::as_ref) {
        let name = file.strip_prefix(folder).unwrap_or(file).as_os_str();
        let content = scan.content(base, file);
        bytes += file.metadata().map_or(0, |meta| meta.len());
        for part in [name.as_bytes(), &content] {
            context.update(&part.len().to_be_bytes());
            context.update(part);
        }
        if has_head(kind, path, file) {
            front = front::read(&String::from_utf8_lossy(&content));
        }
    }
    for command in &front.commands {
        // Such a hook runs where the agent is.
        let found = scripts::of_command(scan, base, command, Runs::Anywhere);
        if let Some(scripts) = found.content {
            context.update(&scripts);
        }
    }
    if group.iter().any(|file| is_plugin(file.as_ref())) {
        let told = "Is a plugin, which may bring hooks, servers and agents.";
        front.danger.push(told.into());
    }
    let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy();
    let mut detail = match group.len() {
        1 => format!("{bytes} bytes"),
        count => format!("{count} files, {bytes} bytes"),
    };
    if !front.shown.is_empty() {
        detail = format!("{}; {detail}", front.shown);
    }
    let found = Found {
        kind,
        name: &name,
        detail: &detail,
        content: Some(finish(context)),
        danger: Some(front.danger.join(" ")).filter(|told| !told.is_empty()),
    };
    scan.add(base, path, &found);
}

/// Whether a file is the one that says what its item asks for: the file itself,
/// or `SKILL.md` directly in a skill.
fn has_head(kind: Kind, item: &Path, file: &Path) -> bool {
    let named = |name: &str| {
        let own = file.file_name().unwrap_or_default().to_string_lossy();
        own.eq_ignore_ascii_case(name)
    };
    if kind == Kind::Skill {
        return item == file || (named("SKILL.md") && file.parent() == Some(item));
    }
    [Kind::Agent, Kind::Command, Kind::OutputStyle].contains(&kind)
}

/// Whether a file makes a skill a plugin.
fn is_plugin(file: &Path) -> bool {
    file.iter().any(|part| part == ".claude-plugin")
}

/// All files below, in the order of their names, through links too: the CLI
/// follows them. Each real folder is entered once.
fn walk(scan: &mut Scan, base: &Path, folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if file::is_missing(&error) && folder.symlink_metadata().is_err() => return,
        Err(error) => {
            let what = format!("cannot be listed ({error})");
            return scan.problem(base, folder, &what, &[]);
        }
    };
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    if !scan.walked.insert(real) {
        return;
    }
    if depth == 0 {
        scan.leave_out();
        return scan.problem(base, folder, "is too deep to be looked at", &[]);
    }
    let mut paths = Vec::new();
    for entry in entries {
        if !scan.look_at_one_more() {
            break;
        }
        match entry {
            Ok(entry) => paths.push(entry.path()),
            Err(error) => {
                let what = format!("cannot be listed ({error})");
                scan.problem(base, folder, &what, &[]);
            }
        }
    }
    paths.sort_unstable();
    for path in paths {
        if path.is_dir() {
            walk(scan, base, &path, depth - 1, files);
        } else {
            files.push(path);
        }
    }
}
