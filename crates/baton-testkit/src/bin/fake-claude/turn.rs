//! One turn: from the accepted message to the result.

use serde_json::{Value, json};

use baton_testkit::directive::Round;

use crate::clock::unix_millis;
use crate::engine::{Abort, Engine, Flow, Message, Stop};
use crate::messages;
use crate::prompt::{Point, Step, steps};

/// What a turn gathers on its way.
pub(crate) struct Turn {
    pub(crate) message: Message,
    pub(crate) acked: bool,
    pub(crate) calls: u64,
    /// As the CLI counts: one, and one for each tool result.
    pub(crate) rounds: u64,
    /// The text said last, for the result.
    pub(crate) text: String,
    pub(crate) denials: Vec<Value>,
    /// What the open block has said so far: becomes the partial answer when interrupted.
    pub(crate) partial: String,
    started_ms: u64,
    /// Set by a round that failed for good: the result's own fields.
    pub(crate) failure: Option<Value>,
}

impl Turn {
    fn new(message: Message) -> Self {
        Self {
            message,
            acked: false,
            calls: 0,
            rounds: 1,
            text: String::new(),
            denials: Vec::new(),
            partial: String::new(),
            started_ms: unix_millis(),
            failure: None,
        }
    }
}

impl Engine {
    /// Runs one message to its result.
    pub(crate) fn turn(&mut self, message: Message) -> Flow<()> {
        if self.wedge_next {
            return self.hang_deaf();
        }
        let prompt = messages::text_of(&message.content);
        self.lifecycle(&message.uuid, "started")?;
        if self.is_command(&prompt) {
            self.slash_command(&message, &prompt)?;
            return self.lifecycle(&message.uuid, "completed");
        }
        self.record_prompt(&message, &prompt)?;
        let uuid = message.uuid.clone();
        self.run_turn(Turn::new(message), steps(&prompt), None)?;
        self.lifecycle(&uuid, "completed")
    }

    fn record_prompt(&mut self, message: &Message, prompt: &str) -> Flow<()> {
        self.transcript.prompt(prompt)?;
        let row = json!({
            "type": "user", "message": {"role": "user", "content": message.content}, "promptId": self.out.ids.uuid(),
            "permissionMode": self.mode, "promptSource": "sdk",
        });
        self.transcript.chain(&message.uuid, row)?;
        self.backups.push((message.uuid.clone(), Vec::new()));
        Ok(())
    }

    /// A turn the CLI starts by itself, when background work has ended.
    pub(crate) fn notification_turn(&mut self, text: &str) -> Flow<()> {
        let uuid = self.out.ids.uuid();
        let message = Message {
            uuid,
            content: json!(text),
        };
        self.record_prompt(&message, text)?;
        let mut turn = Turn::new(message);
        turn.acked = true;
        let round = Round {
            say: Some("The background work has ended.".to_owned()),
            ..Round::default()
        };
        self.run_turn(
            turn,
            vec![Step::Round(round)],
            Some(json!({"kind": "task-notification"})),
        )
    }

    fn run_turn(&mut self, mut turn: Turn, steps: Vec<Step>, origin: Option<Value>) -> Flow<()> {
        self.in_turn = true;
        self.interrupted = None;
        self.phase = Abort::Streaming;
        self.crash = None;
        let init = messages::init(self, std::slice::from_ref(&turn.message.uuid));
        self.out.line(&init)?;
        let ended = match self.perform(&mut turn, steps) {
            Ok(()) => self.completed(&turn),
            Err(Stop::Abort(abort)) => self.aborted(&mut turn, abort)?,
            Err(stop) => return Err(stop),
        };
        self.reached(Point::BeforeResult)?;
        self.last_is_error = ended["is_error"] == true;
        let mut fields = json!({"permission_denials": turn.denials});
        messages::extend(&mut fields, ended);
        if let Some(origin) = origin {
            fields["origin"] = origin;
        }
        if self.options.version.is_325() {
            let more = json!({
                "user_message_uuid": turn.message.uuid, "user_message_uuids": [turn.message.uuid],
                "queued_turn_count": self.queue.len(),
            });
            messages::extend(&mut fields, more);
        }
        let line = messages::result(self, turn.calls, turn.started_ms, fields);
        self.out.line(&line)?;
        self.in_turn = false;
        self.interrupted = None;
        self.out.twice = false;
        self.reached(Point::Result)?;
        self.crash = None;
        self.end_background_work()
    }

