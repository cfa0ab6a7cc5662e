//! Everything is gone at once, as when the machine loses its power: the next
//! daemon says what happened, and each session goes on when it is spoken to.

use std::time::Duration;

use baton_protocol::{Envelope, Event, words::StopReason};
use baton_testkit::{
    Sandbox, Version, bin, claude_cli,
    model::{ModelServer, Script},
};
use serde_json::Value;

use super::{
    house::{House, Victims},
    life::{Cue, Kill, Life, Moment, Pause, Said},
    verdict,
};

fn first_turn(seen: &[Envelope]) -> (StopReason, usize) {
    let first = || seen.iter().filter(|envelope| envelope.turn.0 == 1);
    let end = first().find_map(|envelope| match &envelope.event {
        Event::TurnCompleted(end) => Some(end.stop_reason),
        _ => None,
    });
    let errors = first().filter(|envelope| matches!(envelope.event, Event::Error(_)));
    (end.unwrap(), errors.count())
}

/// Whether a frame is the one that is waited for.
type IsIt = fn(&Value, &[Envelope]) -> bool;

fn kill(moment: IsIt, pause: Pause) -> Vec<Kill> {
    vec![Kill {
        moment: Moment::Frame(moment),
        pause,
        victims: Victims::ALL,
    }]
}

const NOW: Pause = Pause::Reaction(Duration::ZERO);

#[test]
fn after_a_reboot_no_session_runs_and_each_goes_on_when_spoken_to() {
    let moments: [(IsIt, Pause); 3] = [
        (|frame, _| frame["type"] == "live", NOW),
        (
            |frame, _| frame["event"]["type"] == "approval.requested",
            Pause::Nothing,
        ),
        (
            |frame, _| frame["event"]["type"] == "approval.resolved",
            Pause::Effects,
        ),
    ];
    for (moment, pause) in moments {
        let mut house = House::new(Sandbox::new(), bin("fake-claude"));
        let text = "rate 100 per second for 1 s\nbash echo a >> effects; sleep 9\nsay no";
        let script = vec![
            Said::new(1, Cue::Quiet, text),
            Said::new(2, Cue::Quiet, "say two"),
        ];
        let mut life = Life::new(&mut house, script, kill(moment, pause));
        life.live();
        life.stop();
        let Life { seen, script, .. } = life;
        verdict::check(&house, &seen, &script);
        let (reason, errors) = first_turn(&seen);
        assert_eq!(
            (reason, errors),
            (StopReason::Error, 1),
            "it says so\n{}",
            super::rules::text(&seen)
        );
    }
}

fn goes_on_with_its_context(version: Version) {
    let model = ModelServer::start(Script::directed());
    let sandbox = Sandbox::new().with_model(&model);
    let mut house = House::new(sandbox, claude_cli(version));
    let script = vec![
        Said::new(1, Cue::Quiet, "TOK[4] RUN[echo a >> effects; sleep 9]"),
        Said::new(2, Cue::Quiet, "TOK[2]"),
    ];
    let resolved = |frame: &Value, _: &[Envelope]| frame["event"]["type"] == "approval.resolved";
    let mut life = Life::new(&mut house, script, kill(resolved, Pause::Effects));
    life.live();
    life.stop();
    let Life { seen, script, .. } = life;
    verdict::check(&house, &seen, &script);
    let (reason, errors) = first_turn(&seen);
    assert_eq!((reason, errors), (StopReason::Error, 1), "it says so");
    let last = model.requests().pop().unwrap();
    let told = serde_json::to_string(&last.messages()).unwrap();
    assert!(told.contains("TOK[4]"), "{version:?}: {told}");
    assert_eq!(house.effects(), ["a"]);
}

#[test]
fn after_a_reboot_claude_goes_on_with_its_context() {
    std::thread::scope(|scope| {
        for version in Version::ALL {
            scope.spawn(move || goes_on_with_its_context(version));
        }
    });
}
