//! Content blocks: what messages of both sides are made of.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::json::{self, RawJson};

/// A message's content: plain text or a list of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The short form, a bare string.
    Text(String),
    /// The general form.
    Blocks(Vec<ContentBlock>),
}

impl Content {
    /// The text of a bare string or of all text blocks, joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => {
                let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
                texts.join("\n")
            }
        }
    }

    /// The blocks; a bare string has none.
    #[must_use]
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        match raw.as_bytes().first() {
            Some(b'"') => serde_json::from_str(raw).map(Self::Text),
            Some(b'[') => serde_json::from_str(raw).map(Self::Blocks),
            _ if raw == "null" => Ok(Self::default()),
            _ => Err(serde_json::Error::custom(
                "content is neither text nor blocks",
            )),
        }
        .map_err(D::Error::custom)
    }
}

/// One block of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentBlock {
    /// Text for the reader.
    Text {
        /// The text.
        text: String,
    },
    /// The model's reasoning.
    Thinking {
        /// The reasoning text; empty when the API withholds it.
        thinking: String,
        /// The API's signature over it.
        signature: Option<String>,
    },
    /// The model asks for a tool.
    ToolUse {
        /// Names this call; results and asks refer to it.
        id: String,
        /// The tool's name.
        name: String,
        /// The tool's input object.
        input: RawJson,
    },
    /// What a tool answered.
    ToolResult {
        /// The call this answers.
        tool_use_id: String,
        /// Text, or blocks including images.
        content: Content,
        /// Whether the call failed or was refused.
        is_error: bool,
    },
    /// A picture.
    Image {
        /// Where its bytes are.
        source: ImageSource,
    },
    /// Any other block, whole.
    Other(RawJson),
}

impl ContentBlock {
    /// The text, for a text block.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text { text } = self {
            Some(text)
        } else {
            None
        }
    }
}

/// Where an image's bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// Inline, base64.
    Base64 {
        /// Such as `image/png`.
        media_type: String,
        /// The base64 text, not decoded here.
        data: String,
    },
    /// Somewhere else.
    Url {
        /// The address.
        url: String,
    },
}

/// All fields of all block types; one pass, no buffering, any key order.
#[derive(Deserialize)]
struct BlockWire<'a> {
    #[serde(borrow, rename = "type")]
    kind: std::borrow::Cow<'a, str>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<RawJson>,
    tool_use_id: Option<String>,
    #[serde(default)]
    content: Option<Content>,
    #[serde(default, deserialize_with = "json::flag")]
    is_error: bool,
    #[serde(default)]
    source: Option<SourceWire>,
}

#[derive(Deserialize)]
struct SourceWire {
    #[serde(rename = "type")]
    kind: String,
    media_type: Option<String>,
    data: Option<String>,
    url: Option<String>,
}

impl BlockWire<'_> {
    fn into_block(self) -> Option<ContentBlock> {
        Some(match &*self.kind {
            "text" => ContentBlock::Text { text: self.text? },
            "thinking" => ContentBlock::Thinking {
                thinking: self.thinking?,
                signature: self.signature,
            },
            "tool_use" => ContentBlock::ToolUse {
                id: self.id?,
                name: self.name?,
                input: self.input.unwrap_or_else(RawJson::empty_object),
            },
            "tool_result" => ContentBlock::ToolResult {
                tool_use_id: self.tool_use_id?,
                content: self.content.unwrap_or_default(),
                is_error: self.is_error,
            },
            "image" => ContentBlock::Image {
                source: self.source?.into_source()?,
            },
            _ => return None,
        })
    }
}

impl SourceWire {
    fn into_source(self) -> Option<ImageSource> {
        Some(match &*self.kind {
            "base64" => ImageSource::Base64 {
                media_type: self.media_type?,
                data: self.data?,
            },
            "url" => ImageSource::Url { url: self.url? },
            _ => return None,
        })
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let wire: Option<BlockWire<'_>> = serde_json::from_str(raw.get()).ok();
        Ok(wire
            .and_then(BlockWire::into_block)
            .unwrap_or_else(|| Self::Other(raw.into())))
    }
}
