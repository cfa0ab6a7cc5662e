//! Random lives: whatever is said, interrupted, stopped or killed, the lines
//! keep the rules of the order.

use baton_testkit::{LIMIT, Signal};
use serde_json::{Value, json};

use super::{Parent, checked, fake};

/// Small and the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let at = usize::try_from(self.roll(choices.len() as u64)).unwrap();
        &choices[at]
    }
}

const PROMPTS: &[&str] = &[
    "say hello",
    "tok 40",
    "think about it\nsay so",
    "bash touch a-file",
    "bash echo quick",
    "bash sleep 1000",
    "AGENT[RUN[echo deep]]",
    "question Which?|A|B",
    "plan Do it",
    "todo one|two",
    "hang",
    "api-error 529 2",
    "auth-error",
    "duplicate\nbash echo twice",
    "garbage\nsay still here",
    "unknown-type",
    "crash at delta",
    "crash at ask\nbash touch b-file",
    "crash at tool-result\nbash echo x",
    "exit 3",
    "background sleep 1000",
];

#[test]
fn random_lives_keep_the_rules_of_the_order() {
    for seed in 0..60 {
        life(seed);
    }
}

/// One conversation, from its seed.
fn life(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(977) + 13);
    let mode = *dice.of(&["default", "bypassPermissions", "plan"]);
    let bench = fake();
    let parent = Parent::start(&bench, &["--permission-mode", mode]);
    let mut agent: Option<i64> = None;
    for round in 0..dice.roll(4) + 2 {
        // What hangs or asks would hold up everything after it.
        if round > 0 {
            parent.send(&json!({"type": "interrupt"}));
        }
        let prompt: &&str = dice.of(PROMPTS);
        parent.say(prompt);
        let Some(line) = next(&parent, &mut dice) else {
            continue;
        };
        agent = line["pid"].as_i64().or(agent);
        react(&parent, &mut dice, &line, agent);
    }
    let how = dice.roll(5);
    match how {
        0 => parent.send(&json!({"type": "stop"})),
        1 => parent.baton.signal(Signal::TERM),
        2 => parent.baton.signal(Signal::INT),
        3 => {
            // What hangs would be waited for, so somebody sends a signal too.
            parent.baton.close_stdin();
            parent.baton.signal(Signal::TERM);
        }
        _ => {
            // What hangs would hang until its time is over.
            parent.send(&json!({"type": "interrupt"}));
            parent.send(&json!({"type": "stop"}));
        }
    }
    let done = parent.baton.finish(LIMIT);
    let lines = checked(&done);
    assert_eq!(done.code(), Some(0), "seed {seed}: {}", done.stderr);
    assert!(!lines.is_empty(), "seed {seed}");
}

/// A line that begins something, or ends the turn.
fn next(parent: &Parent<'_>, dice: &mut Dice) -> Option<Value> {
    let wanted = *dice.of(&["turn_started", "session_started", "tool_start", ""]);
    if wanted.is_empty() {
        return None;
    }
    let wanted = |line: &Value| {
        line["type"] == wanted
            || line["type"]
                .as_str()
                .is_some_and(|name| name.ends_with("_request"))
            || line["type"] == "turn_complete"
            || line["type"] == "error"
            || line["type"] == "assistant_text"
            || line["type"] == "session_started"
            || line["type"] == "interrupted"
    };
    Some(parent.baton.wait_for(wanted, LIMIT))
}

fn react(parent: &Parent<'_>, dice: &mut Dice, line: &Value, agent: Option<i64>) {
    let id = &line["requestId"];
    let answer = match line["type"].as_str().unwrap_or_default() {
        "tool_approval_request" => {
            let decision = *dice.of(&["allow", "deny"]);
            let interrupt = decision == "deny" && dice.roll(2) == 0;
            Some(
                json!({"type": "tool_approval_response", "requestId": id, "decision": decision, "interrupt": interrupt}),
            )
        }
        "user_question_request" => Some(
            json!({"type": "user_question_response", "requestId": id, "answers": {"Which?": "A"}}),
        ),
        "plan_approval_request" => Some(
            json!({"type": "plan_approval_response", "requestId": id, "approved": dice.roll(2) == 0}),
        ),
        _ => None,
    };
    match (answer, dice.roll(4)) {
        (Some(answer), 0..=2) => parent.send(&answer),
        (_, 1) => parent.send(&json!({"type": "interrupt"})),
        (None, 2) => {
            if let Some(agent) = agent.and_then(|pid| i32::try_from(pid).ok()) {
                kill(agent);
            }
        }
        _ => {}
    }
}

/// Kills the agent, unless it is gone already.
fn kill(agent: i32) {
    let name = std::fs::read_to_string(format!("/proc/{agent}/cmdline"));
    if name.is_ok_and(|name| name.contains("fake-claude"))
        && let Some(pid) = rustix::process::Pid::from_raw(agent)
    {
        rustix::process::kill_process(pid, Signal::KILL).ok();
    }
}
