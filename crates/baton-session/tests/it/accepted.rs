//! A trusted folder: everything it brings works, nothing but what was accepted
//! does, and once trust is lost nothing of it runs any more.

use std::fs;

use baton_protocol::{
    Event,
    words::{PermissionMode, StopReason},
};
use baton_testkit::{
    Version,
    model::{self, Request, RequestKind, Script},
};
use expect_test::expect;
use serde_json::{Value, json};

use crate::{
    both::check_story,
    owners::bash,
    talk::Talk,
    world::{Setup, World, wait_until},
};

fn write(world: &World, name: &str, text: &str) {
    let path = world.sandbox.project().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn exists(world: &World, name: &str) -> bool {
    world.sandbox.project().join(name).exists()
}

fn hook(event: &str, command: &str) -> Value {
    json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}})
}

async fn trust(world: &World) {
    let project = world.sandbox.project();
    let shown = world.supervisor.trust(&project).await.unwrap();
    let accepted = world
        .supervisor
        .set_trust(&project, &shown.digest, true, None);
    accepted.await.unwrap();
}

async fn session(world: &mut World) -> Talk {
    world.session_in(PermissionMode::BypassPermissions).await
}

/// Everything that a folder can bring, each with a mark of its own.
fn furnish(world: &World) {
    let mut settings = hook("PreToolUse", "./ok.sh \"$CLAUDE_PROJECT_DIR\"");
    settings["env"] = json!({"OF_FOLDER": "kept"});
    settings["outputStyle"] = json!("Pirate");
    let server = json!({"mcpServers": {"own": {"command": "touch", "args": ["server-ran"]}}});
    for (name, text) in [
        (".claude/settings.json", settings.to_string().as_str()),
        (
            ".claude/settings.local.json",
            r#"{"env": {"OF_USER": "too"}}"#,
        ),
        (".mcp.json", &server.to_string()),
        ("ok.sh", "#!/bin/sh\necho \"$1\" > hook-ran\n"),
        ("CLAUDE.md", "MARK instructions @more.md"),
        ("more.md", "MARK imported"),
        ("CLAUDE.local.md", "MARK local"),
        ("../CLAUDE.md", "MARK above"),
        ("sub/CLAUDE.md", "MARK below"),
        (".claude/rules/rule.md", "MARK rule"),
        (
            ".claude/agents/helper.md",
            "---\nname: helper\ndescription: MARK agent\n---\nHelp.\n",
        ),
        (".claude/commands/deep/own.md", "MARK command $ARGUMENTS"),
        (
            ".claude/skills/able/SKILL.md",
            "---\ndescription: MARK skill\n---\nMARK body\n",
        ),
        (
            ".claude/output-styles/pirate.md",
            "---\nname: Pirate\ndescription: x\n---\nMARK style\n",
        ),
    ] {
        write(world, name, text);
    }
    let script = world.sandbox.project().join("ok.sh");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(script, mode).unwrap();
}

