//! A model that refuses, and one that recovers.

use baton_testkit::model::{self, Script};
use expect_test::expect;

use crate::both::check;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_key_is_an_auth_error_with_a_remedy() {
    let script = || Script::new().always(|_| true, model::error(401, "authentication_error"));
    check(
        |setup| setup.script(script()).env("CLAUDE_CODE_MAX_RETRIES", "1"),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hello").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"hello"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            325: message.delivered {"messageId":"messageId1"}
            325: checkpoint.created {"checkpointId":"messageId1"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            agent.retry {"attempt":1,"maxAttempts":1,"reason":"authentication_failed (401)"}
            197: message.delivered {"messageId":"messageId1"}
            197: checkpoint.created {"checkpointId":"messageId1"}
            error {"code":"auth","detail":"Failed to authenticate. API Error: 401 scripted authentication_error","hint":"Run `claude` in a terminal, sign in with /login, then send the message again.","message":"Claude Code is not signed in, or its sign-in has run out","retryable":true}
            turn.completed {"isError":true,"messageIds":["messageId1"],"result":"Failed to authenticate. API Error: 401 scripted authentication_error","stopReason":"error","turn":1}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["hello"]
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["hello"]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_overloaded_model_is_asked_again() {
    let script = || {
        Script::new().replies([
            model::error(529, "overloaded_error"),
            model::text("recovered"),
        ])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hello").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"hello"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            325: message.delivered {"messageId":"messageId1"}
            325: checkpoint.created {"checkpointId":"messageId1"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            agent.retry {"attempt":1,"maxAttempts":10,"reason":"overloaded (529)"}
            197: message.delivered {"messageId":"messageId1"}
            197: checkpoint.created {"checkpointId":"messageId1"}
            assistant.message {"agentUuid":"agentUuid1","content":"recovered","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"result":"recovered","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["hello"]
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["hello"]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cli_without_a_key_is_not_logged_in() {
    check(
        |setup| setup.without("ANTHROPIC_API_KEY"),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("hello").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"hello"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            error {"code":"auth","detail":"Not logged in · Please run /login","hint":"Run `claude` in a terminal, sign in with /login, then send the message again.","message":"Claude Code is not signed in, or its sign-in has run out","retryable":true}
            turn.completed {"isError":true,"messageIds":["messageId1"],"result":"Not logged in · Please run /login","stopReason":"error","turn":1}
            session.state {"state":"idle"}
            --
        "#]],
    )
    .await;
}
