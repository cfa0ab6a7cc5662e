//! HTTP of a running daemon, as another program finds it.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
};

use serde_json::Value;

use crate::Bench;

/// Asks the daemon over plain HTTP: status line and body.
fn ask(bench: &Bench, path: &str, token: Option<&str>) -> (String, String) {
    let url = url(bench);
    let host = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let token = token.map_or_else(String::new, |token| {
        format!("authorization: Bearer {token}\r\n")
    });
    let request =
        format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n{token}connection: close\r\n\r\n");
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
    bench.baton(&["start"]).expect_success();
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
    assert!(doctor.stdout.contains(&whose), "{}", doctor.stdout);
}
