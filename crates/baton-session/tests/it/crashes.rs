//! Agents that crash, hang or never come up. Whatever they do, the turn ends
//! once and the session goes on.

use std::time::Duration;

use baton_protocol::Event;
use baton_testkit::Signal;
use expect_test::expect;

use crate::{
    both::check_fake,
    talk::{Talk, allow},
    world::{Setup, wait_until},
};

/// Crashes at each point of a turn with a tool; the next turn must work.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_anywhere_leaves_a_session_that_goes_on() {
    let points = [
        "init",
        "delta",
        "assistant",
        "ask",
        "tool-result",
        "before-result",
        "result",
    ];
    let mut shown = String::new();
    for point in points {
        let mut world = Setup::fake().start();
        let mut talk = world.session().await;
        talk.send(&format!("crash at {point}\nsay one\nbash touch made"))
            .await;
        let asks_first = ["tool-result", "before-result", "result"].contains(&point);
        if asks_first {
            let asked = talk.until_ask().await;
            talk.answer(&asked, allow()).await;
        }
        talk.until_turn_end().await;
        talk.close().await;
        talk.turn("say two").await;
        shown += &format!("{point}: {}\n", names(&talk));
        world.finish().await;
    }
    expect![[r#"
        init: turn.started starting processing session.started message.delivered runtime.fallback starting processing session.started message.delivered assistant.message context.usage turn.completed(end, None) idle user.message
        delta: turn.started starting processing session.started assistant.message message.delivered runtime.fallback starting processing session.started message.delivered assistant.message context.usage turn.completed(end, None) idle user.message
        assistant: turn.started starting processing session.started message.delivered checkpoint.created assistant.message runtime.fallback starting processing session.started message.delivered assistant.message context.usage turn.completed(end, None) idle user.message
        ask: turn.started starting processing session.started message.delivered checkpoint.created assistant.message tool.requested approval.requested waiting tool.completed approval.resolved runtime.fallback starting processing session.started message.delivered assistant.message context.usage turn.completed(end, None) idle user.message
        tool-result: turn.started starting processing session.started message.delivered checkpoint.created assistant.message tool.requested approval.requested waiting approval.resolved processing tool.completed runtime.fallback starting processing session.started message.delivered assistant.message context.usage turn.completed(end, None) idle user.message
        before-result: turn.started starting processing session.started message.delivered checkpoint.created assistant.message tool.requested approval.requested waiting approval.resolved processing tool.completed assistant.message runtime.fallback starting processing session.started message.delivered assistant.message context.usage turn.completed(end, None) idle user.message
        result: turn.started starting processing session.started message.delivered checkpoint.created assistant.message tool.requested approval.requested waiting approval.resolved processing tool.completed assistant.message context.usage turn.completed(end, None) idle user.message
    "#]].assert_eq(&shown);
}

/// The first turn's events by name, with how it ended.
fn names(talk: &Talk) -> String {
    let first = talk.seen.iter().filter(|envelope| envelope.turn.0 == 1);
    let names = first.map(|envelope| match &envelope.event {
        Event::SessionState(state) => state.state.to_string(),
        Event::TurnCompleted(completed) => format!(
            "turn.completed({}, {:?})",
            completed.stop_reason, completed.exit_code
        ),
        Event::Error(error) => format!("error({})", error.code),
        event => event.name().to_owned(),
    });
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_silent_agent_obeys_an_interrupt() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.send("hang").await;
            talk.until_live("Let me").await;
            talk.handle.interrupt().await.unwrap();
            talk.until_turn_end().await;
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "hang"
            assistant.message {"aborted":true,"agentUuid":"agentUuid1","content":"Let me ","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId1"],"stopReason":"interrupted","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            turn 2: "two"
            end of turn 2, agentUuid2, msg_fake_2, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: two"
        "#]],
    );
}

