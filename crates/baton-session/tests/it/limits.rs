//! What runs out: places, money, time; and sessions with a process per turn.

use std::time::Duration;

use baton_protocol::{
    Event,
    words::{EndStatus, Runtime, SessionState},
};
use baton_session::{
    CommandError, NewSessionSpec, Outbound, RealWorld, World as _,
    agents::AgentKind,
    machine::{Rejected, WhenBusy},
};
use baton_testkit::model::{self, Script};
use expect_test::expect;

use crate::{
    both::{check, check_fake, check_story},
    owners::bash,
    talk::{Talk, allow},
    world::{MODEL, Setup, World},
};

async fn try_to_send(talk: &Talk, text: &str) -> Result<(), CommandError> {
    let message = Outbound {
        id: baton_protocol::MessageId::from_uuid(RealWorld.random_id()),
        text: text.into(),
        files: Vec::new(),
        when_busy: WhenBusy::Refuse,
        client: None,
    };
    talk.handle.send(message).await.map(|_| ())
}

async fn per_turn(world: &mut World) -> Talk {
    let spec = NewSessionSpec {
        agent: AgentKind::Claude,
        cwd: world.sandbox.project(),
        project: None,
        title: None,
        runtime: Some(Runtime::Resume),
        options: baton_protocol::event::SessionOptions {
            model: Some(MODEL.into()),
            ..Default::default()
        },
    };
    let handle = world.supervisor.create(spec).await.unwrap();
    world.follow(handle)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_can_have_a_process_per_turn() {
    let script = || {
        Script::new().replies([
            bash("touch made.txt"),
            model::text("Made."),
            model::text("Still here."),
        ])
    };
    check(
        |setup| setup.script(script()),
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
            user.message {"messageId":"messageId1","text":"one"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            tool.requested {"input":{"command":"touch made.txt","description":"run a command"},"label":"Running touch made.txt","name":"Bash","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made.txt","description":"run a command"},"kind":"tool","risk":"medium","suggestions":[{"rule":"Bash(touch made.txt)","scope":"session"}],"toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"allow"}
            session.state {"state":"processing"}
            tool.completed {"detail":{"noOutputExpected":true,"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolu_test_1"}
            assistant.message {"agentUuid":"agentUuid1","content":"Made.","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0012,"messageIds":["messageId1"],"result":"Made.","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":200,"outputTokens":40}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"two"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            assistant.message {"agentUuid":"agentUuid2","content":"Still here.","messageId":"msg_test_3","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId2"],"result":"Still here.","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["one"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"result":"(Bash completed with no output)"}]
            Main request to claude-sonnet-4-5, 5 messages, 0 images: ["two"]
        "#]],
    )
    .await;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spent_budget_stops_before_the_next_turn() {
    let script = || Script::new().reply(model::text("One."));
    check_story(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world
                .session_with(|options| options.max_budget_usd = Some(0.0001))
                .await;
            talk.turn("one").await;
            let refused = try_to_send(&talk, "two").await.unwrap_err();
            talk.until(
                "it is told",
                |event| matches!(event, Event::Error(error) if error.code.as_str() == "budget"),
            )
            .await;
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
    )
    .await;
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
    assert_eq!(
        refused.to_string(),
        "the budget of this day is spent: $0.001 of $0.001"
    );
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_session_ends_and_is_taken_up_again_with_its_context() {
    let script = || Script::new().replies([model::text("One."), model::text("Two.")]);
    check(
        |setup| {
            setup.script(script()).limits(|limits| {
                limits.process_idle = Some(Duration::from_millis(50));
                limits.idle_timeout = Some(Duration::from_secs(2));
            })
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            talk.until("the end", |event| {
                matches!(event, Event::SessionState(state) if state.state == SessionState::Ended)
            })
            .await;
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
            talk.until("the second end", |event| {
                matches!(event, Event::SessionEnded(_))
            })
            .await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"one"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            assistant.message {"agentUuid":"agentUuid1","content":"One.","messageId":"msg_test_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"result":"One.","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            session.ended {"reason":"it had nothing to do for too long","status":"asleep"}
            session.state {"state":"ended"}
            session.state {"reason":"resumed","state":"idle"}
            user.message {"messageId":"messageId2","text":"two"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            assistant.message {"agentUuid":"agentUuid2","content":"Two.","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId2"],"result":"Two.","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            session.ended {"reason":"enough","status":"completed"}
            session.state {"state":"ended"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["one"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: ["two"]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_takes_too_long_is_stopped() {
    check_fake(
        |setup| setup.limits(|limits| limits.turn_timeout = Some(Duration::from_secs(4))),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hang").await;
            talk.turn("two").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"hang"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            error {"code":"timeout","hint":"Send a message to go on, or raise agent.turnTimeoutMs for long work.","message":"the turn took longer than 4 seconds","retryable":true}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            assistant.message {"aborted":true,"agentUuid":"agentUuid1","content":"Let me ","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId1"],"stopReason":"timeout","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"two"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            assistant.message {"agentUuid":"agentUuid2","content":"You said: two","messageId":"msg_fake_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId2"],"result":"You said: two","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
        "#]],
    )
    .await;
}
