//! The demo agent's real program, in this process, driven by the machine.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a test looks for a few kinds among all"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader, PipeWriter, Write},
    path::Path,
    sync::mpsc::{Receiver, sync_channel},
    thread::JoinHandle,
    time::Duration,
};

use baton_protocol::{
    Event, Live, MessageId, Timestamp,
    event::{ApprovalRequested, SessionCreated, SessionOptions, TurnCompleted, UserMessage},
    words::{ApprovalKind, DecidedBy, ErrorCode, Mode, Runtime, StopReason},
};
use serde_json::json;
use uuid::Uuid;

use super::{Translator, run};
use crate::{
    agents::AskDecision,
    machine::{Effect, Facts, Input, Limits, Machine, Moment, WhenBusy},
};

/// Longer than anything here takes; a demo that stops talking fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

struct Demo {
    machine: Machine,
    translator: Translator,
    steps: u128,
    to_agent: Option<PipeWriter>,
    from_agent: Receiver<String>,
    program: JoinHandle<std::io::Result<()>>,
    events: Vec<Event>,
    /// Live text by message, put together from its frames.
    texts: BTreeMap<String, String>,
    blobs: usize,
}

/// What somebody does about what the demo says.
enum Reaction {
    Nothing,
    Answer(AskDecision),
    Interrupt,
    CloseStdin,
}

impl Demo {
    fn start(cwd: &Path) -> Self {
        Self::start_at(cwd, Duration::ZERO)
    }

    fn start_at(cwd: &Path, pace: Duration) -> Self {
        let (told, to_agent) = std::io::pipe().unwrap();
        let (said, output) = std::io::pipe().unwrap();
        let folder = cwd.to_owned();
        let program = std::thread::spawn(move || run(BufReader::new(told), output, &folder, pace));
        // Full means the program waits, as on a pipe.
        let (lines, from_agent) = sync_channel(1024);
        std::thread::spawn(move || {
            for line in BufReader::new(said).lines().map_while(Result::ok) {
                if lines.send(line).is_err() {
                    break;
                }
            }
        });
        let mut demo = Self {
            machine: Machine::new(Facts::default(), Limits::default()),
            translator: Translator::default(),
            steps: 0,
            to_agent: Some(to_agent),
            from_agent,
            program,
            events: Vec::new(),
            texts: BTreeMap::new(),
            blobs: 0,
        };
        demo.step(create(cwd));
        demo
    }

    /// Sends a prompt and reacts to what follows, until the turn is over.
    fn turn(&mut self, prompt: &str, mut react: impl FnMut(&Event) -> Reaction) -> TurnCompleted {
        let before = self.events.len();
        let id = u128::to_be_bytes(self.steps);
        self.step(Input::Send {
            message: UserMessage {
                message_id: MessageId::from_uuid(uuid::Builder::from_random_bytes(id).into_uuid()),
                text: prompt.into(),
                attachments: Vec::new(),
                queued: false,
                client: None,
            },
            when_busy: WhenBusy::Refuse,
        });
        let mut looked = before;
        loop {
            while let Some(event) = self.events.get(looked).cloned() {
                looked += 1;
                if let Event::TurnCompleted(completed) = event {
                    return completed;
                }
                let reaction = react(&event);
                self.react(&event, reaction);
            }
            let line = self.from_agent.recv_timeout(PATIENCE).unwrap();
            let mut outputs = Vec::new();
            self.translator.line(line.as_bytes(), &mut outputs);
            for output in outputs {
                self.step(Input::Agent(output));
            }
        }
    }

    fn react(&mut self, event: &Event, reaction: Reaction) {
        match reaction {
            Reaction::Nothing => {}
            Reaction::Interrupt => self.step(Input::Interrupt { by: None }),
            Reaction::CloseStdin => self.to_agent = None,
            Reaction::Answer(decision) => {
                let Event::ApprovalRequested(asked) = event else {
                    panic!("nothing was asked");
                };
                self.step(Input::Answer {
                    approval: asked.approval_id,
                    decision,
                    by: DecidedBy::User,
                    client: None,
                    remember: None,
                });
            }
        }
    }

    fn step(&mut self, input: Input) {
        self.steps += 1;
        let moment = Moment {
            now: Timestamp::from_millis(0),
            at: Timestamp::from_millis(0),
            fresh: Uuid::from_u128(self.steps),
        };
        let (_, effects) = self.machine.step(moment, input).unwrap();
        for effect in effects {
            match effect {
                Effect::Record { event, .. } => self.recorded(event),
                Effect::Live(live) => self.live(&live),
                Effect::Blob { .. } => self.blobs += 1,
                Effect::Tell(command) => {
                    for line in self.translator.command(&command) {
                        let mut line = line;
                        line.push(b'\n');
                        self.to_agent.as_mut().unwrap().write_all(&line).unwrap();
                    }
                }
                Effect::At(_)
                | Effect::Start
                | Effect::RememberEnd { .. }
                | Effect::AddRule { .. }
                | Effect::OpenRequest { .. }
                | Effect::CloseRequest { .. }
                | Effect::CloseStdin
                | Effect::Kill { .. }
                | Effect::Settled { .. } => {}
            }
        }
    }

