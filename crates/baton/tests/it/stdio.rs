//! `baton stdio` and `baton mcp`, as an embedding program uses them.

mod background;
mod bounds;
mod docs;
mod embedder;
mod endings;
mod hurry;
mod images;
mod lines;
mod mcp;
#[cfg(debug_assertions)]
mod panics;
mod people;
mod random;
mod real;
mod resume;
mod trust;
mod usage;
mod users;

use baton_stdio::validate;
use baton_testkit::{Finished, LIMIT, Running, Signal, bin};
use serde_json::{Value, json};

use crate::Bench;

/// A bench whose claude is the fake.
pub(crate) fn fake() -> Bench {
    let claude = bin("fake-claude").display().to_string();
    Bench::new().with("BATON_AGENT_CLAUDE_PATH", &claude)
}

/// A program that embeds a conversation.
pub(crate) struct Parent<'a> {
    pub(crate) baton: Running,
    /// What it runs in must not go before it.
    _bench: &'a Bench,
}

impl<'a> Parent<'a> {
    /// One that says this first.
    #[track_caller]
    pub(crate) fn saying(bench: &'a Bench, flags: &[&str], text: &str) -> Self {
        let parent = Self::start(bench, flags);
        parent.say(text);
        parent
    }

    #[track_caller]
    pub(crate) fn start(bench: &'a Bench, flags: &[&str]) -> Self {
        let mut args = vec!["stdio"];
        args.extend(flags);
        let parent = Self {
            baton: bench.start(&args),
            _bench: bench,
        };
        parent.wait("ready");
        parent
    }

    pub(crate) fn send(&self, message: &Value) {
        self.baton.send(message);
    }

    pub(crate) fn say(&self, content: &str) {
        self.send(&json!({"type": "message", "content": content}));
    }

    /// The next line of this type.
    #[track_caller]
    pub(crate) fn wait(&self, name: &str) -> Value {
        self.baton.wait_for(|line| line["type"] == name, LIMIT)
    }

    /// Sends a message and waits until its turn is over.
    #[track_caller]
    pub(crate) fn turn(&self, content: &str) -> Value {
        self.say(content);
        let result = self.wait("result");
        self.wait("turn_complete");
        result
    }

    #[track_caller]
    pub(crate) fn stop(self) -> Vec<Value> {
        self.send(&json!({"type": "stop"}));
        self.ended("stop")
    }

    #[track_caller]
    pub(crate) fn signal(self, signal: Signal, reason: &str) -> Vec<Value> {
        self.baton.signal(signal);
        self.ended(reason)
    }

    /// Waits for the end, which is in order.
    #[track_caller]
    pub(crate) fn ended(self, reason: &str) -> Vec<Value> {
        let done = self.baton.finish(LIMIT);
        let lines = checked(&done);
        let last = lines.last().expect("a last line");
        assert_eq!(last["reason"], reason, "{last}");
        assert_eq!(done.code(), Some(0), "{}", done.stderr);
        lines
    }
}

/// The lines of a run, which keep the rules of the order.
#[track_caller]
pub(crate) fn checked(done: &Finished) -> Vec<Value> {
    let lines = done.json_lines();
    let problems = validate::problems(&lines);
    assert!(
        problems.is_empty(),
        "{problems:#?}\n{}\n--- stderr\n{}",
        done.stdout,
        done.stderr
    );
    lines.into_iter().map(unstamped).collect()
}

/// A line without its number and its time, which differ from run to run.
pub(crate) fn unstamped(mut line: Value) -> Value {
    if let Some(fields) = line.as_object_mut() {
        fields.remove("seq");
        fields.remove("ts");
    }
    line
}

pub(crate) fn names(lines: &[Value]) -> Vec<&str> {
    lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect()
}

#[track_caller]
pub(crate) fn only<'a>(lines: &'a [Value], name: &str) -> &'a Value {
    let mut found = lines.iter().filter(|line| line["type"] == name);
    let one = found
        .next()
        .unwrap_or_else(|| panic!("no {name} in {:?}", names(lines)));
    assert!(found.next().is_none(), "more than one {name}");
    one
}
