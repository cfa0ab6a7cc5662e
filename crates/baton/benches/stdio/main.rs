//! `baton stdio` next to a Node process that does the same with the TypeScript
//! Agent SDK, both with the same agent in the same run.
//!
//! Start and memory are measured with the real CLI and the scripted model,
//! latency with `fake-claude`, which writes its clock into every paragraph.
//! The SDK is installed by `scripts/setup-clients bench`.
//!
//! `cargo bench -p baton --bench stdio -- [start|latency|memory]`
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark starts programs, stops at the first surprise and prints its table"
)]

mod bridge;
mod latency;
mod proc;
mod start;

use rustix::time::{ClockId, clock_gettime};

fn main() {
    let what = std::env::args().skip(1).find(|arg| arg != "--bench");
    match what.as_deref() {
        Some("start") => start::times(),
        Some("memory") => start::memory(),
        Some("latency") => latency::run(),
        Some(other) => panic!("{other}: there are start, latency and memory"),
        None => {
            start::times();
            latency::run();
            start::memory();
        }
    }
}

/// The clock that the fake writes into its paragraphs, in nanoseconds.
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

/// The value below which so many hundredths lie, in the unit that is `scale`
/// nanoseconds.
fn percentile(samples: &[u64], percent: usize, scale: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let index = (sorted.len() - 1) * percent / 100;
    sorted[index] as f64 / scale
}

fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split_whitespace().take(1).collect()
}
