//! Repositories that are got from elsewhere, with everything around them that
//! would like to run.

use std::{
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use baton_project::clone::{CloneError, Cloning, Source};

struct Scene {
    dir: tempfile::TempDir,
}

impl Scene {
    /// A repository with a file behind a filter and one in a submodule.
    fn new() -> Self {
        let scene = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        let source = scene.at("source");
        fs::create_dir_all(scene.at("home")).unwrap();
        scene.git(&["init", "-q", "-b", "main", "source"]);
        fs::write(source.join(".gitattributes"), "*.txt filter=mine\n").unwrap();
        fs::write(source.join("a.txt"), "as it lies there\n").unwrap();
        let within = |args: &[&str]| {
            let mut all = vec![
                "-C",
                "source",
                "-c",
                "user.name=A",
                "-c",
                "user.email=a@b.c",
            ];
            all.extend(args);
            scene.git(&all);
        };
        within(&["add", "."]);
        within(&["commit", "-q", "-m", "First"]);
        let inner = scene.at("source").display().to_string();
        within(&[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "add",
            "-q",
            &inner,
            "inner",
        ]);
        within(&["commit", "-q", "-m", "Second"]);
        scene
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a test finds git as its caller does"
    )]
    fn env(&self) -> Vec<(OsString, OsString)> {
        vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), self.at("home").into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ]
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a repository is made for the test"
    )]
    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.args(args).env_clear().envs(self.env());
        let done = git.current_dir(self.dir.path()).output().unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }

    async fn clone(&self, source: &Source, into: &Path) -> Result<(), CloneError> {
        let cloning = Cloning::begin(&self.env(), source, into).await;
        cloning.unwrap().finished().await
    }
}

#[tokio::test]
async fn nothing_runs_that_anybody_has_set_up() {
    let scene = Scene::new();
    let ran = scene.at("ran");
    let program = scene.at("program");
    fs::write(
        &program,
        format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", ran.display()),
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.display();
    // In a template and by the user's own settings.
    for folder in ["template/hooks", "hooks"] {
        fs::create_dir_all(scene.at(folder)).unwrap();
        for hook in [
            "post-checkout",
            "reference-transaction",
            "post-index-change",
        ] {
            fs::copy(scene.at("program"), scene.at(folder).join(hook)).unwrap();
        }
    }
    let settings = format!(
        "[init]\n\ttemplateDir = {template}\n[core]\n\thooksPath = {hooks}\n\tfsmonitor = {program}\n\
         [filter \"mine\"]\n\tsmudge = {program}\n\tclean = {program}\n\tprocess = {program}\n\trequired = true\n\
         [submodule]\n\trecurse = true\n[protocol]\n\tallow = always\n",
        template = scene.at("template").display(),
        hooks = scene.at("hooks").display(),
    );
    fs::write(scene.at("home/.gitconfig"), settings).unwrap();
    let into = scene.at("clone");
    let source = Source::of_this_machine(&scene.at("source"));
    scene.clone(&source, &into).await.unwrap();
    assert_eq!(
        fs::read_to_string(into.join("a.txt")).unwrap(),
        "as it lies there\n"
    );
    assert_eq!(fs::read_dir(into.join("inner")).unwrap().count(), 0);
    assert!(!into.join(".git/hooks").exists());
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap());
}

#[tokio::test]
async fn what_goes_wrong_is_told_and_nobody_is_asked() {
    let scene = Scene::new();
    let gone = Source::of_this_machine(&scene.at("gone"));
    let why = scene.clone(&gone, &scene.at("a")).await.unwrap_err();
    assert_eq!(why, CloneError::NotThere);
    // Discard: refused at once.
    let nobody = Source::parse("https://127.0.0.1:9/shop").unwrap();
    let why = scene.clone(&nobody, &scene.at("b")).await.unwrap_err();
    assert_eq!(why, CloneError::NoAnswer);
    assert!(!scene.at("a").exists() && !scene.at("b").exists());
}

#[tokio::test]
async fn a_rewritten_address_leads_to_no_other_protocol() {
    let scene = Scene::new();
    let there = scene.at("source").display().to_string();
    let settings = format!(
        "[url \"file://{there}\"]\n\tinsteadOf = https://shop.example/web\n[protocol]\n\tallow = always\n"
    );
    fs::write(scene.at("home/.gitconfig"), settings).unwrap();
    let source = Source::parse("https://shop.example/web").unwrap();
    let why = scene.clone(&source, &scene.at("clone")).await.unwrap_err();
    assert!(
        matches!(&why, CloneError::Other(words) if words.contains("not allowed")),
        "{why}"
    );
    assert!(!scene.at("clone").exists());
}
