//! Every sequence of inputs, up to a length, and longer random ones: what must
//! hold after each step, whatever the agent and the people do.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for a few kinds among all"
)]

use std::collections::BTreeSet;

use baton_protocol::{ApprovalId, Event, MessageId, words::SessionState};
use proptest::prelude::*;
use uuid::Uuid;

use super::{
    super::{Effect, Facts, Input, Machine, Moment, Phase, Reply},
    script::World,
};
use crate::agents::AgentCommand;

/// A machine with everything a careful reader of its log would know.
#[derive(Clone)]
struct Watched {
    world: World,
    /// Folded from the recorded events alone.
    replayed: Facts,
    seen: Seen,
    full: bool,
}

#[derive(Clone, Default)]
struct Seen {
    turn: u32,
    open_turn: Option<u32>,
    state: Option<SessionState>,
    ended: bool,
    asked: BTreeSet<ApprovalId>,
    resolved: BTreeSet<ApprovalId>,
    tools: BTreeSet<String>,
    accepted: BTreeSet<MessageId>,
    /// Messages that were taken back or whose turn is over.
    settled: BTreeSet<MessageId>,
    delivered: BTreeSet<MessageId>,
    fell_back: BTreeSet<u32>,
    /// Messages that the agent's records are said to have.
    stored: BTreeSet<MessageId>,
    /// Our requests that somebody waits for.
    waiting: BTreeSet<String>,
    /// A process was started and has not ended.
    process: bool,
    /// Messages this process was given.
    prompted: BTreeSet<MessageId>,
}

impl Watched {
    fn new() -> Self {
        let mut watched = Self {
            world: World::new(Facts::default()),
            replayed: Facts::default(),
            seen: Seen::default(),
            full: false,
        };
        let before = watched.world.machine.clone();
        watched.step("create", &before);
        watched
    }

    /// Does one step and checks everything. Says whether anything changed.
    fn step(&mut self, words: &str, before: &Machine) -> bool {
        let running = self.in_turn();
        if matches!(words, "full" | "room") {
            self.full = words == "full";
        }
        let stepped = self.world.step(words);
        let Ok((reply, effects)) = stepped else {
            assert!(self.world.machine == *before, "a refusal changes nothing");
            return false;
        };
        if words == "died 9 has" {
            self.seen.stored.extend(&running);
        }
        if matches!(words, "exit 1" | "startfail" | "lost") || words.starts_with("died") {
            self.seen.process = false;
            self.seen.prompted.clear();
        }
        match reply {
            Reply::Message { message_id, .. } => {
                self.seen.accepted.insert(message_id);
            }
            Reply::Later { request } => {
                self.seen.waiting.insert(request);
            }
            Reply::Done => {}
        }
        for effect in &effects {
            if let Effect::Record { event, .. } = effect {
                if let Event::TurnStarted(started) = event {
                    let open = &self.replayed.open;
                    let taken = started.takes(open.first());
                    let mut held = open.queue.iter().filter(|one| one.held);
                    assert!(
                        held.all(|one| Some(one.message_id) != taken),
                        "begun though it is held"
                    );
                }
                self.replayed.apply(self.world.now, event);
            }
            self.seen.effect(effect);
        }
        self.holds(words);
        !effects.is_empty() || self.world.machine != *before
    }

