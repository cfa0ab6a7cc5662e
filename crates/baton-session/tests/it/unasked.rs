//! Nothing passes a person because the CLI, or a file it obeys, would let it.

use std::path::Path;

use baton_protocol::{
    Event, Turn,
    words::{DecidedBy, PermissionMode},
};
use baton_session::agents::AskDecision;
use baton_store::RuleScope;
use baton_testkit::model::{self, Block, Reply, RequestKind, Script};
use serde_json::{Value, json};

use crate::{
    both::both,
    questions::plan_file,
    talk::{Talk, allow, deny},
    world::World,
};

/// The model does what the prompt says: a list of calls, one after another; a
/// list among them is made at once. A sub-agent's prompt may be such a list too.
pub(crate) fn obedient() -> Script {
    Script::new().respond(|request| {
        if request.kind == RequestKind::Side {
            return None;
        }
        let (answered, prompt) = request.last_prompt()?;
        let calls = prompt.split_once("CALLS ").map(|(_, calls)| calls.trim());
        let calls: Vec<Value> = serde_json::from_str(calls.unwrap_or("[]")).unwrap_or_default();
        let use_of = |call: &Value| {
            Some(Block::ToolUse {
                id: None,
                name: call[0].as_str()?.to_owned(),
                input: call[1].clone(),
            })
        };
        Some(match calls.get(answered) {
            Some(Value::Array(all)) if all[0].is_array() => {
                Reply::blocks(all.iter().map(use_of).collect::<Option<Vec<_>>>()?)
            }
            Some(call) => Reply::blocks([use_of(call)?]),
            None => model::text("Done."),
        })
    })
}

pub(crate) fn calls(calls: &Value) -> String {
    format!("CALLS {calls}")
}

pub(crate) fn bash(command: &str) -> Value {
    json!(["Bash", {"command": command, "description": "run it"}])
}

fn agent(kind: &str, prompt: &Value) -> Value {
    let prompt = calls(prompt);
    json!(["Agent", {
        "description": "help", "prompt": prompt,
        "subagent_type": kind, "run_in_background": false,
    }])
}

