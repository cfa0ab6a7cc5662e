//! How long it takes to begin, and how much memory it takes to be there.

use std::{thread::sleep, time::Duration};

use baton_testkit::{
    Sandbox, Version, claude_cli,
    model::{ModelServer, Script},
};

use crate::{
    bridge::{Talk, Way},
    load, percentile, proc,
};

const ROUNDS: usize = 15;

/// The real CLI on a scripted model. Neither is counted.
fn scene() -> (Sandbox, ModelServer) {
    let server = ModelServer::start(Script::directed());
    (Sandbox::new().with_model(&server), server)
}

pub(crate) fn times() {
    let (sandbox, _server) = scene();
    let claude = claude_cli(Version::V325);
    let mut ready = [const { Vec::new() }; 3];
    let mut answered = [const { Vec::new() }; 3];
    // The first round warms the caches of the machine.
    for round in 0..=ROUNDS {
        for (at, way) in Way::ALL.into_iter().enumerate() {
            let mut talk = Talk::start(way, &sandbox, &claude);
            let begun = talk.begun;
            let told = match way {
                Way::Bare => begun,
                Way::Baton | Way::Sdk => talk.wait("ready"),
            };
            talk.say("TOK[3]");
            let result = talk.wait("result");
            talk.end();
            if round > 0 {
                ready[at].push(told - begun);
                answered[at].push(result - begun);
            }
        }
    }
    println!(
        "start, milliseconds, {ROUNDS} rounds in turns (load {})",
        load()
    );
    println!(
        "\nway                ready p50     p90   first answer p50   beyond the CLI's own p50"
    );
    let millis = |samples: &[u64], percent| percentile(samples, percent, 1e6);
    for (at, way) in Way::ALL.into_iter().enumerate() {
        println!(
            "{:<17} {:>10.1} {:>7.1} {:>18.1} {:>26.1}",
            way.name(),
            millis(&ready[at], 50),
            millis(&ready[at], 90),
            millis(&answered[at], 50),
            millis(&answered[at], 50) - millis(&answered[0], 50),
        );
    }
}

pub(crate) fn memory() {
    let (sandbox, _server) = scene();
    let claude = claude_cli(Version::V325);
    println!(
        "\nmemory after 20 turns, MB, without the agent (load {})",
        load()
    );
    println!("\nway                        own   private       PSS   resident");
    for way in [Way::Baton, Way::Sdk] {
        let mut talk = Talk::start(way, &sandbox, &claude);
        talk.wait("ready");
        for _ in 0..20 {
            talk.say("TOK[200]");
            talk.wait("turn_complete");
        }
        // What is given back after a turn is given back now.
        sleep(Duration::from_secs(1));
        let mut sum = proc::Memory::default();
        for pid in proc::alike(talk.child.id(), sandbox.root()) {
            let one = proc::memory(pid);
            sum.own += one.own;
            sum.private += one.private;
            sum.pss += one.pss;
            sum.resident += one.resident;
        }
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        println!(
            "{:<20} {:>9.1} {:>9.1} {:>9.1} {:>10.1}",
            way.name(),
            megabytes(sum.own),
            megabytes(sum.private),
            megabytes(sum.pss),
            megabytes(sum.resident)
        );
        talk.end();
    }
}
