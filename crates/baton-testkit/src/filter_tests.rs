use serde_json::json;

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(Filter::new().text(text), expected);
}

#[test]
fn ids_become_placeholders_and_keep_their_prefix() {
    check(
        "id 09698e97-5dae-49fb-a033-c079a0b00c20, ses_09698e97-5dae-49fb-a033-c079a0b00c20.",
        "id [UUID], ses_[UUID].",
    );
    check(
        "ses_01hzy3v8k2m4n6p8q0r2s4t6v8 short_id",
        "ses_[ID] short_id",
    );
}

#[test]
fn times_durations_ports_and_versions_become_placeholders() {
    check(
        "at 2026-11-15T06:48:57.101Z and 2026-11-15T06:48:57+01:00",
        "at [TIME] and [TIME]",
    );
    check(
        "took 1.23s, 45 ms, 2m 3s; v2 of 3 steps",
        "took [DURATION], [DURATION], [DURATION] [DURATION]; v2 of 3 steps",
    );
    check("http://127.0.0.1:4711/x", "http://127.0.0.1:[PORT]/x");
    check(
        "claude 2.1.197 (Claude Code) from 10.0.0.1",
        "claude [VERSION] (Claude Code) from 10.0.0.1",
    );
}

#[test]
fn text_without_anything_variable_stays_as_it_is() {
    let text = "ünïcode 😀 12 files, 3-4 lines, a.b.c deadbeef";
    check(text, text);
}

#[test]
fn exact_texts_go_first_and_json_numbers_that_vary_are_zero() {
    let filter = Filter::new()
        .replace("/tmp/x/home", "[HOME]")
        .replace("/tmp/x", "[ROOT]");
    let value = json!({"path": "/tmp/x/home/a", "other": "/tmp/x/b", "duration_ms": 7, "turns": 2, "pid": 4});
    let expected =
        json!({"path": "[HOME]/a", "other": "[ROOT]/b", "duration_ms": 0, "turns": 2, "pid": 0});
    assert_eq!(filter.json(&value), expected);
}
