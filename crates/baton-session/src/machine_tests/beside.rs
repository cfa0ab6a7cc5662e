//! Work that goes on beside the conversation.

use expect_test::expect;

use super::script::check;

#[test]
fn a_session_with_work_in_the_background_is_not_idle() {
    check(
        "create | send m1 | ready | taken m1 || tool t1 | subagent s1 t1 | result t1 | task k1 | done | task k1 completed | stopped s1 | turn | done | rest",
        expect![[r#"
            tool t1: tool.requested t1
            subagent s1 t1: subagent.started s1
            result t1: tool.completed t1
            task k1: task.updated k1 running
            done: turn.completed 1 [m1] end +s1 +k1
            task k1 completed: task.updated k1 completed
            stopped s1: subagent.stopped s1 completed
            turn: turn.started 2 agent (k1 completed) (s1 completed)
            done: turn.completed 2 [] end; IDLE
            rest: nothing
        "#]],
    );
}

#[test]
fn a_turn_that_comes_of_it_is_waited_for_a_while() {
    check(
        "create | send m1 | ready | task k1 | done || task k1 completed | close | wait 9 | wait 1 | close",
        expect![[r#"
            task k1 completed: task.updated k1 completed
            close: nothing
            wait 9: nothing
            wait 1: IDLE
            close: CLOSE STDIN
        "#]],
    );
    check(
        "create | send m1 | ready | task k1 | done || task k1 completed | rest",
        expect![[r#"
            task k1 completed: task.updated k1 completed
            rest: IDLE
        "#]],
    );
    check(
        "create | send m1 | ready | task k1 || task k1 completed | done | rest",
        expect![[r#"
            task k1 completed: task.updated k1 completed
            done: turn.completed 1 [m1] end
            rest: IDLE
        "#]],
    );
}

#[test]
fn the_next_owner_waits_for_it_too() {
    check(
        "create | send m1 | ready | task k1 | done | task k1 completed | wait 4 | adopt || wait 5 | wait 1",
        expect![[r#"
            wait 5: nothing
            wait 1: IDLE
        "#]],
    );
    check(
        "create | send m1 | ready | task k1 | done | task k1 completed | adopt || turn",
        expect![[r#"
            turn: turn.started 2 agent (k1 completed)
        "#]],
    );
    // Without the process nothing comes of it any more.
    check(
        "create | send m1 | ready | task k1 | done | task k1 completed || restart",
        expect![[r#"
            restart: IDLE
        "#]],
    );
}

#[test]
fn each_part_of_it_can_be_stopped() {
    check(
        "create | send m1 | ready | subagent s1 t1 | task k1 | done || stop k1 | reply #7 | task k1 stopped | stop k1 | stop s1 | reply #11 | stopped s1 stopped | turn | done | rest",
        expect![[r#"
            stop k1: tell stop k1; → later #7
            reply #7: settled #7: {"filesChanged":["a.txt"]}
            task k1 stopped: task.updated k1 stopped
            stop k1: refused: no sub-agent or background command k1 is at work in this session
            stop s1: tell stop s1; → later #11
            reply #11: settled #11: {"filesChanged":["a.txt"]}
            stopped s1 stopped: subagent.stopped s1 stopped
            turn: turn.started 2 agent (s1 stopped)
            done: turn.completed 2 [] end; IDLE
            rest: nothing
        "#]],
    );
}

#[test]
fn an_interrupt_without_a_turn_stops_all_of_it() {
    check(
        "create | send m1 | ready | tool t1 | subagent s1 t1 | result t1 | task k1 | done | tool t2 t1 | ask a1 s1 || interrupt | task k1 stopped | stopped s1 stopped | turn | interrupted | rest | interrupt",
        expect![[r#"
            interrupt: tell stop s1; tell stop k1
            task k1 stopped: task.updated k1 stopped
            stopped s1 stopped: approval.resolved a1 deny by cancelled; drop a1; subagent.stopped s1 stopped; PROCESSING
            turn: turn.started 2 agent (s1 stopped); tell interrupt
            interrupted: tool.completed t2 error; turn.completed 2 [] interrupted; IDLE
            rest: nothing
            interrupt: nothing
        "#]],
    );
}

#[test]
fn an_interrupt_of_a_turn_leaves_it() {
    check(
        "create | send m1 | ready | task k1 || interrupt | interrupted | interrupt | task k1 stopped",
        expect![[r#"
            interrupt: tell interrupt
            interrupted: turn.completed 1 [m1] interrupted +k1
            interrupt: tell stop k1
            task k1 stopped: task.updated k1 stopped; IDLE
        "#]],
    );
}

#[test]
fn an_agent_that_does_not_stop_it_is_ended() {
    check(
        "create | send m1 | ready | task k1 | done || interrupt | wait 9 | wait 1 | exit 1",
        expect![[r#"
            interrupt: tell stop k1
            wait 9: nothing
            wait 1: KILL AT ONCE
            exit 1: task.updated k1 stopped; IDLE
        "#]],
    );
}

#[test]
fn a_message_is_answered_though_something_else_was_stopped() {
    check(
        "create | send m1 | ready | subagent s1 t1 | done | interrupt || send m2 | stopped s1 stopped | taken m2 | done | rest",
        expect![[r#"
            send m2: user.message m2; turn.started 2 user; tell prompt m2; → turn 2, processing
            stopped s1 stopped: subagent.stopped s1 stopped
            taken m2: message.delivered m2
            done: turn.completed 2 [m2] end
            rest: IDLE
        "#]],
    );
}

#[test]
fn time_to_rest_begins_when_the_work_is_over() {
    check(
        "create | send m1 | ready | task k1 | done | wait 25000 || task k1 completed | tick | turn | done | rest | tick",
        expect![[r#"
            task k1 completed: task.updated k1 completed
            tick: nothing
            turn: turn.started 2 agent (k1 completed)
            done: turn.completed 2 [] end; IDLE
            rest: nothing
            tick: nothing
        "#]],
    );
}

#[test]
fn a_subagent_that_its_turn_waited_for_ends_with_it() {
    check(
        "create | send m1 | ready || tool t1 | subagent s1 t1 | tool t2 t1 | done",
        expect![[r#"
            tool t1: tool.requested t1
            subagent s1 t1: subagent.started s1
            tool t2 t1: tool.requested t2
            done: subagent.stopped s1 stopped; tool.completed t1 error; tool.completed t2 error; turn.completed 1 [m1] end; IDLE
        "#]],
    );
}

#[test]
fn work_whose_process_is_gone_is_over() {
    check(
        "create | send m1 | ready | task k1 | subagent s1 t1 | done || restart | tick",
        expect![[r#"
            restart: nothing
            tick: subagent.stopped s1 stopped; task.updated k1 stopped; IDLE
        "#]],
    );
}
