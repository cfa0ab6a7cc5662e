//! Which tools an agent is given: what the user allows, narrowed by the project.
//!
//! The project's file is `.baton/permissions.json`. It can take tools away but
//! never add one, so it holds whether the folder is trusted or not; only its
//! note, which is text for the agent, waits for trust.

use std::{collections::BTreeSet, fmt, path::Path, str::FromStr};

use serde::Deserialize;

use crate::{file, text::is_hidden};

/// The project's file, below its folder.
pub const FILE: &str = ".baton/permissions.json";

/// The agent can always ask a person.
pub const ALWAYS: &str = "AskUserQuestion";

const FILE_BYTES: u64 = 64 << 10;
const MOST_TOOLS: usize = 200;
const MOST_NAME: usize = 128;
const MOST_NOTE: usize = 1_000;

/// Tools that change nothing.
pub const READ_ONLY: &[&str] = &["Read", "Glob", "Grep", "WebSearch", "WebFetch"];

/// The tools an agent may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolLimit {
    /// As many as it has.
    All,
    Only(Vec<String>),
    Except(Vec<String>),
}

/// A named limit that a user or an embedder chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    Full,
    ReadOnly,
    NoBash,
    SafeEdit,
}

impl Preset {
    pub const ALL: &'static [Self] = &[Self::Full, Self::ReadOnly, Self::NoBash, Self::SafeEdit];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::ReadOnly => "read-only",
            Self::NoBash => "no-bash",
            Self::SafeEdit => "safe-edit",
        }
    }

    pub fn limit(self) -> ToolLimit {
        match self {
            Self::Full => ToolLimit::All,
            Self::ReadOnly => ToolLimit::Only(names(READ_ONLY)),
            Self::NoBash => ToolLimit::Except(names(&["Bash", "Monitor"])),
            Self::SafeEdit => ToolLimit::Only(names(&[READ_ONLY, &["Edit"]].concat())),
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no preset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is none of: full, read-only, no-bash, safe-edit")]
pub struct UnknownPreset(pub String);

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(text: &str) -> Result<Self, UnknownPreset> {
        let found = Self::ALL.iter().find(|preset| preset.as_str() == text);
        found
            .copied()
            .ok_or_else(|| UnknownPreset(text.chars().take(80).collect()))
    }
}

/// What a project's file asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface {
    /// `None` takes nothing away.
    pub tools: Option<Vec<String>>,
    /// For the prompt.
    pub note: Option<String>,
}

/// Why a project's file says nothing that can be obeyed.
#[derive(Debug, thiserror::Error)]
pub enum SurfaceError {
    #[error("{FILE} {0}")]
    Unreadable(String),
    #[error("{FILE} is not as it should be, such as {{\"tier\": \"readonly\"}}")]
    Malformed(#[source] serde_json::Error),
    #[error("{FILE} has tier `custom` and no list `tools`")]
    NoTools,
    #[error("{FILE} lists `tools`, which only tier `custom` may")]
    ToolsWithTier,
    #[error("{FILE} lists more than {MOST_TOOLS} tools")]
    TooMany,
    #[error("{FILE} lists `{0}`, which is no name of a tool")]
    BadName(String),
}

/// A project's file, and the bytes that it was read from.
#[derive(Debug)]
pub(crate) struct SurfaceFile {
    pub(crate) surface: Result<Surface, SurfaceError>,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    tier: Option<Tier>,
    tools: Option<Vec<String>>,
    note: Option<String>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Tier {
    Readonly,
    Standard,
    Full,
    Custom,
}

impl Surface {
    /// Reads the file of a project; `None` if it has none. On an error run with
    /// [`fail_closed`](Self::fail_closed).
    pub(crate) fn read(folder: &Path) -> Option<SurfaceFile> {
        let (surface, bytes) = match file::read(&folder.join(FILE), FILE_BYTES).transpose()? {
            Ok(bytes) => (Self::parse(&bytes), bytes),
            Err(error) => (Err(SurfaceError::Unreadable(error.to_string())), Vec::new()),
        };
        Some(SurfaceFile { surface, bytes })
    }

    pub fn parse(bytes: &[u8]) -> Result<Self, SurfaceError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let wire: Wire = serde_json::from_slice(bytes).map_err(SurfaceError::Malformed)?;
        let tools = match (wire.tier, wire.tools) {
            (Some(Tier::Custom), Some(tools)) => Some(checked(tools)?),
            (Some(Tier::Custom), None) => return Err(SurfaceError::NoTools),
            (_, Some(_)) => return Err(SurfaceError::ToolsWithTier),
            (Some(Tier::Readonly), None) => Some(names(READ_ONLY)),
            (Some(Tier::Standard), None) => Some(names(&[READ_ONLY, &["Edit"]].concat())),
            (Some(Tier::Full), None) => {
                Some(names(&[READ_ONLY, &["Edit", "Bash", "Write"]].concat()))
            }
            (None, None) => None,
        };
        Ok(Self {
            tools,
            note: wire.note.as_deref().and_then(clean),
        })
    }

