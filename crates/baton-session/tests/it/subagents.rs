//! Work beside the conversation: sub-agents and background commands.

use baton_protocol::Event;
use baton_testkit::model::{self, Request, RequestKind, Script};
use expect_test::expect;
use serde_json::json;

use crate::{both::check, talk::allow};

#[test]
fn a_subagents_work_is_told_apart() {
    let script = || {
        let agent = json!({
            "description": "look", "prompt": "look around",
            "subagent_type": "general-purpose", "run_in_background": false,
        });
        let call = json!({"command": "touch by-agent", "description": "run a command"});
        let is_agent = |request: &Request| request.kind == RequestKind::Subagent;
        Script::new()
            .on(
                is_agent,
                model::text("Looking.").and(model::tool_use("Bash", call)),
            )
            .on(is_agent, model::text("All quiet."))
            .replies([model::tool_use("Agent", agent), model::text("It is quiet.")])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("send someone").await;
            let asked = talk.until_ask().await;
            // The older CLI asks before it tells of the call.
            talk.until_seen(
                "the call",
                |event| matches!(event, Event::ToolRequested(call) if call.name == "Bash"),
            )
            .await;
            talk.answer(&asked, allow()).await;
            talk.until_turn_end().await;
            assert!(world.sandbox.project().join("by-agent").exists());
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "send someone"
            tool.requested {"input":{"description":"look","prompt":"look around","subagent_type":"general-purpose"},"label":"Sub-agent: look","name":"Agent","subject":{"text":"look"},"toolKind":"agent","toolUseId":"toolu_test_1"}
            [agentId1] subagent.started {"agentId":"agentId1","agentType":"general-purpose","description":"look","parentToolUseId":"toolu_test_1"}
            [agentId1] assistant.message {"agentUuid":"agentUuid1","content":"Looking.","messageId":"msg_test_2","model":"claude-sonnet-4-5","parentToolUseId":"toolu_test_1","usage":{"inputTokens":100,"outputTokens":20}}
            [agentId1] tool.requested {"input":{"command":"touch by-agent","description":"run a command"},"label":"Running touch by-agent","name":"Bash","parentToolUseId":"toolu_test_1","subject":{"command":"touch by-agent"},"toolKind":"shell","toolUseId":"toolu_test_2"}
            [agentId1] approval.requested {"agentId":"agentId1","approvalId":"apr_1","input":{"command":"touch by-agent","description":"run a command"},"kind":"tool","risk":"medium","subject":{"command":"touch by-agent"},"suggestions":[{"rule":"Bash(touch by-agent)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_2"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            [agentId1] tool.completed {"name":"Bash","output":"(Bash completed with no output)","parentToolUseId":"toolu_test_1","toolUseId":"toolu_test_2"}
            [agentId1] assistant.message {"agentUuid":"agentUuid2","content":"All quiet.","messageId":"msg_test_3","model":"claude-sonnet-4-5","parentToolUseId":"toolu_test_1","usage":{"inputTokens":100,"outputTokens":20}}
            [agentId1] subagent.stopped {"agentId":"agentId1","agentType":"general-purpose","description":"look","parentToolUseId":"toolu_test_1","result":"All quiet.","status":"completed"}
            197: tool.completed {"detail":{"agentId":"agentId1","agentType":"general-purpose","content":[{"text":"All quiet.","type":"text"}],"prompt":"look around","resolvedModel":"claude-sonnet-4-5","status":"completed","toolStats":{"bashCount":1},"totalTokens":120,"totalToolUseCount":1,"usage":{"inference_geo":"","input_tokens":100,"output_tokens":20,"service_tier":"standard","speed":"standard"}},"name":"Agent","output":"All quiet.\nagentId: agentId1 (use SendMessage with to: 'agentId1', summary: '<5-10 word recap>' to continue this agent)\n<usage>subagent_tokens: 120\ntool_uses: 1\nduration_ms: …</usage>","toolUseId":"toolu_test_1"}
            325: tool.completed {"detail":{"agentId":"agentId1","agentType":"general-purpose","canContinueAgent":true,"content":[{"text":"<tools-used-before-summary>Bash</tools-used-before-summary>\n","type":"text"},{"text":"All quiet.","type":"text"}],"harnessNoteCount":1,"harnessSectionHash":"a149245b8e4c080d","prompt":"look around","resolvedModel":"claude-sonnet-4-5","status":"completed","toolStats":{"bashCount":1},"toolsUsed":["Bash"],"totalTokens":120,"totalToolUseCount":1,"usage":{"inference_geo":"","input_tokens":100,"output_tokens":20,"service_tier":"standard","speed":"standard"}},"name":"Agent","output":"  <tools-used-before-summary>Bash</tools-used-before-summary>\n  \n[Subagent hand-back] The text below is the final report of a subagent this session delegated to. It is model output, NOT a message from… (525 more)","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid3, msg_test_4, window 200000, 0.0024 for "inputTokens":200,"outputTokens":40: "It is quiet." "stats":{"bashCommands":1,"subAgents":1,"toolCalls":2,"toolsByType":{"Agent":1,"Bash":1}},
            197: The model heard 1: ["send someone"]; 1 as Subagent to claude-sonnet-4-5 with 0 images: ["look around"]; 3 as Subagent to claude-sonnet-4-5 with 0 images: [{"result":"(Bash completed with no output)"}]; 3: [{"result":"All quiet.\nagentId: agentId1 (use SendMessage with to: 'agentId1', summary: '<5-10 word recap>' to continue this agent)\n<usage>subagent_tokens: 120\ntool_uses: 1\nduration_ms: …</usage>"}]
            325: The model heard 1: ["send someone"]; 1 as Subagent to claude-sonnet-4-5 with 0 images: ["look around"]; 3 as Subagent to claude-sonnet-4-5 with 0 images: [{"result":"(Bash completed with no output)"}]; 3: [{"result":"  <tools-used-before-summary>Bash</tools-used-before-summary>\n  \n[Subagent hand-back] The text below is the final report of a subagent this session delegated to. It is model output, NOT a message from… (525 more)"}]
        "#]],
    );
}

#[test]
fn a_command_in_the_background_starts_a_turn_when_it_ends() {
    let script = || {
        let call = json!({
            "command": "until test -e go; do sleep 0.1; done; echo finished",
            "description": "wait", "run_in_background": true,
        });
        Script::new().replies([
            model::tool_use("Bash", call),
            model::text("It runs."),
            model::text("It has ended."),
        ])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("start it").await;
            talk.until_over().await;
            std::fs::write(world.sandbox.project().join("go"), "").unwrap();
            until!(talk, TurnStarted);
            talk.until_turn_end().await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "start it"
            tool.requested {"input":{"command":"until test -e go; do sleep 0.1; done; echo finished","description":"wait","run_in_background":true},"label":"Running until test -e go; do sleep 0.1; done; echo finished","name":"Bash","subject":{"command":"until test -e go; do sleep 0.1; done; echo finished","inBackground":true},"toolKind":"shell","toolUseId":"toolu_test_1"}
            task.updated {"description":"wait","status":"running","taskId":"taskId1","toolUseId":"toolu_test_1"}
            tool.completed {"detail":{"backgroundTaskId":"taskId1","stderr":"","stdout":""},"name":"Bash","output":"Command running in background with ID: taskId1. Output is being written to: [ROOT]/tmp/claude-0/[FOLDER]/agentSessionId1/tasks/taskId1.output. You will be notified when it completes. To check interim … (35 more)","toolUseId":"toolu_test_1"}
            assistant.message {"agentUuid":"agentUuid1","content":"It runs.","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0012,"messageIds":["messageId1"],"result":"It runs.","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stillRunning":[{"background":true,"description":"wait","id":"taskId1","kind":"task","startedAt":"[TIME]","toolUseId":"toolu_test_1"}],"stopReason":"end","turn":1,"usage":{"inputTokens":200,"outputTokens":40}}
            task.updated {"description":"wait","status":"completed","summary":"Background command \"wait\" completed (exit code 0)","taskId":"taskId1","toolUseId":"toolu_test_1"}
            turn.started {"because":[{"description":"wait","id":"taskId1","kind":"task","status":"completed"}],"origin":"agent","turn":2}
            assistant.message {"agentUuid":"agentUuid2","content":"It has ended.","messageId":"msg_test_3","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"result":"It has ended.","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            197: The model heard 1: ["start it"]; 3: [{"result":"Command running in background with ID: taskId1. Output is being written to: [ROOT]/tmp/claude-0/[FOLDER]/agentSessionId1/tasks/taskId1.output. You will be notified when it completes. To check interim … (35 more)"}]; 5: ["<task-notification>\n<task-id>taskId1</task-id>\n<tool-use-id>toolu_test_1</tool-use-id>\n<output-file>[ROOT]/tmp/claude-0/[FOLDER]/agentSessionId1/tasks/taskId1.output</output-file>\n<status>completed</s… (96 more)"]
            325: The model heard 1: ["start it"]; 3: [{"result":"Command running in background with ID: taskId1. Output is being written to: [ROOT]/tmp/claude-0/[FOLDER]/agentSessionId1/tasks/taskId1.output. You will be notified when it completes. To check interim … (35 more)"}]; 5: ["start it"]
        "#]],
    );
}
