//! Every way in which a conversation ends.

use baton_testkit::{LIMIT, Signal, send_signal};
use serde_json::{Value, json};

use super::{Parent, checked, fake, names, only};

/// Waits until a process is gone.
#[track_caller]
pub(super) fn gone(pid: i64) {
    let path = format!("/proc/{pid}/stat");
    let end = baton_testkit_wait(|| {
        // One that is only waited for by nobody counts as gone.
        std::fs::read_to_string(&path).map_or(true, |stat| {
            stat.rsplit(')')
                .next()
                .unwrap_or_default()
                .trim_start()
                .starts_with('Z')
        })
    });
    assert!(end, "process {pid} still runs");
}

/// Looks until it holds, for as long as tests wait for anything.
fn baton_testkit_wait(mut holds: impl FnMut() -> bool) -> bool {
    let (tell, done) = std::sync::mpsc::channel::<()>();
    let ticks = LIMIT.as_millis() / 20;
    for _ in 0..ticks {
        if holds() {
            drop(tell);
            return true;
        }
        done.recv_timeout(std::time::Duration::from_millis(20)).ok();
    }
    false
}

#[test]
fn stop_without_a_turn_is_ready_complete_shutdown() {
    let bench = fake();
    let lines = Parent::start(&bench, &[]).stop();
    assert_eq!(names(&lines).first(), Some(&"ready"));
    assert_eq!(names(&lines)[lines.len() - 2..], ["complete", "shutdown"]);
    assert_eq!(only(&lines, "complete")["turns"], 0);
}

#[test]
fn stop_in_the_middle_of_a_tool_closes_it_and_the_turn() {
    let bench = fake();
    let parent = Parent::start(&bench, &["--permission-mode", "bypassPermissions"]);
    parent.say("bash sleep 1000");
    let pid = parent.wait("session_started")["pid"].as_i64().unwrap();
    parent.wait("tool_start");
    let lines = parent.stop();
    assert_eq!(only(&lines, "tool_end")["success"], false);
    assert_eq!(only(&lines, "result")["stopReason"], "interrupted");
    assert_eq!(only(&lines, "interrupted")["wasRunning"], true);
    gone(pid);
}

#[test]
fn the_end_of_the_input_lets_what_was_said_finish() {
    let bench = fake();
    let parent = Parent::start(&bench, &["--permission-mode", "bypassPermissions"]);
    parent.say("bash echo one");
    parent.say("say two");
    parent.baton.close_stdin();
    let lines = parent.ended("stdin_closed");
    let results: Vec<&Value> = lines
        .iter()
        .filter(|line| line["type"] == "result")
        .collect();
    assert_eq!(results.len(), 2, "{lines:#?}");
    assert!(
        results.iter().all(|result| result["success"] == true),
        "{results:?}"
    );
    assert_eq!(only(&lines, "complete")["turns"], 2);
}

#[test]
fn the_end_of_the_input_rejects_what_nobody_can_answer() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "bash touch file");
    parent.wait("tool_approval_request");
    parent.baton.close_stdin();
    let lines = parent.ended("stdin_closed");
    assert_eq!(only(&lines, "approval_resolved")["decision"], "deny");
    assert_eq!(only(&lines, "result")["stopReason"], "end");
}

#[test]
fn the_end_of_the_input_takes_no_turn_that_runs_or_is_about_to() {
    for round in 0..8 {
        let bench = fake();
        let parent = Parent::start(&bench, &["--permission-mode", "bypassPermissions"]);
        parent.say("bash echo one");
        // From before its turn begins to after its end.
        match round {
            0 | 1 => {}
            2 | 3 => drop(parent.wait("turn_started")),
            4 | 5 => drop(parent.wait("tool_start")),
            _ => drop(parent.wait("result")),
        }
        if round % 2 == 1 {
            parent.say("say two");
        }
        parent.baton.close_stdin();
        let lines = parent.ended("stdin_closed");
        let results = lines.iter().filter(|line| line["type"] == "result");
        let results: Vec<_> = results.map(|line| line["stopReason"].clone()).collect();
        let wanted = vec![json!("end"); 1 + round % 2];
        assert_eq!(results, wanted, "round {round}: {:?}", names(&lines));
    }
}

