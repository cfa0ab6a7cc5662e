//! From the start of the program until it answers.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    time::Duration,
};

use baton_testkit::Sandbox;

use crate::{daemon, median, now, proc};

const STARTS: usize = 15;

pub(crate) fn run() {
    println!("cold start, {STARTS} each, milliseconds\n");
    println!("data folder   until it listens: median    best   worst   until it answers   load");
    for fresh in [true, false] {
        let mut kept = sandbox();
        if !fresh {
            // Made by an earlier life.
            once(&kept);
        }
        let mut listens = Vec::new();
        let mut answers = Vec::new();
        for _ in 0..STARTS {
            if fresh {
                kept = sandbox();
            }
            let (listened, answered) = once(&kept);
            listens.push(listened);
            answers.push(answered);
        }
        println!(
            "{:<12}  {:>24.1}  {:>6.1}  {:>6.1}  {:>17.1}  {:>5}",
            if fresh { "new" } else { "there" },
            median(&listens),
            listens.iter().copied().fold(f64::INFINITY, f64::min),
            listens.iter().copied().fold(0.0, f64::max),
            median(&answers),
            proc::load(),
        );
    }
    println!();
}

fn sandbox() -> Sandbox {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    Sandbox::new().with_env("BATON_RUNNER_PORT", port)
}

fn once(sandbox: &Sandbox) -> (f64, f64) {
    let address = format!("127.0.0.1:{}", sandbox.env()["BATON_RUNNER_PORT"]);
    let began = now();
    let since = || (now() - began) as f64 / 1e6;
    let mut child = daemon::serve(sandbox);
    let mut stream = loop {
        match TcpStream::connect(&address) {
            Ok(stream) => break stream,
            Err(_) => std::thread::sleep(Duration::from_micros(100)),
        }
    };
    let listened = since();
    let request = format!("GET /healthz HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains(" 200 "), "{answer}");
    let answered = since();
    child.kill().unwrap();
    child.wait().unwrap();
    (listened, answered)
}
