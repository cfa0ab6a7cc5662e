//! Which live process runs a session.
//!
//! Every CLI keeps one small file about itself while it runs and removes it
//! when it ends. One that was killed leaves its file behind, and its number
//! may go to another process, so a file is believed only as far as the process
//! it tells of is there.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use serde::Deserialize;
use uuid::Uuid;

use crate::json;

/// More is no file of the CLI's; it keeps a few hundred bytes.
const MAX_FILE: u64 = 64 * 1024;

/// A process of the CLI that lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionProcess {
    /// Its number.
    pub pid: i32,
    /// The session it runs.
    pub session: Uuid,
    /// Where it runs.
    pub cwd: Option<String>,
    /// What it was started as: `cli` in a terminal, `sdk-…` by a program.
    pub entrypoint: Option<String>,
    /// Its version.
    pub version: Option<String>,
}

/// The processes of the CLI that live, in the order of their numbers. What
/// cannot be read is skipped.
///
/// # Errors
/// Fails when the folder of the registry cannot be read; one that does not
/// exist just has none.
pub fn owners(config_dir: &Path) -> io::Result<Vec<SessionProcess>> {
    let entries = match std::fs::read_dir(config_dir.join("sessions")) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found: Vec<SessionProcess> = entries
        .flatten()
        .filter_map(|entry| live(&entry.path()))
        .collect();
    found.sort_by_key(|owner| owner.pid);
    Ok(found)
}

/// The live process that runs a session.
///
/// # Errors
/// Fails when the folder of the registry cannot be read.
pub fn owner_of(config_dir: &Path, session: Uuid) -> io::Result<Option<SessionProcess>> {
    let mut owners = owners(config_dir)?.into_iter();
    Ok(owners.find(|owner| owner.session == session))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    pid: i32,
    session_id: Uuid,
    #[serde(default, deserialize_with = "json::opt_string")]
    cwd: Option<String>,
    #[serde(borrow, default, deserialize_with = "json::opt_cow")]
    proc_start: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "json::opt_string")]
    entrypoint: Option<String>,
    #[serde(default, deserialize_with = "json::opt_string")]
    version: Option<String>,
}

fn live(path: &Path) -> Option<SessionProcess> {
    let is_json = path
        .extension()
        .is_some_and(|extension| extension == "json");
    if !is_json || std::fs::metadata(path).ok()?.len() > MAX_FILE {
        return None;
    }
    let text = std::fs::read(path).ok()?;
    let wire: Wire<'_> = serde_json::from_slice(&text).ok()?;
    // A start in another count than this system's cannot be compared.
    let started = wire.proc_start.and_then(|start| start.parse().ok());
    baton_process::is_running(wire.pid, started).then_some(SessionProcess {
        pid: wire.pid,
        session: wire.session_id,
        cwd: wire.cwd,
        entrypoint: wire.entrypoint,
        version: wire.version,
    })
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