/// Sends, answers everything that is asked, and returns which tools were.
pub(crate) async fn turn(
    talk: &mut Talk,
    text: &str,
    decide: impl Fn(&str) -> AskDecision,
) -> Vec<String> {
    let mut asked = Vec::new();
    talk.send(text).await;
    loop {
        let event = talk.until("a question or the turn's end", |event| {
            matches!(event, Event::ApprovalRequested(_) | Event::TurnCompleted(_))
        });
        let Event::ApprovalRequested(question) = event.await.event else {
            talk.until_idle().await;
            return asked;
        };
        let tool = question.tool_name;
        asked.push(tool.clone());
        // What a mode or a rule decides has its answer already.
        let answered = talk
            .handle
            .answer(question.approval_id, decide(&tool), None)
            .await;
        drop(answered);
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// What a user may have told the CLI, and forgotten.
fn loosen(world: &World) {
    let own = world.sandbox.home().join(".claude");
    for (name, mode) in [("edits", "acceptEdits"), ("free", "bypassPermissions")] {
        let text = format!(
            "---\nname: {name}\ndescription: helps\npermissionMode: {mode}\n---\nDo as told.\n"
        );
        write(&own.join(format!("agents/{name}.md")), &text);
    }
    for (name, asks) in starting(world) {
        let text = format!("---\nname: {name}\ndescription: helps\n{asks}\n---\nDo as told.\n");
        // Their files are called otherwise.
        let file = format!("agents/file-{}.md", name.replace(':', "-"));
        write(&own.join(file), &text);
    }
    let skill =
        "---\nname: toucher\ndescription: touches\nallowed-tools: Bash(touch:*)\n---\nTouch.\n";
    write(&own.join("skills/toucher/SKILL.md"), skill);
    let settings = json!({"permissions": {
        "allow": ["Bash(mkdir:*)", "Write", "WebFetch"],
        "defaultMode": "acceptEdits",
    }});
    write(&own.join("settings.json"), &settings.to_string());
    write(&world.sandbox.project().join("README.md"), "hello\n");
}

/// Sub-agents whose files do something when they are started.
fn starting(world: &World) -> [(&'static str, String); 5] {
    let made = world.sandbox.project().join("started");
    let run = json!({"type": "command", "command": format!("touch {}", made.display())});
    let hooks =
        json!({"PreToolUse": [{"hooks": [run.clone()]}], "SubagentStart": [{"hooks": [run]}]});
    let server = json!({"command": "/usr/bin/touch", "args": [made]});
    [
        ("tree", "isolation: worktree".to_owned()),
        ("served", format!("mcpServers:\n  - s: {server}")),
        ("hooked", format!("hooks: {hooks}")),
        ("first", format!("hooks: {hooks}\nname: second")),
        ("with:colon", format!("hooks: {hooks}")),
    ]
}

/// Everything in the project but what git and the CLI keep there, by name.
fn left(world: &World) -> Vec<String> {
    let entries = std::fs::read_dir(world.sandbox.project()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name != ".git").collect();
    names.sort();
    names
}

#[test]
fn what_files_tell_the_cli_lets_nothing_pass() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            loosen(world);
            let project = world.sandbox.project();
            let file = |name: &str| project.join(name).to_str().unwrap().to_owned();
            let new = |name: &str| json!(["Write", {"file_path": file(name), "content": "x"}]);
            let turns = [
                (
                    vec!["Bash"],
                    json!([agent("free", &json!([bash("touch a")]))]),
                ),
                (
                    vec!["Write", "Bash"],
                    json!([agent("edits", &json!([new("b"), bash("rm -rf README.md")]))]),
                ),
                (vec!["Bash", "Write"], json!([bash("mkdir c"), new("d")])),
                (
                    vec!["EnterWorktree"],
                    json!([["EnterWorktree", {"name": "w"}]]),
                ),
                (vec!["Agent"], json!([agent("tree", &json!([]))])),
                (vec!["Agent"], json!([agent("served", &json!([]))])),
                (
                    vec!["Agent"],
                    json!([agent("hooked", &json!([bash("ls")]))]),
                ),
                (vec!["Agent"], json!([agent("second", &json!([]))])),
                (vec!["Agent"], json!([agent("with:colon", &json!([]))])),
                (
                    vec!["Skill", "Bash"],
                    json!([["Skill", {"skill": "toucher"}], bash("touch e")]),
                ),
            ];
            for mode in [
                PermissionMode::Default,
                PermissionMode::AcceptEdits,
                PermissionMode::DontAsk,
            ] {
                let mut talk = world.session_in(mode).await;
                talk.ignore_live();
                for (expected, list) in &turns {
                    // A skill is allowed, what it would allow is not.
                    let decide = |tool: &str| match tool {
                        "Skill" => allow(),
                        _ => deny("No."),
                    };
                    let asked = turn(&mut talk, &calls(list), decide).await;
                    let edits = mode == PermissionMode::AcceptEdits;
                    let expected: Vec<_> = expected
                        .iter()
                        .filter(|tool| !(edits && **tool == "Write"))
                        .collect();
                    assert_eq!(
                        asked.iter().collect::<Vec<_>>(),
                        expected,
                        "{mode} {list}\n{}",
                        talk.story()
                    );
                }
                talk.close().await;
                // Edits inside the project are what that mode is for.
                for name in ["b", "d"] {
                    let made = std::fs::remove_file(project.join(name)).is_ok();
                    assert_eq!(made, mode == PermissionMode::AcceptEdits, "{mode} {name}");
                }
                assert_eq!(left(world), ["README.md"], "{mode}");
            }
        },
    );
}

