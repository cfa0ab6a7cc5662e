use baton_protocol::{ProjectId, SessionId, Timestamp};
use tokio::sync::mpsc;
use uuid::Uuid;

use super::{IdleSince, Pool, PoolLimits};
use crate::{actor::Message, machine::Input};

const LIMITS: PoolLimits = PoolLimits {
    sessions: 3,
    per_project: 2,
    warm: 2,
};

struct World {
    pool: Pool,
    inboxes: Vec<(mpsc::Sender<Message>, mpsc::Receiver<Message>)>,
}

impl World {
    fn new() -> Self {
        Self {
            pool: Pool::new(LIMITS),
            inboxes: (0..6).map(|_| mpsc::channel(4)).collect(),
        }
    }

    fn session(number: usize) -> SessionId {
        SessionId::from_uuid(Uuid::from_u128(number as u128))
    }

    fn project(number: u8) -> ProjectId {
        ProjectId::from_digest(&[number; 32])
    }

    /// Takes a place; says who holds them when there is none.
    fn take(&self, session: usize, project: u8) -> Result<(), Vec<SessionId>> {
        let inbox = self.inboxes[session].0.downgrade();
        let taken = self
            .pool
            .take(Self::session(session), Self::project(project), &inbox);
        taken.map_err(|full| full.sessions)
    }

    fn idle(&self, session: usize, project: u8, since: i64) {
        let inbox = self.inboxes[session].0.downgrade();
        let idle = IdleSince(Some(Timestamp::from_millis(since)));
        let (session, project) = (Self::session(session), Self::project(project));
        self.pool.update(session, project, &inbox, Some(idle));
    }

    fn was_evicted(&mut self, session: usize) -> bool {
        let message = self.inboxes[session].1.try_recv();
        message.is_ok_and(|message| message.addressed.input == Input::Evict)
    }
}

#[test]
fn working_sessions_keep_their_places_and_are_named() {
    let world = World::new();
    assert_eq!(world.take(1, 1), Ok(()));
    assert_eq!(world.take(2, 1), Ok(()));
    let held = vec![World::session(1), World::session(2)];
    assert_eq!(world.take(3, 1), Err(held), "two in one project");
    assert_eq!(world.take(3, 2), Ok(()));
    let held = (1..=3).map(World::session).collect();
    assert_eq!(world.take(4, 3), Err(held), "three in all");
    assert_eq!(world.take(1, 1), Ok(()), "a place once taken is kept");
}

#[test]
fn the_longest_idle_process_makes_room() {
    let mut world = World::new();
    for (session, project) in [(1, 1), (2, 1), (3, 2)] {
        assert_eq!(world.take(session, project), Ok(()));
    }
    world.idle(2, 1, 20);
    world.idle(3, 2, 10);
    assert_eq!(world.take(4, 3), Ok(()));
    assert!(world.was_evicted(3) && !world.was_evicted(2));
    assert_eq!(world.take(5, 1), Ok(()), "room in its own project");
    assert!(world.was_evicted(2) && !world.was_evicted(1));
}

#[test]
fn no_more_idle_processes_are_kept_than_may_be() {
    let mut world = World::new();
    for (session, project) in [(1, 1), (2, 1), (3, 2)] {
        assert_eq!(world.take(session, project), Ok(()));
    }
    world.idle(1, 1, 10);
    world.idle(2, 1, 20);
    assert!(!world.was_evicted(1));
    world.idle(3, 2, 30);
    assert!(world.was_evicted(1) && !world.was_evicted(2) && !world.was_evicted(3));
}
