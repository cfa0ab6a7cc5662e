//! What may run: rules and modes, in the main thread and in sub-agents.

use std::collections::BTreeSet;

use baton_protocol::{
    event::SessionOptions,
    words::{PermissionMode, RuleDecision, Scope},
};
use baton_session::{Remember, agents::AskDecision};
use baton_store::RuleScope;
use baton_testkit::model::{self, Request, RequestKind, Script};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check_story,
    owners::bash,
    talk::{allow, allow_into, allow_with},
    world::{MODEL, World},
};

async fn rule(world: &World, rule: &str, decision: RuleDecision) {
    let added = world
        .supervisor
        .add_rule(rule, decision, RuleScope::User, None);
    added.await.unwrap();
}

fn write(name: &str) -> model::Reply {
    // Both CLIs want an absolute path; the project's is not known here.
    model::tool_use("Write", json!({"file_path": name, "content": "text"}))
}

#[test]
fn a_deny_rule_holds_in_every_mode() {
    let modes = [
        PermissionMode::Default,
        PermissionMode::AcceptEdits,
        PermissionMode::Plan,
        PermissionMode::DontAsk,
        PermissionMode::BypassPermissions,
    ];
    let script = || {
        let replies = modes.map(|_| [bash("ls; touch made.txt"), model::text("No then.")]);
        Script::new().replies(replies.into_iter().flatten())
    };
    check_story(
        |setup| setup.script(script()),
        async |world| {
            rule(world, "Bash(touch:*)", RuleDecision::Deny).await;
            let mut stories = BTreeSet::new();
            for mode in modes {
                let mut talk = world.session_in(mode).await;
                talk.turn("make it").await;
                talk.close().await;
                stories.insert(talk.story());
            }
            assert!(!world.sandbox.project().join("made.txt").exists());
            stories.into_iter().collect()
        },
        expect![[r#"
            Bash: Running ls; touch made.txt → asked: - → deny by rule Bash(touch:*) (user) → failed: The rule `Bash(touch:*)` (user scope) forbids this. Do not try to reach the same end in another way; go on without it, or tell the user what you need it for.
        "#]],
    );
}

#[test]
fn a_deny_rule_reaches_sub_agents_and_beats_the_clis_own_settings() {
    let script = || {
        let agent = json!({
            "description": "look", "prompt": "look around",
            "subagent_type": "general-purpose", "run_in_background": false,
        });
        let is_agent = |request: &Request| request.kind == RequestKind::Subagent;
        Script::new()
            .on(is_agent, bash("touch by-agent"))
            .on(is_agent, model::text("I may not."))
            .replies([
                model::tool_use("Agent", agent),
                bash("touch by-main"),
                model::text("Nobody may."),
            ])
    };
    check_story(
        |setup| setup.script(script()),
        async |world| {
            let own = world.sandbox.home().join(".claude");
            std::fs::create_dir_all(&own).unwrap();
            let settings = json!({"permissions": {"allow": ["Bash(touch:*)"]}});
            std::fs::write(own.join("settings.json"), settings.to_string()).unwrap();
            rule(world, "Bash(touch:*)", RuleDecision::Deny).await;
            let mut talk = world.session().await;
            talk.turn("send someone").await;
            assert!(!world.sandbox.project().join("by-agent").exists());
            assert!(!world.sandbox.project().join("by-main").exists());
            talk.story()
        },
        expect![[r#"
            Agent: Sub-agent: look → asked by a sub-agent: - → deny by rule Bash(touch:*) (user)
            Bash: Running touch by-agent → failed: The rule `Bash(touch:*)` (user scope) forbids this. Do not try to reach the same end in another way; go on without it, or tell the user what you need it for. → done
            Bash: Running touch by-main → asked: - → deny by rule Bash(touch:*) (user) → failed: The rule `Bash(touch:*)` (user scope) forbids this. Do not try to reach the same end in another way; go on without it, or tell the user what you need it for.
        "#]],
    );
}

#[test]
fn an_ask_rule_asks_about_what_the_cli_would_let_pass() {
    check_story(
        |setup| {
            setup.replies([
                bash("ls"),
                model::text("Seen."),
                bash("pwd"),
                model::text("Here."),
            ])
        },
        async |world| {
            rule(world, "Bash(ls:*)", RuleDecision::Ask).await;
            let mut talk = world.session().await;
            talk.turn_with("look", allow()).await;
            talk.turn("where").await;
            talk.story()
        },
        expect![[r#"
            Bash: Running ls → asked: the rule `Bash(ls:*)` (user scope) asks → allow by user → done
            Bash: Running pwd → done
        "#]],
    );
}

#[test]
fn an_allow_rule_allows_exactly_what_it_says() {
    check_story(
        |setup| {
            setup.replies([
                bash("touch a.txt"),
                model::text("One."),
                bash("touch a.txt && touch b.txt"),
                model::text("Two."),
            ])
        },
        async |world| {
            rule(world, "Bash(touch a.txt)", RuleDecision::Allow).await;
            let mut talk = world.session().await;
            talk.turn("one").await;
            talk.turn_with("two", allow()).await;
            talk.story()
        },
        expect![[r#"
            Bash: Running touch a.txt → asked: - → allow by rule Bash(touch a.txt) (user) → done
            Bash: Running touch a.txt && touch b.txt → asked: - → allow by user → done
        "#]],
    );
}

#[test]
fn planning_changes_nothing_until_the_plan_is_approved() {
    check_story(
        |setup| {
            setup.replies([
                bash("touch early.txt"),
                bash("ls"),
                model::tool_use("ExitPlanMode", json!({"plan": "1. make it"})),
                bash("mkdir made"),
                model::text("Done."),
            ])
        },
        async |world| {
            let mut talk = world.session_in(PermissionMode::Plan).await;
            talk.send("plan it").await;
            let plan = talk.until_ask().await;
            assert!(!world.sandbox.project().join("early.txt").exists());
            talk.answer(&plan, allow_into(PermissionMode::AcceptEdits))
                .await;
            let asked = talk.until_ask().await;
            talk.answer(&asked, allow()).await;
            talk.until_turn_end().await;
            assert!(world.sandbox.project().join("made").exists());
            talk.story()
        },
        expect![[r#"
            Bash: Running touch early.txt → asked: - → deny by mode → failed: This session is planning, so Bash was not run: only tools that change nothing are. Go on reading, write the plan, and hand it over with ExitPlanMode; the work begins when the user agrees.
            Bash: Running ls → asked: - → allow by mode → done
            ExitPlanMode: Presenting a plan → asked: - → allow by user
            mode acceptEdits by user → done
            Bash: Running mkdir made → asked: accepting edits covers file edits inside the project only → allow by user → done
        "#]],
    );
}

#[test]
fn accepting_edits_accepts_no_removal() {
    check_story(
        |setup| {
            setup.replies([
                write("[PROJECT]/notes.txt"),
                bash("rm -r notes.txt"),
                model::text("Done."),
            ])
        },
        async |world| {
            let mut talk = world.session_in(PermissionMode::AcceptEdits).await;
            talk.turn_with("write and remove", allow()).await;
            talk.story()
        },
        expect![[r#"
            Write: Writing [PROJECT]/notes.txt → done
            Bash: Running rm -r notes.txt → asked: accepting edits covers file edits inside the project only → allow by user → failed: Exit code 1
        "#]],
    );
}

#[test]
fn where_nobody_is_asked_only_questions_are() {
    let questions = json!({"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
    }]});
    let modes = [PermissionMode::DontAsk, PermissionMode::BypassPermissions];
    let script = || {
        let replies = modes.map(|_| {
            [
                bash("touch made.txt"),
                bash("ls"),
                model::tool_use("AskUserQuestion", questions.clone()),
                model::text("Blue it is."),
            ]
        });
        Script::new().replies(replies.into_iter().flatten())
    };
    check_story(
        |setup| setup.script(script()),
        async |world| {
            let mut story = String::new();
            for mode in modes {
                let mut talk = world.session_in(mode).await;
                let mut answered = questions.clone();
                answered["answers"] = json!({"Which colour?": "Blue"});
                talk.send("go").await;
                let asked = loop {
                    let asked = talk.until_ask().await;
                    if asked.tool_name == "AskUserQuestion" {
                        break asked;
                    }
                };
                talk.answer(&asked, allow_with(answered)).await;
                talk.until_turn_end().await;
                talk.close().await;
                story += &format!("-- {mode}\n{}", talk.story());
            }
            story
        },
        expect![[r#"
            -- dontAsk
            Bash: Running touch made.txt → asked: - → deny by mode → failed: This was not run: nobody is asked in this session, and no rule allows it. Go on with what is allowed, or say at the end what was left undone.
            Bash: Running ls → done
            AskUserQuestion: Asking you → asked: - → allow by user → done
            -- bypassPermissions
            Bash: Running touch made.txt → asked: - → allow by mode → done
            Bash: Running ls → done
            AskUserQuestion: Asking you → asked: - → allow by user → done
        "#]],
    );
}

#[test]
fn an_answer_is_remembered_as_far_as_it_was_meant() {
    let script = || {
        let twice = || [bash("touch made.txt"), model::text("Made.")];
        Script::new().replies([twice(), twice(), twice(), twice()].into_iter().flatten())
    };
    check_story(
        |setup| setup.script(script()),
        async |world| {
            let mut first = world.session().await;
            first.send("one").await;
            let asked = first.until_ask().await;
            let project = Some(Remember {
                rule: None,
                scope: Scope::Project,
            });
            let answered = first
                .handle
                .answer_for_good(asked.approval_id, allow(), project, None);
            answered.await.unwrap();
            first.until_turn_end().await;
            first.close().await;
            // Another session there, under another owner.
            world.let_go().await;
            world.take_over().await;
            let mut second = world.session().await;
            second.turn("two").await;
            second.close().await;
            // Elsewhere it does not hold.
            let elsewhere = world.sandbox.home().join("elsewhere");
            std::fs::create_dir_all(&elsewhere).unwrap();
            let options = SessionOptions {
                model: Some(MODEL.into()),
                ..SessionOptions::default()
            };
            let mut spec = world.spec(options);
            spec.cwd = elsewhere;
            let handle = world.supervisor.create(spec).await.unwrap();
            let mut third = world.follow(handle).begun_elsewhere();
            third.turn_with("three", allow()).await;
            third.close().await;
            // A rule that is taken back holds no longer.
            let kept = world.supervisor.rules().await.unwrap();
            assert_eq!(kept.len(), 1);
            assert!(world.supervisor.remove_rule(kept[0].id).await.unwrap());
            let mut fourth = world.session().await;
            fourth.turn_with("four", allow()).await;
            let talks = [&first, &second, &third, &fourth];
            talks.map(|talk| format!("--\n{}", talk.story())).concat()
        },
        expect![[r#"
            --
            Bash: Running touch made.txt → asked: - → allow by user Bash(touch made.txt) (project) → done
            --
            Bash: Running touch made.txt → asked: - → allow by rule Bash(touch made.txt) (project) → done
            --
            Bash: Running touch made.txt → asked: - → allow by user → done
            --
            Bash: Running touch made.txt → asked: - → allow by user → done
        "#]],
    );
}

#[test]
fn a_rule_that_is_not_about_the_call_is_not_taken_with_its_answer() {
    check_story(
        |setup| setup.replies([bash("touch made.txt"), model::text("Made.")]),
        async |world| {
            let mut talk = world.session().await;
            talk.send("one").await;
            let asked = talk.until_ask().await;
            let remember = |rule: &str| {
                Some(Remember {
                    rule: Some(rule.to_owned()),
                    scope: Scope::Project,
                })
            };
            let mut story = String::new();
            let denied = AskDecision::Deny {
                message: "no".into(),
                interrupt: false,
            };
            for (decision, rule) in [
                (allow(), "Bash(git push:*)"),
                (allow(), "Write"),
                (denied, "Bash(rm:*)"),
            ] {
                let id = asked.approval_id;
                let answer = talk
                    .handle
                    .answer_for_good(id, decision, remember(rule), None);
                story += &format!("{}\n", answer.await.unwrap_err());
            }
            assert!(world.supervisor.rules().await.unwrap().is_empty());
            let fits = remember("Bash(touch:*)");
            let id = asked.approval_id;
            let answer = talk.handle.answer_for_good(id, allow(), fits, None);
            answer.await.unwrap();
            talk.until_turn_end().await;
            story + &talk.story()
        },
        expect![[r#"
            the rule Bash(git push:*) is not about this call of Bash; nothing was answered, and the request stays open
            the rule Write is not about this call of Bash; nothing was answered, and the request stays open
            the rule Bash(rm:*) is not about this call of Bash; nothing was answered, and the request stays open
            Bash: Running touch made.txt → asked: - → allow by user Bash(touch:*) (project) → done
        "#]],
    );
}

#[test]
fn a_changed_input_passes_the_deny_rules_again() {
    check_story(
        |setup| setup.replies([bash("touch a.txt"), model::text("Done.")]),
        async |world| {
            rule(world, "Bash(rm:*)", RuleDecision::Deny).await;
            let mut talk = world.session().await;
            talk.send("go").await;
            let asked = talk.until_ask().await;
            let changed = json!({"command": "env X=1 rm a.txt", "description": "x"});
            let refused = talk
                .handle
                .answer(asked.approval_id, allow_with(changed), None)
                .await;
            let refused = refused.unwrap_err().to_string();
            talk.answer(&asked, allow()).await;
            talk.until_turn_end().await;
            format!("{refused}\n{}", talk.story())
        },
        expect![[r#"
            the rule Bash(rm:*) denies this input
            Bash: Running touch a.txt → asked: - → allow by user → done
        "#]],
    );
}

#[test]
fn a_mode_is_changed_in_the_middle_of_a_turn() {
    let script =
        || Script::new().replies([bash("touch one"), bash("touch two"), model::text("Done.")]);
    check_story(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            talk.handle
                .set_permission_mode(PermissionMode::Default)
                .await
                .unwrap();
            talk.send("go").await;
            let asked = talk.until_ask().await;
            talk.handle
                .set_permission_mode(PermissionMode::BypassPermissions)
                .await
                .unwrap();
            talk.answer(&asked, allow()).await;
            talk.until_turn_end().await;
            talk.story()
        },
        expect![[r#"
            mode default by user
            Bash: Running touch one → asked: -
            mode bypassPermissions by user → allow by user → done
            Bash: Running touch two → asked: - → allow by mode → done
        "#]],
    );
}
