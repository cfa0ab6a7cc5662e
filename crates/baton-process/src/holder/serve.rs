//! The holder's one loop.
//!
//! Single-threaded and blocking only in `poll`. The order of facts is fixed:
//! output is in the journal before the owner sees it, the exit record is on
//! disk before the holder ends. There is one buffer for output; while it waits
//! for the disk the agent is not read, so nothing is lost or reordered.

mod output;
mod owners;

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::process::Signal;

use super::agent::{Agent, Children};
use super::folder::Folder;
use super::input::StdinQueue;
use super::journal::{Chunk, Journal, RecordKind};
use super::life::{Act, Stage};
use super::marks::Marks;
use super::options::{Options, Tie};
use super::owner::{Candidate, OwnerConnection};
use super::poll::{Moment, Ready, Source, Wish, after, wait};
use super::signals::Signals;

pub(super) struct Holder {
    options: Options,
    folder: Folder,
    listener: Option<UnixListener>,
    signals: Signals,
    journal: Journal,
    agent: Agent,
    stage: Stage,
    input: StdinQueue,
    marks: Marks,
    chunk: Chunk,
    /// The disk refused; try again then.
    retry_at: Option<Moment>,
    candidate: Option<(Candidate, Moment)>,
    owner: Option<OwnerConnection>,
    /// Since when nobody is attached and the agent is silent.
    quiet_since: Moment,
    /// A holder that lives with its owner ends without one by then.
    owner_by: Option<Moment>,
}

/// What a holder needs to begin.
pub(super) struct Parts {
    pub(super) dir: PathBuf,
    pub(super) options: Options,
    pub(super) lock: File,
    pub(super) listener: UnixListener,
    pub(super) signals: Signals,
    pub(super) journal: Journal,
    pub(super) agent: Agent,
}

impl Holder {
    pub(super) fn new(parts: Parts) -> Self {
        let Parts {
            dir,
            options,
            lock,
            listener,
            signals,
            journal,
            agent,
        } = parts;
        let now = Moment::now();
        Self {
            owner_by: (options.tie != Tie::Free).then(|| after(now, options.limits.first_owner)),
            marks: Marks::new(options.marks.clone()),
            folder: Folder::new(dir, lock, options.limits.folder_check, now),
            options,
            listener: Some(listener),
            signals,
            journal,
            agent,
            stage: Stage::Running,
            input: StdinQueue::default(),
            chunk: Chunk::new(),
            retry_at: None,
            candidate: None,
            owner: None,
            quiet_since: now,
        }
    }

    /// Serves until the agent's end is on disk. When it cannot go on it leaves
    /// nothing running; the journal then has no end, and the agent is lost.
    pub(super) fn run(mut self) -> io::Result<()> {
        let served = self.serve();
        if served.is_err() {
            self.agent.signal(Signal::KILL);
            self.kill_descendants();
        }
        served
    }

    fn serve(&mut self) -> io::Result<()> {
        while !self.is_done() {
            let ready = wait(&self.wishes(), self.deadline())?;
            for ready in ready {
                self.handle(ready)?;
            }
            self.tick()?;
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Recording) && !self.chunk.is_pending()
    }

