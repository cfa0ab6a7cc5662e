//! `baton run` on a real terminal, by tmux: typed keys in, the screen out.

use std::time::Duration;

use baton_testkit::{LIMIT, Signal, bin};

use crate::{Bench, kind};

/// A terminal of 100 by 40 with a shell in the sandbox.
struct Terminal<'a> {
    bench: &'a Bench,
    socket: String,
}

impl<'a> Terminal<'a> {
    fn running(bench: &'a Bench, command: &str) -> Self {
        let terminal = Self::open(bench);
        terminal.run(command);
        terminal
    }

    fn open(bench: &'a Bench) -> Self {
        let socket = bench.sandbox.root().join("tmux").display().to_string();
        let terminal = Self { bench, socket };
        let shell = "PS1='ready> ' exec bash --norc --noprofile";
        terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "100",
            "-y",
            "40",
            shell,
        ]);
        terminal.see("ready>");
        terminal
    }

    fn tmux(&self, args: &[&str]) -> String {
        let whole: Vec<&str> = ["-S", &self.socket]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        let run = self.bench.sandbox.run("tmux", whole);
        run.expect_success();
        run.stdout
    }

    fn keys(&self, keys: &[&str]) {
        let whole: Vec<&str> = ["send-keys"]
            .into_iter()
            .chain(keys.iter().copied())
            .collect();
        self.tmux(&whole);
    }

    fn run(&self, args: &str) {
        let command = format!("{} {args}", bin("baton").display());
        self.keys(&["clear", "Enter"]);
        // What is asked for next must not be found on the old screen.
        self.until("an empty screen", |screen| screen.trim() == "ready>");
        self.keys(&[&command, "Enter"]);
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-J"])
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    fn see(&self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    #[track_caller]
    fn until(&self, what: &str, seen: impl Fn(&str) -> bool) -> String {
        let mut screen = String::new();
        let deadline = LIMIT.as_millis() / 50;
        for _ in 0..deadline {
            screen = self.screen();
            if seen(&screen) {
                return screen;
            }
            std::thread::park_timeout(Duration::from_millis(50));
        }
        panic!("`{what}` never came:\n{screen}");
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
fn an_edit_is_approved_inline_with_its_diff() {
    let bench = Bench::new();
    std::fs::write(bench.sandbox.project().join("baton-demo.txt"), "old line\n").unwrap();
    let terminal = Terminal::running(&bench, "run --agent demo approval");
    let screen = terminal.see("[y] allow once");
    let part = "? Write wants your approval (medium risk)";
    assert!(screen.contains(part), "{screen}");
    assert!(screen.contains("-old line"), "{screen}");
    let part = "+Written by Baton's demo agent";
    assert!(screen.contains(part), "{screen}");
    // A slip allows nothing.
    terminal.keys(&["Enter"]);
    terminal.see("Please type y, a, n, s or e.");
    terminal.keys(&["y", "Enter"]);
    terminal.see("I wrote `baton-demo.txt`, as you allowed.");
    terminal.see("baton run --resume");
    let text = std::fs::read_to_string(bench.sandbox.project().join("baton-demo.txt")).unwrap();
    assert!(text.starts_with("Written by Baton's demo agent"));
    let events = bench.export("last");
    let resolved = events
        .iter()
        .find(|event| kind(event) == "approval.resolved")
        .unwrap();
    assert_eq!(resolved["payload"]["by"], "user");
}

#[test]
fn a_key_typed_before_the_question_does_not_answer_it() {
    let bench = Bench::new();
    let terminal = Terminal::open(&bench);
    terminal.tmux(&["resize-window", "-x", "30", "-y", "60"]);
    let command = format!("{} run --agent demo approval", bin("baton").display());
    terminal.keys(&[&command, "Enter", "y", "Enter"]);
    let screen = terminal.see("[y] allow once");
    assert!(!screen.contains("I wrote"), "{screen}");
    // No word of the question is torn.
    let part = "? Write wants your approval\n(medium risk)\n";
    assert!(screen.contains(part), "{screen}");
    terminal.keys(&["n", "Enter"]);
    terminal.see("It was not allowed, so nothing was written.");
    assert!(!bench.sandbox.project().join("baton-demo.txt").exists());
}

#[test]
fn a_denial_with_a_reason_reaches_the_agent() {
    let bench = Bench::new();
    let terminal = Terminal::running(&bench, "run --agent demo 'approval plan question'");
    terminal.see("a number or your own words");
    terminal.keys(&["2", "Enter"]);
    terminal.see("You chose **Green**.");
    terminal.see("[n] keep planning");
    terminal.keys(&["n use tabs", "Enter"]);
    terminal.see("I keep planning. I was told: use tabs");
    terminal.see("[y] allow once");
    terminal.keys(&["n not in this folder", "Enter"]);
    terminal.see("It was not allowed, so nothing was written.");
    assert!(!bench.sandbox.project().join("baton-demo.txt").exists());
}

#[test]
fn control_c_interrupts_the_turn_and_the_session_stays() {
    let bench = Bench::new();
    let terminal = Terminal::running(&bench, "run --agent demo slow");
    terminal.see("Interrupt me at any time.");
    terminal.keys(&["C-c"]);
    terminal.see("turn 1 · interrupted");
    terminal.see("baton run --resume");
    terminal.run("run --resume last text; echo code $?");
    terminal.see("code 0");
}

#[test]
fn control_c_twice_leaves_and_the_session_can_be_ended() {
    let sandbox = baton_testkit::Sandbox::new().with_env(
        "BATON_AGENT_CLAUDE_PATH",
        bin("fake-claude").display().to_string(),
    );
    let bench = Bench::in_sandbox(sandbox);
    let terminal = Terminal::running(&bench, "run hang-deaf");
    // Waiting looks like waiting.
    terminal.see("working 1 s");
    terminal.keys(&["C-c"]);
    terminal.see("interrupting the turn");
    terminal.keys(&["C-c"]);
    terminal.see("the session goes on without you");
    bench.ok(&["end", "last"]);
    bench.ok(&["watch", "last"]);
    let events = bench.export("last");
    let ended: Vec<_> = events
        .iter()
        .filter(|event| matches!(kind(event), "turn.completed" | "session.ended"))
        .map(|event| {
            let payload = &event["payload"];
            [payload["stopReason"].clone(), payload["status"].clone()]
        })
        .collect();
    let (none, word) = (serde_json::Value::Null, serde_json::Value::from);
    let wanted = [[word("interrupted"), none.clone()], [none, word("stopped")]];
    assert_eq!(ended, wanted);
}

#[test]
fn an_approval_is_asked_again_after_the_daemon_was_killed() {
    let bench = Bench::new();
    let terminal = Terminal::running(&bench, "run --agent demo approval");
    terminal.see("[y] allow once");
    bench.kill_daemon();
    let screen = terminal.see("the daemon was gone: connected again");
    let (_, after) = screen.split_once("connected again").unwrap();
    if !after.contains("[y] allow once") {
        terminal.see("connected again\n\n? Write wants your approval");
    }
    terminal.keys(&["y", "Enter"]);
    terminal.see("I wrote `baton-demo.txt`, as you allowed.");
    terminal.see("baton run --resume");
}

#[test]
fn a_run_that_finds_a_turn_at_work_shows_it_asks_and_then_sends() {
    let bench = Bench::new();
    let args = [
        "run",
        "--json",
        "--approvals",
        "wait",
        "--agent",
        "demo",
        "approval",
    ];
    let left = bench.start(&args);
    left.wait_for(|line| kind(line) == "approval.requested", LIMIT);
    left.signal(Signal::KILL);
    let terminal = Terminal::running(&bench, "run --resume last text");
    terminal.see("is still at work: your message waits in its queue");
    // Asked as a letter and Enter, which is said.
    terminal.see("answer, then Enter >");
    terminal.see("[y] allow once");
    terminal.keys(&["y", "Enter"]);
    terminal.see("I wrote `baton-demo.txt`, as you allowed.");
    terminal.see("Markdown with");
    terminal.see("turn 2");
    terminal.see("baton run --resume");
    let events = bench.export("last");
    let ends: Vec<_> = events
        .iter()
        .filter(|event| kind(event) == "turn.completed")
        .map(|event| event["payload"]["stopReason"].clone())
        .collect();
    assert_eq!(ends, ["end", "end"]);
}

#[test]
fn who_interrupts_before_their_turn_takes_their_message_back() {
    let bench = Bench::new();
    let left = waiting(&bench);
    let terminal = Terminal::running(&bench, "run --resume last text");
    terminal.see("your message waits in its queue");
    terminal.see("[y] allow once");
    terminal.keys(&["C-c"]);
    terminal.see("your message is taken back");
    terminal.see("interrupted");
    left.signal(Signal::KILL);
    let events = bench.export("last");
    let of = |name: &str| events.iter().filter(|event| kind(event) == name).count();
    assert_eq!((of("message.removed"), of("turn.started")), (1, 1));
}

/// A turn that waits for an answer, in the background.
fn waiting(bench: &Bench) -> baton_testkit::Running {
    let args = "run --json --approvals wait --agent demo approval";
    let args: Vec<&str> = args.split(' ').collect();
    let left = bench.start(&args);
    left.wait_for(|line| kind(line) == "approval.requested", LIMIT);
    left
}

#[test]
fn a_message_that_waits_for_its_turn_outlives_whoever_sent_it() {
    let bench = Bench::new();
    let first = waiting(&bench);
    let second = bench.start(&["send", "last", "--wait", "--json", "text"]);
    second.wait_for(|line| kind(line) == "user.message", LIMIT);
    second.signal(Signal::KILL);
    bench.ok(&["queue", "last"]).shows("text");
    bench.ok(&["approve", "last"]);
    bench.ok(&["send", "last", "--wait", "help"]);
    first.signal(Signal::KILL);
    let events = bench.export("last");
    let ends = events
        .iter()
        .filter(|event| kind(event) == "turn.completed");
    assert_eq!(ends.count(), 3);
}

#[test]
fn who_writes_to_a_session_that_has_ended_hears_that_it_had() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    bench.ok(&["end", "last"]);
    bench
        .ok(&["send", "last", "text", "--wait"])
        .tells("had ended (stopped) and is taken up again");
    let again = bench.ok(&["send", "last", "text", "--wait"]);
    assert!(!again.stderr.contains("taken up"), "{}", again.stderr);
}

#[test]
fn an_answer_elsewhere_takes_the_question_off_the_screen() {
    let bench = Bench::new();
    let terminal = Terminal::running(&bench, "run --agent demo approval");
    terminal.see("[y] allow once");
    bench.ok(&["deny", "last", "--message", "not now"]);
    terminal.see("denied by a person (baton deny)");
    terminal.see("It was not allowed, so nothing was written.");
    terminal.see("baton run --resume");
}

#[test]
fn when_the_terminals_input_ends_what_is_asked_is_denied() {
    let bench = Bench::new();
    let terminal = Terminal::running(&bench, "run --agent demo approval");
    terminal.see("[y] allow once");
    terminal.keys(&["C-d"]);
    terminal.see("1 approval was denied because nobody could be asked");
    let events = bench.export("last");
    let resolved = events
        .iter()
        .find(|event| kind(event) == "approval.resolved")
        .unwrap();
    let wanted = "Denied: the terminal's input ended.";
    assert_eq!(resolved["payload"]["message"], wanted);
}

#[test]
fn an_approval_is_remembered_for_the_session() {
    let bench = Bench::new();
    let terminal = Terminal::running(&bench, "run --agent demo approval");
    terminal.see("[a] always");
    terminal.keys(&["a", "Enter"]);
    let screen = terminal.see("anything else goes back");
    let part = "1. Edit(/baton-demo.txt)  in this session";
    assert!(screen.contains(part), "{screen}");
    terminal.keys(&["9", "Enter"]);
    terminal.keys(&["a", "Enter"]);
    terminal.keys(&["1", "Enter"]);
    terminal.see("I wrote `baton-demo.txt`, as you allowed.");
    terminal.see("baton run --resume");
    let rules = bench.baton(&["rules", "--json"]).json_lines();
    assert_eq!(rules[0]["scope"], "session", "{rules:?}");
    // The same again is not asked.
    terminal.run("run --resume last approval");
    terminal.see("I wrote `baton-demo.txt`, as you allowed.");
    let events = bench.export("last");
    let by = events
        .iter()
        .rfind(|event| kind(event) == "approval.resolved");
    assert_eq!(by.unwrap()["payload"]["by"], "rule");
}

/// What is to go unasked everywhere is said in words, and stored by a second answer.
#[test]
fn a_rule_for_every_project_is_confirmed() {
    let bench = Bench::new();
    let terminal = Terminal::running(&bench, "run --agent demo approval");
    terminal.see("[a] always");
    terminal.keys(&["a", "Enter"]);
    terminal.see("anything else goes back");
    terminal.keys(&["1u", "Enter"]);
    let screen = terminal.see("yes stores it and allows this");
    for part in [
        "This stores the rule Edit(/baton-demo.txt) for every project on this machine.",
        "no agent asks about that, in any folder",
    ] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    // A slip stores nothing.
    terminal.keys(&["Enter"]);
    terminal.see("[y] allow once");
    assert!(bench.baton(&["rules", "--json"]).json_lines().is_empty());
    terminal.keys(&["a", "Enter"]);
    terminal.keys(&["1u", "Enter"]);
    terminal.keys(&["yes", "Enter"]);
    terminal.see("I wrote `baton-demo.txt`, as you allowed.");
    let rules = bench.baton(&["rules", "--json"]).json_lines();
    assert_eq!(rules[0]["scope"], "user", "{rules:?}");
}

#[test]
fn trust_is_asked_on_a_terminal() {
    let bench = Bench::new();
    crate::trust::settings(&bench, "echo hello");
    let terminal = Terminal::open(&bench);
    let trusted = || bench.baton(&["trust", "--json"]).json_lines()[0]["trusted"].clone();
    terminal.run("trust");
    let screen = terminal.see("Trust this folder? [y/N]");
    assert!(screen.contains("echo hello"), "{screen}");
    terminal.keys(&["Enter"]);
    terminal.see("Not answered");
    assert_eq!(trusted(), false);
    terminal.run("trust");
    terminal.see("Trust this folder? [y/N]");
    terminal.keys(&["y", "Enter"]);
    terminal.see("is trusted, until");
    assert_eq!(trusted(), true);
}
