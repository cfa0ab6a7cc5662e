use std::fmt::Write as _;

use super::*;

/// Builds a transcript from short words, one row each: `kind uuid parent text`.
/// A parent of `-` is none.
fn build(script: &str) -> String {
    let mut file = String::new();
    for line in script
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let [kind, uuid, parent, text] = words[..] else {
            panic!("{line}")
        };
        let parent = if parent == "-" {
            "null".to_owned()
        } else {
            format!("{parent:?}")
        };
        let common = format!(r#""uuid":"{uuid}","parentUuid":{parent},"cwd":"/p""#);
        let row = match kind {
            "user" => format!(
                r#"{{{common},"type":"user","message":{{"role":"user","content":"{text}"}}}}"#
            ),
            "assistant" => format!(
                r#"{{{common},"type":"assistant","message":{{"id":"m","content":[{{"type":"text","text":"{text}"}}]}}}}"#
            ),
            "call" => format!(
                r#"{{{common},"type":"assistant","message":{{"id":"m","content":[{{"type":"tool_use","id":"{text}","name":"Bash","input":{{}}}}]}}}}"#
            ),
            "result" => format!(
                r#"{{{common},"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{text}","content":"ok"}}]}}}}"#
            ),
            "queued" => format!(
                r#"{{{common},"type":"attachment","attachment":{{"type":"queued_command","prompt":"{text}","source_uuid":"q-{uuid}"}}}}"#
            ),
            "compact" => format!(
                r#"{{"uuid":"{uuid}","parentUuid":null,"logicalParentUuid":{parent},"type":"system","subtype":"compact_boundary","compactMetadata":{{"trigger":"manual","preservedSegment":{{"tailUuid":"{text}"}}}}}}"#
            ),
            "summary" => format!(
                r#"{{{common},"type":"user","isCompactSummary":true,"message":{{"role":"user","content":"{text}"}}}}"#
            ),
            "side" => format!(
                r#"{{{common},"type":"user","isSidechain":true,"message":{{"role":"user","content":"{text}"}}}}"#
            ),
            "shutdown" => {
                format!(r#"{{"type":"last-prompt","lastPrompt":"{text}","leafUuid":"{uuid}"}}"#)
            }
            other => panic!("{other}"),
        };
        writeln!(file, "{row}").unwrap();
    }
    file
}

#[track_caller]
fn check(script: &str, active: &str, abandoned: &str) {
    let transcript = Transcript::parse(build(script).as_bytes());
    assert_eq!(transcript.malformed, 0);
    let names = |rows: Vec<&Row>| {
        let names: Vec<&str> = rows.iter().filter_map(|row| row.uuid.as_deref()).collect();
        names.join(" ")
    };
    assert_eq!(names(transcript.active_branch()), active);
    assert_eq!(names(transcript.abandoned()), abandoned);
}

#[test]
fn the_active_branch_is_the_way_up_from_the_newest_row() {
    check(
        "user a - hi\nassistant b a hello\nuser c b more",
        "a b c",
        "",
    );
}

#[test]
fn a_branch_left_by_rewinding_is_abandoned() {
    check(
        "user a - hi
         assistant b a hello
         user c b wrong
         assistant d c oops
         user e b better
         assistant f e fine",
        "a b e f",
        "c d",
    );
}

#[test]
fn a_shutdown_names_the_leaf_until_something_is_written_after_it() {
    check(
        "user a - hi\nassistant b a one\nuser c a two\nshutdown b - hi",
        "a b",
        "c",
    );
    check(
        "user a - hi\nassistant b a one\nshutdown b - hi\nuser c a two",
        "a c",
        "b",
    );
    check("user a - hi\nshutdown nobody - hi", "a", "");
}

#[test]
fn messages_folded_into_a_turn_are_part_of_the_branch() {
    let script = "user a - hi\nqueued b a hurry\nassistant c b ok";
    check(script, "a b c", "");
    let transcript = Transcript::parse(build(script).as_bytes());
    let prompts: Vec<String> = transcript
        .active_branch()
        .iter()
        .filter_map(|row| row.prompt())
        .map(crate::Content::text)
        .collect();
    assert_eq!(prompts, ["hi", "hurry"]);
}

#[test]
fn a_compaction_does_not_end_the_branch() {
    check(
        "user a - hi
         assistant b a hello
         compact c b none
         summary d c what-was
         user e d on",
        "a b c d e",
        "",
    );
}

#[test]
fn a_compaction_that_kept_messages_is_still_shown() {
    check(
        "user a - hi
         assistant b a hello
         compact c b b
         summary d c what-was
         user e b on",
        "a b c d e",
        "",
    );
}

#[test]
fn all_results_of_parallel_tools_are_on_the_branch() {
    check(
        "user a - hi
         call b a t1
         call c b t2
         result d b t1
         result e c t2
         assistant f e done",
        "a b c d e f",
        "",
    );
}

#[test]
fn rows_of_subagents_are_not_part_of_the_conversation() {
    check("user a - hi\nside b a sub\nassistant c a done", "a c", "");
}

#[test]
fn a_cycle_ends_the_walk() {
    check("user a b hi\nuser b a hi", "a b", "");
}

#[test]
fn malformed_rows_are_counted_and_a_cut_row_is_noted() {
    let mut file = build("user a - hi\nassistant b a hello");
    file.insert_str(0, "not json\n[1]\n\n");
    file.push_str(r#"{"type":"user","uuid":"c","par"#);
    let transcript = Transcript::parse(file.as_bytes());
    assert_eq!((transcript.malformed, transcript.unfinished), (2, true));
    assert_eq!(transcript.active_branch().len(), 2);
    assert_eq!(Transcript::parse(b""), Transcript::default());
    assert!(Transcript::default().active_branch().is_empty());
}

#[test]
fn a_message_is_found_by_its_uuid_as_a_row_or_folded() {
    let (row, folded, mentioned) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
    let text = format!(
        r#"{{"type":"user","uuid":"{row}","parentUuid":"{mentioned}","message":{{"content":"x"}}}}
{{"type":"attachment","uuid":"z","attachment":{{"type":"queued_command","prompt":"x","source_uuid":"{folded}"}}}}
"#
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &text).unwrap();
    let transcript = Transcript::read(file.path()).unwrap();
    for (uuid, wanted) in [(row, true), (folded, true), (mentioned, false)] {
        assert_eq!(transcript.contains_message(uuid), wanted);
        assert_eq!(contains_message(file.path(), uuid).unwrap(), wanted);
    }
    assert!(contains_message(Path::new("/no/such/file"), row).is_err());
}

#[test]
fn rows_of_unknown_type_keep_their_json() {
    let line = br#"{"type":"file-history-snapshot","messageId":"m","snapshot":{}}"#;
    let row = Row::decode(line).unwrap();
    let RowBody::Other { kind, raw } = row.body else {
        panic!()
    };
    assert_eq!(kind.as_deref(), Some("file-history-snapshot"));
    assert_eq!(raw.get().as_bytes(), line);
}
