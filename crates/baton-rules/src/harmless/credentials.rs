//! Files of the project that hold credentials. Git's settings are one where the
//! address of a remote has a token in it, and commands that only read show them.

use std::path::PathBuf;

use super::Grounds;
use crate::call::ShellCall;
use crate::glob::PathGlob;
use crate::mentions::{Named, Use};
use crate::paths::PathForms;
use crate::shell::{self, Script};

pub(super) fn held_by(path: &PathForms) -> String {
    format!("{} holds a credential", path.lexical.display())
}

impl Grounds<'_> {
    /// Why a command may show a credential in the settings of a repository.
    pub(super) fn credential(&self, script: &Script, shell: &ShellCall) -> Option<String> {
        if self.credentials.is_empty() {
            return None;
        }
        if script.commands.iter().any(shell::shows_git_settings) {
            return Some("git's settings here hold a credential".to_owned());
        }
        let deep = script.commands.iter().any(shell::searches_hidden);
        let mut files = shell.mentions.iter();
        files.find_map(|mention| match &mention.named {
            Named::Path(path) if mention.does != Use::Names => {
                let all = deep && self.holds(path);
                (all || self.is_credential(path, true)).then(|| held_by(path))
            }
            Named::Pattern(path, glob) if mention.does != Use::Names => self.matched(path, glob),
            Named::Path(_) | Named::Pattern(..) | Named::Any(_) => None,
        })
    }

    /// Whether a path is a file with a credential or, with all `below`, a folder
    /// among git's own that has one.
    pub(super) fn is_credential(&self, path: &PathForms, below: bool) -> bool {
        let is = |file: &PathBuf| {
            let mut above = file.ancestors();
            let git = above.find(|folder| folder.ends_with(".git"));
            path.each().any(|path| {
                let inside = git.is_some_and(|git| path.starts_with(git));
                path == file || (below && inside && file.starts_with(path))
            })
        };
        let linked = path.canonical.as_deref();
        let linked = linked.and_then(|path| self.around.paths.shared(path));
        self.credentials.iter().any(is)
            || linked.is_some_and(|one| {
                let mut files = self.credentials.iter();
                files.any(|file| self.around.paths.shared(file) == Some(one))
            })
    }

    fn holds(&self, path: &PathForms) -> bool {
        let mut files = self.credentials.iter();
        files.any(|file| path.each().any(|path| file.starts_with(path)))
    }

    /// Whether a pattern may name a file with a credential. A shell puts no name
    /// with a dot in for a wildcard.
    fn matched(&self, folder: &PathForms, glob: &PathGlob) -> Option<String> {
        let matches = |file: &PathBuf| {
            let below = file.strip_prefix(folder.canonical.as_deref()?).ok()?;
            let names: Option<Vec<&str>> = below.iter().map(|name| name.to_str()).collect();
            let names = names?;
            let dotted = names.first()?.starts_with('.');
            Some((!dotted || glob.begins_with_dot()) && glob.matches_above(&names))
        };
        let found = self
            .credentials
            .iter()
            .any(|file| matches(file) == Some(true));
        found.then(|| held_by(folder))
    }
}