    fn holds(&self, words: &str) {
        let machine = &self.world.machine;
        let facts = machine.facts();
        let seen = &self.seen;
        assert!(self.replayed == *facts, "replay equals live");
        assert_eq!(
            seen.state,
            Some(machine.state()),
            "the told state is the state"
        );
        assert_eq!(seen.process, machine.has_process());
        let running = match &facts.phase {
            Phase::Running(running) => Some(running.turn.0),
            Phase::Idle | Phase::Ended { .. } => None,
        };
        assert_eq!(seen.open_turn, running, "each turn begins and ends once");
        let open: BTreeSet<_> = seen.asked.difference(&seen.resolved).copied().collect();
        assert!(open == facts.open.asked().map(|one| one.approval_id).collect());
        if words.starts_with("exit") || words.starts_with("died") {
            assert!(open.is_empty(), "a question dies with its process");
            assert!(
                seen.tools.is_empty() && facts.open.work.is_empty() && facts.open.tasks.is_empty()
            );
            assert!(seen.waiting.is_empty(), "every asker has an answer");
        }
        if seen.ended {
            assert!(open.is_empty() && seen.tools.is_empty() && seen.waiting.is_empty());
            assert!(!seen.process && machine.deadline().is_none());
        }
        let queued = facts.open.queue.iter().map(|waiting| waiting.message_id);
        let kept: BTreeSet<MessageId> = queued.chain(self.in_turn()).collect();
        for message in &seen.accepted {
            assert!(
                kept.contains(message) || seen.settled.contains(message),
                "lost a message"
            );
        }
        assert!(
            self.full || !machine.wants_to_begin(),
            "nobody works on the queue"
        );
        if seen.ended {
            assert!(
                facts.open.next().is_none(),
                "nothing is left to begin later"
            );
        }
        self.time_runs_out();
    }

    fn in_turn(&self) -> Vec<MessageId> {
        match &self.world.machine.facts().phase {
            Phase::Running(running) => running.message_ids().collect(),
            Phase::Idle | Phase::Ended { .. } => Vec::new(),
        }
    }

    /// A tick at the deadline moves the deadline, so that nobody ticks for ever.
    fn time_runs_out(&self) {
        let Some(deadline) = self.world.machine.deadline() else {
            return;
        };
        let mut later = self.world.machine.clone();
        let at = self.world.at.max(deadline);
        let moment = Moment {
            now: self.world.now,
            at,
            fresh: Uuid::max(),
        };
        later.step(moment, Input::Tick).unwrap();
        let next = later.deadline();
        assert!(next.is_none_or(|next| next > at), "a deadline that stays");
    }
}

impl Seen {
    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Record { event, turn, .. } => {
                assert!(
                    !self.ended
                        || matches!(
                            event,
                            Event::SessionState(_)
                                | Event::MessageRemoved(_)
                                | Event::MessageEdited(_)
                                | Event::MessageMoved(_)
                        )
                );
                self.event(event);
                assert_eq!(turn.0, self.turn);
            }
            Effect::Start => {
                assert!(!self.process, "one process at a time");
                self.process = true;
            }
            Effect::Tell(command) => {
                assert!(self.process, "nobody is there to hear {command:?}");
                if let AgentCommand::Prompt { message_id, .. } = command {
                    assert!(self.prompted.insert(*message_id), "said twice");
                    assert!(!self.stored.contains(message_id), "run twice");
                }
            }
            Effect::Kill { .. } | Effect::CloseStdin => assert!(self.process),
            Effect::Settled { request, .. } => {
                assert!(self.waiting.remove(request), "nobody asked for {request}");
            }
            Effect::RememberEnd { .. } => assert!(self.process),
            Effect::At(_)
            | Effect::Blob { .. }
            | Effect::AddRule { .. }
            | Effect::OpenRequest { .. }
            | Effect::CloseRequest { .. }
            | Effect::Live(_) => {}
        }
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::SessionState(changed) => {
                assert_ne!(self.state, Some(changed.state), "a state is told once");
                if self.ended && changed.state != SessionState::Ended {
                    assert_eq!(changed.reason.as_deref(), Some("resumed"));
                    self.ended = false;
                }
                self.state = Some(changed.state);
            }
            Event::SessionEnded(_) => self.ended = true,
            Event::TurnStarted(started) => {
                assert_eq!(self.open_turn, None, "one turn at a time");
                assert_eq!(started.turn.0, self.turn + 1, "turns count without gap");
                self.turn += 1;
                self.open_turn = Some(self.turn);
            }
            Event::TurnCompleted(completed) => {
                assert_eq!(self.open_turn, Some(completed.turn.0));
                self.open_turn = None;
                self.settled.extend(&completed.message_ids);
            }
            Event::RuntimeFallback(fallback) => {
                assert!(self.fell_back.insert(self.turn), "once per turn");
                if fallback.continued_by.is_none() {
                    // The agent does not have it, so it is given it again.
                    self.delivered.clear();
                }
            }
            Event::MessageRemoved(removed) => {
                self.settled.insert(removed.message_id);
            }
            Event::MessageDelivered(delivered) => {
                assert!(
                    self.delivered.insert(delivered.message_id),
                    "delivered twice"
                );
            }
            Event::ApprovalRequested(asked) => assert!(self.asked.insert(asked.approval_id)),
            Event::ApprovalResolved(resolved) => {
                assert!(self.asked.contains(&resolved.approval_id));
                assert!(self.resolved.insert(resolved.approval_id), "resolved twice");
            }
            Event::ToolRequested(tool) => assert!(self.tools.insert(tool.tool_use_id.clone())),
            Event::ToolCompleted(tool) => assert!(self.tools.remove(&tool.tool_use_id)),
            _ => {}
        }
    }
}

