//! What steers the agent in every project: the settings of whoever looks after
//! the machine, and what the agent obeys in its own folder, below the home or
//! where it was told to have it.

use std::path::{Path, PathBuf};

use super::{Obeyed, fits};

/// Folders of the settings that an administrator gives to everybody.
const MANAGED: &[&str] = &[
    "/etc/claude-code",
    "/Library/Application Support/ClaudeCode",
];

/// What the agent only keeps below its own folder: conversations, plans,
/// lists, and what it has seen. All else there is obeyed, by its shell or in the
/// next session, and nobody has a list of it.
const KEPT: &[&str] = &[
    "agent-memory",
    "backups",
    "cache",
    "debug",
    "file-history",
    "history.jsonl",
    "image-cache",
    "jobs",
    "paste-cache",
    "plans",
    "projects",
    "sessions",
    "stats-cache.json",
    "statsig",
    "tasks",
    "teams",
    "telemetry",
    "todos",
    "usage-data",
];

/// Whether a file or folder steers the agent in every project.
pub(super) fn everywhere(path: &Path, obeyed: &Obeyed) -> bool {
    let managed = MANAGED
        .iter()
        .any(|folder| below(path, Path::new(folder)).is_some());
    managed
        || obeyed.settings.iter().any(|folder| {
            let rest = below(path, folder);
            let first = rest.and_then(|rest| rest.iter().next());
            first.is_some_and(|name| !KEPT.iter().any(|kept| name.eq_ignore_ascii_case(kept)))
        })
}

/// Whether a path with `*` in it may be such a file. Of the name of the folder at
/// least the first letter, or its dot, has to be written.
pub(super) fn may_be(like: &Path, obeyed: &Obeyed) -> bool {
    obeyed.settings.iter().any(|folder| {
        let mut names = like.iter();
        let lead: PathBuf = names.by_ref().take(folder.iter().count()).collect();
        let begins = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.chars().next()
        };
        let first = names.next();
        begins(&lead) == begins(folder)
            && fits(&folder.to_string_lossy(), &lead.to_string_lossy())
            && first.is_some_and(|name| !KEPT.iter().any(|kept| name.eq_ignore_ascii_case(kept)))
    })
}

/// What is left of a path below a folder. Some disks take capital letters for
/// small ones.
fn below<'a>(path: &'a Path, folder: &Path) -> Option<&'a Path> {
    let mut rest = path.components();
    for name in folder.components() {
        let same = rest.next()?.as_os_str();
        if !same.eq_ignore_ascii_case(name.as_os_str()) {
            return None;
        }
    }
    Some(rest.as_path())
}
