//! The daemon's streams over HTTP: how late, how fast, and at what cost idle.
//!
//! Everything runs as it does for a user: `baton serve` with an emptied
//! environment, a holder and a `fake-claude` per session, and this process as
//! WebSocket and SSE clients over loopback. Next to it, in rounds that take
//! turns, stands a minimal relay: axum in one process, which stores nothing,
//! behind one process that only reads and writes, in the holder's place.
//!
//! `cargo bench -p baton --bench http -- [latency|speed|durable|idle|start|first]`
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark starts programs, stops at the first surprise and prints its table"
)]

mod daemon;
mod durable;
mod first;
mod idle;
mod latency;
#[path = "../daemon/proc.rs"]
#[expect(dead_code, reason = "the other benchmark counts more processes")]
mod proc;
mod reader;
mod relay;
mod speed;
mod start;

use rustix::time::{ClockId, clock_gettime};

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    match args.next().as_deref() {
        // Roles of the reference, in processes of their own.
        Some("bare") => relay::bare(),
        Some("relay") => relay::serve(&args.next().unwrap()),
        Some("latency") => latency::run(),
        Some("speed") => speed::run(),
        Some("durable") => durable::run(),
        Some("idle") => idle::run(),
        Some("start") => start::run(),
        Some("first") => first::run(),
        Some(other) => panic!("{other}: there are latency, speed, durable, idle, start and first"),
        None => {
            latency::run();
            speed::run();
            durable::run();
            idle::run();
            start::run();
            first::run();
        }
    }
}

/// The clock that the fakes write into their tokens, in nanoseconds.
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

/// The value below which so many hundredths lie.
fn percentile(values: &[u64], percent: usize) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    match sorted.len() {
        0 => 0,
        count => sorted[(count - 1) * percent / 100],
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
