//! Plays a recorded session through translation and machine, as if Baton had
//! driven it, and writes down what follows.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use baton_protocol::{
    ApprovalId, Live, MessageId, Timestamp,
    event::{SessionCreated, SessionOptions, UserMessage},
    words::{DecidedBy, Mode, Runtime},
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use uuid::Uuid;

use crate::{
    agents::{AgentCommand, AgentKind, AgentOutput, AskDecision, Translator, claude},
    machine::{
        Effect, Facts, Input, Limits, Machine, Moment, Phase, ProcessEnd, Rejected, Reply, Stored,
        WhenBusy,
    },
};

/// One line of a recording.
#[derive(Deserialize)]
pub(super) struct Row {
    pub(super) t_ms: u64,
    pub(super) dir: String,
    pub(super) msg: Box<RawValue>,
}

impl Row {
    pub(super) fn value(&self) -> Value {
        serde_json::from_str(self.msg.get()).unwrap()
    }
}

/// Every recording by its name.
pub(super) fn recordings() -> BTreeMap<String, Vec<Row>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("../baton-claude/fixtures/transcripts");
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        all.insert(name, recording(&path));
    }
    assert_eq!(all.len(), 86);
    all
}

fn recording(path: &std::path::Path) -> Vec<Row> {
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str(line).unwrap());
    rows.collect()
}

pub(super) struct Player {
    machine: Machine,
    pub(super) translator: Translator,
    now: Timestamp,
    steps: u128,
    /// The recording's ids of our requests, as ours.
    ids: BTreeMap<String, String>,
    approvals: BTreeMap<String, ApprovalId>,
    pub(super) told: String,
    /// A new owner takes over before each line.
    pub(super) changes_hands: bool,
}

impl Player {
    pub(super) fn new(facts: Facts) -> Self {
        let start = claude::Start {
            todo: facts.open.todo.clone(),
            mode: facts.permission_mode,
            text: None,
        };
        Self {
            machine: Machine::new(facts, Limits::default()),
            translator: Translator::Claude(Box::new(claude::Translator::new(&start))),
            now: Timestamp::from_millis(0),
            steps: 0,
            ids: BTreeMap::new(),
            approvals: BTreeMap::new(),
            told: String::new(),
            changes_hands: false,
        }
    }

    pub(super) fn facts(&self) -> &Facts {
        self.machine.facts()
    }

    /// Plays one process from its start to its end.
    pub(super) fn play(&mut self, rows: &[Row]) {
        if self.facts().created.is_none() {
            self.step(create()).unwrap();
        }
        let first = rows.iter().position(is_user);
        let mut end = Value::Null;
        let mut is_up = false;
        for (number, row) in rows.iter().enumerate() {
            self.now = Timestamp::from_millis(0).plus(Duration::from_millis(row.t_ms));
            let message = row.value();
            if row.dir == "in" && !is_up {
                // Baton starts a process when there is something to send.
                is_up = true;
                self.send(&first.map_or_else(hello, |first| rows[first].value()));
                if first == Some(number) {
                    self.agent_is_up();
                }
            }
            match row.dir.as_str() {
                "meta" => end = message,
                "out" => self.heard(row.msg.get()),
                _ if first == Some(number) => {}
                _ => self.wrote(&message),
            }
        }
        let exit_code = end["exit_code"].as_i64();
        self.step(Input::Exited(ProcessEnd {
            exit_code: exit_code.map_or(Some(137), |code| i32::try_from(code).ok()),
            how: exit_code.map_or("killed".into(), |code| format!("exit code {code}")),
            lost: false,
            watched: false,
            stored: Stored::Unknown,
            stderr: end["stderr"].as_str().unwrap_or_default().trim().into(),
        }))
        .unwrap();
    }

    /// A recording without the opening request: the process just takes prompts.
    fn agent_is_up(&mut self) {
        self.step(Input::Agent(crate::agents::AgentOutput::Ready))
            .unwrap();
    }

