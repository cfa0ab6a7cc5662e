//! What becomes of every recorded session, event by event.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for a few kinds among all"
)]

use std::path::PathBuf;

use expect_test::expect_file;

use super::player::{Player, Row, recordings, restored};
use crate::{
    agents::{AgentOutput, Translator, claude},
    machine::Facts,
};

#[test]
fn every_recorded_session_becomes_the_events_that_were_read_and_found_true() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/events");
    for (name, rows) in recordings() {
        let mut player = Player::new(Facts::default());
        player.play(&rows);
        expect_file![folder.join(format!("{name}.txt"))].assert_eq(&player.told);
    }
}

/// Lines as the CLI wrote them, with the opening request's answer made ours.
fn lines(rows: &[Row]) -> Vec<String> {
    let out = rows.iter().filter(|row| row.dir == "out");
    out.map(|row| row.msg.get().to_owned()).collect()
}

fn fresh() -> Translator {
    Translator::Claude(Box::new(claude::Translator::new(&claude::Start::default())))
}

#[test]
fn a_new_owner_goes_on_at_any_line_as_if_it_had_seen_them_all() {
    for (name, rows) in recordings() {
        let mut one = Player::new(Facts::default());
        let mut many = Player::new(Facts::default());
        many.changes_hands = true;
        one.play(&rows);
        many.play(&rows);
        assert_eq!(one.told, many.told, "{name}");
    }
}

#[test]
fn a_snapshot_holds_everything_after_any_line() {
    for (name, rows) in recordings() {
        let mut translator = fresh();
        for (number, line) in lines(&rows).iter().enumerate() {
            translator.line(line.as_bytes(), &mut Vec::new());
            let same = format!("{:?}", restored(&translator)) == format!("{translator:?}");
            assert!(
                same,
                "{name}: the snapshot after line {number} loses something"
            );
        }
    }
}

#[test]
fn a_line_that_comes_twice_in_a_row_is_told_once() {
    let told = |output: &AgentOutput| match output {
        AgentOutput::Event { event, .. } => {
            event.name().starts_with("assistant.") || event.name() == "tool.requested"
        }
        AgentOutput::ToolResult(_) | AgentOutput::TurnEnded(_) => true,
        _ => false,
    };
    for (name, rows) in recordings() {
        let (mut once, mut twice) = (fresh(), fresh());
        let (mut from_once, mut from_twice) = (Vec::new(), Vec::new());
        for line in lines(&rows) {
            once.line(line.as_bytes(), &mut from_once);
            twice.line(line.as_bytes(), &mut from_twice);
            twice.line(line.as_bytes(), &mut from_twice);
        }
        from_once.retain(told);
        from_twice.retain(told);
        assert_eq!(from_once.len(), from_twice.len(), "{name}");
    }
}
