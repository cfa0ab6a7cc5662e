//! Rows that the pinned versions do not write, or write only in a terminal.

use baton_claude::transcript::{Row, Subagent};
use baton_protocol::Timestamp;
use expect_test::{Expect, expect};

use crate::{
    agents::{AgentOutput, claude::history::History},
    machine::{Observed, Sight},
};

/// Tells rows, one per line; `pause` and `left` are what a watcher does.
#[track_caller]
#[expect(
    clippy::needless_pass_by_value,
    reason = "an expectation is written where it is given"
)]
fn check(rows: &str, expected: Expect) {
    let mut history = History::new(Timestamp::from_millis(0));
    let mut told = String::new();
    for line in rows.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut seen = Vec::new();
        match line {
            "pause" => history.pause(&mut seen),
            "left" => history.left(&mut seen),
            row => history.row(&Row::decode(row.as_bytes()).unwrap(), &mut seen),
        }
        for one in seen {
            told += &shown(&one);
        }
    }
    expected.assert_eq(&told);
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a history tells only some of what an agent can say"
)]
fn shown(seen: &Observed) -> String {
    let what = match &seen.what {
        Sight::Said { message, folded } => {
            let files = message.attachments.len();
            format!("said {:?} folded={folded} files={files}", message.text)
        }
        Sight::Output(AgentOutput::Event { event, agent_id }) => {
            format!("{} {:?} {}", event.name(), agent_id, event.payload().text())
        }
        Sight::Output(AgentOutput::ToolResult(result)) => format!("result {}", result.tool_use_id),
        Sight::Output(AgentOutput::TurnEnded(end)) => {
            format!("ended {:?} {:?}", end.stop_reason, end.result)
        }
        Sight::Output(AgentOutput::Blob { bytes, .. }) => format!("{} bytes", bytes.len()),
        other => format!("{other:?}"),
    };
    format!("{} {what}\n", seen.at)
}

