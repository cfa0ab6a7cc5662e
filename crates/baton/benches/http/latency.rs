//! How old a token is when a client has it, next to the minimal relay.

use crate::{
    daemon::Daemon,
    percentile, proc,
    reader::{Reader, Transport, live_text},
    relay::Relay,
};

const SECONDS: usize = 5;
const ROUNDS: usize = 5;

/// The first tokens of a round also wait for what went cold.
const FIRST: usize = 10;

pub(crate) fn run() {
    println!(
        "a live delta's age at a client, 50 tokens/s, {ROUNDS} rounds of {SECONDS} s in turns, microseconds\n"
    );
    let daemon = Daemon::start();
    let session = daemon.session();
    let relay = Relay::start();
    let mut turns = 1;
    println!("transport  round   baton p50     p99   relay p50     p99   ratio p50    p99   load");
    for transport in [Transport::WebSocket, Transport::Sse] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 1..=ROUNDS {
            let mut reader = daemon.follow_after(&session, transport, turns);
            daemon.message(&session, &prompt());
            let mine = ages(&mut reader, r#""type":"turn.completed""#);
            turns += 1;
            let mut reader = relay.follow(transport);
            relay.message(&prompt());
            let other = ages(&mut reader, r#""type":"result""#);
            row(transport, &round.to_string(), &mine, &other);
            ours.extend(mine);
            theirs.extend(other);
        }
        row(transport, "all", &ours, &theirs);
    }
    println!();
}

fn prompt() -> String {
    format!("rate 50 per second for {SECONDS} s")
}

fn ages(reader: &mut Reader, last: &str) -> Vec<u64> {
    let mut ages = Vec::new();
    loop {
        let frame = reader.next();
        if frame.contains(last) {
            break;
        }
        let stamp = live_text(frame).and_then(|text| text.trim().parse::<u64>().ok());
        if let Some(stamp) = stamp {
            ages.push(reader.came - stamp);
        }
    }
    assert!(ages.len() > FIRST * 2, "tokens came merged or not at all");
    ages.split_off(FIRST)
}

fn row(transport: Transport, round: &str, ours: &[u64], theirs: &[u64]) {
    let of = |ages: &[u64], percent| percentile(ages, percent) as f64 / 1e3;
    let (a50, a99) = (of(ours, 50), of(ours, 99));
    let (b50, b99) = (of(theirs, 50), of(theirs, 99));
    println!(
        "{:<9}  {round:>5}  {a50:10.0}  {a99:6.0}  {b50:10.0}  {b99:6.0}  {:10.2}  {:5.2}  {:>5}",
        transport.name(),
        a50 / b50,
        a99 / b99,
        proc::load(),
    );
}