    fn wishes(&self) -> Vec<Wish<'_>> {
        let mut wishes = Vec::with_capacity(8);
        let mut wish = |source, fd, flags| wishes.push(Wish { source, fd, flags });
        wish(Source::Signals, self.signals.as_fd(), PollFlags::IN);
        if let Some(listener) = &self.listener {
            wish(Source::Listener, listener.as_fd(), PollFlags::IN);
        }
        if let Some((candidate, _)) = &self.candidate {
            wish(Source::Candidate, candidate.stream.as_fd(), PollFlags::IN);
        }
        if let Some(owner) = &self.owner {
            let mut flags = PollFlags::empty();
            flags.set(PollFlags::IN, owner.may_read(&self.input));
            flags.set(PollFlags::OUT, owner.lags(&self.journal));
            wish(Source::Owner, owner.stream.as_fd(), flags);
        }
        if let (Some(stdin), false) = (&self.agent.stdin, self.input.is_empty()) {
            wish(Source::Stdin, stdin.as_fd(), PollFlags::OUT);
        }
        if self.may_read_agent() {
            if let Some(stdout) = &self.agent.stdout {
                wish(Source::Stdout, stdout.as_fd(), PollFlags::IN);
            }
            if let Some(stderr) = &self.agent.stderr {
                wish(Source::Stderr, stderr.as_fd(), PollFlags::IN);
            }
        }
        wishes
    }

    /// The buffer is free and the owner is not too far behind. What a dead
    /// agent left in its pipes is taken whatever the owner does.
    fn may_read_agent(&self) -> bool {
        !self.chunk.is_pending()
            && (matches!(self.stage, Stage::Emptying { .. }) || !self.is_over_cap())
    }

    fn is_over_cap(&self) -> bool {
        self.journal.untaken() >= self.options.limits.untaken_bytes
    }

    fn deadline(&self) -> Option<Moment> {
        if matches!(self.stage, Stage::Emptying { .. }) && !self.chunk.is_pending() {
            return Some(Moment::now());
        }
        let hello = self.candidate.as_ref().map(|(_, until)| *until);
        [
            self.stage.deadline(),
            self.retry_at,
            hello,
            self.silence_over(),
            self.owner_by,
            self.folder.look_by(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// When the silent, unattended agent is to lose its stdin.
    fn silence_over(&self) -> Option<Moment> {
        let applies = self.owner.is_none()
            && !self.stage.is_stopping()
            && !self.input.is_over()
            && !self.marks.any_open()
            && self.may_read_agent();
        applies
            .then(|| self.quiet_since.checked_add(self.options.limits.silence))
            .flatten()
    }

    fn handle(&mut self, ready: Ready) -> io::Result<()> {
        match ready.source {
            Source::Signals => self.on_signals(),
            Source::Listener => self.on_connection(),
            Source::Candidate => self.on_hello(),
            Source::Owner => self.on_owner(ready),
            Source::Stdin => self.write_stdin(),
            Source::Stdout => self.read_agent(RecordKind::Stdout)?,
            Source::Stderr => self.read_agent(RecordKind::Stderr)?,
        }
        Ok(())
    }

    fn on_signals(&mut self) {
        if self.signals.take() {
            self.stop(self.options.limits.stop_grace);
        }
        self.reap();
    }

    fn reap(&mut self) -> Children {
        let children = self.agent.reap();
        if let (Some(exit), true) = (self.agent.exit, self.stage.is_alive()) {
            self.agent.stdin = None;
            self.input.discard();
            let until = after(Moment::now(), self.options.limits.drain);
            self.stage = Stage::Draining { exit, until };
        }
        children
    }

    fn stop(&mut self, grace: Duration) {
        self.stage.stop(Moment::now(), grace);
        self.close_stdin();
    }

    fn close_stdin(&mut self) {
        self.input.close();
        if self.input.is_over() {
            self.agent.stdin = None;
        }
    }

    fn write_stdin(&mut self) {
        let Some(stdin) = &self.agent.stdin else {
            return;
        };
        if self.input.write_to(stdin).is_err() {
            // The agent has closed its side; its exit tells the rest.
            self.input.discard();
        }
        if self.input.is_over() {
            self.agent.stdin = None;
        }
    }

    fn tick(&mut self) -> io::Result<()> {
        let now = Moment::now();
        if self.folder.is_newly_removed(now) {
            self.journal.detach();
            self.stop(self.options.limits.stop_grace);
        }
        if self.retry_at.is_some_and(|at| now >= at) {
            self.flush()?;
        }
        if self
            .candidate
            .as_ref()
            .is_some_and(|(_, until)| now >= *until)
        {
            self.candidate = None;
        }
        if self.owner_by.is_some_and(|by| now >= by) {
            self.owner_by = None;
            self.stop(self.options.limits.stop_grace);
        }
        if self.silence_over().is_some_and(|over| now >= over) {
            self.close_stdin();
        }
        match self.stage.tick(now) {
            Some(Act::Terminate) => {
                self.input.discard();
                self.agent.stdin = None;
                self.agent.signal(Signal::TERM);
            }
            Some(Act::Kill) => self.agent.signal(Signal::KILL),
            Some(Act::Sweep(exit)) => self.sweep(exit),
            None => self.end_early(),
        }
        self.record_when_empty()
    }
}
