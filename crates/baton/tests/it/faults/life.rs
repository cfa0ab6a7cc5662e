//! A session's whole life as one stubborn client leads it: whatever dies, it
//! connects again, says again what was not confirmed, and reads on from the
//! last event it has.

use std::collections::{BTreeSet, VecDeque};

use baton_protocol::{
    ApprovalId, Envelope, Event, MessageId, Seq, SessionId,
    words::{ApprovalKind, SessionState},
};
use baton_session::machine::{Facts, Phase};
use serde_json::{Value, json};

use super::{
    house::{House, Victims},
    rules,
    wire::{Heard, Wire},
};

/// When a message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cue {
    /// Into the middle of a turn, or after it.
    Busy,
    /// When nothing is left to do.
    Quiet,
}

/// One message of the life.
#[derive(Debug, Clone)]
pub(super) struct Said {
    pub(super) id: MessageId,
    pub(super) text: String,
    pub(super) cue: Cue,
    /// Sent on this connection.
    under_way: bool,
    pub(super) accepted: bool,
}

impl Said {
    pub(super) fn new(number: u128, cue: Cue, text: &str) -> Self {
        Self {
            // Any valid random id will do, and the same one in every run.
            id: MessageId::from_uuid(
                uuid::Builder::from_random_bytes(number.to_be_bytes()).into_uuid(),
            ),
            text: text.to_owned(),
            cue,
            under_way: false,
            accepted: false,
        }
    }
}

/// What a kill waits for.
pub(super) enum Moment {
    /// So many frames of this life.
    Frames(usize),
    /// A frame, which came after these events.
    Frame(fn(&Value, &[Envelope]) -> bool),
    /// Nothing is left to do.
    End,
}

/// What passes between the moment and the kill.
pub(super) enum Pause {
    /// The client says what it has to say, and some time goes by.
    Reaction(std::time::Duration),
    /// The client says nothing more.
    Nothing,
    /// The client says what it has to say, and its effects are there.
    Effects,
}

pub(super) struct Kill {
    pub(super) moment: Moment,
    pub(super) pause: Pause,
    pub(super) victims: Victims,
}

/// How far a connection is on its way to the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Lost,
    /// The list did not have it.
    Missing,
    Found,
    Asked,
}

pub(super) struct Life<'a> {
    house: &'a mut House,
    wire: Option<Wire>,
    pub(super) session: Option<SessionId>,
    pub(super) seen: Vec<Envelope>,
    pub(super) facts: Facts,
    pub(super) script: Vec<Said>,
    kills: VecDeque<Kill>,
    frames: usize,
    way: Way,
    caught_up: bool,
    answered: BTreeSet<ApprovalId>,
    create: Value,
}

impl<'a> Life<'a> {
    pub(super) fn new(house: &'a mut House, script: Vec<Said>, kills: Vec<Kill>) -> Self {
        let create = json!({"project": house.sandbox.project(), "agent": "claude"});
        Self {
            house,
            wire: None,
            session: None,
            seen: Vec::new(),
            facts: Facts::default(),
            script,
            kills: kills.into(),
            frames: 0,
            way: Way::Lost,
            caught_up: false,
            answered: BTreeSet::new(),
            create,
        }
    }

    /// Lives until everything was said and answered and everyone was killed
    /// who was to be.
    pub(super) fn live(&mut self) {
        loop {
            let mut wire = match self.wire.take() {
                Some(wire) => wire,
                None => self.connect(),
            };
            self.react(&mut wire);
            let frame = if self.is_over() && !self.kills.is_empty() {
                // The last ones die in peace.
                None
            } else if self.is_over() {
                self.wire = Some(wire);
                return;
            } else {
                match wire.next() {
                    Heard::Frame(frame) => Some(frame),
                    Heard::Over => continue,
                    Heard::Silence => self.is_stuck(),
                }
            };
            self.frames += 1;
            let due = self.is_due(frame.as_ref());
            if let Some(frame) = &frame {
                self.take(frame);
            }
            let kill = due.then(|| self.kills.pop_front()).flatten();
            if !kill.is_some_and(|kill| self.kill(&kill, &mut wire)) {
                self.wire = Some(wire);
            }
        }
    }

    /// Stops the daemon as `baton stop` does, and reads to the last word.
    pub(super) fn stop(&mut self) {
        let mut wire = match self.wire.take() {
            Some(wire) => wire,
            None => self.connect(),
        };
        wire.send(&json!({"cmd": "shutdown"}));
        loop {
            match wire.next() {
                Heard::Frame(frame) => self.take(&frame),
                Heard::Over => break,
                Heard::Silence => self.is_stuck(),
            }
        }
        self.house.until_stopped();
    }

    fn is_stuck(&self) -> ! {
        panic!(
            "nothing happens any more; {:#?}\nin\n{}",
            self.script,
            rules::text(&self.seen)
        );
    }

    fn is_over(&self) -> bool {
        self.caught_up
            && self.script.iter().all(|said| said.accepted)
            // Its confirmation may come before its event.
            && (self.script.iter()).all(|said| self.facts.messages.contains_key(&said.id))
            && self.facts.phase == Phase::Idle
            && self.facts.state == Some(SessionState::Idle)
            && self.facts.open.queue.is_empty()
            && self.facts.open.tasks.is_empty()
    }

