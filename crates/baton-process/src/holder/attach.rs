//! The owner's side: attach, and read what the agent wrote.
//!
//! A reader is on the holder's socket or on the journal's files. It moves from
//! the one to the other by itself when the holder goes, at the very byte, so
//! the caller sees one stream of events either way.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use tokio::fs::metadata;
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep, timeout};

use super::dead::Dead;
use super::journal::JournalError;
use super::lent::{Lent, LentOutput};
use super::live::{Heard, Live, greet};
use super::start::is_alive;
use super::wire::{Hello, PROBE, VERSION, Verdict, Welcome};
use super::writer::HolderWriter;
use super::{MAX_SOCKET_PATH, Position, SOCKET, socket_path};
use crate::exit::ExitReport;
use crate::tree;

/// A holder answers within this time, or is no holder.
const ANSWER: Duration = Duration::from_secs(10);

/// One that is coming or going has come or gone within this time. After it,
/// who lives without a socket or closes without an answer cannot be read.
const COME_AND_GO: Duration = Duration::from_secs(2);

/// Between two looks at a holder that is coming or going.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// What an owner hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HolderEvent {
    /// Bytes of the agent's standard output, in order, each exactly once;
    /// `start` is the position of the first.
    Output { start: Position, bytes: Bytes },
    /// Bytes of its standard error.
    Stderr { start: Position, bytes: Bytes },
    /// Everything that was there when the owner attached has been given. It
    /// comes exactly once, and before `Exited`.
    CaughtUp { end: Position },
    /// The agent has ended; nothing follows. Once `end` is committed the folder
    /// can be removed.
    Exited { report: ExitReport, end: Position },
}

