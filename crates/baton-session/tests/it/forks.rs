//! Copies of a conversation, cut where a person says.

use baton_protocol::{
    Event, Seq,
    words::{PermissionMode, RuleDecision},
};
use baton_session::{ForkAt, SupervisorError, past};
use baton_store::RuleScope;
use baton_testkit::model::{self, Script};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check_story,
    unasked::{bash, calls, obedient},
};

#[test]
fn a_copy_is_cut_before_a_message() {
    check_story(
        |setup| setup.replies(["One.", "Two.", "Copied.", "Begun."].map(model::text)),
        async |world| {
            let mut talk = world.session().await;
            let first = talk.turn("one").await;
            let second = talk.turn("second thought").await;
            world.remembers(&talk).await;
            let mut story = String::new();
            for at in [second, first] {
                let fork = world.supervisor.fork(talk.id(), ForkAt::Message(at)).await;
                let mut copy = world.follow(fork.unwrap());
                copy.turn("instead").await;
                copy.close().await;
                let requests = world.model.requests();
                let body = &requests.last().unwrap().body;
                let said = body["messages"].as_array().unwrap().len();
                story += &format!(
                    "{said} messages, {}\n",
                    body.to_string().contains("second thought")
                );
                // What it shows of its source is what the agent has of it.
                let store = world.supervisor.store();
                for part in past(store, copy.id()).await.unwrap() {
                    let events = part.read_after(store, Seq::START, 1000).await.unwrap();
                    let text: String = events.iter().map(|event| &*event.text).collect();
                    let has = |words: &str| text.contains(words);
                    story += &format!(
                        "its past has One: {}, Two: {}, the second: {}\n",
                        has("One."),
                        has("Two."),
                        has("second thought")
                    );
                }
            }
            story
        },
        expect![[r#"
            3 messages, false
            its past has One: true, Two: false, the second: false
            1 messages, false
        "#]],
    );
}

/// A rule of a session is about that conversation, and a copy goes on with it.
#[test]
fn a_copy_may_not_do_what_its_source_may_not() {
    check_story(
        |setup| setup.script(obedient()),
        async |world| {
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            talk.turn("one").await;
            for (rule, decision) in [
                ("Bash(touch:*)", RuleDecision::Deny),
                ("Bash(ls:*)", RuleDecision::Ask),
                ("Bash(git fetch:*)", RuleDecision::Allow),
            ] {
                let scope = RuleScope::Session(talk.id());
                let rule = world.supervisor.add_rule(rule, decision, scope, None);
                rule.await.unwrap();
            }
            let mut story = String::new();
            let mut source = talk.id();
            // A copy of the copy, too.
            for _ in 0..2 {
                let fork = world.supervisor.fork(source, ForkAt::End).await;
                let mut copy = world.follow(fork.unwrap());
                source = copy.id();
                copy.turn(&calls(&json!([bash("touch made")]))).await;
                copy.close().await;
                let rules = world.supervisor.rules().await.unwrap();
                for rule in rules
                    .iter()
                    .filter(|rule| rule.scope == RuleScope::Session(source))
                {
                    story += &format!("{:?} {}\n", rule.decision, rule.rule);
                }
                let made = world.sandbox.project().join("made").exists();
                story += &format!("touched: {made}\n");
            }
            story
        },
        expect![[r#"
            Deny Bash(touch:*)
            Ask Bash(ls:*)
            touched: false
            Deny Bash(touch:*)
            Ask Bash(ls:*)
            touched: false
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_and_what_nobody_said_cannot_be_copied() {
    let setup = crate::world::Setup::fake().script(Script::new());
    let mut world = setup.start();
    let mut talk = world.session().await;
    let empty = world.supervisor.fork(talk.id(), ForkAt::End).await;
    assert!(
        matches!(empty, Err(SupervisorError::NothingToFork(_))),
        "{empty:?}"
    );
    talk.turn("one").await;
    let row = ForkAt::AgentRow("8d7f7a1e-2f9b-4c64-9b3c-0d1b8a1f1a11".into());
    let unknown = world.supervisor.fork(talk.id(), row).await;
    assert!(
        matches!(unknown, Err(SupervisorError::UnknownRow(_))),
        "{unknown:?}"
    );
    let said = talk.seen.iter().find_map(|one| match &one.event {
        Event::AssistantMessage(said) => said.0.agent_uuid.clone(),
        _ => None,
    });
    let row = ForkAt::AgentRow(said.unwrap());
    world.supervisor.fork(talk.id(), row).await.unwrap();
    world.finish().await;
}