    /// The CLI wrote a line.
    fn heard(&mut self, line: &str) {
        let mut line = line.to_owned();
        for (recorded, ours) in &self.ids {
            line = line.replace(&format!("\"{recorded}\""), &format!("\"{ours}\""));
        }
        if self.changes_hands {
            self.translator = restored(&self.translator);
        }
        let mut outputs = Vec::new();
        self.translator.line(line.as_bytes(), &mut outputs);
        // What a process tells of itself is for a host, not for the machine.
        let greeting = |output: &AgentOutput| matches!(output, AgentOutput::Greeting(_));
        outputs.retain(|output| !greeting(output));
        for output in outputs {
            self.step(Input::Agent(output)).unwrap();
        }
    }

    /// The host wrote a line: done as the command that makes Baton write it.
    fn wrote(&mut self, message: &Value) {
        match message["type"].as_str() {
            Some("user") => self.send(message),
            Some("control_response") => self.answer(&message["response"]),
            Some("control_request") => self.ask(message),
            _ => {}
        }
    }

    fn send(&mut self, message: &Value) {
        let chosen = message["uuid"].as_str().and_then(|id| id.parse().ok());
        let id: MessageId = chosen.unwrap_or_else(|| {
            let bytes = u128::to_be_bytes(self.steps);
            MessageId::from_uuid(uuid::Builder::from_random_bytes(bytes).into_uuid())
        });
        let known = self.facts().messages.contains_key(&id);
        if known || matches!(self.facts().phase, Phase::Running(_)) {
            if !known {
                // Baton would have kept it until the turn is over.
                self.tell("(the host sends another message while the turn runs)");
            }
            return;
        }
        let content = &message["message"]["content"];
        let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
        let text = content.as_str().map(str::to_owned).unwrap_or_else(|| {
            let texts = blocks.iter().filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        });
        self.try_step(Input::Send {
            message: UserMessage {
                message_id: id,
                text,
                attachments: Vec::new(),
                queued: false,
                client: None,
            },
            when_busy: WhenBusy::Refuse,
        });
    }

    fn answer(&mut self, response: &Value) {
        let request = response["request_id"].as_str().unwrap_or_default();
        let Some(approval) = self.approvals.get(request).copied() else {
            return;
        };
        let answer = &response["response"];
        let open = self.facts().open.approval(approval);
        let asked = open.map(|open| open.input.value()).unwrap_or_default();
        let decision = match answer["behavior"].as_str() {
            Some("allow") => AskDecision::Allow {
                modified_input: Some(answer["updatedInput"].clone())
                    .filter(|new| !new.is_null() && *new != asked),
                mode: answer["updatedPermissions"][0]["mode"]
                    .as_str()
                    .and_then(|mode| mode.parse().ok()),
            },
            Some("deny") => AskDecision::Deny {
                message: answer["message"].as_str().unwrap_or_default().into(),
                interrupt: answer["interrupt"] == true,
            },
            // An error or nonsense: Baton writes no such answer.
            _ => return,
        };
        self.try_step(Input::Answer {
            approval,
            decision,
            by: DecidedBy::User,
            client: None,
            remember: None,
        });
    }

