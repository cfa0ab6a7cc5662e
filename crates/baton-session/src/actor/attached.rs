//! A process this session's task is attached to, and the way to it.

use std::{
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use baton_process::{
    LineSplitter,
    holder::{HolderEvent, HolderReader, HolderWriter, Position, ReadError},
};
use baton_protocol::{
    HolderId,
    words::{EndStatus, Json},
};
use baton_store::JournalMark;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    task::JoinSet,
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::{
    agents::{AgentKind, Translator},
    machine::Notes,
};

/// The holder hears how far the log has come after this many bytes.
const COMMIT_EVERY: u64 = 1024 * 1024;
/// The grace of each stage of a kill: stdin closed, SIGTERM, SIGKILL.
const KILL_GRACE: Duration = Duration::from_secs(3);

/// A kill has its stages, after which the holder gathers what is left; one
/// that takes longer than all of them does not obey.
const GONE_AFTER: Duration = Duration::from_secs(12);

/// A process this task is attached to.
pub(super) struct Attached {
    pub(super) holder: HolderId,
    pub(super) reader: HolderReader,
    /// What the reader gave when only further output was wanted.
    pub(super) ahead: Option<Result<HolderEvent, ReadError>>,
    pub(super) dir: PathBuf,
    pub(super) translator: Translator,
    pub(super) splitter: LineSplitter,
    /// A line has begun and not ended, and is kept: nothing after its start
    /// may be let go of.
    pub(super) in_line: bool,
    /// Right after the last line that was translated, or within one that is
    /// too long to be kept.
    pub(super) position: u64,
    told: u64,
    pub(super) stderr: Vec<u8>,
    pub(super) to_agent: Sender<ToAgent>,
    kill: CancellationToken,
    /// It was told to end, and must have done so by then.
    gone_by: OnceLock<Instant>,
    /// When its holder last gave anything.
    pub(super) heard: Instant,
    /// Why it cannot be read any more.
    pub(super) lost_because: Option<String>,
    /// A kill does not begin with closing stdin.
    at_once: Arc<AtomicBool>,
    /// A kill is one, without a word before.
    outright: Arc<AtomicBool>,
    writer: JoinSet<()>,
    /// The agent's process, while its holder lives.
    pid: Option<u32>,
    /// The last position that was committed.
    pub(super) marked: u64,
    /// An earlier owner started it, and it still runs.
    pub(super) inherited: bool,
    /// It ended while nobody was here.
    pub(super) found_dead: bool,
    /// It has been told to finish. Its stdin takes nothing more, so a later
    /// owner must know.
    pub(super) closing: bool,
    /// Its session is to end with it: how and why.
    pub(super) ending: Option<(EndStatus, String)>,
}

/// Which process said something.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    pub(super) holder: HolderId,
    pub(super) pid: Option<u32>,
}

/// What a later owner must know of a process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct HolderFacts {
    pub(super) kind: AgentKind,
    /// On which terms of its folder it was started.
    #[serde(default)]
    pub(super) terms: Option<String>,
    /// Whether its folder was trusted then.
    #[serde(default)]
    pub(super) trusted: Option<bool>,
}

/// What is committed with a journal position: enough to go on from there.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Snapshot {
    pub(super) closing: bool,
    #[serde(default)]
    pub(super) ending: Option<(EndStatus, String)>,
    /// Of an overlong line under way: its length so far, and how it began.
    #[serde(default)]
    pub(super) skipping: Option<(u64, String)>,
    pub(super) translator: Json,
    /// What the machine knows of it beside the log.
    #[serde(default)]
    pub(super) notes: Notes,
}

pub(super) enum ToAgent {
    Line(Vec<u8>),
    CloseStdin,
    Commit(Position),
}

impl Attached {
    pub(super) fn new(
        holder: HolderId,
        dir: PathBuf,
        translator: Translator,
        from: Position,
        (reader, writer): (HolderReader, HolderWriter),
    ) -> Self {
        let pid = writer.agent_pid().and_then(|pid| u32::try_from(pid).ok());
        // Full means the agent does not read; `tell` then treats it as stuck.
        let (to_agent, lines) = channel(1024);
        let kill = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let at_once = Arc::new(AtomicBool::new(false));
        let outright = Arc::new(AtomicBool::new(false));
        let manner = (Arc::clone(&at_once), Arc::clone(&outright));
        tasks.spawn(write(writer, lines, kill.clone(), manner));
        Self {
            holder,
            reader,
            ahead: None,
            dir,
            translator,
            splitter: LineSplitter::default(),
            in_line: false,
            position: from.0,
            told: from.0,
            stderr: Vec::new(),
            to_agent,
            kill,
            gone_by: OnceLock::new(),
            heard: Instant::now(),
            lost_because: None,
            at_once,
            outright,
            writer: tasks,
            pid,
            marked: from.0,
            inherited: false,
            found_dead: false,
            closing: false,
            ending: None,
        }
    }

