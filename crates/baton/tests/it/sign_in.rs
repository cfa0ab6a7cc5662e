//! Signing in, from the terminal's side.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::mpsc,
};

use baton_testkit::{Finished, LIMIT, bin};
use serde_json::Value;

use crate::Bench;

const PIN: &str = "839102";

fn bench() -> Bench {
    Bench::new().with("BATON_RUNNER_PORT", "0")
}

fn set_pin(bench: &Bench, pin: &str) -> Finished {
    let input = format!("{pin}\n");
    bench
        .sandbox
        .run_with_input(bin("baton"), ["pin", "set"], &input, LIMIT)
}

/// Every file below a folder.
fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn beyond_this_machine_nothing_starts_without_a_pin_and_setting_one_helps() {
    let bench = bench().with("BATON_RUNNER_HOST", "0.0.0.0");
    let refused = bench.fails(1, &["start"]);
    refused.tells("there is no PIN");
    for command in ["pin set", "start --host 127.0.0.1"] {
        refused.tells(command);
    }
    // Set while no daemon can start.
    set_pin(&bench, PIN).expect_success();
    let here = ["start", "--host", "127.0.0.1"];
    bench.ok(&here);
    bench.ok(&["pin", "clear"]);
    bench.stop();
}

#[test]
fn a_pin_that_anyone_would_try_is_refused_with_and_without_a_daemon() {
    let bench = bench();
    for pin in ["123456", "000000", "12345", "abcdef", ""] {
        let refused = set_pin(&bench, pin);
        assert_eq!(refused.code(), Some(1), "{pin}: {}", refused.stdout);
    }
    bench.ok(&["start"]);
    let refused = set_pin(&bench, "123456");
    assert_eq!(refused.code(), Some(1));
    assert!(refused.stderr.contains("first that anyone would try"));
    set_pin(&bench, PIN).expect_success();
    bench.stop();
}

#[test]
fn the_token_is_shown_and_rotated_with_and_without_a_daemon() {
    let bench = bench();
    let none = bench.fails(1, &["token", "show"]);
    none.tells("baton start");
    bench.ok(&["start"]);
    let show = || {
        let shown = bench.ok(&["token", "show"]);
        shown.stdout.trim().to_owned()
    };
    let first = show();
    let kept = fs::read_to_string(bench.sandbox.data().join("token")).unwrap();
    assert_eq!(first, kept.trim());
    let told = bench.baton(&["token", "show", "--json"]).json_lines();
    assert_eq!(told[0]["token"], first.as_str());
    bench.ok(&["token", "rotate"]);
    let second = show();
    bench.stop();
    bench.ok(&["token", "rotate"]);
    let third = show();
    assert!(first != second && second != third && first.len() >= 43);
}

#[test]
fn a_configured_token_is_used_and_never_shown_elsewhere() {
    let token = "configured-token-of-more-than-thirty-two";
    let bench = bench().with("BATON_AUTH_TOKEN", token);
    bench.ok(&["start"]);
    let shown = bench.baton(&["token", "show"]);
    assert_eq!(shown.stdout.trim(), token);
    let rotated = bench.baton(&["token", "rotate"]);
    rotated.tells("configuration");
    for command in [vec!["config", "show"], vec!["status", "--json"]] {
        let shown = bench.baton(&command);
        assert!(!shown.stdout.contains(token), "{command:?}");
    }
    // Agents and what they start do not get to see it.
    let told = bench.baton(&["run", "--agent", "demo", "--json", "help"]);
    assert!(!told.stdout.contains(token));
    bench.stop();
    assert!(!bench.sandbox.data().join("token").exists());
}

#[test]
fn no_secret_is_in_any_file_but_its_own_and_all_files_are_private() {
    let bench = bench();
    set_pin(&bench, PIN).expect_success();
    bench.ok(&["run", "--agent", "demo", "help"]);
    let devices = bench.baton(&["devices"]);
    assert!(devices.stdout.contains("no device is signed in"));
    bench.ok(&["devices", "--json"]);
    bench.fails(1, &["devices", "revoke", "dev_0"]);
    bench.stop();
    let data = bench.sandbox.data();
    let token = fs::read_to_string(data.join("token")).unwrap();
    let mut all = Vec::new();
    files(&data, &mut all);
    assert!(all.len() >= 3, "{all:?}");
    for path in all {
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        assert!(!text.contains(PIN), "{}", path.display());
        if !path.ends_with("token") {
            assert!(!text.contains(token.trim()), "{}", path.display());
        }
    }
}

/// Tries a PIN over HTTP; the status, or none when the daemon died over it.
fn try_pin(address: &str, pin: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    let body = format!("{{\"pin\": \"{pin}\"}}");
    let request = format!(
        "POST /api/v1/auth/login HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

fn address(bench: &Bench) -> String {
    let text = fs::read_to_string(bench.sandbox.data().join("daemon.json")).unwrap();
    let facts: Value = serde_json::from_str(&text).unwrap();
    let url = facts["url"].as_str().unwrap();
    url.strip_prefix("http://").unwrap().to_owned()
}

#[test]
fn an_attempt_counts_although_the_daemon_is_killed_while_it_is_judged() {
    let bench = bench();
    set_pin(&bench, PIN).expect_success();
    bench.ok(&["start"]);
    let daemon = address(&bench);
    // Five may be judged, one after the other, and each of them takes a while.
    // As soon as one is not even looked at, all five are counted; then the
    // daemon is killed with some of them still being judged.
    let (told, answers) = mpsc::channel();
    std::thread::scope(|scope| {
        for guess in 0..6 {
            let (told, daemon) = (told.clone(), daemon.clone());
            scope.spawn(move || {
                let answer = try_pin(&daemon, &format!("58310{guess}"));
                told.send(answer).ok();
            });
        }
        loop {
            match answers.recv_timeout(LIMIT).unwrap() {
                Some(429) => break,
                Some(401) => {}
                other => panic!("{other:?}"),
            }
        }
        bench.kill_daemon();
    });
    bench.ok(&["start"]);
    assert_eq!(try_pin(&address(&bench), PIN), Some(429));
    bench.stop();
}

#[test]
fn a_pin_that_is_taken_out_of_the_configuration_is_no_pin() {
    let named = bench().with("BATON_AUTH_PIN", PIN);
    named.baton(&["start"]).expect_success();
    assert_eq!(try_pin(&address(&named), PIN), Some(200));
    named.stop();
    let bench = named.with("BATON_AUTH_PIN", "");
    bench.ok(&["start"]);
    assert_eq!(try_pin(&address(&bench), PIN), Some(401));
    assert!(
        bench
            .baton(&["devices"])
            .stdout
            .contains("no device is signed in")
    );
    bench.stop();
}
