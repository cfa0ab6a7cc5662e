//! Programs that a repository names: none runs before the folder is trusted,
//! neither by the CLI's own start nor by git that the agent runs.

use std::{fs, os::unix::fs::PermissionsExt};

use baton_protocol::words::PermissionMode;
use baton_testkit::model::{self};
use expect_test::expect;
use serde_json::json;

use crate::{both::check_story, owners::bash, talk::deny, world::World};

/// A repository with something for every way in which looking runs a program.
fn hostile(world: &World) {
    let sandbox = &world.sandbox;
    let git = |args: &[&str]| {
        let who = [
            "-c",
            "user.name=Test",
            "-c",
            "user.email=test@example.invalid",
        ];
        let args = who.iter().chain(args);
        sandbox.run("git", args).expect_success();
    };
    let project = sandbox.project();
    let write = |name: &str, text: &str| fs::write(project.join(name), text).unwrap();
    git(&["init", "--quiet", "--initial-branch", "main"]);
    write(".gitattributes", "*.dat filter=f\n*.bin diff=t\n");
    for name in ["a.txt", "b.dat", "c.bin"] {
        write(name, "one\n");
    }
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "one"]);
    for (key, name) in [
        ("core.fsmonitor", "monitor"),
        ("filter.f.clean", "clean"),
        ("diff.t.textconv", "textconv"),
        ("diff.external", "external"),
    ] {
        git(&["config", key, &trap(world, name)]);
    }
    let hook = trap(world, "hook");
    fs::copy(hook, project.join(".git/hooks/post-checkout")).unwrap();
    for name in ["a.txt", "b.dat", "c.bin"] {
        write(name, "two\n");
    }
    ran(world);
}

fn trap(world: &World, name: &str) -> String {
    let root = world.sandbox.root();
    let path = root.join(format!("trap-{name}"));
    let ran = root.join(format!("ran-{name}"));
    let script = format!("#!/bin/sh\ntouch '{}'\n", ran.display());
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// What ran since this was asked last.
fn ran(world: &World) -> String {
    let entries = fs::read_dir(world.sandbox.root()).unwrap().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            entry
                .file_name()
                .to_str()?
                .strip_prefix("ran-")
                .map(str::to_owned)
        })
        .collect();
    names.sort();
    for name in &names {
        fs::remove_file(world.sandbox.root().join(format!("ran-{name}"))).unwrap();
    }
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.join(" ")
}

#[test]
fn no_program_of_a_repository_runs_before_trust() {
    let work = |tree: &str| {
        [
            bash("git status"),
            bash("git diff"),
            bash("git diff --no-ext-diff"),
            model::tool_use("EnterWorktree", json!({"name": tree})),
            model::text("Done."),
        ]
    };
    check_story(
        |setup| {
            setup.replies(
                std::iter::once(model::text("hi"))
                    .chain(work("one"))
                    .chain(work("two")),
            )
        },
        async |world| {
            hostile(world);
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            talk.turn("hi").await;
            let mut story = format!("a word: {}\n", ran(world));
            talk.turn("look").await;
            talk.close().await;
            let tree = world.sandbox.project().join(".claude/worktrees/one");
            story += &format!("git: {} tree {}\n", ran(world), tree.exists());
            // Trusted, the same repository is obeyed, so the traps are real.
            let project = world.sandbox.project();
            let shown = world.supervisor.trust(&project).await.unwrap();
            let accepted = world
                .supervisor
                .set_trust(&project, &shown.digest, true, None);
            accepted.await.unwrap();
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            talk.turn("look again").await;
            talk.close().await;
            story + &format!("trusted: {}\n", ran(world))
        },
        expect![[r#"
            a word: nothing
            git: nothing tree true
            197: trusted: clean external hook monitor textconv
            325: trusted: clean external monitor textconv
        "#]],
    );
}

/// A clone without the files' contents, which git fetches when they are looked at.
fn partial(world: &World) {
    let script = "git init --quiet --bare ../far.git
        git -C ../far.git config uploadpack.allowFilter true
        git -C ../far.git config uploadpack.allowAnySHA1InWant true
        git init --quiet --initial-branch main ../near && cd ../near
        echo one > a.txt && git add a.txt
        git -c user.name=T -c user.email=t@example.invalid commit --quiet --message one
        git push --quiet ../far.git main && cd ../project
        git clone --quiet --no-checkout --filter=blob:none file://$(cd ../far.git && pwd) ../part
        mv ../part/.git .git";
    world.sandbox.run("sh", ["-ec", script]).expect_success();
}

#[test]
fn looking_at_a_foreign_partial_clone_fetches_nothing() {
    check_story(
        |setup| {
            setup.replies([
                bash("git show main:a.txt > shown; git fetch --quiet && echo fetched > fetched"),
                model::text("Done."),
            ])
        },
        async |world| {
            partial(world);
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            talk.turn("look").await;
            let read = |name: &str| fs::read_to_string(world.sandbox.project().join(name));
            format!("{:?} {:?}\n", read("shown").ok(), read("fetched").ok())
        },
        expect![[r#"
            Some("") Some("fetched\n")
        "#]],
    );
}

/// A token in the address of a remote is shown by a person's leave only.
#[test]
fn git_is_asked_about_where_its_settings_hold_a_credential() {
    check_story(
        |setup| setup.replies([bash("git status; git remote -v"), model::text("Done.")]),
        async |world| {
            let script = "git init --quiet . && \
                          git remote add origin https://me:hush@host.example/x.git";
            world.sandbox.run("sh", ["-ec", script]).expect_success();
            let mut talk = world.session_in(PermissionMode::Default).await;
            talk.send("look").await;
            let asked = talk.until_ask().await;
            talk.answer(&asked, deny("no")).await;
            talk.until_over().await;
            format!("{} {}\n", asked.tool_name, asked.reason.unwrap_or_default())
        },
        expect![[r#"
            Bash git's settings here hold a credential
        "#]],
    );
}

#[test]
fn git_is_asked_about_where_a_repository_leads_out_of_its_folder() {
    check_story(
        |setup| setup.replies([bash("git diff --stat"), model::text("Done.")]),
        async |world| {
            let script = "git init --quiet . && git config core.worktree ../..";
            world.sandbox.run("sh", ["-ec", script]).expect_success();
            let mut talk = world.session_in(PermissionMode::Default).await;
            talk.send("look").await;
            let asked = talk.until_ask().await;
            talk.answer(&asked, deny("no")).await;
            talk.until_over().await;
            format!("{} {}\n", asked.tool_name, asked.reason.unwrap_or_default())
        },
        expect![[r#"
            Bash git may show files outside the project here: its setting `core.worktree` names a file
        "#]],
    );
}
