//! Live frames: for the screen, never stored, made whole by a later event.
//!
//! A frame names the event it follows (`after`). A reader that has passed that
//! event drops the frame. Text frames carry the offset of their text within
//! the block, in UTF-16 code units, so that a reader can tell a gap or a repeat.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeStruct};
use serde_json::value::RawValue;

use crate::{
    id::SessionId,
    seq::{Seq, Turn},
    time::Timestamp,
};

/// A live frame on its way to a screen.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveFrame {
    pub session_id: SessionId,
    /// The last event committed before this frame.
    pub after: Seq,
    pub ts: Timestamp,
    pub turn: Turn,
    pub live: Live,
}

/// What a live frame says.
#[derive(Debug, Clone, PartialEq)]
pub enum Live {
    AssistantDelta(TextDelta),
    ThinkingDelta(TextDelta),
    ToolProgress(ToolProgress),
    PtyData(PtyData),
}

/// More text of a block that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextDelta {
    pub message_id: String,
    pub block: u32,
    /// Where `text` begins within the block, in UTF-16 code units.
    pub offset: u64,
    pub text: String,
}

/// A tool is still running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolProgress {
    pub tool_use_id: String,
    pub elapsed_ms: u64,
}

/// Bytes of a terminal, base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PtyData {
    pub data: String,
}

impl Live {
    pub const NAMES: &'static [&'static str] = &[
        "assistant.delta",
        "thinking.delta",
        "tool.progress",
        "pty.data",
    ];

    pub const fn name(&self) -> &'static str {
        match self {
            Self::AssistantDelta(_) => "assistant.delta",
            Self::ThinkingDelta(_) => "thinking.delta",
            Self::ToolProgress(_) => "tool.progress",
            Self::PtyData(_) => "pty.data",
        }
    }

    pub(crate) fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
        vec![
            ("assistant.delta", generator.subschema_for::<TextDelta>()),
            ("thinking.delta", generator.subschema_for::<TextDelta>()),
            ("tool.progress", generator.subschema_for::<ToolProgress>()),
            ("pty.data", generator.subschema_for::<PtyData>()),
        ]
    }
}

impl Serialize for LiveFrame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut frame = serializer.serialize_struct("LiveFrame", 6)?;
        frame.serialize_field("sessionId", &self.session_id)?;
        frame.serialize_field("after", &self.after)?;
        frame.serialize_field("ts", &self.ts)?;
        frame.serialize_field("turn", &self.turn)?;
        frame.serialize_field("type", self.live.name())?;
        match &self.live {
            Live::AssistantDelta(payload) | Live::ThinkingDelta(payload) => {
                frame.serialize_field("payload", payload)?;
            }
            Live::ToolProgress(payload) => frame.serialize_field("payload", payload)?,
            Live::PtyData(payload) => frame.serialize_field("payload", payload)?,
        }
        frame.end()
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    session_id: SessionId,
    after: Seq,
    ts: Timestamp,
    #[serde(default)]
    turn: Turn,
    r#type: String,
    payload: Box<RawValue>,
}

impl<'de> Deserialize<'de> for LiveFrame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        let payload = wire.payload.get();
        let live = match wire.r#type.as_str() {
            "assistant.delta" => serde_json::from_str(payload).map(Live::AssistantDelta),
            "thinking.delta" => serde_json::from_str(payload).map(Live::ThinkingDelta),
            "tool.progress" => serde_json::from_str(payload).map(Live::ToolProgress),
            "pty.data" => serde_json::from_str(payload).map(Live::PtyData),
            other => return Err(de::Error::unknown_variant(other, Live::NAMES)),
        };
        Ok(Self {
            session_id: wire.session_id,
            after: wire.after,
            ts: wire.ts,
            turn: wire.turn,
            live: live.map_err(de::Error::custom)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_text_frame_has_the_wire_form_of_the_contract() {
        let frame = LiveFrame {
            session_id: SessionId::from_uuid(Uuid::from_u128(7)),
            after: Seq(17),
            ts: Timestamp::from_millis(1_794_725_041_522),
            turn: Turn(2),
            live: Live::AssistantDelta(TextDelta {
                message_id: "msg_1".into(),
                block: 0,
                offset: 4,
                text: "tok ".into(),
            }),
        };
        expect![[r#"{"sessionId":"ses_00000000000000000000000000000007","after":17,"ts":"2026-11-15T06:44:01.522Z","turn":2,"type":"assistant.delta","payload":{"messageId":"msg_1","block":0,"offset":4,"text":"tok "}}"#]]
            .assert_eq(&serde_json::to_string(&frame).unwrap());
        let text = serde_json::to_string(&frame).unwrap();
        assert_eq!(serde_json::from_str::<LiveFrame>(&text).unwrap(), frame);
    }
}
