//! The first minute: the demo agent, with no account.

use baton_protocol::Envelope;
use serde_json::Value;

use crate::{Bench, kind, kinds};

#[test]
fn the_demo_says_what_it_can_show() {
    let bench = Bench::new();
    let run = bench.ok(&["run", "--agent", "demo", "help"]);
    let part = "I am Baton's **demo agent**.";
    assert!(run.stdout.starts_with(part), "{}", run.stdout);
    let part = "one after another\n";
    assert!(run.stdout.ends_with(part), "{}", run.stdout);
    run.tells("turn 1");
    run.tells("baton run --resume ses_");
    assert!(!run.stderr.contains('\u{1b}') && !run.stdout.contains('\u{1b}'));
}

#[test]
fn without_claude_the_demo_answers_and_that_is_said() {
    let bench = Bench::new();
    let run = bench.ok(&["run", "hello"]);
    run.tells("claude was not found");
    run.shows("only a demo");
}

/// A reader that lags gets a block with its event alone, and a machine may be so
/// busy that this is so of every block: then another run shows live text.
#[test]
fn json_lines_are_the_log_and_live_text_between() {
    let bench = Bench::new();
    let shown = (0..200).any(|_| shows_the_log_and_live_text(&bench));
    assert!(shown, "no run shows live text");
}

/// Says whether there was any live text.
fn shows_the_log_and_live_text(bench: &Bench) -> bool {
    let run = bench.ok(&["run", "--json", "--agent", "demo", "text think tools"]);
    let lines = run.json_lines();
    let (events, frames): (Vec<Value>, Vec<Value>) = lines
        .iter()
        .cloned()
        .partition(|line| line.get("seq").is_some());
    // By its name: an earlier run's session may still be told of something.
    let session = events[0]["sessionId"].as_str().unwrap();
    assert_eq!(
        events,
        bench.export(session),
        "stdout shows exactly the log"
    );
    for event in &events {
        serde_json::from_value::<Envelope>(event.clone()).unwrap();
    }
    let mut after = 0;
    for line in &lines {
        match line["seq"].as_u64() {
            Some(seq) => after = seq,
            None => assert_eq!(line["after"], after, "a frame follows the events before it"),
        }
    }
    // Live text is how a finished block begins, and need not be the whole.
    for block in events
        .iter()
        .filter(|event| ["assistant.message", "assistant.thinking"].contains(&kind(event)))
    {
        let block = &block["payload"];
        let of_block = frames.iter().filter(|frame| {
            ["messageId", "block"]
                .iter()
                .all(|name| frame["payload"][name] == block[name])
        });
        let live: String = of_block
            .map(|frame| frame["payload"]["text"].as_str().unwrap())
            .collect();
        let whole = block["content"].as_str().unwrap();
        assert!(whole.starts_with(&live), "{live:?} became {whole:?}");
    }
    !frames.is_empty()
}

#[test]
fn a_session_goes_on_where_it_stopped() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    let second = bench.ok(&["run", "--resume", "last", "think"]);
    second.tells("turn 2");
    let events = bench.export("last");
    let starts = kinds(&events)
        .iter()
        .filter(|kind| **kind == "session.started")
        .count();
    assert_eq!(starts, 1, "the daemon kept the process for the next turn");
    let sessions = bench.baton(&["sessions", "--json"]).json_lines();
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0]["turnCount"], 2);
    assert_eq!(sessions[0]["state"], "idle");
}

#[test]
fn a_session_goes_on_after_its_agent_was_stopped() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    bench.stop();
    bench.ok(&["run", "--resume", "last", "think"]);
    let events = bench.export("last");
    let starts = kinds(&events)
        .iter()
        .filter(|kind| **kind == "session.started")
        .count();
    assert_eq!(starts, 2);
}

#[test]
fn without_a_terminal_what_needs_approval_is_denied_and_recorded() {
    let bench = Bench::new();
    let run = bench.ok(&["run", "--agent", "demo", "approval"]);
    let told = "1 approval was denied because nobody could be asked";
    run.tells(told);
    // Nobody decided, and no mode: neither is named.
    let told = "denied, because nobody could be asked (baton run)";
    run.tells(told);
    assert!(!run.stderr.contains("by you"), "{}", run.stderr);
    assert!(!bench.sandbox.project().join("baton-demo.txt").exists());
    let events = bench.export("last");
    let resolved = events
        .iter()
        .find(|event| kind(event) == "approval.resolved")
        .unwrap();
    assert_eq!(resolved["payload"]["decision"], "deny");
    assert_eq!(resolved["payload"]["by"], "mode");
    assert_eq!(resolved["payload"]["unattended"], true);
    assert_eq!(resolved["payload"]["client"]["name"], "baton run");
}

#[test]
fn a_failed_turn_is_an_exit_code_and_the_session_goes_on() {
    let bench = Bench::new();
    let run = bench.fails(1, &["run", "--agent", "demo", "error"]);
    run.tells("error: the demo was asked to fail");
    run.tells("Send another message");
    bench.ok(&["sessions"]).shows("idle (failed)");
    bench.ok(&["run", "--resume", "last", "text"]);
    let again = bench.ok(&["sessions"]);
    assert!(!again.stdout.contains("failed"), "{}", again.stdout);
}

#[test]
fn a_session_reads_as_markdown() {
    let bench = Bench::new();
    let file = bench.sandbox.project().join("notes.txt");
    std::fs::write(&file, "one\n").unwrap();
    let name = file.display().to_string();
    let prompt = "tools approval plan question todo image";
    bench.ok(&["run", "--agent", "demo", "--attach", &name, prompt]);
    let run = bench.ok(&["export", "last", "--format", "markdown"]);
    let text = bench.sandbox.filter().text(&run.stdout);
    for part in [
        "# tools approval plan question todo image\n\nAgent: demo, in `[PROJECT]`\n\n## You\n\n",
        "- attached: `notes.txt` (text/plain, 4 bytes)\n",
        "- [x] Read the greeting\n- [ ] *now:* Fix the typo\n",
        "- **Edit**: Editing demo/greeting.py `{\"file_path\":",
        "The typo is fixed and the tests pass.\n\n",
        "- *an image: image/png, 79 bytes, `",
        "**Question**\n\n- Which colour should the button have?\n  - Blue\n",
        "**Plan to approve**\n\n> ## Plan\n>",
        "**Approval asked**: Write (medium risk)\n\n`baton-demo.txt`\n\n```diff\n@@ -1 +1 @@\n+Written",
        "*denied, because nobody could be asked (baton run): Denied: nobody can be asked here",
        "*Turn 1: end, ",
    ] {
        assert!(text.contains(part), "{part}\n---\n{text}");
    }
    assert!(!text.contains("$0"), "{text}");
}

#[test]
fn a_prompt_can_come_from_standard_input() {
    let bench = Bench::new();
    let program = baton_testkit::bin("baton");
    let args = ["run", "--agent", "demo", "-"];
    let run = bench
        .sandbox
        .run_with_input(program, args, "help", baton_testkit::LIMIT);
    run.expect_success();
    assert!(run.stdout.starts_with("I am Baton's"));
}
