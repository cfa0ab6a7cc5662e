//! Lines in, messages out; messages in, lines out. No IO, no state.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::control::{self, CliRequest};
use crate::json::{self, RawJson};
use crate::message::notice::Unknown;
use crate::message::{Message, stream, system};
use crate::outgoing::Outgoing;

mod surrogates;

/// A line that is not a JSON object. The CLI never writes one by itself;
/// something else wrote to its stdout.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The line is not UTF-8.
    #[error("line is not UTF-8: {head:?}")]
    NotUtf8 {
        /// The start of the line.
        head: String,
        /// Where it breaks.
        #[source]
        source: std::str::Utf8Error,
    },
    /// The line is not JSON.
    #[error("line is not JSON: {head:?}")]
    NotJson {
        /// The start of the line.
        head: String,
        /// Where it breaks.
        #[source]
        source: serde_json::Error,
    },
    /// The line is JSON, but not an object.
    #[error("line is not a JSON object: {head:?}")]
    NotObject {
        /// The start of the line.
        head: String,
    },
}

/// How much of a bad line an error quotes.
const HEAD_CHARS: usize = 200;

/// Reads one line, without or with its line end.
///
/// Lines of unknown type, and lines of known type that lack what they need,
/// come out as raw JSON; see [`Message::Unknown`].
///
/// # Errors
/// Fails only when the line is not a JSON object.
pub fn decode(line: &[u8]) -> Result<Message<'_>, DecodeError> {
    let text = std::str::from_utf8(line).map_err(|source| DecodeError::NotUtf8 {
        head: String::from_utf8_lossy(line)
            .chars()
            .take(HEAD_CHARS)
            .collect(),
        source,
    })?;
    if text.starts_with(STREAM_EVENT_HEAD)
        && let Ok(event) = stream::decode(text)
    {
        return Ok(Message::StreamEvent(event));
    }
    decode_slowly(text)
}

/// How the CLI begins the lines of which there is one per token.
const STREAM_EVENT_HEAD: &str = r#"{"type":"stream_event","#;

fn decode_slowly(text: &str) -> Result<Message<'_>, DecodeError> {
    let Ok(head) = peek(text) else {
        return unreadable(text, Head::default(), None);
    };
    match read(text, &head) {
        Ok(Some(message)) => Ok(message),
        Ok(None) => unreadable(text, head, None),
        Err(error) => match surrogates::repair(text) {
            // A repaired line has no lone surrogate left, so this ends.
            Some(repaired) => decode_slowly(&repaired).map(Message::into_owned),
            None => unreadable(text, head, Some(error.to_string())),
        },
    }
}

#[derive(Deserialize, Default)]
struct Head<'a> {
    #[serde(borrow, default, rename = "type", deserialize_with = "json::opt_cow")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    subtype: Option<Cow<'a, str>>,
}

/// Finds out what a line is: from its first bytes where they say so, otherwise
/// by reading past everything else. 2.1.325 writes `type` of results late.
fn peek(text: &str) -> Result<Head<'_>, serde_json::Error> {
    if let Some((kind, rest)) = text.strip_prefix(r#"{"type":""#).and_then(plain_string) {
        if !matches!(kind, "system" | "result") {
            return Ok(Head {
                kind: Some(Cow::Borrowed(kind)),
                subtype: None,
            });
        }
        if let Some((subtype, _)) = rest.strip_prefix(r#","subtype":""#).and_then(plain_string) {
            let (kind, subtype) = (Some(Cow::Borrowed(kind)), Some(Cow::Borrowed(subtype)));
            return Ok(Head { kind, subtype });
        }
    }
    serde_json::from_str(text)
}

/// Splits after a string's end, if the string has no escapes.
fn plain_string(text: &str) -> Option<(&str, &str)> {
    text.split_once('"')
        .filter(|(string, _)| !string.contains('\\'))
}

/// None for an unknown type.
fn read<'a>(text: &'a str, head: &Head<'_>) -> Result<Option<Message<'a>>, serde_json::Error> {
    fn of<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
        serde_json::from_str(text)
    }
    #[derive(Deserialize)]
    struct CancelWire {
        request_id: String,
    }
    let Some(kind) = head.kind.as_deref() else {
        return Ok(None);
    };
    Ok(Some(match kind {
        "stream_event" => Message::StreamEvent(stream::decode(text)?),
        "system" => Message::System(Box::new(system::decode(text, head.subtype.as_deref())?)),
        "assistant" => Message::Assistant(serde_json::from_str(text)?),
        "user" => Message::User(serde_json::from_str(text)?),
        "result" => Message::Result(of(text)?),
        "control_request" => {
            Message::ControlRequest(Box::new(serde_json::from_str::<CliRequest>(text)?))
        }
        "control_response" => {
            Message::ControlResponse(Box::new(control::incoming::decode_response(text)?))
        }
        "control_cancel_request" => Message::ControlCancelRequest {
            request_id: of::<CancelWire>(text)?.request_id,
        },
        "command_lifecycle" => Message::CommandLifecycle(of(text)?),
        "tool_progress" => Message::ToolProgress(of(text)?),
        "tool_use_summary" => Message::ToolUseSummary(of(text)?),
        "auth_status" => Message::AuthStatus(of(text)?),
        "rate_limit_event" => Message::RateLimitEvent(of(text)?),
        "prompt_suggestion" => Message::PromptSuggestion(of(text)?),
        "keep_alive" => Message::KeepAlive,
        "conversation_reset" => Message::ConversationReset(of(text)?),
        _ => return Ok(None),
    }))
}

/// Carries the line through as it is, if it is an object at all.
fn unreadable<'a>(
    text: &str,
    head: Head<'_>,
    reason: Option<String>,
) -> Result<Message<'a>, DecodeError> {
    let quote = || text.chars().take(HEAD_CHARS).collect();
    let raw: RawJson = serde_json::from_str(text).map_err(|source| DecodeError::NotJson {
        head: quote(),
        source,
    })?;
    if !raw.get().starts_with('{') {
        return Err(DecodeError::NotObject { head: quote() });
    }
    Ok(Message::Unknown(Box::new(Unknown {
        kind: head.kind.map(Cow::into_owned),
        subtype: head.subtype.map(Cow::into_owned),
        reason,
        raw,
    })))
}

/// Writes one line with its line end.
///
/// # Errors
/// Fails only when a value inside has no JSON form, which none of this crate's
/// types can bring about.
pub fn encode(line: &Outgoing) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec(line)?;
    // Raw values are written verbatim and may be laid out over several lines.
    // JSON has no line breaks inside strings, so every one is just space.
    for byte in &mut bytes {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
#[path = "codec_tests.rs"]
mod tests;
