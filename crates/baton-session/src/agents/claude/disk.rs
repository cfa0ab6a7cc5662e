//! Where the CLI keeps what on disk.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use baton_claude::transcript::{
    SessionFile, SessionProcess, list_sessions, locate, owner_of, owners, plan_slug, project_dir,
};
use baton_protocol::{
    Timestamp,
    api::{LiveProcess, PastSession},
    words::Scope,
};
use uuid::Uuid;

/// What the CLI keeps for its sessions, below its own folder.
const OF_SESSIONS: &[&str] = &[
    "agents", "commands", "plans", "plugins", "skills", "tasks", "todos",
];

/// What it has of a folder, whoever began it.
pub(in crate::agents) fn past_sessions(config: &Path, cwd: &Path) -> io::Result<Vec<PastSession>> {
    let found = list_sessions(config, cwd)?.sessions.into_iter();
    // Who runs them is an extra; a list without it is still a list.
    let owners = owners(config).unwrap_or_default();
    Ok(found.map(|file| described(file, &owners)).collect())
}

fn described(file: SessionFile, owners: &[SessionProcess]) -> PastSession {
    let owner = owners.iter().find(|owner| owner.session == file.id);
    let time = |at: &Option<String>| at.as_deref().and_then(|at| at.parse().ok());
    let changed = file.modified_at.duration_since(UNIX_EPOCH);
    let changed = changed.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    });
    PastSession {
        agent_session_id: file.id.to_string(),
        started_at: time(&file.started_at),
        last_activity_at: time(&file.last_at).unwrap_or(Timestamp::from_millis(changed)),
        title: file.title,
        cwd: file.cwd,
        live: owner.map(|owner| LiveProcess {
            pid: owner.pid,
            entrypoint: owner.entrypoint.clone(),
        }),
        imported_as: None,
    }
}

pub(in crate::agents) fn running(config: &Path) -> Vec<Uuid> {
    let owners = owners(config).unwrap_or_default();
    owners.iter().map(|owner| owner.session).collect()
}

pub(in crate::agents) fn owner(config: &Path, id: Uuid) -> Option<i32> {
    match owner_of(config, id) {
        Ok(owner) => owner.map(|owner| owner.pid),
        Err(error) => {
            tracing::warn!(%error, "the registry of claude's processes cannot be read");
            None
        }
    }
}

/// The CLI says the name of a conversation's plans beside what it writes down.
pub(in crate::agents) fn is_plan_of(config: &Path, conversation: Uuid, plan: &Path) -> bool {
    let name = plan.file_stem().and_then(OsStr::to_str);
    let found = locate(config, conversation).unwrap_or_default();
    let mut slugs = found
        .into_iter()
        .filter_map(|file| plan_slug(&file).ok().flatten());
    name.is_some_and(|name| {
        slugs.any(|slug| {
            let rest = name.strip_prefix(&slug);
            // A sub-agent's plan has its name behind that.
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("-agent-"))
        })
    })
}

pub(in crate::agents) fn own_files(config: &Path, cwd: &Path) -> Vec<PathBuf> {
    let notes = project_dir(config, cwd).unwrap_or_else(|_| config.join("plans"));
    let own = OF_SESSIONS.iter().map(|name| config.join(name));
    own.chain([notes]).collect()
}

/// Settings files, the user's first.
pub(in crate::agents) fn rule_files(
    config: &Path,
    project: Option<&Path>,
) -> Vec<(PathBuf, Scope)> {
    let of_project = project.map(|project| {
        ["settings.json", "settings.local.json"]
            .map(|name| (project.join(".claude").join(name), Scope::Project))
    });
    let of_user = (config.join("settings.json"), Scope::User);
    std::iter::once(of_user)
        .chain(of_project.into_iter().flatten())
        .collect()
}
