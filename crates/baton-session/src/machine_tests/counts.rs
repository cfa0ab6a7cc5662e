//! What a turn has cost and how long it took, whatever became of its processes.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for a few kinds among all"
)]

use baton_protocol::{
    Event,
    event::{RuntimeFallback, TurnCompleted},
};

use super::{
    super::Effect,
    script::{World, steps},
};
use crate::machine::Facts;

/// Runs a script and returns the events of its last step.
fn last(script: &str) -> Vec<Event> {
    let mut world = World::new(Facts::default());
    let mut events = Vec::new();
    for words in steps(script) {
        let (_, effects) = world.step(words).unwrap();
        let recorded = effects.into_iter().filter_map(|effect| match effect {
            Effect::Record { event, .. } => Some(event),
            _ => None,
        });
        events = recorded.collect();
    }
    events
}

fn ended(script: &str) -> TurnCompleted {
    let mut ends = last(script).into_iter().filter_map(|event| match event {
        Event::TurnCompleted(completed) => Some(completed),
        _ => None,
    });
    ends.next_back().unwrap()
}

fn fell_back(script: &str) -> RuntimeFallback {
    let mut events = last(script).into_iter().filter_map(|event| match event {
        Event::RuntimeFallback(fallback) => Some(fallback),
        _ => None,
    });
    events.next_back().unwrap()
}

fn told(end: &TurnCompleted) -> (Option<f64>, Option<u64>, u64) {
    let tokens = end.usage.map(|usage| usage.output_tokens);
    (end.cost_usd, tokens, end.duration_ms)
}

#[test]
fn a_turn_in_one_process_costs_what_that_says_and_lasts_from_its_beginning() {
    let end = ended("create | send m1 | wait 3 | ready | taken m1 | wait 4 | done");
    assert_eq!(told(&end), (Some(0.5), Some(100), 7000));
}

#[test]
fn a_hung_part_that_told_its_price_is_counted_in() {
    let hung = "create | send m1 | ready | taken m1 | used 30 | wait 2000 | interrupted";
    let fallback = fell_back(&format!("{hung} | died 0 has"));
    assert_eq!(fallback.cost_usd, Some(0.5));
    assert_eq!(fallback.usage.map(|usage| usage.output_tokens), Some(100));
    let end = ended(&format!("{hung} | died 0 has | ready | wait 5 | done"));
    assert_eq!(told(&end), (Some(1.0), Some(200), 2_005_000));
}

#[test]
fn a_part_that_died_without_a_word_is_counted_by_what_it_streamed() {
    let end = ended(
        "create | send m1 | ready | taken m1 | used 30 | used 70 | died 9 has | ready | wait 5 | done",
    );
    assert_eq!(told(&end), (Some(0.5), Some(170), 5000));
}

#[test]
fn a_killed_turn_tells_its_tokens_and_no_price_that_nobody_knows() {
    let end = ended("create | send m1 | ready | taken m1 | used 30 | wait 9 | kill | exit 137");
    assert_eq!(told(&end), (None, Some(30), 9000));
}

#[test]
fn what_was_counted_is_known_to_the_next_owner() {
    let end = ended("create | send m1 | ready | taken m1 | used 30 | adopt | wait 9 | exit 137");
    assert_eq!(told(&end), (None, Some(30), 9000));
    let end = ended(
        "create | send m1 | ready | taken m1 | used 30 | died 9 has | restart | ready | used 5 | exit 1",
    );
    assert_eq!(told(&end), (None, Some(35), 0));
}

#[test]
fn nothing_is_counted_twice_or_for_another_turn() {
    let end = ended(
        "create | send m1 | ready | taken m1 | used 30 | died 9 has | ready | done | exit 0 | send m2 | ready | done",
    );
    assert_eq!(told(&end), (Some(0.5), Some(100), 0));
}

#[test]
fn a_clock_that_is_set_changes_no_duration() {
    let end = ended("create | send m1 | ready | taken m1 | jump 90000 | wait 4 | done");
    assert_eq!(end.duration_ms, 4000);
    let end = ended("create | send m1 | ready | taken m1 | jump -90000 | wait 4 | done");
    assert_eq!(end.duration_ms, 4000);
    let tools = last("create | send m1 | ready | tool t1 | jump 90000 | wait 2 | result t1 ok");
    let took = tools.iter().find_map(|event| match event {
        Event::ToolCompleted(tool) => Some(tool.duration_ms),
        _ => None,
    });
    assert_eq!(took, Some(2000));
}
