use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::holder::read::JournalReader;

/// Writes records, cut into segments of `segment_bytes`.
fn write(dir: &Path, segment_bytes: u64, records: &[(RecordKind, Vec<u8>)]) -> Journal {
    let mut journal = Journal::create(dir, segment_bytes).expect("a scratch folder is writable");
    let mut chunk = Chunk::new();
    for (kind, payload) in records {
        chunk.room()[..payload.len()].copy_from_slice(payload);
        chunk.seal(*kind, payload.len());
        journal
            .write(&mut chunk)
            .expect("a scratch folder is writable");
    }
    journal
}

/// Every payload byte with its kind and position, as the records lie.
fn model(records: &[(RecordKind, Vec<u8>)]) -> Vec<(u64, RecordKind, u8)> {
    let mut position = 0;
    let mut bytes = Vec::new();
    for (kind, payload) in records {
        position += HEADER_BYTES;
        for byte in payload {
            bytes.push((position, *kind, *byte));
            position += 1;
        }
    }
    bytes
}

fn read_from(dir: &Path, from: u64) -> Vec<(u64, RecordKind, u8)> {
    let mut reader = JournalReader::open(dir, Position(from)).expect("the journal opens");
    let mut bytes = Vec::new();
    while let Some(record) = reader.next().expect("the journal is sound") {
        for (offset, byte) in record.payload.iter().enumerate() {
            bytes.push(((record.start + offset).0, record.kind, *byte));
        }
    }
    bytes
}

fn records() -> impl Strategy<Value = Vec<(RecordKind, Vec<u8>)>> {
    let kind = prop::sample::select(vec![RecordKind::Stdout, RecordKind::Stderr]);
    prop::collection::vec((kind, prop::collection::vec(any::<u8>(), 1..200)), 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn reading_from_any_position_gives_every_byte_after_it_once(
        records in records(),
        segment_bytes in 1_u64..800,
        from in 0.0..=1.0,
    ) {
        let dir = TempDir::new().expect("a scratch folder");
        let journal = write(dir.path(), segment_bytes, &records);
        let from = (journal.end() as f64 * from) as u64;
        let mut expected = model(&records);
        expected.retain(|(position, ..)| *position >= from);
        prop_assert_eq!(read_from(dir.path(), from), expected);
    }

    #[test]
    fn a_torn_last_record_is_cut_off(records in records(), torn in 1_u64..200) {
        let dir = TempDir::new().expect("a scratch folder");
        let journal = write(dir.path(), u64::MAX, &records);
        let (last, whole) = records.split_last().expect("at least one record");
        let torn = torn.min(last.1.len() as u64 + HEADER_BYTES);
        let file = OpenOptions::new().write(true).open(segment_path(dir.path(), 0));
        file.and_then(|file| file.set_len(journal.end() - torn)).expect("the segment is there");
        prop_assert_eq!(read_from(dir.path(), 0), model(whole));
    }
}

#[test]
fn zeroes_and_garbage_after_the_last_record_are_cut_off() {
    for garbage in [
        vec![0; 4096],
        b"\x05\0\0\0\x01xyzhello".to_vec(),
        vec![0xff; 20],
    ] {
        let dir = TempDir::new().expect("a scratch folder");
        let records = [
            (RecordKind::Stdout, b"one".to_vec()),
            (RecordKind::Stderr, b"two".to_vec()),
        ];
        write(dir.path(), u64::MAX, &records);
        let file = OpenOptions::new()
            .append(true)
            .open(segment_path(dir.path(), 0));
        file.and_then(|mut file| file.write_all(&garbage))
            .expect("the segment is there");
        assert_eq!(read_from(dir.path(), 0), model(&records));
    }
}

#[test]
fn a_missing_segment_in_the_middle_is_damage_and_not_silence() {
    let dir = TempDir::new().expect("a scratch folder");
    let records = vec![(RecordKind::Stdout, vec![b'x'; 92]); 3];
    write(dir.path(), 1, &records);
    fs::remove_file(segment_path(dir.path(), 100)).expect("the middle segment is there");
    let mut reader = JournalReader::open(dir.path(), Position(0)).expect("the journal opens");
    assert!(reader.next().is_ok_and(|record| record.is_some()));
    let error = reader.next().expect_err("the middle is missing");
    assert!(
        matches!(error, JournalError::Damaged { at: Position(100) }),
        "{error}"
    );
}

#[test]
fn committed_segments_are_deleted_and_their_positions_gone() {
    let dir = TempDir::new().expect("a scratch folder");
    let mut journal = write(
        dir.path(),
        1,
        &vec![(RecordKind::Stdout, vec![b'x'; 92]); 4],
    );
    journal.commit(199);
    assert_eq!(segments(dir.path()).expect("the folder"), [100, 200, 300]);
    journal.commit(u64::MAX);
    assert_eq!(segments(dir.path()).expect("the folder"), [300]);
    assert_eq!((journal.start(), journal.untaken()), (300, 0));
    let error = JournalReader::open(dir.path(), Position(150)).expect_err("it was deleted");
    assert!(
        matches!(
            error,
            JournalError::Gone {
                start: Position(300),
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_write_that_failed_goes_on_where_it_stopped() {
    let dir = TempDir::new().expect("a scratch folder");
    let mut journal = write(dir.path(), 1, &[(RecordKind::Stdout, b"first".to_vec())]);
    let obstacle = segment_path(dir.path(), journal.end());
    fs::create_dir(&obstacle).expect("a scratch folder is writable");
    let mut chunk = Chunk::new();
    chunk.room()[..6].copy_from_slice(b"second");
    chunk.seal(RecordKind::Stdout, 6);
    journal
        .write(&mut chunk)
        .expect_err("a folder is in the way");
    assert!(chunk.is_pending());
    fs::remove_dir(&obstacle).expect("it is there");
    journal.write(&mut chunk).expect("nothing is in the way");
    let text: Vec<u8> = read_from(dir.path(), 0)
        .iter()
        .map(|(_, _, byte)| *byte)
        .collect();
    assert_eq!(text, b"firstsecond");
}
