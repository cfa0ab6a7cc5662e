//! What a session is made with, and what is changed while it lives.

use baton_protocol::words::{Json, PermissionMode};
use baton_testkit::model::{self, Script};
use expect_test::expect;
use serde_json::json;

use crate::both::check;

#[test]
fn an_answer_can_follow_a_schema() {
    let schema = json!({
        "type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"],
    });
    check(
        |setup| {
            setup.replies([model::tool_use(
                "StructuredOutput",
                json!({"colour": "blue"}),
            )])
        },
        async |world| {
            let mut talk = world
                .session_with(|options| options.output_schema = Some(Json::of(&schema)))
                .await;
            talk.turn("which colour?").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5","outputSchema":{"properties":{"colour":{"type":"string"}},"required":["colour"],"type":"object"}},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "which colour?"
            StructuredOutput","toolKind":"inner runs unasked in toolu_test_1: "Giving the answer as data" {"colour":"blue"} "name":"StructuredOutput","output":"Structured output provided successfully"
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"result":"{\"colour\":\"blue\"}","stats":{"toolCalls":1,"toolsByType":{"StructuredOutput":1}},"stopReason":"end","structuredOutput":{"colour":"blue"},"turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            The model heard 1: ["which colour?"]
        "#]],
    );
}

#[test]
fn a_turn_has_no_more_rounds_than_allowed() {
    let script = || {
        let call = json!({"command": "echo one", "description": "run a command"});
        Script::new().replies([model::tool_use("Bash", call), model::text("fresh")])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world
                .session_with(|options| options.max_turns = Some(1))
                .await;
            talk.turn("go on for ever").await;
            talk.turn("again").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"maxTurns":1,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "go on for ever"
            Bash","subject":{"command":"echo one"},"toolKind":"shell runs unasked in toolu_test_1: "Running echo one" {"command":"echo one","description":"run a command"} "detail":{"stderr":"","stdout":"one"},"name":"Bash","output":"one"
            context.usage {"tokens":120,"window":200000}
            error {"code":"turn_limit","hint":"Send another message to go on: each has the whole allowance.","message":"Reached maximum number of turns (1)","retryable":true}
            turn.completed {"costUsd":0.0006,"isError":true,"messageIds":["messageId1"],"result":"Reached maximum number of turns (1)","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"max_turns","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            turn 2: "again"
            end of turn 2, agentUuid1, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "fresh"
            The model heard 1: ["go on for ever"]; 3: [{"result":"one"}]
        "#]],
    );
}

#[test]
fn model_and_mode_change_between_turns() {
    check(
        |setup| {
            setup.replies([
                model::text("first"),
                model::text("second"),
                model::text("third"),
            ])
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            let other = Some("claude-haiku-4-5".to_owned());
            talk.handle.set_model(other).await.unwrap();
            let mode = PermissionMode::AcceptEdits;
            talk.handle.set_permission_mode(mode).await.unwrap();
            talk.turn("two").await;
            // Nothing of it is the process's alone.
            talk.close().await;
            talk.turn("three").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "first"
            model.changed {"model":"claude-haiku-4-5","reason":"user"}
            permission_mode.changed {"by":"user","mode":"acceptEdits"}
            turn 2: "two"
            197: assistant.message {"agentUuid":"agentUuid2","content":"second","messageId":"msg_test_2","model":"claude-haiku-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            325: assistant.message {"agentUuid":"agentUuid2","content":"second","messageId":"msg_test_3","model":"claude-haiku-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0002,"messageIds":["messageId2"],"result":"second","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            turn 3 in a new process of 1 with claude-haiku-4-5, mode acceptEdits: "three"
            197: assistant.message {"agentUuid":"agentUuid3","content":"third","messageId":"msg_test_3","model":"claude-haiku-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            325: assistant.message {"agentUuid":"agentUuid3","content":"third","messageId":"msg_test_4","model":"claude-haiku-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0002,"messageIds":["messageId3"],"result":"third","stopReason":"end","turn":3,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            197: The model heard 1: ["one"]; 3 as Main to claude-haiku-4-5 with 0 images: ["<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user e… (274 more)"]; 5 as Main to claude-haiku-4-5 with 0 images: ["three"]
            325: The model heard 1: ["one"]; 3 as Main to claude-haiku-4-5 with 0 images: ["<local-command-caveat>The command below was run directly in Claude Code, not sent to you as a request, and its output goes straight to the user. It's recorded here as context for later messages.</loca… (248 more)"]; 5 as Main to claude-haiku-4-5 with 0 images: ["three"]
        "#]],
    );
}
