//! Ordinary repositories are told of as they are, and nothing that their
//! settings name runs with it.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use serde_json::{Value, json};

use super::tests::{Scene, With};

/// A program that leaves a mark and lets through what it was given.
fn trap(scene: &Scene) -> String {
    let path = scene.root().join("trap");
    let ran = scene.root().join("ran");
    program(
        &path,
        &format!("touch '{}'\ncat 2>/dev/null || true", ran.display()),
    );
    path.display().to_string()
}

fn program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Every tool that asks git, in a workspace with one change.
async fn all_tools(scene: &Scene, case: &str) {
    let status = scene.call("get_session_status", json!({})).await.unwrap();
    assert_eq!(status["git"]["branch"], "main", "{case}: {status}");
    assert_eq!(status["git"]["unstaged"], 1, "{case}: {status}");
    let diff = scene.call("get_workspace_diff", json!({})).await;
    let diff = diff.unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(diff["fileCount"], 1, "{case}: {diff}");
    assert_eq!(diff["files"][0]["path"], "a.txt", "{case}: {diff}");
    let full = scene.call("get_workspace_diff", json!({"detail": "full"}));
    let full = full.await.unwrap();
    let text = full["diff"].as_str().unwrap();
    assert!(text.contains("-two\n+changed\n"), "{case}: {text}");
    let log = scene.call("get_recent_activity", json!({})).await.unwrap();
    assert!(log["commits"][0]["subject"].is_string(), "{case}: {log}");
    scene.change_back();
    let started = scene.call("start_issue", json!({"issue": "I-1"})).await;
    let started = started.unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(started["created"], true, "{case}: {started}");
}

/// A repository whose settings name a program in one way.
async fn tried(case: &str, prepare: impl Fn(&Scene, &str)) {
    let scene = Scene::new(With {
        issue: Some("I-1"),
        linear: true,
        ..With::default()
    });
    let attributes = "a.txt diff=x\n*.dat filter=x\n";
    fs::write(scene.folder().join(".gitattributes"), attributes).unwrap();
    fs::write(scene.folder().join("f.dat"), "one\n").unwrap();
    scene.git(&["add", "."]);
    scene.git(&["commit", "--quiet", "-m", "second"]);
    let trap = trap(&scene);
    fs::write(scene.folder().join("a.txt"), "one\nchanged\n").unwrap();
    prepare(&scene, &trap);
    let ran = scene.root().join("ran");
    fs::remove_file(&ran).ok();
    all_tools(&scene, case).await;
    assert!(!ran.exists(), "{case}: a program of the repository ran");
}

#[tokio::test]
async fn whatever_a_repository_is_set_to_git_answers_and_runs_nothing_of_it() {
    let keys = "core.fsmonitor core.editor core.pager core.sshCommand core.askPass core.gitProxy
        core.alternateRefsCommand core.attributesFile credential.helper diff.external
        diff.x.textconv diff.x.command filter.x.clean filter.x.process filter.x.smudge
        filter.a=b.clean gpg.program interactive.diffFilter lfs.customtransfer.x.path
        merge.x.driver pager.diff pager.status sequence.editor alias.status trailer.x.command";
    for key in keys.split_whitespace() {
        tried(key, |scene, trap| scene.git(&["config", key, trap])).await;
    }
    // As tools set repositories up, with nothing that runs.
    for (key, value) in [
        ("core.fsmonitor", "true"),
        ("core.fsmonitor", "false"),
        ("core.hooksPath", ".husky/_"),
        ("log.showSignature", "true"),
        ("diff.noprefix", "true"),
        ("diff.orderFile", "not-there"),
        ("status.showUntrackedFiles", "no"),
    ] {
        let case = format!("{key} = {value}");
        tried(&case, |scene, _| scene.git(&["config", key, value])).await;
    }
}

