//! What a session is made with, and what is changed while it lives.

use baton_protocol::words::{Json, PermissionMode};
use baton_testkit::model::{self, Script};
use expect_test::expect;
use serde_json::json;

use crate::both::check;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_can_follow_a_schema() {
    let script = || {
        Script::new().reply(model::tool_use(
            "StructuredOutput",
            json!({"colour": "blue"}),
        ))
    };
    let schema = json!({
        "type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"],
    });
    check(
        |setup| setup.script(script()),
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
            user.message {"messageId":"messageId1","text":"which colour?"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            tool.requested {"input":{"colour":"blue"},"label":"Giving the answer as data","name":"StructuredOutput","toolUseId":"toolu_test_1"}
            tool.completed {"name":"StructuredOutput","output":"Structured output provided successfully","toolUseId":"toolu_test_1"}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"result":"{\"colour\":\"blue\"}","stats":{"toolCalls":1,"toolsByType":{"StructuredOutput":1}},"stopReason":"end","structuredOutput":{"colour":"blue"},"turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["which colour?"]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_has_no_more_rounds_than_allowed() {
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
            user.message {"messageId":"messageId1","text":"go on for ever"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            tool.requested {"input":{"command":"echo one","description":"run a command"},"label":"Running echo one","name":"Bash","toolUseId":"toolu_test_1"}
            tool.completed {"detail":{"stderr":"","stdout":"one"},"name":"Bash","output":"one","toolUseId":"toolu_test_1"}
            context.usage {"tokens":120,"window":200000}
            error {"code":"turn_limit","hint":"Send another message to go on: each has the whole allowance.","message":"Reached maximum number of turns (1)","retryable":true}
            turn.completed {"costUsd":0.0006,"isError":true,"messageIds":["messageId1"],"result":"Reached maximum number of turns (1)","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"max_turns","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"again"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            assistant.message {"agentUuid":"agentUuid1","content":"fresh","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId2"],"result":"fresh","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["go on for ever"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"result":"one"}]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn model_and_mode_change_between_turns() {
    let script = || {
        Script::new().replies([
            model::text("first"),
            model::text("second"),
            model::text("third"),
        ])
    };
    check(
        |setup| setup.script(script()),
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
            assistant.message {"agentUuid":"agentUuid1","content":"first","messageId":"msg_test_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"result":"first","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            model.changed {"model":"claude-haiku-4-5","reason":"user"}
            permission_mode.changed {"by":"user","mode":"acceptEdits"}
            user.message {"messageId":"messageId2","text":"two"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            197: assistant.message {"agentUuid":"agentUuid2","content":"second","messageId":"msg_test_2","model":"claude-haiku-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            325: assistant.message {"agentUuid":"agentUuid2","content":"second","messageId":"msg_test_3","model":"claude-haiku-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0002,"messageIds":["messageId2"],"result":"second","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId3","text":"three"}
            turn.started {"origin":"user","turn":3}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-haiku-4-5","permissionMode":"acceptEdits","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId3"}
            checkpoint.created {"checkpointId":"messageId3"}
            197: assistant.message {"agentUuid":"agentUuid3","content":"third","messageId":"msg_test_3","model":"claude-haiku-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-haiku-4-5","permissionMode":"acceptEdits","slashCommands":"…","tools":"…"}
            325: assistant.message {"agentUuid":"agentUuid3","content":"third","messageId":"msg_test_4","model":"claude-haiku-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0002,"messageIds":["messageId3"],"result":"third","stopReason":"end","turn":3,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["one"]
            197: Main request to claude-haiku-4-5, 3 messages, 0 images: ["<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user e… (274 more)"]
            325: Main request to claude-haiku-4-5, 3 messages, 0 images: ["<local-command-caveat>The command below was run directly in Claude Code, not sent to you as a request, and its output goes straight to the user. It's recorded here as context for later messages.</loca… (248 more)"]
            Main request to claude-haiku-4-5, 5 messages, 0 images: ["three"]
        "#]],
    )
    .await;
}