#[test]
fn what_files_tell_the_cli_lets_nothing_start_while_planning() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            loosen(world);
            let mut talk = world.session_in(PermissionMode::Plan).await;
            talk.ignore_live();
            for (name, _) in starting(world) {
                let before = talk.seen.len();
                let list = json!([agent(name, &json!([bash("ls")]))]);
                let asked = turn(&mut talk, &calls(&list), |_| deny("No.")).await;
                assert_eq!(asked, ["Agent"], "{name}\n{}", talk.story());
                let by_a_person = talk.seen[before..].iter().any(|envelope| {
                    matches!(&envelope.event, Event::ApprovalResolved(resolved)
                        if resolved.by == DecidedBy::User)
                });
                assert!(by_a_person, "{name}\n{}", talk.story());
            }
            assert_eq!(left(world), ["README.md"], "{}", talk.story());
        },
    );
}

#[test]
fn only_the_sessions_own_plan_is_written_while_planning() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let others = world.sandbox.home().join(".claude/plans/others.md");
            write(&others, "# Theirs\n");
            let mut talk = world.session_in(PermissionMode::Plan).await;
            talk.ignore_live();
            turn(&mut talk, "hello", |_| deny("No.")).await;
            let told = world.model.requests().into_iter();
            let told: Vec<_> = told.map(|request| request.body.to_string()).collect();
            let own = told.iter().find_map(|told| plan_file(told)).unwrap();
            let read = |file: &str| json!(["Read", {"file_path": file}]);
            let say =
                |file: &str, text: &str| json!(["Write", {"file_path": file, "content": text}]);
            let theirs = others.to_str().unwrap();
            let list = json!([
                read(theirs),
                say(theirs, "# Mine"),
                ["Edit", {"file_path": theirs, "old_string": "Theirs", "new_string": "Mine"}],
                say(own, "# One"),
                say(own, "# Two"),
            ]);
            turn(&mut talk, &calls(&list), |_| allow()).await;
            let holds = |file: &str| std::fs::read_to_string(file).unwrap();
            assert_eq!(holds(theirs), "# Theirs\n", "{}", talk.story());
            assert_eq!(holds(own), "# Two", "{}", talk.story());
            // Another owner of the log knows it as well.
            world.transcript_has("\"slug\"").await;
            world.let_go().await;
            let session = world.take_over().await.remove(0);
            let mut talk = world.follow(session).begun_elsewhere();
            talk.ignore_live();
            let list = json!([read(own), say(own, "# Three"), say(theirs, "# Mine")]);
            talk.send(&calls(&list)).await;
            until!(talk, TurnCompleted, |turn| turn.turn == Turn(3));
            assert_eq!(holds(own), "# Three", "{}", talk.story());
            assert_eq!(holds(theirs), "# Theirs\n", "{}", talk.story());
        },
    );
}

#[test]
fn planning_reads_outside_the_project_only_when_a_person_says_so() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let key = world.sandbox.home().join(".ssh/id");
            write(&key, "SECRET-KEY\n");
            write(&world.sandbox.project().join("README.md"), "hello\n");
            let key = key.to_str().unwrap();
            let mut talk = world.session_in(PermissionMode::Plan).await;
            talk.ignore_live();
            let outside = json!([
                ["Read", {"file_path": key}],
                bash(&format!("cat {key}")),
                ["WebFetch", {"url": "http://127.0.0.1:9/", "prompt": "x"}],
            ]);
            let asked = turn(&mut talk, &calls(&outside), |_| deny("No.")).await;
            assert_eq!(asked, ["Read", "Bash", "WebFetch"], "{}", talk.story());
            let requests = world.model.requests();
            let told = requests.iter().map(|request| request.body.to_string());
            assert!(!told.into_iter().any(|body| body.contains("SECRET-KEY")));
            // Inside, whatever the version, planning goes on by itself.
            let readme = world.sandbox.project().join("README.md");
            let inside = json!([
                ["Read", {"file_path": readme}],
                bash("grep -n hello README.md | head -1"),
                bash("cd . && ls"),
                agent("general-purpose", &json!([bash("cat README.md")])),
            ]);
            let before = talk.seen.len();
            turn(&mut talk, &calls(&inside), |_| deny("No.")).await;
            let denied = talk.seen[before..].iter().any(
                |envelope| matches!(&envelope.event, Event::ToolCompleted(ended) if ended.is_error),
            );
            assert!(!denied, "{}", talk.story());
            // And nothing is changed by it.
            turn(&mut talk, &calls(&json!([bash("touch made")])), |_| allow()).await;
            assert!(!world.sandbox.project().join("made").exists());
        },
    );
}

