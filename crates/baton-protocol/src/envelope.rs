//! The envelope: one event with its place in the log, the same everywhere.

use std::{
    borrow::{Borrow, Cow},
    fmt,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct};
use serde_json::value::RawValue;

use crate::{
    event::{Event, EventKind},
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

/// `P` is the payload's text: borrowed where the whole text stays, else owned.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire<P> {
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
    payload: P,
}

impl<P: Borrow<RawValue>> Wire<P> {
    fn envelope<E: de::Error>(self) -> Result<Envelope, E> {
        let event = Event::decode(&self.r#type, self.payload.borrow())
            .map_err(|error| E::custom(format!("payload of `{}`: {error}", self.r#type)))?;
        Ok(Envelope {
            session_id: self.session_id,
            seq: self.seq,
            ts: self.ts,
            runner_id: self.runner_id,
            project_id: self.project_id,
            turn: self.turn,
            agent_id: self.agent_id,
            event,
        })
    }
}

impl Envelope {
    /// Reads an envelope's text without a copy of its payload.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        let wire: Wire<&RawValue> = serde_json::from_str(text)?;
        wire.envelope()
    }

    /// What an envelope's text holds, without reading what stands behind the
    /// type: little however long it is. None for an event of a newer Baton.
    pub fn kind(text: &str) -> Option<EventKind> {
        let mut kind = None;
        let mut reader = serde_json::Deserializer::from_str(text);
        // It complains about the rest, which nobody wants.
        de::Deserializer::deserialize_map(&mut reader, OnlyKind(&mut kind)).ok();
        kind
    }
}

/// Looks for the type and stops there.
struct OnlyKind<'a>(&'a mut Option<EventKind>);

impl<'de> de::Visitor<'de> for OnlyKind<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an envelope")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<Cow<'de, str>>()? {
            if name == "type" {
                let name: Cow<'de, str> = fields.next_value()?;
                *self.0 = EventKind::of_name(&name);
                break;
            }
            fields.next_value::<de::IgnoredAny>()?;
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::<Box<RawValue>>::deserialize(deserializer)?;
        wire.envelope()
    }
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
