//! Stream events: the API's own events, forwarded while a message is written.
//!
//! This is the hot path (one line per token), so everything borrows from the
//! line and the whole line is read in one pass.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::ContentBlock;
use super::usage::Usage;
use crate::json::{self, RawJson};

/// One `stream_event` line.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamEvent<'a> {
    /// What happened to the message being written.
    pub event: ApiEvent<'a>,
    /// The session.
    pub session_id: Option<Cow<'a, str>>,
    /// Names this line.
    pub uuid: Option<Cow<'a, str>>,
    /// The `Agent` call this belongs to; absent on the main thread, and the
    /// CLI has never been seen to stream sub-agents.
    pub parent_tool_use_id: Option<Cow<'a, str>>,
    /// Time to the first token, on `message_start`.
    pub ttft_ms: Option<u64>,
    /// The API message this belongs to (2.1.325).
    pub api_message_id: Option<Cow<'a, str>>,
}

/// An event of the Messages API stream.
#[derive(Debug, Clone, PartialEq)]
pub enum ApiEvent<'a> {
    /// A message begins.
    MessageStart(Box<MessageStart>),
    /// A block begins; its content is what is there already, usually nothing.
    ContentBlockStart {
        /// Position in the message.
        index: u32,
        /// The block as announced.
        block: Box<ContentBlock>,
    },
    /// A block grows.
    ContentBlockDelta {
        /// Position in the message.
        index: u32,
        /// What is added.
        delta: Delta<'a>,
    },
    /// A block is complete. It never comes for a block of an aborted stream.
    ContentBlockStop {
        /// Position in the message.
        index: u32,
    },
    /// The message's end is known.
    MessageDelta {
        /// Why the model stopped.
        stop_reason: Option<Cow<'a, str>>,
        /// Final counts.
        usage: Option<Usage>,
    },
    /// The message is complete.
    MessageStop,
    /// Keeps the connection open.
    Ping,
    /// The API failed in the middle of the stream.
    Error(RawJson),
    /// Any other event, whole.
    Other(RawJson),
}

/// What a block grows by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delta<'a> {
    /// More text.
    Text(Cow<'a, str>),
    /// More reasoning.
    Thinking(Cow<'a, str>),
    /// The signature of the reasoning.
    Signature(Cow<'a, str>),
    /// More of a tool input's JSON text.
    InputJson(Cow<'a, str>),
    /// Any other delta, whole.
    Other(RawJson),
}

/// The head of a message that begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct MessageStart {
    /// The API's message id.
    #[serde(deserialize_with = "json::opt_string")]
    pub id: Option<String>,
    /// The model that answers.
    #[serde(deserialize_with = "json::opt_string")]
    pub model: Option<String>,
    /// Counts known at the start.
    pub usage: Option<Usage>,
}

impl StreamEvent<'_> {
    /// Copies what is still borrowed from the line.
    #[must_use]
    pub fn into_owned(self) -> StreamEvent<'static> {
        StreamEvent {
            event: self.event.into_owned(),
            session_id: self.session_id.map(owned),
            uuid: self.uuid.map(owned),
            parent_tool_use_id: self.parent_tool_use_id.map(owned),
            ttft_ms: self.ttft_ms,
            api_message_id: self.api_message_id.map(owned),
        }
    }
}

impl ApiEvent<'_> {
    fn into_owned(self) -> ApiEvent<'static> {
        match self {
            Self::MessageStart(start) => ApiEvent::MessageStart(start),
            Self::ContentBlockStart { index, block } => {
                ApiEvent::ContentBlockStart { index, block }
            }
            Self::ContentBlockDelta { index, delta } => ApiEvent::ContentBlockDelta {
                index,
                delta: delta.into_owned(),
            },
            Self::ContentBlockStop { index } => ApiEvent::ContentBlockStop { index },
            Self::MessageDelta { stop_reason, usage } => ApiEvent::MessageDelta {
                stop_reason: stop_reason.map(owned),
                usage,
            },
            Self::MessageStop => ApiEvent::MessageStop,
            Self::Ping => ApiEvent::Ping,
            Self::Error(raw) => ApiEvent::Error(raw),
            Self::Other(raw) => ApiEvent::Other(raw),
        }
    }
}

