use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Owned {
    Whole(Vec<u8>),
    TooLong(u64, Vec<u8>),
    Unfinished(Vec<u8>),
}

impl From<Line<'_>> for Owned {
    fn from(line: Line<'_>) -> Self {
        match line {
            Line::Whole(bytes) => Self::Whole(bytes.to_vec()),
            Line::TooLong { bytes, head } => Self::TooLong(bytes, head.to_vec()),
            Line::Unfinished(bytes) => Self::Unfinished(bytes.to_vec()),
        }
    }
}

/// Feeds the chunks and gives each line with the position right after it.
fn split_all(splitter: &mut LineSplitter, chunks: &[&[u8]]) -> Vec<(u64, Owned)> {
    let mut lines = Vec::new();
    let mut position = 0;
    for chunk in chunks {
        let mut rest = *chunk;
        while let Some(Split { line, consumed }) = splitter.next(rest) {
            position += consumed as u64;
            lines.push((position, line.into()));
            rest = &rest[consumed..];
        }
        position += rest.len() as u64;
    }
    if let Some(line) = splitter.finish() {
        lines.push((position, line.into()));
    }
    lines
}

fn naive(bytes: &[u8], limit: usize) -> Vec<(u64, Owned)> {
    let mut lines = Vec::new();
    let mut position = 0;
    for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
        position += piece.len() as u64;
        let ended = piece.last() == Some(&b'\n');
        let line = if ended {
            &piece[..piece.len() - 1]
        } else {
            piece
        };
        let owned = if line.len() > limit {
            Owned::TooLong(line.len() as u64, line[..line.len().min(HEAD)].to_vec())
        } else if ended {
            Owned::Whole(line.to_vec())
        } else {
            Owned::Unfinished(line.to_vec())
        };
        lines.push((position, owned));
    }
    lines
}

fn cut<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut chunks = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (chunk, after) = rest.split_at((*cut).min(rest.len()));
        chunks.push(chunk);
        rest = after;
    }
    chunks.push(rest);
    chunks
}

/// Lines of these lengths that count from a byte of their own, so that no part
/// looks like another.
fn lines_of(lines: &[(usize, u8)], ended: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (length, first) in lines {
        let count = (*first..=u8::MAX).chain((0..=u8::MAX).cycle());
        bytes.extend(count.filter(|byte| *byte != b'\n').take(*length));
        bytes.push(b'\n');
    }
    if !ended {
        bytes.extend_from_slice(b"no newline");
    }
    bytes
}

/// As [`split_all`], but inside a line that is skipped every chunk goes to a
/// new splitter, which knows only what the last one told.
fn split_by_many(
    limit: usize,
    chunks: &[&[u8]],
    head: impl Fn(&[u8]) -> &[u8],
) -> Vec<(u64, Owned)> {
    let mut splitter = LineSplitter::with_limit(limit);
    let mut lines = Vec::new();
    let mut position = 0;
    let mut line_start = 0;
    for chunk in chunks {
        let mut rest = *chunk;
        while let Some(Split { line, consumed }) = splitter.next(rest) {
            position += consumed as u64;
            line_start = position;
            lines.push((position, line.into()));
            rest = &rest[consumed..];
            assert!(!splitter.is_skipping(), "after the end of a line");
        }
        position += rest.len() as u64;
        let so_far = position - line_start;
        assert_eq!(splitter.is_skipping(), so_far > limit as u64);
        if let Some((bytes, began)) = splitter.skipped() {
            assert_eq!(bytes, so_far);
            splitter = LineSplitter::with_limit(limit).resume_skipping(bytes, head(began));
        }
    }
    if let Some(line) = splitter.finish() {
        lines.push((position, line.into()));
    }
    assert!(!splitter.is_skipping(), "after the end");
    lines
}

proptest! {
    #[test]
    fn any_chunking_gives_the_lines_and_positions_of_naive_splitting(
        lines in prop::collection::vec((0_usize..3000, any::<u8>()), 0..12),
        ended in any::<bool>(),
        cuts in prop::collection::vec(0_usize..2000, 0..30),
        limit in prop::sample::select(vec![0_usize, 1, 10, 1000, 1500, 5000]),
    ) {
        let bytes = lines_of(&lines, ended);
        let mut splitter = LineSplitter::with_limit(limit);
        prop_assert_eq!(split_all(&mut splitter, &cut(&bytes, &cuts)), naive(&bytes, limit));
        // The splitter is as new after its end.
        prop_assert_eq!(split_all(&mut splitter, &[b"again\n"]), naive(b"again\n", limit));
    }

    #[test]
    fn a_skipped_line_is_one_line_however_many_splitters_share_it(
        lines in prop::collection::vec((0_usize..3000, any::<u8>()), 0..12),
        ended in any::<bool>(),
        cuts in prop::collection::vec(0_usize..2000, 0..30),
        limit in prop::sample::select(vec![0_usize, 1, 10, 1000, 1500, 5000]),
    ) {
        let bytes = lines_of(&lines, ended);
        let chunks = cut(&bytes, &cuts);
        prop_assert_eq!(split_by_many(limit, &chunks, |head| head), naive(&bytes, limit));
        // Without its head a line is still counted and never taken for two.
        let headless = split_by_many(limit, &chunks, |_| &[]);
        let expected = naive(&bytes, limit);
        prop_assert_eq!(headless.len(), expected.len());
        for ((at, line), (expected_at, expected)) in headless.into_iter().zip(expected) {
            prop_assert_eq!(at, expected_at);
            match (line, expected) {
                (Owned::TooLong(bytes, head), Owned::TooLong(expected, began)) => {
                    prop_assert_eq!(bytes, expected);
                    prop_assert!(head.is_empty() || head == began);
                }
                (line, expected) => prop_assert_eq!(line, expected),
            }
        }
    }
}

#[test]
fn a_line_inside_a_chunk_is_not_copied() {
    let mut splitter = LineSplitter::default();
    let chunk = b"one\n";
    let split = splitter.next(chunk).expect("the line is there");
    let Line::Whole(line) = split.line else {
        panic!("{split:?}")
    };
    assert_eq!(line.as_ptr(), chunk.as_ptr());
}

#[test]
fn a_line_longer_than_the_limit_costs_no_memory_beyond_it() {
    let limit = 256 * 1024;
    let mut splitter = LineSplitter::with_limit(limit);
    let chunk = vec![b'x'; 64 * 1024];
    let mut most = 0;
    for _ in 0..64 {
        assert_eq!(splitter.next(&chunk), None);
        most = most.max(splitter.partial.capacity());
    }
    assert!(most <= limit, "held {most} bytes");
    assert!(splitter.partial.capacity() <= 2 * HEAD);
    let split = splitter.next(b"end\nnext\n").expect("the long line ends");
    let bytes = 64 * 64 * 1024 + 3;
    assert_eq!(
        split.line,
        Line::TooLong {
            bytes,
            head: &chunk[..HEAD]
        }
    );
    assert_eq!(split.consumed, 4);
}

#[test]
fn memory_is_given_back_after_a_large_line() {
    let mut splitter = LineSplitter::default();
    assert_eq!(splitter.next(&vec![b'x'; 3 << 20]), None);
    let split = splitter.next(b"\n").expect("the line ends");
    assert_eq!(split.line, Line::Whole(&vec![b'x'; 3 << 20]));
    assert_eq!(splitter.next(b"small"), None);
    assert!(splitter.partial.capacity() <= KEEP);
}
