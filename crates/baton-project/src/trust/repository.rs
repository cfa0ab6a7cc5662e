//! What a repository makes git run: settings and hooks.
//!
//! The list of settings errs on the long side: a setting that runs nothing in a
//! given version of git costs a line in a survey, a missing one costs more.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::{
    danger,
    item::{Found, Kind, Scan, hash},
    scripts::{self, Runs},
};
use crate::{
    config::{self, GitSetting},
    git::{CONFIG_BYTES, Repository, own::own},
};

/// As deep as git follows includes.
const INCLUDES: usize = 10;

/// How deep submodules may lie in each other's names.
const MODULES: usize = 12;

/// Settings that name a program, by section and key; a `*` is any key.
pub(crate) const PROGRAMS: &[(&str, &[&str])] = &[
    ("browser", &["cmd", "path"]),
    (
        "core",
        &[
            "alternaterefscommand",
            "askpass",
            "attributesfile",
            "editor",
            "fsmonitor",
            "gitproxy",
            "hookspath",
            "pager",
            "sshcommand",
            "worktree",
        ],
    ),
    ("credential", &["helper"]),
    ("diff", &["command", "external", "textconv"]),
    ("difftool", &["cmd", "path"]),
    ("filter", &["clean", "process", "smudge"]),
    ("gpg", &["defaultkeycommand", "program"]),
    ("guitool", &["cmd"]),
    ("hook", &["command"]),
    ("imap", &["tunnel"]),
    ("include", &["path"]),
    ("includeif", &["path"]),
    ("init", &["templatedir"]),
    ("instaweb", &["browser", "httpd"]),
    ("interactive", &["difffilter"]),
    ("lfs", &["clean", "path", "smudge"]),
    ("man", &["cmd", "path"]),
    ("merge", &["driver"]),
    ("mergetool", &["cmd", "path"]),
    ("pager", &["*"]),
    ("protocol", &["allow"]),
    ("remote", &["receivepack", "uploadpack", "vcs"]),
    (
        "sendemail",
        &["cccmd", "headercmd", "sendmailcmd", "smtpserver", "tocmd"],
    ),
    ("sequence", &["editor"]),
    ("tar", &["command"]),
    ("trailer", &["cmd", "command"]),
    ("uploadpack", &["packobjectshook"]),
    ("url", &["insteadof", "pushinsteadof"]),
    ("web", &["browser"]),
];

/// Looks at the repository that the folder is in, if it is in one.
pub(super) fn look(scan: &mut Scan, home: &Path) {
    let folder = scan.folder.clone();
    let around = Repository::around(&folder);
    if around.is_empty() {
        // A `.git` that leads nowhere may lead somewhere tomorrow.
        let dot = folder.join(".git");
        if let Some(bytes) = scan.read(&folder, &dot, CONFIG_BYTES) {
            scan.problem(&folder, &dot, "is no repository", &bytes);
        }
    }
    for repository in around {
        look_at(scan, home, repository);
    }
}

fn look_at(scan: &mut Scan, home: &Path, repository: Repository) {
    let Repository { root, dir, common } = repository;
    let mut place = RepositoryScan {
        scan,
        base: &root,
        home,
        hooks: Vec::new(),
    };
    place.config(&common.join("config"), 0);
    place.config(&dir.join("config.worktree"), 0);
    place.users();
    place.hooks.push(common.join("hooks"));
    place.modules(&common.join("modules"), MODULES);
    let hooks = std::mem::take(&mut place.hooks);
    for folder in hooks {
        place.hooks_in(&root.join(folder));
    }
}

struct RepositoryScan<'a> {
    scan: &'a mut Scan,
    base: &'a Path,
    home: &'a Path,
    /// Folders with hooks, as they come up.
    hooks: Vec<PathBuf>,
}

