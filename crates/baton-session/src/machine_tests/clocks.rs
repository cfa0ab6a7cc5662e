//! Clocks that are set, computers that sleep.

use std::{collections::BTreeMap, time::Duration};

use expect_test::expect;
use uuid::Uuid;

use super::{
    super::{Adopted, Facts, Limits, Machine, Moment},
    script::{World, check, limits, steps},
};

#[test]
fn a_leap_of_the_wall_clock_ends_nothing() {
    for leap in ["100000", "-100000"] {
        check(
            &format!(
                "create | send m1 | ready | taken m1 | jump {leap} || tick | wait 1999 | wait 1"
            ),
            expect![[r#"
                tick: nothing
                wait 1999: nothing
                wait 1: tell interrupt
            "#]],
        );
        check(
            &format!("create | send m1 | ready | done | jump {leap} || tick | wait 2999 | wait 1"),
            expect![[r#"
                tick: nothing
                wait 2999: nothing
                wait 1: CLOSE STDIN
            "#]],
        );
        check(
            &format!("create | jump {leap} || tick | wait 19999 | wait 1"),
            expect![[r#"
                tick: nothing
                wait 19999: nothing
                wait 1: session.ended asleep Some("it had nothing to do for too long"); ENDED
            "#]],
        );
    }
}

#[test]
fn a_question_waits_as_long_as_it_was_promised() {
    for leap in ["100000", "-100000"] {
        check(
            &format!("create | send m1 | ready | ask a1 | jump {leap} || tick | wait 99 | wait 1"),
            expect![[r#"
                tick: nothing
                wait 99: nothing
                wait 1: approval.resolved a1 deny by timeout; keep answer a1; tell deny a1 (Nobody answered in time, so this was denied.); PROCESSING
            "#]],
        );
    }
}

#[test]
fn time_that_a_person_was_asked_in_does_not_count_whatever_the_clock_says() {
    for leap in ["100000", "-100000"] {
        check(
            &format!(
                "create | send m1 | ready | taken m1 | tool t1 | wait 1000 | ask a1 question | jump {leap} | wait 900 | answers a1 || wait 3999 | wait 1"
            ),
            expect![[r#"
                wait 3999: nothing
                wait 1: error timeout (the turn took longer than 83 minutes); tell interrupt
            "#]],
        );
    }
}

#[test]
fn the_next_owner_counts_from_what_the_log_says() {
    check(
        "create | send m1 | ready | done | close | exit 0 | wait 5000 | restart || wait 14999 | wait 1",
        expect![[r#"
            wait 14999: nothing
            wait 1: session.ended asleep Some("it had nothing to do for too long"); ENDED
        "#]],
    );
}

#[test]
fn honest_silence_stays_so_under_the_next_owner() {
    for why in ["compacting", "retry 5000"] {
        check(
            &format!(
                "create | send m1 | ready | taken m1 | {why} | adopt || wait 2001 | wait 2000"
            ),
            expect![[r#"
                wait 2001: nothing
                wait 2000: nothing
            "#]],
        );
    }
    check(
        "create | send m1 | ready | taken m1 | retry 500 | adopt || wait 2499 | wait 1",
        expect![[r#"
            wait 2499: nothing
            wait 1: tell interrupt
        "#]],
    );
}

/// Whoever could not answer while nobody was here gets time to, but no more
/// than there was from the beginning.
#[test]
fn a_short_limit_stays_short_under_the_next_owner() {
    let mut world = World::new(Facts::default());
    for words in steps("create | send m1 | ready | taken m1 | ask a1") {
        world.step(words).unwrap();
    }
    let old = &world.machine;
    let later = Moment {
        now: world.now.plus(Duration::from_secs(1000)),
        at: world.at.plus(Duration::from_secs(1000)),
        fresh: Uuid::nil(),
    };
    for (limit, wanted) in [(3, 3), (1000, 60)] {
        let limits = Limits {
            approval_timeout: Some(Duration::from_secs(limit)),
            ..limits()
        };
        let mut next = Machine::new(old.facts().clone(), limits);
        let (notes, requests) = (old.notes(later), old.life.requests.clone());
        next.adopt(later, Adopted::Started, &notes, requests, BTreeMap::new());
        let due = later.at.plus(Duration::from_secs(wanted));
        assert_eq!(next.deadline(), Some(due), "{limit}");
    }
}
