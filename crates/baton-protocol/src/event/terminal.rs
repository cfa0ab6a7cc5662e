//! Terminal mode. The bytes themselves are live frames.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `pty.opened`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PtyOpened {
    pub cols: u16,
    pub rows: u16,
    #[serde(default)]
    pub use_tmux: bool,
}

/// `pty.resized`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PtyResized {
    pub cols: u16,
    pub rows: u16,
}

/// `pty.closed`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PtyClosed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}
