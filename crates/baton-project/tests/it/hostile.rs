//! A repository that tries to run something whenever git looks at it.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use baton_project::{
    git::{Untracked, facts},
    trust::{Decision, survey},
};

use crate::repository::{Repository, find, shown};

/// A script that leaves its name behind and lets what it was given through.
fn trap(repository: &Repository, name: &str) -> String {
    let path = repository.sandbox.root().join(format!("trap-{name}"));
    let ran = repository.sandbox.root().join(format!("ran-{name}"));
    fs::write(
        &path,
        format!("#!/bin/sh\ntouch '{}'\ncat\n", ran.display()),
    )
    .unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn ran(repository: &Repository) -> Vec<String> {
    let entries = fs::read_dir(repository.sandbox.root()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut ran: Vec<String> = names.filter(|name| name.starts_with("ran-")).collect();
    ran.sort();
    ran
}

fn set(repository: &Repository, name: &str, value: &str) {
    repository.git(["config", name, value]);
}

/// Everything that a repository can have git run while it compares.
fn hostile() -> Repository {
    let repository = Repository::with(&[
        ("file.txt", "one\n"),
        ("filtered.dat", "one\n"),
        ("included.inc", "one\n"),
        ("converted.bin", "one\n"),
        ("driven.drv", "one\n"),
    ]);
    let project = repository.path();
    repository.git([
        "submodule",
        "--quiet",
        "add",
        project.to_str().unwrap(),
        "module",
    ]);
    repository.write(
        ".gitattributes",
        "*.dat filter=evil\n*.inc filter=far\n*.bin diff=conv\n*.drv diff=drv\n",
    );
    repository.commit();
    let monitor = trap(&repository, "monitor");
    set(&repository, "core.fsmonitor", &monitor);
    let hooks = repository.sandbox.root().join("hooks");
    fs::create_dir(&hooks).unwrap();
    for hook in ["post-index-change", "post-checkout", "pre-auto-gc"] {
        let trap = trap(&repository, hook);
        fs::copy(trap, hooks.join(hook)).unwrap();
        fs::copy(hooks.join(hook), project.join(".git/hooks").join(hook)).unwrap();
    }
    set(&repository, "core.hooksPath", hooks.to_str().unwrap());
    set(&repository, "core.pager", &trap(&repository, "pager"));
    set(&repository, "pager.diff", &trap(&repository, "pager-diff"));
    set(
        &repository,
        "diff.conv.textconv",
        &trap(&repository, "textconv"),
    );
    set(
        &repository,
        "diff.drv.command",
        &trap(&repository, "driver"),
    );
    set(
        &repository,
        "filter.evil.clean",
        &trap(&repository, "clean"),
    );
    set(
        &repository,
        "filter.evil.smudge",
        &trap(&repository, "smudge"),
    );
    set(&repository, "filter.evil.required", "true");
    set(&repository, "status.submoduleSummary", "true");
    let far = repository.sandbox.root().join("far.config");
    let process = trap(&repository, "process");
    fs::write(&far, format!("[filter \"far\"]\n\tclean = {process}\n")).unwrap();
    let condition = format!("includeIf.gitdir:{}/.path", project.display());
    set(&repository, &condition, far.to_str().unwrap());
    let inner = trap(&repository, "module-monitor");
    repository.git(["-C", "module", "config", "core.fsmonitor", &inner]);
    // Something to compare in each of them.
    for file in [
        "file.txt",
        "filtered.dat",
        "included.inc",
        "converted.bin",
        "driven.drv",
    ] {
        repository.write(file, "two\n");
    }
    repository.write("module/file.txt", "two\n");
    fs::remove_file(repository.sandbox.root().join("ran-monitor")).ok();
    for name in ran(&repository) {
        fs::remove_file(repository.sandbox.root().join(name)).unwrap();
    }
    repository
}

#[tokio::test]
async fn nothing_of_a_hostile_repository_runs_when_git_is_asked() {
    let repository = hostile();
    let git = repository.open().await.unwrap();
    let tree = git.status(Untracked::Files, Path::new("")).await.unwrap();
    assert!(tree.is_dirty());
    let diff = repository.diff().await;
    for file in [
        "file.txt",
        "filtered.dat",
        "included.inc",
        "converted.bin",
        "driven.drv",
    ] {
        assert_eq!(shown(find(&diff, file)), "-one\n+two\n", "{file}");
    }
    assert_eq!(ran(&repository), Vec::<String>::new());
    set(&repository, "diff.external", &trap(&repository, "external"));
    repository.diff().await;
    assert_eq!(ran(&repository), Vec::<String>::new());
    // The traps are real: a careless git springs them.
    repository.git(["status"]);
    repository.git(["diff", "--no-ext-diff", "HEAD"]);
    repository.git(["diff", "HEAD"]);
    let sprung = ran(&repository);
    let names = "monitor clean process textconv external module-monitor";
    for name in names.split_whitespace() {
        let name = format!("ran-{name}");
        assert!(sprung.contains(&name), "{name} is not in {sprung:?}");
    }
}

#[test]
fn before_trust_nothing_runs_at_all() {
    let repository = hostile();
    let home = repository.sandbox.home();
    let survey = survey(&repository.path(), &home.join(".claude"), &home);
    assert!(!Decision::of(None, &survey).is_trusted());
    let facts = facts(&repository.path()).unwrap();
    assert_eq!(facts.branch(), Some("main"));
    assert_eq!(ran(&repository), Vec::<String>::new());
}

#[tokio::test]
async fn a_work_tree_elsewhere_is_not_shown() {
    let repository = Repository::with(&[("file", "one\n")]);
    let elsewhere = repository.sandbox.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("secret"), "secret\n").unwrap();
    set(&repository, "core.worktree", elsewhere.to_str().unwrap());
    assert!(repository.diff().await.files.is_empty());
}

#[tokio::test]
async fn filters_with_odd_names_and_very_many_of_them_run_neither() {
    let repository = Repository::with(&[("file", "one\n"), ("last", "one\n")]);
    set(&repository, "filter.a=b.clean", &trap(&repository, "odd"));
    let many = trap(&repository, "many");
    let many: String = (0..300)
        .map(|one| format!("[filter \"f{one}\"]\n\tclean = {many}\n"))
        .collect();
    let settings = repository.path().join(".git/config");
    let before = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, before + &many).unwrap();
    repository.write(".gitattributes", "file filter=a=b\nlast filter=f299\n");
    repository.write("file", "two\n");
    repository.write("last", "two\n");
    let diff = repository.diff().await;
    for file in ["file", "last"] {
        assert_eq!(shown(find(&diff, file)), "-one\n+two\n", "{file}");
    }
    assert_eq!(ran(&repository), Vec::<String>::new());
}

#[tokio::test]
async fn a_file_behind_the_users_own_filter_is_not_taken_for_changed() {
    let repository = Repository::with(&[(".gitattributes", "*.psd filter=lfs\n")]);
    // As LFS does: something short in the repository, the bytes on disk.
    let clean = "f() { cat > /dev/null; echo pointer; }; f";
    repository.git(["config", "--global", "filter.lfs.clean", clean]);
    repository.write("art.psd", "bytes\n");
    repository.commit();
    let file = repository.path().join("art.psd");
    fs::remove_file(&file).unwrap();
    repository.write("art.psd", "bytes\n");
    assert!(repository.diff().await.files.is_empty());
    // The repository has no word in what it does.
    set(&repository, "filter.lfs.clean", &trap(&repository, "own"));
    fs::remove_file(&file).unwrap();
    repository.write("art.psd", "bytes\n");
    assert!(repository.diff().await.files.is_empty());
    assert_eq!(ran(&repository), Vec::<String>::new());
}
