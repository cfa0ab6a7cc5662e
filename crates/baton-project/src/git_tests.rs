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
        ("nonsense", Head::Unknown),
        ("", Head::Unknown),
    ] {
        let folder = TempDir::new().unwrap();
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
    let expected = (branch("side"), Some("here".to_owned()));
    assert_eq!(seen(&path.join("tree")), expected);
    assert_eq!(seen(&path.join("tree/deep/down")), expected);
    assert_eq!(
        facts(&path.join("tree/deep")).unwrap().root,
        path.join("tree")
    );
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
