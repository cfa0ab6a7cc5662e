//! Sessions that somebody else's process runs: read, watched, taken up.

use baton_protocol::{
    Timestamp,
    event::{SessionCreated, UserMessage},
};
use expect_test::expect;

use super::{
    super::{Input, Observed, Sight},
    script::{self, check},
};

/// `begun`, or `sees` with what is seen. All of it happened at 1000.
pub(super) fn seen(verb: &str, first: &str, second: &str) -> Input {
    let what = match (verb, first) {
        ("begun", _) => {
            let Input::Create { created, .. } = script::create("") else {
                panic!("a script creates sessions")
            };
            Sight::Created {
                created: SessionCreated {
                    resumes: Some("conversation".into()),
                    ..created
                },
                agent_session_id: "conversation".into(),
            }
        }
        (_, "said" | "folded") => Sight::Said {
            message: UserMessage {
                message_id: script::message(second),
                text: "hello".into(),
                attachments: Vec::new(),
                queued: false,
                client: None,
            },
            folded: first == "folded",
        },
        (_, "all") => Sight::ReadUp,
        (_, "left") => Sight::Left,
        _ => Sight::Output(script::output(first, second, "")),
    };
    let at = Timestamp::from_millis(1000);
    Input::Observed(vec![Observed { at, what }])
}

#[test]
fn a_history_is_told_with_its_own_times_and_has_no_state_until_it_is_read() {
    check(
        "begun | sees said m1 | sees turn | sees say hi | sees done | sees all",
        expect![[r#"
            begun: at 1000; session.created; session.updated None Some("conversation"); at 1000000
            sees said m1: at 1000; user.message m1; turn.started 1 user; message.delivered m1; at 1000000
            sees turn: at 1000; at 1000000
            sees say hi: at 1000; assistant.message hi; at 1000000
            sees done: at 1000; turn.completed 1 [m1] end; at 1000000
            sees all: at 1000; IDLE; at 1000000
        "#]],
    );
}

#[test]
fn a_history_that_is_half_read_is_nobodys_lost_turn() {
    check(
        "begun | sees said m1 | restart || tick | send m2 | wait 99999 | sees tool t1 | sees left | sees all",
        expect![[r#"
            tick: nothing
            send m2: refused: the session's history is still being read
            wait 99999: nothing
            sees tool t1: at 1000; tool.requested t1; at 100999000
            sees left: at 1000; tool.completed t1 error; turn.completed 1 [m1] interrupted; at 100999000
            sees all: at 1000; IDLE; at 100999000
        "#]],
    );
}

#[test]
fn what_somebody_says_elsewhere_is_watched_and_no_message_gets_between() {
    check(
        "begun | sees all || sees said m1 | queue m2 | interrupt | sees folded m3 | sees done | sees said m4 | sees said m5",
        expect![[r#"
            sees said m1: at 1000; user.message m1; turn.started 1 user; message.delivered m1; PROCESSING; at 1000000
            queue m2: refused: turn 1 is still running
            interrupt: refused: turn 1 runs in a process that is not Baton's; stop it where it runs
            sees folded m3: at 1000; user.message m3 queued; message.delivered m3; at 1000000
            sees done: at 1000; turn.completed 1 [m1 m3] end; IDLE; at 1000000
            sees said m4: at 1000; user.message m4; turn.started 2 user; message.delivered m4; PROCESSING; at 1000000
            sees said m5: at 1000; turn.completed 2 [m4] end; user.message m5; turn.started 3 user; message.delivered m5; at 1000000
        "#]],
    );
}

#[test]
fn what_is_told_twice_changes_nothing() {
    check(
        "begun | sees all | sees said m1 | sees done || sees said m1 | sees folded m1 | sees done | sees all | sees left",
        expect![[r#"
            sees said m1: at 1000; at 1000000
            sees folded m1: at 1000; at 1000000
            sees done: at 1000; at 1000000
            sees all: at 1000; at 1000000
            sees left: at 1000; at 1000000
        "#]],
    );
}

#[test]
fn a_message_takes_the_session_up_and_then_it_is_no_longer_watched() {
    check(
        "begun | sees said m1 | sees done | sees all || send m2 | sees say x | ready | taken m2 | started | sees say x | done | exit 0 | sees said m3",
        expect![[r#"
            send m2: user.message m2; turn.started 2 user; START; STARTING; → turn 2, starting
            sees say x: refused: the session runs here
            ready: tell prompt m2; PROCESSING
            taken m2: message.delivered m2
            started: session.started opus
            sees say x: refused: the session runs here
            done: turn.completed 2 [m2] end; IDLE
            exit 0: nothing
            sees said m3: refused: the session runs here
        "#]],
    );
}

#[test]
fn a_session_that_could_not_be_taken_up_is_watched_on() {
    check(
        "begun | sees all | send m1 || startfail | sees said m2 | sees done | send m3",
        expect![[r#"
            startfail: error agent_missing (claude was not found); turn.completed 1 [m1] error error; IDLE
            sees said m2: at 1000; user.message m2; turn.started 2 user; message.delivered m2; PROCESSING; at 1000000
            sees done: at 1000; turn.completed 2 [m2] end; IDLE; at 1000000
            send m3: user.message m3; turn.started 3 user; START; STARTING; → turn 3, starting
        "#]],
    );
}

#[test]
fn a_message_that_was_to_take_it_up_is_not_lost_with_its_owner() {
    check(
        "begun | sees all | send m1 || restart | tick | ready | taken m1 | started | done",
        expect![[r#"
            restart: START
            tick: nothing
            ready: tell prompt m1; PROCESSING
            taken m1: message.delivered m1
            started: session.started opus
            done: turn.completed 1 [m1] end; IDLE
        "#]],
    );
}

#[test]
fn an_ended_session_is_not_watched_and_its_age_counts_from_when_it_is_ours() {
    check(
        "begun | sees all | end || sees said m1",
        expect![[r#"
        sees said m1: refused: the session has ended
    "#]],
    );
    check(
        "begun | sees all || wait 60000 | send m1 | ready | taken m1 | started | done | wait 1 | exit 0 | wait 19000 | wait 2000",
        expect![[r#"
            wait 60000: nothing
            send m1: user.message m1; turn.started 1 user; START; STARTING; → turn 1, starting
            ready: tell prompt m1; PROCESSING
            taken m1: message.delivered m1
            started: session.started opus
            done: turn.completed 1 [m1] end; IDLE
            wait 1: nothing
            exit 0: nothing
            wait 19000: nothing
            wait 2000: session.ended asleep Some("it had nothing to do for too long"); ENDED
        "#]],
    );
}

#[test]
fn what_is_said_elsewhere_takes_no_other_message_with_it() {
    check(
        "begun | sees all | send m1 | queue m2 || startfail | sees said m3 | sees done | wait 30",
        expect![[r#"
            startfail: error agent_missing (claude was not found); turn.completed 1 [m1] error error; IDLE
            sees said m3: at 1000; user.message m3; turn.started 2 user with m3; message.delivered m3; PROCESSING; at 1000000
            sees done: at 1000; turn.completed 2 [m3] end; IDLE; at 1000000
            wait 30: STARTING; turn.started 3 user; START
        "#]],
    );
}
