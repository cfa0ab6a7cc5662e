use std::{io, sync::Arc};

use serde_json::Value;

use super::*;
use crate::{
    output::{ToolStart, TurnStarted},
    validate,
};

/// Keeps what was written; may refuse.
#[derive(Clone, Default)]
struct Kept {
    bytes: Arc<Mutex<Vec<u8>>>,
    gone: bool,
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.bytes.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.bytes.lock().unwrap().clone()).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

fn begun() -> Vec<Output> {
    let ready = r#"{"type":"ready","conversationId":"c","sessionId":"ses_00000000000000000000000000000007","cwd":"/","agent":"demo","version":"0","permissionMode":"default","toolPreset":"full","forked":false}"#;
    let tool = r#"{"type":"hook_pre_tool","toolUseId":"t","toolName":"Bash","input":{}}"#;
    vec![
        serde_json::from_str(ready).unwrap(),
        TurnStarted {
            turn: baton_protocol::Turn(1),
            origin: baton_protocol::words::Origin::User,
        }
        .into(),
        serde_json::from_str(tool).unwrap(),
        ToolStart {
            tool_use_id: "t".into(),
            name: "Bash".into(),
            input: baton_protocol::words::Json::null(),
            label: "Running".into(),
            agent_id: None,
            parent_tool_use_id: None,
        }
        .into(),
    ]
}

#[test]
fn no_character_of_a_text_ends_its_line_for_any_reader() {
    let text = "a\u{2028}b\u{2029}\u{85}c\\\u{2028}\u{e9}\u{2014}d";
    let json = serde_json::to_vec(text).unwrap();
    let line = String::from_utf8(on_one_line(json)).unwrap();
    assert_eq!(line, r#""a\u2028b\u2029\u0085c\\\u2028é—d""#);
    assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
}

#[tokio::test]
async fn a_speaker_that_vanishes_leaves_nothing_open() {
    let kept = Kept::default();
    let outbox = Outbox::to(kept.clone()).unwrap();
    for said in begun() {
        outbox.say(said).await;
    }
    outbox.close(None);
    let lines = kept.lines();
    assert_eq!(
        validate::problems(&lines),
        Vec::<String>::new(),
        "{lines:?}"
    );
    let names: Vec<&str> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    let wanted = [
        "ready",
        "turn_started",
        "hook_pre_tool",
        "tool_start",
        "hook_post_tool",
        "tool_end",
        "result",
        "turn_complete",
        "error",
        "shutdown",
    ];
    assert_eq!(names, wanted);
    assert_eq!(lines[9]["reason"], "panic");
}

#[tokio::test]
async fn a_parent_that_is_gone_is_noticed() {
    let kept = Kept {
        gone: true,
        ..Kept::default()
    };
    let outbox = Outbox::to(kept).unwrap();
    let mut broken = outbox.broken();
    outbox.say(begun().remove(0)).await;
    assert!(*broken.wait_for(|broken| *broken).await.unwrap());
    outbox.close(None);
}
