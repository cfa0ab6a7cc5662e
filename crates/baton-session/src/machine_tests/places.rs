//! Turns that wait for a place for their process.

use expect_test::expect;

use super::script::check;

#[test]
fn a_queue_waits_for_a_place() {
    check(
        "create | send m1 | queue m2 | ready | taken m1 | full || kill | exit 137 | tick | room | ready",
        expect![[r#"
            kill: KILL AT ONCE
            exit 137: turn.completed 1 [m1] interrupted exit 137; STARTING
            tick: nothing
            room: turn.started 2 user; START
            ready: tell prompt m2; PROCESSING
        "#]],
    );
}

#[test]
fn a_warm_process_has_its_place() {
    check(
        "create | send m1 | queue m2 | ready | taken m1 | full || done",
        expect![[r#"
            done: turn.completed 1 [m1] end; turn.started 2 user; tell prompt m2
        "#]],
    );
}

#[test]
fn a_fall_back_waits_for_a_place_and_can_be_stopped_there() {
    let waiting = "create | send m1 | ready | taken m1 | full | died 9 has";
    check(
        &format!("{waiting} || tick | wait 6000 | room | ready"),
        expect![[r#"
            tick: nothing
            wait 6000: nothing
            room: START
            ready: tell prompt m5; PROCESSING
        "#]],
    );
    check(
        &format!("{waiting} || interrupt | room"),
        expect![[r#"
        interrupt: turn.completed 1 [m1] interrupted; IDLE
        room: nothing
    "#]],
    );
    check(
        &format!("{waiting} || kill | room"),
        expect![[r#"
        kill: turn.completed 1 [m1] interrupted; IDLE
        room: nothing
    "#]],
    );
    check(
        &format!("{waiting} || end | room"),
        expect![[r#"
        end: turn.completed 1 [m1] interrupted; session.ended stopped Some("asked"); ENDED
        room: nothing
    "#]],
    );
}

#[test]
fn what_an_owner_left_waits_for_a_place() {
    check(
        "create | send m1 | full | restart || tick | room | ready",
        expect![[r#"
            tick: nothing
            room: START
            ready: tell prompt m1; PROCESSING
        "#]],
    );
}
