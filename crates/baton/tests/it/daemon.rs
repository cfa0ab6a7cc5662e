//! The daemon's life: started, restarted, stopped, with agents at work.

use std::time::Duration;

use baton_testkit::{LIMIT, Running, Sandbox, Signal, bin, send_signal};
use serde_json::Value;

use crate::{Bench, kind, kinds};

/// A bench whose demo agent takes its time.
fn slow_bench(pace: &str) -> Bench {
    Bench::in_sandbox(Sandbox::new()).with("BATON_AGENT_DEMO_PACE_MS", pace)
}

/// Waits until `done`, looking now and then.
#[track_caller]
pub(crate) fn until(what: &str, done: impl Fn() -> bool) {
    for _ in 0..LIMIT.as_millis() / 20 {
        if done() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
    panic!("{what} never came");
}

fn holders(bench: &Bench) -> usize {
    std::fs::read_dir(bench.sandbox.data().join("holders")).map_or(0, Iterator::count)
}

fn stop_reasons(events: &[Value]) -> Vec<&str> {
    let ends = events
        .iter()
        .filter(|event| kind(event) == "turn.completed");
    ends.map(|event| event["payload"]["stopReason"].as_str().unwrap())
        .collect()
}

/// A turn that is under way.
#[track_caller]
fn running(bench: &Bench, prompt: &str) -> Running {
    let run = bench.start(&["run", "--json", "--agent", "demo", prompt]);
    run.wait_for(|line| kind(line) == "assistant.delta", LIMIT);
    run
}

#[test]
fn it_is_started_asked_and_stopped() {
    let bench = Bench::new();
    let none = bench.fails(1, &["status"]);
    none.shows("no daemon runs");
    assert_eq!(bench.baton(&["stop"]).code(), Some(0));
    let start = bench.ok(&["start"]);
    let pid = bench.daemon();
    start.shows(&format!("process {pid}"));
    let again = bench.baton(&["start"]);
    again.shows("runs already");
    let status = bench.baton(&["status", "--json"]).json_lines();
    assert_eq!(status[0]["pid"], pid);
    let url = status[0]["url"].as_str().unwrap();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    assert_eq!(status[0]["agents"][0]["name"], "demo");
    bench.ok(&["run", "--agent", "demo", "text"]);
    let status = bench.baton(&["status"]).stdout;
    assert!(status.contains("sessions: 1 (0 at work"), "{status}");
    bench.stop();
    assert_eq!(bench.baton(&["status"]).code(), Some(1));
    let ended = bench.baton(&["stop"]);
    assert_eq!(ended.stdout, "no daemon runs\n");
}

#[test]
fn many_starts_at_once_make_one_daemon() {
    let bench = Bench::new();
    let starts: Vec<Running> = (0..6).map(|_| bench.start(&["start"])).collect();
    for start in starts {
        let start = start.finish(LIMIT);
        start.expect_success();
        let one = format!("process {}", bench.daemon());
        start.shows(&one);
    }
}

#[test]
fn a_restart_keeps_agents_at_work_and_their_watchers() {
    let bench = slow_bench("8");
    let run = running(&bench, "text think text");
    let first = bench.daemon();
    bench.ok(&["restart"]);
    assert_ne!(bench.daemon(), first);
    let run = run.finish(LIMIT);
    run.expect_success();
    let told = "the daemon was gone: connected again";
    run.tells(told);
    let events = bench.export("last");
    let shown: Vec<Value> = run
        .json_lines()
        .into_iter()
        .filter(|line| line.get("seq").is_some())
        .collect();
    assert_eq!(shown, events, "each event once, in order");
    let starts = kinds(&events)
        .iter()
        .filter(|kind| **kind == "session.started")
        .count();
    assert_eq!(starts, 1, "the same agent");
}

#[test]
fn sigterm_detaches_and_the_next_daemon_takes_over() {
    let bench = slow_bench("8");
    let run = running(&bench, "text think text");
    run.signal(Signal::KILL);
    send_signal(bench.daemon(), Signal::TERM);
    let facts = bench.sandbox.data().join("daemon.json");
    until("the daemon's end", || !facts.exists());
    assert_eq!(holders(&bench), 1, "its agent goes on");
    until("the turn's end", || {
        stop_reasons(&bench.export("last")) == ["end"]
    });
}

#[test]
fn a_stop_lets_the_turn_finish() {
    let bench = slow_bench("8");
    let run = running(&bench, "text think text");
    bench.stop();
    let run = run.finish(LIMIT);
    run.expect_success();
    assert_eq!(stop_reasons(&bench.export("last")), ["end"]);
    assert_eq!(holders(&bench), 0);
    let wanted = Some(1);
    assert_eq!(bench.baton(&["status"]).code(), wanted, "not started again");
}

#[test]
fn a_stop_without_patience_ends_turn_and_agent() {
    let bench = slow_bench("100");
    let run = running(&bench, "slow");
    bench.ok(&["stop", "--now"]);
    assert_eq!(run.finish(LIMIT).code(), Some(1));
    assert_eq!(stop_reasons(&bench.export("last")), ["interrupted"]);
    assert_eq!(holders(&bench), 0);
    // And with a little.
    let run = running(&bench, "slow");
    bench.ok(&["stop", "--grace", "0"]);
    assert_eq!(run.finish(LIMIT).code(), Some(1));
    assert_eq!(stop_reasons(&bench.export("last")), ["interrupted"]);
}

#[test]
fn a_stop_that_keeps_agents_leaves_the_turn_to_the_next_daemon() {
    let bench = slow_bench("8");
    let run = running(&bench, "text think text");
    run.signal(Signal::KILL);
    bench.ok(&["stop", "--keep-agents"]);
    assert_eq!(holders(&bench), 1);
    bench.ok(&["send", "last", "text", "--wait", "--json"]);
    assert_eq!(stop_reasons(&bench.export("last")), ["end", "end"]);
}

#[test]
fn a_second_signal_ends_a_stop_that_waits() {
    let bench = slow_bench("100");
    let run = running(&bench, "slow");
    let stop = bench.start(&["stop", "--grace", "600"]);
    until("the stop's beginning", || {
        let status = bench.baton(&["status", "--json"]).json_lines();
        status[0]["stopping"] == true
    });
    send_signal(bench.daemon(), Signal::TERM);
    stop.finish(LIMIT).expect_success();
    assert_eq!(holders(&bench), 1, "its agent is left under its holder");
    run.signal(Signal::KILL);
}

#[test]
fn a_watcher_of_a_stopped_daemon_does_not_start_it_again() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    let watch = bench.start(&["watch", "last"]);
    watch.stderr().wait_for_text("turn 1", LIMIT);
    bench.stop();
    let watch = watch.finish(LIMIT);
    assert_eq!(watch.code(), Some(1));
    watch.tells("the daemon was stopped");
    assert_eq!(bench.baton(&["status"]).code(), Some(1));
}