    /// What to run with when the file cannot be obeyed: reading only, and the
    /// agent is told why.
    pub fn fail_closed(reason: &SurfaceError) -> Self {
        let reason = format!("Only reading is allowed here: {reason}.");
        Self {
            tools: Some(names(READ_ONLY)),
            note: clean(&reason),
        }
    }
}

/// What is left of the user's limit. The project can only take away.
pub fn narrow(user: &ToolLimit, project: Option<&Surface>) -> ToolLimit {
    let wanted = project.and_then(|surface| surface.tools.as_deref());
    let limit = match (user, wanted) {
        (limit, None) => limit.clone(),
        (ToolLimit::All, Some(wanted)) => ToolLimit::Only(wanted.to_vec()),
        (ToolLimit::Only(allowed), Some(wanted)) => {
            ToolLimit::Only(kept(wanted, |tool| allowed.contains(tool)))
        }
        (ToolLimit::Except(denied), Some(wanted)) => {
            ToolLimit::Only(kept(wanted, |tool| !denied.contains(tool)))
        }
    };
    match limit {
        ToolLimit::All => ToolLimit::All,
        ToolLimit::Only(mut tools) => {
            if !tools.iter().any(|tool| tool == ALWAYS) {
                tools.push(ALWAYS.to_owned());
            }
            ToolLimit::Only(tools)
        }
        ToolLimit::Except(tools) => ToolLimit::Except(kept(&tools, |tool| tool != ALWAYS)),
    }
}

/// What is left of a preset within the user's limit.
pub fn within(user: &ToolLimit, preset: Preset) -> ToolLimit {
    let not_in = |tools: &[String], denied: &[String]| kept(tools, |tool| !denied.contains(tool));
    match (user, preset.limit()) {
        (ToolLimit::All, limit) => limit,
        (limit, ToolLimit::All) => limit.clone(),
        (ToolLimit::Only(one), ToolLimit::Only(other)) => {
            ToolLimit::Only(kept(one, |tool| other.contains(tool)))
        }
        (ToolLimit::Only(tools), ToolLimit::Except(denied)) => {
            ToolLimit::Only(not_in(tools, &denied))
        }
        (ToolLimit::Except(denied), ToolLimit::Only(tools)) => {
            ToolLimit::Only(not_in(&tools, denied))
        }
        (ToolLimit::Except(one), ToolLimit::Except(other)) => {
            ToolLimit::Except([one.clone(), other].concat())
        }
    }
}

/// What two of them leave together; `None` takes nothing away.
pub fn both(one: Option<&[String]>, other: Option<&[String]>) -> Option<Vec<String>> {
    match (one, other) {
        (None, None) => None,
        (Some(tools), None) | (None, Some(tools)) => Some(tools.to_vec()),
        (Some(one), Some(other)) => Some(kept(one, |tool| other.contains(tool))),
    }
}

fn kept(tools: &[String], keep: impl Fn(&String) -> bool) -> Vec<String> {
    tools.iter().filter(|tool| keep(tool)).cloned().collect()
}

fn names(tools: &[&str]) -> Vec<String> {
    tools.iter().map(|tool| (*tool).to_owned()).collect()
}

/// Names end up in an argument list, where a comma or a space would make two of
/// one, and the CLI takes `default` for all tools.
fn checked(tools: Vec<String>) -> Result<Vec<String>, SurfaceError> {
    if tools.len() > MOST_TOOLS {
        return Err(SurfaceError::TooMany);
    }
    let mut seen = BTreeSet::new();
    let mut checked = Vec::new();
    for tool in tools {
        let plain = tool
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
        let begins = tool.starts_with(|first: char| first.is_ascii_alphabetic());
        if !plain || !begins || tool.len() > MOST_NAME || tool == "default" {
            let shown: String = tool.chars().take(80).collect();
            return Err(SurfaceError::BadName(crate::text::show(&shown)));
        }
        if seen.insert(tool.clone()) {
            checked.push(tool);
        }
    }
    Ok(checked)
}

/// One line without what cannot be seen; `None` if nothing is left.
fn clean(note: &str) -> Option<String> {
    let plain: String = note
        .chars()
        .map(|character| {
            if character.is_whitespace() {
                ' '
            } else {
                character
            }
        })
        .filter(|character| !is_hidden(*character))
        .take(MOST_NOTE)
        .collect();
    let plain = plain.trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

#[cfg(test)]
#[path = "surface_tests.rs"]
mod tests;
