//! One connection to the control socket.

use std::path::Path;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
};

use crate::now;

pub(crate) struct Client {
    stream: UnixStream,
    buffer: Vec<u8>,
    /// Where the first line that was not taken begins.
    start: usize,
    asked: u64,
    /// When the last bytes came.
    pub(crate) came: u64,
}

impl Client {
    pub(crate) async fn connect(data: &Path) -> Self {
        Self {
            stream: UnixStream::connect(data.join("daemon.sock")).await.unwrap(),
            buffer: Vec::with_capacity(1 << 16),
            start: 0,
            asked: 0,
            came: 0,
        }
    }

    /// The next line; none when the daemon closed.
    pub(crate) async fn line(&mut self) -> Option<&str> {
        let mut looked = self.start;
        loop {
            let end = self.buffer[looked..].iter().position(|byte| *byte == b'\n');
            if let Some(length) = end {
                let begin = self.start;
                let end = looked + length;
                self.start = end + 1;
                return Some(std::str::from_utf8(&self.buffer[begin..end]).unwrap());
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            looked = self.buffer.len();
            if self.stream.read_buf(&mut self.buffer).await.unwrap() == 0 {
                return None;
            }
            self.came = now();
        }
    }

    async fn say(&mut self, frame: &Value) {
        let line = format!("{frame}\n");
        self.stream.write_all(line.as_bytes()).await.unwrap();
    }

    /// Sends a frame and gives what came of it; what else comes is dropped.
    pub(crate) async fn ask(&mut self, mut frame: Value) -> Value {
        self.asked += 1;
        let id = format!("bench-{}", self.asked);
        frame["id"] = json!(id);
        self.say(&frame).await;
        loop {
            let line = self.line().await.expect("the daemon answers");
            if !line.starts_with(r#"{"type":"reply""#) {
                continue;
            }
            let reply: Value = serde_json::from_str(line).unwrap();
            if reply["id"] == json!(id) {
                assert!(reply["ok"] == json!(true), "{frame} was refused: {reply}");
                return reply;
            }
        }
    }

    pub(crate) async fn subscribe(&mut self, session: &str) {
        let frame = json!({"type": "subscribe", "sessionId": session, "after": 0});
        self.ask(frame).await;
    }

    pub(crate) async fn message(&mut self, session: &str, text: &str) {
        let payload = json!({"text": text});
        self.ask(json!({"type": "command", "command": "message", "sessionId": session, "payload": payload}))
            .await;
    }

    /// Reads until a turn of a followed session is over.
    pub(crate) async fn until_turn_over(&mut self) {
        while let Some(line) = self.line().await {
            if line.starts_with(r#"{"type":"event""#) && line.contains(r#""type":"turn.completed""#)
            {
                return;
            }
        }
        panic!("the daemon closed before the turn was over");
    }
}

/// The text of a live frame, as it stands between the quotes.
pub(crate) fn live_text(line: &str) -> Option<&str> {
    let frame = line.strip_prefix(r#"{"type":"live""#)?;
    let (_, text) = frame.split_once(r#""text":""#)?;
    text.split('"').next()
}

/// The whole text of a finished answer.
pub(crate) fn whole_text(line: &str) -> Option<String> {
    let is_event = line.starts_with(r#"{"type":"event""#);
    if !is_event || !line.contains(r#""type":"assistant.message""#) {
        return None;
    }
    let frame: Value = serde_json::from_str(line).unwrap();
    frame["event"]["payload"]["content"]
        .as_str()
        .map(str::to_owned)
}
