//! Remarks on files that were renamed since.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use baton_protocol::Timestamp;

use super::{Comments, inside};
use crate::git::{Git, GitFolder};

/// Which file is where now, by the name that it had.
pub(super) type Renamed = BTreeMap<String, String>;

/// Renames, as git prints them: a word, the old path and the new one.
const RENAMES: [&str; 5] = [
    "--name-status",
    "--find-renames",
    "--diff-filter=R",
    "--relative",
    "-z",
];

impl Comments {
    /// The same remarks, on files as they are called now: where one is gone,
    /// git is asked whether it was renamed. What git does not say is not
    /// guessed.
    pub async fn following(mut self, git: &Git, folder: &Path) -> Self {
        let (unread, place) = (self.clone(), folder.to_owned());
        let gone = tokio::task::spawn_blocking(move || unread.gone(&place)).await;
        let Some((paths, since)) = gone.ok().flatten() else {
            return self;
        };
        let Ok(git) = git.at(folder).await else {
            return self;
        };
        let renames = renames(&git, since).await;
        let now = |path: String| {
            let now = renames.get(&path)?;
            let is_there = folder.join(now).is_file();
            is_there.then(|| (path.clone(), now.clone()))
        };
        self.renamed = paths.into_iter().filter_map(now).collect();
        self
    }

    /// The files that are not there, and when the first remark on one was made.
    fn gone(&self, folder: &Path) -> Option<(BTreeSet<String>, Timestamp)> {
        let all = self.all().ok()?;
        let is_gone = |path: &str| folder.join(path).symlink_metadata().is_err();
        let gone = all.into_iter().filter(|one| is_gone(&one.path));
        let gone: Vec<_> = gone.map(|one| (one.path, one.created_at)).collect();
        let since = gone.iter().map(|(_, at)| *at).min()?;
        Some((gone.into_iter().map(|(path, _)| path).collect(), since))
    }
}

/// What was renamed since then, in commits and after the last one.
async fn renames(git: &GitFolder, since: Timestamp) -> Renamed {
    let since = format!("--since={since}");
    let log = ["log", "--format=", &since].into_iter().chain(RENAMES);
    let committed = git.ask(log).await.unwrap_or_default();
    let diff = ["diff", "HEAD"].into_iter().chain(RENAMES);
    let last = git.ask(diff).await.unwrap_or_default();
    let mut renamed = Renamed::new();
    // The log has the newest first.
    let oldest_first = pairs(&committed).into_iter().rev();
    for (old, new) in oldest_first.chain(pairs(&last)) {
        for now in renamed.values_mut().filter(|now| **now == old) {
            now.clone_from(&new);
        }
        renamed.insert(old, new);
    }
    renamed
}

fn pairs(printed: &[u8]) -> Vec<(String, String)> {
    // Between two commits of a log there may be an empty line.
    let text = String::from_utf8_lossy(printed).replace('\n', "");
    let mut words = text.split('\0').filter(|word| !word.is_empty());
    let mut pairs = Vec::new();
    while let (Some(_), Some(old), Some(new)) = (words.next(), words.next(), words.next()) {
        if let (Ok(old), Ok(new)) = (inside(old), inside(new)) {
            pairs.push((old, new));
        }
    }
    pairs
}
