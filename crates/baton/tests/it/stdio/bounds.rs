//! Nothing grows without end: not with a parent that does not read, and not
//! with a conversation that is long.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::Child,
    time::Duration,
};

use baton_stdio::validate;
use baton_testkit::LIMIT;
use serde_json::{Value, json};

use super::fake;
use crate::Bench;

/// So many lines of 50 KB the agent says, and asks nothing meanwhile.
const LINES: usize = 800;

/// How large a file is that it reads.
const FILE: usize = 50_000;

fn start(bench: &Bench, temporary: &Path) -> Child {
    std::fs::create_dir_all(temporary).unwrap();
    let line = format!("{}\n", "x".repeat(99));
    let file = bench.sandbox.project().join("large.txt");
    std::fs::write(file, line.repeat(FILE / 100)).unwrap();
    let mut command = bench.sandbox.command(baton_testkit::bin("baton"));
    command.arg("stdio").env("TMPDIR", temporary);
    command.stderr(std::process::Stdio::null()).spawn().unwrap()
}

fn say(child: &mut Child, message: &Value) {
    let stdin = child.stdin.as_mut().unwrap();
    writeln!(stdin, "{message}").unwrap();
}

fn many_lines() -> Value {
    let lines = "big-line 50000\n".repeat(LINES);
    json!({"type": "message", "content": format!("{lines}say done")})
}

fn many_reads(bench: &Bench, times: usize) -> Value {
    let file = bench.sandbox.project().join("large.txt");
    let line = format!("read {}\n", file.display());
    json!({"type": "message", "content": line.repeat(times)})
}

/// Memory that the process has filled itself, in bytes. Pages of the program's
/// file do not count: they are its alone whenever no other one happens to run.
fn private(pid: u32) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap();
    let lines = rollup
        .lines()
        .filter(|line| line.starts_with("Private_Dirty"));
    let kilobytes = lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.sum::<u64>() << 10
}

/// What the agent below this folder has written so far, in bytes.
fn written(folder: &Path) -> u64 {
    let mark = format!("BATON_HOLDER={}", folder.display());
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let counts = all.filter_map(|entry| {
        let environ = std::fs::read(entry.path().join("environ")).ok()?;
        String::from_utf8_lossy(&environ)
            .contains(&mark)
            .then_some(())?;
        let counts = std::fs::read_to_string(entry.path().join("io")).ok()?;
        let count = counts.lines().find_map(|line| line.strip_prefix("wchar: "));
        count?.parse::<u64>().ok()
    });
    counts.sum()
}

/// Looks until the agent has said much and says no more. One that merely
/// pauses is taken for one that waits, which makes a check weaker, not wrong.
#[track_caller]
fn until_it_waits(folder: &Path) {
    let (mut last, mut same) = (0, 0);
    until(|| {
        let now = written(folder);
        same = if now == last { same + 1 } else { 0 };
        last = now;
        now > 1 << 20 && same >= 25
    });
    let all = LINES as u64 * 50_000;
    assert!(last < all, "it has said all: {last} bytes");
}

/// Looks until it holds.
#[track_caller]
fn until(mut holds: impl FnMut() -> bool) {
    let (_tell, never) = std::sync::mpsc::channel::<()>();
    for _ in 0..3 * LIMIT.as_millis() / 20 {
        if holds() {
            return;
        }
        never.recv_timeout(Duration::from_millis(20)).ok();
    }
    panic!("it never came to be");
}

fn lines_of(child: &mut Child) -> Vec<Value> {
    let out = BufReader::new(child.stdout.take().unwrap());
    out.lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

#[test]
fn an_agent_that_is_far_ahead_of_its_parent_waits_and_nothing_is_lost() {
    let bench = fake();
    let temporary = bench.sandbox.root().join("tmp-a");
    let mut child = start(&bench, &temporary);
    say(&mut child, &many_lines());
    // The agent has said more than the log may hold, and waits.
    until_it_waits(&temporary);
    let grown = private(child.id());
    assert!(grown < 60 << 20, "{grown} bytes");
    drop(child.stdin.take());
    let lines = lines_of(&mut child);
    assert!(child.wait().unwrap().success());
    assert_eq!(validate::problems(&lines), Vec::<String>::new());
    let told = lines.iter();
    let told = told.filter(|line| line["notificationType"] == "unknown");
    assert_eq!(told.count(), LINES);
}

#[test]
fn a_signal_ends_it_though_the_parent_does_not_read() {
    let bench = fake();
    let temporary = bench.sandbox.root().join("tmp-b");
    let mut child = start(&bench, &temporary);
    say(&mut child, &many_lines());
    until_it_waits(&temporary);
    let pid = i32::try_from(child.id()).unwrap();
    baton_testkit::send_signal(pid, baton_testkit::Signal::TERM);
    until(|| child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_long_conversation_that_is_read_keeps_its_memory() {
    let bench = fake();
    let temporary = bench.sandbox.root().join("tmp-c");
    let mut child = start(&bench, &temporary);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    let mut sizes = Vec::new();
    for _ in 0..10 {
        say(&mut child, &many_reads(&bench, 40));
        loop {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0);
            let said: Value = serde_json::from_str(&line).unwrap();
            if said["type"] == "turn_complete" {
                break;
            }
        }
        sizes.push(private(child.id()));
    }
    drop(child.stdin.take());
    // Six turns read 12 MB.
    let grown = sizes[9].saturating_sub(sizes[3]);
    assert!(grown < 6 << 20, "{grown} bytes more; {sizes:?}");
    while out.read_line(&mut line).unwrap() > 0 {
        line.clear();
    }
    assert!(child.wait().unwrap().success());
}
