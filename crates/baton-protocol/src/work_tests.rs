use super::*;

fn fold(events: &[&str]) -> Vec<String> {
    let mut work = Vec::new();
    for (at, event) in (1..).zip(events) {
        let (name, payload) = event.split_once(' ').unwrap();
        let payload: Box<serde_json::value::RawValue> = serde_json::from_str(payload).unwrap();
        let event = Event::decode(name, &payload).unwrap();
        follow(&mut work, Timestamp::from_millis(at), &event);
    }
    let shown = work.iter().map(|one| {
        let place = if one.background { "background" } else { "turn" };
        format!(
            "{} {} {place} since {}",
            one.kind,
            one.id,
            one.started_at.as_millis()
        )
    });
    shown.collect()
}

const AGENT: &str = r#"subagent.started {"agentId":"a","parentToolUseId":"t1"}"#;
const CALL_OVER: &str = r#"tool.completed {"toolUseId":"t1","name":"Agent","output":"","isError":false,"durationMs":1}"#;
const STOPPED: &str = r#"subagent.stopped {"agentId":"a","status":"completed"}"#;

#[test]
fn a_subagent_is_in_the_background_once_its_call_is_over() {
    assert_eq!(fold(&[AGENT]), ["subagent a turn since 1"]);
    assert_eq!(fold(&[AGENT, CALL_OVER]), ["subagent a background since 1"]);
    assert!(fold(&[AGENT, CALL_OVER, STOPPED]).is_empty());
}

#[test]
fn a_subagent_that_is_a_task_too_is_there_once() {
    let runs = r#"task.updated {"taskId":"a","status":"running"}"#;
    let over = r#"task.updated {"taskId":"a","status":"completed"}"#;
    assert_eq!(fold(&[AGENT, runs]), ["subagent a background since 1"]);
    assert_eq!(fold(&[AGENT, runs, over]).len(), 1);
    assert!(fold(&[AGENT, runs, over, STOPPED]).is_empty());
    // Whichever is told first.
    assert_eq!(
        fold(&[runs, AGENT, over]),
        ["subagent a background since 1"]
    );
}

#[test]
fn a_command_runs_until_it_ends_or_its_session_does() {
    let runs = r#"task.updated {"taskId":"b","status":"running"}"#;
    let over = r#"task.updated {"taskId":"b","status":"failed"}"#;
    let ended = r#"session.ended {"status":"stopped"}"#;
    assert_eq!(fold(&[runs]), ["task b background since 1"]);
    assert!(fold(&[runs, over]).is_empty());
    assert!(fold(&[runs, ended]).is_empty());
}
