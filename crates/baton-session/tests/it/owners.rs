//! Owners that go while their agents work, and those that come after them.

use baton_protocol::{Envelope, Event};
use baton_session::agents::AskDecision;
use baton_testkit::model::{self};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::{check, check_fake},
    talk::{Talk, allow},
    world::{Setup, World, wait_until},
};

pub(crate) fn bash(command: &str) -> model::Reply {
    model::tool_use(
        "Bash",
        json!({"command": command, "description": "run a command"}),
    )
}

/// Becomes the owner again and goes on reading.
pub(crate) async fn taken_over(world: &mut World, mut old: Talk) -> Talk {
    let taken = world.take_over().await;
    let handle = taken.into_iter().find(|handle| handle.id() == old.id());
    let mut talk = world.follow(handle.unwrap()).begun_elsewhere();
    // What the first owner's reader had seen is in the log as it was.
    let mut events = old.seen.drain(..);
    talk.until("the old events", |event| {
        assert_eq!(Some(event), events.next().map(|old| old.event).as_ref());
        events.len() == 0
    })
    .await;
    talk
}

#[test]
fn a_turn_that_ends_while_nobody_owns_it_is_told_once() {
    check(
        |setup| {
            setup.replies([
                model::tokens(5).stall_after(4),
                model::text("second answer"),
            ])
        },
        async |world| {
            let mut talk = world.session().await;
            talk.send("one").await;
            talk.until_live("tok tok").await;
            world.let_go().await;
            world.model.release();
            wait_until("the model has answered", || {
                !world.model.idle_for().is_zero()
            })
            .await;
            let mut talk = taken_over(world, talk).await;
            talk.until_turn_end().await;
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "tok tok tok tok tok "
            turn 2: "two"
            end of turn 2, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "second answer"
            The model heard 1: ["one"]; 3: ["two"]
        "#]],
    );
}

#[test]
fn an_open_approval_is_answered_by_the_next_owner() {
    check(
        |setup| setup.replies([bash("touch made.txt"), model::text("Done.")]),
        async |world| {
            let mut talk = world.session().await;
            talk.send("make a file").await;
            let asked = talk.until_ask().await;
            world.let_go().await;
            let mut talk = taken_over(world, talk).await;
            talk.answer(&asked, allow()).await;
            talk.until_turn_end().await;
            assert!(world.sandbox.project().join("made.txt").exists());
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "make a file"
            tool.requested {"input":{"command":"touch made.txt","description":"run a command"},"label":"Running touch made.txt","name":"Bash","subject":{"command":"touch made.txt"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made.txt","description":"run a command"},"kind":"tool","risk":"medium","subject":{"command":"touch made.txt"},"suggestions":[{"rule":"Bash(touch made.txt)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            tool.completed {"detail":{"noOutputExpected":true,"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0012 for "inputTokens":200,"outputTokens":40: "Done." "stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},
            The model heard 1: ["make a file"]; 3: [{"result":"(Bash completed with no output)"}]
        "#]],
    );
}

#[test]
fn an_answer_that_was_said_is_not_heard_twice() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.send("bash touch made; tail -f /dev/null").await;
            let asked = talk.until_ask().await;
            talk.answer(&asked, allow()).await;
            let made = world.sandbox.project().join("made");
            wait_until("the command runs", || made.exists()).await;
            world.let_go().await;
            let mut talk = taken_over(world, talk).await;
            talk.handle.interrupt().await.unwrap();
            talk.until_turn_end().await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "bash touch made; tail -f /dev/null"
            tool.requested {"input":{"command":"touch made; tail -f /dev/null","description":"run a command"},"label":"Running touch made; tail -f /dev/null","name":"Bash","subject":{"command":"touch made; tail -f /dev/null"},"toolKind":"shell","toolUseId":"toolUseId1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made; tail -f /dev/null","description":"run a command"},"kind":"tool","reason":"This command requires approval","risk":"medium","subject":{"command":"touch made; tail -f /dev/null"},"suggestions":[{"rule":"Bash(touch made; tail -f /dev/null)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolUseId1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            tool.completed {"isError":true,"name":"Bash","output":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)","toolUseId":"toolUseId1"}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId1"],"stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"interrupted","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
        "#]],
    );
}

#[test]
fn an_idle_process_serves_the_next_owner() {
    check(
        |setup| setup.replies([model::text("first"), model::text("second")]),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            let before = world.agent_pids();
            world.let_go().await;
            let mut talk = taken_over(world, talk).await;
            talk.turn("two").await;
            assert_eq!(world.agent_pids(), before);
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "first"
            turn 2: "two"
            end of turn 2, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "second"
            The model heard 1: ["one"]; 3: ["two"]
        "#]],
    );
}

#[test]
fn an_agent_that_dies_while_nobody_owns_it_has_failed_its_turn() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.send("hang").await;
            talk.until_live("Let me").await;
            world.let_go().await;
            world.kill_agent();
            wait_until("the agent is gone", || world.agent_pids().is_empty()).await;
            let mut talk = taken_over(world, talk).await;
            talk.until_turn_end().await;
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "hang"
            message.delivered {"messageId":"messageId1"}
            error {"code":"agent_exited","hint":"Send a message to continue: the conversation so far is kept.","message":"the agent's process ended in the middle of the turn (killed by signal 9)","retryable":true}
            turn.completed {"exitCode":137,"isError":true,"messageIds":["messageId1"],"stopReason":"error","turn":1}
            session.state {"state":"idle"}
            turn 2 in a new process of 1 with claude-sonnet-4-5, mode default: "two"
            end of turn 2, agentUuid1, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: two"
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owners_may_change_at_any_moment_of_a_turn() {
    for moment in 0..12 {
        let mut world = Setup::fake().start();
        let mut talk = world.session().await;
        talk.send("say one\nbash touch made\nsay two").await;
        let mut events = 0;
        let mut asked = None;
        talk.until("that moment", |event| {
            events += 1;
            if let Event::ApprovalRequested(request) = event {
                asked = Some(request.clone());
            }
            events > 4 + moment || asked.is_some()
        })
        .await;
        world.let_go().await;
        let taken = world.take_over().await;
        let [handle] = &taken[..] else {
            panic!("not one session at moment {moment}");
        };
        let mut talk = world.follow(handle.clone()).begun_elsewhere();
        let asked = talk.until_ask().await;
        let denied = AskDecision::Deny {
            message: "no".into(),
            interrupt: false,
        };
        talk.answer(&asked, denied).await;
        talk.until_turn_end().await;
        let started = |envelope: &&Envelope| matches!(envelope.event, Event::SessionStarted(_));
        let starts = talk.seen.iter().filter(started).count();
        assert_eq!(starts, 1, "at moment {moment}");
        world.finish().await;
    }
}
