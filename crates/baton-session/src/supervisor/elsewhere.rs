//! Sessions that were begun elsewhere: listed, imported, watched.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
    time::UNIX_EPOCH,
};

use baton_claude::transcript::{Owner, SessionFile, list_sessions, locate, owners, session_file};
use baton_protocol::{
    Event, Seq, SessionId, Timestamp,
    event::{SessionCreated, SessionOptions},
    words::Mode,
};
use baton_store::{NewSession, StoredEvent};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::{Slot, Supervisor, SupervisorError, watcher::Watcher};
use crate::{
    agents::AgentKind,
    blob,
    handle::SessionHandle,
    machine::{Facts, Observed, Sight},
};

/// A list shows no more than the newest of them.
const LISTED: usize = 200;
/// Those who may wait for a watcher. Full means they wait for a place.
const ASKS: usize = 8;

/// A session that the agent has on disk and Baton did not begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElsewhereSession {
    /// The agent's name for it.
    pub agent_session_id: Uuid,
    pub title: Option<String>,
    pub cwd: String,
    pub started_at: Option<Timestamp>,
    pub last_activity_at: Timestamp,
    /// The process that runs it now.
    pub live: Option<ElsewhereOwner>,
    /// The session it is here.
    pub imported_as: Option<SessionId>,
}

/// A process that runs a session elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElsewhereOwner {
    pub pid: i32,
    /// What it was started as: `cli` in a terminal, `sdk-…` by a program.
    pub entrypoint: Option<String>,
}

impl Supervisor {
    /// What Claude Code has on disk for a folder and Baton did not begin, the
    /// newest first.
    pub async fn history(&self, folder: &Path) -> Result<Vec<ElsewhereSession>, SupervisorError> {
        let cwd = PathBuf::from(self.folder(folder)?);
        let config = self.home.claude_config.clone();
        let unlisted = |source| SupervisorError::Unlisted {
            cwd: cwd.clone(),
            source,
        };
        // Many small files: not on a runtime's thread.
        let (listing_config, listing_cwd) = (config.clone(), cwd.clone());
        let listed = tokio::task::spawn_blocking(move || {
            let sessions = list_sessions(&listing_config, &listing_cwd)?.sessions;
            // Who runs them is an extra; a list without it is still a list.
            Ok((sessions, owners(&listing_config).unwrap_or_default()))
        });
        let listed = listed.await.map_err(std::io::Error::other);
        let (files, owners) = listed.and_then(|listed| listed).map_err(unlisted)?;
        let ids: Vec<Uuid> = files.iter().map(|file| file.id).collect();
        let here = self.known_here(&ids).await?;
        let mut found = Vec::new();
        for file in files {
            let imported_as = match here.get(&file.id) {
                None => None,
                Some(Here::Imported(id)) => Some(*id),
                Some(Here::Begun) => continue,
            };
            found.push(described(file, &owners, imported_as));
        }
        found.sort_by_key(|session| std::cmp::Reverse(session.last_activity_at));
        found.truncate(LISTED);
        Ok(found)
    }

    /// Makes a session of one that was begun elsewhere, and reads its history
    /// into the log. While a process elsewhere runs it, it is watched; after
    /// that a message takes it up here. The same one again is the same session.
    pub async fn import(
        &self,
        agent_session_id: Uuid,
        folder: &Path,
    ) -> Result<SessionHandle, SupervisorError> {
        let slot = self.import_slot(agent_session_id);
        let made = slot.get_or_try_init(|| async {
            if let Some(here) = self.known_here(&[agent_session_id]).await?.pop_first() {
                let id = match here.1 {
                    Here::Imported(id) => id,
                    Here::Begun => return Err(SupervisorError::BegunHere(agent_session_id)),
                };
                return self.open(id).await;
            }
            self.make(agent_session_id, folder).await
        });
        let handle = made.await?.clone();
        // Whoever runs it elsewhere is no obstacle to reading it.
        handle.catch_up().await.ok();
        Ok(handle)
    }

    async fn make(&self, name: Uuid, folder: &Path) -> Result<SessionHandle, SupervisorError> {
        let cwd = self.folder(folder)?;
        let missing = || SupervisorError::NoTranscript {
            id: name,
            cwd: PathBuf::from(&cwd),
        };
        let listed = list_sessions(&self.home.claude_config, Path::new(&cwd));
        let files = listed.map_err(|_| missing())?.sessions;
        let file = files.into_iter().find(|file| file.id == name);
        let file = file.ok_or_else(missing)?;
        let at = started_at(&file).unwrap_or_else(|| self.world.now());
        let id = SessionId::from_uuid(self.world.id());
        let options = self.with_defaults(AgentKind::Claude, SessionOptions::default())?;
        let options = self.vault.part(id, &options);
        let created = SessionCreated {
            agent: AgentKind::Claude.name().to_owned(),
            mode: Mode::Structured,
            runtime: self.defaults.runtime,
            cwd: cwd.clone(),
            project: None,
            title: file.title,
            forked_from: None,
            forked_at: None,
            resumes: Some(name.to_string()),
            options: options.map_err(SupervisorError::Vault)?,
        };
        let new = NewSession {
            project_id: blob::project_id(&cwd),
            project_path: cwd.clone(),
            created_at: at,
        };
        let begun = Observed {
            at,
            what: Sight::Created {
                created,
                agent_session_id: name.to_string(),
            },
        };
        let slot = self.slot(id);
        // Whoever finds it in the log meanwhile waits for this task.
        let made = slot.get_or_try_init(|| async {
            let handle = self.spawn(id, Facts::default(), Seq::START);
            handle.observe(vec![begun], Some(new)).await?;
            Ok::<_, SupervisorError>(self.watch(handle, name, Path::new(&cwd)))
        });
        made.await.cloned()
    }

