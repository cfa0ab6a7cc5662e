//! A client of the control socket that reads one frame at a time, so that a
//! test can stop the world between any two of them.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use baton_protocol::{Seq, SessionId};
use serde_json::{Value, json};

/// A life is full of events; this long without one, on a loaded machine.
const SILENCE: Duration = Duration::from_secs(60);

/// What became of waiting for a frame.
pub(super) enum Heard {
    Frame(Value),
    /// The connection is over.
    Over,
    /// Nothing for so long that nothing will come.
    Silence,
}

pub(super) struct Wire {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

impl Wire {
    pub(super) fn connect(data: &Path) -> Self {
        let writer = UnixStream::connect(data.join("daemon.sock")).unwrap();
        writer.set_read_timeout(Some(SILENCE)).unwrap();
        let reader = BufReader::new(writer.try_clone().unwrap());
        let mut wire = Self { reader, writer };
        wire.send(&json!({"type": "hello", "client": {"id": "test", "name": "test"}}));
        wire
    }

    /// A daemon that is gone reads nothing; that shows when its answer is read.
    pub(super) fn send(&mut self, frame: &Value) {
        self.writer.write_all(format!("{frame}\n").as_bytes()).ok();
    }

    pub(super) fn subscribe(&mut self, session: SessionId, after: Seq) {
        self.send(&json!({"type": "subscribe", "sessionId": session, "after": after}));
    }

    pub(super) fn command(
        &mut self,
        id: &str,
        session: Option<SessionId>,
        name: &str,
        payload: &Value,
    ) {
        let frame = json!({
            "type": "command", "id": id, "sessionId": session, "command": name, "payload": payload,
        });
        self.send(&frame);
    }

    /// Waits for the next frame.
    pub(super) fn next(&mut self) -> Heard {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            // What a dead daemon cut off was never said.
            Ok(_) if line.ends_with('\n') => Heard::Frame(serde_json::from_str(&line).unwrap()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Heard::Silence,
            Ok(_) | Err(_) => Heard::Over,
        }
    }
}
