//! The holder's one loop.
//!
//! Single-threaded and blocking only in `poll`. The order of facts is fixed:
//! output is in the journal before the owner sees it, the exit record is on
//! disk before the holder ends. There is one buffer for output; while it waits
//! for the disk the agent is not read, so nothing is lost or reordered.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::process::{Signal, getpid};

use super::agent::{Agent, Children};
use super::input::Input;
use super::journal::{Chunk, Journal, Kind};
use super::life::{Act, Stage};
use super::marks::Marks;
use super::options::Options;
use super::owner::{Candidate, Closed, Frame, Owner, Standing};
use super::poll::{Moment, Ready, Source, Wish, wait};
use super::signals::Signals;
use super::socket_path;
use crate::exit::{Exit, ExitReport};
use crate::tree;

/// Between two tries to write to a disk that refused.
const RETRY: Duration = Duration::from_secs(1);

/// A connection must say hello within this time, or make room for another.
const HELLO_TIME: Duration = Duration::from_secs(5);

/// Frames of one owner in a row, before others get their turn.
const FRAMES: usize = 64;

pub(super) struct Holder {
    dir: PathBuf,
    options: Options,
    /// Locked while the holder lives.
    lock: Option<File>,
    listener: Option<UnixListener>,
    signals: Signals,
    journal: Journal,
    agent: Agent,
    stage: Stage,
    input: Input,
    marks: Marks,
    chunk: Chunk,
    /// The disk refused; try again then.
    retry_at: Option<Moment>,
    candidate: Option<(Candidate, Moment)>,
    owner: Option<Owner>,
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
            owner_by: options.with_owner.then(|| now + options.limits.first_owner),
            marks: Marks::new(options.marks.clone()),
            dir,
            options,
            lock: Some(lock),
            listener: Some(listener),
            signals,
            journal,
            agent,
            stage: Stage::Running,
            input: Input::default(),
            chunk: Chunk::new(),
            retry_at: None,
            candidate: None,
            owner: None,
            quiet_since: now,
        }
    }

    /// Serves until the agent's end is on disk.
    pub(super) fn run(mut self) -> io::Result<()> {
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
        if let (Some(listener), None) = (&self.listener, &self.candidate) {
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
            Source::Stdout => self.read_agent(Kind::Stdout)?,
            Source::Stderr => self.read_agent(Kind::Stderr)?,
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
            let until = Moment::now() + self.options.limits.drain;
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

    fn on_connection(&mut self) {
        let accepted = self.listener.as_ref().map(UnixListener::accept);
        if let Some(Ok((stream, _))) = accepted {
            let candidate = Candidate::new(stream).ok();
            self.candidate = candidate.map(|candidate| (candidate, Moment::now() + HELLO_TIME));
        }
    }

    fn on_hello(&mut self) {
        let Some((mut candidate, until)) = self.candidate.take() else {
            return;
        };
        match candidate.read() {
            Ok(None) => self.candidate = Some((candidate, until)),
            Ok(Some(hello)) => {
                let standing = Standing {
                    holder: getpid().as_raw_nonzero().get(),
                    agent: self.agent.pid.as_raw_nonzero().get(),
                    exited: self.agent.exit.is_some(),
                };
                if let Ok(owner) = candidate.answer(hello, &self.journal, standing) {
                    // The one before is closed by this, which tells it.
                    self.owner = Some(owner);
                    self.owner_by = None;
                }
            }
            Err(Closed) => {}
        }
    }

    fn on_owner(&mut self, ready: Ready) {
        let result = self.serve_owner(ready);
        // A connection that ended while it may not be read would wake the
        // loop for ever; what it still had to say cannot be taken.
        let stuck = ready.hung_up && !ready.readable && !ready.writable;
        if result.is_err() || stuck {
            self.lose_owner();
        }
    }

    fn serve_owner(&mut self, ready: Ready) -> Result<(), Closed> {
        if ready.writable
            && let Some(owner) = &mut self.owner
        {
            // A gone reader may still have sent something, so reading decides.
            let sent = owner.catch_up(&self.journal);
            if !ready.readable {
                sent?;
            }
        }
        if ready.readable {
            for _ in 0..FRAMES {
                let Some(owner) = &mut self.owner else { break };
                let Some(frame) = owner.read(&self.input)? else {
                    break;
                };
                self.obey(frame);
            }
        }
        Ok(())
    }

    fn obey(&mut self, frame: Frame) {
        match frame {
            Frame::Line(line) => {
                if self.agent.stdin.is_some() {
                    self.marks.input(&line);
                    self.input.push(line);
                    self.write_stdin();
                }
            }
            Frame::CloseStdin => self.close_stdin(),
            Frame::Signal(number) => {
                if let Some(signal) = Signal::from_named_raw(number) {
                    self.agent.signal(signal);
                }
            }
            Frame::Stop { milliseconds } => self.stop(Duration::from_millis(milliseconds)),
            Frame::Commit(position) => self.journal.commit(position),
        }
    }

    fn lose_owner(&mut self) {
        self.owner = None;
        self.quiet_since = Moment::now();
        if self.options.with_owner {
            self.stop(self.options.limits.stop_grace);
        }
    }

    fn read_agent(&mut self, kind: Kind) -> io::Result<()> {
        if !self.may_read_agent() {
            return Ok(());
        }
        let pipe = match kind {
            Kind::Stdout => &mut self.agent.stdout,
            Kind::Stderr => &mut self.agent.stderr,
            Kind::Exit => return Ok(()),
        };
        let Some(file) = pipe else { return Ok(()) };
        match file.read(self.chunk.room()) {
            Ok(0) => *pipe = None,
            Ok(count) => {
                self.chunk.seal(kind, count);
                self.quiet_since = Moment::now();
                if kind == Kind::Stdout {
                    self.marks.output(self.chunk.payload());
                }
                self.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Whoever holds the other end of a dead agent's pipe has had its
            // time.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if matches!(self.stage, Stage::Emptying { .. }) {
                    *pipe = None;
                }
            }
            Err(_) => *pipe = None,
        }
        Ok(())
    }

    /// Journals the buffer, then shows it to an owner that has all before it.
    fn flush(&mut self) -> io::Result<()> {
        self.retry_at = None;
        match self.journal.write(&mut self.chunk) {
            Ok(()) => {}
            // Without its folder a journal can never be read again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.agent.signal(Signal::KILL);
                return Err(error);
            }
            Err(_) => {
                self.retry_at = Some(Moment::now() + RETRY);
                return Ok(());
            }
        }
        if matches!(self.stage, Stage::Recording) {
            self.close_door();
        }
        if let Some(owner) = &mut self.owner
            && owner.send_live(self.chunk.record(), &self.journal).is_err()
        {
            self.lose_owner();
        }
        Ok(())
    }

    /// With the end on disk the folder can be read and removed without this
    /// process, so it lets go before the owner hears of the end.
    fn close_door(&mut self) {
        self.listener = None;
        self.candidate = None;
        fs::remove_file(socket_path(&self.dir)).ok();
        self.lock = None;
    }

    fn tick(&mut self) -> io::Result<()> {
        let now = Moment::now();
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

    /// Ends the drain when nothing is left to wait for, or when waiting could
    /// not end because the owner is too far behind to read on.
    fn end_early(&mut self) {
        let Stage::Draining { exit, .. } = self.stage else {
            return;
        };
        let gone = self.reap() == Children::None && self.agent.output_closed();
        if gone || self.is_over_cap() {
            self.sweep(exit);
        }
    }

    fn sweep(&mut self, exit: Exit) {
        let output_closed = self.agent.output_closed();
        let leaked = tree::sweep(
            || tree::descendants(getpid()),
            || {
                self.agent.reap();
            },
        );
        self.stage = Stage::Emptying {
            report: ExitReport {
                exit,
                leaked,
                output_closed,
            },
        };
    }

    fn record_when_empty(&mut self) -> io::Result<()> {
        let Stage::Emptying { report } = &self.stage else {
            return Ok(());
        };
        if self.chunk.is_pending() {
            return Ok(());
        }
        if !self.agent.output_closed() {
            self.read_agent(Kind::Stdout)?;
            return self.read_agent(Kind::Stderr);
        }
        let record = serde_json::to_vec(report).map_err(io::Error::other)?;
        self.chunk.room()[..record.len()].copy_from_slice(&record);
        self.chunk.seal(Kind::Exit, record.len());
        self.stage = Stage::Recording;
        self.flush()
    }
}
