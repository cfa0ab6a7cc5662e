//! What runs out: places, money, time; and sessions with a process per turn.

use std::time::Duration;

use baton_protocol::{
    Event,
    words::{EndStatus, Runtime, SessionState},
};
use baton_session::{
    CommandError,
    machine::{Rejected, WhenBusy},
};
use baton_testkit::model::{self};
use expect_test::expect;

use crate::{
    both::{check, check_fake, check_story},
    owners::bash,
    talk::{Talk, allow, outbound},
    world::{MODEL, Setup, World},
};

async fn try_to_send(talk: &Talk, text: &str) -> Result<(), CommandError> {
    let message = outbound(text, WhenBusy::Refuse);
    talk.handle.send(message).await.map(|_| ())
}

async fn per_turn(world: &mut World) -> Talk {
    let mut spec = world.spec(baton_protocol::event::SessionOptions {
        model: Some(MODEL.into()),
        ..Default::default()
    });
    spec.runtime = Some(Runtime::Resume);
    let handle = world.supervisor.create(spec).await.unwrap();
    world.follow(handle)
}

#[test]
fn a_session_can_have_a_process_per_turn() {
    check(
        |setup| {
            setup.replies([
                bash("touch made.txt"),
                model::text("Made."),
                model::text("Still here."),
            ])
        },
        async |world| {
            let mut talk = per_turn(world).await;
            talk.turn_with("one", allow()).await;
            talk.until_gone().await;
            assert!(world.agent_pids().is_empty());
            talk.turn("two").await;
            talk.until_gone().await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"resume"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            tool.requested {"input":{"command":"touch made.txt","description":"run a command"},"label":"Running touch made.txt","name":"Bash","subject":{"command":"touch made.txt"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made.txt","description":"run a command"},"kind":"tool","risk":"medium","subject":{"command":"touch made.txt"},"suggestions":[{"rule":"Bash(touch made.txt)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            tool.completed {"detail":{"noOutputExpected":true,"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0012 for "inputTokens":200,"outputTokens":40: "Made." "stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},
            turn 2 in a new process of 1 with claude-sonnet-4-5, mode default: "two"
            end of turn 2, agentUuid2, msg_test_3, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "Still here."
            The model heard 1: ["one"]; 3: [{"result":"(Bash completed with no output)"}]; 5: ["two"]
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn places_are_limited_and_idle_processes_make_room() {
    let mut world = Setup::fake().places(2, 2, 2).start();
    let mut first = world.session().await;
    let mut second = world.session().await;
    let third = world.session().await;
    first.send("hang").await;
    second.send("hang").await;
    first.until_live("Let me").await;
    second.until_live("Let me").await;
    let refused = try_to_send(&third, "no room").await.unwrap_err();
    let CommandError::NoPlace(full) = &refused else {
        panic!("{refused}");
    };
    assert_eq!(full.sessions, [first.id(), second.id()]);
    let mut third = third;
    let log = world.log(third.id()).await;
    let errors = log
        .iter()
        .filter(|one| matches!(one.event, Event::Error(_)));
    assert_eq!(errors.count(), 0, "what was refused changed nothing");
    first.handle.interrupt().await.unwrap();
    first.until_turn_end().await;
    third.turn("room now").await;
    first.until_gone().await;
    second.handle.interrupt().await.unwrap();
    second.until_turn_end().await;
    world.finish().await;
}

#[test]
fn a_spent_budget_stops_before_the_next_turn() {
    check_story(
        |setup| setup.replies([model::text("One.")]),
        async |world| {
            let mut talk = world
                .session_with(|options| options.max_budget_usd = Some(0.0001))
                .await;
            talk.turn("one").await;
            let refused = try_to_send(&talk, "two").await.unwrap_err();
            until!(talk, Error, |error| error.code.as_str() == "budget");
            // What an answer costs is each version's own to say.
            let told = format!("{refused}\n{}", talk.story());
            ["$0.0006 of", "$0.001 of"]
                .iter()
                .fold(told, |told, price| told.replace(price, "[PRICE] of"))
        },
        expect![[r#"
            the budget of this session is spent: [PRICE] of $0.0001
            error budget: Reached maximum budget ($0.0001)
            error budget: the budget of this session is spent: [PRICE] of $0.0001
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_day_has_a_budget_for_all_sessions() {
    let mut world = Setup::fake()
        .limits(|limits| limits.day_budget_usd = Some(0.001))
        .start();
    let mut first = world.session().await;
    first.turn("one").await;
    let second = world.session().await;
    let refused = try_to_send(&second, "two").await.unwrap_err();
    let wanted = "the budget of this day is spent: $0.001 of $0.001";
    assert_eq!(refused.to_string(), wanted);
    world.finish().await;
}

#[test]
fn an_idle_session_ends_and_is_taken_up_again_with_its_context() {
    check(
        |setup| {
            setup
                .replies([model::text("One."), model::text("Two.")])
                .limits(|limits| {
                    limits.process_idle = Some(Duration::from_millis(50));
                    limits.idle_timeout = Some(Duration::from_secs(2));
                })
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            until!(talk, SessionState, |state| state.state
                == SessionState::Ended);
            let refused = world.supervisor.open(talk.id()).await.unwrap();
            let refused = world.follow(refused);
            let refused = try_to_send(&refused, "no").await.unwrap_err();
            assert!(
                matches!(refused, CommandError::Rejected(Rejected::Ended)),
                "{refused}"
            );
            let handle = world.supervisor.resume(talk.id()).await.unwrap();
            talk.handle = handle;
            talk.turn("two").await;
            talk.handle
                .end(EndStatus::Completed, "enough")
                .await
                .unwrap();
            until!(talk, SessionEnded);
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "One."
            session.ended {"reason":"it had nothing to do for too long","status":"asleep"}
            session.state {"state":"ended"}
            session.state {"reason":"resumed","state":"idle"}
            turn 2 in a new process of 1 with claude-sonnet-4-5, mode default: "two"
            end of turn 2, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "Two."
            session.ended {"reason":"enough","status":"completed"}
            session.state {"state":"ended"}
            The model heard 1: ["one"]; 3: ["two"]
        "#]],
    );
}

#[test]
fn a_turn_that_takes_too_long_is_stopped() {
    check_fake(
        |setup| setup.limits(|limits| limits.turn_timeout = Some(Duration::from_secs(4))),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hang").await;
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "hang"
            error {"code":"timeout","hint":"Send a message to go on, or raise agent.turnTimeoutMs for long work.","message":"the turn took longer than 4 seconds","retryable":true}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            assistant.message {"aborted":true,"agentUuid":"agentUuid1","content":"Let me ","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId1"],"stopReason":"timeout","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            turn 2: "two"
            end of turn 2, agentUuid2, msg_fake_2, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: two"
        "#]],
    );
}
