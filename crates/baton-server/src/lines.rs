//! Lines of a byte stream, none of which can eat the memory.
//!
//! What splits the agents' lines is in `baton-process`, which the server must
//! not know: it starts no child.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// One line at most, newline not counted: room for a message with its files.
pub(crate) const MAX_LINE: usize = 96 << 20;

/// A buffer larger than this is given back after its line.
const KEEP: usize = 64 << 10;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// The line is in the buffer.
    Line,
    /// A line of so many bytes was skipped.
    TooLong(u64),
    End,
}

/// Reads the next line into `line`. What stands after the last newline is no
/// line: its sender did not finish it.
pub(crate) async fn next_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    limit: usize,
) -> io::Result<Read> {
    line.clear();
    line.shrink_to(KEEP);
    let mut length: u64 = 0;
    loop {
        let chunk = reader.fill_buf().await?;
        if chunk.is_empty() {
            return Ok(Read::End);
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        length += part.len() as u64;
        if length <= limit as u64 {
            line.extend_from_slice(part);
        } else {
            line.clear();
        }
        let taken = part.len() + usize::from(end.is_some());
        reader.consume(taken);
        if end.is_some() {
            return Ok(if length > limit as u64 {
                Read::TooLong(length)
            } else {
                Read::Line
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_over_the_limit_is_skipped_and_the_next_one_comes() {
        let mut reader: &[u8] = b"one\n1234567890\ntwo\ncut";
        let mut line = Vec::new();
        let mut reads = Vec::new();
        loop {
            let read = next_line(&mut reader, &mut line, 5).await.unwrap();
            let end = read == Read::End;
            reads.push((read, String::from_utf8(line.clone()).unwrap()));
            if end {
                break;
            }
        }
        assert_eq!(reads[0], (Read::Line, "one".into()));
        assert_eq!(reads[1].0, Read::TooLong(10));
        assert_eq!(reads[2], (Read::Line, "two".into()));
        assert_eq!(reads[3].0, Read::End);
    }
}
