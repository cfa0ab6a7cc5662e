//! The sessions of a directory, from the edges of their files.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Deserialize;
use uuid::Uuid;

use super::place::project_dir;
use super::row::{Row, RowBody};
use crate::json;

/// How much is read from each end of a file.
const EDGE: u64 = 64 * 1024;

/// How much of a prompt may serve as a title.
const TITLE_CHARS: usize = 200;

/// The sessions of a directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The sessions, the one changed last first.
    pub sessions: Vec<SessionFile>,
    /// Files that could not be read and were skipped.
    pub unreadable: usize,
}

/// A session on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// The session.
    pub id: Uuid,
    /// Its transcript.
    pub path: PathBuf,
    /// Where it runs.
    pub cwd: String,
    /// What to call it: the title given, the title made, the last prompt, a
    /// summary, or the first prompt.
    pub title: Option<String>,
    /// What it began with.
    pub first_prompt: Option<String>,
    /// The git branch it was on last.
    pub git_branch: Option<String>,
    /// When its first row was written, as the row says.
    pub started_at: Option<String>,
    /// When its last row was written, as the row says.
    pub last_at: Option<String>,
    /// When the file changed last.
    pub modified_at: SystemTime,
    /// The transcript's size in bytes.
    pub size: u64,
}

/// Lists the sessions of `cwd`. Other directories may share its folder of
/// transcripts; their sessions are left out.
///
/// # Errors
/// Fails when `cwd` does not exist or its folder cannot be read; a folder that
/// does not exist just has none.
pub fn list_sessions(config_dir: &Path, cwd: &Path) -> io::Result<Listing> {
    let folder = project_dir(config_dir, cwd)?;
    let wanted = cwd.canonicalize()?.to_string_lossy().into_owned();
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Listing::default()),
        Err(error) => return Err(error),
    };
    let mut listing = Listing::default();
    for entry in entries {
        let path = entry?.path();
        let Some(id) = session_id(&path) else {
            continue;
        };
        match summarise(id, &path) {
            Ok(Some(session)) if session.cwd == wanted => listing.sessions.push(session),
            Ok(_) => {}
            Err(_) => listing.unreadable += 1,
        }
    }
    listing
        .sessions
        .sort_by(|a, b| b.modified_at.cmp(&a.modified_at).then(a.id.cmp(&b.id)));
    Ok(listing)
}

fn session_id(path: &Path) -> Option<Uuid> {
    if path.extension()? != "jsonl" {
        return None;
    }
    path.file_stem()?.to_str()?.parse().ok()
}

/// None for a sub-agent's file and for one without any message.
fn summarise(id: Uuid, path: &Path) -> io::Result<Option<SessionFile>> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let rows = edges(&mut file, metadata.len())?;
    if rows.first().is_some_and(|row| row.is_sidechain) {
        return Ok(None);
    }
    let Some(cwd) = rows.iter().find_map(|row| row.cwd.clone()) else {
        return Ok(None);
    };
    let first_prompt = rows
        .iter()
        .find_map(Row::prompt)
        .map(|prompt| shorten(&prompt.text()));
    let newest = |pick: fn(&RowBody) -> Option<&String>| {
        rows.iter()
            .rev()
            .find_map(|row| pick(&row.body))
            .map(|title| shorten(title))
    };
    let title = newest(custom_title)
        .or_else(|| newest(ai_title))
        .or_else(|| newest(last_prompt))
        .or_else(|| newest(summary))
        .or_else(|| first_prompt.clone());
    Ok(Some(SessionFile {
        id,
        path: path.to_owned(),
        cwd,
        title,
        first_prompt,
        git_branch: rows.iter().rev().find_map(|row| row.git_branch.clone()),
        started_at: rows.iter().find_map(|row| row.timestamp.clone()),
        last_at: rows.iter().rev().find_map(|row| row.timestamp.clone()),
        modified_at: metadata.modified()?,
        size: metadata.len(),
    }))
}

/// Where a session runs, as its rows say.
pub(super) fn cwd_of(path: &Path) -> io::Result<Option<String>> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let rows = edges(&mut file, size)?;
    Ok(rows.iter().find_map(|row| row.cwd.clone()))
}

/// The rows that lie wholly in the first or the last 64 KiB.
fn edges(file: &mut File, size: u64) -> io::Result<Vec<Row>> {
    let mut head = Vec::new();
    file.take(EDGE).read_to_end(&mut head)?;
    let rows = |bytes: &[u8]| -> Vec<Row> {
        bytes
            .split(|byte| *byte == b'\n')
            .filter_map(Row::decode)
            .collect()
    };
    if size <= EDGE {
        return Ok(rows(&head));
    }
    // What is cut at an edge does not parse as a row, but a row that lies in
    // both edges must not count twice.
    let whole = head
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    head.truncate(whole);
    let start = (size - EDGE).max(whole as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.take(EDGE).read_to_end(&mut tail)?;
    let mut found = rows(&head);
    found.extend(rows(&tail));
    Ok(found)
}

fn custom_title(body: &RowBody) -> Option<&String> {
    if let RowBody::CustomTitle(title) = body {
        Some(title)
    } else {
        None
    }
}

fn ai_title(body: &RowBody) -> Option<&String> {
    if let RowBody::AiTitle(title) = body {
        Some(title)
    } else {
        None
    }
}

fn last_prompt(body: &RowBody) -> Option<&String> {
    if let RowBody::LastPrompt { prompt, .. } = body {
        prompt.as_ref()
    } else {
        None
    }
}

fn summary(body: &RowBody) -> Option<&String> {
    if let RowBody::Summary(summary) = body {
        Some(summary)
    } else {
        None
    }
}

fn shorten(text: &str) -> String {
    text.trim().chars().take(TITLE_CHARS).collect()
}

/// A sub-agent's transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    /// Names the sub-agent; equals its task id.
    pub agent_id: String,
    /// Its transcript.
    pub path: PathBuf,
    /// Its kind.
    pub agent_type: Option<String>,
    /// What it was started for.
    pub description: Option<String>,
    /// The call that started it.
    pub tool_use_id: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct MetaWire {
    #[serde(deserialize_with = "json::opt_string")]
    agent_type: Option<String>,
    #[serde(deserialize_with = "json::opt_string")]
    description: Option<String>,
    #[serde(deserialize_with = "json::opt_string")]
    tool_use_id: Option<String>,
}

/// Lists the sub-agents of a session, given its transcript.
///
/// # Errors
/// Fails when their folder cannot be read; one that does not exist just has
/// none.
pub fn subagents(session_file: &Path) -> io::Result<Vec<Subagent>> {
    let folder = session_file.with_extension("").join("subagents");
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let id = name.and_then(|name| name.strip_prefix("agent-")?.strip_suffix(".jsonl"));
        let Some(agent_id) = id.map(str::to_owned) else {
            continue;
        };
        let meta = std::fs::read(path.with_extension("meta.json")).unwrap_or_default();
        let meta: MetaWire = serde_json::from_slice(&meta).unwrap_or_default();
        found.push(Subagent {
            agent_id,
            path,
            agent_type: meta.agent_type,
            description: meta.description,
            tool_use_id: meta.tool_use_id,
        });
    }
    found.sort_by(|a, b| a.agent_id.cmp(&b.agent_id));
    Ok(found)
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