    /// The next thing that it says or that happens to it. Cancel-safe.
    pub(super) async fn next(&mut self) -> Result<HolderEvent, ReadError> {
        match self.ahead.take() {
            Some(event) => event,
            None => self.reader.next().await,
        }
    }

    /// Where this process's outputs come from.
    pub(super) const fn source(&self) -> Source {
        Source {
            holder: self.holder,
            pid: self.pid,
        }
    }

    pub(super) fn mark(&self, notes: Notes) -> JournalMark {
        JournalMark {
            holder: self.holder,
            position: self.position,
            translator: serde_json::to_string(&Snapshot {
                closing: self.closing,
                ending: self.ending.clone(),
                skipping: self
                    .splitter
                    .skipped()
                    .map(|(bytes, head)| (bytes, String::from_utf8_lossy(head).into_owned())),
                translator: self.translator.snapshot(),
                notes,
            })
            .ok(),
        }
    }

    /// The log has everything up to the mark; tells the holder now and then.
    pub(super) fn committed(&mut self, now: bool) {
        self.marked = self.position;
        if now || self.position - self.told >= COMMIT_EVERY {
            self.told = self.position;
            // A full queue only keeps the journal a little longer.
            self.to_agent
                .try_send(ToAgent::Commit(Position(self.position)))
                .ok();
        }
    }

    pub(super) fn close_stdin(&self) {
        if self.to_agent.try_send(ToAgent::CloseStdin).is_err() {
            self.kill();
        }
    }

    pub(super) fn kill(&self) {
        self.kill_with(true);
    }

    /// Ends it: by closing its stdin first if it has nothing under way.
    pub(super) fn kill_with(&self, has_work: bool) {
        self.at_once.store(has_work, Ordering::Relaxed);
        self.gone_by.get_or_init(|| Instant::now() + GONE_AFTER);
        self.kill.cancel();
    }

    /// Ends it and all that it started without asking: it must run nothing more.
    pub(super) fn destroy(&self) {
        self.outright.store(true, Ordering::Relaxed);
        self.kill_with(true);
    }

    pub(super) fn gone_by(&self) -> Option<Instant> {
        self.gone_by.get().copied()
    }

    /// Lets go without ending the agent: the holder keeps it.
    pub(super) async fn detach(mut self) {
        drop(self.to_agent);
        let flushed = async { while self.writer.join_next().await.is_some() {} };
        // What the agent does not read in this time the next owner sends again.
        tokio::time::timeout(Duration::from_secs(2), flushed)
            .await
            .ok();
    }
}

/// Writes to the agent, so that nobody else waits for it to read.
async fn write(
    mut writer: HolderWriter,
    mut lines: Receiver<ToAgent>,
    kill: CancellationToken,
    (at_once, outright): (Arc<AtomicBool>, Arc<AtomicBool>),
) {
    let mut killed = false;
    loop {
        let next = tokio::select! {
            biased;
            () = kill.cancelled(), if !killed => None,
            line = lines.recv() => match line {
                Some(line) => Some(line),
                None => return,
            },
        };
        let Some(next) = next else {
            killed = true;
            if outright.load(Ordering::Relaxed) {
                writer.kill();
                writer.stop(Duration::ZERO).await;
                continue;
            }
            if at_once.load(Ordering::Relaxed) {
                writer.terminate();
            }
            writer.stop(KILL_GRACE).await;
            continue;
        };
        let written = async {
            match next {
                ToAgent::Line(line) => {
                    if let Err(error) = writer.line(&line).await {
                        tracing::error!(%error, "line not sent to the agent");
                    }
                }
                ToAgent::CloseStdin => writer.close_stdin().await,
                ToAgent::Commit(position) => writer.commit(position).await,
            }
        };
        tokio::select! {
            biased;
            () = kill.cancelled(), if !killed => {}
            () = written => {}
        }
    }
}