/// What only a process can do is tried only while there is one.
fn possible(words: &str, seen: &Seen) -> bool {
    let of_people = [
        "send",
        "queue",
        "back",
        "edit",
        "move",
        "now",
        "pause",
        "release",
        "halt",
        "allow",
        "answers",
        "always",
        "deny",
        "interrupt",
        "kill",
        "close",
        "evict",
        "hold",
        "resume",
        "end",
        "model",
        "rewind",
        "context",
        "wait",
        "jump",
        "full",
        "room",
    ];
    let verb = words.split(' ').next().unwrap_or_default();
    seen.process || of_people.contains(&verb)
}

/// An agent's records do not forget: what they had they have.
fn plausible(words: &str, watched: &Watched) -> bool {
    let running = watched.in_turn();
    match words {
        "died 9 lacks" => !running.iter().any(|id| watched.seen.stored.contains(id)),
        _ => true,
    }
}

/// Walks every sequence; a step that changes nothing need not be followed.
fn walk(
    watched: &Watched,
    alphabet: &[&str],
    left: usize,
    trail: &mut Vec<String>,
    count: &mut u64,
) {
    for words in alphabet {
        if !possible(words, &watched.seen) || !plausible(words, watched) {
            continue;
        }
        let mut next = watched.clone();
        trail.push((*words).to_owned());
        let told = trail.join(" | ");
        // The trail is what a failing assertion is worth nothing without.
        let stepped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            next.step(words, &watched.world.machine)
        }));
        *count += 1;
        let changed = stepped.unwrap_or_else(|_| panic!("after: create | {told}"));
        if changed && left > 1 {
            walk(&next, alphabet, left - 1, trail, count);
        }
        trail.pop();
    }
}

#[track_caller]
fn every(lead: &[&str], alphabet: &[&str], length: usize, at_least: u64) {
    let mut start = Watched::new();
    for words in lead {
        let before = start.world.machine.clone();
        start.step(words, &before);
    }
    let mut count = 0;
    walk(
        &start,
        alphabet,
        length,
        &mut lead.iter().map(ToString::to_string).collect(),
        &mut count,
    );
    assert!(count >= at_least, "only {count} sequences");
}

#[test]
fn every_short_life_of_a_session() {
    let alphabet: Vec<&str> = "send m1, queue m2, ready, turn, taken m1, ask a1, allow a1, \
        tool t1, done, interrupt, close, end, exit 1, startfail, wait 70"
        .split(", ")
        .collect();
    every(&[], &alphabet, 6, 70_000);
}

#[test]
fn every_way_to_stop_a_running_turn() {
    let alphabet: Vec<&str> = "queue m3, back m2, taken m2, interrupt, kill, end, done, ready, \
        exit 1, startfail, wait 11"
        .split(", ")
        .collect();
    every(
        &["send m1", "queue m2", "ready", "taken m1"],
        &alphabet,
        6,
        30_000,
    );
}

