//! What the host writes to stdin, one value per line.
//!
//! The CLI exits on a line it cannot parse, so lines are only ever made from
//! these types.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

use crate::control::{HostRequest, Reply, ReplyEnvelope};
use crate::json::word_enum;

/// One line for the CLI's stdin.
#[derive(Debug, Clone, PartialEq)]
pub enum Outgoing {
    /// A message of the user.
    User(UserMessage),
    /// A question.
    Request {
        /// Names it; free text for the CLI, a UUID by our rule, since counters
        /// collide when a host starts anew beside a living CLI.
        request_id: Uuid,
        /// What is asked.
        request: HostRequest,
    },
    /// An answer.
    Reply {
        /// The CLI's request.
        request_id: String,
        /// The answer.
        reply: Reply,
    },
    /// The host no longer wants an answer.
    Cancel {
        /// The host's request.
        request_id: Uuid,
    },
    /// Nothing; the CLI ignores it.
    KeepAlive,
}

/// A message of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessage {
    /// Chosen by the host; names the message in the transcript, in replays and
    /// for rewinding. A second message with the same uuid is dropped, which
    /// makes sending again safe.
    pub uuid: Uuid,
    /// What is said.
    pub content: UserContent,
    /// When it is taken, if a turn runs.
    pub priority: Option<Priority>,
    /// False adds it to the conversation without starting a turn.
    pub should_query: Option<bool>,
}

impl UserMessage {
    /// A message of text.
    #[must_use]
    pub fn text(uuid: Uuid, text: impl Into<String>) -> Self {
        Self::new(uuid, UserContent::Text(text.into()))
    }

    /// A message of blocks.
    #[must_use]
    pub fn blocks(uuid: Uuid, blocks: Vec<UserBlock>) -> Self {
        Self::new(uuid, UserContent::Blocks(blocks))
    }

    /// A message.
    #[must_use]
    pub fn new(uuid: Uuid, content: UserContent) -> Self {
        Self {
            uuid,
            content,
            priority: None,
            should_query: None,
        }
    }
}

/// What the user says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserContent {
    /// Text.
    Text(String),
    /// Text and pictures.
    Blocks(Vec<UserBlock>),
}

impl Serialize for UserContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}

/// A block of what the user says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserBlock {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// Its bytes.
        source: UserImage,
    },
}

impl UserBlock {
    /// A text block.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// An image block from bytes.
    #[must_use]
    pub fn image(media_type: impl Into<String>, bytes: &[u8]) -> Self {
        use base64::Engine as _;
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        Self::Image {
            source: UserImage::Base64 {
                media_type: media_type.into(),
                data,
            },
        }
    }
}

/// A picture's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum UserImage {
    /// Inline.
    Base64 {
        /// Such as `image/png`.
        media_type: String,
        /// Base64 text.
        data: String,
    },
}

word_enum! {
    /// When a message is taken, if a turn runs.
    Priority {
        /// At once: the running answer is cut short.
        Now = "now",
        /// At the next opportunity in the running turn.
        Next = "next",
        /// After the running turn.
        Later = "later",
    }
}

impl Serialize for Outgoing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("line", 3)?;
        match self {
            Self::User(message) => return message.serialize_into::<S>(out),
            Self::Request {
                request_id,
                request,
            } => {
                out.serialize_field("type", "control_request")?;
                out.serialize_field("request_id", request_id)?;
                out.serialize_field("request", request)?;
            }
            Self::Reply { request_id, reply } => {
                out.serialize_field("type", "control_response")?;
                out.serialize_field("response", &ReplyEnvelope { request_id, reply })?;
            }
            Self::Cancel { request_id } => {
                out.serialize_field("type", "control_cancel_request")?;
                out.serialize_field("request_id", request_id)?;
            }
            Self::KeepAlive => out.serialize_field("type", "keep_alive")?,
        }
        out.end()
    }
}

impl UserMessage {
    fn serialize_into<S: Serializer>(
        &self,
        mut out: S::SerializeStruct,
    ) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Body<'a> {
            role: &'static str,
            content: &'a UserContent,
        }
        out.serialize_field("type", "user")?;
        out.serialize_field(
            "message",
            &Body {
                role: "user",
                content: &self.content,
            },
        )?;
        out.serialize_field("parent_tool_use_id", &None::<String>)?;
        out.serialize_field("session_id", "")?;
        out.serialize_field("uuid", &self.uuid)?;
        if let Some(priority) = &self.priority {
            out.serialize_field("priority", priority)?;
        }
        if let Some(should_query) = self.should_query {
            out.serialize_field("shouldQuery", &should_query)?;
        }
        out.end()
    }
}
