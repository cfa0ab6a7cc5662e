//! A repository to look at.

use std::{ffi::OsString, fs, path::PathBuf};

use baton_project::secrets::SecretPlaces;
use baton_project::{
    diff::diff,
    files::ProjectFolder,
    git::{Git, GitError, GitFolder},
};
use baton_protocol::api::{Diff, FileDiff};
use baton_testkit::Sandbox;

pub(crate) struct Repository {
    pub(crate) sandbox: Sandbox,
}

impl Repository {
    /// With one commit that has `files`.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let repository = Self {
            sandbox: Sandbox::new().with_git(),
        };
        for (path, text) in files {
            repository.write(path, text);
        }
        repository.commit();
        repository
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.sandbox.project()
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn git<const N: usize>(&self, args: [&str; N]) {
        let fixed: Vec<&str> = "-c, user.name=Test, -c, user.email=test@example.invalid, -c, \
            protocol.file.allow=always"
            .split(", ")
            .collect();
        let args = fixed.into_iter().chain(args);
        self.sandbox.run("git", args).expect_success();
    }

    pub(crate) fn commit(&self) {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "--message", "more"]);
    }

    pub(crate) fn program(&self) -> Git {
        let env: Vec<(OsString, OsString)> = self
            .sandbox
            .env()
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Git::new(&env)
    }

    pub(crate) async fn open(&self) -> Result<GitFolder, GitError> {
        self.program().at(&self.path()).await
    }

    pub(crate) async fn diff(&self) -> Diff {
        self.diff_below(self.path()).await
    }

    pub(crate) async fn diff_below(&self, folder: PathBuf) -> Diff {
        let git = self.program().at(&folder).await.unwrap();
        let folder = ProjectFolder::open(&folder, &SecretPlaces::default()).unwrap();
        diff(&git, folder, None).await.unwrap()
    }
}

pub(crate) fn find<'a>(diff: &'a Diff, path: &str) -> &'a FileDiff {
    let found = diff.files.iter().find(|file| file.path == path);
    found.unwrap_or_else(|| panic!("no {path} in {:?}", names(diff)))
}

pub(crate) fn names(diff: &Diff) -> Vec<&str> {
    diff.files.iter().map(|file| file.path.as_str()).collect()
}

/// A change as signs and text.
pub(crate) fn shown(file: &FileDiff) -> String {
    use baton_protocol::event::LineKind;
    let mut text = String::new();
    for row in file.hunks.iter().flat_map(|hunk| &hunk.lines) {
        text.push(match row.kind {
            LineKind::Same => ' ',
            LineKind::Added => '+',
            LineKind::Removed => '-',
        });
        text.push_str(&row.text);
        text.push('\n');
    }
    text
}