#[test]
fn every_order_of_what_waits() {
    let alphabet: Vec<&str> = "queue m4, back m2, edit m3 other, move m3 m2, now m3, halt, pause, \
        release, taken m2, taken m3, interrupted, done, end, resume, ready, exit 1, wait 25000"
        .split(", ")
        .collect();
    every(
        &["send m1", "queue m2", "queue m3", "ready", "taken m1"],
        &alphabet,
        5,
        50_000,
    );
}

#[test]
fn every_way_a_process_is_lost() {
    let alphabet = [
        "ready",
        "taken m1",
        "tool t1",
        "done",
        "interrupted",
        "interrupt",
        "queue m2",
        "died 9 has",
        "died 9 lacks",
        "exit 1",
        "end",
        "resume",
        "evict",
        "wait 2000",
        "wait 10",
    ];
    every(&["send m1", "ready"], &alphabet, 5, 15_000);
}

#[test]
fn every_order_of_work_in_the_background() {
    let alphabet: Vec<&str> = "subagent s1 t1, task k1, stopped s1, task k1 completed, \
        task k1 stopped, turn, rest, interrupt, interrupted, ask a1 s1, wait 10, queue m2, done, \
        exit 1, end"
        .split(", ")
        .collect();
    every(
        &["send m1", "ready", "tool t1", "result t1"],
        &alphabet,
        5,
        15_000,
    );
}

#[test]
fn every_order_of_questions_and_work() {
    let alphabet: Vec<&str> = "ask a1, ask a2 s1, allow a1, deny a2, wait 101, subagent s1 t1, \
        tool t2 t1, task k1, stopped s1, done, exit 1"
        .split(", ")
        .collect();
    every(&["send m1", "ready", "tool t1"], &alphabet, 5, 15_000);
}

#[test]
fn every_order_of_requests_and_answers() {
    let alphabet: Vec<&str> = "model x, rewind m1, context, reply #4, reply #5, replyerr #6, \
        wait 31, ready, exit 1, startfail, send m2, end"
        .split(", ")
        .collect();
    every(&["send m1", "ready", "done"], &alphabet, 5, 20_000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn long_random_lives_keep_the_rules(
        words in proptest::collection::vec(proptest::sample::select(ALPHABET), 1..120)
    ) {
        let mut watched = Watched::new();
        for word in &words {
            if possible(word, &watched.seen) && plausible(word, &watched) {
                let before = watched.world.machine.clone();
                watched.step(word, &before);
            }
        }
    }
}

const ALPHABET: &[&str] = &[
    "send m1",
    "send m2",
    "queue m3",
    "queue m4",
    "queue m5",
    "back m3",
    "back m4",
    "ready",
    "ready",
    "ready",
    "started",
    "started sonnet",
    "turn",
    "taken m1",
    "taken m2",
    "taken m3",
    "taken m4",
    "say hi",
    "tool t1",
    "tool t2 t1",
    "result t1 ok",
    "result t2 ok",
    "subagent s1 t1",
    "stopped s1",
    "stopped s1 stopped",
    "task k1",
    "task k1 completed",
    "stop k1",
    "stop s1",
    "rest",
    "ask a1",
    "ask a2 question",
    "ask a3 s1",
    "ask a4 allowed",
    "ask a5 denied",
    "gate g1",
    "gate g2 denied",
    "gate g3 doubted",
    "always a1 session",
    "withdraw a1",
    "allow a1",
    "answers a2",
    "deny a3",
    "done",
    "done",
    "done",
    "failed",
    "interrupted",
    "interrupt",
    "halt",
    "pause",
    "release",
    "now m4",
    "edit m4 other",
    "move m4 m3",
    "kill",
    "close",
    "model x",
    "mode plan",
    "rewind m1",
    "preview m1",
    "context",
    "reply #9",
    "reply #14",
    "replyerr #20",
    "exit 1",
    "died 9 has",
    "died 9 lacks",
    "startfail",
    "resume",
    "evict",
    "hold",
    "compacting",
    "compacting over",
    "retry 100",
    "wait 5",
    "jump 100000",
    "jump -100000",
    "full",
    "room",
    "used 7",
    "wait 2000",
    "wait 5000",
    "wait 30000",
    "wait 70",
    "wait 1000",
    "entered plan",
    "end",
];
