//! Lines to stdout, quickly.

use std::io::{self, StdoutLock, Write as _};

use serde_json::Value;

use crate::clock::Ids;

/// Bytes gathered before they are written; also the least a flood writes at once.
const BUFFER: usize = 64 * 1024;

/// A buffered stdout. Whoever waits for input flushes first.
pub(crate) struct Output {
    stdout: StdoutLock<'static>,
    buffer: Vec<u8>,
    pub(crate) ids: Ids,
    /// Writes every line twice while set.
    pub(crate) twice: bool,
}

/// The unchanging parts of a text delta, so that a flood only copies bytes.
pub(crate) struct DeltaLine {
    before: Vec<u8>,
    between: Vec<u8>,
    after: Vec<u8>,
}

impl DeltaLine {
    /// For one content block of one message; `tail` follows the uuid.
    pub(crate) fn new(index: usize, kind: &str, field: &str, session: &str, tail: &str) -> Self {
        let before = format!(
            r#"{{"type":"stream_event","event":{{"type":"content_block_delta","index":{index},"delta":{{"type":"{kind}","{field}":"#
        );
        let between =
            format!(r#"}}}},"session_id":"{session}","parent_tool_use_id":null,"uuid":""#);
        Self {
            before: before.into_bytes(),
            between: between.into_bytes(),
            after: format!("\"{tail}}}\n").into_bytes(),
        }
    }
}

impl Output {
    pub(crate) fn new() -> Self {
        Self {
            stdout: io::stdout().lock(),
            buffer: Vec::with_capacity(2 * BUFFER),
            ids: Ids::new(),
            twice: false,
        }
    }

    /// Queues one JSON line.
    pub(crate) fn line(&mut self, value: &Value) -> io::Result<()> {
        let start = self.buffer.len();
        serde_json::to_writer(&mut self.buffer, value)?;
        self.buffer.push(b'\n');
        self.written(start)
    }

    /// Queues one text or thinking delta.
    pub(crate) fn delta(&mut self, line: &DeltaLine, text: &str) -> io::Result<()> {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(&line.before);
        if text
            .bytes()
            .any(|byte| byte < 0x20 || matches!(byte, b'"' | b'\\'))
        {
            serde_json::to_writer(&mut self.buffer, text)?;
        } else {
            self.buffer.push(b'"');
            self.buffer.extend_from_slice(text.as_bytes());
            self.buffer.push(b'"');
        }
        self.buffer.extend_from_slice(&line.between);
        self.ids.write(&mut self.buffer);
        self.buffer.extend_from_slice(&line.after);
        self.written(start)
    }

    /// Queues bytes as they are: for lines that are none.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        self.written(self.buffer.len())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.stdout.write_all(&self.buffer)?;
        self.buffer.clear();
        self.stdout.flush()
    }

    fn written(&mut self, start: usize) -> io::Result<()> {
        if self.twice {
            self.buffer.extend_from_within(start..);
        }
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }
}
