//! The folders that the CLI has run in, by what its rows say.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::list::cwd_of;

/// Further transcripts of one folder are not looked at: the newest tell enough.
const PER_FOLDER: usize = 20;

/// Lists the folders that sessions ran in, each once. The names of the CLI's
/// own folders do not tell: several paths share one name. Folders may be gone
/// by now.
///
/// # Errors
/// Fails when the folder of projects cannot be read; one that does not exist
/// just has none.
pub fn known_folders(config_dir: &Path) -> io::Result<Vec<PathBuf>> {
    let projects = match std::fs::read_dir(config_dir.join("projects")) {
        Ok(projects) => projects,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = BTreeSet::new();
    for project in projects.flatten() {
        // What cannot be read tells nothing.
        found.extend(folders_in(&project.path()).unwrap_or_default());
    }
    Ok(found.into_iter().collect())
}

fn folders_in(project: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(project)?.flatten() {
        let path = entry.path();
        let is_transcript = path.extension().is_some_and(|end| end == "jsonl");
        if let Ok(meta) = entry.metadata()
            && is_transcript
            && meta.is_file()
        {
            files.push((meta.modified().ok(), path));
        }
    }
    files.sort();
    let newest = files.iter().rev().take(PER_FOLDER);
    let cwds = newest.filter_map(|(_, path)| cwd_of(path).ok().flatten());
    Ok(cwds.map(PathBuf::from).collect())
}

#[cfg(test)]
#[path = "folders_tests.rs"]
mod tests;
