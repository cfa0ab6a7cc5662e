use uuid::Uuid;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(0);

fn buffer() -> LiveBuffer {
    LiveBuffer::new(SessionId::from_uuid(Uuid::nil()), Seq(3), Turn(1), NOW)
}

fn delta(text: &str) -> Live {
    Live::AssistantDelta(TextDelta {
        message_id: "m".into(),
        block: 0,
        offset: 0,
        text: text.into(),
    })
}

fn texts(reader: &mut LiveReader) -> Vec<(u64, String)> {
    let at = lock(&reader.shared).after;
    let frames = reader
        .take_at(at)
        .into_iter()
        .map(|frame| match frame.live {
            Live::AssistantDelta(delta) | Live::ThinkingDelta(delta) => (delta.offset, delta.text),
            Live::ToolProgress(_) | Live::PtyData(_) => panic!("not text"),
        });
    frames.collect()
}

#[test]
fn a_late_reader_starts_at_zero_and_a_slow_one_gets_merged_text() {
    let buffer = buffer();
    let mut quick = buffer.reader();
    buffer.push(NOW, delta("a😀"));
    assert_eq!(texts(&mut quick), [(0, "a😀".to_owned())]);
    buffer.push(NOW, delta("b"));
    buffer.push(NOW, delta("c"));
    assert_eq!(texts(&mut quick), [(3, "bc".to_owned())]);
    assert_eq!(texts(&mut buffer.reader()), [(0, "a😀bc".to_owned())]);
    assert!(texts(&mut quick).is_empty());
}

#[test]
fn a_completed_block_is_gone_and_frames_name_the_event_they_follow() {
    let buffer = buffer();
    let mut reader = buffer.reader();
    buffer.push(NOW, delta("a"));
    buffer.committed(Seq(4), Turn(1), &[("m".into(), 0)], false);
    assert!(reader.take_at(Seq(3)).is_empty(), "ahead of this reader");
    assert!(reader.take_at(Seq(4)).is_empty());
    buffer.push(
        NOW,
        Live::AssistantDelta(TextDelta {
            message_id: "m".into(),
            block: 1,
            offset: 0,
            text: "next".into(),
        }),
    );
    assert!(reader.take_at(Seq(3)).is_empty(), "ahead of this reader");
    let frames = reader.take_at(Seq(4));
    assert_eq!((frames.len(), frames[0].after), (1, Seq(4)));
}

#[test]
fn the_end_of_a_turn_clears_what_was_never_completed() {
    let buffer = buffer();
    let mut reader = buffer.reader();
    buffer.push(NOW, delta("half a wo"));
    assert_eq!(reader.take_at(Seq(3)).len(), 1);
    buffer.committed(Seq(9), Turn(1), &[], true);
    buffer.push(NOW, delta("new"));
    assert_eq!(texts(&mut reader), [(0, "new".to_owned())]);
}

#[test]
fn a_block_without_end_stops_growing() {
    let buffer = buffer();
    let big = "x".repeat(1024 * 1024);
    for _ in 0..10 {
        buffer.push(NOW, delta(&big));
    }
    let text: usize = texts(&mut buffer.reader())
        .iter()
        .map(|(_, text)| text.len())
        .sum();
    assert_eq!(text, MAX_BLOCK);
}

#[test]
fn text_after_a_piece_that_did_not_fit_is_left_out_too() {
    let buffer = buffer();
    let mut reader = buffer.reader();
    buffer.push(NOW, delta("start"));
    buffer.push(NOW, delta(&"x".repeat(MAX_BLOCK)));
    buffer.push(NOW, delta("end"));
    assert_eq!(texts(&mut reader), [(0, "start".to_owned())]);
}

#[test]
fn text_whose_start_an_earlier_owner_saw_keeps_its_offset() {
    let buffer = buffer();
    let from = |offset| {
        Live::AssistantDelta(TextDelta {
            message_id: "m".into(),
            block: 0,
            offset,
            text: "😀".into(),
        })
    };
    let mut reader = buffer.reader();
    buffer.push(NOW, from(500));
    assert_eq!(texts(&mut reader), [(500, "😀".to_owned())]);
    buffer.push(NOW, from(502));
    assert_eq!(texts(&mut reader), [(502, "😀".to_owned())]);
    assert_eq!(texts(&mut buffer.reader()), [(500, "😀😀".to_owned())]);
}
