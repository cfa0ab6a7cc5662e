//! Which CLI this is, and everything that depends on it.
//!
//! All differences between CLI versions live here, as questions about
//! behaviour. Where the CLI declares a capability, that decides; otherwise the
//! version does. Behaviour was observed with 2.1.197 and 2.1.325; versions in
//! between count as old, since the safe answer is always the old one.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::control::InitializeAnswer;
use crate::message::system::Init;

/// A version of the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// First number.
    pub major: u32,
    /// Second number.
    pub minor: u32,
    /// Third number.
    pub patch: u32,
}

/// Not a version of the CLI.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a version of the Claude Code CLI")]
pub struct VersionError {
    /// What was read.
    pub text: String,
}

/// The first version seen with the newer behaviour.
const NEWER: Version = Version {
    major: 2,
    minor: 1,
    patch: 325,
};

impl FromStr for Version {
    type Err = VersionError;

    /// Reads `2.1.197` and what `claude --version` prints, `2.1.197 (Claude
    /// Code)`. A suffix such as `-beta.1` is ignored.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        parse(text).ok_or_else(|| VersionError {
            text: text.chars().take(100).collect(),
        })
    }
}

fn parse(text: &str) -> Option<Version> {
    let numbers = text.split_whitespace().next()?.split(['-', '+']).next()?;
    let mut parts = numbers.split('.').map(|part| part.parse().ok());
    let version = Version {
        major: parts.next()??,
        minor: parts.next()??,
        patch: parts.next()??,
    };
    parts.next().is_none().then_some(version)
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// What a CLI can do. Starts out as "nothing known", which is the old
/// behaviour, and learns from each line that says something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capabilities {
    version: Option<Version>,
    declared: BTreeSet<String>,
}

/// What becomes of a tool call that was running when the CLI was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DanglingTool {
    /// The model never learns of the call.
    Dropped,
    /// The model is told that its outcome is unknown.
    Reported,
}

impl Capabilities {
    /// Of a known version, as printed by `claude --version`.
    #[must_use]
    pub fn of_version(version: Version) -> Self {
        Self {
            version: Some(version),
            declared: BTreeSet::new(),
        }
    }

    /// Learns from the answer to `initialize`. 2.1.197 says nothing there.
    pub fn learn_from_initialize(&mut self, answer: &InitializeAnswer) {
        self.learn(
            answer.claude_code_version.as_deref(),
            answer.capabilities.as_deref(),
        );
    }

    /// Learns from the `init` line of a turn.
    pub fn learn_from_init(&mut self, init: &Init) {
        self.learn(
            init.claude_code_version.as_deref(),
            init.capabilities.as_deref(),
        );
    }

    fn learn(&mut self, version: Option<&str>, declared: Option<&[String]>) {
        if let Some(version) = version.and_then(|text| text.parse().ok()) {
            self.version = Some(version);
        }
        self.declared
            .extend(declared.unwrap_or_default().iter().cloned());
    }

    /// The version, once known.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        self.version
    }

    /// Whether the CLI declares a protocol feature.
    #[must_use]
    pub fn declares(&self, name: &str) -> bool {
        self.declared.contains(name)
    }

    fn is_newer(&self) -> bool {
        self.version.is_some_and(|version| version >= NEWER)
    }

    /// Whether `command_lifecycle` lines tell what became of each message.
    /// Without them only replayed messages do.
    #[must_use]
    pub fn reports_message_lifecycle(&self) -> bool {
        self.declares("msg_lifecycle_v1")
    }

    /// Whether results name the messages they answer. Without that, several
    /// messages may share one result and nothing says which.
    #[must_use]
    pub fn results_name_their_messages(&self) -> bool {
        self.is_newer()
    }

    /// Whether the answer to `interrupt` lists what is still queued.
    #[must_use]
    pub fn interrupt_reports_queue(&self) -> bool {
        self.declares("interrupt_receipt_v1")
    }

    /// Whether `interrupt` can withdraw queued messages. Without that they run
    /// next; withdraw each with `cancel_async_message` first.
    #[must_use]
    pub fn interrupt_can_cancel_queue(&self) -> bool {
        self.declares("interrupt_cancel_queued_v1")
    }

    /// Whether an answer cut short says so.
    #[must_use]
    pub fn marks_aborted_answers(&self) -> bool {
        self.is_newer()
    }

    /// Whether an allow without the tool's input is taken for a refusal. We
    /// always send the input, which is right for every version.
    #[must_use]
    pub fn allow_needs_input(&self) -> bool {
        !self.is_newer()
    }

    /// Whether a permission mode that does not exist is refused. Otherwise a
    /// success proves nothing; wait for the `status` line.
    #[must_use]
    pub fn refuses_unknown_modes(&self) -> bool {
        self.is_newer()
    }

    /// Whether hooks count that are registered after the first line.
    #[must_use]
    pub fn late_initialize_registers_hooks(&self) -> bool {
        self.is_newer()
    }

    /// Whether a line of spaces ends the process.
    #[must_use]
    pub fn blank_line_is_fatal(&self) -> bool {
        !self.is_newer()
    }

    /// Whether a control request that lacks a field hangs the process for good.
    #[must_use]
    pub fn malformed_request_wedges(&self) -> bool {
        !self.is_newer()
    }

    /// How long after a `result` its rows may still be missing on disk: a kill
    /// within that time loses them.
    #[must_use]
    pub fn transcript_delay(&self) -> Duration {
        if self.is_newer() {
            Duration::ZERO
        } else {
            Duration::from_millis(200)
        }
    }

    /// What becomes of a tool call that was running at a kill, on resume.
    #[must_use]
    pub fn dangling_tool_on_resume(&self) -> DanglingTool {
        if self.is_newer() {
            DanglingTool::Reported
        } else {
            DanglingTool::Dropped
        }
    }

    /// Whether cost counters go on after a resume. Otherwise they start at zero.
    #[must_use]
    pub fn cost_continues_on_resume(&self) -> bool {
        self.is_newer()
    }

    /// Whether `claude plugin install` and the like take `--json`.
    #[must_use]
    pub fn plugin_commands_print_json(&self) -> bool {
        self.is_newer()
    }

    /// What the alias `default` stands for, to be shown before the CLI says so.
    #[must_use]
    pub fn default_model(&self) -> &'static str {
        if self.is_newer() {
            "claude-opus-5-5"
        } else {
            "claude-opus-4-8[1m]"
        }
    }
}

/// Variables that ask for `session_state_changed` lines: the older one and the
/// newer one. Each version ignores the other's.
pub(crate) const SESSION_STATE_VARIABLES: [&str; 2] = [
    "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
    "CLAUDE_CODE_SDK_READS_SESSION_STATE",
];

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
