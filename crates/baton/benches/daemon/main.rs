//! The whole daemon under load: many sessions at once, idle ones, a flood.
//!
//! Everything runs as it does for a user: `baton serve`, a holder and a
//! `fake-claude` per session, and this process as the client on the control
//! socket. What Baton costs is the daemon and the holders; the fakes and this
//! client are counted apart.
//!
//! `cargo bench -p baton --bench daemon -- [busy|idle|flood] [sessions] [seconds]`
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark starts programs, stops at the first surprise and prints its table"
)]

mod busy;
mod client;
mod fleet;
mod flood;
mod idle;
mod proc;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let what = args.next();
    let mut number = || args.next().and_then(|arg| arg.parse::<usize>().ok());
    let (first, second) = (number(), number());
    // One thread: the client is to take as little of the machine as it can.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let window = Duration::from_secs(second.unwrap_or(20) as u64);
        match what.as_deref() {
            Some("busy") => busy::run(&[first.unwrap_or(200)], window).await,
            Some("idle") => idle::run(first.unwrap_or(200)).await,
            Some("flood") => flood::run(first.unwrap_or(100_000), second.unwrap_or(10)).await,
            Some(other) => panic!("{other}: there are busy, idle and flood"),
            None => {
                busy::run(&[50, 200], window).await;
                idle::run(200).await;
                flood::run(100_000, 10).await;
            }
        }
    });
}

/// The clock that the fakes write into their tokens, in nanoseconds.
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

/// The value below which so many thousandths lie.
fn permille(sorted: &[u64], share: usize) -> u64 {
    match sorted.len() {
        0 => 0,
        count => sorted[(count - 1) * share / 1000],
    }
}
