//! Tools that ask first.

use baton_testkit::model::{self, Reply, Script};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check,
    talk::{allow, allow_with, deny},
};

fn write(path: &str, content: &str) -> Reply {
    model::tool_use("Write", json!({"file_path": path, "content": content}))
}

fn bash(command: &str) -> Reply {
    model::tool_use(
        "Bash",
        json!({"command": command, "description": "run a command"}),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_allowed_tool_runs() {
    let script = || Script::new().replies([bash("touch made.txt"), model::text("Done.")]);
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.turn_with("make a file", allow()).await;
            assert!(world.sandbox.project().join("made.txt").exists());
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
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"allow"}
            session.state {"state":"processing"}
            tool.completed {"detail":{"noOutputExpected":true,"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolu_test_1"}
            assistant.message {"agentUuid":"agentUuid1","content":"Done.","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0012,"messageIds":["messageId1"],"result":"Done.","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":200,"outputTokens":40}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["make a file"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"result":"(Bash completed with no output)"}]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_denied_tool_does_not_run_and_the_model_reads_why() {
    let script = || Script::new().replies([bash("touch made.txt"), model::text("Understood.")]);
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.turn_with("make a file", deny("Not today")).await;
            assert!(!world.sandbox.project().join("made.txt").exists());
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
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"deny","message":"Not today"}
            session.state {"state":"processing"}
            tool.completed {"isError":true,"name":"Bash","output":"Not today","toolUseId":"toolu_test_1"}
            assistant.message {"agentUuid":"agentUuid1","content":"Understood.","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0012,"messageIds":["messageId1"],"result":"Understood.","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":200,"outputTokens":40}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["make a file"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"error":"Not today"}]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_input_is_what_runs() {
    let script = || Script::new().replies([bash("touch made.txt"), model::text("Done.")]);
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            let changed = json!({"command": "touch other.txt", "description": "run a command"});
            talk.turn_with("make a file", allow_with(changed)).await;
            let made = |name: &str| world.sandbox.project().join(name).exists();
            assert!(made("other.txt") && !made("made.txt"));
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
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"allow","modifiedInput":{"command":"touch other.txt","description":"run a command"}}
            session.state {"state":"processing"}
            tool.completed {"detail":{"noOutputExpected":true,"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolu_test_1"}
            assistant.message {"agentUuid":"agentUuid1","content":"Done.","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0012,"messageIds":["messageId1"],"result":"Done.","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":200,"outputTokens":40}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["make a file"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"result":"(Bash completed with no output)"}]
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edit_is_shown_before_it_is_allowed() {
    check(
        |setup| setup,
        async |world| {
            let file = world.sandbox.project().join("notes.txt");
            std::fs::write(&file, "one\ntwo\n").unwrap();
            let path = file.to_str().unwrap();
            world.model.push(model::tool_use("Read", json!({"file_path": path})));
            world.model.push(write(path, "one\n2\n"));
            world.model.push(model::text("Edited."));
            let mut talk = world.session().await;
            talk.turn_with("edit it", allow()).await;
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n2\n");
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"edit it"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            tool.requested {"input":{"file_path":"[PROJECT]/notes.txt"},"label":"Reading …/notes.txt","name":"Read","toolUseId":"toolu_test_1"}
            tool.completed {"detail":{"file":{"content":"one\ntwo\n","filePath":"[PROJECT]/notes.txt","numLines":3,"startLine":1,"totalLines":3},"type":"text"},"name":"Read","output":"1\tone\n2\ttwo\n3\t","toolUseId":"toolu_test_1"}
            tool.requested {"input":{"content":"one\n2\n","file_path":"[PROJECT]/notes.txt"},"label":"Writing …/notes.txt","name":"Write","toolUseId":"toolu_test_2"}
            approval.requested {"approvalId":"apr_1","input":{"content":"one\n2\n","file_path":"[PROJECT]/notes.txt"},"kind":"tool","preview":{"hunks":[{"lines":[{"kind":"same","text":"one"},{"kind":"removed","text":"two"},{"kind":"added","text":"2"}],"newStart":1,"oldStart":1}],"path":"[PROJECT]/notes.txt"},"risk":"medium","suggestions":[{"rule":"Edit(/notes.txt)","scope":"session"}],"toolName":"Write","toolUseId":"toolu_test_2"}
            session.state {"state":"waiting"}
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"allow"}
            session.state {"state":"processing"}
            tool.completed {"detail":{"content":"one\n2\n","filePath":"[PROJECT]/notes.txt","originalFile":"one\ntwo\n","structuredPatch":[{"lines":[" one","-two","+2"],"newLines":2,"newStart":1,"oldLines":2,"oldStart":1}],"type":"update"},"name":"Write","output":"The file [PROJECT]/notes.txt has been updated successfully. (file state is current in your context — no need to Read it back)","toolUseId":"toolu_test_2"}
            assistant.message {"agentUuid":"agentUuid1","content":"Edited.","messageId":"msg_test_3","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0018,"messageIds":["messageId1"],"result":"Edited.","stats":{"filesRead":1,"filesWritten":1,"toolCalls":2,"toolsByType":{"Read":1,"Write":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":300,"outputTokens":60}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["edit it"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"result":"1\tone\n2\ttwo\n3"}]
            Main request to claude-sonnet-4-5, 5 messages, 0 images: [{"result":"The file [PROJECT]/notes.txt has been updated successfully. (file state is current in your context — no need to Read it back)"}]
        "#]],
    )
    .await;
}
