//! Sending, queueing, taking back.

use expect_test::expect;

use super::script::check;

#[test]
fn a_message_starts_a_process_a_turn_and_goes_out_when_the_process_is_up() {
    check(
        "create | send m1 | ready | started | turn | taken m1 | say hi | done",
        expect![[r#"
            create: session.created; session.updated None Some("conversation"); IDLE
            send m1: user.message m1; turn.started 1 user; START; STARTING; → turn 1, starting
            ready: tell prompt m1; PROCESSING
            started: session.started opus
            turn: nothing
            taken m1: message.delivered m1
            say hi: assistant.message hi
            done: turn.completed 1 [m1] end; IDLE
        "#]],
    );
}

#[test]
fn a_second_message_uses_the_same_process() {
    check(
        "create | send m1 | ready | taken m1 | done || send m2 | started | taken m2 | done",
        expect![[r#"
            send m2: user.message m2; turn.started 2 user; tell prompt m2; PROCESSING; → turn 2, processing
            started: session.started opus
            taken m2: message.delivered m2
            done: turn.completed 2 [m2] end; IDLE
        "#]],
    );
}

#[test]
fn an_empty_message_is_refused() {
    check(
        "create || send m1 blank",
        expect![[r#"
        send m1 blank: refused: the message is empty
    "#]],
    );
}

#[test]
fn the_same_message_again_gives_the_same_answer_and_no_second_run() {
    check(
        "create | send m1 | ready | taken m1 || send m1 | done | send m1",
        expect![[r#"
            send m1: → turn 1, processing
            done: turn.completed 1 [m1] end; IDLE
            send m1: → turn 1, idle
        "#]],
    );
}

#[test]
fn the_same_id_with_other_text_is_refused() {
    check(
        "create | send m1 || send m1 other",
        expect![[r#"
        send m1 other: refused: m1 has other text
    "#]],
    );
}

#[test]
fn a_busy_session_refuses_or_queues() {
    check(
        "create | send m1 || send m2 | queue m2 | queue m3 | queue m2",
        expect![[r#"
            send m2: refused: turn 1 is still running
            queue m2: user.message m2 queued; → waits, starting
            queue m3: user.message m3 queued; → waits, starting
            queue m2: → waits, starting
        "#]],
    );
}

#[test]
fn the_queue_goes_on_one_message_per_turn() {
    check(
        "create | send m1 | queue m2 | queue m3 || ready | taken m1 | done | taken m2 | done | taken m3 | done",
        expect![[r#"
            ready: tell prompt m1; PROCESSING
            taken m1: message.delivered m1
            done: turn.completed 1 [m1] end; turn.started 2 user; tell prompt m2
            taken m2: message.delivered m2
            done: turn.completed 2 [m2] end; turn.started 3 user; tell prompt m3
            taken m3: message.delivered m3
            done: turn.completed 3 [m3] end; IDLE
        "#]],
    );
}

#[test]
fn a_queued_message_can_be_taken_back_once_and_sent_anew() {
    check(
        "create | send m1 | queue m2 || back m2 | back m2 | queue m2 other",
        expect![[r#"
            back m2: message.removed m2
            back m2: refused: m2 is not queued
            queue m2 other: user.message m2 queued; → waits, starting
        "#]],
    );
}

#[test]
fn a_message_whose_turn_began_cannot_be_taken_back() {
    check(
        "create | send m1 || back m1 | back m9",
        expect![[r#"
        back m1: refused: m1 is not queued
        back m9: refused: m9 is not queued
    "#]],
    );
}

#[test]
fn checkpoints_are_told_for_delivered_messages() {
    check(
        "create checkpoints | send m1 | ready || taken m1 | taken m1",
        expect![[r#"
            taken m1: message.delivered m1; checkpoint.created m1
            taken m1: nothing
        "#]],
    );
}

#[test]
fn a_message_of_no_turn_is_not_delivered() {
    check(
        "create | send m1 | ready || taken m7",
        expect![[r#"
        taken m7: nothing
    "#]],
    );
}

#[test]
fn an_agent_starts_a_turn_of_its_own() {
    check(
        "create | send m1 | ready | taken m1 | done || turn | say hi | done",
        expect![[r#"
            turn: turn.started 2 agent; PROCESSING
            say hi: assistant.message hi
            done: turn.completed 2 [] end; IDLE
        "#]],
    );
}

#[test]
fn a_message_during_the_agents_own_turn_waits() {
    check(
        "create | send m1 | ready | taken m1 | done | turn || send m2 | queue m2 | done | taken m2 | done",
        expect![[r#"
            send m2: refused: turn 2 is still running
            queue m2: user.message m2 queued; → waits, processing
            done: turn.completed 2 [] end; turn.started 3 user; tell prompt m2
            taken m2: message.delivered m2
            done: turn.completed 3 [m2] end; IDLE
        "#]],
    );
}

#[test]
fn a_result_without_a_turn_was_a_turn() {
    check(
        "create | send m1 | ready | taken m1 | done || failed",
        expect![[r#"
            failed: turn.started 2 agent; turn.completed 2 [] error error
        "#]],
    );
}

#[test]
fn a_message_to_a_closing_process_waits_for_the_next_one() {
    check(
        "create | send m1 | ready | taken m1 | done || close | send m2 | turn | done | exit 0 | ready | taken m2 | done",
        expect![[r#"
            close: CLOSE STDIN
            send m2: user.message m2 queued; STARTING; → waits, starting
            turn: turn.started 2 agent; PROCESSING
            done: turn.completed 2 [] end; STARTING
            exit 0: turn.started 3 user; START
            ready: tell prompt m2; PROCESSING
            taken m2: message.delivered m2
            done: turn.completed 3 [m2] end; IDLE
        "#]],
    );
}

#[test]
fn a_queue_goes_on_after_a_crash() {
    check(
        "create | send m1 | queue m2 | ready | taken m1 || exit 1 | ready | taken m2 | done",
        expect![[r#"
            exit 1: error agent_exited (the agent's process ended in the middle of the turn (exit code)); turn.completed 1 [m1] error error exit 1; STARTING; turn.started 2 user; START
            ready: tell prompt m2; PROCESSING
            taken m2: message.delivered m2
            done: turn.completed 2 [m2] end; IDLE
        "#]],
    );
}

#[test]
fn the_agent_repeats_itself_and_only_differences_are_told() {
    check(
        "create | send m1 | ready | started || started | started sonnet | started sonnet plan | started sonnet plan",
        expect![[r#"
            started: nothing
            started sonnet: model.changed Some("sonnet")
            started sonnet plan: permission_mode.changed plan by agent
            started sonnet plan: nothing
        "#]],
    );
}

#[test]
fn each_process_announces_itself_once() {
    check(
        "create | send m1 | ready | started | done | close || started | exit 0 | send m2 | ready | started | started",
        expect![[r#"
            started: nothing
            exit 0: nothing
            send m2: user.message m2; turn.started 2 user; START; STARTING; → turn 2, starting
            ready: tell prompt m2; PROCESSING
            started: session.started opus
            started: nothing
        "#]],
    );
}

#[test]
fn long_output_is_kept_beside_the_log() {
    check(
        "create | send m1 | ready | tool t1 || result t1 long",
        expect![[r#"
            result t1 long: blob of 70000 bytes; tool.completed t1 cut from 70000
        "#]],
    );
}

#[test]
fn a_result_without_its_call_or_a_second_one_says_nothing() {
    check(
        "create | send m1 | ready | tool t1 || tool t1 | result t1 ok | result t1 ok | result t9 ok",
        expect![[r#"
            tool t1: nothing
            result t1 ok: tool.completed t1
            result t1 ok: nothing
            result t9 ok: nothing
        "#]],
    );
}

#[test]
fn live_text_is_shown_and_not_recorded() {
    check(
        "create | send m1 | ready || live t1",
        expect![[r#"
        live t1: live tool.progress
    "#]],
    );
}

#[test]
fn a_rename_is_told() {
    check(
        "create || rename Work",
        expect![[r#"
        rename Work: session.updated Some("Work") None
    "#]],
    );
}
