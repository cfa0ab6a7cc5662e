//! A parent in a hurry: what it says in one breath, and what it says when it
//! wants an end and does not wait for it.

use std::{io::Write, time::Duration};

use baton_testkit::{LIMIT, Signal, send_signal};
use serde_json::{Value, json};

use super::{Parent, checked, fake, only};

fn in_one_breath(parent: &Parent<'_>, messages: &[Value]) {
    let text: String = messages.iter().map(|one| format!("{one}\n")).collect();
    parent.baton.send_text(&text);
}

/// Looks until it holds, and does this meanwhile.
#[track_caller]
fn until(mut holds: impl FnMut() -> bool, mut meanwhile: impl FnMut()) {
    let (_tell, never) = std::sync::mpsc::channel::<()>();
    for _ in 0..2 * LIMIT.as_millis() / 50 {
        if holds() {
            return;
        }
        meanwhile();
        never.recv_timeout(Duration::from_millis(50)).ok();
    }
    panic!("it never came to be");
}

#[test]
fn an_interrupt_right_behind_a_message_stops_its_turn() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    let message = json!({"type": "message", "content": "hang"});
    let interrupt = json!({"type": "interrupt", "requestId": "i"});
    in_one_breath(&parent, &[message, interrupt]);
    let told = super::unstamped(parent.wait("interrupted"));
    let wanted = json!({"type": "interrupted", "turn": 1, "wasRunning": true, "requestId": "i"});
    assert_eq!(told, wanted);
    assert_eq!(parent.wait("result")["stopReason"], "interrupted");
    parent.stop();
}

#[test]
fn whatever_changes_nothing_is_answered_before_the_end_of_the_input_counts() {
    let bench = fake();
    let parent = Parent::start(&bench, &[]);
    let mode = json!({"type": "set_permission_mode", "mode": "default", "requestId": "m"});
    let interrupt = json!({"type": "interrupt", "requestId": "i"});
    in_one_breath(&parent, &[mode, interrupt]);
    parent.baton.close_stdin();
    let lines = parent.ended("stdin_closed");
    assert_eq!(only(&lines, "permission_mode_changed")["requestId"], "m");
    let told = only(&lines, "interrupted");
    assert_eq!(told["requestId"], "i");
    assert_eq!(told["wasRunning"], false);
}

#[test]
fn a_message_that_waits_when_the_conversation_stops_is_told_not_to_have_run() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "hang");
    parent.wait("init");
    let message = json!({"type": "message", "content": "say two", "requestId": "q"});
    in_one_breath(&parent, &[message, json!({"type": "stop"})]);
    let lines = parent.ended("stop");
    let told = only(&lines, "error");
    assert_eq!(told["code"], "not_run");
    assert_eq!(told["requestId"], "q");
    assert!(told["messageId"].is_string(), "{told}");
}

#[test]
fn a_stop_and_then_signals_are_no_failure() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "ignore-sigterm\nhang-deaf");
    parent.wait("init");
    // Whoever has heard of the one is about to read the other.
    in_one_breath(
        &parent,
        &[json!({"type": "nonsense"}), json!({"type": "stop"})],
    );
    parent.wait("error");
    let pid = parent.baton.pid();
    until(
        || !parent.baton.is_running(),
        || send_signal(pid, Signal::TERM),
    );
    let done = parent.baton.finish(LIMIT);
    let lines = checked(&done);
    assert_eq!(done.code(), Some(0), "{}", done.stderr);
    let fatal = lines.iter().find(|line| line["fatal"] == true);
    assert_eq!(fatal, None);
}

#[test]
fn a_signal_ends_it_though_the_parent_does_not_read_the_last_lines() {
    let bench = fake();
    let temporary = bench.sandbox.root().join("tmp-last");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = bench.sandbox.command(baton_testkit::bin("baton"));
    command.arg("stdio").env("TMPDIR", &temporary);
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let its_folder = || std::fs::read_dir(&temporary).unwrap().next().is_some();
    // Its answer is more than a pipe takes.
    let long = "x".repeat(1 << 20);
    let interrupt = json!({"type": "interrupt", "requestId": long});
    let stdin = child.stdin.as_mut().unwrap();
    writeln!(stdin, "{interrupt}\n{}", json!({"type": "stop"})).unwrap();
    until(its_folder, || {});
    // All is over but the last lines.
    until(|| !its_folder(), || {});
    assert_eq!(child.try_wait().unwrap(), None, "it waits for its parent");
    let pid = i32::try_from(child.id()).unwrap();
    until(
        || child.try_wait().unwrap().is_some(),
        || send_signal(pid, Signal::TERM),
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_pipe_in_place_of_a_file_does_not_hold_up_the_start() {
    let bench = fake();
    let temporary = bench.sandbox.root().join("tmp-pipes");
    let left = temporary.join("baton-stdio-left");
    std::fs::create_dir_all(&left).unwrap();
    for file in [bench.sandbox.project().join(".mcp.json"), left.join("lock")] {
        let file = file.display().to_string();
        bench.sandbox.run("mkfifo", [&file]).expect_success();
    }
    let bench = bench.with("TMPDIR", &temporary.display().to_string());
    let parent = Parent::start(&bench, &[]);
    parent.turn("say fine");
    parent.stop();
    assert!(left.exists(), "what is no conversation's stays");
}
