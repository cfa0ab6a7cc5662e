//! What git says has changed.

use std::{fs, os::unix::fs::symlink, path::Path};

use baton_project::git::{GitError, Untracked};
use baton_protocol::api::{ChangeKind, DiffKind};

use crate::repository::{Repository, find, names, shown};

#[tokio::test]
async fn every_kind_of_change_is_told() {
    let long: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    let repository = Repository::with(&[
        ("same", "same\n"),
        ("changed.rs", "let one = 1;\nlet two = 2;\n"),
        ("gone", "gone\n"),
        ("old name", &long),
        ("was a file", "text\n"),
        ("picture", "\0\0\0one"),
    ]);
    repository.write("changed.rs", "let one = 10;\nlet two = 2;");
    fs::remove_file(repository.path().join("gone")).unwrap();
    repository.git(["mv", "old name", "new name"]);
    repository.write("picture", "\0\0\0two");
    fs::remove_file(repository.path().join("was a file")).unwrap();
    symlink("same", repository.path().join("was a file")).unwrap();
    repository.write("staged", "staged\n");
    repository.git(["add", "staged"]);
    repository.write("new/file.txt", "new\n");
    repository.write("ignored.log", "x");
    repository.write(".gitignore", "*.log\n");
    let diff = repository.diff().await;
    assert!(!diff.truncated);
    assert!(diff.base.is_some());
    let told: Vec<_> = diff
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.status, file.kind))
        .collect();
    assert_eq!(
        told,
        [
            ("changed.rs", ChangeKind::Modified, DiffKind::Text),
            ("gone", ChangeKind::Deleted, DiffKind::Text),
            ("new name", ChangeKind::Renamed, DiffKind::Text),
            ("picture", ChangeKind::Modified, DiffKind::Binary),
            ("staged", ChangeKind::Added, DiffKind::Text),
            ("was a file", ChangeKind::TypeChanged, DiffKind::Text),
            (".gitignore", ChangeKind::Untracked, DiffKind::Text),
            ("new/file.txt", ChangeKind::Untracked, DiffKind::Text),
        ]
    );
    let changed = find(&diff, "changed.rs");
    let expected = "-let one = 1;\n-let two = 2;\n+let one = 10;\n+let two = 2;\n";
    assert_eq!(shown(changed), expected);
    assert_eq!((changed.additions, changed.deletions), (Some(2), Some(2)));
    let rows = &changed.hunks[0].lines;
    assert_eq!((rows[0].old, rows[0].new), (Some(1), None));
    assert_eq!(rows[0].marks, [(10, 11)]);
    assert_eq!(rows[2].marks, [(10, 12)]);
    assert!(rows[3].no_newline);
    let wanted = Some("old name");
    assert_eq!(find(&diff, "new name").old_path.as_deref(), wanted);
    let wanted = Some("120000");
    assert_eq!(find(&diff, "was a file").new_mode.as_deref(), wanted);
    assert_eq!(shown(find(&diff, "new/file.txt")), "+new\n");
}

#[tokio::test]
async fn names_that_look_like_options_or_have_odd_characters_are_names() {
    let odd = [
        "-rf",
        "--output=x",
        "a\nb",
        "quo\"te",
        ":(exclude)a",
        "*",
        "back\\slash",
        "tab\there",
        "ümlaut",
    ];
    let files: Vec<(&str, &str)> = odd.iter().map(|name| (*name, "one\n")).collect();
    let repository = Repository::with(&files);
    for name in odd {
        repository.write(name, "two\n");
    }
    let diff = repository.diff().await;
    for name in odd {
        assert_eq!(shown(find(&diff, name)), "-one\n+two\n", "{name:?}");
    }
    assert_eq!(diff.files.len(), odd.len());
    assert!(!repository.path().join("x").exists());
}

#[tokio::test]
async fn a_repository_without_a_commit_is_all_new() {
    let repository = Repository {
        sandbox: baton_testkit::Sandbox::new(),
    };
    repository.git(["init", "--quiet", "--initial-branch", "main"]);
    repository.write("staged", "one\n");
    repository.git(["add", "staged"]);
    repository.write("other", "two\n");
    let diff = repository.diff().await;
    assert_eq!(diff.base, None);
    assert_eq!(names(&diff), ["staged", "other"]);
    assert_eq!(find(&diff, "staged").status, ChangeKind::Added);
    assert_eq!((diff.additions, diff.deletions), (2, 0));
}

