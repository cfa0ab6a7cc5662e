//! Reader threads, each with a connection of its own, so that no read waits
//! for a commit to reach the disk.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
};

use rusqlite::Connection;
use tokio::sync::mpsc;

use crate::{connection, error::OpenError};

/// A read: short, and it carries its own way back to who asked.
pub(crate) type Job = Box<dyn FnOnce(&Connection) + Send>;

/// Two, so that one long search does not stop every follower.
const THREADS: usize = 2;

/// Reads that may wait. When full, who asks waits for a place.
const QUEUE: usize = 256;

pub(crate) fn start(path: &Path) -> Result<(mpsc::Sender<Job>, Vec<JoinHandle<()>>), OpenError> {
    let (jobs, queue) = mpsc::channel(QUEUE);
    let queue = Arc::new(Mutex::new(queue));
    let threads = (0..THREADS)
        .map(|number| {
            let conn = connection::open_reader(path)?;
            let queue = Arc::clone(&queue);
            std::thread::Builder::new()
                .name(format!("baton-read-{number}"))
                .spawn(move || run(&conn, &queue))
                .map_err(|source| OpenError::from_io(path.to_owned(), source))
        })
        .collect::<Result<_, _>>()?;
    Ok((jobs, threads))
}

/// Ends when every sender is gone.
fn run(conn: &Connection, queue: &Mutex<mpsc::Receiver<Job>>) {
    loop {
        // The idle thread waits inside the lock; the next one waits for the lock.
        let job = queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .blocking_recv();
        match job {
            Some(job) => job(conn),
            None => return,
        }
    }
}
