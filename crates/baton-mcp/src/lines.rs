//! The server over standard input and output: one message per line.

use std::io;

use baton_process::{Line, LineSplitter};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::server::{Server, failure};

/// One line at most, newline not counted.
const MAX_LINE: usize = 4 << 20;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Answers every line of `input` on `output`, until the input ends.
pub async fn serve(
    server: &Server,
    mut input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut lines = LineSplitter::with_limit(MAX_LINE);
    let mut buffer = vec![0; 64 << 10];
    loop {
        let filled = input.read(&mut buffer).await?;
        let mut chunk = &buffer[..filled];
        while let Some(split) = lines.next(chunk) {
            chunk = &chunk[split.consumed..];
            answer(server, split.line, &mut output).await?;
        }
        if filled == 0 {
            // What stands after the last newline counts too.
            return match lines.finish() {
                Some(line) => answer(server, line, &mut output).await,
                None => Ok(()),
            };
        }
    }
}

async fn answer(
    server: &Server,
    line: Line<'_>,
    output: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let answer = match line {
        Line::TooLong { .. } => {
            let text = "a message may have at most 4 MB";
            Some(failure(&Value::Null, INVALID_REQUEST, text))
        }
        Line::Whole(line) | Line::Unfinished(line) => match serde_json::from_slice(line) {
            _ if line.iter().all(u8::is_ascii_whitespace) => None,
            Ok(message) => server.answer(&message).await,
            Err(error) => {
                let text = format!("the line is no JSON: {error}");
                Some(failure(&Value::Null, PARSE_ERROR, &text))
            }
        },
    };
    if let Some(answer) = answer {
        let mut text = serde_json::to_vec(&answer)?;
        text.push(b'\n');
        output.write_all(&text).await?;
        output.flush().await?;
    }
    Ok(())
}
