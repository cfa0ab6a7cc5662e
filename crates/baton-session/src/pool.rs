//! Places for agents' processes: how many may run, and which is let go first.
//!
//! A session holds a place while it has a process. When all places are taken,
//! the process that has been without work the longest makes room; its session
//! stays and goes on when it is spoken to. One that works, waits for a person
//! or has work in the background is never sent away.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use baton_protocol::{ProjectId, SessionId, Timestamp};
use tokio::sync::{mpsc::WeakSender, watch};

use crate::{actor::Message, machine::Input};

/// How many processes there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLimits {
    /// Sessions with a process, in all.
    pub sessions: usize,
    pub per_project: usize,
    /// Processes that are kept though they have nothing to do.
    pub warm: usize,
}

impl Default for PoolLimits {
    /// A Claude process takes about 200 MB.
    fn default() -> Self {
        Self {
            sessions: 16,
            per_project: 8,
            warm: 8,
        }
    }
}

/// All places are taken by sessions at work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {}, and {}", agents(*limit), if *.in_project { "in one project" } else { "at once" }, if *limit == 1 { "it is at work" } else { "all of them are at work" })]
pub struct NoPlace {
    pub limit: usize,
    pub in_project: bool,
    /// The sessions that hold the places.
    pub sessions: Vec<SessionId>,
}

fn agents(limit: usize) -> String {
    if limit == 1 {
        "1 agent may run".into()
    } else {
        format!("{limit} agents may run")
    }
}

#[derive(Debug)]
pub(crate) struct Pool {
    limits: PoolLimits,
    places: Mutex<BTreeMap<SessionId, Place>>,
    /// Changes when a place may be had that could not be had before.
    room: watch::Sender<u64>,
}

#[derive(Debug)]
struct Place {
    project: ProjectId,
    /// Since when its process could be let go.
    idle_since: Option<Timestamp>,
    inbox: WeakSender<Message>,
}

impl Pool {
    pub(crate) fn new(limits: PoolLimits) -> Self {
        Self {
            limits,
            places: Mutex::new(BTreeMap::new()),
            room: watch::Sender::new(0),
        }
    }

    /// Wakes whoever waits for a place when one may be had. Who of several is
    /// first gets it; the others wait on.
    pub(crate) fn room(&self) -> watch::Receiver<u64> {
        self.room.subscribe()
    }

    /// Takes a place for a session whose process is about to start.
    pub(crate) fn take(
        &self,
        session: SessionId,
        project: ProjectId,
        inbox: &WeakSender<Message>,
    ) -> Result<(), NoPlace> {
        let mut places = self.lock();
        if places.contains_key(&session) {
            return Ok(());
        }
        self.make_room(&mut places, project)?;
        let place = Place {
            project,
            idle_since: None,
            inbox: inbox.clone(),
        };
        places.insert(session, place);
        Ok(())
    }

    /// Whether a session of this project could be given a place.
    pub(crate) fn has_room(&self, project: ProjectId) -> Result<(), NoPlace> {
        let places = self.lock();
        self.crowd(&places, project).map(|_| ())
    }

    /// How many more could run in a project without any being sent away.
    pub(crate) fn free(&self, project: ProjectId) -> usize {
        let places = self.lock();
        let own = places.values().filter(|place| place.project == project);
        let own = self.limits.per_project.saturating_sub(own.count());
        own.min(self.limits.sessions.saturating_sub(places.len()))
    }

    /// What a session's process is doing. One that an earlier owner left has
    /// its place in any case.
    pub(crate) fn update(
        &self,
        session: SessionId,
        project: ProjectId,
        inbox: &WeakSender<Message>,
        process: Option<IdleSince>,
    ) {
        let mut places = self.lock();
        let Some(IdleSince(idle_since)) = process else {
            if places.remove(&session).is_some() {
                self.room.send_modify(|changes| *changes += 1);
            }
            return;
        };
        let place = places.entry(session).or_insert_with(|| Place {
            project,
            idle_since: None,
            inbox: inbox.clone(),
        });
        let became_idle = idle_since.is_some() && place.idle_since.is_none();
        if became_idle || idle_since.is_none() {
            place.idle_since = idle_since;
        }
        if became_idle {
            self.room.send_modify(|changes| *changes += 1);
        }
        let idle = places.values().filter(|one| one.idle_since.is_some());
        if became_idle && idle.count() > self.limits.warm {
            evict(&mut places, |_| true);
        }
    }

    fn make_room(
        &self,
        places: &mut BTreeMap<SessionId, Place>,
        project: ProjectId,
    ) -> Result<(), NoPlace> {
        match self.crowd(places, project)? {
            Crowd::Room => {}
            Crowd::Project => evict(places, |place| place.project == project),
            Crowd::All => evict(places, |_| true),
        }
        Ok(())
    }

    /// Who would have to go for one more of this project.
    fn crowd(
        &self,
        places: &BTreeMap<SessionId, Place>,
        project: ProjectId,
    ) -> Result<Crowd, NoPlace> {
        let own = |place: &&Place| place.project == project;
        let full = |limit: usize, in_project: bool| NoPlace {
            limit,
            in_project,
            sessions: places
                .iter()
                .filter(|(_, place)| !in_project || own(place))
                .map(|(session, _)| *session)
                .collect(),
        };
        if places.values().filter(own).count() >= self.limits.per_project {
            let idle = places
                .values()
                .filter(own)
                .any(|one| one.idle_since.is_some());
            return if idle {
                Ok(Crowd::Project)
            } else {
                Err(full(self.limits.per_project, true))
            };
        }
        if places.len() >= self.limits.sessions {
            let idle = places.values().any(|one| one.idle_since.is_some());
            return if idle {
                Ok(Crowd::All)
            } else {
                Err(full(self.limits.sessions, false))
            };
        }
        Ok(Crowd::Room)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionId, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Since when a process has had nothing to do; none while it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IdleSince(pub(crate) Option<Timestamp>);

enum Crowd {
    Room,
    Project,
    All,
}

/// Lets the process go that has been without work the longest. Its place is
/// free at once: it needs no more than a moment to end.
fn evict(places: &mut BTreeMap<SessionId, Place>, among: impl Fn(&Place) -> bool) {
    let idle = places.iter().filter(|(_, place)| among(place));
    let idle = idle.filter_map(|(session, place)| Some((place.idle_since?, *session)));
    let Some((_, session)) = idle.min() else {
        return;
    };
    if let Some(place) = places.remove(&session)
        && let Some(inbox) = place.inbox.upgrade()
    {
        // A full inbox means that somebody just found work for it.
        inbox.try_send(Message::unasked(Input::Evict)).ok();
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
