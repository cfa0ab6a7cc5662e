//! Processes and sessions that end.

use expect_test::expect;

use super::script::check;

#[test]
fn an_unexpected_end_of_the_process_is_told_and_everything_open_is_closed() {
    check(
        "create | send m1 | ready | taken m1 | tool t1 | subagent s1 t1 | tool t2 t1 | task k1 | ask a1 || exit 1 boom | send m2",
        expect![[r#"
            exit 1 boom: tool.completed t1 error; tool.completed t2 error; approval.resolved a1 deny by cancelled; drop a1; subagent.stopped s1 stopped; task.updated k1 stopped; error agent_exited (the agent's process ended in the middle of the turn (exit code)); turn.completed 1 [m1] error error exit 1; IDLE
            send m2: user.message m2; turn.started 2 user; START; STARTING; → turn 2, starting
        "#]],
    );
}

#[test]
fn a_lost_process_is_told_as_lost() {
    check(
        "create | send m1 | ready | taken m1 || lost",
        expect![[r#"
        lost: error agent_lost (the agent's process ended in the middle of the turn (lost)); turn.completed 1 [m1] error error; IDLE
    "#]],
    );
}

#[test]
fn a_second_process_that_ends_while_starting_fails_the_turn() {
    check(
        "create | send m1 || exit 1 | exit 1",
        expect![[r#"
            exit 1: runtime.fallback streaming; START
            exit 1: error agent_exited (the agent's process ended before it was ready (exit code)); turn.completed 1 [m1] error error exit 1; IDLE
        "#]],
    );
}

#[test]
fn an_idle_process_may_end_quietly() {
    check(
        "create | send m1 | ready | done | task k1 || exit 0 | send m2",
        expect![[r#"
            exit 0: task.updated k1 stopped; IDLE
            send m2: user.message m2; turn.started 2 user; START; STARTING; → turn 2, starting
        "#]],
    );
}

#[test]
fn an_answer_is_kept_until_the_agent_went_on_or_is_gone() {
    check(
        "create | send m1 | ready | ask a1 | allow a1 || exit 1",
        expect![[r#"
            exit 1: error agent_exited (the agent's process ended in the middle of the turn (exit code)); turn.completed 1 [m1] error error exit 1; confirmed a1; IDLE
        "#]],
    );
}

#[test]
fn only_an_idle_process_is_closed() {
    check(
        "create || close | send m1 | close | ready | close | done | close | close | exit 0",
        expect![[r#"
            close: nothing
            send m1: user.message m1; turn.started 1 user; START; STARTING; → turn 1, starting
            close: nothing
            ready: tell prompt m1; PROCESSING
            close: nothing
            done: turn.completed 1 [m1] end; IDLE
            close: CLOSE STDIN
            close: nothing
            exit 0: nothing
        "#]],
    );
}

#[test]
fn a_process_with_an_open_question_is_not_closed() {
    check(
        "create | send m1 | ready | subagent s1 | ask a1 s1 | done || close | allow a1 | close",
        expect![[r#"
            close: nothing
            allow a1: approval.resolved a1 allow by user; keep answer a1; tell allow a1; PROCESSING
            close: nothing
        "#]],
    );
}

#[test]
fn a_session_without_a_process_ends_at_once_and_nothing_follows() {
    check(
        "create || end | send m1 | end | interrupt | rename x | model x | turn | done | exit 0 | startfail | tick",
        expect![[r#"
            end: session.ended stopped Some("asked"); ENDED
            send m1: refused: the session has ended
            end: refused: the session has ended
            interrupt: refused: the session has ended
            rename x: session.updated Some("x") None
            model x: refused: the session has ended
            turn: nothing
            done: nothing
            exit 0: nothing
            startfail: nothing
            tick: nothing
        "#]],
    );
}

#[test]
fn a_session_with_a_process_ends_when_that_has_ended() {
    check(
        "create | send m1 | queue m2 | ready | taken m1 | tool t1 | ask a1 || end | send m3 | allow a1 | end | exit 137 | ready | send m3",
        expect![[r#"
            end: remember the end; tell interrupt
            send m3: refused: the session has ended
            allow a1: refused: the session has ended
            end: nothing
            exit 137: tool.completed t1 error; approval.resolved a1 deny by cancelled; drop a1; turn.completed 1 [m1] interrupted exit 137; message.removed m2 (the session ended before its turn came); session.ended stopped Some("asked"); ENDED
            ready: nothing
            send m3: refused: the session has ended
        "#]],
    );
}

#[test]
fn a_session_whose_process_never_came_up_ends_too() {
    check(
        "create | send m1 || end | ready | startfail",
        expect![[r#"
            end: remember the end; KILL AT ONCE
            ready: nothing
            startfail: error agent_missing (claude was not found); turn.completed 1 [m1] error error; session.ended stopped Some("asked"); ENDED
        "#]],
    );
}

#[test]
fn a_closing_process_with_a_waiting_message_ends_when_asked() {
    check(
        "create | send m1 | ready | done | close | send m2 || end | exit 0",
        expect![[r#"
            end: remember the end; KILL AT ONCE
            exit 0: message.removed m2 (the session ended before its turn came); session.ended stopped Some("asked"); ENDED
        "#]],
    );
}

#[test]
fn a_turn_committed_but_never_started_is_started_by_the_next_owner() {
    check(
        "create | send m1 || restart | tick | ready | taken m1",
        expect![[r#"
            restart: START
            tick: nothing
            ready: tell prompt m1; PROCESSING
            taken m1: message.delivered m1
        "#]],
    );
}

#[test]
fn a_turn_whose_process_is_nowhere_is_told_as_lost() {
    check(
        "create | send m1 | ready | taken m1 | tool t1 | ask a1 || restart | tick",
        expect![[r#"
        restart: nothing
        tick: tool.completed t1 error; approval.resolved a1 deny by cancelled; error agent_lost (the agent's process ended in the middle of the turn (lost)); turn.completed 1 [m1] error error; IDLE
    "#]],
    );
}

#[test]
fn a_session_left_in_a_turn_can_be_ended() {
    check(
        "create | send m1 | ready | taken m1 || restart | end",
        expect![[r#"
        restart: nothing
        end: turn.completed 1 [m1] interrupted; session.ended stopped Some("asked"); ENDED
    "#]],
    );
}

#[test]
fn the_next_owner_goes_on_with_the_same_process_and_the_same_questions() {
    check(
        "create | send m1 | queue m2 | ready | started | taken m1 | ask a1 || adopt | tick | started | allow a1 | done | taken m2",
        expect![[r#"
            adopt: nothing
            tick: nothing
            started: nothing
            allow a1: approval.resolved a1 allow by user; keep answer a1; tell allow a1; PROCESSING
            done: turn.completed 1 [m1] end; confirmed a1; turn.started 2 user; tell prompt m2
            taken m2: message.delivered m2
        "#]],
    );
}

#[test]
fn a_queue_left_with_an_idle_process_goes_on() {
    check(
        "create | send m1 | ready | done | close | send m2 || adopt | tick",
        expect![[r#"
            adopt: turn.started 2 user; tell prompt m2; PROCESSING
            tick: nothing
        "#]],
    );
}
