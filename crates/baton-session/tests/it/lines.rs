//! Agents that write what no agent should: the log has all of it, and the
//! turn ends.

use expect_test::expect;

use crate::{both::check_fake, talk::allow, world::Setup};

#[test]
fn lines_that_come_twice_are_told_once() {
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
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "duplicate\nthink hm\nsay one\nbash touch made"
            assistant.thinking {"agentUuid":"agentUuid1","content":"hm","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            assistant.message {"agentUuid":"agentUuid2","block":1,"content":"one","messageId":"msg_fake_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            tool.requested {"input":{"command":"touch made","description":"run a command"},"label":"Running touch made","name":"Bash","subject":{"command":"touch made"},"toolKind":"shell","toolUseId":"toolUseId1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made","description":"run a command"},"kind":"tool","reason":"This command requires approval","risk":"medium","subject":{"command":"touch made"},"suggestions":[{"rule":"Bash(touch made)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolUseId1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            tool.completed {"detail":{"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolUseId1"}
            end of turn 1, agentUuid3, msg_fake_2, window 1000000, 0.002 for "inputTokens":200,"outputTokens":40: "Done." "stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},
            turn 2: "two"
            end of turn 2, agentUuid4, msg_fake_3, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: two"
        "#]],
    );
}

#[test]
fn what_nobody_understands_is_kept_and_the_turn_ends() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.turn("garbage\nunknown-type\nsay done").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "garbage\nunknown-type\nsay done"
            agent.unknown {"raw":{"line":"not json at all","problem":"line is not JSON: \"not json at all\""}}
            agent.unknown {"raw":{"line":"{\"type\":\"assistant\",","problem":"line is not JSON: \"{\\\"type\\\":\\\"assistant\\\",\""}}
            agent.unknown {"raw":{"line":"��{}","problem":"line is not UTF-8: \"��{}\""}}
            agent.unknown {"raw":{"line":"[]","problem":"line is not a JSON object: \"[]\""}}
            agent.unknown {"raw":{"line":"42","problem":"line is not a JSON object: \"42\""}}
            agent.unknown {"raw":{"new":[1],"session_id":"agentSessionId1","type":"from_the_future","uuid":"uuid1"}}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            end of turn 1, agentUuid1, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "done"
        "#]],
    );
}

#[test]
fn half_a_line_is_kept_and_the_end_is_explained() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.turn("stderr it hurts\nhalf-line").await;
            talk.close().await;
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "stderr it hurts\nhalf-line"
            agent.unknown {"raw":{"line":"{\"type\":\"assistant\",\"message\":{\"id\":\"msg_ha","problem":"line is not JSON: \"{\\\"type\\\":\\\"assistant\\\",\\\"message\\\":{\\\"id\\\":\\\"msg_ha\""}}
            message.delivered {"messageId":"messageId1"}
            runtime.fallback {"continuedBy":"continuedBy1","from":"streaming","reason":"the agent's process ended (exit code 1)","to":"streaming"}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"continuedBy1"}
            end of turn 1, agentUuid1, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: The program running you stopped in the middle of this task and was started again. Go on where you were. A tool call without a result may or may not have taken effect: look before you repeat … (3 more)"
            turn 2 in a new process of 1 with claude-sonnet-4-5, mode default: "two"
            end of turn 2, agentUuid2, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "You said: two"
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_answer_is_kept_whole() {
    const LENGTH: usize = 5_000_000;
    let mut world = Setup::fake().start();
    let mut talk = world.session().await;
    talk.send(&format!("huge {LENGTH}")).await;
    let said = until!(talk, AssistantMessage);
    assert_eq!(said.0.content, "x".repeat(LENGTH));
    talk.until_turn_end().await;
    world.finish().await;
}

#[test]
fn a_line_beyond_the_limit_is_told_and_costs_nothing_else() {
    check_fake(
        |setup| setup,
        async |world| {
            let mut talk = world.session().await;
            talk.turn(&format!("big-line {}\nsay done", 97 << 20)).await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default, not read yet: "big-line 101711872\nsay done"
            agent.unknown {"raw":{"line":"{\"filler\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… (824 more)","problem":"the agent wrote a line of 101712020 bytes, which is too long to read"}}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            end of turn 1, agentUuid1, msg_fake_1, window 1000000, 0.001 for "inputTokens":100,"outputTokens":20: "done"
        "#]],
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_reaches_a_reader_without_gap() {
    let mut world = Setup::fake().start();
    let mut talk = world.session().await;
    // Live text is checked as it is read.
    talk.send("flood 20000").await;
    let said = until!(talk, AssistantMessage);
    assert_eq!(said.0.content, "tok ".repeat(20_000));
    talk.until_turn_end().await;
    world.finish().await;
}