#[test]
fn times_never_go_back() {
    check(
        r#"{"type":"user","uuid":"11111111-2222-4333-8444-000000000001","timestamp":"2026-01-01T00:00:05Z","message":{"content":"late"}}
           {"type":"user","uuid":"11111111-2222-4333-8444-000000000002","timestamp":"2026-01-01T00:00:01Z","message":{"content":"early"}}
           {"type":"user","uuid":"11111111-2222-4333-8444-000000000003","message":{"content":"at no time"}}"#,
        expect![[r#"
            2026-01-01T00:00:05.000Z said "late" folded=false files=0
            2026-01-01T00:00:05.000Z ended Some(Interrupted) None
            2026-01-01T00:00:05.000Z said "early" folded=false files=0
            2026-01-01T00:00:05.000Z ended Some(Interrupted) None
            2026-01-01T00:00:05.000Z said "at no time" folded=false files=0
        "#]],
    );
}

#[test]
fn a_turn_is_over_when_its_last_text_is_there_and_nothing_follows() {
    check(
        r#"{"type":"user","uuid":"11111111-2222-4333-8444-000000000001","message":{"content":"hi"}}
           {"type":"assistant","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"thinking","thinking":"hm"}]}}
           pause
           {"type":"assistant","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"hello"}]}}
           pause
           {"type":"assistant","message":{"id":"n","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}
           pause
           left"#,
        expect![[r#"
            1970-01-01T00:00:00.000Z said "hi" folded=false files=0
            1970-01-01T00:00:00.000Z Output(TurnStarted)
            1970-01-01T00:00:00.000Z assistant.thinking None {"messageId":"m","block":0,"content":"hm","aborted":false}
            1970-01-01T00:00:00.000Z Output(TurnStarted)
            1970-01-01T00:00:00.000Z assistant.message None {"messageId":"m","block":1,"content":"hello","aborted":false}
            1970-01-01T00:00:00.000Z ended Some(End) Some("hello")
            1970-01-01T00:00:00.000Z Output(TurnStarted)
            1970-01-01T00:00:00.000Z tool.requested None {"toolUseId":"t","name":"Bash","toolKind":"shell","input":{},"label":"Running"}
            1970-01-01T00:00:00.000Z Left
        "#]],
    );
}

/// Seen in about a third of all compactions.
#[test]
fn an_answer_that_a_compaction_writes_again_is_told_once() {
    check(
        r#"{"type":"user","uuid":"11111111-2222-4333-8444-000000000001","message":{"content":"hi"}}
           {"type":"assistant","uuid":"11111111-2222-4333-8444-000000000002","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"done"}]}}
           pause
           {"type":"assistant","uuid":"11111111-2222-4333-8444-000000000002","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"done"}]}}
           {"type":"system","subtype":"compact_boundary","uuid":"11111111-2222-4333-8444-000000000003"}
           {"type":"user","uuid":"no-uuid","message":{"content":"thanks"}}"#,
        expect![[r#"
            1970-01-01T00:00:00.000Z said "hi" folded=false files=0
            1970-01-01T00:00:00.000Z Output(TurnStarted)
            1970-01-01T00:00:00.000Z assistant.message None {"messageId":"m","agentUuid":"11111111-2222-4333-8444-000000000002","block":0,"content":"done","aborted":false}
            1970-01-01T00:00:00.000Z ended Some(End) Some("done")
            1970-01-01T00:00:00.000Z context.compacted None {"trigger":"manual"}
            1970-01-01T00:00:00.000Z said "thanks" folded=false files=0
        "#]],
    );
}

#[test]
fn an_answer_that_goes_on_after_a_hook_is_the_same_turn() {
    check(
        r#"{"type":"user","uuid":"11111111-2222-4333-8444-000000000001","message":{"content":"hi"}}
           {"type":"assistant","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"done"}]}}
           {"type":"user","isMeta":true,"message":{"content":"Stop hook feedback: go on"}}
           {"type":"assistant","message":{"id":"n","stop_reason":"end_turn","content":[{"type":"text","text":"really done"}]}}
           {"type":"user","uuid":"11111111-2222-4333-8444-000000000002","message":{"content":"thanks"}}"#,
        expect![[r#"
            1970-01-01T00:00:00.000Z said "hi" folded=false files=0
            1970-01-01T00:00:00.000Z Output(TurnStarted)
            1970-01-01T00:00:00.000Z assistant.message None {"messageId":"m","block":0,"content":"done","aborted":false}
            1970-01-01T00:00:00.000Z Output(TurnStarted)
            1970-01-01T00:00:00.000Z assistant.message None {"messageId":"n","block":0,"content":"really done","aborted":false}
            1970-01-01T00:00:00.000Z ended Some(End) Some("really done")
            1970-01-01T00:00:00.000Z said "thanks" folded=false files=0
        "#]],
    );
}

#[test]
fn a_finished_task_begins_a_turn_of_the_agents_own() {
    check(
        r#"{"type":"user","message":{"content":"<task-notification>\n<task-id>b1</task-id></task-notification>"}}
           {"type":"assistant","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"it ended"}]}}
           {"type":"attachment","attachment":{"type":"queued_command","prompt":"<task-notification>x"}}
           left"#,
        expect![[r#"
            1970-01-01T00:00:00.000Z Output(TurnStarted)
            1970-01-01T00:00:00.000Z Output(TurnStarted)
            1970-01-01T00:00:00.000Z assistant.message None {"messageId":"m","block":0,"content":"it ended","aborted":false}
            1970-01-01T00:00:00.000Z ended Some(End) Some("it ended")
            1970-01-01T00:00:00.000Z Left
        "#]],
    );
}

#[test]
fn pictures_come_with_their_bytes_and_what_is_unknown_is_passed_over() {
    check(
        r#"{"type":"user","uuid":"11111111-2222-4333-8444-000000000001","message":{"content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"?"}},{"type":"document"}]}}
           {"type":"assistant","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"hologram"}]}}
           {"type":"hologram","uuid":"11111111-2222-4333-8444-000000000002"}
           {"type":"system","subtype":"hologram","content":"x"}
           {"type":"user","isSidechain":true,"message":{"content":"a sub-agent's"}}
           {"type":"user","message":{}}"#,
        expect![[r#"
            1970-01-01T00:00:00.000Z 3 bytes
            1970-01-01T00:00:00.000Z said "look" folded=false files=1
            1970-01-01T00:00:00.000Z Output(TurnStarted)
        "#]],
    );
}

#[test]
fn a_compaction_nobody_asked_for_stands_where_it_happened() {
    check(
        r#"{"type":"user","uuid":"11111111-2222-4333-8444-000000000001","message":{"content":"hi"}}
           {"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":9}}
           {"type":"user","isCompactSummary":true,"message":{"content":"what was"}}
           {"type":"assistant","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"on"}]}}
           {"type":"system","subtype":"compact_boundary"}
           pause"#,
        expect![[r#"
            1970-01-01T00:00:00.000Z said "hi" folded=false files=0
            1970-01-01T00:00:00.000Z context.compacted None {"trigger":"auto","tokensBefore":9}
            1970-01-01T00:00:00.000Z notification None {"message":"what was","kind":"synthetic"}
            1970-01-01T00:00:00.000Z Output(TurnStarted)
            1970-01-01T00:00:00.000Z assistant.message None {"messageId":"m","block":0,"content":"on","aborted":false}
            1970-01-01T00:00:00.000Z ended Some(End) Some("on")
            1970-01-01T00:00:00.000Z context.compacted None {"trigger":"manual"}
        "#]],
    );
}

#[test]
fn a_subagents_rows_belong_to_its_call() {
    let agent = Subagent {
        agent_id: "a1".into(),
        path: "agent-a1.jsonl".into(),
        agent_type: Some("Explore".into()),
        description: Some("look".into()),
        tool_use_id: Some("t".into()),
    };
    let row = |text: &str| Row::decode(text.as_bytes()).unwrap();
    let call = row(
        r#"{"type":"assistant","message":{"id":"m","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"Agent","input":{}}]}}"#,
    );
    let said = row(
        r#"{"type":"assistant","isSidechain":true,"message":{"id":"n","stop_reason":"end_turn","content":[{"type":"text","text":"seen"}]}}"#,
    );
    let result = row(
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"seen"}]}}"#,
    );
    let mut history = History::new(Timestamp::from_millis(0));
    let mut seen = Vec::new();
    assert!(!history.ends_agents(&result));
    history.row(&call, &mut seen);
    assert!(history.ends_agents(&result));
    history.agent_started(&agent, &said, &mut seen);
    history.agent_row(&agent, &said, &mut seen);
    history.agent_stopped(&agent, &mut seen);
    history.row(&result, &mut seen);
    assert!(!history.ends_agents(&result));
    let told: String = seen.iter().map(shown).collect();
    expect![[r#"
        1970-01-01T00:00:00.000Z Output(TurnStarted)
        1970-01-01T00:00:00.000Z tool.requested None {"toolUseId":"t","name":"Agent","toolKind":"agent","input":{},"label":"Sub-agent:"}
        1970-01-01T00:00:00.000Z subagent.started Some("a1") {"agentId":"a1","agentType":"Explore","parentToolUseId":"t","description":"look"}
        1970-01-01T00:00:00.000Z assistant.message Some("a1") {"messageId":"n","block":0,"content":"seen","parentToolUseId":"t","aborted":false}
        1970-01-01T00:00:00.000Z subagent.stopped Some("a1") {"agentId":"a1","agentType":"Explore","parentToolUseId":"t","description":"look","status":"completed","result":"seen"}
        1970-01-01T00:00:00.000Z result t
    "#]].assert_eq(&told);
}
