use serde_json::json;

use super::*;

/// The problems of lines that are numbered as they come.
fn problems(lines: &[Value]) -> Vec<String> {
    let mut lines = lines.to_vec();
    for (line, seq) in lines.iter_mut().zip(1..) {
        line["seq"] = json!(seq);
        line["ts"] = json!("2026-11-15T06:44:01.522Z");
    }
    super::problems(&lines)
}

fn lines() -> Vec<Value> {
    vec![
        json!({"type":"ready","conversationId":"c","sessionId":"ses_00000000000000000000000000000007","cwd":"/","agent":"demo","version":"0","permissionMode":"default","toolPreset":"full","forked":false}),
        json!({"type":"turn_started","turn":1,"origin":"user"}),
        json!({"type":"tool_start","toolUseId":"t","name":"Read","input":{},"label":"Reading"}),
        json!({"type":"tool_end","toolUseId":"t","name":"Read","success":true,"summary":"","output":"","durationMs":1}),
        json!({"type":"result","turn":1,"messageIds":[],"success":true,"isError":false,"stopReason":"end","totalCostUsd":0.0,"durationMs":1,"stats":{}}),
        json!({"type":"turn_complete","turn":1,"stopReason":"end"}),
        json!({"type":"complete","turns":1,"totalCostUsd":0.0}),
        json!({"type":"shutdown","reason":"stop","exitCode":0}),
    ]
}

#[test]
fn a_run_in_order_has_no_problems() {
    assert_eq!(problems(&lines()), Vec::<String>::new());
}

#[test]
fn every_line_is_needed_and_none_may_come_twice_or_elsewhere() {
    let good = lines();
    for at in 0..good.len() {
        // A conversation may end without being complete.
        if at != 6 {
            let mut missing = good.clone();
            missing.remove(at);
            assert_ne!(
                problems(&missing),
                Vec::<String>::new(),
                "without line {at}"
            );
        }
        let mut twice = good.clone();
        twice.insert(at, good[at].clone());
        assert_ne!(problems(&twice), Vec::<String>::new(), "line {at} twice");
        for other in 0..at {
            // A call in the background may begin and end around a turn.
            if matches!((at, other), (2, 1) | (4, 3)) {
                continue;
            }
            let mut swapped = good.clone();
            swapped.swap(at, other);
            assert_ne!(
                problems(&swapped),
                Vec::<String>::new(),
                "{at} and {other} swapped"
            );
        }
    }
}

#[test]
fn a_line_without_its_form_is_told() {
    let mut bad = lines();
    bad[3].as_object_mut().unwrap().remove("success");
    assert_eq!(problems(&bad).len(), 1);
    let mut unknown = lines();
    unknown.insert(1, json!({"type": "shout"}));
    assert_eq!(problems(&unknown), ["line 2: `shout` is no event"]);
}

#[test]
fn wrong_usage_is_one_error_and_nothing_else() {
    let error = json!({"type":"error","code":"usage","message":"m","fatal":true});
    assert_eq!(problems(std::slice::from_ref(&error)), Vec::<String>::new());
    assert_ne!(problems(&[error.clone(), error]), Vec::<String>::new());
}

#[test]
fn numbers_have_no_gap_and_every_line_has_its_time() {
    let line =
        |seq: u64| json!({"type":"agent_stop","turn":1,"seq":seq,"ts":"2026-11-15T06:44:01.522Z"});
    let gap = super::problems(&[line(1), line(3)]);
    assert!(
        gap.contains(&"line 2: `agent_stop` has the number 3".to_owned()),
        "{gap:?}"
    );
    let mut timeless = line(1);
    timeless.as_object_mut().unwrap().remove("ts");
    let told = super::problems(&[timeless]);
    assert!(
        told.contains(&"line 1: `agent_stop` has no time".to_owned()),
        "{told:?}"
    );
}
