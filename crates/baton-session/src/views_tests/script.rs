//! A session in a few words: events that get their place, and frames.

use baton_protocol::{
    Envelope, Event, Live, LiveFrame, ProjectId, RunnerId, Seq, SessionId, Timestamp, Turn,
    api::SessionFacts,
    event::{AssistantBlock, AssistantMessage},
    live::TextDelta,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::Overview;
use crate::agents::AgentKind;

/// What a subscription gives.
#[derive(Debug, Clone)]
pub(super) enum Given {
    Event(Box<Envelope>),
    Live(LiveFrame),
}

/// Writes a session down as it goes.
#[derive(Debug, Clone, Default)]
pub(super) struct Session {
    pub(super) given: Vec<Given>,
    seq: u64,
    turn: u32,
}

impl Session {
    pub(super) fn events(&self) -> impl Iterator<Item = &Envelope> {
        self.given.iter().filter_map(|given| match given {
            Given::Event(envelope) => Some(&**envelope),
            Given::Live(_) => None,
        })
    }

    /// What a screen is told of it.
    pub(super) fn facts(&self) -> SessionFacts {
        let mut view = Overview::default();
        self.events().for_each(|envelope| view.event(envelope));
        view.facts()
    }

    pub(super) fn event(&mut self, name: &str, agent: Option<&str>, payload: &Value) -> &mut Self {
        let raw = serde_json::value::to_raw_value(payload).unwrap();
        let event = Event::decode(name, &raw).unwrap();
        if let Event::TurnStarted(started) = &event {
            self.turn = started.turn.0;
        }
        self.seq += 1;
        self.given.push(Given::Event(Box::new(Envelope {
            session_id: session(),
            seq: Seq(self.seq),
            ts: Timestamp::from_millis(i64::try_from(self.seq).unwrap() * 1000),
            runner_id: RunnerId::from_uuid(Uuid::nil()),
            project_id: ProjectId::from_digest(&[0; 32]),
            turn: Turn(self.turn),
            agent_id: agent.map(str::to_owned),
            event,
        })));
        self
    }

    pub(super) fn turn(&mut self, number: u32) -> &mut Self {
        self.event(
            "turn.started",
            None,
            &json!({"turn": number, "origin": "user"}),
        )
    }

    pub(super) fn done(&mut self, result: Option<&str>) -> &mut Self {
        let mut payload = json!({
            "turn": self.turn, "stopReason": "end", "durationMs": 1, "stats": {},
        });
        if let Some(result) = result {
            payload["result"] = result.into();
        }
        self.event("turn.completed", None, &payload)
    }

    pub(super) fn said(&mut self, message: &str, text: &str) -> &mut Self {
        self.event(
            "assistant.message",
            None,
            &json!({"messageId": message, "block": 0, "content": text}),
        )
    }

    pub(super) fn calls(&mut self, id: &str, name: &str, label: &str) -> &mut Self {
        self.calls_in(None, None, id, name, label)
    }

    pub(super) fn calls_in(
        &mut self,
        agent: Option<&str>,
        parent: Option<&str>,
        id: &str,
        name: &str,
        label: &str,
    ) -> &mut Self {
        let payload = json!({
            "toolUseId": id, "name": name, "input": {}, "label": label,
            "toolKind": AgentKind::Claude.tool_use(name, &Value::Null).kind,
            "parentToolUseId": parent,
        });
        self.event("tool.requested", agent, &payload)
    }

    pub(super) fn returns(&mut self, id: &str) -> &mut Self {
        let payload = json!({"toolUseId": id, "name": "x", "output": "", "durationMs": 1});
        self.event("tool.completed", None, &payload)
    }

    pub(super) fn writes(&mut self, message: &str, offset: u64, text: &str) -> &mut Self {
        let live = Live::AssistantDelta(TextDelta {
            message_id: message.into(),
            block: 0,
            offset,
            text: text.into(),
        });
        self.live(live)
    }

    pub(super) fn live(&mut self, live: Live) -> &mut Self {
        self.given.push(Given::Live(LiveFrame {
            session_id: session(),
            after: Seq(self.seq),
            ts: Timestamp::from_millis(0),
            turn: Turn(self.turn),
            live,
        }));
        self
    }
}

impl Given {
    pub(super) const fn is_event(&self) -> bool {
        matches!(self, Self::Event(_))
    }

    /// A finished block of the main agent.
    pub(super) fn block(&self) -> Option<&AssistantBlock> {
        let Self::Event(envelope) = self else {
            return None;
        };
        let Event::AssistantMessage(AssistantMessage(block)) = &envelope.event else {
            return None;
        };
        Some(block).filter(|block| block.parent_tool_use_id.is_none())
    }
}

fn session() -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(1))
}
