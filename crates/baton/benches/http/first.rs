//! From a prompt to the agent's first word: of a session that is begun, of one
//! whose agent came up while the prompt was written, and of a second turn.

use baton_testkit::{
    Sandbox, Version, claude_cli,
    model::{ModelServer, Script},
};
use serde_json::{Value, json};

use crate::{
    daemon::Daemon,
    median, now, proc,
    reader::{Reader, Transport, is_event, live_text},
};

const ROUNDS: usize = 7;

pub(crate) fn run() {
    println!(
        "the first word of an answer, the real CLI and a model that answers at once, {ROUNDS} rounds in turns, milliseconds\n"
    );
    println!("claude   from                median    best   worst   load");
    for version in Version::ALL {
        let model = ModelServer::start(Script::directed());
        let program = claude_cli(version).display().to_string();
        let sandbox = Sandbox::new().with_env("BATON_AGENT_CLAUDE_PATH", program);
        let daemon = Daemon::start_in(sandbox.with_model(&model));
        let slug = daemon.project();
        let [mut begun, mut warmed, mut second] = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            let (session, first) = begin(&daemon, &slug);
            begun.push(first);
            end(&daemon, &session);
            let warm = warm(&daemon, &slug);
            let (session, first) = begin(&daemon, &slug);
            warmed.push(first);
            drop(warm);
            let mut reader = daemon.follow_after(&session, Transport::WebSocket, 1);
            let asked = now();
            daemon.message(&session, "TOK[5]");
            second.push(first_word(&mut reader, asked));
            end(&daemon, &session);
        }
        let name = format!("{version:?}");
        row(&name, "a second turn", &second);
        row(&name, "Start, warmed", &warmed);
        row(&name, "Start", &begun);
        println!(
            "{name:<7}  warmed, beyond a second turn: {:.0} ms\n",
            median(&warmed) - median(&second)
        );
    }
}

/// Makes a session, and says after how long it said its first word.
fn begin(daemon: &Daemon, slug: &str) -> (String, f64) {
    let asked = now();
    let made = daemon.post(
        &format!("/api/v1/projects/{slug}/sessions"),
        &body(Some("TOK[5]")),
    );
    let session = made["id"].as_str().unwrap().to_owned();
    let mut reader = daemon.follow(&session, Transport::WebSocket);
    let first = first_word(&mut reader, asked);
    while !is_event(reader.next(), r#""type":"turn.completed""#) {}
    (session, first)
}

fn body(prompt: Option<&str>) -> Value {
    let mut body = json!({"agent": "claude"});
    if let Some(prompt) = prompt {
        body["prompt"] = json!(prompt);
    }
    body
}

fn first_word(reader: &mut Reader, asked: u64) -> f64 {
    while live_text(reader.next()).is_none() {}
    (reader.came - asked) as f64 / 1e6
}

/// Holds a process ready for as long as the reader lives.
fn warm(daemon: &Daemon, slug: &str) -> Reader {
    let mut page = daemon.page();
    loop {
        let payload = json!({"project": slug, "session": body(None)});
        let ask = json!({"type": "command", "id": "w", "command": "warm", "payload": payload});
        page.say(&ask.to_string());
        let answer: Value = loop {
            let frame: Value = serde_json::from_str(page.next()).unwrap();
            if frame["id"] == "w" {
                break frame;
            }
        };
        match answer["result"]["state"].as_str() {
            Some("ready") => return page,
            Some("starting") => std::thread::sleep(std::time::Duration::from_millis(20)),
            _ => panic!("none is warmed: {answer}"),
        }
    }
}

fn end(daemon: &Daemon, session: &str) {
    daemon.post(&format!("/api/v1/sessions/{session}/stop"), &json!({}));
}

fn row(version: &str, what: &str, values: &[f64]) {
    println!(
        "{version:<7}  {what:<18}  {:>6.0}  {:>6.0}  {:>6.0}  {:>5}",
        median(values),
        values.iter().copied().fold(f64::INFINITY, f64::min),
        values.iter().copied().fold(0.0, f64::max),
        proc::load(),
    );
}
