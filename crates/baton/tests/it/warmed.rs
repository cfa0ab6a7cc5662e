//! Agents that come up before their session, while clients and daemons go.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use baton_testkit::{
    LIMIT, Sandbox, Version, bin, claude_cli,
    model::{ModelServer, Script},
};
use serde_json::{Value, json};

use crate::Bench;

/// A page that is about to begin something.
struct Page {
    socket: BufReader<UnixStream>,
    project: String,
}

impl Page {
    fn open(bench: &Bench) -> Self {
        let socket = UnixStream::connect(bench.sandbox.data().join("daemon.sock")).unwrap();
        socket.set_read_timeout(Some(LIMIT)).unwrap();
        Self {
            socket: BufReader::new(socket),
            project: bench.sandbox.project().display().to_string(),
        }
    }

    fn asked(&mut self, session: &Value) -> String {
        let payload = json!({"project": self.project, "session": session});
        let told = self.ask("warm", &payload);
        told["state"].as_str().unwrap().to_owned()
    }

    /// Makes a session with a first message.
    fn begin(&mut self, prompt: &str) -> String {
        let payload = json!({"project": self.project, "agent": "claude", "prompt": prompt});
        let made = self.ask("create", &payload);
        made["id"].as_str().unwrap().to_owned()
    }

    fn ask(&mut self, command: &str, payload: &Value) -> Value {
        let ask = json!({"type": "command", "id": "w", "command": command, "payload": payload});
        writeln!(self.socket.get_mut(), "{ask}").unwrap();
        loop {
            let mut line = String::new();
            assert!(self.socket.read_line(&mut line).unwrap() > 0);
            let frame: Value = serde_json::from_str(&line).unwrap();
            if frame["id"] == "w" {
                return frame["result"].clone();
            }
        }
    }

    fn until_ready(&mut self) {
        until("an agent waits", || {
            self.asked(&json!({"agent": "claude"})) == "ready"
        });
    }
}

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let tries = LIMIT.as_millis() / 20;
    for _ in 0..tries {
        if holds() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
    panic!("waited in vain until {what}");
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

/// Processes below a holder of this sandbox.
fn held(bench: &Bench) -> usize {
    let marker = format!("BATON_HOLDER={}", bench.sandbox.data().display());
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let environments = all.filter_map(|one| std::fs::read(one.path().join("environ")).ok());
    let ours = environments.filter(|text| String::from_utf8_lossy(text).contains(&marker));
    ours.count()
}

fn nothing_is_left(bench: &Bench) {
    until("nothing runs", || held(bench) == 0);
    let holders = bench.sandbox.data().join("holders");
    until("no holder's folder is left", || files(&holders).is_empty());
    let own = bench.sandbox.home().join(".claude");
    assert_eq!(files(&own.join("projects")), Vec::<String>::new());
    assert_eq!(files(&own.join("sessions")), Vec::<String>::new());
    let sessions = bench.ok(&["sessions", "--json"]).json_lines();
    assert_eq!(sessions, Vec::<Value>::new());
}

fn benches(server: &ModelServer) -> Vec<Bench> {
    let programs = Version::ALL
        .map(claude_cli)
        .into_iter()
        .chain([bin("fake-claude")]);
    let sandbox = |program: std::path::PathBuf| {
        let program = program.display().to_string();
        Sandbox::new()
            .with_model(server)
            .with_env("BATON_AGENT_CLAUDE_PATH", program)
    };
    programs
        .map(|one| Bench::in_sandbox(sandbox(one)))
        .collect()
}

#[test]
fn an_agent_that_waits_goes_with_the_page_that_it_waited_for() {
    let server = ModelServer::start(Script::directed());
    for bench in benches(&server) {
        bench.ok(&["start"]);
        let mut page = Page::open(&bench);
        page.until_ready();
        drop(page);
        nothing_is_left(&bench);
        bench.stop();
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn an_agent_that_waits_goes_with_a_daemon_that_is_killed() {
    let server = ModelServer::start(Script::directed());
    for bench in benches(&server) {
        bench.ok(&["start"]);
        let mut page = Page::open(&bench);
        page.until_ready();
        bench.kill_daemon();
        // Without another daemon too.
        until("nothing runs", || held(&bench) == 0);
        bench.ok(&["start"]);
        nothing_is_left(&bench);
        // And where the next one comes at once.
        let mut page = Page::open(&bench);
        page.until_ready();
        bench.kill_daemon();
        bench.ok(&["start"]);
        nothing_is_left(&bench);
        bench.stop();
    }
    assert_eq!(server.requests().len(), 0);
}

/// What a log tells of its first turn, without what each session has of its own.
fn first_turn(bench: &Bench, session: &str) -> Vec<String> {
    let mut events = Vec::new();
    until("the turn is over", || {
        events = bench.export(session);
        events.iter().any(|event| event["type"] == "turn.completed")
    });
    let of = |event: &Value| {
        let payload = &event["payload"];
        let told = match event["type"].as_str().unwrap() {
            "session.started" => json!([payload["tools"], payload["mcpServers"], payload["model"]]),
            "assistant.message" => payload["content"].clone(),
            _ => Value::Null,
        };
        format!("{} {} {told}", event["turn"], event["type"])
    };
    let end = events
        .iter()
        .position(|event| event["type"] == "turn.completed");
    events[..=end.unwrap()].iter().map(of).collect()
}

#[test]
fn a_session_that_begins_with_it_has_all_that_a_fresh_one_has() {
    let server = ModelServer::start(Script::directed());
    for bench in benches(&server) {
        bench.ok(&["start"]);
        let mut page = Page::open(&bench);
        // The stand-in says it, and the model is told to.
        let prompt = "say TOK[3]";
        let fresh = page.begin(prompt);
        let fresh = first_turn(&bench, &fresh);
        page.until_ready();
        let processes = held(&bench);
        let warmed = page.begin(prompt);
        assert_eq!(first_turn(&bench, &warmed), fresh);
        assert_eq!(held(&bench), processes, "no other was started");
        bench.stop();
    }
}