#[test]
fn rules_look_from_where_the_agent_is() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let project = world.sandbox.project();
            write(&project.join("sub/secret"), "SECRET-WORD\n");
            write(&project.join("src/x"), "x\n");
            for (rule, decision) in [
                (
                    "Read(sub/secret)",
                    baton_protocol::words::RuleDecision::Deny,
                ),
                ("Bash(echo:*)", baton_protocol::words::RuleDecision::Allow),
                ("Edit(/src/**)", baton_protocol::words::RuleDecision::Allow),
            ] {
                let added = world
                    .supervisor
                    .add_rule(rule, decision, RuleScope::User, None);
                added.await.unwrap();
            }
            let mut talk = world.session_in(PermissionMode::DontAsk).await;
            talk.ignore_live();
            std::fs::create_dir_all(project.join("sub/src")).unwrap();
            let list = json!([
                bash("echo x > src/out.txt"),
                bash("cd sub"),
                bash("cat secret"),
                bash("echo x > src/out.txt"),
            ]);
            turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            let requests = world.model.requests();
            let told = requests.iter().map(|request| request.body.to_string());
            assert!(!told.into_iter().any(|body| body.contains("SECRET-WORD")));
            assert!(project.join("src/out.txt").exists(), "{}", talk.story());
            assert!(
                !project.join("sub/src/out.txt").exists(),
                "{}",
                talk.story()
            );
        },
    );
}

/// The older CLI looks a relative path up again when a call runs, which may be
/// after another call of the same answer has changed the folder.
#[test]
fn a_file_is_not_another_one_by_the_time_it_is_read() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let project = world.sandbox.project();
            let own = world.sandbox.home().join(".claude/settings.json");
            let moved = world.sandbox.root().join("moved");
            // The reading waits until the other call is done.
            let wait = format!(
                "for n in $(seq 100); do [ -e {0} ] && break; sleep 0.1; done",
                moved.display()
            );
            let run = |command: String| json!([{"type": "command", "command": command}]);
            let settings = json!({"hooks": {
                "PreToolUse": [{"matcher": "Read", "hooks": run(wait)}],
                "PostToolUse": [{"matcher": "Bash", "hooks": run(format!("touch {}", moved.display()))}],
            }});
            write(&own, &settings.to_string());
            write(&project.join("a/o.txt"), "INSIDE\n");
            write(&project.join("a/b/x"), "x\n");
            write(&project.join("../o.txt"), "SECRET-WORD\n");
            let mut talk = world.session_in(PermissionMode::Default).await;
            talk.ignore_live();
            turn(&mut talk, &calls(&json!([bash("cd a/b")])), |_| deny("No.")).await;
            std::fs::remove_file(&moved).unwrap();
            let read = json!(["Read", {"file_path": "../o.txt"}]);
            let list = json!([[bash("cd ../.."), read]]);
            turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            let requests = world.model.requests();
            let told = requests.iter().map(|request| request.body.to_string());
            let told: Vec<String> = told.collect();
            assert!(!told.iter().any(|body| body.contains("SECRET-WORD")));
            let refused = "Name it by its whole path";
            assert!(
                told.iter().any(|body| body.contains(refused)),
                "{}",
                talk.story()
            );
        },
    );
}

