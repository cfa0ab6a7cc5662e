//! Sessions that were begun elsewhere: listed, imported, watched.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use baton_protocol::{
    Event, Seq, SessionId,
    api::PastSession,
    event::{SessionCreated, SessionOptions},
    words::Mode,
};
use baton_store::{NewSession, StoredEvent};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::{Slot, Supervisor, SupervisorError};
use crate::{
    agents::{AgentKind, Watcher},
    blob,
    handle::SessionHandle,
    machine::{Facts, Observed, Sight},
};

/// A list shows no more than the newest of them.
const LISTED: usize = 200;
/// Those who may wait for a watcher. Full means they wait for a place.
const ASKS: usize = 8;

impl Supervisor {
    /// What agents have on disk for a folder and Baton did not begin, the
    /// newest first.
    pub async fn history(&self, folder: &Path) -> Result<Vec<PastSession>, SupervisorError> {
        let cwd = PathBuf::from(self.folder(folder)?);
        let unlisted = |source| SupervisorError::Unlisted {
            cwd: cwd.clone(),
            source,
        };
        // Many small files: not on a runtime's thread.
        let (home, listed_cwd) = (Arc::clone(&self.home), cwd.clone());
        let listed = tokio::task::spawn_blocking(move || home.past_sessions(&listed_cwd));
        let listed = listed.await.map_err(std::io::Error::other);
        let listed = listed.and_then(|listed| listed).map_err(unlisted)?;
        let name = |one: &PastSession| one.agent_session_id.parse().ok();
        let names: Vec<Uuid> = listed.iter().filter_map(|(_, one)| name(one)).collect();
        let here = self.known_here(&names).await?;
        let mut found = Vec::new();
        for (_, mut session) in listed {
            session.imported_as = match name(&session).and_then(|name| here.get(&name)) {
                None => None,
                Some(Here::Imported(id)) => Some(*id),
                Some(Here::Begun) => continue,
            };
            found.push(session);
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
        let listed = self.home.past_sessions(Path::new(&cwd));
        let mut listed = listed.map_err(|_| missing())?.into_iter();
        let own_name = name.to_string();
        let found = listed.find(|(_, one)| one.agent_session_id == own_name);
        let (kind, found) = found.ok_or_else(missing)?;
        let at = found.started_at.unwrap_or_else(|| self.world.now());
        let id = SessionId::from_uuid(self.world.id());
        let options = self.with_defaults(kind, SessionOptions::default())?;
        let options = self.vault.part(id, &options);
        let created = SessionCreated {
            agent: kind.name().to_owned(),
            mode: Mode::Structured,
            runtime: self.defaults.runtime,
            cwd: cwd.clone(),
            project: None,
            title: found.title,
            forked_from: None,
            forked_at: None,
            resumes: Some(own_name.clone()),
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
                agent_session_id: own_name,
            },
        };
        let slot = self.slot(id);
        // Whoever finds it in the log meanwhile waits for this task.
        let made = slot.get_or_try_init(|| async {
            let handle = self.spawn(id, Facts::default(), Seq::START, None);
            handle.observe(vec![begun], Some(new)).await?;
            Ok::<_, SupervisorError>(self.watch(handle, (kind, name), Path::new(&cwd)))
        });
        made.await.cloned()
    }

    /// Imported sessions that somebody's process runs now.
    pub(super) async fn run_elsewhere(&self) -> Result<Vec<SessionId>, SupervisorError> {
        let here = self.known_here(&self.home.running()).await?;
        let imported = here.into_values().filter_map(|here| match here {
            Here::Imported(id) => Some(id),
            Here::Begun => None,
        });
        Ok(imported.collect())
    }

    /// Follows what happens to a session elsewhere until it has run here.
    pub(super) fn watch(
        &self,
        handle: SessionHandle,
        (kind, name): (AgentKind, Uuid),
        cwd: &Path,
    ) -> SessionHandle {
        let Some(watched) = self.home.watched(kind, name, cwd) else {
            return handle;
        };
        let (asks, asked) = mpsc::channel(ASKS);
        let watcher = Watcher {
            readers: handle.readers(),
            handle: handle.clone(),
            store: self.store.clone(),
            world: Arc::clone(&self.world),
            watched,
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