/// Nobody could be attached to.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    #[error("there is no holder in {}", .dir.display())]
    NoHolder { dir: PathBuf },
    #[error("holder speaks version {version}, which this build does not")]
    UnknownVersion { version: u32 },
    #[error("position {} lies after the journal's end {}", .from.0, .end.0)]
    Beyond { from: Position, end: Position },
    #[error("holder in {} does not answer", .dir.display())]
    NoAnswer { dir: PathBuf },
    #[error("journal cannot be read")]
    Journal(#[from] JournalError),
    #[error("holder in {} cannot be reached", .dir.display())]
    Io {
        dir: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// No further event will come.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The holder lives and has another owner.
    #[error("another owner has attached to the holder")]
    Replaced,
    /// `Exited` has been given.
    #[error("agent has ended")]
    Ended,
    /// The holder lives, and cannot give what was to be read.
    #[error("holder cannot give its journal from {}", .from.0)]
    Withheld { from: Position },
    #[error("holder sent something that is not a record at {}", .at.0)]
    Garbled { at: Position },
    #[error("journal cannot be read")]
    Journal(#[from] JournalError),
    #[error("holder in {} cannot be reached", .dir.display())]
    Io {
        dir: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Attaches to the holder in `dir`, replacing any other owner, and reads from
/// `from` on. When the holder is gone the journal on disk is read instead, and
/// what it left running is ended.
pub async fn attach(
    dir: &Path,
    from: Position,
) -> Result<(HolderReader, HolderWriter), AttachError> {
    let fail = |source| AttachError::Io {
        dir: dir.to_owned(),
        source,
    };
    match metadata(super::lock_path(dir)).await {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(AttachError::NoHolder {
                dir: dir.to_owned(),
            });
        }
        Err(error) => return Err(fail(error)),
    }
    let hello = Hello {
        version: VERSION,
        from: from.0,
    };
    let deadline = Instant::now() + COME_AND_GO;
    while Instant::now() < deadline {
        match connect(dir).await {
            Ok(mut stream) => {
                // A holder that goes just now closes without an answer.
                let Ok(answer) = timeout(ANSWER, greet(&mut stream, hello)).await else {
                    break;
                };
                if let Ok(welcome) = answer {
                    accept(welcome.verdict, welcome, from)?;
                    let (live, writes) = Live::new(stream, welcome);
                    let writer = HolderWriter::new(writes, welcome.holder, welcome.agent);
                    let reader = HolderReader::new(dir, Source::Live(live));
                    return Ok((reader, writer));
                }
            }
            Err(error) if gone(&error) => {
                if !is_alive(dir) {
                    let dead = Dead::open(dir, from).await?;
                    let reader = HolderReader::new(dir, Source::Dead(Box::new(dead)));
                    return Ok((reader, HolderWriter::gone()));
                }
            }
            Err(error) => return Err(fail(error)),
        }
        sleep(LOOK_AGAIN).await;
    }
    Err(AttachError::NoAnswer {
        dir: dir.to_owned(),
    })
}

/// Whether the holder of `dir` is awake, as far as can be told: false if it
/// takes a connection and does not answer. Nobody is replaced by this.
pub async fn answers(dir: &Path) -> bool {
    let Ok(mut stream) = connect(dir).await else {
        return true;
    };
    timeout(ANSWER, greet(&mut stream, PROBE)).await.is_ok()
}

/// Gives an agent's output and end; see [`HolderEvent`].
#[derive(Debug)]
pub struct HolderReader {
    held: Held,
    lent: Option<Lent>,
}

impl HolderReader {
    fn new(dir: &Path, source: Source) -> Self {
        Self {
            held: Held {
                dir: dir.to_owned(),
                source,
            },
            lent: None,
        }
    }

    /// Also gives what comes through the pipe that [`start`](super::start())
    /// gave. Its bytes count towards positions, which then mean something to
    /// this reader alone.
    #[must_use]
    pub fn with_output(mut self, output: LentOutput) -> Self {
        self.lent = Some(Lent::new(output));
        self
    }

    /// The next event. It is cancel-safe: a dropped call loses nothing.
    pub async fn next(&mut self) -> Result<HolderEvent, ReadError> {
        match &mut self.lent {
            Some(lent) => lent.next(&mut self.held).await,
            None => self.held.next().await,
        }
    }
}

/// What the holder gives, or has left.
#[derive(Debug)]
pub(super) struct Held {
    dir: PathBuf,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Live(Live),
    Dead(Box<Dead>),
}

impl Held {
    async fn next(&mut self) -> Result<HolderEvent, ReadError> {
        loop {
            match self.look().await? {
                Some(event) => return Ok(event),
                None => self.bury().await?,
            }
        }
    }

    /// The next event; `None` if the connection is over, until it is seen to
    /// by [`bury`](Self::bury).
    pub(super) async fn look(&mut self) -> Result<Option<HolderEvent>, ReadError> {
        match &mut self.source {
            Source::Live(live) => match live.next().await? {
                Heard::Event(event) => Ok(Some(event)),
                Heard::Ended => Err(ReadError::Ended),
                Heard::Closed => Ok(None),
            },
            Source::Dead(dead) => match dead.next()? {
                Some(event) => Ok(Some(event)),
                None => Err(ReadError::Ended),
            },
        }
    }

    /// Goes over to what a holder has left that is gone.
    pub(super) async fn bury(&mut self) -> Result<(), ReadError> {
        let Source::Live(live) = &self.source else {
            return Ok(());
        };
        let from = live.resume_at();
        let caught_up = live.caught_up();
        self.wait_until_gone(from, caught_up).await?;
        let mut dead = Dead::open(&self.dir, from).await?;
        dead.set_caught_up(caught_up);
        self.source = Source::Dead(Box::new(dead));
        Ok(())
    }

    /// The connection ended without the agent's end. Either the holder is gone
    /// or going, or it lives and has given the connection to another, or has
    /// closed it because it cannot read its own journal. Only an answer shows
    /// that it lives: a dying process closes in any order.
    async fn wait_until_gone(&self, from: Position, caught_up: bool) -> Result<(), ReadError> {
        let fail = |source| ReadError::Io {
            dir: self.dir.clone(),
            source,
        };
        let deadline = Instant::now() + COME_AND_GO;
        while is_alive(&self.dir) {
            match connect(&self.dir).await {
                Ok(mut stream) => match timeout(ANSWER, greet(&mut stream, PROBE)).await {
                    Ok(Ok(_)) if caught_up => return Err(ReadError::Replaced),
                    Ok(Ok(_)) => return Err(ReadError::Withheld { from }),
                    Ok(Err(_)) if Instant::now() < deadline => {}
                    Ok(Err(error)) => return Err(fail(error)),
                    Err(_) => return Err(fail(io::ErrorKind::TimedOut.into())),
                },
                Err(error) if gone(&error) && Instant::now() < deadline => {}
                Err(error) => return Err(fail(error)),
            }
            sleep(LOOK_AGAIN).await;
        }
        Ok(())
    }
}

fn accept(verdict: Verdict, welcome: Welcome, from: Position) -> Result<(), AttachError> {
    match verdict {
        Verdict::Accepted => Ok(()),
        Verdict::UnknownVersion => Err(AttachError::UnknownVersion {
            version: welcome.version,
        }),
        Verdict::PositionGone => Err(JournalError::Gone {
            start: Position(welcome.start),
            from,
        }
        .into()),
        Verdict::PositionBeyond => Err(AttachError::Beyond {
            from,
            end: Position(welcome.end),
        }),
    }
}

async fn connect(dir: &Path) -> io::Result<UnixStream> {
    let path = socket_path(dir);
    if path.as_os_str().len() <= MAX_SOCKET_PATH {
        return UnixStream::connect(path).await;
    }
    let open = std::fs::File::open(dir)?;
    UnixStream::connect(tree::unix_path(dir, &open, SOCKET)).await
}

/// Nobody listens there, or one who is dying.
fn gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
    )
}