#[test]
fn what_the_user_told_the_cli_to_ask_or_deny_holds_beside_rules() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let settings = json!({"permissions": {
                "deny": ["Bash(touch:*)"], "ask": ["Bash(ls:*)"],
            }});
            let own = world.sandbox.home().join(".claude/settings.json");
            write(&own, &settings.to_string());
            let rule = world.supervisor.add_rule(
                "Bash",
                baton_protocol::words::RuleDecision::Allow,
                RuleScope::User,
                None,
            );
            rule.await.unwrap();
            let mut talk = world.session().await;
            talk.ignore_live();
            let list = json!([bash("ls"), bash("touch made"), bash("mkdir fine")]);
            turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            let project = world.sandbox.project();
            assert!(!project.join("made").exists());
            assert!(project.join("fine").exists(), "{}", talk.story());
            let story = talk.story();
            let part = "your settings of the agent ask about it";
            assert!(story.contains(part), "{story}");
            assert!(story.contains("deny by user"), "{story}");
        },
    );
}

#[test]
fn a_hook_of_the_users_does_not_answer_for_a_person() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let says_yes = json!({"hookSpecificOutput": {
                "hookEventName": "PermissionRequest", "decision": {"behavior": "allow"},
            }});
            let ran = world.sandbox.root().join("hook-ran");
            let script = world.sandbox.root().join("yes.sh");
            let says = format!("touch {}\necho '{says_yes}'\n", ran.display());
            write(&script, &says);
            let run = format!("sh {}", script.display());
            let hook = json!({"type": "command", "command": run});
            let settings = json!({"hooks": {
                "PermissionRequest": [{"matcher": "", "hooks": [hook]}],
            }});
            let plain = settings.to_string();
            let escaped = plain.replace("Permission", "\\u0050ermission");
            let own = world.sandbox.home().join(".claude/settings.json");
            for text in [plain, escaped] {
                write(&own, &text);
                let mut talk = world.session().await;
                talk.ignore_live();
                talk.send(&calls(&json!([bash("touch made")]))).await;
                let asked = talk.until_ask().await;
                talk.answer(&asked, deny("No.")).await;
                talk.until_turn_end().await;
                assert!(!world.sandbox.project().join("made").exists());
                assert!(!ran.exists(), "{text}");
                let story = talk.story();
                assert!(story.contains("deny by user"), "{story}");
                talk.close().await;
            }
        },
    );
}

#[test]
fn a_script_that_a_hook_runs_is_not_edited_unasked() {
    both(
        |setup| setup.script(obedient()),
        async |world| {
            let project = world.sandbox.project();
            let script = project.join("scripts/hook.sh");
            write(&script, "true\n");
            let hook = json!({"type": "command", "command": "cd scripts && sh ./hook.sh"});
            let settings = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
            write(
                &project.join(".claude/settings.json"),
                &settings.to_string(),
            );
            let shown = world.supervisor.trust(&project).await.unwrap();
            let trusted = world
                .supervisor
                .set_trust(&project, &shown.digest, true, None);
            assert!(trusted.await.unwrap().decision.is_trusted());
            let mut talk = world.session_in(PermissionMode::AcceptEdits).await;
            talk.ignore_live();
            let evil = json!({"file_path": script, "content": "touch ../pwned\n"});
            let other = json!({"file_path": project.join("scripts/x"), "content": "x"});
            let list = json!([
                ["Write", other],
                ["Read", {"file_path": script}],
                ["Write", evil],
                bash("ls"),
            ]);
            let asked = turn(&mut talk, &calls(&list), |_| deny("No.")).await;
            assert_eq!(asked, ["Write"], "{}", talk.story());
            assert!(project.join("scripts/x").exists());
            assert!(!project.join("pwned").exists());
            // Whoever else changes it, the folder is no longer what was accepted.
            write(&script, "touch ../pwned\n");
            let now = world.supervisor.trust(&project).await.unwrap();
            assert!(!now.decision.is_trusted());
            turn(&mut talk, &calls(&json!([bash("ls")])), |_| deny("No.")).await;
            assert!(!project.join("pwned").exists());
        },
    );
}
