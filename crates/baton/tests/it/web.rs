//! HTTP of a running daemon, as another program finds it.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
};

use baton_testkit::bin;
use serde_json::Value;

use crate::{Bench, daemon::until};

/// Asks the daemon over plain HTTP: status line and body.
fn ask(bench: &Bench, path: &str, token: Option<&str>) -> (String, String) {
    send(bench, &format!("GET {path}"), token, "")
}

pub(crate) fn send(bench: &Bench, head: &str, token: Option<&str>, body: &str) -> (String, String) {
    let url = url(bench);
    let host = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let token = token.map_or_else(String::new, |token| {
        format!("authorization: Bearer {token}\r\n")
    });
    let length = body.len();
    let request = format!(
        "{head} HTTP/1.1\r\nhost: {host}\r\n{token}content-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

fn url(bench: &Bench) -> String {
    let text = std::fs::read_to_string(bench.sandbox.data().join("daemon.json")).unwrap();
    let facts: Value = serde_json::from_str(&text).unwrap();
    facts["url"].as_str().unwrap().to_owned()
}

#[test]
fn the_daemon_is_found_by_its_file_and_asks_for_the_token() {
    let bench = Bench::new();
    bench.ok(&["start"]);
    let token = std::fs::read_to_string(bench.sandbox.data().join("token")).unwrap();
    let (status, _) = ask(&bench, "/healthz", None);
    assert!(status.contains("200"), "{status}");
    let (status, _) = ask(&bench, "/api/v1/status", None);
    assert!(status.contains("401"), "{status}");
    let (status, body) = ask(&bench, "/api/v1/status", Some(token.trim()));
    assert!(status.contains("200"), "{status}");
    let told: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(told["url"], url(&bench).as_str());
    assert_eq!(told["pid"], bench.daemon());
    bench.stop();
}

#[test]
fn a_daemon_whose_agent_is_gone_is_not_ready_until_it_is_back() {
    let bench = Bench::new();
    let claude = bench.sandbox.home().join("claude");
    std::fs::copy(bin("fake-claude"), &claude).unwrap();
    let bench = bench.with("BATON_AGENT_CLAUDE_PATH", &claude.display().to_string());
    bench.ok(&["start"]);
    let ready = || ask(&bench, "/readyz", None);
    assert!(ready().0.contains("200"));
    let away = bench.sandbox.home().join("away");
    std::fs::rename(&claude, &away).unwrap();
    // What was found a moment ago may be said for a moment.
    until("that it is told", || ready().0.contains("503"));
    let (_, body) = ready();
    let told: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(told["code"], "not_ready", "{told}");
    assert!(!body.contains("claude"), "nobody has signed in: {body}");
    assert!(ask(&bench, "/healthz", None).0.contains("200"));
    std::fs::rename(&away, &claude).unwrap();
    until("that it is back", || ready().0.contains("200"));
    bench.stop();
}

/// A page of the list of sessions is damaged while nobody has the log open.
#[test]
fn a_daemon_with_a_damaged_log_lists_what_it_can_and_is_not_ready() {
    let bench = Bench::new();
    for _ in 0..16 {
        bench.ok(&["run", "--agent", "demo", "text"]);
    }
    bench.stop();
    let log = bench.sandbox.data().join("baton.db");
    let mut bytes = std::fs::read(&log).unwrap();
    let row = b"{\"id\":\"ses_";
    let at = bytes.windows(row.len()).rposition(|found| found == row);
    let page = at.unwrap() / 4096 * 4096;
    bytes[page..page + 16].fill(0xff);
    std::fs::write(&log, bytes).unwrap();
    bench.ok(&["start"]);
    let token = std::fs::read_to_string(bench.sandbox.data().join("token")).unwrap();
    let (status, body) = ask(&bench, "/api/v1/sessions", Some(token.trim()));
    assert!(status.contains("200"), "{status} {body}");
    let list: Value = serde_json::from_str(&body).unwrap();
    let listed = list["items"].as_array().unwrap().len() as u64;
    let unreadable = list["unreadable"].as_u64().unwrap();
    assert_eq!(listed + unreadable, 16, "{list}");
    assert!(listed > 0, "{list}");
    let (status, body) = ask(&bench, "/readyz", None);
    assert!(status.contains("503"), "{status} {body}");
    let doctor = bench.fails(1, &["doctor"]);
    for words in ["event log is damaged", "baton export", "backup"] {
        doctor.shows(words);
    }
    let sessions = bench.baton(&["sessions"]);
    sessions.tells("are not listed");
    bench.stop();
}

#[test]
fn the_daemon_tells_which_agents_it_has_and_what_ails_it() {
    let claude = bin("fake-claude").display().to_string();
    let bench = Bench::new().with("BATON_AGENT_CLAUDE_PATH", &claude);
    bench.ok(&["start"]);
    let token = std::fs::read_to_string(bench.sandbox.data().join("token")).unwrap();
    let ask = |path: &str| -> Value {
        let (status, body) = ask(&bench, path, Some(token.trim()));
        assert!(status.contains("200"), "{status} {body}");
        serde_json::from_str(&body).unwrap()
    };
    until("the agent's version", || {
        let agents = ask("/api/v1/status")["agents"].clone();
        assert_eq!(agents[0]["name"], "claude");
        agents[0]["version"] == "2.1.197"
    });
    let told = bench.baton(&["status"]).stdout;
    assert!(told.contains("agents: claude 2.1.197, demo "), "{told}");

    let report = ask("/api/v1/doctor");
    let lines = bench.baton(&["doctor", "--json"]).json_lines();
    assert_eq!(report["checks"], Value::Array(lines), "as on the terminal");
    let checks = report["checks"].as_array().unwrap();
    let named = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap();
    assert_eq!(named("claude")["verdict"], "ok");
    let port = named("port")["finding"].as_str().unwrap();
    assert_eq!(port, format!("the daemon serves at {}", url(&bench)));
    bench.stop();
}

#[test]
fn images_come_from_the_hosts_that_the_settings_name() {
    let bench = Bench::new().with("BATON_AGENT_IMAGE_HOSTS", "Images.Example.org");
    bench.ok(&["run", "--agent", "demo", "text"]);
    let id = bench.baton(&["sessions", "--json"]).json_lines()[0]["id"].clone();
    let token = std::fs::read_to_string(bench.sandbox.data().join("token")).unwrap();
    let head = format!("POST /api/v1/sessions/{}/messages", id.as_str().unwrap());
    let body = r#"{"text":"look","attachments":[{"url":"https://cdn.discordapp.com/1/a.png"}]}"#;
    let (status, told) = send(&bench, &head, Some(token.trim()), body);
    assert!(status.contains("400"), "{status}");
    assert!(told.contains("images.example.org"), "{told}");
    bench.stop();
}

#[test]
fn a_port_that_is_taken_is_told_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let bench = Bench::new().with("BATON_RUNNER_PORT", &port.to_string());
    let started = bench.baton(&["start"]);
    let told = started.stderr.clone();
    assert!(!started.status.success(), "{told}");
    let whose = format!("port {port} on 127.0.0.1 is taken by ");
    assert!(told.contains(&whose), "{told}");
    let this = format!("(process {})", std::process::id());
    assert_eq!(told.contains(&this), cfg!(target_os = "linux"), "{told}");
    assert!(
        told.contains("runner.port") && told.contains("--port"),
        "{told}"
    );
    let doctor = bench.baton(&["doctor"]);
    doctor.shows(&whose);
}