impl RepositoryScan<'_> {
    fn config(&mut self, path: &Path, depth: usize) {
        let Some(bytes) = self.scan.read(self.base, path, CONFIG_BYTES) else {
            return;
        };
        let config = config::parse(&bytes);
        if let Some(line) = config.bad_line {
            let what = format!("cannot be understood from line {line} on");
            self.scan.problem(self.base, path, &what, &bytes);
        }
        for entry in &config.entries {
            if !runs_something(entry) {
                continue;
            }
            let detail = entry.value.as_deref().unwrap_or("true");
            let found = Found {
                kind: Kind::Git,
                name: &entry.name,
                detail,
                content: scripts::of_command(self.scan, self.base, detail, Runs::Here).content,
                danger: danger::of(Kind::Git, &entry.name, detail),
            };
            self.scan.add(self.base, path, &found);
            if matches!(entry.section(), "include" | "includeif") && entry.key() == "path" {
                self.include(path, entry.text(), depth);
            }
            if entry.name == "core.hookspath" && !entry.text().is_empty() {
                let folder = self.expand(entry.text());
                self.scan.scripts.push(self.base.join(&folder));
                self.hooks.push(folder);
            }
        }
    }

    /// What the user's own settings leave to the repository: they name it by a
    /// path that begins there, so git runs whatever lies there.
    fn users(&mut self) {
        for (file, entry) in own(self.home).settings {
            if entry.name == "core.hookspath" && !entry.text().is_empty() {
                let named = self.expand(entry.text());
                let folder = self.base.join(&named);
                if folder.starts_with(self.base) {
                    self.scan.scripts.push(folder);
                }
                // Elsewhere it says which folder is meant, so that is the user's.
                if named.is_relative() {
                    self.hooks.push(named);
                }
            } else if runs_something(&entry) && leads_in(&entry) {
                let detail = entry.text();
                let content = scripts::of_command(self.scan, self.base, detail, Runs::Here).content;
                if content.is_some() {
                    let found = Found {
                        kind: Kind::Git,
                        name: &entry.name,
                        detail,
                        content,
                        danger: danger::of(Kind::Git, &entry.name, detail),
                    };
                    self.scan.add(self.base, &file, &found);
                }
            }
        }
    }

    /// What is included counts, whatever the condition: conditions change.
    fn include(&mut self, from: &Path, target: &str, depth: usize) {
        if target.is_empty() {
            return;
        }
        let folder = from.parent().unwrap_or(self.base);
        let path = folder.join(self.expand(target));
        if depth == INCLUDES {
            let what = "is included too deeply to be looked at";
            self.scan.leave_out();
            return self.scan.problem(self.base, &path, what, &[]);
        }
        // An edit of it is an edit of the settings, also where it is not there yet.
        self.scan.scripts.push(path.components().collect());
        self.config(&path, depth + 1);
    }

    fn expand(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest.trim_start_matches('/')),
            None => PathBuf::from(path),
        }
    }

    /// Submodules keep their repositories here, under names that may have slashes.
    fn modules(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        for path in paths {
            // Git makes no links here; one that is here is not followed, and said.
            if path.is_symlink() {
                self.scan.problem(self.base, &path, "is a link", &[]);
                continue;
            }
            if !path.is_dir() || !self.scan.look_at_one_more() {
                continue;
            }
            if depth == 0 {
                self.scan.leave_out();
                return;
            }
            if path.join("HEAD").symlink_metadata().is_ok() {
                self.config(&path.join("config"), 0);
                self.config(&path.join("config.worktree"), 0);
                self.hooks.push(path.join("hooks"));
                self.modules(&path.join("modules"), depth - 1);
            } else {
                self.modules(&path, depth - 1);
            }
        }
    }

    fn hooks_in(&mut self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        for path in paths {
            let sample = path.extension().is_some_and(|end| end == "sample");
            let runs = path
                .metadata()
                .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
            if sample || !runs || !self.scan.look_at_one_more() {
                continue;
            }
            let content = self.scan.content(self.base, &path);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let detail = format!("{} bytes", content.len());
            let found = Found {
                kind: Kind::GitHook,
                name: &name,
                detail: &detail,
                content: Some(hash(&content)),
                danger: danger::of(Kind::GitHook, &name, &detail),
            };
            self.scan.add(self.base, &path, &found);
        }
    }
}

/// Whether a word of a command is a path that depends on where git runs it. What
/// an alias runs is asked about when it is called.
fn leads_in(entry: &GitSetting) -> bool {
    const OTHERS: &[&str] = &["alias", "include", "includeif", "protocol", "url"];
    let relative = |word: &str| {
        let word = word.trim_start_matches(['!', '"', '\'', '(']);
        word.contains('/') && !word.starts_with(['/', '~', '$']) && !word.contains("://")
    };
    !OTHERS.contains(&entry.section()) && entry.text().split_whitespace().any(relative)
}

pub(crate) fn runs_something(entry: &GitSetting) -> bool {
    let (section, key) = (entry.section(), entry.key());
    let listed = PROGRAMS.iter().any(|(name, keys)| {
        *name == section && keys.iter().any(|listed| *listed == key || *listed == "*")
    });
    let text = entry.text();
    listed
        // Other aliases only name commands of git.
        || (section == "alias" && text.trim_start().starts_with('!'))
        || (section == "submodule" && key == "update" && text.starts_with('!'))
        // An address such as `ext::sh -c …` is a command.
        || (matches!(section, "remote" | "submodule")
            && matches!(key, "url" | "pushurl")
            && text.contains("::"))
}
