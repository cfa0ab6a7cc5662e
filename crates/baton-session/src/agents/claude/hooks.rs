//! Hooks of the user's that would answer for a person.
//!
//! A `PermissionRequest` hook is asked together with Baton, and whoever answers
//! first decides: a command that says yes is always first. Seen on both
//! versions. So where there is one, the CLI's hooks are switched off; Baton's
//! own gate stays, because it is no hook of the settings.

use std::{fs, path::Path};

use baton_project::{accepted::Accepted, marketplaces};

const EVENT: &[u8] = b"PermissionRequest";

/// What the CLI takes hooks from, below its own folder.
const PLACES: &[&str] = &["settings.json", "agents", "skills", "commands", "plugins"];

/// More is not looked at; then there may be one.
const MOST_ENTRIES: usize = 20_000;
const MOST_BYTES: u64 = 1 << 20;

/// Whether something in the CLI's own folder may answer for a person.
pub(in crate::agents) fn may_answer(config: &Path) -> bool {
    let mut left = MOST_ENTRIES;
    PLACES
        .iter()
        .any(|place| names_it(&config.join(place), &mut left))
}

/// Whether the settings may, which the CLI reads again while it runs.
pub(crate) fn settings_may_answer(config: &Path) -> bool {
    let mut left = 1;
    names_it(&config.join("settings.json"), &mut left)
}

/// Whether something that a trusted folder brings may.
pub(in crate::agents) fn accepted_may_answer(accepted: &Accepted, folder: &Path) -> bool {
    let files = accepted.plugins.iter().any(|file| holds(&file.bytes));
    // A marketplace in a folder is read as it lies, so it is looked at there.
    let mut left = MOST_ENTRIES;
    let folders = marketplaces::folders(&accepted.settings, folder);
    files || folders.iter().any(|one| names_it(one, &mut left))
}

fn holds(bytes: &[u8]) -> bool {
    bytes.windows(EVENT.len()).any(|part| part == EVENT)
}

fn names_it(path: &Path, left: &mut usize) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    let Ok(meta) = fs::symlink_metadata(path) else {
        return false;
    };
    // The CLI follows links; one that leads in a circle uses up what is left.
    let meta = if meta.is_symlink() {
        fs::metadata(path).unwrap_or(meta)
    } else {
        meta
    };
    if meta.is_dir() {
        let Ok(entries) = fs::read_dir(path) else {
            return false;
        };
        return entries.flatten().any(|entry| names_it(&entry.path(), left));
    }
    let text = path
        .extension()
        .is_some_and(|end| end == "json" || end == "md");
    if !text || !meta.is_file() {
        return false;
    }
    if meta.len() > MOST_BYTES {
        return true;
    }
    holds(&fs::read(path).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_that_answers_is_found_wherever_the_cli_looks() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert!(!may_answer(folder.path()));
        write("settings.json", r#"{"hooks":{"PreToolUse":[]}}"#);
        write("projects/x.md", "PermissionRequest");
        assert!(!may_answer(folder.path()));
        for place in ["settings.json", "agents/a.md", "plugins/p/hooks/hooks.json"] {
            write(place, "PermissionRequest");
            assert!(may_answer(folder.path()), "{place}");
            write(place, "{}");
        }
    }
}
