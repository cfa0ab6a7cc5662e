//! Which CLI this is. Behaviour was observed with 2.1.197 and 2.1.325.

use std::fmt;
use std::str::FromStr;

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

/// Variables that ask for `session_state_changed` lines: the older one and the
/// newer one. Each version ignores the other's.
pub(crate) const SESSION_STATE_VARIABLES: [&str; 2] = [
    "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS",
    "CLAUDE_CODE_SDK_READS_SESSION_STATE",
];

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
