//! An agent whose holder is killed. Without a holder nobody can be asked, and a
//! CLI whose stdin is closed may run its tools unasked: it must not live on.

use std::{path::PathBuf, time::Duration};

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

const NOW: Pause = Pause::Reaction(Duration::ZERO);

/// A CLI, and a turn with a slow beginning and a tool in its language.
fn agents() -> [(PathBuf, &'static str); 3] {
    let real = "SLOW[20] TOK[20] RUN[echo a >> effects; sleep 9]";
    [
        (
            bin("fake-claude"),
            "rate 100 per second for 1 s\nbash echo a >> effects; sleep 9",
        ),
        (claude_cli(Version::V197), real),
        (claude_cli(Version::V325), real),
    ]
}

fn live(claude: PathBuf, text: &str, moment: Moment, pause: Pause, victims: Victims) {
    let model = ModelServer::start(Script::directed());
    let mut house = House::new(Sandbox::new().with_model(&model), claude);
    let script = vec![
        Said::new(1, Cue::Quiet, text),
        Said::new(2, Cue::Quiet, "TOK[2]"),
    ];
    let kill = Kill {
        moment,
        pause,
        victims,
    };
    let mut life = Life::new(&mut house, script, vec![kill]);
    life.live();
    life.stop();
    let Life { seen, script, .. } = life;
    // Among other things: nothing was written behind the log, or twice.
    verdict::check(&house, &seen, &script);
}

/// Everyone at once: each waits for its processes most of the time.
fn with_each(victims: Victims, moment: fn() -> (Moment, Pause)) {
    std::thread::scope(|scope| {
        for (claude, text) in agents() {
            scope.spawn(move || {
                let (moment, pause) = moment();
                live(claude, text, moment, pause, victims);
            });
        }
    });
}

fn in_the_text() -> (Moment, Pause) {
    (Moment::Frame(|frame, _| frame["type"] == "live"), NOW)
}

fn is_event(frame: &Value, name: &str) -> bool {
    frame["event"]["type"] == name
}

fn with_an_open_approval() -> (Moment, Pause) {
    let asked = |frame: &Value, _: &_| is_event(frame, "approval.requested");
    (Moment::Frame(asked), Pause::Nothing)
}

fn in_a_tool() -> (Moment, Pause) {
    let answered = |frame: &Value, _: &_| is_event(frame, "approval.resolved");
    (Moment::Frame(answered), Pause::Effects)
}

#[test]
fn an_agent_whose_holder_is_killed_in_its_text_calls_no_tool_unasked() {
    with_each(Victims::HOLDER, in_the_text);
}

#[test]
fn an_agent_whose_holder_is_killed_goes_though_no_daemon_is_there() {
    with_each(Victims::HOLDER_AND_DAEMON, in_the_text);
}

#[test]
fn an_agent_whose_holder_is_killed_while_it_asks_goes() {
    with_each(Victims::HOLDER, with_an_open_approval);
}

#[test]
fn an_agent_whose_holder_is_killed_in_a_tool_goes_with_the_tool() {
    with_each(Victims::HOLDER, in_a_tool);
}
