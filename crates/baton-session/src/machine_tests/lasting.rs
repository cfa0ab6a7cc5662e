//! Time that runs out, processes that are lost, sessions that come back.

use expect_test::expect;

use super::script::check;

#[test]
fn a_process_that_dies_is_replaced_and_a_message_it_never_had_is_sent_again() {
    check(
        "create | send m1 | ready || died 137 lacks | ready | taken m1 | done | exit 0 | send m2",
        expect![[r#"
            died 137 lacks: runtime.fallback streaming; STARTING; START
            ready: tell prompt m1; PROCESSING
            taken m1: message.delivered m1
            done: turn.completed 1 [m1] end; IDLE
            exit 0: nothing
            send m2: user.message m2; turn.started 2 user; START; STARTING; → turn 2, starting
        "#]],
    );
}

#[test]
fn a_message_the_agent_has_is_never_sent_again() {
    check(
        "create | send m1 | ready | taken m1 | tool t1 || died 137 has | ready | taken m9 | done",
        expect![[r#"
            died 137 has: tool.completed t1 error; runtime.fallback streaming continued; STARTING; START
            ready: tell prompt m6; PROCESSING
            taken m9: nothing
            done: turn.completed 1 [m1] end; IDLE
        "#]],
    );
}

#[test]
fn a_message_whose_confirmation_was_lost_counts_as_delivered_when_the_agent_has_it() {
    check(
        "create | send m1 | ready || died 137 has | died 1 has",
        expect![[r#"
            died 137 has: message.delivered m1; runtime.fallback streaming continued; STARTING; START
            died 1 has: error agent_exited (the agent's process ended in the middle of the turn (exit code)); turn.completed 1 [m1] error error exit 1; IDLE
        "#]],
    );
}

/// Its process may be gone before anybody heard that it had the message.
#[test]
fn a_turn_that_ends_says_that_the_agent_has_the_message_when_it_has() {
    check(
        "create | send m1 | ready || lost 137 has",
        expect![[r#"
            lost 137 has: message.delivered m1; error agent_lost (the agent's process ended in the middle of the turn (lost)); turn.completed 1 [m1] error error exit 137; IDLE
        "#]],
    );
    check(
        "create | send m1 | ready | interrupt || died 1 has",
        expect![[r#"
            died 1 has: message.delivered m1; turn.completed 1 [m1] interrupted exit 1; IDLE
        "#]],
    );
}

#[test]
fn what_may_have_run_is_not_run_again() {
    check(
        "create | send m1 | ready | taken m1 | tool t1 | result t1 ok || died 137 lacks",
        expect![[r#"
            died 137 lacks: error agent_exited (the agent's process ended in the middle of the turn, before it had written the message down (exit code)); turn.completed 1 [m1] error error exit 137; IDLE
        "#]],
    );
}

/// An agent asks its host which tools there are before it takes anything in.
#[test]
fn a_word_to_the_agent_about_its_tools_is_nothing_it_may_have_done() {
    check(
        "create | send m1 | ready | host h1 | unsupported u1 | taken m1 || died 137 lacks",
        expect![[r#"
            died 137 lacks: confirmed h1; confirmed u1; runtime.fallback streaming; STARTING; START
        "#]],
    );
    check(
        "create | send m1 | ready | host h1 acts || died 137 lacks",
        expect![[r#"
            died 137 lacks: error agent_exited (the agent's process ended before it had taken the message (exit code)); turn.completed 1 [m1] error error exit 137; confirmed h1; IDLE
        "#]],
    );
}

#[test]
fn a_turn_goes_on_only_once_and_not_when_nobody_saw_its_process_end() {
    check(
        "create | send m1 | ready || died 137 lacks | ready | died 137 lacks",
        expect![[r#"
            died 137 lacks: runtime.fallback streaming; STARTING; START
            ready: tell prompt m1; PROCESSING
            died 137 lacks: error agent_exited (the agent's process ended before it had taken the message (exit code)); turn.completed 1 [m1] error error exit 137; IDLE
        "#]],
    );
    check(
        "create | send m1 | ready || exit 137 lacks",
        expect![[r#"
            exit 137 lacks: runtime.fallback streaming; STARTING; START
        "#]],
    );
    check(
        "create | send m1 | ready || lost 137 lacks",
        expect![[r#"
            lost 137 lacks: runtime.fallback streaming; STARTING; START
        "#]],
    );
    check(
        "create | send m1 || died 1 lacks",
        expect![[r#"
            died 1 lacks: runtime.fallback streaming; START
        "#]],
    );
    check(
        "create | send m1 | ready | interrupt || died 1 lacks",
        expect![[r#"
            died 1 lacks: turn.completed 1 [m1] interrupted exit 1; IDLE
        "#]],
    );
}

#[test]
fn a_silent_agent_is_interrupted_then_killed_and_replaced() {
    check(
        "create | send m1 | ready | taken m1 || wait 1999 | wait 1 | wait 10 | died 143 has | ready",
        expect![[r#"
            wait 1999: nothing
            wait 1: tell interrupt
            wait 10: KILL AT ONCE
            died 143 has: runtime.fallback streaming continued; STARTING; START
            ready: tell prompt m8; PROCESSING
        "#]],
    );
}

#[test]
fn a_silent_agent_that_obeys_has_still_not_done_its_work() {
    check(
        "create | send m1 | ready | taken m1 | wait 2000 || interrupted | died 0 has",
        expect![[r#"
            interrupted: KILL AT ONCE
            died 0 has: runtime.fallback streaming continued; STARTING; START
        "#]],
    );
}

#[test]
fn a_silent_agent_that_was_just_slow_is_left_alone() {
    check(
        "create | send m1 | ready | taken m1 | wait 2000 || done | wait 10",
        expect![[r#"
            done: turn.completed 1 [m1] end; IDLE
            wait 10: nothing
        "#]],
    );
}

#[test]
fn honest_silence_is_no_hang() {
    for why in ["tool t1", "ask a1 question", "compacting", "retry 1000"] {
        let script = format!("create | send m1 | ready | taken m1 | {why} || wait 2001");
        let told = if why == "ask a1 question" {
            expect![[r#"
                wait 2001: approval.resolved a1 deny by timeout; keep answer a1; tell deny a1 (Nobody answered in time, so this was denied.); PROCESSING
            "#]]
        } else {
            expect![[r#"
                wait 2001: nothing
            "#]]
        };
        check(&script, told);
    }
}

#[test]
fn a_turn_that_takes_too_long_is_stopped() {
    check(
        "create | send m1 | ready | taken m1 | tool t1 || wait 4999 | wait 1 | interrupted",
        expect![[r#"
            wait 4999: nothing
            wait 1: error timeout (the turn took longer than 83 minutes); tell interrupt
            interrupted: tool.completed t1 error; turn.completed 1 [m1] timeout; IDLE
        "#]],
    );
    check(
        "create | send m1 | ready | taken m1 | tool t1 | wait 5000 || wait 10 | exit 137",
        expect![[r#"
            wait 10: KILL AT ONCE
            exit 137: tool.completed t1 error; turn.completed 1 [m1] timeout exit 137; IDLE
        "#]],
    );
}

#[test]
fn the_time_a_person_takes_is_not_the_turns() {
    check(
        "create | send m1 | ready | taken m1 | tool t1 | ask a1 question | wait 900 | answers a1 || wait 4999 | wait 1",
        expect![[r#"
            wait 4999: nothing
            wait 1: error timeout (the turn took longer than 83 minutes); tell interrupt
        "#]],
    );
}

#[test]
fn a_process_without_work_is_let_go_and_the_session_stays() {
    check(
        "create | send m1 | ready | done || wait 2999 | wait 1 | exit 0",
        expect![[r#"
            wait 2999: nothing
            wait 1: CLOSE STDIN
            exit 0: nothing
        "#]],
    );
    check(
        "create | send m1 | ready | task k1 | done || wait 3000 | evict | task k1 completed | rest | evict",
        expect![[r#"
            wait 3000: nothing
            evict: nothing
            task k1 completed: task.updated k1 completed
            rest: IDLE
            evict: CLOSE STDIN
        "#]],
    );
}

#[test]
fn a_session_without_work_ends_and_can_be_taken_up_again() {
    check(
        "create | send m1 | ready | done | close | exit 0 || wait 20000 | send m2 | resume | resume | send m2",
        expect![[r#"
            wait 20000: session.ended asleep Some("it had nothing to do for too long"); ENDED
            send m2: refused: the session has ended
            resume: IDLE
            resume: nothing
            send m2: user.message m2; turn.started 2 user; START; STARTING; → turn 2, starting
        "#]],
    );
}

#[test]
fn an_old_session_ends_in_order() {
    check(
        "create | send m1 | ready | taken m1 | say hi || wait 50000 | interrupted | exit 0 | resume",
        expect![[r#"
            wait 50000: error timeout (the turn took longer than 83 minutes); tell interrupt; remember the end
            interrupted: turn.completed 1 [m1] timeout; KILL; IDLE
            exit 0: session.ended asleep Some("its lifetime is over"); ENDED
            resume: IDLE
        "#]],
    );
}

#[test]
fn an_end_that_was_asked_for_survives_a_new_owner() {
    check(
        "create | send m1 | ready | taken m1 | end || adopt | exit 143",
        expect![[r#"
            adopt: nothing
            exit 143: turn.completed 1 [m1] interrupted exit 143; session.ended stopped Some("asked"); ENDED
        "#]],
    );
}

#[test]
fn a_process_per_turn_is_closed_after_each() {
    check(
        "create resume || send m1 | ready | queue m2 | done | exit 0 | ready | done | died 1 has",
        expect![[r#"
            send m1: user.message m1; turn.started 1 user; START; STARTING; → turn 1, starting
            ready: tell prompt m1; PROCESSING
            queue m2: user.message m2 queued; → waits, processing
            done: turn.completed 1 [m1] end; CLOSE STDIN; STARTING
            exit 0: turn.started 2 user; START
            ready: tell prompt m2; PROCESSING
            done: turn.completed 2 [m2] end; CLOSE STDIN; IDLE
            died 1 has: nothing
        "#]],
    );
}

#[test]
fn a_spent_budget_stops_before_the_next_turn() {
    let turns = "ready | done | queue m2 | done | queue m3 | done | queue m4 | done | queue m5 | done \
         | queue m6 | done | queue m7 | done | queue m8 | done | queue m9 | done | queue m10";
    check(
        &format!("create | send m1 | {turns} | queue m11 || done | send m12 | tick"),
        expect![[r#"
            done: turn.completed 10 [m10] end; error budget (the budget of this session is spent: $5.00 of $5.00); IDLE
            send m12: refused: the budget of this session is spent: $5.00 of $5.00
            tick: nothing
        "#]],
    );
}

#[test]
fn a_raised_budget_lets_what_waits_go_on() {
    let turns = "ready | done | queue m2 | done | queue m3 | done | queue m4 | done | queue m5 | done \
         | queue m6 | done | queue m7 | done | queue m8 | done | queue m9 | done | queue m10";
    check(
        &format!("create | send m1 | {turns} | queue m11 | done || budget 4 | budget 9"),
        expect![[r#"
            budget 4: session.updated None None; CLOSE STDIN
            budget 9: session.updated None None; STARTING
        "#]],
    );
}

#[test]
fn a_budget_changes_neither_the_mode_nor_the_model() {
    check(
        "create bypassPermissions | mode plan | model sonnet || budget 9 | budget 9",
        expect![[r#"
            budget 9: session.updated None None
            budget 9: nothing
        "#]],
    );
}

#[test]
fn what_waits_for_a_choice_about_the_past_goes_on_when_it_is_made() {
    check(
        "create resume | send m1 | ready | queue m2 | done | full | exit 0 || forgets refuse | room | tick | choose",
        expect![[r#"
            forgets refuse: session.updated None None; notification memory (The agent's own record of this session is gone, so it knows nothing of it. No message is given to it until somebody chooses: one with `memory` `log` gives it what Baton's log has, one with `none` goes on without.); IDLE
            room: nothing
            tick: nothing
            choose: STARTING; turn.started 2 user; START
        "#]],
    );
}

#[test]
fn a_day_that_has_spent_its_budget_stops_a_turn_under_way() {
    check(
        "create | over | send m1 | ready || over | over | done interrupted | over",
        expect![[r#"
            over: error budget (the budget of this day is spent: $2.10 of $2.00); tell interrupt
            over: nothing
            done interrupted: turn.completed 1 [m1] budget; IDLE
            over: nothing
        "#]],
    );
}

#[test]
fn an_ended_session_can_be_renamed_and_given_money() {
    check(
        "create | end || rename new | budget 9",
        expect![[r#"
        rename new: session.updated Some("new") None
        budget 9: session.updated None None
    "#]],
    );
}

#[test]
fn commands_that_reach_beyond_the_session_are_refused() {
    check(
        "create || send m1 /logout | send m1 /compact",
        expect![[r#"
        send m1 /logout: refused: /logout is not sent to the agent: it would change your sign-in or account; run it in `claude` itself
        send m1 /compact: user.message m1; turn.started 1 user; START; STARTING; → turn 1, starting
    "#]],
    );
}

#[test]
fn a_process_per_turn_stays_while_something_runs_in_it() {
    check(
        "create resume | send m1 | ready | taken m1 | task k1 || done | queue m2 | taken m2 | done | task k1 completed | wait 9 | wait 1 | exit 0",
        expect![[r#"
            done: turn.completed 1 [m1] end +k1
            queue m2: user.message m2; turn.started 2 user; tell prompt m2; → turn 2, processing
            taken m2: message.delivered m2
            done: turn.completed 2 [m2] end +k1
            task k1 completed: task.updated k1 completed
            wait 9: nothing
            wait 1: CLOSE STDIN; IDLE
            exit 0: nothing
        "#]],
    );
}

#[test]
fn a_person_who_stops_a_silent_agent_has_stopped_the_turn() {
    check(
        "create | send m1 | ready | taken m1 | wait 2000 || interrupt | interrupted",
        expect![[r#"
            interrupt: nothing
            interrupted: turn.completed 1 [m1] interrupted; IDLE
        "#]],
    );
}

#[test]
fn a_process_that_does_not_finish_when_told_is_killed() {
    check(
        "create | send m1 | ready | done | close || wait 59 | wait 1 | exit 137",
        expect![[r#"
            wait 59: nothing
            wait 1: KILL AT ONCE
            exit 137: nothing
        "#]],
    );
}
