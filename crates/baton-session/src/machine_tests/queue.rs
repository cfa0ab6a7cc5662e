//! What waits: changed, put in another order, held, let go on, sent at once.

use expect_test::expect;

use super::script::check;

const TWO_WAIT: &str = "create | send m1 | queue m2 | queue m3 | ready | taken m1";

#[test]
fn a_stop_holds_what_waits_until_somebody_lets_it_go_on() {
    check(
        &format!(
            "{TWO_WAIT} || halt | halt | interrupted | tick | release | release | taken m2 | done"
        ),
        expect![[r#"
            halt: queue.held; tell interrupt
            halt: nothing
            interrupted: turn.completed 1 [m1] interrupted; IDLE
            tick: nothing
            release: queue.released; PROCESSING; turn.started 2 user; tell prompt m2
            release: nothing
            taken m2: message.delivered m2
            done: turn.completed 2 [m2] end; turn.started 3 user; tell prompt m3
        "#]],
    );
}

#[test]
fn what_is_sent_after_a_stop_begins_before_what_is_held() {
    check(
        &format!(
            "{TWO_WAIT} || halt | queue m4 | interrupted | taken m4 | done | send m5 | taken m5 | done | release"
        ),
        expect![[r#"
            halt: queue.held; tell interrupt
            queue m4: user.message m4 queued; → waits, processing
            interrupted: turn.completed 1 [m1] interrupted; turn.started 2 user with m4; tell prompt m4
            taken m4: message.delivered m4
            done: turn.completed 2 [m4] end; IDLE
            send m5: user.message m5; turn.started 3 user with m5; tell prompt m5; PROCESSING; → turn 3, processing
            taken m5: message.delivered m5
            done: turn.completed 3 [m5] end; IDLE
            release: queue.released; PROCESSING; turn.started 4 user; tell prompt m2
        "#]],
    );
}

#[test]
fn a_stop_of_nothing_that_waits_holds_nothing() {
    check(
        "create | send m1 | ready | taken m1 || halt | queue m2 | interrupted | taken m2 | done | halt | release",
        expect![[r#"
            halt: tell interrupt
            queue m2: user.message m2 queued; → waits, processing
            interrupted: turn.completed 1 [m1] interrupted; turn.started 2 user; tell prompt m2
            taken m2: message.delivered m2
            done: turn.completed 2 [m2] end; IDLE
            halt: nothing
            release: nothing
        "#]],
    );
}

#[test]
fn a_stop_holds_what_waits_for_a_process_too() {
    check(
        "create | send m1 | ready | taken m1 | done | close | send m2 || halt | exit 0 | tick | now m2",
        expect![[r#"
            halt: queue.held; IDLE
            exit 0: nothing
            tick: nothing
            now m2: queue.released m2; STARTING; turn.started 2 user; START
        "#]],
    );
}

#[test]
fn a_denial_that_stops_the_turn_holds_what_waits() {
    check(
        &format!("{TWO_WAIT} | ask a1 || refuse a1 no | interrupted"),
        expect![[r#"
            refuse a1 no: queue.held; approval.resolved a1 deny by user; keep answer a1; tell deny a1 and stop (no); PROCESSING
            interrupted: turn.completed 1 [m1] interrupted; confirmed a1; IDLE
        "#]],
    );
}

#[test]
fn what_is_held_stays_held_under_the_next_owner() {
    check(
        &format!("{TWO_WAIT} | halt || restart | tick | release | ready"),
        expect![[r#"
            restart: nothing
            tick: error agent_lost (the agent's process ended in the middle of the turn (lost)); turn.completed 1 [m1] error error; IDLE
            release: queue.released; STARTING; turn.started 2 user; START
            ready: tell prompt m2; PROCESSING
        "#]],
    );
}

#[test]
fn what_is_held_keeps_no_process_and_is_kept_when_the_session_falls_asleep() {
    check(
        &format!(
            "{TWO_WAIT} | halt | interrupted || wait 3000 | exit 0 | wait 20000 | release | back m2 | edit m3 other | resume | tick | release | ready"
        ),
        expect![[r#"
            wait 3000: CLOSE STDIN
            exit 0: nothing
            wait 20000: session.ended asleep Some("it had nothing to do for too long"); ENDED
            release: refused: the session has ended
            back m2: message.removed m2
            edit m3 other: message.edited m3 other
            resume: IDLE
            tick: nothing
            release: queue.released; STARTING; turn.started 2 user; START
            ready: tell prompt m3 other; PROCESSING
        "#]],
    );
}

#[test]
fn an_end_that_somebody_wants_takes_back_what_is_held_too() {
    check(
        &format!("{TWO_WAIT} | halt | interrupted || end | exit 0"),
        expect![[r#"
            end: remember the end; KILL
            exit 0: message.removed m2 (the session ended before its turn came); message.removed m3 (the session ended before its turn came); session.ended stopped Some("asked"); ENDED
        "#]],
    );
}

#[test]
fn one_that_is_sent_now_stops_the_turn_and_goes_before_all_others() {
    check(
        &format!("{TWO_WAIT} || now m3 | now m3 | interrupted | taken m3 | done"),
        expect![[r#"
            now m3: queue.released m3; tell interrupt
            now m3: nothing
            interrupted: turn.completed 1 [m1] interrupted; turn.started 2 user; tell prompt m3
            taken m3: message.delivered m3
            done: turn.completed 2 [m3] end; turn.started 3 user; tell prompt m2
        "#]],
    );
}

#[test]
fn one_that_is_held_is_sent_now_alone() {
    check(
        &format!("{TWO_WAIT} | halt | interrupted || now m3 | taken m3 | done | now m1 | now m9"),
        expect![[r#"
            now m3: queue.released m3; PROCESSING; turn.started 2 user; tell prompt m3
            taken m3: message.delivered m3
            done: turn.completed 2 [m3] end; IDLE
            now m1: refused: m1 is not queued
            now m9: refused: m9 is not queued
        "#]],
    );
}

#[test]
fn other_words_go_to_the_agent_and_the_sender_may_still_try_again() {
    check(
        &format!(
            "{TWO_WAIT} || edit m2 other | edit m2 other | queue m2 | done | edit m2 late | edit m3 blank"
        ),
        expect![[r#"
            edit m2 other: message.edited m2 other
            edit m2 other: nothing
            queue m2: → waits, processing
            done: turn.completed 1 [m1] end; turn.started 2 user; tell prompt m2 other
            edit m2 late: refused: m2 is not queued
            edit m3 blank: refused: the message is empty
        "#]],
    );
}

#[test]
fn another_order_is_the_order_of_turns() {
    check(
        &format!(
            "{TWO_WAIT} | queue m4 || move m4 m2 | move m4 m2 | move m2 | move m2 | move m2 m2 | move m2 m9 | move m9 | done | done | done"
        ),
        expect![[r#"
            move m4 m2: message.moved m4 to m2
            move m4 m2: nothing
            move m2: message.moved m2 to the end
            move m2: nothing
            move m2 m2: nothing
            move m2 m9: refused: m9 is not queued
            move m9: refused: m9 is not queued
            done: turn.completed 1 [m1] end; turn.started 2 user; tell prompt m4
            done: turn.completed 2 [m4] end; turn.started 3 user; tell prompt m3
            done: turn.completed 3 [m3] end; turn.started 4 user; tell prompt m2
        "#]],
    );
}
