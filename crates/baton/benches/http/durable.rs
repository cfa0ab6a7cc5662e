//! Events that are kept: as they are made, and all of them to a fresh client.

use crate::{
    daemon::Daemon,
    median, now, proc,
    reader::{Reader, Transport, is_event},
};

const EVENTS: usize = 100_000;
const TURNS: usize = 3;
const FRESH: usize = 9;

pub(crate) fn run() {
    println!("{EVENTS} events of about 400 bytes, every tenth a message\n");
    let (mut rates, mut costs) = (Vec::new(), Vec::new());
    let mut last = None;
    for _ in 0..TURNS {
        let daemon = Daemon::start();
        let session = daemon.session();
        let mut reader = daemon.follow_after(&session, Transport::WebSocket, 1);
        let (began, cpu) = (now(), proc::cpu_ms(daemon.pid()));
        daemon.message(&session, &format!("events {EVENTS}"));
        let mut count = 0;
        while !is_event(reader.next(), r#""type":"turn.completed""#) {
            count += 1;
        }
        assert!(count >= EVENTS, "only {count} events");
        rates.push(count as f64 * 1e9 / (reader.came - began) as f64);
        costs.push((proc::cpu_ms(daemon.pid()) - cpu) as f64 * 1e3 / count as f64);
        last = Some((daemon, session));
    }
    println!(
        "made, committed and shown to one WebSocket client: {:.0} events/s in the middle of {TURNS}, {:.0} to {:.0}, {:.1} us of the daemon's CPU each; load {}",
        median(&rates),
        rates.iter().copied().fold(f64::INFINITY, f64::min),
        rates.iter().copied().fold(0.0, f64::max),
        median(&costs),
        proc::load(),
    );
    let (daemon, session) = last.unwrap();
    for transport in [Transport::WebSocket, Transport::Sse] {
        let mut times = Vec::new();
        let mut bytes = 0;
        for _ in 0..FRESH {
            let began = now();
            let mut reader = daemon.follow(&session, transport);
            bytes = read_all(&mut reader);
            times.push((reader.came - began) as f64 / 1e6);
        }
        println!(
            "to a fresh {} client, from its connect: {:.0} ms in the middle of {FRESH}, {:.0} to {:.0}; {:.1} MB of JSON; load {}",
            transport.name(),
            median(&times),
            times.iter().copied().fold(f64::INFINITY, f64::min),
            times.iter().copied().fold(0.0, f64::max),
            bytes as f64 / 1e6,
            proc::load(),
        );
    }
    println!();
}

/// Reads the two turns that there are.
fn read_all(reader: &mut Reader) -> usize {
    let (mut turns, mut events, mut bytes) = (0, 0, 0);
    while turns < 2 {
        let frame = reader.next();
        events += 1;
        bytes += frame.len();
        turns += usize::from(is_event(frame, r#""type":"turn.completed""#));
    }
    assert!(events >= EVENTS, "only {events} events");
    bytes
}
