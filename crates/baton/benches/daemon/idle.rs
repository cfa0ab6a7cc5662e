//! Sessions that have a process and nothing to do.

use std::time::Duration;

use crate::{client::Client, fleet::Fleet, proc};

const WATCHED: Duration = Duration::from_secs(10);

pub(crate) async fn run(count: usize) {
    println!(
        "{count} idle sessions, each with a warm process, watched for {} s\n",
        WATCHED.as_secs()
    );
    let fleet = Fleet::start().await;
    let mut client = Client::connect(&fleet.data()).await;
    // The first session also brings what is made once.
    one_turn(&fleet, &mut client).await;
    settle().await;
    let first = proc::memory(fleet.daemon());
    for _ in 1..count {
        one_turn(&fleet, &mut client).await;
    }
    settle().await;
    let (holders, agents) = (fleet.holders(), fleet.agents());
    assert!(
        holders.len() == count && agents.len() == count,
        "a process is missing"
    );
    let waits = || {
        let held: u64 = holders.iter().map(|pid| proc::waits(*pid)).sum();
        (proc::waits(fleet.daemon()), held)
    };
    let (cpu, wakes) = (fleet.cpu(&holders, &agents), waits());
    tokio::time::sleep(WATCHED).await;
    let (spent, woken) = (fleet.cpu(&holders, &agents).since(cpu), waits());
    let memory = proc::memory(fleet.daemon());
    let held = proc::memory_of(&holders);
    println!(
        "daemon:  {} wake-ups, {} ms CPU",
        woken.0 - wakes.0,
        spent.daemon
    );
    println!(
        "holders: {} wake-ups, {} ms CPU in all",
        woken.1 - wakes.1,
        spent.holders
    );
    println!(
        "daemon memory: private {:.2} MB with 1 session, {:.2} MB with {count}: {:.3} MB each; PSS {:.2} MB",
        first.private as f64 / 1e6,
        memory.private as f64 / 1e6,
        memory.private.saturating_sub(first.private) as f64 / 1e6 / (count - 1) as f64,
        memory.pss as f64 / 1e6,
    );
    println!(
        "holder memory: private {:.3} MB, PSS {:.3} MB, resident {:.2} MB each",
        held.private as f64 / 1e6 / count as f64,
        held.pss as f64 / 1e6 / count as f64,
        held.resident as f64 / 1e6 / count as f64,
    );
    println!("load {}\n", proc::load());
}

/// A session and its first turn, to the end.
async fn one_turn(fleet: &Fleet, client: &mut Client) {
    let session = fleet.create(client, "say Good day.").await;
    let mut reader = Client::connect(&fleet.data()).await;
    reader.subscribe(&session).await;
    reader.until_turn_over().await;
}

/// Threads that ran reads and starts end by themselves after ten seconds.
async fn settle() {
    tokio::time::sleep(Duration::from_secs(12)).await;
}
