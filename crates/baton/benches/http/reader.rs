//! One client that reads a stream, as cheaply as it can: it shares the machine
//! with what it measures.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use crate::now;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    WebSocket,
    Sse,
}

impl Transport {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::WebSocket => "WebSocket",
            Self::Sse => "SSE",
        }
    }
}

pub(crate) struct Reader {
    stream: TcpStream,
    transport: Transport,
    buffer: Vec<u8>,
    /// What lies between these is not taken yet.
    start: usize,
    end: usize,
    /// When the last bytes came.
    pub(crate) came: u64,
}

impl Reader {
    /// Asks for a stream; `head` is what the request says beside its kind.
    pub(crate) fn open(address: &str, path: &str, head: &str, transport: Transport) -> Self {
        let kind = match transport {
            Transport::WebSocket => {
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                 Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            }
            Transport::Sse => "Accept: text/event-stream\r\n",
        };
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{head}{kind}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = Self {
            stream,
            transport,
            buffer: vec![0; 256 << 10],
            start: 0,
            end: 0,
            came: 0,
        };
        let status = loop {
            if let Some(length) = find(reader.left(), b"\r\n\r\n") {
                let status = String::from_utf8_lossy(&reader.left()[..length]).into_owned();
                reader.start += length + 4;
                break status;
            }
            reader.fill();
        };
        let wanted = match transport {
            Transport::WebSocket => " 101 ",
            Transport::Sse => " 200 ",
        };
        assert!(status.contains(wanted), "{path}: {status}");
        reader
    }

    /// Sends one text frame, over a WebSocket.
    pub(crate) fn say(&mut self, text: &str) {
        let length = u16::try_from(text.len()).unwrap();
        let mut frame = vec![0x81, 0x80 | 126];
        frame.extend(length.to_be_bytes());
        // A mask of zeroes is one.
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.stream.write_all(&frame).unwrap();
    }

    /// The next frame's or event's JSON.
    pub(crate) fn next(&mut self) -> &str {
        let (start, end) = match self.transport {
            Transport::WebSocket => self.next_frame(),
            Transport::Sse => self.next_data(),
        };
        std::str::from_utf8(&self.buffer[start..end]).unwrap()
    }

    fn next_frame(&mut self) -> (usize, usize) {
        loop {
            self.need(2);
            let length = self.left()[1] & 0x7f;
            let head = match length {
                126 => 4,
                127 => 10,
                _ => 2,
            };
            self.need(head);
            let bytes = &self.left()[2..head];
            let long = bytes
                .iter()
                .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            let length = if head == 2 { usize::from(length) } else { long };
            self.need(head + length);
            let kind = self.left()[0] & 0x0f;
            let start = self.start + head;
            self.start = start + length;
            assert!(kind != 8, "the stream was closed");
            // A ping needs no answer for as long as this lasts.
            if kind == 1 {
                return (start, start + length);
            }
        }
    }

    /// Lines that are no data are names, comments or the borders of chunks,
    /// which lie between events.
    fn next_data(&mut self) -> (usize, usize) {
        let mut looked = 0;
        loop {
            let Some(at) = find(&self.left()[looked..], b"\n") else {
                looked = self.left().len();
                self.fill();
                continue;
            };
            let start = self.start;
            let end = start + looked + at;
            self.start = end + 1;
            looked = 0;
            if self.buffer[start..end].starts_with(b"data: ") {
                return (start + 6, end);
            }
        }
    }

    fn left(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    fn need(&mut self, bytes: usize) {
        while self.end - self.start < bytes {
            if self.buffer.len() < bytes {
                self.buffer.resize(bytes * 2, 0);
            }
            self.fill();
        }
    }

    fn fill(&mut self) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.buffer.len() - self.end < 64 << 10 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            if self.buffer.len() - self.end < 64 << 10 {
                self.buffer.resize(self.buffer.len() * 2, 0);
            }
        }
        let count = self.stream.read(&mut self.buffer[self.end..]).unwrap();
        assert!(count > 0, "the stream ended");
        self.came = now();
        self.end += count;
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    match what {
        [byte] => bytes.iter().position(|found| found == byte),
        _ => bytes.windows(what.len()).position(|window| window == what),
    }
}

/// The text of a live frame, or of a line that the relay passes on.
pub(crate) fn live_text(frame: &str) -> Option<&str> {
    let head = frame.get(..frame.len().min(260))?;
    if !head.contains(r#""type":"assistant.delta""#) && !head.contains(r#""text_delta""#) {
        return None;
    }
    let (_, text) = frame.split_once(r#""text":""#)?;
    text.split('"').next()
}

/// Whether an event of this type is told.
pub(crate) fn is_event(frame: &str, kind: &str) -> bool {
    let head = &frame[..frame.len().min(400)];
    head.contains(kind)
}
