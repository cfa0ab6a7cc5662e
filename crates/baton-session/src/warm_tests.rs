//! What is kept warm, for whom and for how long.

use super::*;

type Chores = Vec<Chore<&'static str>>;

const A: LeaseId = LeaseId(1);
const B: LeaseId = LeaseId(2);

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn start(number: u64, wish: &'static str) -> Chore<&'static str> {
    Chore::Start {
        number: Number(number),
        wish,
    }
}

fn close(number: u64) -> Chore<&'static str> {
    Chore::Close(Number(number))
}

#[test]
fn one_is_started_for_what_is_wanted_and_goes_to_who_begins_just_that() {
    let mut warm = Warmth::default();
    assert_eq!(warm.want(A, "opus", at(0)), [start(1, "opus")]);
    assert_eq!(warm.standing(A), Standing::Starting);
    assert_eq!(warm.take(&"opus"), None, "it is not up yet");
    assert!(warm.up(Number(1)));
    assert_eq!(warm.standing(A), Standing::Up(Number(1)));
    assert_eq!(warm.want(A, "opus", at(1)), Chores::new());
    assert_eq!(warm.take(&"sonnet"), None);
    assert_eq!(warm.take(&"opus"), Some(Number(1)));
    assert_eq!(warm.take(&"opus"), None, "it is one session's");
    assert_eq!(warm.tick(at(1000)), Chores::new(), "and not closed");
}

#[test]
fn another_choice_closes_the_process_before_the_next_one_starts() {
    let mut warm = Warmth::default();
    warm.want(A, "opus", at(0));
    warm.up(Number(1));
    assert_eq!(warm.want(A, "sonnet", at(1)), [close(1)]);
    assert_eq!(warm.take(&"opus"), None);
    assert_eq!(warm.standing(A), Standing::Starting);
    assert_eq!(warm.gone(Number(1), at(1)), [start(2, "sonnet")]);
    // The last word counts, also while one is still starting.
    assert_eq!(warm.want(A, "haiku", at(1)), [close(2)]);
    assert!(!warm.up(Number(2)));
    assert_eq!(warm.gone(Number(2), at(1)), [start(3, "haiku")]);
}

#[test]
fn a_lease_ends_when_it_is_left_or_silent() {
    let mut warm = Warmth::default();
    warm.want(A, "opus", at(0));
    warm.up(Number(1));
    assert_eq!(warm.leave(A, at(1)), [close(1)]);
    assert_eq!(warm.gone(Number(1), at(1)), Chores::new());
    assert_eq!(warm.deadline(), None);

    warm.want(A, "opus", at(10));
    warm.up(Number(2));
    warm.want(A, "opus", at(50));
    assert_eq!(warm.deadline(), Some(at(50) + SILENCE));
    assert_eq!(warm.tick(at(109)), Chores::new());
    assert_eq!(warm.tick(at(110)), [close(2)]);
    assert_eq!(warm.gone(Number(2), at(110)), Chores::new());
}

#[test]
fn one_that_grew_old_or_stale_is_replaced() {
    let mut warm = Warmth::default();
    warm.want(A, "opus", at(0));
    warm.up(Number(1));
    warm.want(A, "opus", at(170));
    assert_eq!(warm.tick(at(180)), [close(1)]);
    assert_eq!(warm.gone(Number(1), at(181)), [start(2, "opus")]);
    warm.up(Number(2));
    assert_eq!(warm.stale(Number(2)), [close(2)]);
    assert_eq!(warm.take(&"opus"), None);
    assert_eq!(warm.gone(Number(2), at(182)), [start(3, "opus")]);
}

#[test]
fn what_ended_by_itself_is_not_tried_again_until_something_changes() {
    let mut warm = Warmth::default();
    warm.want(A, "opus", at(0));
    assert_eq!(warm.gone(Number(1), at(1)), Chores::new());
    assert_eq!(warm.standing(A), Standing::None);
    assert_eq!(warm.want(A, "opus", at(2)), Chores::new());
    assert_eq!(warm.stale_where(|wish| *wish == "opus"), Chores::new());
    assert_eq!(warm.want(A, "opus", at(3)), [start(2, "opus")]);
    assert_eq!(warm.gone(Number(2), at(3)), Chores::new());
    assert_eq!(warm.want(A, "sonnet", at(4)), [start(3, "sonnet")]);
}

#[test]
fn there_are_never_more_than_few_and_never_two_of_one() {
    let mut warm = Warmth::default();
    let most = u64::try_from(MOST).unwrap();
    for lease in 1..=most {
        assert_eq!(warm.want(LeaseId(lease), "opus", at(0)).len(), 1);
        warm.up(Number(lease));
    }
    let late = LeaseId(most + 1);
    assert_eq!(warm.want(late, "opus", at(0)), Chores::new());
    assert_eq!(warm.standing(late), Standing::None);
    // One that closes still runs.
    assert_eq!(warm.want(A, "sonnet", at(1)), [close(1)]);
    assert_eq!(warm.leave(B, at(1)), [close(2)]);
    assert_eq!(warm.gone(Number(1), at(2)), [start(most + 1, "sonnet")]);
    assert_eq!(warm.gone(Number(2), at(2)), [start(most + 2, "opus")]);
    assert_eq!(warm.standing(late), Standing::Starting);
}