#[tokio::test]
async fn a_folder_inside_a_repository_shows_only_its_own() {
    let repository = Repository::with(&[("above", "one\n"), ("sub/inside", "one\n")]);
    repository.write("above", "two\n");
    repository.write("sub/inside", "two\n");
    repository.write("sub/new", "new\n");
    repository.write("also new", "new\n");
    let diff = repository.diff_below(repository.path().join("sub")).await;
    assert_eq!(names(&diff), ["inside", "new"]);
    assert_eq!(shown(find(&diff, "new")), "+new\n");
}

#[tokio::test]
async fn worktrees_and_submodules_are_their_own_and_others_are_not() {
    let repository = Repository::with(&[("file", "one\n")]);
    let root = repository.sandbox.root().to_owned();
    let tree = root.join("tree");
    repository.git(["worktree", "add", "--quiet", tree.to_str().unwrap()]);
    fs::write(tree.join("file"), "two\n").unwrap();
    let diff = repository.diff_below(tree.clone()).await;
    assert_eq!(names(&diff), ["file"]);

    let project = repository.path();
    repository.git([
        "submodule",
        "--quiet",
        "add",
        project.to_str().unwrap(),
        "module",
    ]);
    repository.commit();
    fs::write(project.join("module/file"), "three\n").unwrap();
    let diff = repository.diff_below(project.join("module")).await;
    assert_eq!(names(&diff), ["file"]);
    // What is dirty in a submodule is its own affair; another commit is not.
    assert!(repository.diff().await.files.is_empty());
    let commit = [
        "-C",
        "module",
        "commit",
        "--quiet",
        "--all",
        "--message",
        "x",
    ];
    repository.git(commit);
    let diff = repository.diff().await;
    assert_eq!(find(&diff, "module").kind, DiffKind::Submodule);

    // A `.git` that names somebody else's repository.
    let thief = root.join("thief");
    fs::create_dir(&thief).unwrap();
    let link = format!("gitdir: {}\n", project.join(".git").display());
    fs::write(thief.join(".git"), link).unwrap();
    let refused = repository.program().at(&thief).await;
    assert!(matches!(refused, Err(GitError::Foreign)), "{refused:?}");
    fs::remove_file(thief.join(".git")).unwrap();
    symlink(project.join(".git"), thief.join(".git")).unwrap();
    let refused = repository.program().at(&thief).await;
    assert!(matches!(refused, Err(GitError::Foreign)), "{refused:?}");
    let nowhere = repository.program().at(&root).await;
    assert!(
        matches!(nowhere, Err(GitError::NoRepository)),
        "{nowhere:?}"
    );
}

#[tokio::test]
async fn what_is_too_long_is_cut_and_says_so() {
    let repository = Repository::with(&[("small", "one\n")]);
    repository.write("small", "two\n");
    let many: String = (0..20_000).map(|line| format!("{line}\n")).collect();
    repository.write("many", &many);
    repository.write("wide", "x".repeat(100_000));
    repository.git(["add", "many"]);
    let diff = repository.diff().await;
    let many = find(&diff, "many");
    assert!(many.truncated && many.hunks.is_empty());
    assert_eq!(many.additions, Some(20_000));
    assert!(find(&diff, "wide").truncated);
    assert!(find(&diff, "wide").hunks[0].lines[0].text.len() < 10_000);
    let small = find(&diff, "small");
    assert!(!small.truncated);
    assert_eq!(shown(small), "-one\n+two\n");
}

#[tokio::test]
async fn a_status_tells_how_far_a_branch_is_from_its_upstream() {
    let repository = Repository::with(&[("file", "one\n")]);
    let git = repository.open().await.unwrap();
    let tree = git.status(Untracked::Folders, Path::new("")).await.unwrap();
    assert_eq!((tree.is_dirty(), tree.ahead_behind), (false, None));
    repository.git(["branch", "other"]);
    repository.git(["branch", "--quiet", "--set-upstream-to=other"]);
    repository.commit();
    repository.commit();
    repository.write("folder/a", "");
    repository.write("folder/b", "");
    let tree = git.status(Untracked::Folders, Path::new("")).await.unwrap();
    assert_eq!(tree.ahead_behind, Some((2, 0)));
    assert!(tree.is_dirty());
    let of = |path: &str, is_folder| tree.of(Path::new(path), is_folder);
    assert_eq!(of("folder", true), Some(ChangeKind::Untracked));
    assert_eq!(of("folder/a", false), Some(ChangeKind::Untracked));
    assert_eq!(of("file", false), None);
}