    /// Imported sessions that somebody's process runs now.
    pub(super) async fn run_elsewhere(&self) -> Result<Vec<SessionId>, SupervisorError> {
        let owners = owners(&self.home.claude_config).unwrap_or_default();
        let names: Vec<Uuid> = owners.iter().map(|owner| owner.session).collect();
        let here = self.known_here(&names).await?;
        let imported = here.into_values().filter_map(|here| match here {
            Here::Imported(id) => Some(id),
            Here::Begun => None,
        });
        Ok(imported.collect())
    }

    /// Follows what happens to a session elsewhere until it has run here.
    pub(super) fn watch(&self, handle: SessionHandle, name: Uuid, cwd: &Path) -> SessionHandle {
        let config = self.home.claude_config.clone();
        let path = session_file(&config, cwd, name).ok();
        let moved = || locate(&config, name).ok()?.into_iter().next();
        let Some(path) = path.filter(|path| path.is_file()).or_else(moved) else {
            return handle;
        };
        let (asks, asked) = mpsc::channel(ASKS);
        let watcher = Watcher {
            readers: handle.readers(),
            handle: handle.clone(),
            store: self.store.clone(),
            world: Arc::clone(&self.world),
            config,
            session: name,
            path,
            asks: asked,
        };
        let cancel = self.cancel.child_token();
        self.tasks.spawn(async move {
            // Nothing is lost by stopping anywhere: the log knows how far it came.
            cancel.run_until_cancelled(watcher.run()).await;
        });
        handle.watched_by(asks)
    }

    /// Which of the agent's sessions are sessions here.
    async fn known_here(&self, names: &[Uuid]) -> Result<BTreeMap<Uuid, Here>, SupervisorError> {
        let ids = names.iter().map(Uuid::to_string).collect();
        let mut here = BTreeMap::new();
        for row in self.store.sessions_by_agent_session(ids).await? {
            let name = row.agent_session_id.as_deref();
            let Some(name) = name.and_then(|name| Uuid::try_parse(name).ok()) else {
                continue;
            };
            let first = self.store.read_after(row.id, Seq::START, 1).await?;
            let first = first.first().map(StoredEvent::envelope).transpose()?;
            let imported = first.is_some_and(|first| {
                matches!(first.event, Event::SessionCreated(created)
                    if created.forked_from.is_none()
                        && created.forked_at.is_none()
                        && created.resumes.is_some())
            });
            let kind = if imported {
                Here::Imported(row.id)
            } else {
                Here::Begun
            };
            here.entry(name).or_insert(kind);
        }
        Ok(here)
    }

    fn import_slot(&self, name: Uuid) -> Slot {
        let mut imports = self.imports.lock().unwrap_or_else(PoisonError::into_inner);
        imports.retain(|_, slot| slot.get().is_none_or(SessionHandle::is_alive));
        Arc::clone(imports.entry(name).or_default())
    }
}

/// What a session of the agent's is here.
enum Here {
    /// Begun here, or a fork made here.
    Begun,
    Imported(SessionId),
}

/// The agent's name and folder of a session that is somebody else's.
pub(super) fn name_of(facts: &Facts) -> Option<(Uuid, PathBuf)> {
    facts.elsewhere?;
    let name = facts.agent_session_id.as_deref()?.parse().ok()?;
    let created = facts.created.as_ref()?;
    Some((name, PathBuf::from(&created.cwd)))
}

fn described(
    file: SessionFile,
    owners: &[Owner],
    imported_as: Option<SessionId>,
) -> ElsewhereSession {
    let owner = owners.iter().find(|owner| owner.session == file.id);
    let changed = file.modified_at.duration_since(UNIX_EPOCH);
    let changed = changed.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    });
    ElsewhereSession {
        agent_session_id: file.id,
        started_at: started_at(&file),
        last_activity_at: file
            .last_at
            .as_deref()
            .and_then(|at| at.parse().ok())
            .unwrap_or(Timestamp::from_millis(changed)),
        title: file.title,
        cwd: file.cwd,
        live: owner.map(|owner| ElsewhereOwner {
            pid: owner.pid,
            entrypoint: owner.entrypoint.clone(),
        }),
        imported_as,
    }
}

fn started_at(file: &SessionFile) -> Option<Timestamp> {
    file.started_at.as_deref().and_then(|at| at.parse().ok())
}