    fn ask(&mut self, message: &Value) {
        let recorded = message["request_id"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let request = &message["request"];
        let input = match request["subtype"].as_str() {
            Some("initialize") => {
                let id = Uuid::from_u128(0xffff_0000 + self.steps).to_string();
                self.ids.insert(recorded, id.clone());
                self.translator.command(&AgentCommand::Initialize {
                    id,
                    host_server: None,
                });
                return;
            }
            Some("interrupt") => Input::Interrupt { by: None },
            Some("set_model") => Input::SetModel {
                model: request["model"].as_str().map(str::to_owned),
            },
            Some("set_permission_mode") => {
                let Some(mode) = request["mode"].as_str().and_then(|mode| mode.parse().ok()) else {
                    return;
                };
                Input::SetPermissionMode { mode }
            }
            Some("get_context_usage") => Input::ContextUsage,
            Some("rewind_files") if request["dry_run"] == true => {
                let id = request["user_message_id"].as_str();
                let Some(checkpoint) = id.and_then(|id| id.parse().ok()) else {
                    return;
                };
                Input::Rewind {
                    checkpoint,
                    dry_run: true,
                }
            }
            _ => return,
        };
        let is_interrupt = input == Input::Interrupt { by: None };
        match self.try_step(input) {
            Some(Reply::Later { request }) => {
                self.ids.insert(recorded, request);
            }
            // Nobody waits for its answer, but the translation knows its id.
            Some(_) if is_interrupt => {
                let fresh = Uuid::from_u128(self.steps).to_string();
                self.ids.insert(recorded, fresh);
            }
            Some(_) | None => {}
        }
    }

    fn try_step(&mut self, input: Input) -> Option<Reply> {
        match self.step(input) {
            Ok(reply) => Some(reply),
            Err(rejected) => {
                self.tell(&format!("(refused: {rejected})"));
                None
            }
        }
    }

    fn step(&mut self, input: Input) -> Result<Reply, Rejected> {
        self.steps += 1;
        let moment = Moment {
            now: self.now,
            at: self.now,
            fresh: Uuid::from_u128(self.steps),
        };
        let (reply, effects) = self.machine.step(moment, input)?;
        for effect in effects {
            self.effect(effect);
        }
        if self.machine.wants_to_begin() {
            self.step(Input::Begin)?;
        }
        Ok(reply)
    }

    fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::Record {
                event,
                turn,
                agent_id,
            } => {
                let agent = agent_id.map(|id| format!(" [{id}]")).unwrap_or_default();
                let payload = shortened(event.payload().value());
                self.tell(&format!("{turn} {}{agent} {payload}", event.name()));
            }
            Effect::Blob { bytes, .. } => self.tell(&format!("(blob of {} bytes)", bytes.len())),
            Effect::OpenRequest { request, approval } => {
                self.approvals.extend(approval.map(|id| (request, id)));
            }
            Effect::At(_)
            | Effect::CloseRequest { .. }
            | Effect::RememberEnd { .. }
            | Effect::AddRule { .. } => {}
            Effect::Live(live) => self.live(&live),
            Effect::Start => self.tell("(start)"),
            Effect::CloseStdin => self.tell("(close stdin)"),
            Effect::Kill { .. } => self.tell("(kill)"),
            Effect::Settled { outcome, .. } => match outcome {
                Ok(_) => self.tell("(the asker has its answer)"),
                Err(why) => self.tell(&format!("(the asker is told: {why})")),
            },
            Effect::Tell(command) => {
                for line in self.translator.command(&command) {
                    let line: Value = serde_json::from_slice(&line).unwrap();
                    self.tell(&format!("→ {}", shortened(line)));
                }
            }
        }
    }

    fn live(&mut self, live: &Live) {
        let name = live.name();
        match live {
            Live::AssistantDelta(delta) | Live::ThinkingDelta(delta) => self.tell(&format!(
                "~ {name} {} {} @{} {:?}",
                delta.message_id, delta.block, delta.offset, delta.text
            )),
            Live::ToolProgress(progress) => self.tell(&format!(
                "~ {name} {} {}",
                progress.tool_use_id, progress.elapsed_ms
            )),
            Live::PtyData(_) => {}
        }
    }

    fn tell(&mut self, line: &str) {
        self.told += line;
        self.told.push('\n');
    }
}

pub(super) fn restored(translator: &Translator) -> Translator {
    Translator::restore(AgentKind::Claude, &translator.snapshot()).unwrap()
}

/// The same JSON with long texts cut, so that a person can read it.
fn shortened(mut value: Value) -> Value {
    match &mut value {
        Value::String(text) if text.chars().count() > 240 => {
            let cut: String = text.chars().take(200).collect();
            *text = format!("{cut}… ({} characters)", text.chars().count());
        }
        Value::Array(items) => {
            for item in items {
                *item = shortened(item.take());
            }
        }
        Value::Object(fields) => {
            for (_, field) in fields {
                *field = shortened(field.take());
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    value
}

fn is_user(row: &Row) -> bool {
    row.dir == "in" && row.value()["type"] == "user"
}

fn hello() -> Value {
    serde_json::json!({
        "uuid": "00000000-0000-4000-8000-000000000001",
        "message": {"content": "hello"},
    })
}

fn create() -> Input {
    Input::Create {
        created: SessionCreated {
            agent: "claude".into(),
            mode: Mode::Structured,
            runtime: Runtime::Streaming,
            cwd: "/home/user/project".into(),
            project: None,
            title: None,
            forked_from: None,
            forked_at: None,
            resumes: None,
            options: SessionOptions {
                checkpointing: Some(true),
                ..SessionOptions::default()
            },
        },
        agent_session_id: None,
    }
}
