use baton_protocol::words::Json;
use serde_json::json;

use super::*;
use crate::output::{AgentStop, ToolStart};

fn at() -> Timestamp {
    Timestamp::from_millis(1_794_725_041_522)
}

fn call(input: &Value) -> Output {
    ToolStart {
        tool_use_id: "toolu_1".into(),
        name: "Write".into(),
        input: Json::of(input),
        label: "Writing".into(),
        agent_id: None,
        parent_tool_use_id: None,
    }
    .into()
}

/// A line as a reader takes it.
fn read(said: &Output) -> (usize, Value) {
    let line = line(said, 7, at()).unwrap();
    assert_eq!(line.last(), Some(&b'\n'));
    assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
    (line.len(), serde_json::from_slice(&line).unwrap())
}

#[test]
fn every_line_ends_with_its_number_and_its_time() {
    let said = AgentStop {
        turn: baton_protocol::Turn(3),
    };
    let line = line(&said.into(), 7, at()).unwrap();
    assert_eq!(
        String::from_utf8(line).unwrap(),
        "{\"type\":\"agent_stop\",\"turn\":3,\"seq\":7,\"ts\":\"2026-11-15T06:44:01.522Z\"}\n"
    );
}

#[test]
fn a_line_is_never_too_long_and_says_what_was_cut() {
    let long = |sign: &str, count: usize| sign.repeat(count);
    for text in [
        long("x", 3 << 20),
        long("\u{2028}", 1 << 20),
        long("\u{1}", 1 << 20),
        long("\"", 2 << 20),
        long("\u{10ffff}", 1 << 20),
    ] {
        let (bytes, line) = read(&call(&json!({"file_path": "a", "content": text})));
        assert!(bytes <= MAX_LINE, "{bytes}");
        assert!(
            bytes > MAX_LINE - 2 * RESERVED,
            "more was cut than had to be"
        );
        let wanted = json!([{"field": "/input/content", "bytes": text.len()}]);
        assert_eq!(line["cut"], wanted);
        assert_eq!(line["input"]["file_path"], "a");
        let left = line["input"]["content"].as_str().unwrap();
        assert!(text.starts_with(left));
        assert_eq!(line["seq"], 7);
    }
}

#[test]
fn many_texts_and_many_small_things_fit_too() {
    let texts: Vec<String> = (0..10).map(|_| "y".repeat(300_000)).collect();
    let (bytes, line) = read(&call(&json!({"edits": texts})));
    assert!(bytes <= MAX_LINE, "{bytes}");
    assert!(line["cut"].as_array().unwrap().len() > 1);
    let numbers: Vec<u32> = (0..400_000).collect();
    let (bytes, line) = read(&call(&json!({"numbers": numbers})));
    assert!(bytes <= MAX_LINE, "{bytes}");
    assert_eq!(line["input"], Value::Null);
    assert_eq!(line["cut"][0]["field"], "/input");
    assert_eq!(line["type"], "tool_start");
}

#[test]
fn a_line_that_fits_is_left_as_it_is() {
    let (bytes, line) = read(&call(
        &json!({"content": "x".repeat(MAX_LINE - RESERVED - 500)}),
    ));
    assert!(bytes <= MAX_LINE);
    assert!(line.get("cut").is_none());
}

#[test]
fn no_character_of_a_text_ends_its_line_for_any_reader() {
    let text = "a\u{2028}b\u{2029}\u{85}c\\\u{2028}\u{e9}\u{2014}d";
    let json = serde_json::to_vec(text).unwrap();
    let line = String::from_utf8(on_one_line(json)).unwrap();
    assert_eq!(line, r#""a\u2028b\u2029\u0085c\\\u2028é—d""#);
    assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
}