#[test]
fn a_crashed_turn_tells_the_tokens_that_were_seen_and_no_price_that_nobody_knows() {
    let bench = fake();
    let parent = Parent::start(&bench, &["--permission-mode", "bypassPermissions"]);
    let first = parent.turn("say one");
    assert!(first["costUsd"].as_f64().unwrap() > 0.0, "{first}");
    // With these words no other process goes on with it.
    parent.say("say two\nstderr Invalid API key\nexit 1");
    let crashed = parent.wait("result");
    assert_eq!(crashed["stopReason"], "error", "{crashed}");
    assert_eq!(crashed.get("costUsd"), None, "{crashed}");
    assert!(
        crashed["usage"]["outputTokens"].as_u64().unwrap() > 0,
        "{crashed}"
    );
    assert_eq!(crashed["totalCostUsd"], first["totalCostUsd"]);
    parent.wait("session_ended");
    parent.turn("say three");
    let lines = parent.stop();
    let costs = lines.iter().filter_map(|line| line["costUsd"].as_f64());
    let total = only(&lines, "complete")["totalCostUsd"].as_f64().unwrap();
    assert!((total - costs.sum::<f64>()).abs() < 1e-9, "{total}");
}

#[test]
fn signals_end_in_order_but_the_conversation_is_not_complete() {
    for (signal, reason) in [(Signal::TERM, "SIGTERM"), (Signal::INT, "SIGINT")] {
        let bench = fake();
        let parent = Parent::saying(&bench, &[], "bash touch file");
        parent.wait("tool_approval_request");
        let lines = parent.signal(signal, reason);
        assert_eq!(only(&lines, "approval_resolved")["by"], "cancelled");
        assert!(!names(&lines).contains(&"complete"));
    }
}

#[test]
fn an_agent_that_does_not_obey_is_ended_all_the_same() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "ignore-sigterm\nhang-deaf");
    let pid = parent.wait("session_started")["pid"].as_i64().unwrap();
    let lines = parent.stop();
    assert_eq!(only(&lines, "result")["stopReason"], "interrupted");
    gone(pid);
}

#[test]
fn an_agent_that_dies_leaves_no_spinner_and_the_conversation_goes_on() {
    let bench = fake();
    let parent = Parent::start(&bench, &["--permission-mode", "bypassPermissions"]);
    parent.say("bash sleep 1000");
    let pid = parent.wait("session_started")["pid"].as_i64().unwrap();
    parent.wait("tool_start");
    send_signal(i32::try_from(pid).unwrap(), Signal::KILL);
    parent.wait("tool_end");
    parent.wait("turn_complete");
    let result = parent.turn("say again");
    assert_eq!(result["success"], true, "{result}");
    parent.stop();
}

#[test]
fn a_killed_baton_takes_its_agent_along_and_the_next_one_cleans_up() {
    let bench = fake();
    let parent = Parent::saying(&bench, &[], "hang");
    let pid = parent.wait("session_started")["pid"].as_i64().unwrap();
    parent.baton.signal(Signal::KILL);
    parent.baton.wait_exit(LIMIT);
    gone(pid);
    Parent::start(&bench, &[]).stop();
}

#[test]
fn a_parent_that_dies_takes_baton_and_its_agent_along() {
    let bench = fake();
    let script = r#"
        const { spawn } = require("node:child_process");
        const baton = spawn(process.argv[1], ["stdio"], { stdio: ["pipe", "pipe", "inherit"] });
        baton.stdin.write('{"type":"message","content":"hang"}\n');
        let text = "";
        baton.stdout.on("data", (data) => {
            text += data;
            const found = /"session_started".*?"pid":(\d+)/.exec(text);
            if (found) console.log(JSON.stringify({ baton: baton.pid, agent: Number(found[1]) }));
        });
        setInterval(() => {}, 1000);
    "#;
    let baton = baton_testkit::bin("baton").display().to_string();
    let parent = bench.sandbox.start("node", ["-e", script, &baton]);
    let pids = parent.wait_for(|line| line["agent"].is_number(), LIMIT);
    parent.signal(Signal::KILL);
    parent.wait_exit(LIMIT);
    gone(pids["agent"].as_i64().unwrap());
    gone(pids["baton"].as_i64().unwrap());
}