#[test]
fn all_that_a_trusted_folder_brings_works() {
    let skill = || model::tool_use("Skill", json!({"skill": "able"}));
    check_story(
        |setup| {
            setup.replies([
                bash("echo $OF_FOLDER $OF_USER > out"),
                model::text("one"),
                skill(),
                model::text("two"),
            ])
        },
        async |world| {
            furnish(world);
            trust(world).await;
            let mut talk = session(world).await;
            talk.turn("one").await;
            talk.turn("/deep:own words").await;
            let requests = world.model.requests();
            let said: String = requests.iter().map(|one| one.body.to_string()).collect();
            let marks: Vec<&str> = "instructions, imported, local, above, rule, agent, \
                command words, skill, body, style"
                .split(", ")
                .collect();
            let missing: Vec<_> = marks
                .iter()
                .filter(|mark| !said.contains(&format!("MARK {mark}")))
                .collect();
            let project = world.sandbox.project();
            let read = |name: &str| fs::read_to_string(project.join(name)).unwrap_or_default();
            let hook = read("hook-ran").trim() == project.to_str().unwrap();
            let started = talk.seen.iter().find_map(|one| match &one.event {
                Event::SessionStarted(started) => Some(started.clone()),
                _ => None,
            });
            let started = started.unwrap();
            let servers: Vec<_> = started.mcp_servers.iter().map(|one| &one.name).collect();
            format!(
                "missing {missing:?}\nenv {}hook in the folder {hook}\nserver {} {servers:?}\n\
                 told of folders below {}\n",
                read("out"),
                exists(world, "server-ran"),
                said.contains("sub/CLAUDE.md"),
            )
        },
        expect![[r#"
            missing []
            env kept too
            hook in the folder true
            server true ["own"]
            told of folders below true
        "#]],
    );
}

/// The agent changes its folder's settings and waits until the CLI could have
/// read them again.
/// By a script, since a command that names them would be asked about.
const CHANGE: &str = "sh change; sleep 3";

/// Accepted in the middle of a turn, new settings count from the next process on.
#[test]
fn a_process_keeps_to_what_was_accepted_when_it_was_started() {
    check_story(
        |setup| {
            setup.replies([
                bash(CHANGE),
                bash("echo $OF_FOLDER > first"),
                model::text("one"),
                bash("echo $OF_FOLDER > second"),
                model::text("two"),
            ])
        },
        async |world| {
            let mut old = hook("PreToolUse", "touch old-hook");
            old["env"] = json!({"OF_FOLDER": "old"});
            let mut new = hook("PreToolUse", "touch new-hook");
            new["env"] = json!({"OF_FOLDER": "new"});
            write(world, ".claude/settings.json", &old.to_string());
            write(world, "evil.json", &new.to_string());
            write(world, "change", "cp evil.json .claude/settings.json");
            trust(world).await;
            let mut talk = session(world).await;
            talk.send("change it").await;
            let settings = world.sandbox.project().join(".claude/settings.json");
            wait_until("the settings are new", || {
                fs::read_to_string(&settings).is_ok_and(|text| text.contains("new-hook"))
            })
            .await;
            trust(world).await;
            talk.until_turn_end().await;
            let read = |name: &str| {
                let text = fs::read_to_string(world.sandbox.project().join(name));
                text.unwrap_or_default().trim().to_owned()
            };
            let hooks = |world: &World| (exists(world, "old-hook"), exists(world, "new-hook"));
            let first = format!("first {} {:?}\n", read("first"), hooks(world));
            talk.turn("again").await;
            first + &format!("second {} {:?}\n", read("second"), hooks(world))
        },
        expect![[r#"
            first old (true, false)
            second new (true, true)
        "#]],
    );
}

/// Settings that run something at every moment that is left.
fn evil() -> String {
    let mut all = json!({});
    for event in [
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SessionEnd",
        "UserPromptSubmit",
    ] {
        all[event] = hook(event, "touch EVIL")["hooks"][event].clone();
    }
    json!({ "hooks": all }).to_string()
}

fn why_it_ended(talk: &Talk) -> String {
    let told = talk.seen.iter().filter_map(|one| match &one.event {
        Event::Error(error) => error.message.split(',').next().map(str::to_owned),
        Event::Notification(told) if told.message.contains("no longer") => told.title.clone(),
        Event::TurnCompleted(end) if end.stop_reason != StopReason::End => {
            Some(format!("turn {}", end.stop_reason))
        }
        _ => None,
    });
    told.collect::<Vec<_>>().join("; ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trust_that_is_lost_in_a_turn_ends_it_and_runs_nothing() {
    for version in Version::ALL {
        // How far the agent comes before it is ended is not told.
        let later = |request: &Request| {
            let text = request.body.to_string();
            request.kind == RequestKind::Main && text.contains("tool_result")
        };
        let script = Script::new()
            .reply(bash(CHANGE))
            .always(later, bash("touch second"));
        let mut world = Setup::real(version).script(script).start();
        write(
            &world,
            ".claude/settings.json",
            &hook("Stop", "touch fine").to_string(),
        );
        write(&world, "evil.json", &evil());
        write(&world, "change", "cp evil.json .claude/settings.json");
        trust(&world).await;
        let mut talk = session(&mut world).await;
        talk.ignore_live();
        talk.turn("change it").await;
        let gone = talk.handle.wait_for(|progress| !progress.has_process);
        crate::talk::soon("the agent ends", gone).await;
        let wanted = "the folder is no longer trusted; turn error";
        assert_eq!(why_it_ended(&talk), wanted, "{version:?}");
        assert!(!exists(&world, "EVIL"), "{version:?}");
        assert!(world.agent_pids().is_empty(), "{version:?}");
        world.let_go().await;
    }
}

/// Nobody can allow it any more, so nobody is shown it as open.
#[test]
fn trust_that_is_lost_while_a_request_waits_ends_the_request() {
    check_story(
        |setup| setup.replies([bash("touch made")]),
        async |world| {
            let settings = hook("Stop", "touch fine").to_string();
            write(world, ".claude/settings.json", &settings);
            trust(world).await;
            let mut talk = world.session().await;
            talk.ignore_live();
            talk.send("make it").await;
            let asked = talk.until_ask().await;
            write(world, ".claude/settings.json", &evil());
            let ended = until!(talk, ApprovalResolved);
            talk.until_turn_end().await;
            let id = asked.approval_id;
            let late = talk.handle.answer(id, crate::talk::allow(), None).await;
            let late = late.unwrap_err().to_string().replace(&id.to_string(), "ID");
            assert!(!exists(world, "EVIL") && !exists(world, "made"));
            format!(
                "{} by {}: {}\n{}\nlate: {late}\n",
                ended.decision,
                ended.by,
                ended.message.unwrap_or_default(),
                why_it_ended(&talk)
            )
        },
        expect![[r#"
            deny by cancelled: the folder is no longer trusted, so the agent was ended
            the folder is no longer trusted; turn error
            late: approval ID is already withdrawn: the folder is no longer trusted, so the agent was ended
        "#]],
    );
}

#[test]
fn trust_that_is_lost_between_turns_runs_nothing_at_the_end() {
    check_story(
        |setup| setup.replies(["one", "two", "three"].map(model::text)),
        async |world| {
            write(
                world,
                ".claude/settings.json",
                &hook("Stop", "touch fine").to_string(),
            );
            trust(world).await;
            let mut talk = session(world).await;
            talk.turn("one").await;
            let mut story = format!("accepted {}\n", exists(world, "fine"));
            write(world, ".claude/settings.json", &evil());
            talk.turn("two").await;
            story += &format!("{}\nran {}\n", why_it_ended(&talk), exists(world, "EVIL"));
            // Whoever else closes it does not ask it either.
            trust(world).await;
            talk.turn("three").await;
            story += &format!("accepted {}\n", exists(world, "EVIL"));
            fs::remove_file(world.sandbox.project().join("EVIL")).unwrap();
            write(world, ".claude/settings.json", "{}");
            talk.close().await;
            story + &format!("ran {}\n", exists(world, "EVIL"))
        },
        expect![[r#"
            accepted true
            Folder no longer trusted
            ran false
            accepted true
            ran false
        "#]],
    );
}

#[test]
fn a_hook_runs_where_it_was_accepted_wherever_the_agent_is() {
    check_story(
        |setup| {
            setup.replies([
                bash("mkdir sub && echo 'touch evil' > sub/s.sh"),
                bash("cd sub"),
                bash("ls"),
                model::text("Done."),
            ])
        },
        async |world| {
            let mut settings = hook("PostToolUse", "sh s.sh");
            // The same without a shell.
            let bare = json!({"type": "command", "command": "sh", "args": ["s.sh", "again"]});
            let hooks = &mut settings["hooks"]["PostToolUse"][0]["hooks"];
            hooks.as_array_mut().unwrap().push(bare);
            write(world, ".claude/settings.json", &settings.to_string());
            write(world, "s.sh", "echo ran $1 >> hook-ran\n");
            trust(world).await;
            let mut talk = session(world).await;
            talk.turn("go").await;
            let ran = fs::read_to_string(world.sandbox.project().join("hook-ran"));
            let evil = exists(world, "evil") || exists(world, "sub/evil");
            let ran = ran.unwrap_or_default();
            let again = ran.lines().filter(|line| *line == "ran again").count();
            let count = ran.lines().count() - again;
            format!("hook ran {count} times, without a shell {again}, evil: {evil}\n")
        },
        expect![[r#"
            hook ran 3 times, without a shell 3, evil: false
        "#]],
    );
}