#[test]
fn a_very_long_data_folder_works() {
    let bench = Bench::new();
    let mut long = bench.sandbox.root().to_owned();
    while long.as_os_str().len() < 200 {
        long.push("a-long-name-for-a-folder-and-still-longer");
    }
    let long = long.display().to_string();
    let in_long = |args: &[&str]| {
        let all: Vec<&str> = ["--data-dir", &long]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        bench.baton(&all)
    };
    let run = in_long(&["run", "--agent", "demo", "approval"]);
    run.expect_success();
    in_long(&["status"]).expect_success();
    in_long(&["restart"]).expect_success();
    in_long(&["run", "--resume", "last", "text"]).expect_success();
    in_long(&["stop"]).expect_success();
}

#[test]
fn a_daemon_that_nobody_needs_ends_by_itself() {
    let bench = Bench::in_sandbox(Sandbox::new()).with("BATON_DAEMON_IDLE_EXIT_S", "1");
    bench.ok(&["run", "--agent", "demo", "text"]);
    let facts = bench.sandbox.data().join("daemon.json");
    until("the daemon's end", || !facts.exists());
    until("the agent's end", || holders(&bench) == 0);
}

#[test]
fn a_daemon_survives_the_terminal_it_was_started_from() {
    let bench = Bench::new();
    // `script` gives it a terminal of its own and takes it away at the end.
    let command = format!("{} start", bin("baton").display());
    let run = bench.sandbox.run("script", ["-qec", &command, "/dev/null"]);
    run.expect_success();
    bench.ok(&["status"]);
}

#[test]
fn a_start_that_fails_says_why() {
    let bench = Bench::new();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(bench.sandbox.data(), private).unwrap();
    std::fs::create_dir(bench.sandbox.data().join("daemon.sock")).unwrap();
    let start = bench.fails(1, &["start"]);
    let told = start.stderr;
    assert!(told.contains("the control socket"), "{told}");
    assert!(told.contains("--data-dir"), "{told}");
}

#[test]
fn its_log_tells_the_story_of_a_session_and_nothing_that_was_said() {
    let bench = Bench::new();
    let run = bench.ok(&["run", "--json", "--agent", "demo", "approval zebra"]);
    let id = run.json_lines()[0]["sessionId"]
        .as_str()
        .unwrap()
        .to_owned();
    bench.ok(&["end", &id]);
    let log = std::fs::read_to_string(bench.sandbox.data().join("daemon.log")).unwrap();
    let of_session = |line: &&str| line.contains(&id);
    let story: Vec<&str> = log.lines().filter(of_session).collect();
    let mut rest = story.iter();
    let all_told = "a turn began turn=1, the agent runs, a person is asked, \
        what was asked is answered, a turn ended turn=1, the session ended";
    for told in all_told.split(", ") {
        assert!(rest.any(|line| line.contains(told)), "{told}: {story:#?}");
    }
    assert!(!log.contains("zebra"), "{log}");
}
