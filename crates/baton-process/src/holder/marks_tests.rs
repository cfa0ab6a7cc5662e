use super::*;

fn counted() -> Marks {
    Marks::new(RequestMarks {
        opened_by_output: vec!["ask".to_owned()],
        closed_by_output: vec!["withdraw".to_owned()],
        closed_by_input: vec!["answer".to_owned()],
        ..RequestMarks::default()
    })
}

fn named() -> Marks {
    Marks::new(RequestMarks {
        opened_by_output: vec![r#"{"type":"ask""#.to_owned()],
        closed_by_output: vec![r#"{"type":"withdraw""#.to_owned()],
        closed_by_input: vec![r#"{"type":"answer""#.to_owned()],
        id_key: Some("id".to_owned()),
    })
}

fn ask(id: &str) -> Vec<u8> {
    format!("{{\"type\":\"ask\",\"id\":\"{id}\",\"input\":{{}}}}\n").into_bytes()
}

fn withdraw(id: &str) -> Vec<u8> {
    format!("{{\"type\":\"withdraw\",\"id\":\"{id}\"}}\n").into_bytes()
}

fn answer(id: &str) -> Vec<u8> {
    format!("{{\"type\":\"answer\",\"response\":{{\"id\":\"{id}\"}}}}").into_bytes()
}

#[test]
fn requests_are_counted_however_the_output_is_cut() {
    let output = b"ask 1\nno ask\nask 2\nwithdraw 1\nask";
    for size in 1..output.len() {
        let mut marks = counted();
        for chunk in output.chunks(size) {
            marks.output(chunk);
        }
        assert_eq!(marks.open.unnamed, 1, "in chunks of {size}");
        marks.output(b" 3\n");
        assert_eq!(marks.open.unnamed, 2, "in chunks of {size}");
    }
}

#[test]
fn answers_close_requests_and_never_go_below_none() {
    let mut marks = counted();
    marks.input(b"answer 0");
    marks.output(b"ask 1\n");
    assert!(marks.any_open());
    marks.input(b"say answer");
    assert!(marks.any_open());
    marks.input(b"answer 1");
    assert!(!marks.any_open());
}

#[test]
fn an_answer_given_again_leaves_the_next_request_open() {
    let mut marks = named();
    marks.output(&ask("one"));
    marks.input(&answer("one"));
    assert!(!marks.any_open());
    marks.output(&ask("two"));
    marks.input(&answer("one"));
    assert!(marks.any_open());
    marks.input(&answer("two"));
    assert!(!marks.any_open());
}

#[test]
fn of_two_requests_one_answered_twice_leaves_the_other_open() {
    let mut marks = named();
    marks.output(&[ask("one"), ask("two")].concat());
    marks.input(&answer("two"));
    marks.input(&answer("two"));
    assert!(marks.any_open());
    marks.input(&answer("one"));
    assert!(!marks.any_open());
}

#[test]
fn withdrawing_an_answered_request_leaves_the_others_open() {
    let mut marks = named();
    marks.output(&[ask("one"), ask("two")].concat());
    marks.input(&answer("one"));
    marks.output(&withdraw("one"));
    assert!(marks.any_open());
    marks.output(&withdraw("two"));
    assert!(!marks.any_open());
}

#[test]
fn a_request_asked_again_is_still_one() {
    let mut marks = named();
    marks.output(&[ask("one"), ask("one")].concat());
    marks.input(&answer("one"));
    assert!(!marks.any_open());
}

#[test]
fn ids_are_found_however_the_output_is_cut() {
    let output = [
        ask("first"),
        b"{\"type\":\"said\",\"id\":\"first\"}\n".to_vec(),
        ask("second"),
        withdraw("first"),
        ask("third"),
    ]
    .concat();
    for size in 1..=output.len() {
        let mut marks = named();
        for chunk in output.chunks(size) {
            marks.output(chunk);
        }
        assert_eq!(marks.open.named.len(), 2, "in chunks of {size}");
        marks.input(&answer("second"));
        marks.input(&answer("first"));
        assert!(marks.any_open(), "in chunks of {size}");
        marks.input(&answer("third"));
        assert!(!marks.any_open(), "in chunks of {size}");
    }
}

#[test]
fn a_request_counts_before_its_line_has_ended() {
    let mut marks = named();
    marks.output(b"{\"type\":\"ask\",\"input\"");
    assert!(marks.any_open());
    marks.output(b":1,\"id\":\"one\"}\n");
    marks.input(&answer("one"));
    assert!(!marks.any_open());
}

#[test]
fn lines_longer_than_the_window_are_known_by_an_id_within_it() {
    let long = "x".repeat(3 * WINDOW);
    let line = format!("{{\"type\":\"ask\",\"id\":\"one\",\"input\":\"{long}\"}}\n");
    let reply = format!("{{\"type\":\"answer\",\"id\":\"one\",\"more\":\"{long}\"}}");
    for size in [1, 100, WINDOW - 1, WINDOW, WINDOW + 1, line.len()] {
        let mut marks = named();
        for chunk in line.as_bytes().chunks(size) {
            marks.output(chunk);
            assert!(marks.head.len() <= WINDOW);
        }
        assert_eq!(marks.open.named.len(), 1, "in chunks of {size}");
        marks.input(reply.as_bytes());
        assert!(!marks.any_open(), "in chunks of {size}");
    }
}

#[test]
fn a_request_whose_id_is_out_of_sight_stays_open() {
    let long = "x".repeat(WINDOW);
    let line = format!("{{\"type\":\"ask\",\"input\":\"{long}\",\"id\":\"one\"}}\n");
    let mut marks = named();
    marks.output(line.as_bytes());
    marks.output(&ask("two"));
    // An id cut by the window is none either.
    let reply = format!("{{\"type\":\"answer\",\"id\":\"{}", "y".repeat(2 * WINDOW));
    marks.input(&answer("two"));
    marks.input(&answer("two"));
    assert!(marks.any_open());
    marks.input(reply.as_bytes());
    assert!(!marks.any_open());
}

#[test]
fn a_key_inside_a_string_names_nothing() {
    let mut marks = named();
    marks.output(b"{\"type\":\"ask\",\"input\":\"\\\"id\\\":\\\"two\\\"\",\"id\":\"one\"}\n");
    marks.input(&answer("two"));
    assert!(marks.any_open());
    marks.input(&answer("one"));
    assert!(!marks.any_open());
}

#[test]
fn requests_beyond_what_is_told_apart_stay_open() {
    let mut marks = named();
    for number in 0..MAX_OPEN {
        marks.output(&ask(&number.to_string()));
    }
    marks.output(&ask("0"));
    assert!(!marks.open.beyond);
    marks.output(&ask("more"));
    for number in 0..MAX_OPEN {
        marks.input(&answer(&number.to_string()));
    }
    assert!(marks.open.named.is_empty());
    assert!(marks.any_open());
}
