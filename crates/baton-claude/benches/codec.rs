//! Time and allocations per decoded line: `cargo bench -p baton-claude`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::unwrap_used, reason = "a benchmark may fail loudly")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use baton_claude::{Message, RawJson, decode};
use serde::Deserialize;
use tokio::time::Instant;

/// Counts allocations, then does what the system does.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[expect(
    unsafe_code,
    reason = "the trait is unsafe; each call is passed on unchanged"
)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, which is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the pointer came from `alloc` above, which is the system's.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How long each row is measured.
const ROW: Duration = Duration::from_millis(300);

fn main() {
    let lines = recorded_lines();
    let deltas: Vec<Vec<u8>> = lines
        .iter()
        .filter(|line| is_delta(line))
        .cloned()
        .collect();
    let of = |kind: fn(&Message<'_>) -> bool| -> Vec<Vec<u8>> {
        lines
            .iter()
            .filter(|line| kind(&decode(line).unwrap()))
            .cloned()
            .collect()
    };
    println!("| lines | count | bytes/line | ns/line | best ns/line | allocations/line |");
    println!("|---|---:|---:|---:|---:|---:|");
    row("text deltas", &deltas, false);
    row("text deltas, owned", &deltas, true);
    row(
        "stream events",
        &of(|message| matches!(message, Message::StreamEvent(_))),
        false,
    );
    row(
        "assistant",
        &of(|message| matches!(message, Message::Assistant(_))),
        false,
    );
    row(
        "user",
        &of(|message| matches!(message, Message::User(_))),
        false,
    );
    row(
        "system",
        &of(|message| matches!(message, Message::System(_))),
        false,
    );
    row(
        "result",
        &of(|message| matches!(message, Message::Result(_))),
        false,
    );
    row("whole recordings", &lines, false);
}

fn row(name: &str, lines: &[Vec<u8>], owned: bool) {
    let pass = || {
        for line in lines {
            let message = decode(black_box(line)).unwrap();
            if owned {
                black_box(message.into_owned());
            } else {
                black_box(message);
            }
        }
    };
    pass();
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    pass();
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    let (start, mut passes, mut best) = (Instant::now(), 0_u32, Duration::MAX);
    while start.elapsed() < ROW {
        let one = Instant::now();
        pass();
        best = best.min(one.elapsed());
        passes += 1;
    }
    let count = lines.len() as f64;
    let bytes = lines.iter().map(Vec::len).sum::<usize>() as f64 / count;
    let mean = start.elapsed().as_nanos() as f64 / f64::from(passes) / count;
    let best = best.as_nanos() as f64 / count;
    let allocations = allocations as f64 / count;
    let count = lines.len();
    println!("| {name} | {count} | {bytes:.0} | {mean:.0} | {best:.0} | {allocations:.2} |");
}

fn is_delta(line: &[u8]) -> bool {
    line.windows(12).any(|window| window == b"\"text_delta\"")
        && matches!(decode(line), Ok(Message::StreamEvent(_)))
}

/// Every line the CLI wrote in the recordings, laid out as the CLI does.
fn recorded_lines() -> Vec<Vec<u8>> {
    #[derive(Deserialize)]
    struct Row {
        dir: String,
        msg: RawJson,
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcripts");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut lines = Vec::new();
    for path in paths {
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let row: Row = serde_json::from_str(line).unwrap();
            if row.dir == "out" {
                lines.push(compact(row.msg.get()));
            }
        }
    }
    lines
}

/// Drops the spaces between tokens, which the CLI does not write.
fn compact(text: &str) -> Vec<u8> {
    let (mut out, mut in_string, mut escaped) = (Vec::new(), false, false);
    for &byte in text.as_bytes() {
        if in_string || !byte.is_ascii_whitespace() {
            out.push(byte);
        }
        if byte == b'"' && !escaped {
            in_string = !in_string;
        }
        escaped = byte == b'\\' && !escaped;
    }
    out
}