impl Delta<'_> {
    fn into_owned(self) -> Delta<'static> {
        match self {
            Self::Text(text) => Delta::Text(owned(text)),
            Self::Thinking(text) => Delta::Thinking(owned(text)),
            Self::Signature(text) => Delta::Signature(owned(text)),
            Self::InputJson(text) => Delta::InputJson(owned(text)),
            Self::Other(raw) => Delta::Other(raw),
        }
    }
}

fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

#[derive(Deserialize)]
struct LineWire<'a> {
    #[serde(borrow)]
    event: EventWire<'a>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    uuid: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "json::opt_u64")]
    ttft_ms: Option<u64>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    api_message_id: Option<Cow<'a, str>>,
}

/// All fields of all events, so that one pass in any key order suffices.
#[derive(Deserialize)]
struct EventWire<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    index: Option<u32>,
    #[serde(borrow)]
    delta: Option<DeltaWire<'a>>,
    content_block: Option<ContentBlock>,
    message: Option<MessageStart>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct DeltaWire<'a> {
    #[serde(borrow, rename = "type", default, deserialize_with = "json::opt_cow")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    thinking: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    signature: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    partial_json: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    stop_reason: Option<Cow<'a, str>>,
}

/// Where the raw forms of a line are, read only when an event is not known.
#[derive(Deserialize)]
struct RawEventWire<'a> {
    #[serde(borrow)]
    event: &'a RawValue,
}

#[derive(Deserialize)]
struct RawDeltaWire<'a> {
    #[serde(borrow)]
    delta: &'a RawValue,
}

pub(crate) fn decode(line: &str) -> Result<StreamEvent<'_>, serde_json::Error> {
    let wire: LineWire<'_> = serde_json::from_str(line)?;
    let event = match wire.event.into_event() {
        Some(event) => event,
        None => raw_event(line)?,
    };
    Ok(StreamEvent {
        event,
        session_id: wire.session_id,
        uuid: wire.uuid,
        parent_tool_use_id: wire.parent_tool_use_id,
        ttft_ms: wire.ttft_ms,
        api_message_id: wire.api_message_id,
    })
}

/// The event as raw JSON, at the smallest size that loses nothing.
fn raw_event(line: &str) -> Result<ApiEvent<'static>, serde_json::Error> {
    let raw = serde_json::from_str::<RawEventWire<'_>>(line)?.event;
    let event: EventWire<'_> = serde_json::from_str(raw.get())?;
    Ok(match (&*event.kind, event.index) {
        ("error", _) => ApiEvent::Error(raw.into()),
        ("content_block_delta", Some(index)) if event.delta.is_some() => {
            let delta = serde_json::from_str::<RawDeltaWire<'_>>(raw.get())?.delta;
            ApiEvent::ContentBlockDelta {
                index,
                delta: Delta::Other(delta.into()),
            }
        }
        _ => ApiEvent::Other(raw.into()),
    })
}

impl<'a> EventWire<'a> {
    /// None when the event or its delta is unknown or lacks what it needs.
    fn into_event(self) -> Option<ApiEvent<'a>> {
        Some(match &*self.kind {
            "content_block_delta" => ApiEvent::ContentBlockDelta {
                index: self.index?,
                delta: self.delta?.into_delta()?,
            },
            "content_block_start" => ApiEvent::ContentBlockStart {
                index: self.index?,
                block: Box::new(self.content_block?),
            },
            "content_block_stop" => ApiEvent::ContentBlockStop { index: self.index? },
            "message_start" => ApiEvent::MessageStart(Box::new(self.message?)),
            "message_delta" => ApiEvent::MessageDelta {
                stop_reason: self.delta.and_then(|delta| delta.stop_reason),
                usage: self.usage,
            },
            "message_stop" => ApiEvent::MessageStop,
            "ping" => ApiEvent::Ping,
            _ => return None,
        })
    }
}

impl<'a> DeltaWire<'a> {
    fn into_delta(self) -> Option<Delta<'a>> {
        Some(match self.kind.as_deref()? {
            "text_delta" => Delta::Text(self.text?),
            "thinking_delta" => Delta::Thinking(self.thinking?),
            "signature_delta" => Delta::Signature(self.signature?),
            "input_json_delta" => Delta::InputJson(self.partial_json?),
            _ => return None,
        })
    }
}