#[test]
fn an_agent_that_does_not_obey_is_killed() {
    check_fake(
        |setup| setup.limits(|limits| limits.interrupt_grace = Duration::from_millis(20)),
        async |world| {
            let mut talk = world.session().await;
            talk.send("ignore-sigterm\nhang-deaf").await;
            until!(talk, SessionStarted);
            // Before that it would still obey.
            world.has_written("fake-claude: wedged").await;
            talk.handle.interrupt().await.unwrap();
            talk.until_turn_end().await;
            assert!(world.agent_pids().is_empty());
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "ignore-sigterm\nhang-deaf"
            message.delivered {"messageId":"messageId1"}
            turn.completed {"exitCode":137,"messageIds":["messageId1"],"stopReason":"interrupted","turn":1}
            session.state {"state":"idle"}
            turn 2 in a new process of 1 with claude-sonnet-4-5, mode default: "two"
            end of turn 2, agentUuid1, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: two"
        "#]],
    );
}

#[test]
fn an_agent_wedged_by_its_second_message_can_be_killed() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hang-on-second\nsay one").await;
            talk.send("two").await;
            // Else the end could overtake the message on their way.
            world.has_written("fake-claude: wedged").await;
            talk.handle.kill().await.unwrap();
            talk.until_turn_end().await;
            talk.turn("three").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "hang-on-second\nsay one"
            end of turn 1, agentUuid1, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "one"
            user.message {"messageId":"messageId2","text":"two"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            turn.completed {"exitCode":143,"messageIds":["messageId2"],"stopReason":"interrupted","turn":2}
            session.state {"state":"idle"}
            turn 3 in a new process of 1 with claude-sonnet-4-5, mode default: "three"
            end of turn 3, agentUuid2, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: three"
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_agent_leaves_behind_is_ended() {
    for prompt in ["grandchild\nsay done", "grandchild stdout\nsay done"] {
        let mut world = Setup::fake().start();
        let mut talk = world.session().await;
        talk.turn(prompt).await;
        let left = grandchild(&talk);
        assert!(runs(left), "the fake starts a sleeper");
        talk.close().await;
        wait_until("the sleeper is gone", || !runs(left)).await;
        talk.turn("two").await;
        world.finish().await;
    }
}

fn grandchild(talk: &Talk) -> i32 {
    let told = talk.seen.iter().find_map(|envelope| match &envelope.event {
        Event::AgentUnknown(unknown) => unknown.raw.value()["pid"].as_i64(),
        _ => None,
    });
    told.unwrap().try_into().unwrap()
}

fn runs(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A zombie has ended; only nobody has looked yet.
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// A script for the fake CLI by which it never answers anything.
fn silence() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "{\"hang\": true}\n").unwrap();
    file
}

#[test]
fn an_agent_that_never_comes_up_is_given_up() {
    let script = silence();
    check_fake(
        |setup| {
            let path = script.path().to_str().unwrap();
            let setup = setup.env("FAKE_CLAUDE_SCRIPT", path);
            setup.limits(|limits| limits.start_timeout = Duration::from_millis(50))
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hello").await;
        },
        expect![[r#"
            opened as 1
            user.message {"messageId":"messageId1","text":"hello"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            runtime.fallback {"from":"streaming","reason":"the agent did not come up in time","to":"streaming"}
            error {"code":"agent_silent","hint":"Send the message again: the agent never had it. `baton doctor` checks what is needed.","message":"the agent did not come up in time","retryable":true}
            turn.completed {"exitCode":143,"isError":true,"messageIds":["messageId1"],"stopReason":"error","turn":1}
            session.state {"state":"idle"}
        "#]],
    );
}

#[test]
fn an_interrupt_reaches_a_process_that_is_still_starting() {
    let script = silence();
    check_fake(
        |setup| setup.env("FAKE_CLAUDE_SCRIPT", script.path().to_str().unwrap()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("hello").await;
            talk.handle.interrupt().await.unwrap();
            talk.until_turn_end().await;
        },
        expect![[r#"
            opened as 1
            user.message {"messageId":"messageId1","text":"hello"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            turn.completed {"exitCode":143,"messageIds":["messageId1"],"stopReason":"interrupted","turn":1}
            session.state {"state":"idle"}
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_that_is_not_there_fails_the_turn_with_a_remedy() {
    let mut world = Setup::of("/nowhere/claude".into()).start();
    let mut talk = world.session().await;
    talk.turn("hello").await;
    expect![[r#"
        opened as 1
        user.message {"messageId":"messageId1","text":"hello"}
        turn.started {"origin":"user","turn":1}
        session.state {"state":"starting"}
        error {"code":"agent_missing","detail":"agent could not be started: program /nowhere/claude was not found","hint":"Install Claude Code (`npm install -g @anthropic-ai/claude-code`), or set BATON_AGENT_CLAUDE_PATH to it. `--agent demo` works without.","message":"claude is not at /nowhere/claude","retryable":true}
        turn.completed {"isError":true,"messageIds":["messageId1"],"result":"claude is not at /nowhere/claude","stopReason":"error","turn":1}
        session.state {"state":"idle"}
    "#]].assert_eq(&world.finish().await);
}

#[test]
fn a_holder_that_is_killed_loses_the_turn_and_not_the_session() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.send("hang").await;
            talk.until_live("Let me").await;
            world.signal_holder(Signal::KILL);
            talk.until_turn_end().await;
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "hang"
            assistant.message {"aborted":true,"content":"Let me ","messageId":"msg_fake_1"}
            message.delivered {"messageId":"messageId1"}
            error {"code":"agent_lost","hint":"Send a message to continue: the conversation so far is kept.","message":"the agent's process ended in the middle of the turn (lost)","retryable":true}
            turn.completed {"isError":true,"messageIds":["messageId1"],"stopReason":"error","turn":1}
            session.state {"state":"idle"}
            turn 2 in a new process of 1 with claude-sonnet-4-5, mode default: "two"
            end of turn 2, agentUuid1, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: two"
        "#]],
    );
}