    /// Whether the next kill is now; without a frame, nothing else will come.
    fn is_due(&self, frame: Option<&Value>) -> bool {
        let kill = self.kills.front();
        kill.is_some_and(|kill| match (&kill.moment, frame) {
            (_, None) => true,
            (Moment::Frames(count), _) => self.frames >= *count,
            (Moment::Frame(is_it), Some(frame)) => is_it(frame, &self.seen),
            (Moment::End, Some(_)) => false,
        })
    }

    /// Says whether the connection went with it.
    fn kill(&mut self, kill: &Kill, wire: &mut Wire) -> bool {
        match kill.pause {
            Pause::Nothing => {}
            Pause::Reaction(time) => {
                self.react(wire);
                std::thread::park_timeout(time);
            }
            Pause::Effects => {
                self.react(wire);
                self.house
                    .until("the tool has begun", |house| !house.effects().is_empty());
            }
        }
        self.house.kill(kill.victims);
        kill.victims.daemon
    }

    fn connect(&mut self) -> Wire {
        let mut wire = self.house.connect();
        self.caught_up = false;
        self.answered.clear();
        for said in &mut self.script {
            said.under_way = false;
        }
        self.way = Way::Found;
        if self.session.is_none() {
            // It may have been made without a word.
            self.way = Way::Lost;
            wire.command("list", None, "sessions", &json!({}));
        }
        wire
    }

    fn take(&mut self, frame: &Value) {
        match frame["type"].as_str() {
            Some("event") => {
                let event: Envelope = serde_json::from_value(frame["event"].clone()).unwrap();
                let next = self.seen.len() as u64 + 1;
                assert_eq!(event.seq.0, next, "each event comes once, in order");
                self.facts.apply(event.ts, &event.event);
                self.seen.push(event);
            }
            Some("caught_up") => self.caught_up = true,
            Some("unsubscribed") => assert!(frame["problem"].is_null(), "{frame}"),
            Some("reply") => self.reply(frame),
            _ => {}
        }
    }

    fn reply(&mut self, frame: &Value) {
        let id = frame["id"].as_str().unwrap_or_default();
        match id.split_once(' ') {
            // It may have been closed by what died.
            Some(("approve", _)) => {}
            Some(("message", number)) => {
                assert_eq!(frame["ok"], true, "{frame}");
                let number: usize = number.parse().unwrap();
                self.script[number].accepted = true;
            }
            _ => {
                assert_eq!(frame["ok"], true, "{frame}");
                let made = match id {
                    "list" => &frame["result"]["items"][0]["id"],
                    _ => &frame["result"]["id"],
                };
                self.session = serde_json::from_value(made.clone()).ok();
                self.way = self.session.map_or(Way::Missing, |_| Way::Found);
            }
        }
    }

    /// Says what there is to say now.
    fn react(&mut self, wire: &mut Wire) {
        match std::mem::replace(&mut self.way, Way::Asked) {
            Way::Missing => wire.command("create", None, "create", &self.create),
            Way::Found => {
                let last = self.seen.last().map_or(Seq::START, |last| last.seq);
                let session = self.session.expect("it was found");
                wire.subscribe(session, last);
            }
            Way::Lost | Way::Asked => {}
        }
        let Some(session) = self.session.filter(|_| self.caught_up) else {
            return;
        };
        self.answer(wire, session);
        let idle = self.facts.phase == Phase::Idle;
        let busy = self.seen.iter().any(|envelope| {
            matches!(
                envelope.event,
                Event::ToolRequested(_) | Event::TurnCompleted(_)
            )
        });
        let mut script = self.script.iter_mut().enumerate();
        let next = script.find(|(_, said)| !said.accepted);
        if let Some((number, said)) = next {
            let due = match said.cue {
                Cue::Busy => busy,
                Cue::Quiet => idle && self.facts.open.queue.is_empty(),
            };
            // One that is in the log is sent again until it was confirmed.
            let due = due || self.facts.messages.contains_key(&said.id);
            if due && !std::mem::replace(&mut said.under_way, true) {
                let body = json!({"text": said.text, "messageId": said.id, "queue": true});
                let id = format!("message {number}");
                wire.command(&id, Some(session), "message", &body);
            }
        } else if self.has_come_to_rest() && !self.facts.open.queue.is_empty() {
            // What waits behind a turn that failed goes on with the next message.
            let number = 1000 + self.script.len() as u128;
            assert!(self.script.len() < 9, "no nudge helps: {:#?}", self.script);
            self.script.push(Said::new(number, Cue::Busy, "say nudged"));
        }
    }

    /// The last word is that the session is idle.
    fn has_come_to_rest(&self) -> bool {
        let last = self.seen.last().map(|envelope| &envelope.event);
        matches!(last, Some(Event::SessionState(state)) if state.state == SessionState::Idle)
    }

    fn answer(&mut self, wire: &mut Wire, session: SessionId) {
        for asked in &self.facts.open.approvals {
            let (id, asked) = (asked.approval.approval_id, &asked.approval);
            if self.answered.insert(id) {
                let mut answer = json!({"approvalId": id, "decision": "allow"});
                if asked.kind == ApprovalKind::Question {
                    answer["answers"] = json!({"Which?": "A"});
                }
                wire.command(&format!("approve {id}"), Some(session), "approve", &answer);
            }
        }
    }
}
