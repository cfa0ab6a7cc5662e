//! The session's process: starting it, hearing it, speaking to it, letting go.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::PathBuf,
    time::Duration,
};

use baton_process::{
    Exit, ExitReport, Line, LineSplitter,
    holder::{
        self, HolderEvent, HolderLimits, HolderReader, HolderSpec, HolderWriter, Position,
        ReadError,
    },
};
use baton_protocol::{HolderId, words::Json};
use baton_store::{Append, HolderChange, JournalMark, StoreError};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::{Actor, batch::Batch};
use crate::{
    agents::{self, AgentCommand, AgentKind, Answer, Launch, PromptFile, Translator},
    machine::{Adopted, Input, ProcessEnd, Trouble},
};

/// What is kept of the agent's stderr, to explain an unexpected end.
const STDERR_TAIL: usize = 8 * 1024;
/// The holder hears how far the log has come after this many bytes.
const COMMIT_EVERY: u64 = 1024 * 1024;
/// The grace of each stage of a kill: stdin closed, SIGTERM, SIGKILL.
const KILL_GRACE: Duration = Duration::from_secs(3);

/// A process this task is attached to.
pub(super) struct Attached {
    pub(super) holder: HolderId,
    pub(super) reader: HolderReader,
    dir: PathBuf,
    translator: Translator,
    splitter: LineSplitter,
    /// Right after the last line that was translated.
    position: u64,
    told: u64,
    stderr: Vec<u8>,
    to_agent: Sender<ToAgent>,
    kill: CancellationToken,
    writer: JoinSet<()>,
    /// An earlier owner started it, and it still runs.
    inherited: bool,
    /// It has been told to finish. Its stdin takes nothing more, so a later
    /// owner must know.
    closing: bool,
}

/// What is committed with a journal position: enough to go on from there.
#[derive(Debug, Serialize, Deserialize)]
struct Snapshot {
    closing: bool,
    translator: Json,
}

enum ToAgent {
    Line(Vec<u8>),
    CloseStdin,
    Commit(Position),
}

impl Attached {
    fn new(
        holder: HolderId,
        dir: PathBuf,
        translator: Translator,
        from: Position,
        (reader, writer): (HolderReader, HolderWriter),
    ) -> Self {
        // Full means the agent does not read; `tell` then treats it as stuck.
        let (to_agent, lines) = channel(1024);
        let kill = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(write(writer, lines, kill.clone()));
        Self {
            holder,
            reader,
            dir,
            translator,
            splitter: LineSplitter::default(),
            position: from.0,
            told: from.0,
            stderr: Vec::new(),
            to_agent,
            kill,
            writer: tasks,
            inherited: false,
            closing: false,
        }
    }

    pub(super) fn mark(&self) -> JournalMark {
        JournalMark {
            holder: self.holder,
            position: self.position,
            translator: serde_json::to_string(&Snapshot {
                closing: self.closing,
                translator: self.translator.snapshot(),
            })
            .ok(),
        }
    }

    /// The log has everything up to the mark; tells the holder now and then.
    pub(super) fn committed(&mut self, now: bool) {
        if now || self.position - self.told >= COMMIT_EVERY {
            self.told = self.position;
            // A full queue only keeps the journal a little longer.
            self.to_agent
                .try_send(ToAgent::Commit(Position(self.position)))
                .ok();
        }
    }

    fn close_stdin(&self) {
        if self.to_agent.try_send(ToAgent::CloseStdin).is_err() {
            self.kill();
        }
    }

