//! Interrupts, kills and processes that do not come up.

use expect_test::expect;

use super::script::check;

#[test]
fn an_obeyed_interrupt_ends_the_turn_and_the_queue_goes_on() {
    check(
        "create | send m1 | queue m2 | ready | taken m1 || interrupt | interrupt | interrupted | taken m2",
        expect![[r#"
            interrupt: tell interrupt
            interrupt: nothing
            interrupted: turn.completed 1 [m1] interrupted; turn.started 2 user; tell prompt m2
            taken m2: message.delivered m2
        "#]],
    );
}

#[test]
fn an_agent_that_begins_after_it_was_asked_to_stop_is_asked_again() {
    check(
        "create | send m1 | ready || interrupt | taken m1 | unstopped | interrupted | unstopped",
        expect![[r#"
            interrupt: tell interrupt
            taken m1: message.delivered m1
            unstopped: tell interrupt
            interrupted: turn.completed 1 [m1] interrupted; IDLE
            unstopped: nothing
        "#]],
    );
}

#[test]
fn a_turn_that_ends_by_itself_after_an_interrupt_counts_as_interrupted() {
    check(
        "create | send m1 | ready | taken m1 || interrupt | done",
        expect![[r#"
            interrupt: tell interrupt
            done: turn.completed 1 [m1] interrupted; IDLE
        "#]],
    );
}

#[test]
fn an_agent_that_does_not_obey_is_killed_after_the_grace() {
    check(
        "create | send m1 | ready | taken m1 | tool t1 || interrupt | wait 9 | wait 1 | wait 100 | exit 137",
        expect![[r#"
            interrupt: tell interrupt
            wait 9: nothing
            wait 1: KILL AT ONCE
            wait 100: nothing
            exit 137: tool.completed t1 error; turn.completed 1 [m1] interrupted exit 137; IDLE
        "#]],
    );
}

#[test]
fn an_interrupt_while_starting_ends_the_process_before_it_gets_the_message() {
    check(
        "create | send m1 || interrupt | ready | exit 143",
        expect![[r#"
            interrupt: KILL AT ONCE
            ready: nothing
            exit 143: turn.completed 1 [m1] interrupted exit 143; IDLE
        "#]],
    );
}

#[test]
fn an_interrupt_without_a_turn_is_nothing() {
    check(
        "create || interrupt | kill",
        expect![[r#"
        interrupt: nothing
        kill: nothing
    "#]],
    );
}

#[test]
fn a_kill_ends_the_turn_with_the_process() {
    check(
        "create | send m1 | queue m2 | ready | taken m1 || kill | exit 137",
        expect![[r#"
            kill: KILL AT ONCE
            exit 137: turn.completed 1 [m1] interrupted exit 137; STARTING; turn.started 2 user; START
        "#]],
    );
}

#[test]
fn the_queue_is_not_given_to_a_process_that_is_being_killed() {
    check(
        "create | send m1 | queue m2 | ready | taken m1 || kill | done | exit 137 | ready",
        expect![[r#"
            kill: KILL AT ONCE
            done: turn.completed 1 [m1] interrupted; STARTING
            exit 137: turn.started 2 user; START
            ready: tell prompt m2; PROCESSING
        "#]],
    );
}

#[test]
fn a_failed_start_fails_the_turn_and_keeps_the_queue() {
    check(
        "create | send m1 | queue m2 || startfail | send m3 | ready | taken m2 | done",
        expect![[r#"
            startfail: error agent_missing (claude was not found); turn.completed 1 [m1] error error; IDLE
            send m3: user.message m3 queued; turn.started 2 user; START; STARTING; → waits, starting
            ready: tell prompt m2; PROCESSING
            taken m2: message.delivered m2
            done: turn.completed 2 [m2] end; turn.started 3 user; tell prompt m3
        "#]],
    );
}

#[test]
fn a_failed_start_forgets_an_interrupt() {
    check(
        "create | send m1 || interrupt | startfail | send m2 | ready | wait 20 | interrupt",
        expect![[r#"
            interrupt: KILL AT ONCE
            startfail: error agent_missing (claude was not found); turn.completed 1 [m1] error error; IDLE
            send m2: user.message m2; turn.started 2 user; START; STARTING; → turn 2, starting
            ready: tell prompt m2; PROCESSING
            wait 20: nothing
            interrupt: tell interrupt
        "#]],
    );
}

#[test]
fn a_process_that_does_not_come_up_is_killed_and_told_once() {
    check(
        "create | send m1 || wait 59 | wait 1 | wait 60 | exit 143 | wait 60 | exit 143",
        expect![[r#"
            wait 59: nothing
            wait 1: KILL AT ONCE
            wait 60: nothing
            exit 143: runtime.fallback streaming; START
            wait 60: error agent_silent (the agent did not come up in time); KILL AT ONCE
            exit 143: turn.completed 1 [m1] error error exit 143; IDLE
        "#]],
    );
}

#[test]
fn a_process_that_came_up_has_no_start_limit() {
    check(
        "create | send m1 | ready || wait 61",
        expect![[r#"
        wait 61: nothing
    "#]],
    );
}

#[test]
fn an_owner_about_to_end_begins_nothing_that_waits() {
    check(
        "create | send m1 | queue m2 | ready | taken m1 || hold | interrupt | interrupted | tick | close | exit 0 | tick",
        expect![[r#"
            hold: nothing
            interrupt: tell interrupt
            interrupted: turn.completed 1 [m1] interrupted; IDLE
            tick: nothing
            close: CLOSE STDIN
            exit 0: nothing
            tick: nothing
        "#]],
    );
    check(
        "create | send m1 | queue m2 | ready | taken m1 || hold | kill | exit 137 | tick",
        expect![[r#"
            hold: nothing
            kill: KILL AT ONCE
            exit 137: turn.completed 1 [m1] interrupted exit 137; IDLE
            tick: nothing
        "#]],
    );
}

#[test]
fn what_was_left_waiting_begins_under_the_next_owner() {
    let left = "create | send m1 | queue m2 | ready | taken m1 | hold | kill | exit 137";
    check(
        &format!("{left} || restart | tick | ready"),
        expect![[r#"
            restart: turn.started 2 user; START; STARTING
            tick: nothing
            ready: tell prompt m2; PROCESSING
        "#]],
    );
}

#[test]
fn an_end_takes_back_what_waits_and_a_resume_begins_nothing() {
    check(
        "create | send m1 | queue m2 | queue m3 | ready | taken m1 | end || exit 137 | resume | tick | send m2",
        expect![[r#"
            exit 137: turn.completed 1 [m1] interrupted exit 137; message.removed m2 (the session ended before its turn came); message.removed m3 (the session ended before its turn came); session.ended stopped Some("asked"); ENDED
            resume: IDLE
            tick: nothing
            send m2: user.message m2; turn.started 2 user; START; STARTING; → turn 2, starting
        "#]],
    );
    check(
        "create | send m1 | queue m2 || startfail | end | resume | tick",
        expect![[r#"
            startfail: error agent_missing (claude was not found); turn.completed 1 [m1] error error; IDLE
            end: message.removed m2 (the session ended before its turn came); session.ended stopped Some("asked"); ENDED
            resume: IDLE
            tick: nothing
        "#]],
    );
}

#[test]
fn a_queue_behind_a_start_that_failed_tries_again_by_itself() {
    check(
        "create | send m1 | queue m2 | queue m3 || startfail | wait 29 | wait 1 | startfail | send m4 | queue m5",
        expect![[r#"
            startfail: error agent_missing (claude was not found); turn.completed 1 [m1] error error; IDLE
            wait 29: nothing
            wait 1: STARTING; turn.started 2 user; START
            startfail: error agent_missing (claude was not found); turn.completed 2 [m2] error error; IDLE
            send m4: user.message m4 queued; turn.started 3 user; START; STARTING; → waits, starting
            queue m5: user.message m5 queued; → waits, starting
        "#]],
    );
    check(
        "create | send m1 | queue m2 | exit 1 || exit 1 | wait 29 | wait 1 | ready",
        expect![[r#"
            exit 1: error agent_exited (the agent's process ended before it was ready (exit code)); turn.completed 1 [m1] error error exit 1; IDLE
            wait 29: nothing
            wait 1: STARTING; turn.started 2 user; START
            ready: tell prompt m2; PROCESSING
        "#]],
    );
    check(
        "create | send m1 | queue m2 || startfail | restart",
        expect![[r#"
            startfail: error agent_missing (claude was not found); turn.completed 1 [m1] error error; IDLE
            restart: turn.started 2 user; START; STARTING
        "#]],
    );
}

#[test]
fn the_same_message_has_the_same_answer_after_the_end_too() {
    check(
        "create | send m1 | ready | taken m1 | done | end | exit 0 || send m1 | send m1 other | send m2",
        expect![[r#"
            send m1: → turn 1, ended
            send m1 other: refused: m1 has other text
            send m2: refused: the session has ended
        "#]],
    );
}

#[test]
fn a_folder_that_lost_its_trust_ends_the_turn_and_the_next_one_begins_anew() {
    check(
        "create | send m1 | ready | taken m1 || distrust | distrust | queue m2 | exit 137 | ready",
        expect![[r#"
            distrust: error agent_exited (the folder is no longer trusted, because what it would run by itself has changed; the agent was ended at once); KILL AT ONCE
            distrust: nothing
            queue m2: user.message m2 queued; → waits, processing
            exit 137: turn.completed 1 [m1] error error exit 137; STARTING; turn.started 2 user; START
            ready: tell prompt m2; PROCESSING
        "#]],
    );
}

#[test]
fn a_folder_that_lost_its_trust_between_turns_ends_the_process() {
    check(
        "create | send m1 | ready | taken m1 | done || distrust | send m2 | exit 137",
        expect![[r#"
            distrust: notification trust (the folder is no longer trusted, because what it would run by itself has changed; the agent was ended at once); KILL
            send m2: user.message m2 queued; STARTING; → waits, starting
            exit 137: turn.started 2 user; START
        "#]],
    );
}

#[test]
fn a_process_that_cannot_be_spoken_to_is_replaced_once() {
    check(
        "create | send m1 | queue m2 || unattached | unattached | wait 30",
        expect![[r#"
            unattached: runtime.fallback streaming; START
            unattached: error internal (claude cannot be started); turn.completed 1 [m1] error error; IDLE
            wait 30: STARTING; turn.started 2 user; START
        "#]],
    );
    // Somebody wants it to end: it has failed.
    check(
        "create | send m1 || interrupt | unattached",
        expect![[r#"
        interrupt: KILL AT ONCE
        unattached: error internal (claude cannot be started); turn.completed 1 [m1] error error; IDLE
    "#]],
    );
}
