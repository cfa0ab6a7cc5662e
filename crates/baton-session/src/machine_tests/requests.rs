//! Requests to the agent, and its answers.

use expect_test::expect;

use super::script::check;

#[test]
fn a_new_model_is_told_once_the_agent_agreed() {
    check(
        "create | send m1 | ready || model sonnet | reply #4 | model sonnet | reply #6",
        expect![[r#"
            model sonnet: tell model Some("sonnet"); → later #4
            reply #4: model.changed Some("sonnet"); settled #4: {"filesChanged":["a.txt"]}
            model sonnet: tell model Some("sonnet"); → later #6
            reply #6: settled #6: {"filesChanged":["a.txt"]}
        "#]],
    );
}

#[test]
fn a_refused_model_changes_nothing() {
    check(
        "create | send m1 | ready || model sonnet | replyerr #4",
        expect![[r#"
            model sonnet: tell model Some("sonnet"); → later #4
            replyerr #4: settled #4: failed, no
        "#]],
    );
}

#[test]
fn without_a_process_a_new_model_is_for_the_next_one() {
    check(
        "create || model sonnet | mode plan",
        expect![[r#"
        model sonnet: model.changed Some("sonnet")
        mode plan: permission_mode.changed plan by user
    "#]],
    );
}

#[test]
fn a_new_mode_is_told_once_by_whoever_says_it_first() {
    check(
        "create | send m1 | ready || mode plan | entered plan | reply #4",
        expect![[r#"
            mode plan: tell mode plan; → later #4
            entered plan: permission_mode.changed plan by agent
            reply #4: settled #4: {"filesChanged":["a.txt"]}
        "#]],
    );
}

#[test]
fn bypass_must_be_chosen_at_creation() {
    check(
        "create || mode bypassPermissions",
        expect![[r#"
        mode bypassPermissions: refused: bypassPermissions must be chosen when the session is created
    "#]],
    );
}

#[test]
fn bypass_that_was_chosen_can_be_entered() {
    check(
        "create bypassPermissions || mode plan | mode bypassPermissions",
        expect![[r#"
            mode plan: permission_mode.changed plan by user
            mode bypassPermissions: permission_mode.changed bypassPermissions by user
        "#]],
    );
}

#[test]
fn an_agent_is_asked_only_what_it_can_do() {
    check(
        "create demo || model x | mode plan | rewind m1 | context | mode default",
        expect![[r#"
            model x: refused: this agent cannot do that: change its model
            mode plan: refused: this agent cannot do that: run in this permission mode
            rewind m1: refused: this agent cannot do that: rewind files
            context: refused: this agent cannot do that: tell how full its context is
            mode default: permission_mode.changed default by user
        "#]],
    );
}

#[test]
fn files_are_rewound_after_a_look_at_what_changes() {
    check(
        "create | send m1 | ready | done || rewind m1 | reply #5 | reply #6",
        expect![[r#"
            rewind m1: tell rewind, dry; → later #5
            reply #5: tell rewind
            reply #6: files.rewound a.txt; settled #5: {"filesChanged":["a.txt"]}
        "#]],
    );
}

#[test]
fn a_rewind_that_cannot_be_done_changes_nothing() {
    check(
        "create | send m1 | ready | done || rewind m1 | reply #5 cannot | rewind m1 | reply #7 | reply #8 cannot",
        expect![[r#"
            rewind m1: tell rewind, dry; → later #5
            reply #5 cannot: settled #5: failed, no such checkpoint
            rewind m1: tell rewind, dry; → later #7
            reply #7: tell rewind
            reply #8 cannot: settled #7: failed, no such checkpoint
        "#]],
    );
}

#[test]
fn a_preview_rewinds_nothing() {
    check(
        "create | send m1 | ready | done || preview m1 | reply #5 | preview m1 | reply #7 cannot",
        expect![[r#"
            preview m1: tell rewind, dry; → later #5
            reply #5: settled #5: {"filesChanged":["a.txt"]}
            preview m1: tell rewind, dry; → later #7
            reply #7 cannot: settled #7: failed, no such checkpoint
        "#]],
    );
}

#[test]
fn a_running_turn_is_not_rewound() {
    check(
        "create | send m1 || rewind m1",
        expect![[r#"
        rewind m1: refused: turn 1 is still running
    "#]],
    );
}

#[test]
fn a_request_without_a_process_starts_one() {
    check(
        "create || context | ready | reply #2",
        expect![[r#"
        context: START; → later #2
        ready: tell context
        reply #2: settled #2: {"filesChanged":["a.txt"]}
    "#]],
    );
}

#[test]
fn a_request_to_a_starting_process_waits() {
    check(
        "create | send m1 || context | model x | ready",
        expect![[r#"
            context: → later #3
            model x: → later #4
            ready: tell context; tell model Some("x"); tell prompt m1; PROCESSING
        "#]],
    );
}

#[test]
fn silence_is_an_answer_after_a_while() {
    check(
        "create | send m1 | ready | done || context | rewind m1 | reply #6 | wait 29 | wait 1 | reply #5",
        expect![[r#"
            context: tell context; → later #5
            rewind m1: tell rewind, dry; → later #6
            reply #6: tell rewind
            wait 29: nothing
            wait 1: settled #5: failed, the agent did not answer in time; settled #6: failed, the agent did not answer in time
            reply #5: nothing
        "#]],
    );
}

#[test]
fn an_end_of_the_process_answers_every_request() {
    check(
        "create | send m1 | ready | done || context | rewind m1 | reply #6 | exit 1",
        expect![[r#"
            context: tell context; → later #5
            rewind m1: tell rewind, dry; → later #6
            reply #6: tell rewind
            exit 1: settled #5: failed, the agent ended; settled #6: failed, the agent ended
        "#]],
    );
}

#[test]
fn a_failed_start_answers_every_request() {
    check(
        "create || context | startfail",
        expect![[r#"
        context: START; → later #2
        startfail: error agent_missing (claude was not found); settled #2: failed, claude was not found
    "#]],
    );
}

#[test]
fn a_message_that_waited_out_a_failed_start_goes_on_with_the_next_process() {
    check(
        "create | send m1 | queue m2 | startfail || context | ready",
        expect![[r#"
            context: START; STARTING; turn.started 2 user; → later #5
            ready: tell context; tell prompt m2; PROCESSING
        "#]],
    );
}

#[test]
fn answers_to_nothing_are_nothing() {
    check(
        "create | send m1 | ready || reply #9",
        expect![[r#"
        reply #9: nothing
    "#]],
    );
}
