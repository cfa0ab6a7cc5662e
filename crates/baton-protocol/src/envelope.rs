//! The envelope: one event with its place in the log, the same everywhere.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct};
use serde_json::value::RawValue;

use crate::{
    event::Event,
    id::{ProjectId, RunnerId, SessionId},
    seq::{Seq, Turn},
    time::Timestamp,
};

/// A committed event.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    pub session_id: SessionId,
    pub seq: Seq,
    pub ts: Timestamp,
    pub runner_id: RunnerId,
    pub project_id: ProjectId,
    pub turn: Turn,
    /// The sub-agent it came from, if not the main one.
    pub agent_id: Option<String>,
    pub event: Event,
}

/// An event on its way into the log: everything but the place the log gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct EventDraft {
    pub ts: Timestamp,
    pub turn: Turn,
    pub agent_id: Option<String>,
    pub event: Event,
}

impl Serialize for Envelope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut envelope = serializer.serialize_struct("Envelope", 9)?;
        envelope.serialize_field("sessionId", &self.session_id)?;
        envelope.serialize_field("seq", &self.seq)?;
        envelope.serialize_field("ts", &self.ts)?;
        envelope.serialize_field("runnerId", &self.runner_id)?;
        envelope.serialize_field("projectId", &self.project_id)?;
        envelope.serialize_field("turn", &self.turn)?;
        envelope.serialize_field("type", self.event.name())?;
        envelope.serialize_field("agentId", &self.agent_id)?;
        envelope.serialize_field("payload", &self.event.payload())?;
        envelope.end()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    session_id: SessionId,
    seq: Seq,
    ts: Timestamp,
    runner_id: RunnerId,
    project_id: ProjectId,
    #[serde(default)]
    turn: Turn,
    r#type: String,
    #[serde(default)]
    agent_id: Option<String>,
    payload: Box<RawValue>,
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let event = Event::decode(&wire.r#type, &wire.payload)
            .map_err(|error| de::Error::custom(format!("payload of `{}`: {error}", wire.r#type)))?;
        Ok(Self {
            session_id: wire.session_id,
            seq: wire.seq,
            ts: wire.ts,
            runner_id: wire.runner_id,
            project_id: wire.project_id,
            turn: wire.turn,
            agent_id: wire.agent_id,
            event,
        })
    }
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