#[tokio::test]
async fn hooks_includes_and_other_ways_to_a_program_run_nothing_either() {
    let hooks = |scene: &Scene, folder: &str, trap: &str| {
        let folder = scene.folder().join(folder);
        fs::create_dir_all(&folder).unwrap();
        for hook in [
            "post-checkout",
            "post-index-change",
            "reference-transaction",
        ] {
            fs::copy(trap, folder.join(hook)).unwrap();
        }
    };
    tried("husky", |scene, trap| {
        hooks(scene, ".git/husky/_", trap);
        scene.git(&["config", "core.hooksPath", ".git/husky/_"]);
    })
    .await;
    tried("plain hooks", |scene, trap| {
        hooks(scene, ".git/hooks", trap);
    })
    .await;
    tried("include.path", |scene, trap| {
        let far = scene.folder().join(".git/far");
        let text =
            format!("[filter \"x\"]\nclean = {trap}\nrequired\n[core]\nfsmonitor = {trap}\n");
        fs::write(&far, text).unwrap();
        scene.git(&["config", "include.path", "far"]);
    })
    .await;
    tried("includeIf", |scene, trap| {
        let far = scene.folder().join(".git/far");
        fs::write(&far, format!("[filter \"x\"]\nprocess = {trap}\n")).unwrap();
        scene.git(&["config", "includeIf.onbranch:**.path", "far"]);
    })
    .await;
    tried("required filter", |scene, trap| {
        scene.git(&["config", "filter.x.clean", trap]);
        scene.git(&["config", "filter.x.required", "true"]);
        // The file looks touched, so that git would ask the filter about it.
        fs::write(scene.folder().join("f.dat"), "one\n").unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_repository_with_submodules_and_a_submodule_are_told_of() {
    let outer = Scene::new(With {
        within: "module",
        ..With::default()
    });
    let other = Scene::new(With::default());
    let from = other.folder().display().to_string();
    fs::remove_dir_all(outer.folder().join("module")).unwrap();
    let args = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &from,
        "module",
    ];
    outer.git(&args);
    outer.git(&["commit", "--quiet", "-m", "module"]);
    fs::write(outer.folder().join("module/a.txt"), "one\nchanged\n").unwrap();
    // The workspace is the submodule.
    let diff = outer.call("get_workspace_diff", json!({})).await.unwrap();
    assert_eq!(diff["files"][0]["path"], "a.txt", "{diff}");
    let log = outer.call("get_recent_activity", json!({})).await.unwrap();
    assert_eq!(log["commits"][0]["subject"], "first", "{log}");
    // And the repository around it.
    let around = outer.around();
    fs::write(around.folder().join("a.txt"), "one\nchanged\n").unwrap();
    let diff = around.call("get_workspace_diff", json!({})).await.unwrap();
    assert_eq!(diff["files"][0]["path"], "a.txt", "{diff}");
    assert_eq!(diff["fileCount"], 1, "{diff}");
}

/// A stand-in for `git-lfs` on the user's PATH, and a file behind it.
fn lfs(scene: &Scene, scope: &str) {
    let bin = scene.bin().join("git-lfs");
    let called = scene.root().join("lfs-called");
    // As LFS does: a pointer in the repository, the bytes on disk.
    let script = format!(
        "echo \"$1\" >> '{}'\nif [ \"$1\" = clean ]; then cat > /dev/null; echo pointer; else cat > /dev/null; echo bytes; fi",
        called.display()
    );
    program(&bin, &script);
    for (key, value) in [
        ("filter.lfs.clean", "git-lfs clean -- %f"),
        ("filter.lfs.smudge", "git-lfs smudge -- %f"),
        ("filter.lfs.required", "true"),
    ] {
        scene.git(&["config", scope, key, value]);
    }
    fs::write(
        scene.folder().join(".gitattributes"),
        "*.psd filter=lfs diff=lfs merge=lfs -text\n",
    )
    .unwrap();
    fs::write(scene.folder().join("art.psd"), "bytes\n").unwrap();
    scene.git(&["add", "."]);
    scene.git(&["commit", "--quiet", "-m", "art"]);
}

#[tokio::test]
async fn a_file_behind_lfs_is_not_taken_for_changed() {
    for scope in ["--global", "--local"] {
        let scene = Scene::new(With::default());
        lfs(&scene, scope);
        // Written anew with the same bytes, so that git has to compare them.
        let file = scene.folder().join("art.psd");
        fs::remove_file(&file).unwrap();
        fs::write(&file, "bytes\n").unwrap();
        fs::write(scene.folder().join("a.txt"), "one\nchanged\n").unwrap();
        let diff = scene.call("get_workspace_diff", json!({})).await.unwrap();
        let files: Vec<&Value> = diff["files"].as_array().unwrap().iter().collect();
        assert_eq!(files.len(), 1, "{scope}: {diff}");
        assert_eq!(files[0]["path"], "a.txt", "{scope}: {diff}");
        let called = fs::read_to_string(scene.root().join("lfs-called")).unwrap();
        assert!(called.contains("clean"), "{scope}: {called}");
    }
}

#[tokio::test]
async fn what_only_looks_like_lfs_is_not_run() {
    tried("a filter named lfs", |scene, trap| {
        fs::write(scene.folder().join(".gitattributes"), "f.dat filter=lfs\n").unwrap();
        scene.git(&["commit", "--quiet", "-m", "attributes", ".gitattributes"]);
        scene.git(&[
            "config",
            "filter.lfs.clean",
            &format!("git-lfs clean -- %f; {trap}"),
        ]);
        fs::write(scene.folder().join("f.dat"), "one\n").unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_rename_is_one_change_and_an_unknown_target_is_said() {
    let scene = Scene::new(With {
        target: Some("nowhere"),
        ..With::default()
    });
    let text = (0..50)
        .map(|line| format!("line {line}\n"))
        .collect::<String>();
    fs::write(scene.folder().join("old.txt"), &text).unwrap();
    scene.git(&["add", "."]);
    scene.git(&["commit", "--quiet", "-m", "more"]);
    scene.git(&["mv", "old.txt", "new.txt"]);
    let diff = scene.call("get_workspace_diff", json!({})).await.unwrap();
    let renamed =
        json!({"path": "new.txt", "oldPath": "old.txt", "added": 0, "removed": 0, "binary": false});
    assert_eq!(diff["files"], json!([renamed]));
    assert_eq!(diff["comparedWith"], "the last commit");
    let note = "there is no branch nowhere, here or at a remote";
    assert_eq!(diff["note"], note);
    let status = scene.call("get_session_status", json!({})).await.unwrap();
    assert_eq!(status["git"]["note"], note);
}
