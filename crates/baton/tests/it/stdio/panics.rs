//! A bug in Baton: one `shutdown`, nothing left open, and no agent.

use baton_testkit::LIMIT;
use serde_json::Value;

use super::{Parent, checked, endings::gone, fake, names, only};

/// Talks until Baton panics where `wanted` says; gives back all lines.
fn until_it_panics(wanted: &str) -> Vec<Value> {
    let bench = fake().with("BATON_TEST_PANIC", wanted);
    let parent = Parent::start(&bench, &["--permission-mode", "bypassPermissions"]);
    parent.say("bash sleep 1000");
    let pid = parent.wait("session_started")["pid"].as_i64().unwrap();
    let done = parent.baton.finish(LIMIT);
    let lines = checked(&done);
    assert_eq!(done.code(), Some(1), "{}", done.stderr);
    done.tells("a panic that a test asked for");
    gone(pid);
    lines
}

fn ends_as_after_a_bug(lines: &[Value]) {
    assert_eq!(only(lines, "shutdown")["reason"], "panic");
    assert_eq!(only(lines, "shutdown")["exitCode"], 1);
    let error = only(lines, "error");
    assert_eq!(error["code"], "internal", "{error}");
    assert_eq!(error["fatal"], true);
    assert!(!names(lines).contains(&"complete"));
    assert_eq!(only(lines, "result")["stopReason"], "error");
}

#[test]
fn a_panic_in_the_conversation_closes_everything_and_ends_the_agent() {
    let lines = until_it_panics("conversation");
    ends_as_after_a_bug(&lines);
    assert_eq!(only(&lines, "tool_end")["success"], false);
}

#[test]
fn a_panic_in_the_session_is_told_and_ends_the_agent() {
    // The words before: initialize, the question for servers, the prompt; each
    // is counted before and after.
    let lines = until_it_panics("session:7");
    ends_as_after_a_bug(&lines);
}
