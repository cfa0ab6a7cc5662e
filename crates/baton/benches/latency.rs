//! How long a token takes from the agent's write to our line on stdout.
//!
//! The agent writes its clock into every token, at 50 a second. Ours goes
//! agent → holder → `baton run --json` → here; next to it, in the same run and
//! at the same time, a bare chain of two relays that only read and write. The
//! ratio of the two is what Baton itself costs.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark starts programs and prints its table"
)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use baton_testkit::{Sandbox, bin};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

const SECONDS: u32 = 8;
const ROUNDS: usize = 3;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("relay") {
        relay();
        return;
    }
    let mut ours = Vec::new();
    let mut bare = Vec::new();
    println!("token latency at 50/s, microseconds (rounds of {SECONDS} s, both chains at once)\n");
    println!("round        baton p50     p99      bare p50     p99      ratio p50   p99");
    for round in 1..=ROUNDS {
        let reference = std::thread::spawn(bare_chain);
        let mine = baton_chain();
        let theirs = reference.join().unwrap();
        print_row(&round.to_string(), &mine, &theirs);
        ours.extend(mine);
        bare.extend(theirs);
    }
    print_row("all", &ours, &bare);
}

fn print_row(name: &str, ours: &[u64], bare: &[u64]) {
    let (a50, a99) = (percentile(ours, 50), percentile(ours, 99));
    let (b50, b99) = (percentile(bare, 50), percentile(bare, 99));
    println!(
        "{name:<10} {a50:>11.0} {a99:>7.0} {b50:>13.0} {b99:>7.0} {:>14.2} {:>5.2}",
        a50 / b50,
        a99 / b99
    );
}

fn percentile(samples: &[u64], percent: usize) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    let index = (sorted.len() - 1) * percent / 100;
    sorted[index] as f64 / 1000.0
}

fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

/// Reads lines and takes the age of each stamp found by `stamp`.
fn ages(output: ChildStdout, stamp: impl Fn(&Value) -> Option<u64>) -> Vec<u64> {
    let mut ages = Vec::new();
    for line in BufReader::new(output).lines() {
        let Ok(line) = line else { break };
        let seen = now();
        let value: Value = serde_json::from_str(&line).unwrap_or_default();
        if let Some(written) = stamp(&value) {
            ages.push(seen - written);
        }
        if value["type"] == "result" {
            break;
        }
    }
    // The first tokens also wait for programs to start.
    ages.split_off(10.min(ages.len()))
}

fn prompt() -> String {
    format!("rate 50 per second for {SECONDS} s")
}

fn baton_chain() -> Vec<u64> {
    let fake = bin("fake-claude").display().to_string();
    let sandbox = Sandbox::new().with_env("BATON_AGENT_CLAUDE_PATH", fake);
    let data = sandbox.data().display().to_string();
    let mut command = sandbox.command(bin("baton"));
    command.args(["--data-dir", &data, "run", "--json", &prompt()]);
    let mut child = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let output = child.stdout.take().unwrap();
    let ages = ages(output, |line| {
        let text = line["payload"]["text"].as_str()?;
        (line["type"] == "assistant.delta").then(|| text.trim().parse().ok())?
    });
    child.wait().unwrap();
    assert!(
        ages.len() > 300,
        "only {} tokens came one by one",
        ages.len()
    );
    ages
}

fn bare_chain() -> Vec<u64> {
    let sandbox = Sandbox::new();
    let mut agent = sandbox.command(bin("fake-claude"));
    agent.args(["--output-format", "stream-json", "--verbose"]);
    agent.args([
        "--input-format",
        "stream-json",
        "--include-partial-messages",
    ]);
    let mut agent = agent.stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = agent.stdin.take().unwrap();
    let (mut first, middle) = relay_process(agent.stdout.take().unwrap());
    let (mut second, output) = relay_process(middle);
    say(&mut stdin, &prompt());
    let ages = ages(output, |line| {
        line["event"]["delta"]["text"].as_str()?.trim().parse().ok()
    });
    drop(stdin);
    for child in [&mut agent, &mut first, &mut second] {
        child.wait().unwrap();
    }
    ages
}

fn say(stdin: &mut ChildStdin, text: &str) {
    let message = json!({
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": "6d1a2bb0-0000-4000-8000-000000000001",
    });
    writeln!(stdin, "{message}").unwrap();
    stdin.flush().unwrap();
}

fn relay_process(input: ChildStdout) -> (Child, ChildStdout) {
    let this: PathBuf = std::env::current_exe().unwrap();
    let mut command = Command::new(this);
    command.arg("relay").env_clear();
    let mut child = command.stdin(input).stdout(Stdio::piped()).spawn().unwrap();
    let output = child.stdout.take().unwrap();
    (child, output)
}

fn relay() {
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut buffer = vec![0; 65_536];
    while let Ok(count) = input.read(&mut buffer) {
        if count == 0
            || output
                .write_all(&buffer[..count])
                .and_then(|()| output.flush())
                .is_err()
        {
            break;
        }
    }
}
