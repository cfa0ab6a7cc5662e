//! One session at full speed to many clients, counted by the text they have.

use std::sync::{Arc, Barrier};

use crate::{
    daemon::Daemon,
    median, now, proc,
    reader::{Reader, Transport, is_event, live_text},
};

const TOKENS: usize = 200_000;
const TURNS: usize = 5;
/// What the fake says over and over.
const TOKEN: usize = "tok ".len();

/// What one client had of one turn.
struct Had {
    /// When it had every token, whichever way.
    whole: u64,
    live: usize,
    frames: usize,
}

pub(crate) fn run() {
    println!("{TURNS} turns of {TOKENS} tokens at full speed, to clients that all read along\n");
    println!(
        "transport  clients   tokens/s each: median  slowest   worst turn   in all tokens/s   live %   frames each   daemon us/token   load"
    );
    for (transport, clients) in [
        (Transport::WebSocket, 1),
        (Transport::WebSocket, 10),
        (Transport::WebSocket, 100),
        (Transport::Sse, 1),
        (Transport::Sse, 10),
    ] {
        one(transport, clients);
    }
    println!();
}

fn one(transport: Transport, clients: usize) {
    let daemon = Daemon::start();
    let session = daemon.session();
    let gate = Arc::new(Barrier::new(clients + 1));
    let readers: Vec<_> = (0..clients)
        .map(|_| {
            let mut reader = daemon.follow_after(&session, transport, 1);
            let gate = Arc::clone(&gate);
            std::thread::spawn(move || {
                let turn = |_| {
                    gate.wait();
                    read_turn(&mut reader)
                };
                (0..TURNS).map(turn).collect::<Vec<Had>>()
            })
        })
        .collect();
    let cpu = proc::cpu_ms(daemon.pid());
    let mut began = Vec::new();
    for _ in 0..TURNS {
        // Everyone has the turn before.
        gate.wait();
        began.push(now());
        daemon.message(&session, &format!("flood {TOKENS}"));
    }
    let had: Vec<Vec<Had>> = readers
        .into_iter()
        .map(|reader| reader.join().unwrap())
        .collect();
    let cpu = proc::cpu_ms(daemon.pid()) - cpu;
    let rate = |turn: usize, had: &Had| TOKENS as f64 * 1e9 / (had.whole - began[turn]) as f64;
    // Of each turn: the client in the middle, and the last.
    let of = |pick: fn(&[f64]) -> f64| -> Vec<f64> {
        let turn = |turn: usize| {
            let rates: Vec<f64> = had.iter().map(|had| rate(turn, &had[turn])).collect();
            pick(&rates)
        };
        (0..TURNS).map(turn).collect()
    };
    let slowest = of(|rates| rates.iter().copied().fold(f64::INFINITY, f64::min));
    let all = had.iter().flatten();
    let (live, frames) = all.fold((0, 0), |(live, frames), had| {
        (live + had.live, frames + had.frames)
    });
    let turns = (clients * TURNS) as f64;
    println!(
        "{:<9}  {clients:>7}  {:>22.0}  {:>7.0}  {:>11.0}  {:>16.0}  {:>7.2}  {:>12.0}  {:>16.2}  {:>5}",
        transport.name(),
        median(&of(median)),
        median(&slowest),
        slowest.iter().copied().fold(f64::INFINITY, f64::min),
        median(&slowest) * clients as f64,
        live as f64 * 100.0 / TOKENS as f64 / turns,
        frames as f64 / turns,
        cpu as f64 * 1e3 / (TOKENS * TURNS) as f64,
        proc::load(),
    );
}

fn read_turn(reader: &mut Reader) -> Had {
    let mut had = Had {
        whole: 0,
        live: 0,
        frames: 0,
    };
    loop {
        let frame = reader.next();
        let whole = if let Some(text) = live_text(frame) {
            had.live += text.len() / TOKEN;
            had.frames += 1;
            had.live == TOKENS
        } else if is_event(frame, r#""type":"turn.completed""#) {
            assert!(had.whole > 0, "an answer without its text");
            return had;
        } else {
            // The event has what did not come live.
            is_event(frame, r#""type":"assistant.message""#)
        };
        if whole && had.whole == 0 {
            had.whole = reader.came;
        }
    }
}