    fn recorded(&mut self, event: Event) {
        if let Event::AssistantMessage(block) = &event {
            let live = self.texts.get(&block.0.message_id);
            assert_eq!(live, Some(&block.0.content), "live text makes up the whole");
        }
        self.events.push(event);
    }

    fn live(&mut self, live: &Live) {
        if let Live::AssistantDelta(delta) | Live::ThinkingDelta(delta) = live {
            let text = self.texts.entry(delta.message_id.clone()).or_default();
            assert_eq!(delta.offset, text.encode_utf16().count() as u64);
            text.push_str(&delta.text);
        }
    }

    fn names(&self) -> BTreeSet<String> {
        let names = self.events.iter().map(|event| event.name().to_owned());
        names.collect()
    }

    /// Closes stdin and waits for the program's end.
    fn finish(mut self) -> Vec<Event> {
        self.to_agent = None;
        self.program.join().unwrap().unwrap();
        self.events
    }
}

fn create(cwd: &Path) -> Input {
    Input::Create {
        created: SessionCreated {
            agent: "demo".into(),
            mode: Mode::Structured,
            runtime: Runtime::Streaming,
            cwd: cwd.to_str().unwrap().into(),
            project: None,
            title: None,
            forked_from: None,
            forked_at: None,
            resumes: None,
            options: SessionOptions::default(),
        },
        agent_session_id: None,
    }
}

/// Says yes to everything, with an answer where one is needed.
fn agree(event: &Event) -> Reaction {
    let Event::ApprovalRequested(asked) = event else {
        return Reaction::Nothing;
    };
    let answer = json!({"answers": {"Which colour should the button have?": "Green"}});
    Reaction::Answer(AskDecision::Allow {
        modified_input: (asked.kind == ApprovalKind::Question).then_some(answer),
        mode: None,
    })
}

fn allow_with(input: serde_json::Value) -> impl FnMut(&Event) -> Reaction {
    move |event| match event {
        Event::ApprovalRequested(_) => Reaction::Answer(AskDecision::Allow {
            modified_input: Some(input.clone()),
            mode: None,
        }),
        _ => Reaction::Nothing,
    }
}

fn deny(event: &Event) -> Reaction {
    match event {
        Event::ApprovalRequested(_) => Reaction::Answer(AskDecision::Deny {
            message: "no, thank you".into(),
            interrupt: false,
        }),
        _ => Reaction::Nothing,
    }
}

const SCENES: &[(&str, &[&str])] = &[
    ("help", &["assistant.message"]),
    ("text", &["assistant.message"]),
    ("think", &["assistant.thinking", "assistant.message"]),
    (
        "tools",
        &["tool.requested", "tool.completed", "context.usage"],
    ),
    (
        "approval",
        &["approval.requested", "approval.resolved", "tool.completed"],
    ),
    ("question", &["approval.requested", "approval.resolved"]),
    ("plan", &["approval.requested", "approval.resolved"]),
    ("subagent", &["subagent.started", "subagent.stopped"]),
    ("todo", &["todo.updated"]),
    ("image", &["image.output"]),
    ("background", &["task.updated"]),
    ("error", &["error"]),
    ("slow", &["assistant.message"]),
    ("something else", &["assistant.message"]),
];

#[test]
fn each_word_shows_its_scene_and_all_of_them_everything() {
    let folder = tempfile::tempdir().unwrap();
    let mut demo = Demo::start(folder.path());
    let mut kinds = BTreeSet::new();
    for (prompt, expected) in SCENES {
        let before = demo.events.len();
        let completed = demo.turn(prompt, |event| {
            if let Event::ApprovalRequested(ApprovalRequested { kind, .. }) = event {
                kinds.insert(*kind);
            }
            agree(event)
        });
        assert_eq!(completed.is_error, *prompt == "error", "{prompt}");
        let told: Vec<_> = demo.events[before..].iter().map(Event::name).collect();
        for name in *expected {
            assert!(told.contains(name), "{prompt} shows no {name}");
        }
        let open = &demo.machine.facts().open;
        assert!(open.tools.is_empty() && open.work.is_empty() && open.tasks.is_empty());
    }
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        [
            ApprovalKind::Tool,
            ApprovalKind::Question,
            ApprovalKind::Plan
        ]
    );
    assert_eq!(demo.blobs, 1);
    let edited = demo.events.iter().any(|event| match event {
        Event::ToolCompleted(done) => done.detail.as_ref().is_some_and(|detail| {
            let detail = detail.value();
            detail["oldString"].is_string() && detail["newString"].is_string()
        }),
        _ => false,
    });
    assert!(edited, "an edit tells what it changed");
    assert!(
        !demo.names().contains("agent.unknown"),
        "the demo is understood whole"
    );
    demo.finish();
}

