//! Agents that write what no agent should: the log has all of it, and the
//! turn ends.

use baton_protocol::Event;
use expect_test::expect;

use crate::{both::check_fake, talk::allow, world::Setup};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_that_come_twice_are_told_once() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            // Deltas that come twice are shown twice until their block is whole.
            talk.ignore_live();
            talk.turn_with("duplicate\nthink hm\nsay one\nbash touch made", allow())
                .await;
            talk.turn("two").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"duplicate\nthink hm\nsay one\nbash touch made"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            assistant.thinking {"agentUuid":"agentUuid1","content":"hm","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            assistant.message {"agentUuid":"agentUuid2","block":1,"content":"one","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            tool.requested {"input":{"command":"touch made","description":"run a command"},"label":"Running touch made","name":"Bash","toolUseId":"toolUseId1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made","description":"run a command"},"kind":"tool","reason":"This command requires approval","risk":"medium","suggestions":[{"rule":"Bash(touch made)","scope":"session"}],"toolName":"Bash","toolUseId":"toolUseId1"}
            session.state {"state":"waiting"}
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"allow"}
            session.state {"state":"processing"}
            tool.completed {"detail":{"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolUseId1"}
            assistant.message {"agentUuid":"agentUuid3","content":"Done.","messageId":"msg_fake_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.002,"messageIds":["messageId1"],"result":"Done.","stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":200,"outputTokens":40}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"two"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            assistant.message {"agentUuid":"agentUuid4","content":"You said: two","messageId":"msg_fake_3","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId2"],"result":"You said: two","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_nobody_understands_is_kept_and_the_turn_ends() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.turn("garbage\nunknown-type\nsay done").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"garbage\nunknown-type\nsay done"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            agent.unknown {"raw":{"line":"not json at all","problem":"line is not JSON: \"not json at all\""}}
            agent.unknown {"raw":{"line":"{\"type\":\"assistant\",","problem":"line is not JSON: \"{\\\"type\\\":\\\"assistant\\\",\""}}
            agent.unknown {"raw":{"line":"��{}","problem":"line is not UTF-8: \"��{}\""}}
            agent.unknown {"raw":{"line":"[]","problem":"line is not a JSON object: \"[]\""}}
            agent.unknown {"raw":{"line":"42","problem":"line is not a JSON object: \"42\""}}
            agent.unknown {"raw":{"new":[1],"session_id":"agentSessionId1","type":"from_the_future","uuid":"uuid1"}}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            assistant.message {"agentUuid":"agentUuid1","content":"done","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId1"],"result":"done","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_line_is_kept_and_the_end_is_explained() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.turn("stderr it hurts\nhalf-line").await;
            talk.close().await;
            talk.turn("two").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"stderr it hurts\nhalf-line"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            agent.unknown {"raw":{"line":"{\"type\":\"assistant\",\"message\":{\"id\":\"msg_ha","problem":"line is not JSON: \"{\\\"type\\\":\\\"assistant\\\",\\\"message\\\":{\\\"id\\\":\\\"msg_ha\""}}
            message.delivered {"messageId":"messageId1"}
            runtime.fallback {"continuedBy":"continuedBy1","from":"streaming","reason":"the agent's process ended (exit code 1)","to":"streaming"}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"continuedBy1"}
            assistant.message {"agentUuid":"agentUuid1","content":"You said: The program running you stopped in the middle of this task and was started again. Go on where you were. A tool call without a result may or may not have taken effect: look before you repeat … (3 more)","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId1"],"result":"You said: The program running you stopped in the middle of this task and was started again. Go on where you were. A tool call without a result may or may not have taken effect: look before you repeat … (3 more)","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"two"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            assistant.message {"agentUuid":"agentUuid2","content":"You said: two","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId2"],"result":"You said: two","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_answer_is_kept_whole() {
    const LENGTH: usize = 5_000_000;
    let mut world = Setup::fake().start();
    let mut talk = world.session().await;
    talk.send(&format!("huge {LENGTH}")).await;
    let said = talk
        .until("the answer", |event| {
            matches!(event, Event::AssistantMessage(_))
        })
        .await;
    let Event::AssistantMessage(said) = said.event else {
        unreachable!("the condition above");
    };
    assert_eq!(said.0.content, "x".repeat(LENGTH));
    talk.until_turn_end().await;
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_beyond_the_limit_is_told_and_costs_nothing_else() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.turn(&format!("big-line {}\nsay done", 97 << 20)).await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"big-line 101711872\nsay done"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            agent.unknown {"raw":{"line":"{\"filler\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… (824 more)","problem":"the agent wrote a line of 101712020 bytes, which is too long to read"}}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            assistant.message {"agentUuid":"agentUuid1","content":"done","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":1000000}
            turn.completed {"costUsd":0.001,"messageIds":["messageId1"],"result":"done","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_reaches_a_reader_without_gap() {
    let mut world = Setup::fake().start();
    let mut talk = world.session().await;
    // Live text is checked as it is read.
    talk.send("flood 20000").await;
    let said = talk
        .until("the answer", |event| {
            matches!(event, Event::AssistantMessage(_))
        })
        .await;
    assert!(
        matches!(said.event, Event::AssistantMessage(said) if said.0.content == "tok ".repeat(20_000))
    );
    talk.until_turn_end().await;
    world.finish().await;
}
