//! Turns without tools.

use baton_protocol::words::{EndStatus, SessionState};
use baton_session::machine::WhenBusy;
use baton_testkit::model::{self, Script};
use expect_test::expect;

use crate::{both::check, talk::outbound};

#[test]
fn two_turns_run_on_one_process() {
    check(
        |setup| {
            setup
                .replies([model::tokens(3), model::text("second answer")])
                .whole()
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            talk.turn("two").await;
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
            assistant.message {"agentUuid":"agentUuid1","content":"tok tok tok ","messageId":"msg_test_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"result":"tok tok tok ","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"two"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            assistant.message {"agentUuid":"agentUuid2","content":"second answer","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId2"],"result":"second answer","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            The model heard 1: ["one"]; 3: ["two"]
        "#]],
    );
}

#[test]
fn messages_to_a_busy_session_wait_for_their_turn() {
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
            talk.send("two").await;
            let taken_back = talk.send("never mind").await;
            talk.handle.take_back(taken_back, None).await.unwrap();
            world.model.release();
            until!(talk, TurnCompleted);
            talk.until_turn_end().await;
        },
        expect![[r#"
            opened as 1
            197: turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "one"
            325: turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            user.message {"messageId":"messageId2","queued":true,"text":"two"}
            user.message {"messageId":"messageId3","queued":true,"text":"never mind"}
            message.removed {"messageId":"messageId3"}
            197: message.delivered {"messageId":"messageId1"}
            197: checkpoint.created {"checkpointId":"messageId1"}
            assistant.message {"agentUuid":"agentUuid1","content":"tok tok tok tok tok ","messageId":"msg_test_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"result":"tok tok tok tok tok ","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            turn.started {"origin":"user","turn":2}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            end of turn 2, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "second answer"
            The model heard 1: ["one"]; 3: ["two"]
        "#]],
    );
}

#[test]
fn the_same_message_again_is_not_a_second_turn() {
    check(
        |setup| setup.replies([model::text("once")]),
        async |world| {
            let mut talk = world.session().await;
            let message = outbound("one", WhenBusy::Refuse);
            let first = talk.handle.send(message.clone()).await.unwrap();
            let again = talk.handle.send(message.clone()).await.unwrap();
            assert_eq!(first, again);
            talk.until_turn_end().await;
            talk.handle.send(message.clone()).await.unwrap();
            let mut other = message;
            other.text = "two".into();
            let refused = talk.handle.send(other).await.unwrap_err();
            world.note(refused.to_string());
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "once"
            message messageId1 was already sent with other text
            The model heard 1: ["one"]
        "#]],
    );
}

#[test]
fn an_ended_session_takes_nothing_more() {
    check(
        |setup| setup.script(Script::new().reply(model::text("first"))),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            let handle = talk.handle.clone();
            handle.end(EndStatus::Completed, "done").await.unwrap();
            until!(talk, SessionState, |state| state.state
                == SessionState::Ended);
            let refused = handle.set_model(None).await.unwrap_err();
            world.note(refused.to_string());
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "first"
            session.ended {"reason":"done","status":"completed"}
            session.state {"state":"ended"}
            the session has ended
            The model heard 1: ["one"]
        "#]],
    );
}
