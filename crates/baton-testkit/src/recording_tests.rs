use serde_json::json;

use super::*;

#[test]
fn lines_keep_their_time_direction_and_message() {
    let folder = tempfile::tempdir().unwrap();
    let text = concat!(
        r#"{"t_ms": 0, "dir": "meta", "msg": {"argv": ["claude"]}}"#,
        "\n",
        r#"{"t_ms": 3, "dir": "in", "msg": {"type": "user"}}"#,
        "\n",
        r#"{"t_ms": 9, "dir": "out", "msg": {"type": "result"}}"#,
        "\n"
    );
    std::fs::write(folder.path().join("01-basic.jsonl"), text).unwrap();
    assert_eq!(recordings(folder.path()), ["01-basic"]);
    let lines = recording(folder.path(), "01-basic");
    let got: Vec<(u64, Direction)> = lines.iter().map(|line| (line.t_ms, line.dir)).collect();
    assert_eq!(
        got,
        [
            (0, Direction::Meta),
            (3, Direction::In),
            (9, Direction::Out)
        ]
    );
    assert_eq!(lines[2].msg, json!({"type": "result"}));
}

#[test]
#[should_panic(expected = "01-bad.jsonl:2 is not a recorded line")]
fn a_damaged_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("01-bad.jsonl"),
        "{\"t_ms\":0,\"dir\":\"in\",\"msg\":1}\n{\"dir\":\"up\"}\n",
    )
    .unwrap();
    recording(folder.path(), "01-bad");
}
