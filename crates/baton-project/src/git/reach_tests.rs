use std::{fs, os::unix::fs::symlink, process::Command};

use tempfile::TempDir;

use super::*;

/// A home with a project in it, and a file beside that nobody is to see.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(TempDir::new().unwrap());
        fs::create_dir(home.project()).unwrap();
        fs::write(home.0.path().join("secret"), "hunter2\n").unwrap();
        home.git(&["init", "-q"]);
        fs::write(home.project().join("a"), "a\n").unwrap();
        home.git(&["add", "a"]);
        home.git(&[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a",
            "commit",
            "-qm",
            "a",
        ]);
        home
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("p")
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the tests make repositories with git"
    )]
    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.args(args).current_dir(self.project());
        git.env("HOME", self.0.path())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(git.status().unwrap().success(), "{args:?}");
    }

    fn found(&self) -> Option<String> {
        reaches_out(&self.project())
    }
}

#[test]
fn a_repository_as_git_makes_it_stays_in_its_folder() {
    let home = Home::new();
    assert_eq!(home.found(), None);
    for (name, value) in [
        ("remote.origin.url", "/srv/git/a.git"),
        ("core.hooksPath", ".husky"),
        ("blame.ignoreRevsFile", "a"),
        ("user.name", "../a"),
    ] {
        home.git(&["config", name, value]);
        assert_eq!(home.found(), None, "{name}");
    }
    symlink(
        "/usr/bin/true",
        home.project().join(".git/hooks/pre-commit"),
    )
    .unwrap();
    assert_eq!(home.found(), None);
    // A linked work tree points at its repository, and that back.
    home.git(&["worktree", "add", "-q", "../tree"]);
    assert_eq!(reaches_out(&home.0.path().join("tree")), None);
    assert_eq!(home.found(), None);
    // So do submodules.
    let allow = ["-c", "protocol.file.allow=always"];
    let tree = home.0.path().join("tree");
    let tree = tree.to_string_lossy();
    let add = ["submodule", "--quiet", "add", &tree, "sub"];
    home.git(&[&allow[..], &add].concat());
    assert_eq!(reaches_out(&home.project().join("sub")), None);
}

#[test]
fn settings_that_name_files_elsewhere_are_told() {
    for (name, value) in [
        ("core.worktree", "../.."),
        ("include.path", "~/secret"),
        ("includeIf.gitdir:~/.path", "../../secret"),
        ("blame.ignoreRevsFile", "../secret"),
        ("mailmap.file", "/etc/passwd"),
        ("mailmap.file", "out"),
        ("diff.orderFile", "~//secret"),
        ("core.attributesFile", "/etc/passwd"),
    ] {
        let home = Home::new();
        symlink("../secret", home.project().join("out")).unwrap();
        home.git(&["config", name, value]);
        let found = home.found().unwrap_or_default();
        let name = name.to_lowercase();
        assert!(
            found.to_lowercase().contains(&name),
            "{name} {value}: {found:?}"
        );
    }
}

#[test]
fn links_and_other_repositories_in_place_of_its_own_files_are_told() {
    for name in [
        "shallow",
        "packed-refs",
        "info/grafts",
        "logs/HEAD",
        "logs/refs/heads/x",
        "refs/heads/x",
        "rebase-merge/done",
        "worktrees/w/gitdir",
        "config",
        "objects/info/alternates",
    ] {
        let home = Home::new();
        let path = home.project().join(".git").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let kept = fs::read(&path).unwrap_or_default();
        fs::remove_file(&path).ok();
        let to = home.0.path().join("secret");
        fs::write(&to, kept).unwrap();
        symlink(&to, &path).unwrap();
        assert!(home.found().is_some(), "{name}");
    }
    let other = Home::new();
    let dot = other.project().join(".git");
    let as_link = TempDir::new().unwrap();
    symlink(&dot, as_link.path().join(".git")).unwrap();
    let as_file = TempDir::new().unwrap();
    fs::write(
        as_file.path().join(".git"),
        format!("gitdir: {}\n", dot.display()),
    )
    .unwrap();
    for folder in [as_link, as_file] {
        assert!(reaches_out(folder.path()).is_some());
    }
    let shares = Home::new();
    let own = shares.project().join(".git/commondir");
    fs::write(own, dot.to_string_lossy().as_bytes()).unwrap();
    assert!(shares.found().is_some());
    let borrows = Home::new();
    let own = borrows.project().join(".git/objects/info/alternates");
    fs::write(own, dot.join("objects").to_string_lossy().as_bytes()).unwrap();
    assert!(borrows.found().is_some());
}
