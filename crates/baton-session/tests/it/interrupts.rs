//! Turns that a person stops.

use baton_session::agents::AskDecision;
use baton_testkit::model::{self, Script};
use expect_test::expect;
use serde_json::json;

use crate::{both::check, talk::allow, world::wait_until};

#[test]
fn a_denial_can_stop_the_turn() {
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
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "make a file"
            tool.requested {"input":{"command":"touch made.txt","description":"run a command"},"label":"Running touch made.txt","name":"Bash","subject":{"command":"touch made.txt"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made.txt","description":"run a command"},"kind":"tool","risk":"medium","subject":{"command":"touch made.txt"},"suggestions":[{"rule":"Bash(touch made.txt)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "deny","interrupt":true,"message":"Stop at once"
            tool.completed {"isError":true,"name":"Bash","output":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)","toolUseId":"toolu_test_1"}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"interrupted","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            turn 2: "again"
            end of turn 2, agentUuid1, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "on we go"
            The model heard 1: ["make a file"]; 3: [{"error":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)"}]
        "#]],
    );
}

#[test]
fn an_interrupt_keeps_what_was_streamed() {
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
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "talk"
            assistant.message {"aborted":true,"agentUuid":"agentUuid1","content":"tok tok ","messageId":"msg_test_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            turn.completed {"messageIds":["messageId1"],"stopReason":"interrupted","turn":1}
            session.state {"state":"idle"}
            turn 2: "again"
            end of turn 2, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "on we go"
            The model heard 1: ["talk"]; 3: ["[Request interrupted by user]\n\nagain"]
        "#]],
    );
}

#[test]
fn an_interrupt_ends_a_running_tool() {
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
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "wait"
            tool.requested {"input":{"command":"touch started; tail -f /dev/null","description":"wait"},"label":"Running touch started; tail -f /dev/null","name":"Bash","subject":{"command":"touch started; tail -f /dev/null"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch started; tail -f /dev/null","description":"wait"},"kind":"tool","risk":"medium","subject":{"command":"touch started; tail -f /dev/null"},"suggestions":[{"rule":"Bash(touch started; tail -f /dev/null)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            197: tool.completed {"isError":true,"name":"Bash","output":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)","toolUseId":"toolu_test_1"}
            325: tool.completed {"isError":true,"name":"Bash","output":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (411 more)","toolUseId":"toolu_test_1"}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"interrupted","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            turn 2: "again"
            end of turn 2, agentUuid1, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "on we go"
            197: The model heard 1: ["wait"]; 3: [{"error":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)"}]
            325: The model heard 1: ["wait"]; 3: [{"error":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (411 more)"}]
        "#]],
    );
}

#[test]
fn an_interrupt_closes_an_open_approval() {
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
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "make a file"
            tool.requested {"input":{"command":"touch made.txt","description":"run a command"},"label":"Running touch made.txt","name":"Bash","subject":{"command":"touch made.txt"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made.txt","description":"run a command"},"kind":"tool","risk":"medium","subject":{"command":"touch made.txt"},"suggestions":[{"rule":"Bash(touch made.txt)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            approval.resolved {"approvalId":"apr_1","by":"cancelled","decision":"deny","message":"the turn was stopped before anybody answered"}
            session.state {"state":"processing"}
            tool.completed {"isError":true,"name":"Bash","output":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to… (25 more)","toolUseId":"toolu_test_1"}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"interrupted","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            The model heard 1: ["make a file"]
        "#]],
    );
}