#[test]
fn the_tour_shows_everything_but_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut demo = Demo::start(folder.path());
    let completed = demo.turn("tour", agree);
    assert_eq!(completed.stop_reason, StopReason::End);
    let names = demo.names();
    for (scene, expected) in SCENES {
        for name in expected.iter().filter(|_| *scene != "error") {
            assert!(names.contains(*name), "{name} is missing");
        }
    }
    assert!(!names.contains("error"));
    demo.finish();
}

#[test]
fn an_error_is_told_with_a_hint_and_the_session_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut demo = Demo::start(folder.path());
    let failed = demo.turn("error", agree);
    assert_eq!(
        (failed.stop_reason, failed.is_error),
        (StopReason::Error, true)
    );
    let next = demo.turn("text", agree);
    assert_eq!(next.stop_reason, StopReason::End);
    let events = demo.finish();
    let errors: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Error(error) => Some((error.code, error.hint.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(errors, [(ErrorCode::Overloaded, true)]);
}

#[test]
fn an_interrupt_in_mid_scene_ends_the_turn_as_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    // Slow enough that the scene cannot end before the interrupt arrives.
    let mut demo = Demo::start_at(folder.path(), Duration::from_millis(20));
    let completed = demo.turn("slow", |event| match event {
        Event::AssistantMessage(_) => Reaction::Interrupt,
        _ => Reaction::Nothing,
    });
    let ended = (completed.stop_reason, completed.is_error, completed.result);
    assert_eq!(ended, (StopReason::Interrupted, false, None));
    let asked = demo.turn("approval", |event| match event {
        Event::ApprovalRequested(_) => Reaction::Interrupt,
        _ => Reaction::Nothing,
    });
    assert_eq!(
        (asked.stop_reason, asked.is_error),
        (StopReason::Interrupted, false)
    );
    let open = &demo.machine.facts().open;
    assert!(open.approvals.is_empty() && open.tools.is_empty());
    assert!(!folder.path().join("baton-demo.txt").exists());
    let refused = demo.turn("approval", |event| match event {
        Event::ApprovalRequested(_) => Reaction::Answer(AskDecision::Deny {
            message: String::new(),
            interrupt: true,
        }),
        _ => Reaction::Nothing,
    });
    assert_eq!(refused.stop_reason, StopReason::Interrupted);
    demo.finish();
}

#[test]
fn stdin_that_closes_in_mid_turn_lets_the_turn_finish() {
    let folder = tempfile::tempdir().unwrap();
    for (prompt, moment) in [
        ("text", "message.delivered"),
        ("approval", "approval.requested"),
    ] {
        let mut demo = Demo::start(folder.path());
        let completed = demo.turn(prompt, |event| {
            if event.name() == moment {
                Reaction::CloseStdin
            } else {
                Reaction::Nothing
            }
        });
        assert_eq!(completed.stop_reason, StopReason::End, "{prompt}");
        assert!(demo.machine.facts().open.approvals.is_empty());
        demo.finish();
    }
    assert!(!folder.path().join("baton-demo.txt").exists());
}

#[test]
fn a_file_is_written_only_if_allowed_and_only_inside() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(folder.path().join("secret.txt"), "mine").unwrap();
    std::os::unix::fs::symlink(folder.path().join("secret.txt"), project.join("link.txt")).unwrap();
    let mut demo = Demo::start(&project);
    demo.turn("approval", deny);
    let paths = [
        "../out.txt",
        "/tmp/../out.txt",
        "..",
        "",
        "a/b.txt",
        "link.txt",
    ];
    for path in paths {
        demo.turn(
            "approval",
            allow_with(json!({"file_path": path, "content": "x"})),
        );
    }
    let left: Vec<_> = std::fs::read_dir(&project)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["link.txt"]);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("secret.txt")).unwrap(),
        "mine"
    );
    assert!(!folder.path().join("out.txt").exists());
    let failed = demo.events.iter().filter(|event| match event {
        Event::ToolCompleted(done) => done.is_error,
        _ => false,
    });
    assert_eq!(failed.count(), 1 + paths.len());
    demo.turn("approval", agree);
    assert!(project.join("baton-demo.txt").exists());
    demo.finish();
}
