//! How a process ended, as a value.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use serde::{Deserialize, Serialize};

/// How a process ended. It comes from the system's wait, never from the end of
/// a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Exit {
    Exited {
        code: i32,
    },
    Signalled {
        signal: i32,
    },
    /// Nobody was there to see it: the holder was killed or the machine went
    /// down.
    Lost,
}

/// Everything there is to say about an end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExitReport {
    pub exit: Exit,
    /// Descendants that were still alive when the grace time was over. They
    /// have been killed.
    pub leaked: Vec<LeakedProcess>,
    /// False when somebody still held the output pipes after the grace time,
    /// so that the end of the output was forced.
    pub output_closed: bool,
}

/// A process that outlived the one that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeakedProcess {
    pub pid: i32,
    /// The beginning of its command line.
    pub command: String,
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited { code },
            (None, Some(signal)) => Self::Signalled { signal },
            (None, None) => Self::Lost,
        }
    }
}
