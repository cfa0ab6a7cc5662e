//! A model that refuses, and one that recovers.

use baton_testkit::model::{self, Script};
use expect_test::expect;

use crate::both::check;

#[test]
fn a_refused_key_is_an_auth_error_with_a_remedy() {
    check(
        |setup| {
            setup
                .script(Script::new().always(|_| true, model::error(401, "authentication_error")))
                .env("CLAUDE_CODE_MAX_RETRIES", "1")
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hello").await;
        },
        expect![[r#"
            opened as 1
            197: turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "hello"
            325: turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "hello"
            agent.retry {"attempt":1,"maxAttempts":1,"reason":"authentication_failed (401)"}
            197: message.delivered {"messageId":"messageId1"}
            197: checkpoint.created {"checkpointId":"messageId1"}
            error {"code":"auth","detail":"Failed to authenticate. API Error: 401 scripted authentication_error","hint":"Run `claude` in a terminal, sign in with /login, then send the message again.","message":"Claude Code is not signed in, or its sign-in has run out","retryable":true}
            turn.completed {"isError":true,"messageIds":["messageId1"],"result":"Failed to authenticate. API Error: 401 scripted authentication_error","stopReason":"error","turn":1}
            session.state {"state":"idle"}
            The model heard 1: ["hello"]; 1: ["hello"]
        "#]],
    );
}

#[test]
fn an_overloaded_model_is_asked_again() {
    check(
        |setup| {
            setup.replies([
                model::error(529, "overloaded_error"),
                model::text("recovered"),
            ])
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hello").await;
        },
        expect![[r#"
            opened as 1
            197: turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "hello"
            325: turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "hello"
            agent.retry {"attempt":1,"maxAttempts":10,"reason":"overloaded (529)"}
            197: message.delivered {"messageId":"messageId1"}
            197: checkpoint.created {"checkpointId":"messageId1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "recovered"
            The model heard 1: ["hello"]; 1: ["hello"]
        "#]],
    );
}

#[test]
fn a_cli_without_a_key_is_not_logged_in() {
    check(
        |setup| setup.without("ANTHROPIC_API_KEY"),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hello").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "hello"
            error {"code":"auth","detail":"Not logged in · Please run /login","hint":"Run `claude` in a terminal, sign in with /login, then send the message again.","message":"Claude Code is not signed in, or its sign-in has run out","retryable":true}
            turn.completed {"isError":true,"messageIds":["messageId1"],"result":"Not logged in · Please run /login","stopReason":"error","turn":1}
            session.state {"state":"idle"}
        "#]],
    );
}
