//! Lines of the input, none of which can eat the memory.

use baton_process::{Line, LineSplitter};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    sync::mpsc,
};

/// One line at most, newline not counted: a message with all its files fits.
pub(crate) const MAX_LINE: usize = 80 << 20;

/// Lines that wait to be acted on. Full means that the input is not read.
pub(crate) const QUEUE: usize = 4;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    Line(Vec<u8>),
    /// A line of so many bytes was skipped.
    TooLong(u64),
}

/// Reads until the input ends or nobody wants it. What stands after the last
/// newline counts too: a parent that has closed its end meant it.
pub(crate) async fn read(
    mut input: impl AsyncRead + Unpin,
    lines: mpsc::Sender<Incoming>,
    limit: usize,
) {
    let mut splitter = LineSplitter::with_limit(limit);
    let mut chunk = vec![0; 64 << 10];
    loop {
        let length = match input.read(&mut chunk).await {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) => {
                tracing::warn!(%error, "the input cannot be read");
                break;
            }
        };
        let mut at = 0;
        while let Some(split) = splitter.next(&chunk[at..length]) {
            at += split.consumed;
            let Some(incoming) = incoming(split.line) else {
                continue;
            };
            if lines.send(incoming).await.is_err() {
                return;
            }
        }
    }
    if let Some(incoming) = splitter.finish().and_then(incoming) {
        lines.send(incoming).await.ok();
    }
}

fn incoming(line: Line<'_>) -> Option<Incoming> {
    match line {
        Line::Whole(line) | Line::Unfinished(line) => {
            let blank = line.iter().all(u8::is_ascii_whitespace);
            (!blank).then(|| Incoming::Line(line.to_vec()))
        }
        Line::TooLong { bytes, .. } => Some(Incoming::TooLong(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_over_the_limit_is_reported_and_the_next_ones_come() {
        let (tell, mut lines) = mpsc::channel(8);
        let input: &[u8] = b"one\n\n1234567890\ntwo\nlast";
        read(input, tell, 5).await;
        let mut got = Vec::new();
        while let Some(line) = lines.recv().await {
            got.push(line);
        }
        let line = |text: &str| Incoming::Line(text.as_bytes().to_vec());
        let wanted = [
            line("one"),
            Incoming::TooLong(10),
            line("two"),
            line("last"),
        ];
        assert_eq!(got, wanted);
    }
}
