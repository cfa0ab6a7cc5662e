//! One session at full speed.

use std::time::Duration;

use crate::{
    client::{Client, live_text, whole_text},
    fleet::Fleet,
    now, proc,
};

/// What the fake says over and over.
const TOKEN: usize = "tok ".len();

pub(crate) async fn run(tokens: usize, turns: usize) {
    println!("a flood of {turns} turns of {tokens} tokens in one session\n");
    let fleet = Fleet::start().await;
    let mut client = Client::connect(&fleet.data()).await;
    let session = fleet.create(&mut client, "flood 1000").await;
    let mut reader = Client::connect(&fleet.data()).await;
    reader.subscribe(&session).await;
    reader.until_turn_over().await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let (holders, agents) = (fleet.holders(), fleet.agents());
    let before = (proc::memory(fleet.daemon()), proc::memory_of(&holders));
    let cpu = fleet.cpu(&holders, &agents);
    let [mut seconds, mut live, mut frames, mut whole] = [0.0, 0.0, 0.0, 0.0_f64];
    for _ in 0..turns {
        client.message(&session, &format!("flood {tokens}")).await;
        let begin = now();
        loop {
            let line = reader.line().await.unwrap();
            if let Some(text) = live_text(line) {
                live += text.len() as f64 / TOKEN as f64;
                frames += 1.0;
            } else if let Some(text) = whole_text(line) {
                whole += text.len() as f64 / TOKEN as f64;
            } else if line.contains(r#""type":"turn.completed""#) {
                break;
            }
        }
        seconds += (now() - begin) as f64 / 1e9;
    }
    let spent = fleet.cpu(&holders, &agents).since(cpu);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let after = (proc::memory(fleet.daemon()), proc::memory_of(&holders));
    let all = (tokens * turns) as f64;
    println!("tokens/s {:.0}, {seconds:.2} s in all", all / seconds);
    println!(
        "in the log {:.3} %, live {:.3} % in {frames} frames",
        whole * 100.0 / all,
        live * 100.0 / all
    );
    println!(
        "CPU us/token: daemon {:.2}, holder {:.2}, agent {:.2}, client {:.2}",
        spent.daemon as f64 * 1e3 / all,
        spent.holders as f64 * 1e3 / all,
        spent.agents as f64 * 1e3 / all,
        spent.client as f64 * 1e3 / all,
    );
    for (name, before, after) in [("daemon", before.0, after.0), ("holder", before.1, after.1)] {
        println!(
            "{name}: private {:.2} -> {:.2} MB, resident {:.2} -> {:.2} MB",
            before.private as f64 / 1e6,
            after.private as f64 / 1e6,
            before.resident as f64 / 1e6,
            after.resident as f64 / 1e6,
        );
    }
    println!("load {}\n", proc::load());
}