#[test]
fn a_parent_that_dies_after_it_closed_the_input_is_noticed_too() {
    let bench = fake();
    let mut command = bench.sandbox.command(baton_testkit::bin("baton"));
    command.arg("stdio").stderr(std::process::Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, b"{\"type\":\"stop\"}\n").unwrap();
    // Nobody reads even the first line.
    drop((stdin, child.stdout.take()));
    let ended = baton_testkit_wait(|| child.try_wait().unwrap().is_some());
    assert!(ended, "it goes on without a parent");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_log_on_disk_is_kept_and_a_conversation_goes_on_in_it() {
    let bench = fake();
    let data = bench.sandbox.root().join("kept").display().to_string();
    let flags = ["--data-dir", data.as_str()];
    let parent = Parent::start(&bench, &flags);
    parent.turn("say one");
    let lines = parent.stop();
    let id = only(&lines, "init")["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    let first = lines[0]["sessionId"].clone();
    let again = [&flags[..], &["--resume", &id]].concat();
    let parent = Parent::start(&bench, &again);
    let result = parent.turn("say two");
    assert_eq!(result["turn"], 2, "{result}");
    let lines = parent.stop();
    assert_eq!(lines[0]["sessionId"], first, "the same session goes on");
    let exported = bench.ok(&["--data-dir", &data, "export", "last"]);
    assert_eq!(
        exported
            .json_lines()
            .iter()
            .filter(|event| event["type"] == "turn.completed")
            .count(),
        2
    );
}

#[test]
fn nothing_is_left_behind_without_a_data_folder() {
    let bench = fake();
    let temporary = bench.sandbox.root().join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let bench = bench.with("TMPDIR", &temporary.display().to_string());
    let parent = Parent::start(&bench, &[]);
    parent.turn("say one");
    parent.stop();
    let left: Vec<_> = std::fs::read_dir(&temporary)
        .unwrap()
        .map(|one| one.unwrap().file_name())
        .filter(|name| name.to_string_lossy().starts_with("baton-stdio"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!bench.sandbox.data().join("baton.db").exists());
}

#[test]
fn a_data_folder_that_somebody_owns_is_a_failure() {
    let bench = fake();
    let data = bench.sandbox.root().join("kept").display().to_string();
    let first = Parent::start(&bench, &["--data-dir", &data]);
    let second = bench.fails(1, &["stdio", "--data-dir", &data]);
    let lines = checked(&second);
    assert_eq!(names(&lines), ["error", "shutdown"]);
    assert!(
        lines[0]["message"]
            .as_str()
            .unwrap()
            .contains("using the data folder")
    );
    first.stop();
}

#[test]
fn a_parent_that_stops_reading_is_waited_for() {
    let bench = fake();
    let script = r#"
        const { spawn } = require("node:child_process");
        const baton = spawn(process.argv[1], ["stdio"], { stdio: ["pipe", "pipe", "inherit"] });
        baton.stdin.write('{"type":"message","content":"flood 200000\\nsay done"}\n{"type":"message","content":"say more"}\n');
        baton.stdin.end();
        let lines = 0, rest = "", last = "";
        // Nothing is read until the agent has had all the time it wants.
        setTimeout(() => {
            baton.stdout.on("data", (data) => {
                const parts = (rest + data).split("\n");
                rest = parts.pop();
                for (const part of parts) { last = JSON.parse(part).type; lines += 1; }
            });
            baton.stdout.on("end", () => console.log(JSON.stringify({ lines, last, rest })));
        }, 1500);
    "#;
    let baton = baton_testkit::bin("baton").display().to_string();
    let parent = bench.sandbox.start("node", ["-e", script, &baton]);
    let told = parent.wait_for(|line| line["lines"].is_number(), LIMIT);
    assert_eq!(told["last"], "shutdown", "{told}");
    assert_eq!(told["rest"], json!(""), "no line is torn");
}

#[test]
fn a_full_disk_behind_the_output_is_a_failure_and_ends_the_agent() {
    let bench = fake();
    let mut command = bench.sandbox.command(baton_testkit::bin("baton"));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    command.arg("stdio").stdout(full.unwrap());
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    // Its input stays open: it ends by itself.
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_parent_that_closes_only_the_output_is_noticed_in_a_silent_turn() {
    use std::io::{BufRead, BufReader, Write};
    let bench = fake();
    let mut command = bench.sandbox.command(baton_testkit::bin("baton"));
    let mut child = command
        .arg("stdio")
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let message = json!({"type": "message", "content": "hang"});
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{message}").unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let mut pid = None;
    for line in lines {
        if line["type"] == "session_started" {
            pid = line["pid"].as_i64();
        }
        // From here on the agent is silent.
        if line["type"] == "turn_started" && pid.is_some() || line["type"] == "init" {
            break;
        }
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    gone(pid.unwrap());
    drop(stdin);
}
