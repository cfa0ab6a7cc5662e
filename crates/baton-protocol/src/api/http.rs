//! What only HTTP has: health, events in parts, exports and uploads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frame::envelope;
use crate::words::Json;

/// It is well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    pub ok: bool,
}

/// Which events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EventsQuery {
    /// Only events with a greater number; from the beginning when absent.
    pub after: Option<u64>,
    /// At most 5,000; 500 when absent. Fewer come when they are large.
    #[schemars(range(min = 1, max = 5000))]
    pub limit: Option<u32>,
}

/// Part of a session's events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    pub events: Vec<StoredEnvelope>,
    /// `after` of the next part.
    pub next_after: u64,
    /// There is nothing after this part yet.
    pub done: bool,
}

/// An event as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct StoredEnvelope(#[schemars(schema_with = "envelope")] pub Json);

/// How a session is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// One event per line.
    #[default]
    Ndjson,
    /// What was said, done, asked and decided, to read.
    Markdown,
    /// The same as one page for a browser, without credentials in it, with its
    /// pictures, with nothing that runs or is fetched.
    Html,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExportQuery {
    /// `ndjson` when absent.
    pub format: ExportFormat,
    /// Of a copy of another session: that one's events up to the copy come first. Text to read always
    /// has them.
    pub past: bool,
}

/// What is uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadQuery {
    /// What the file is called.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it is said to be; absent leaves it to the name and the bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// A file that waits for its message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Uploaded {
    /// For `attachments` of a message.
    pub upload_id: String,
    pub bytes: u64,
}
