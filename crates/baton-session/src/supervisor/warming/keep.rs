//! The task of one process that waits: from its start until it is taken or gone.

use std::{ffi::OsString, path::Path, sync::Arc, time::Duration};

use baton_process::holder::{
    self, HolderEvent, HolderLimits, HolderReader, HolderSpec, Position, ReadError, Tie,
};
use baton_protocol::HolderId;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{Warming, ear::Ear};
use crate::{
    actor::{Actor, HolderLink, Rehearsed, Waiting},
    supervisor::lock,
    warm::Number,
};

/// The grace of each stage of its end: stdin closed, SIGTERM, SIGKILL. It ends
/// by itself at the first, and removes what it has put into files.
const GRACE: Duration = Duration::from_secs(3);
/// After all of them it is ended from outside.
const GONE: Duration = Duration::from_secs(12);

/// Why a task lets go of its process.
enum Over {
    Taken,
    /// To be ended, if it has not ended by itself.
    Close,
}

impl Warming {
    /// Starts a process and keeps it. Whatever comes of it, nothing is left
    /// behind but what was taken.
    pub(super) async fn keep(
        self: Arc<Self>,
        number: Number,
        mut rehearsal: Actor,
        name: String,
        close: CancellationToken,
    ) {
        // Dropped last, when nothing of the process is left.
        let (_here, gone) = watch::channel(());
        let holder = HolderId::from_uuid(self.kit.world.id());
        let rehearsed = match rehearsal.rehearse(holder).await {
            Ok(rehearsed) => rehearsed,
            Err(error) => {
                tracing::warn!(%error, "what would be started cannot be looked at");
                None
            }
        };
        let initialize = self.kit.world.random_id().to_string();
        let first = rehearsal.initialization(initialize.clone());
        let host = self.kit.host.clone();
        let host = host.map(|host| (host, rehearsal.as_caller()));
        drop(rehearsal);
        if let Some(rehearsed) = rehearsed.filter(|_| !close.is_cancelled()) {
            let dir = self.kit.holders.join(holder.to_string());
            if let Some((reader, mut writer)) = self.begin(&dir, &rehearsed).await {
                let mut ear = Ear::new(rehearsed.launch.kind, host);
                ear.tell(&first, &mut writer).await;
                let taken = CancellationToken::new();
                let waits = Waiting {
                    holder,
                    dir: dir.clone(),
                    pid: writer.agent_pid(),
                    agent_session_id: Some(name),
                    rehearsed,
                    initialize,
                    close: close.clone(),
                    taken: taken.clone(),
                    gone,
                };
                self.watch_over(number, waits, ear, (reader, writer)).await;
            }
        }
        let now = self.kit.world.uptime();
        lock(&self.state).kept.remove(&number);
        if !self.kit.cancel.is_cancelled() {
            self.step(|warmth| warmth.gone(number, now));
        }
    }

    /// A process, and the way to it.
    async fn begin(&self, dir: &Path, rehearsed: &Rehearsed) -> Option<HolderLink> {
        let home = &self.kit.home;
        let launch = &rehearsed.launch;
        let spec = HolderSpec {
            dir: dir.to_owned(),
            marks: launch.marks.clone(),
            agent: launch.spec.clone(),
            tie: Tie::Owner,
            limits: HolderLimits::default(),
        };
        let leading = [OsString::from(&home.holder_command)];
        let started = holder::start_with(&home.baton, &leading, &spec, &launch.files).await;
        if let Err(error) = started {
            tracing::debug!(%error, "no process waits");
            return None;
        }
        match holder::attach(dir, Position(0)).await {
            Ok(link) => Some(link),
            Err(error) => {
                tracing::warn!(%error, "a process that is to wait cannot be reached");
                clear(dir).await;
                None
            }
        }
    }

    async fn watch_over(
        self: &Arc<Self>,
        number: Number,
        waits: Waiting,
        mut ear: Ear,
        mut link: HolderLink,
    ) {
        let dir = waits.dir.clone();
        let (close, taken) = (waits.close.clone(), waits.taken.clone());
        {
            let mut state = lock(&self.state);
            if state.warmth.up(number)
                && let Some(kept) = state.kept.get_mut(&number)
            {
                kept.waits = Some(waits);
            } else {
                // Nobody wants it any more; it is closed as it is dropped.
                drop(waits);
            }
        }
        match self
            .wait(number, &mut ear, &mut link, (&close, &taken))
            .await
        {
            Over::Taken => {}
            Over::Close => {
                link.1.stop(GRACE).await;
                timeout(GONE, last_word(&mut link.0)).await.ok();
                drop(link);
                clear(&dir).await;
            }
        }
    }

    async fn wait(
        self: &Arc<Self>,
        number: Number,
        ear: &mut Ear,
        (reader, writer): &mut HolderLink,
        (close, taken): (&CancellationToken, &CancellationToken),
    ) -> Over {
        let mut reads = true;
        loop {
            let due = lock(&self.state).warmth.deadline();
            let now = self.kit.world.uptime();
            let due = due.map_or(GONE, |due| due.saturating_sub(now));
            tokio::select! {
                biased;
                () = taken.cancelled() => return Over::Taken,
                () = close.cancelled() => return Over::Close,
                event = reader.next(), if reads => match event {
                    Ok(HolderEvent::Output { bytes, .. }) => {
                        let is_up = ear.hear(&bytes);
                        if let Some(kept) = lock(&self.state).kept.get_mut(&number) {
                            kept.spoke = is_up;
                        }
                    }
                    Ok(HolderEvent::Stderr { .. } | HolderEvent::CaughtUp { .. }) => {}
                    // Its session reads it now, or is about to let go of it.
                    Err(ReadError::Replaced) => reads = false,
                    Ok(HolderEvent::Exited { .. }) | Err(_) => return Over::Close,
                },
                // Once it is a session's, that answers.
                answer = ear.answer(), if reads => ear.tell(&answer, writer).await,
                () = sleep(due) => {
                    let now = self.kit.world.uptime();
                    self.step(|warmth| warmth.tick(now));
                }
            }
        }
    }

    /// Looks whether a process that waits is still what would be started.
    pub(super) async fn look(
        self: Arc<Self>,
        number: Number,
        mut rehearsal: Actor,
        (holder, started): (HolderId, Rehearsed),
    ) {
        let now = rehearsal.rehearse(holder).await.ok().flatten();
        if now.as_ref() != Some(&started) {
            self.step(|warmth| warmth.stale(number));
        }
    }
}

async fn last_word(reader: &mut HolderReader) {
    loop {
        match reader.next().await {
            Ok(HolderEvent::Exited { .. }) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

/// Leaves nothing of a process that is no session's.
async fn clear(dir: &Path) {
    if holder::is_alive(dir)
        && let Err(error) = holder::end(dir).await
    {
        tracing::warn!(%error, "a process that waited goes on");
    }
    if let Err(error) = holder::remove(dir).await {
        tracing::warn!(%error, "a holder's folder could not be removed");
    }
}
