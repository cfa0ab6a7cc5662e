use std::fs;

use tempfile::TempDir;

use super::*;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// What else git wants of a repository before it takes it for one.
fn complete(dir: &Path) {
    for name in ["objects", "refs"] {
        fs::create_dir_all(dir.join(name)).unwrap();
    }
}

fn seen(folder: &Path) -> (Head, Option<String>) {
    let facts = facts(folder).unwrap();
    (facts.head, facts.remote_url)
}

fn branch(name: &str) -> Head {
    Head::Branch(name.to_owned())
}

#[test]
fn head_says_a_branch_a_commit_or_nothing_known() {
    for (head, expected) in [
        ("ref: refs/heads/feature/x\n", branch("feature/x")),
        (&format!("{COMMIT}\n"), Head::Detached(COMMIT.to_owned())),
        ("ref: refs/heads/.invalid\n", Head::Unknown),
        ("ref: refs/remotes/origin/x\n", Head::Unknown),
    ] {
        let folder = TempDir::new().unwrap();
        complete(&folder.path().join(".git"));
        write(folder.path(), &[(".git/HEAD", head)]);
        assert_eq!(seen(folder.path()), (expected, None), "{head}");
    }
}

#[test]
fn the_remote_is_the_branchs_then_origin_then_the_first() {
    let remotes = "[remote \"up\"]\nurl = https://u:secret@example.org/a.git\n\
                   [remote \"origin\"]\nurl = git@example.org:b.git\n";
    let tracking = format!("{remotes}[branch \"main\"]\nremote = up\n");
    let only = "[remote \"other\"]\nurl = ssh://git@example.org/c.git\n";
    for (config, expected) in [
        (remotes, Some("git@example.org:b.git")),
        (&tracking, Some("https://example.org/a.git")),
        (only, Some("ssh://git@example.org/c.git")),
        ("[core]\nbare = false\n", None),
        ("[broken", None),
    ] {
        let folder = TempDir::new().unwrap();
        let files = [
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".git/config", config),
        ];
        write(folder.path(), &files);
        complete(&folder.path().join(".git"));
        let expected = (branch("main"), expected.map(str::to_owned));
        assert_eq!(seen(folder.path()), expected, "{config}");
    }
}

#[test]
fn a_linked_work_tree_has_its_own_head_and_the_common_config() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let files = [
        ("main/.git/HEAD", "ref: refs/heads/main\n"),
        ("main/.git/config", "[remote \"origin\"]\nurl = here\n"),
        ("main/.git/worktrees/tree/HEAD", "ref: refs/heads/side\n"),
        ("main/.git/worktrees/tree/commondir", "../..\n"),
        ("tree/.git", "gitdir: ../main/.git/worktrees/tree\n"),
        ("tree/deep/down/file", ""),
    ];
    write(path, &files);
    complete(&path.join("main/.git"));
    let expected = (branch("side"), Some("here".to_owned()));
    assert_eq!(seen(&path.join("tree")), expected);
    assert_eq!(seen(&path.join("tree/deep/down")), expected);
    let wanted = path.join("tree");
    assert_eq!(facts(&path.join("tree/deep")).unwrap().root, wanted);
    assert_eq!(facts(&path.join("main")).unwrap().branch(), Some("main"));
}

#[test]
fn a_repository_that_lies_open_is_one_and_no_repository_is_none() {
    let folder = TempDir::new().unwrap();
    let files = [
        ("bare/HEAD", "ref: refs/heads/main\n"),
        ("bare/objects/x", ""),
        ("bare/refs/x", ""),
        ("plain/file", ""),
        ("odd/.git", "not a pointer"),
    ];
    write(folder.path(), &files);
    let bare = folder.path().join("bare");
    assert_eq!(facts(&bare).unwrap().branch(), Some("main"));
    assert_eq!(facts(&folder.path().join("plain")), None);
    assert_eq!(facts(&folder.path().join("odd")), None);
}

#[test]
fn what_git_takes_for_no_repository_is_none_and_the_one_above_is_found() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    write(path, &[("outer/.git/HEAD", "ref: refs/heads/outer\n")]);
    complete(&path.join("outer/.git"));
    let within = |name: &str| path.join("outer").join(name);
    fs::create_dir_all(within("empty/.git")).unwrap();
    write(&within("no-head"), &[(".git/config", "")]);
    complete(&within("no-head/.git"));
    write(
        &within("no-objects"),
        &[(".git/HEAD", "ref: refs/heads/x\n")],
    );
    for (name, head) in [("odd-head", "nonsense"), ("no-ref", "ref: x/y\n")] {
        write(&within(name), &[(".git/HEAD", head)]);
        complete(&within(name).join(".git"));
    }
    for name in ["empty", "no-head", "no-objects", "odd-head", "no-ref"] {
        let facts = facts(&within(name)).unwrap();
        assert_eq!(facts.root, path.join("outer"), "{name}");
    }
    fs::remove_dir_all(path.join("outer/.git")).unwrap();
    assert_eq!(facts(&within("empty")), None);
}