    fn perform(&mut self, turn: &mut Turn, steps: Vec<Step>) -> Flow<()> {
        // The crash is armed before the first line, so that it can hit that one.
        for step in &steps {
            if let Step::Misbehave(crate::prompt::Misbehaviour::CrashAt(point)) = step {
                self.crash = Some(*point);
            }
        }
        self.reached(Point::Init)?;
        self.hook(
            "UserPromptSubmit",
            &json!({"prompt": messages::text_of(&turn.message.content)}),
            None,
        )?;
        for step in steps {
            match step {
                Step::Round(round) => self.round(turn, &round)?,
                Step::Misbehave(misbehaviour) => self.misbehave(turn, &misbehaviour)?,
            }
            if turn.failure.is_some() {
                return Ok(());
            }
        }
        self.stop_hook(turn)
    }

    /// The CLI asks once whether it may stop; a blocked stop costs one more answer.
    fn stop_hook(&mut self, turn: &mut Turn) -> Flow<()> {
        let input = json!({"stop_hook_active": false, "last_assistant_message": turn.text, "background_tasks": []});
        let answer = self.hook("Stop", &input, None)?;
        if answer["decision"] == "block" {
            let reason = answer["reason"].as_str().unwrap_or_default();
            let (_, mut line) =
                messages::user(self, &json!(format!("Stop hook feedback:\n{reason}")), None);
            line["isSynthetic"] = json!(true);
            self.out.line(&line)?;
            self.round(
                turn,
                &Round {
                    say: Some("Done.".to_owned()),
                    ..Round::default()
                },
            )?;
        }
        Ok(())
    }

    fn completed(&self, turn: &Turn) -> Value {
        if let Some(failure) = &turn.failure {
            return failure.clone();
        }
        json!({
            "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": turn.rounds,
            "result": turn.text, "stop_reason": "end_turn", "terminal_reason": "completed",
        })
    }

    fn aborted(&mut self, turn: &mut Turn, abort: Abort) -> Flow<Value> {
        if !turn.partial.is_empty() {
            let text = std::mem::take(&mut turn.partial);
            self.ack(turn)?;
            let block = json!({"type": "text", "text": text});
            let (_, mut line) = messages::assistant(self, &block, None);
            if self.options.version.is_325() {
                line["aborted"] = json!(true);
            }
            self.out.line(&line)?;
            turn.text = text;
        }
        let (note, reason) = match abort {
            Abort::Urgent => {
                return Ok(json!({
                    "subtype": "success", "is_error": false, "api_error_status": null, "num_turns": turn.rounds,
                    "result": turn.text, "stop_reason": null, "terminal_reason": "aborted_streaming",
                }));
            }
            Abort::Streaming => ("[Request interrupted by user]", "aborted_streaming"),
            Abort::Tools => (
                "[Request interrupted by user for tool use]",
                "aborted_tools",
            ),
        };
        let (_, line) = messages::user(self, &json!([{"type": "text", "text": note}]), None);
        self.out.line(&line)?;
        Ok(json!({
            "subtype": "error_during_execution", "is_error": true, "num_turns": turn.rounds + 1, "stop_reason": null,
            "terminal_reason": reason,
            "errors": ["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"],
        }))
    }

    /// The echo that says a message was taken, once per turn.
    pub(crate) fn ack(&mut self, turn: &mut Turn) -> Flow<()> {
        if !turn.acked {
            turn.acked = true;
            self.replay(&turn.message)?;
        }
        Ok(())
    }

    /// Messages that came during a tool call join the turn after its result.
    pub(crate) fn fold_queue(&mut self) -> Flow<()> {
        while let Some(message) = self.queue.pop_front() {
            self.lifecycle(&message.uuid, "started")?;
            self.replay(&message)?;
            let uuid = self.out.ids.uuid();
            let attachment = json!({
                "type": "queued_command", "prompt": messages::text_of(&message.content), "source_uuid": message.uuid,
            });
            self.transcript.chain(
                &uuid,
                json!({"type": "attachment", "attachment": attachment}),
            )?;
            self.lifecycle(&message.uuid, "completed")?;
        }
        Ok(())
    }
}
