//! What the CLI reads once, when it comes up: a process that has waited since
//! knows nothing of what was changed in them.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use baton_project::git;

/// In the CLI's own folder. What it writes itself while it runs is not here.
const OWN: &[&str] = &[
    "settings.json",
    ".credentials.json",
    "CLAUDE.md",
    "rules",
    "agents",
    "skills",
    "commands",
    "output-styles",
    "plugins/installed_plugins.json",
    "plugins/known_marketplaces.json",
];

/// In the folder and in those above it.
const AROUND: &[&str] = &[
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    ".mcp.json",
    ".claude/CLAUDE.md",
    ".claude/rules",
];

const MANAGED: &str = "/etc/claude-code/managed-settings.json";

/// Files as they lay there at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StartFiles(Vec<Option<Mark>>);

/// Tells one state of a file from the next.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    length: u64,
    inode: u64,
    changed: (i64, i64),
}

impl StartFiles {
    /// Blocks.
    pub(crate) fn look(config: &Path, program: &Path, cwd: &Path) -> Self {
        let own = OWN.iter().map(|name| config.join(name));
        let around = cwd.ancestors();
        let around = around.flat_map(|folder| AROUND.iter().map(|name| folder.join(name)));
        let rest = [program.to_owned(), PathBuf::from(MANAGED)];
        let all = own.chain(around).chain(rest).chain(git::moving(cwd));
        Self(all.map(|path| mark(&path)).collect())
    }
}

fn mark(path: &Path) -> Option<Mark> {
    let meta = fs::metadata(path).ok()?;
    Some(Mark {
        length: meta.len(),
        inode: meta.ino(),
        changed: (meta.ctime(), meta.ctime_nsec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_changes_of_them_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let (config, cwd) = (dir.path().join("config"), dir.path().join("shop/web"));
        let git = dir.path().join("shop/.git");
        for folder in [&config, &cwd, &git.join("objects"), &git.join("refs")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let look = || StartFiles::look(&config, Path::new("/bin/sh"), &cwd);
        let mut last = look();
        assert_eq!(look(), last);
        for path in [
            config.join("settings.json"),
            config.join("CLAUDE.md"),
            cwd.join("CLAUDE.md"),
            dir.path().join("shop/CLAUDE.md"),
            git.join("index"),
            git.join("HEAD"),
        ] {
            fs::write(&path, "something else").unwrap();
            let now = look();
            assert_ne!(now, last, "{}", path.display());
            last = now;
        }
        // What the CLI writes itself changes nothing.
        fs::write(config.join("history.jsonl"), "{}").unwrap();
        assert_eq!(look(), last);
    }
}
