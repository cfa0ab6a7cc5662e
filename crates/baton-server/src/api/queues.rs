//! How much waits where, for whoever watches the daemon.

use std::{
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::mpsc;

use super::Api;

/// Tells how many wait in a queue; none once its client has gone.
type Depth = Box<dyn Fn() -> Option<usize> + Send + Sync>;

/// The queues of what goes to clients. Each is known as long as its client is,
/// so there are no more of them than connections.
#[derive(Default)]
pub(super) struct Queues(Mutex<Vec<Depth>>);

impl Queues {
    fn lock(&self) -> MutexGuard<'_, Vec<Depth>> {
        // A panic leaves whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Queues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queues").finish_non_exhaustive()
    }
}

impl Api {
    /// Counts what waits in this queue from now on.
    pub(crate) fn watch_queue<T: Send + 'static>(&self, queue: &mpsc::Sender<T>) {
        let queue = queue.downgrade();
        let depth = move || {
            let queue = queue.upgrade()?;
            Some(queue.max_capacity() - queue.capacity())
        };
        let mut queues = self.sessions.queues.lock();
        queues.retain(|depth| depth().is_some());
        queues.push(Box::new(depth));
    }

    /// What waits for clients: for all, and for the one with the most.
    pub(crate) fn waiting_for_clients(&self) -> (u64, u64) {
        let queues = self.sessions.queues.lock();
        let depths = queues.iter().filter_map(|depth| depth());
        depths.fold((0, 0), |(all, most), one| {
            let one = one as u64;
            (all + one, most.max(one))
        })
    }
}
