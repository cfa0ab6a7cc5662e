//! The real CLI: its daemon is killed at each stage of a turn with a tool, and
//! the agent goes on without it.

use std::{sync::Mutex, time::Duration};

use baton_protocol::{Envelope, Event};
use baton_testkit::{
    Sandbox, Version, claude_cli,
    model::{ModelServer, RequestKind, Script},
};
use serde_json::{Value, json};

use super::{
    accounts,
    house::{House, Victims},
    life::{Cue, Kill, Life, Moment, Pause, Said},
    verdict,
};

const NOW: Pause = Pause::Reaction(Duration::ZERO);

fn is_event(frame: &Value, name: &str) -> bool {
    frame["event"]["type"] == name
}

fn tool_is_done(seen: &[Envelope]) -> bool {
    seen.iter()
        .any(|envelope| matches!(envelope.event, Event::ToolCompleted(_)))
}

/// Twelve stages, in order.
fn stages() -> Vec<(&'static str, Moment, Pause)> {
    let frame = Moment::Frame;
    vec![
        (
            "before the agent is up",
            frame(|frame, _| is_event(frame, "turn.started")),
            NOW,
        ),
        (
            "after init",
            frame(|frame, _| is_event(frame, "session.started")),
            NOW,
        ),
        (
            "in the text",
            frame(|frame, _| frame["type"] == "live"),
            NOW,
        ),
        (
            "the tool is called",
            frame(|frame, _| is_event(frame, "tool.requested")),
            NOW,
        ),
        (
            "the approval is open",
            frame(|frame, _| is_event(frame, "approval.requested")),
            Pause::Nothing,
        ),
        (
            "the approval is answered",
            frame(|frame, _| is_event(frame, "approval.resolved")),
            NOW,
        ),
        (
            "the tool runs",
            frame(|frame, _| is_event(frame, "approval.resolved")),
            Pause::Effects,
        ),
        (
            "the tool is done",
            frame(|frame, _| is_event(frame, "tool.completed")),
            NOW,
        ),
        (
            "in the second text",
            frame(|frame, seen| frame["type"] == "live" && tool_is_done(seen)),
            NOW,
        ),
        (
            "the result is there",
            frame(|frame, _| is_event(frame, "turn.completed")),
            NOW,
        ),
        ("all is idle", Moment::End, NOW),
        (
            "the next turn begins",
            frame(|frame, _| {
                is_event(frame, "turn.started") && frame["event"]["payload"]["turn"] == 2
            }),
            NOW,
        ),
    ]
}

/// A hook of the user's own, which leaves a trace of each time it ran.
fn hook(sandbox: &Sandbox) {
    let folder = sandbox.home().join(".claude");
    std::fs::create_dir_all(&folder).unwrap();
    let trace = sandbox.home().join("hooks");
    let command = format!("echo ran >> {}", trace.display());
    let hook = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": command}]});
    let settings = json!({"hooks": {"PreToolUse": [hook]}});
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
}

fn at_stage(version: Version, moment: Moment, pause: Pause) {
    let model = ModelServer::start(Script::directed());
    let sandbox = Sandbox::new().with_model(&model);
    hook(&sandbox);
    let mut house = House::new(sandbox, claude_cli(version));
    let script = vec![
        Said::new(
            1,
            Cue::Quiet,
            "SLOW[3] TOK[20] RUN[echo a >> effects; sleep 0.2] SLOW[3] TOK[5]",
        ),
        Said::new(2, Cue::Quiet, "TOK[3]"),
    ];
    let kill = Kill {
        moment,
        pause,
        victims: Victims::DAEMON,
    };
    let mut life = Life::new(&mut house, script, vec![kill]);
    life.live();
    life.stop();
    let Life { seen, script, .. } = life;
    verdict::check(&house, &seen, &script);
    accounts::undisturbed(&seen);
    assert_eq!(house.effects(), ["a"]);
    let hooks = std::fs::read_to_string(house.sandbox.home().join("hooks")).unwrap();
    assert_eq!(hooks, "ran\n", "the hook ran once");
    let requests = model.requests().into_iter();
    let turns = requests.filter(|request| request.kind == RequestKind::Main);
    assert_eq!(turns.count(), 3, "each prompt ran once");
}

/// Each stage with one of the versions in turn: they differ little in how they
/// outlive a daemon, and much in how long they take.
#[test]
fn claude_goes_on_without_its_daemon_at_every_stage_of_a_turn() {
    let versions = Version::ALL.into_iter().cycle();
    let stages: Vec<_> = stages().into_iter().zip(versions).collect();
    let stages = Mutex::new(stages);
    let lane = || {
        loop {
            let stage = stages.lock().unwrap().pop();
            let Some(((name, moment, pause), version)) = stage else {
                return;
            };
            let run = std::panic::AssertUnwindSafe(|| at_stage(version, moment, pause));
            let ended = std::panic::catch_unwind(run);
            assert!(ended.is_ok(), "{version:?}: killed when {name}");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(lane);
        }
    });
}
