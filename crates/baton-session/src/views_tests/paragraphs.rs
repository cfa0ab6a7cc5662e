use proptest::prelude::*;

use super::{
    super::{FORCED_FLUSH, Paragraph, Paragraphs},
    script::{Given, Session},
};

fn show(view: &mut Paragraphs, given: &Given) -> Vec<Paragraph> {
    match given {
        Given::Event(envelope) => view.event(envelope),
        Given::Live(frame) => view.live(frame),
    }
}

fn shown(session: &Session) -> Vec<Paragraph> {
    let mut view = Paragraphs::default();
    let each = session.given.iter();
    each.flat_map(|given| show(&mut view, given)).collect()
}

fn texts(session: &Session) -> Vec<String> {
    let paragraphs = shown(session).into_iter();
    paragraphs.map(|paragraph| paragraph.text).collect()
}

#[test]
fn text_is_given_at_blank_lines_and_the_rest_with_the_finished_block() {
    let mut session = Session::default();
    session.turn(1).writes("m", 0, "One\nand a half.\n");
    assert!(texts(&session).is_empty());
    session.writes("m", 16, "\nTwo");
    assert_eq!(texts(&session), ["One\nand a half.\n\n"]);
    session.said("m", "One\nand a half.\n\nTwo.\n \n\nThree");
    let wanted = ["One\nand a half.\n\n", "Two.\n \n", "\nThree"];
    assert_eq!(texts(&session), wanted);
}

#[test]
fn a_long_paragraph_is_given_at_the_first_line_end_beyond_the_limit() {
    let line = "ä".repeat(999) + "\n";
    let text = line.repeat(6);
    let mut session = Session::default();
    session.turn(1).writes("m", 0, &text);
    assert_eq!(texts(&session), [line.repeat(5)]);
    assert!(line.chars().count() * 4 <= FORCED_FLUSH);
    session.said("m", &text);
    assert_eq!(texts(&session), [line.repeat(5), line]);
}

#[test]
fn a_frame_behind_a_gap_waits_for_the_finished_block() {
    let mut session = Session::default();
    session
        .turn(1)
        .writes("m", 0, "One.\n\n")
        .writes("m", 20, "Three.\n\n")
        .said("m", "One.\n\nTwo two two.\n\nThree.\n\n");
    let wanted = ["One.\n\n", "Two two two.\n\n", "Three.\n\n"];
    assert_eq!(texts(&session), wanted);
}

#[test]
fn a_frame_that_comes_after_its_block_has_ended_is_dropped() {
    let mut session = Session::default();
    session.turn(1).writes("m", 0, "One.\n\n");
    let late = session.given.pop().unwrap();
    session.said("m", "One.\n\n").given.push(late);
    session.done(None);
    assert_eq!(texts(&session), ["One.\n\n"]);
}

#[test]
fn text_whose_block_never_ended_is_given_when_the_turn_ends() {
    let mut session = Session::default();
    session.turn(1).writes("m", 0, "One.\n\nTw").done(None);
    assert_eq!(texts(&session), ["One.\n\n", "Tw"]);
}

#[test]
fn a_block_that_ended_otherwise_than_it_began_is_given_again() {
    let mut session = Session::default();
    session
        .turn(1)
        .writes("m", 0, "One.\n\n")
        .said("m", "Two.\n\nThree.");
    let again: Vec<_> = shown(&session).into_iter().map(|p| p.again).collect();
    assert_eq!(again, [false, true, false]);
    // Less than was shown needs nothing more.
    let mut session = Session::default();
    session.turn(1).writes("m", 0, "One.\n\n").said("m", "One.");
    assert_eq!(texts(&session), ["One.\n\n"]);
}

#[test]
fn a_subagents_text_is_no_part_of_the_conversation() {
    let mut session = Session::default();
    let payload = serde_json::json!({
        "messageId": "s", "block": 0, "content": "Looking.", "parentToolUseId": "t",
    });
    session.turn(1).event("assistant.message", None, &payload);
    assert!(texts(&session).is_empty());
}

/// How one frame fares on its way.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Whole,
    Lost,
    Twice,
    /// Together with the one after it.
    Merged,
    /// After the next event.
    Late,
    /// With the whole text before it, as a new subscriber gets it.
    FromStart,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        4 => Just(Fate::Whole),
        1 => Just(Fate::Lost),
        1 => Just(Fate::Twice),
        1 => Just(Fate::Merged),
        1 => Just(Fate::Late),
        1 => Just(Fate::FromStart),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just(" \r\n".to_owned()),
        Just("\n```\n".to_owned()),
        Just("🙂".to_owned()),
        Just("é ".to_owned()),
        Just("x".repeat(1500)),
        "[a-z ]{0,12}".prop_map(|words| words),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn units(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

/// Plays a block whose frames fare as they may, with another event in between.
fn play(session: &mut Session, message: &str, text: &str, pieces: &[(usize, Fate)]) {
    let chars: Vec<char> = text.chars().collect();
    let (mut at, mut from) = (0, 0);
    let mut late = Vec::new();
    for (number, (length, fate)) in pieces.iter().enumerate() {
        let end = (at + length).min(chars.len());
        let before: String = chars[..from].iter().collect();
        let piece: String = chars[from..end].iter().collect();
        at = end;
        if matches!(fate, Fate::Merged) {
            continue;
        }
        from = end;
        let offset = units(&before);
        match fate {
            Fate::Lost | Fate::Merged => {}
            Fate::Whole => {
                session.writes(message, offset, &piece);
            }
            Fate::Twice => {
                session.writes(message, offset, &piece);
                session.writes(message, offset, &piece);
            }
            Fate::FromStart => {
                session.writes(message, 0, &format!("{before}{piece}"));
            }
            Fate::Late => {
                session.writes(message, offset, &piece);
                late.extend(session.given.pop());
            }
        }
        if number % 3 == 2 {
            let usage = serde_json::json!({"tokens": 1, "window": 2});
            session.event("context.usage", None, &usage);
            session.given.append(&mut late);
        }
    }
    session.said(message, text).given.append(&mut late);
}

proptest! {
    #[test]
    fn the_paragraphs_of_a_block_are_its_text_whatever_becomes_of_the_frames(
        blocks in proptest::collection::vec(
            (text(), proptest::collection::vec((0..40_usize, fate()), 0..30)), 1..4),
    ) {
        let mut live = Session::default();
        live.turn(1);
        for (number, (text, pieces)) in blocks.iter().enumerate() {
            play(&mut live, &format!("m{number}"), text, pieces);
        }
        live.done(None);
        let mut replayed = live.clone();
        replayed.given.retain(Given::is_event);

        for (number, (text, _)) in blocks.iter().enumerate() {
            let of_block = |session: &Session| -> Vec<Paragraph> {
                let mine = format!("m{number}");
                let mut all = shown(session);
                all.retain(|paragraph| paragraph.message_id == mine);
                all
            };
            let seen = of_block(&live);
            let whole: String = seen.iter().map(|paragraph| paragraph.text.as_str()).collect();
            prop_assert_eq!(&whole, text);
            // Where a paragraph ends follows from the text alone.
            prop_assert_eq!(seen, of_block(&replayed));
        }
    }
}
