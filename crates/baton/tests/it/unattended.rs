//! Approvals where nobody can be asked, and where what asked is stopped.

use baton_testkit::{LIMIT, Running};

use crate::{Bench, clients::asking, kind};

/// The approval that a command without a terminal says it waits for.
fn told(run: &Running) -> String {
    let how = run.stderr().wait_for_text(" approve apr_", LIMIT);
    let mut words = how.split_whitespace();
    let id = words.find(|word| word.starts_with("apr_"));
    id.unwrap().to_owned()
}

/// Somebody elsewhere is told what waits and what to type.
#[test]
fn who_waits_without_a_terminal_says_once_what_for_and_how_to_answer() {
    for json in [&[][..], &["--json"]] {
        let bench = Bench::new();
        bench.ok(&["run", "--agent", "demo", "text"]);
        let run = ["run", "--approvals", "wait", "--agent", "demo", "approval"];
        let send = ["send", "last", "approval", "--wait"];
        for args in [&run[..], &send] {
            let waits = bench.start(&[args, json].concat());
            let id = told(&waits);
            bench.ok(&["approve", &id]);
            let ended = waits.finish(LIMIT);
            ended.expect_success();
            let how = format!("approve {id}   or   ");
            assert_eq!(ended.stderr.matches(&how).count(), 1, "{}", ended.stderr);
            ended.tells("? Write wants an answer (medium risk)");
            ended.tells("baton-demo.txt");
        }
    }
}

#[test]
fn who_does_not_want_to_wait_for_an_answer_hears_of_it_by_the_exit_code() {
    let run = ["run", "--approvals", "fail", "--agent", "demo", "approval"];
    let send = ["send", "last", "approval", "--wait", "--approvals", "fail"];
    for args in [&run[..], &send] {
        let bench = Bench::new();
        bench.ok(&["run", "--agent", "demo", "text"]);
        let left = bench.fails(3, args);
        left.tells("? Write wants an answer (medium risk)");
        left.tells("nobody here can answer");
        left.tells("baton watch ses_");
        // It is open still, for whoever comes.
        bench.ok(&["approve", "last"]);
        let watch = bench.start(&["watch", "last", "--json"]);
        watch.wait_for(|line| kind(line) == "approval.resolved", LIMIT);
    }
}

/// What a rule decides is recorded as a request too, and is none.
#[test]
fn what_needs_no_person_is_not_said_to_wait() {
    for approvals in ["wait", "fail"] {
        let bench = Bench::new();
        bench.ok(&["rules", "add", "Write", "--decision", "allow"]);
        let run = [
            "run",
            "--approvals",
            approvals,
            "--agent",
            "demo",
            "approval",
        ];
        let run = bench.ok(&run);
        assert!(!run.stderr.contains("wants an answer"), "{}", run.stderr);
    }
}

#[test]
fn who_stops_something_hears_what_it_had_asked() {
    let stops = [
        &["end", "last"][..],
        &["interrupt", "last"],
        &["stop"],
        &["stop", "--now", "--json"],
    ];
    for stop in stops {
        let bench = Bench::new();
        let (run, id) = asking(&bench, "approval");
        let stopped = bench.ok(stop);
        stopped.tells("1 request is open. It ends unanswered now");
        stopped.tells("? Write in ses_");
        stopped.tells("baton-demo.txt");
        run.finish(LIMIT);
        let log = bench.export("last");
        let resolved = log.iter().find(|event| kind(event) == "approval.resolved");
        let resolved = &resolved.unwrap()["payload"];
        assert_eq!(resolved["approvalId"], id.as_str());
        assert_eq!(resolved["decision"], "deny");
        assert_eq!(resolved["by"], "cancelled", "{stop:?}");
        let nothing = bench.ok(&["run", "--agent", "demo", "text"]);
        assert!(!nothing.stderr.contains("request"), "{}", nothing.stderr);
    }
    let bench = Bench::new();
    let (run, _) = asking(&bench, "approval");
    bench.ok(&["restart"]).tells("1 request stays open:");
    bench.ok(&["approve", "last"]);
    run.finish(LIMIT).expect_success();
}