    pub(super) fn kill(&self) {
        self.kill.cancel();
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
async fn write(mut writer: HolderWriter, mut lines: Receiver<ToAgent>, kill: CancellationToken) {
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

impl Actor {
    /// Tells the process to finish: recorded first, like everything that a
    /// later owner could not find out.
    pub(super) async fn close_stdin(&mut self) -> Result<(), StoreError> {
        let Some(process) = &mut self.process else {
            return Ok(());
        };
        process.closing = true;
        let mut append = Append::to(self.parts.id);
        append.journal = Some(process.mark());
        self.parts.store.append(append).await?;
        process.close_stdin();
        Ok(())
    }

    /// Starts a process: recorded first, so that a crash leaves no unknown one.
    pub(super) async fn start(&mut self) -> Result<(), StoreError> {
        let holder = HolderId::from_uuid(self.parts.world.id());
        let launch = match agents::launch(&self.parts.home, self.parts.machine.facts()) {
            Ok(launch) => launch,
            Err(error) => {
                self.pending.push_back(Input::StartFailed(error.trouble()));
                return Ok(());
            }
        };
        let mut append = Append::to(self.parts.id);
        append.holder = Some(HolderChange::Added {
            holder,
            facts: Json::of(&launch.kind),
        });
        self.parts.store.append(append).await?;
        if let Err(trouble) = self.spawn(holder, launch).await {
            let mut append = Append::to(self.parts.id);
            append.holder = Some(HolderChange::Removed { holder });
            self.parts.store.append(append).await?;
            self.pending.push_back(Input::StartFailed(trouble));
        }
        Ok(())
    }

    async fn spawn(&mut self, id: HolderId, launch: Launch) -> Result<(), Trouble> {
        let dir = self.parts.holders.join(id.to_string());
        let translator = Translator::new(&launch);
        let spec = HolderSpec {
            dir: dir.clone(),
            marks: launch.marks,
            agent: launch.spec,
            with_owner: false,
            limits: HolderLimits::default(),
        };
        let home = &self.parts.home;
        let leading = [OsString::from(&home.holder_command)];
        holder::start(&home.baton, &leading, &spec)
            .await
            .map_err(|error| agents::start_trouble(launch.kind, &error))?;
        let from = Position(0);
        let attached = holder::attach(&dir, from)
            .await
            .map_err(|error| agents::start_trouble(launch.kind, &error))?;
        self.process = Some(Attached::new(id, dir, translator, from, attached));
        self.initialize();
        Ok(())
    }

    fn initialize(&mut self) {
        let id = self.parts.world.random_id().to_string();
        self.tell_now(&AgentCommand::Initialize { id });
    }

    pub(super) async fn tell(&mut self, command: AgentCommand) -> Result<(), StoreError> {
        let mut command = command;
        if let AgentCommand::Prompt { files, .. } = &mut command {
            *files = self.prompt_files().await?;
        }
        self.tell_now(&command);
        Ok(())
    }

    fn tell_now(&mut self, command: &AgentCommand) {
        let Some(process) = &mut self.process else {
            return;
        };
        for line in process.translator.command(command) {
            if process.to_agent.try_send(ToAgent::Line(line)).is_err() {
                tracing::warn!(session = %self.parts.id, "the agent does not read its input; it is stopped");
                process.kill();
            }
        }
    }

    async fn prompt_files(&self) -> Result<Vec<PromptFile>, StoreError> {
        let attachments = match self.parts.machine.facts().undelivered() {
            Some(message) => message.attachments.clone(),
            None => return Ok(Vec::new()),
        };
        let mut files = Vec::new();
        for attachment in attachments {
            let Some(id) = attachment.blob_id else {
                continue;
            };
            if let Some(blob) = self.parts.store.blob(id).await? {
                files.push(PromptFile {
                    name: attachment.name,
                    media_type: attachment.media_type,
                    bytes: blob.bytes,
                });
            }
        }
        Ok(files)
    }

    pub(super) async fn agent_event(
        &mut self,
        event: Result<HolderEvent, ReadError>,
    ) -> Result<(), StoreError> {
        match event {
            Ok(HolderEvent::Output { start, bytes }) => self.output(start, &bytes).await,
            Ok(HolderEvent::Stderr { bytes, .. }) => {
                if let Some(process) = &mut self.process {
                    process.stderr.extend_from_slice(&bytes);
                    let surplus = process.stderr.len().saturating_sub(STDERR_TAIL);
                    process.stderr.drain(..surplus);
                }
                Ok(())
            }
            Ok(HolderEvent::CaughtUp { .. }) => self.caught_up().await,
            Ok(HolderEvent::Exited { report, end }) => self.exited(&report, end).await,
            Err(error) => {
                tracing::warn!(session = %self.parts.id, %error, "the agent's holder is gone");
                let report = ExitReport {
                    exit: Exit::Lost,
                    leaked: Vec::new(),
                    output_closed: true,
                };
                let end = self.process.as_ref().map_or(0, |process| process.position);
                self.exited(&report, Position(end)).await
            }
        }
    }

    async fn output(&mut self, start: Position, bytes: &[u8]) -> Result<(), StoreError> {
        let Some(mut process) = self.process.take() else {
            return Ok(());
        };
        let mut batch = Batch::default();
        let mut outputs = Vec::new();
        let mut at = 0;
        while let Some(split) = process.splitter.next(&bytes[at..]) {
            at += split.consumed;
            match split.line {
                Line::Whole(line) | Line::Unfinished(line) => {
                    process.translator.line(line, &mut outputs);
                }
                Line::TooLong { bytes, head } => {
                    process.translator.oversized(bytes, head, &mut outputs);
                }
            }
            process.position = start.0 + at as u64;
            for output in outputs.drain(..) {
                self.agent_output(output, &mut batch, process.holder);
            }
        }
        self.process = Some(process);
        self.commit(batch, true).await
    }

    async fn exited(&mut self, report: &ExitReport, end: Position) -> Result<(), StoreError> {
        let Some(mut process) = self.process.take() else {
            return Ok(());
        };
        let mut batch = Batch::default();
        let mut outputs = Vec::new();
        if let Some(Line::Unfinished(rest) | Line::Whole(rest)) = process.splitter.finish() {
            process.translator.line(rest, &mut outputs);
        }
        for output in outputs {
            self.agent_output(output, &mut batch, process.holder);
        }
        let process_end = ProcessEnd {
            exit_code: match report.exit {
                Exit::Exited { code } => Some(code),
                Exit::Signalled { signal } => Some(128 + signal),
                Exit::Lost => None,
            },
            how: match report.exit {
                Exit::Exited { code } => format!("exit code {code}"),
                Exit::Signalled { signal } => format!("killed by signal {signal}"),
                Exit::Lost => "lost".into(),
            },
            lost: report.exit == Exit::Lost,
            stderr: String::from_utf8_lossy(&process.stderr).trim().to_owned(),
        };
        for leaked in &report.leaked {
            tracing::info!(session = %self.parts.id, pid = leaked.pid, command = %leaked.command, "ended what the agent left running");
        }
        let moment = self.moment();
        if let Ok((_, effects)) = self.parts.machine.step(moment, Input::Exited(process_end)) {
            batch.add_all(effects, moment.now, None);
        }
        tracing::debug!(session = %self.parts.id, end = end.0, "agent ended");
        batch.holder = Some(HolderChange::Removed {
            holder: process.holder,
        });
        let dir = process.dir.clone();
        process.detach().await;
        self.commit(batch, false).await?;
        if let Err(error) = holder::remove(&dir).await {
            tracing::warn!(%error, "a holder's folder could not be removed");
        }
        self.parts
            .progress
            .send_modify(|progress| progress.caught_up = true);
        Ok(())
    }

    /// The process that an earlier owner of this session left, if any.
    pub(super) async fn left_behind(&mut self) -> Result<Option<Attached>, StoreError> {
        let holders = self.parts.store.holders().await?;
        let own = holders.into_iter().find(|row| row.session == self.parts.id);
        let Some(row) = own else {
            return Ok(None);
        };
        let dir = self.parts.holders.join(row.holder.to_string());
        let kind = row.facts.parse::<AgentKind>().unwrap_or(AgentKind::Demo);
        let from = Position(row.mark.position);
        let snapshot = row.mark.translator.as_deref();
        let snapshot = snapshot.and_then(|text| serde_json::from_str::<Snapshot>(text).ok());
        let closing = snapshot.as_ref().is_some_and(|snapshot| snapshot.closing);
        let translator = match snapshot {
            Some(snapshot) => Translator::restore(kind, &snapshot.translator).ok(),
            None => agents::launch(&self.parts.home, self.parts.machine.facts())
                .ok()
                .map(|launch| Translator::new(&launch)),
        };
        let attached = holder::attach(&dir, from).await;
        let (translator, attached) = match (translator, attached) {
            (Some(translator), Ok(attached)) => (translator, attached),
            (_, attached) => {
                let error = attached
                    .err()
                    .map(|error| error.to_string())
                    .unwrap_or_default();
                tracing::warn!(session = %self.parts.id, error, "an agent was lost");
                return self.forget(row.holder).await.map(|()| None);
            }
        };
        let mut requests = BTreeMap::new();
        let mut unconfirmed = BTreeSet::new();
        for request in self.parts.store.open_requests(self.parts.id).await? {
            match (request.answer, request.approval) {
                (None, Some(approval)) => {
                    requests.insert(approval, request.request_id);
                }
                (Some(_), _) => {
                    unconfirmed.insert(request.request_id);
                }
                (None, None) => {}
            }
        }
        let adopted = match (translator.is_ready(), translator.has_started()) {
            _ if closing => Adopted::Closing,
            (false, _) => Adopted::Silent,
            (true, false) => Adopted::Ready,
            (true, true) => Adopted::Started,
        };
        self.parts.machine.adopt(adopted, requests, unconfirmed);
        let runs = attached.1.agent_pid().is_some();
        let mut process = Attached::new(row.holder, dir, translator, from, attached);
        process.inherited = runs;
        process.closing = closing;
        Ok(Some(process))
    }

    /// A holder of which nothing is left: its session hears of the loss.
    async fn forget(&mut self, holder: HolderId) -> Result<(), StoreError> {
        let moment = self.moment();
        let mut batch = Batch::default();
        let lost = ProcessEnd {
            exit_code: None,
            how: "lost".into(),
            lost: true,
            stderr: String::new(),
        };
        if let Ok((_, effects)) = self.parts.machine.step(moment, Input::Exited(lost)) {
            batch.add_all(effects, moment.now, None);
        }
        batch.holder = Some(HolderChange::Removed { holder });
        self.commit(batch, false).await
    }

    /// Everything an earlier owner left is in the log. What it may not have
    /// said, or said in vain, is said again to the same process, which ignores
    /// what it already has.
    async fn caught_up(&mut self) -> Result<(), StoreError> {
        self.parts
            .progress
            .send_modify(|progress| progress.caught_up = true);
        let Some(process) = &self.process else {
            return Ok(());
        };
        if !process.inherited {
            return Ok(());
        }
        if process.closing {
            process.close_stdin();
            return Ok(());
        }
        if !process.translator.is_ready() {
            self.initialize();
            return Ok(());
        }
        for request in self.parts.store.open_requests(self.parts.id).await? {
            if let Some(answer) = request.answer.and_then(|answer| answer.parse::<Answer>()) {
                self.tell_now(&AgentCommand::Answer {
                    request: request.request_id,
                    answer,
                });
            }
        }
        if let Some(message) = self.parts.machine.facts().undelivered() {
            let (message_id, text) = (message.id, message.text.clone());
            self.tell(AgentCommand::Prompt {
                message_id,
                text,
                files: Vec::new(),
            })
            .await?;
        }
        Ok(())
    }
}
