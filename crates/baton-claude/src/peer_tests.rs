use std::collections::BTreeSet;

use super::*;
use crate::control::{GetPlan, Interrupt};

const LIMIT: Duration = Duration::from_secs(10);

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn asked(peer: &mut Peer<&'static str>, number: u128, now: Instant) {
    let token = if number == 1 { "one" } else { "two" };
    let line = peer.ask(id(number), GetPlan {}.into(), token, now, LIMIT);
    assert!(matches!(line, Outgoing::Request { request_id, .. } if request_id == id(number)));
}

fn response(request_id: &str, outcome: Result<Option<RawJson>, ControlRefusal>) -> ControlResponse {
    ControlResponse {
        request_id: request_id.to_owned(),
        outcome,
        pending_permission_requests: Vec::new(),
        pending_user_dialog_requests: Vec::new(),
    }
}

fn success(number: u128) -> ControlResponse {
    response(&id(number).to_string(), Ok(None))
}

#[test]
fn an_answer_ends_its_question_and_no_other() {
    let (mut peer, now) = (Peer::default(), Instant::now());
    asked(&mut peer, 1, now);
    asked(&mut peer, 2, now);
    assert_eq!(
        peer.answer(success(2)),
        Some(Settled {
            token: "two",
            outcome: Ok(None)
        })
    );
    assert_eq!(
        peer.answer(success(1)),
        Some(Settled {
            token: "one",
            outcome: Ok(None)
        })
    );
    assert_eq!(peer.poll_timeout(), None);
}

#[test]
fn a_refusal_ends_its_question_with_the_words_of_the_cli() {
    let (mut peer, now) = (Peer::default(), Instant::now());
    asked(&mut peer, 1, now);
    let refusal = ControlRefusal {
        message: "no".into(),
        code: Some("invalid_mode".into()),
    };
    let ended = peer
        .answer(response(&id(1).to_string(), Err(refusal.clone())))
        .unwrap();
    assert_eq!(
        ended.outcome,
        Err(RequestError::Refused {
            subtype: "get_plan",
            refusal
        })
    );
}

#[test]
fn an_answer_that_comes_twice_is_ignored() {
    let (mut peer, now) = (Peer::default(), Instant::now());
    asked(&mut peer, 1, now);
    assert!(peer.answer(success(1)).is_some());
    assert_eq!(peer.answer(success(1)), None);
}

#[test]
fn an_answer_to_nobody_is_ignored() {
    let mut peer = Peer::<()>::default();
    assert_eq!(peer.answer(success(9)), None);
    // With replay on, the CLI repeats our answers to its own questions.
    assert_eq!(
        peer.arrive("c7994c8a-61c8-4794-ba81-67c062dbf69c"),
        Arrival::New
    );
    assert_eq!(
        peer.answer(response("c7994c8a-61c8-4794-ba81-67c062dbf69c", Ok(None))),
        None
    );
    assert_eq!(peer.answer(response("not-a-uuid", Ok(None))), None);
    assert!(peer.owes_answers());
}

#[test]
fn silence_ends_a_question_at_its_deadline_and_not_before() {
    let (mut peer, now) = (Peer::default(), Instant::now());
    asked(&mut peer, 1, now);
    asked(&mut peer, 2, now + Duration::from_secs(1));
    assert_eq!(peer.poll_timeout(), Some(now + LIMIT));
    assert_eq!(peer.expire(now + LIMIT - Duration::from_millis(1)), []);
    let silent = RequestError::Silent {
        subtype: "get_plan",
        after: LIMIT,
    };
    assert_eq!(
        peer.expire(now + LIMIT),
        [Settled {
            token: "one",
            outcome: Err(silent)
        }]
    );
    assert_eq!(
        peer.poll_timeout(),
        Some(now + LIMIT + Duration::from_secs(1))
    );
    assert_eq!(peer.answer(success(1)), None, "a late answer is ignored");
}

#[test]
fn a_question_of_the_cli_is_replied_to_once() {
    let mut peer = Peer::<()>::default();
    assert_eq!(peer.arrive("a"), Arrival::New);
    assert_eq!(peer.arrive("a"), Arrival::Repeated);
    assert!(peer.reply("a"));
    assert!(!peer.reply("a"));
    assert!(!peer.owes_answers());
}

#[test]
fn a_question_taken_back_needs_no_reply() {
    let mut peer = Peer::<()>::default();
    peer.arrive("a");
    assert!(peer.take_back("a"));
    assert!(!peer.take_back("a"));
    assert!(!peer.reply("a"));
    assert!(!peer.take_back("never asked"));
}

#[test]
fn the_end_of_the_process_ends_everything() {
    let (mut peer, now) = (Peer::default(), Instant::now());
    asked(&mut peer, 1, now);
    peer.arrive("a");
    let gone = peer.gone();
    let outcome = Err(RequestError::Gone {
        subtype: "get_plan",
    });
    assert_eq!(
        gone,
        Gone {
            ours: vec![Settled {
                token: "one",
                outcome
            }],
            theirs: vec!["a".into()]
        }
    );
    assert_eq!(peer.answer(success(1)), None);
    assert!(!peer.reply("a"));
    assert_eq!(peer.poll_timeout(), None);
}

/// Every sequence of up to seven steps on two questions: each ends once.
#[test]
fn each_question_ends_exactly_once_whatever_happens() {
    const STEPS: usize = 5;
    for length in 1..=7_u32 {
        for code in 0..STEPS.pow(length) {
            run(code, length);
        }
    }
    fn run(mut code: usize, length: u32) {
        let (mut peer, start) = (Peer::<u128>::default(), Instant::now());
        let (mut now, mut next, mut ended) = (start, 0, BTreeSet::new());
        let mut end = |endings: Vec<Settled<u128>>| {
            for ending in endings {
                assert!(ended.insert(ending.token), "{} ended twice", ending.token);
            }
        };
        for _ in 0..length {
            match code % STEPS {
                0 => {
                    let request = Interrupt {
                        cancel_queued: None,
                    }
                    .into();
                    peer.ask(id(next), request, next, now, LIMIT);
                    next += 1;
                }
                1 => end(peer.answer(success(0)).into_iter().collect()),
                2 => end(peer.answer(success(1)).into_iter().collect()),
                3 => {
                    now += LIMIT;
                    end(peer.expire(now));
                }
                _ => end(peer.gone().ours),
            }
            code /= STEPS;
        }
        end(peer.gone().ours);
        assert_eq!(ended.len() as u128, next);
    }
}
