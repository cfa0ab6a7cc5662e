//! Turns that a person stops.

use baton_session::agents::AskDecision;
use baton_testkit::model::{self, Script};
use expect_test::expect;
use serde_json::json;

use crate::{both::check, talk::allow, world::wait_until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_denial_can_stop_the_turn() {
    let script = || {
        let call = json!({"command": "touch made.txt", "description": "run a command"});
        Script::new().replies([model::tool_use("Bash", call), model::text("on we go")])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            let stop = AskDecision::Deny {
                message: "Stop at once".into(),
                interrupt: true,
            };
            talk.send("make a file").await;
            let asked = talk.until_ask().await;
            world.answer_is_whole().await;
            talk.answer(&asked, stop).await;
            talk.until_turn_end().await;
            talk.turn("again").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"make a file"}
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
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"deny","interrupt":true,"message":"Stop at once"}
            session.state {"state":"processing"}
            tool.completed {"isError":true,"name":"Bash","output":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)","toolUseId":"toolu_test_1"}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"interrupted","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"again"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            assistant.message {"agentUuid":"agentUuid1","content":"on we go","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId2"],"result":"on we go","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["make a file"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"error":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)"}]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_keeps_what_was_streamed() {
    let script =
        || Script::new().replies([model::tokens(5).stall_after(4), model::text("on we go")]);
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("talk").await;
            talk.until_live("tok tok").await;
            talk.handle.interrupt().await.unwrap();
            talk.until_turn_end().await;
            talk.turn("again").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"talk"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            assistant.message {"aborted":true,"agentUuid":"agentUuid1","content":"tok tok ","messageId":"msg_test_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            turn.completed {"messageIds":["messageId1"],"stopReason":"interrupted","turn":1}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"again"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            assistant.message {"agentUuid":"agentUuid2","content":"on we go","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId2"],"result":"on we go","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["talk"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: ["[Request interrupted by user]\n\nagain"]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_ends_a_running_tool() {
    let script = || {
        let command = "touch started; tail -f /dev/null";
        let call = json!({"command": command, "description": "wait"});
        Script::new().replies([model::tool_use("Bash", call), model::text("on we go")])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("wait").await;
            let asked = talk.until_ask().await;
            world.answer_is_whole().await;
            talk.answer(&asked, allow()).await;
            let started = world.sandbox.project().join("started");
            wait_until("the command runs", || started.exists()).await;
            talk.handle.interrupt().await.unwrap();
            talk.until_turn_end().await;
            talk.turn("again").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"wait"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            tool.requested {"input":{"command":"touch started; tail -f /dev/null","description":"wait"},"label":"Running touch started; tail -f /dev/null","name":"Bash","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch started; tail -f /dev/null","description":"wait"},"kind":"tool","risk":"medium","suggestions":[{"rule":"Bash(touch started; tail -f /dev/null)","scope":"session"}],"toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"allow"}
            session.state {"state":"processing"}
            197: tool.completed {"isError":true,"name":"Bash","output":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)","toolUseId":"toolu_test_1"}
            325: tool.completed {"isError":true,"name":"Bash","output":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (411 more)","toolUseId":"toolu_test_1"}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"interrupted","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"again"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            assistant.message {"agentUuid":"agentUuid1","content":"on we go","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId2"],"result":"on we go","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["wait"]
            197: Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"error":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)"}]
            325: Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"error":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (411 more)"}]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_closes_an_open_approval() {
    let script = || {
        let call = json!({"command": "touch made.txt", "description": "run a command"});
        Script::new().replies([model::tool_use("Bash", call)])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("make a file").await;
            talk.until_ask().await;
            world.answer_is_whole().await;
            talk.handle.interrupt().await.unwrap();
            talk.until_turn_end().await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"make a file"}
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
            approval.resolved {"approvalId":"apr_1","by":"cancelled","decision":"deny","message":"the agent no longer waits for an answer"}
            session.state {"state":"processing"}
            tool.completed {"isError":true,"name":"Bash","output":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)","toolUseId":"toolu_test_1"}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"interrupted","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["make a file"]
        "#]],
    )
    .await;
}
