//! The server over standard input and output: one message per line.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};

use crate::server::{Server, failure};

/// One line at most, newline not counted.
const MAX_LINE: usize = 4 << 20;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Answers every line of `input` on `output`, until the input ends.
pub async fn serve(
    server: &Server,
    mut input: impl AsyncBufRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let whole = match read(&mut input, &mut line).await? {
            Read::End => return Ok(()),
            Read::Line => true,
            Read::TooLong => false,
        };
        if whole && line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = match serde_json::from_slice::<Value>(&line) {
            _ if !whole => {
                let text = "a message may have at most 4 MB";
                Some(failure(&Value::Null, INVALID_REQUEST, text))
            }
            Ok(message) => server.answer(&message).await,
            Err(error) => {
                let text = format!("the line is no JSON: {error}");
                Some(failure(&Value::Null, PARSE_ERROR, &text))
            }
        };
        if let Some(answer) = answer {
            let mut text = serde_json::to_vec(&answer)?;
            text.push(b'\n');
            output.write_all(&text).await?;
            output.flush().await?;
        }
    }
}

enum Read {
    Line,
    TooLong,
    End,
}

/// The next line, or that it was too long and has been skipped.
async fn read(input: &mut (impl AsyncBufRead + Unpin), line: &mut Vec<u8>) -> io::Result<Read> {
    let mut long = false;
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() {
            // What stands after the last newline counts too.
            return Ok(match (long, line.is_empty()) {
                (true, _) => Read::TooLong,
                (false, true) => Read::End,
                (false, false) => Read::Line,
            });
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        long |= line.len() + part.len() > MAX_LINE;
        if long {
            line.clear();
        } else {
            line.extend_from_slice(part);
        }
        let taken = part.len() + usize::from(end.is_some());
        input.consume(taken);
        if end.is_some() {
            return Ok(if long { Read::TooLong } else { Read::Line });
        }
    }
}
