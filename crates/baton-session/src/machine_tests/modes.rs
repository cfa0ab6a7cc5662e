//! Models and modes: asked for, confirmed, reported.

use expect_test::expect;

use super::script::check;

#[test]
fn a_change_while_the_process_is_closing_is_for_the_next_one() {
    check(
        "create | send m1 | ready | started | taken m1 | done | close || mode plan | model sonnet | started opus default | exit 0 | send m2",
        expect![[r#"
            mode plan: permission_mode.changed plan by user
            model sonnet: model.changed Some("sonnet")
            started opus default: nothing
            exit 0: nothing
            send m2: user.message m2; turn.started 2 user; START; STARTING; → turn 2, starting
        "#]],
    );
}

#[test]
fn a_change_that_failed_has_not_happened() {
    check(
        "create | send m1 | ready | started | taken m1 | done || mode plan | replyerr #7 | mode plan | exit 1",
        expect![[r#"
            mode plan: tell mode plan; → later #7
            replyerr #7: settled #7: failed, no
            mode plan: tell mode plan; → later #9
            exit 1: settled #9: failed, the agent ended
        "#]],
    );
}

#[test]
fn a_bypass_that_nobody_chose_is_taken_back() {
    check(
        "create | send m1 | ready || started opus bypassPermissions | started opus bypassPermissions | started opus default | entered bypassPermissions | entered plan",
        expect![[r#"
            started opus bypassPermissions: session.started opus; notification mode (The agent says that it runs in bypassPermissions, which this session was not created with. It is told to go back to default; until it has, every tool is asked about.); tell mode default
            started opus bypassPermissions: nothing
            started opus default: nothing
            entered bypassPermissions: notification mode (The agent says that it runs in bypassPermissions, which this session was not created with. It is told to go back to default; until it has, every tool is asked about.); tell mode default
            entered plan: permission_mode.changed plan by agent
        "#]],
    );
}

#[test]
fn a_bypass_that_was_chosen_stands() {
    check(
        "create bypassPermissions | send m1 | ready || started opus bypassPermissions | entered plan | entered bypassPermissions",
        expect![[r#"
            started opus bypassPermissions: session.started opus
            entered plan: permission_mode.changed plan by agent
            entered bypassPermissions: permission_mode.changed bypassPermissions by agent
        "#]],
    );
}
