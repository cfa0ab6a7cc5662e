//! The session's process: starting it, hearing it, speaking to it.

use std::{ffi::OsString, sync::Arc};

use baton_process::{
    Exit, ExitReport, Line, MAX_LINE,
    holder::{
        self, AttachError, HolderError, HolderEvent, HolderLimits, HolderSpec, Position, ReadError,
        Tie,
    },
};
use baton_project::{accepted::Accepted, git::Quiet};
use baton_protocol::{
    HolderId,
    words::{EndStatus, Json},
};
use baton_store::{Append, HolderChange};
use tokio::time::Instant;

use super::{
    Actor, Broken,
    attached::{Attached, HolderFacts, ToAgent},
    batch::Batch,
    distrust::Watch,
    lost::end_by_marker,
};
use crate::{
    agents::{self, AgentCommand, Launch, LaunchError, PromptFile, Terms, TextTerms, Translator},
    host::Host,
    machine::{Facts, Input, Phase, ProcessEnd, Stored},
    world::Step,
};

/// What is kept of the agent's stderr, to explain an unexpected end.
const STDERR_TAIL: usize = 8 * 1024;

/// Lines without an event move the mark too, after this many bytes.
const MARK_EVERY: u64 = 4 * 1024 * 1024;

/// How far a start came.
#[derive(Debug, thiserror::Error)]
enum NotStarted {
    #[error(transparent)]
    Holder(#[from] HolderError),
    #[error(transparent)]
    Attach(#[from] AttachError),
}

/// What the journal of an agent may hold that ends with its owner; of one with
/// no later owner, only its standard error is there.
const UNTAKEN_WITH_OWNER: u64 = 32 << 20;

/// What a process is started by, beside what the log knows of its session.
#[derive(Debug)]
pub(super) struct Grounds {
    pub(super) accepted: Option<Accepted>,
    unread: Vec<String>,
    quiet: Option<Quiet>,
    text: Option<TextTerms>,
}

impl Actor {
    /// Tells the process to finish: recorded first, like everything that a
    /// later owner could not find out.
    pub(super) async fn close_stdin(&mut self) -> Result<(), Broken> {
        if self.has_lost_trust().await?
            && let Some(process) = &self.process
        {
            process.destroy();
            return Ok(());
        }
        let moment = self.moment();
        let Some(process) = &mut self.process else {
            return Ok(());
        };
        process.closing = true;
        let notes = self.parts.machine.notes(moment);
        let mut append = Append::to(self.parts.id);
        append.journal = Some(process.mark(notes));
        self.parts.append(append).await?;
        process.close_stdin();
        Ok(())
    }

    /// The session is to end with its process: recorded, so that a later owner
    /// ends it too.
    pub(super) async fn remember_end(
        &mut self,
        status: EndStatus,
        reason: String,
    ) -> Result<(), Broken> {
        let moment = self.moment();
        let Some(process) = &mut self.process else {
            return Ok(());
        };
        process.ending = Some((status, reason));
        let notes = self.parts.machine.notes(moment);
        let mut append = Append::to(self.parts.id);
        append.journal = Some(process.mark(notes));
        self.parts.append(append).await?;
        Ok(())
    }

    /// Starts a process: recorded first, so that a crash leaves no unknown one.
    pub(super) async fn start(&mut self) -> Result<(), Broken> {
        if let Some(trouble) = self.start_refused() {
            self.pending.push_back(Input::StartFailed(trouble));
            return Ok(());
        }
        let grounds = self.grounds().await?;
        self.outdated = false;
        self.bare = grounds.accepted.as_ref().is_none_or(Accepted::adds_nothing);
        self.launched_today();
        self.launched = Some(self.terms());
        self.watch = Watch::begin(self.folder.trusted);
        self.tell_of_trust();
        self.tell_of_clash();
        let warmed = self.fitting(&grounds).await;
        let holder = match &warmed {
            Some((warmed, _)) => warmed.holder,
            None => HolderId::from_uuid(self.parts.world.id()),
        };
        let launch = match self.launch(&grounds, holder) {
            Ok(launch) => launch,
            Err(error) => {
                self.pending.push_back(Input::StartFailed(error.trouble()));
                return Ok(());
            }
        };
        let mut append = Append::to(self.parts.id);
        append.holder = Some(HolderChange::Added {
            holder,
            facts: Json::of(&HolderFacts {
                kind: launch.kind,
                terms: self.launched.clone(),
                trusted: Some(self.folder.trusted),
            }),
        });
        self.parts.append(append).await?;
        if let Some((warmed, link)) = warmed {
            self.take_up(warmed, launch.kind, link).await;
            return Ok(());
        }
        let kind = launch.kind;
        match self.spawn(holder, launch).await {
            Ok(()) => Ok(()),
            Err(NotStarted::Holder(error)) => {
                let trouble = agents::start_trouble(kind, &error);
                self.not_started(holder, Input::StartFailed(trouble)).await
            }
            // It runs, and cannot be spoken to.
            Err(NotStarted::Attach(error)) => {
                let dir = self.parts.holders.join(holder.to_string());
                end_by_marker(&dir).await?;
                let trouble = agents::start_trouble(kind, &error);
                self.not_started(holder, Input::NotAttached(trouble))
                    .await?;
                self.remove_folder(&dir).await;
                Ok(())
            }
        }
    }

    /// Looks at all that a process is started by.
    pub(super) async fn grounds(&mut self) -> Result<Grounds, Broken> {
        let accepted = self.accepted().await?;
        Ok(Grounds {
            unread: self.denied_reads(),
            text: self.text_terms().await?,
            quiet: self.quiet().await,
            accepted,
        })
    }

    /// What to run on these grounds.
    pub(super) fn launch(
        &self,
        grounds: &Grounds,
        holder: HolderId,
    ) -> Result<Launch, LaunchError> {
        let place = holder::files_path(&self.parts.holders.join(holder.to_string()));
        agents::launch(
            &self.parts.home,
            &Terms {
                place: &place,
                accepted: grounds.accepted.as_ref(),
                unread: &grounds.unread,
                quiet: grounds.quiet.as_ref(),
                facts: &self.facts_to_start(),
                mode: self.parts.machine.mode(),
                text: grounds.text.as_ref(),
                folder: &self.folder,
                defaults: &self.parts.defaults,
                host_server: self.parts.host.as_deref().map(Host::server),
                allowance: self.parts.machine.allowance(),
            },
        )
    }

    async fn not_started(&mut self, holder: HolderId, how: Input) -> Result<(), Broken> {
        let mut append = Append::to(self.parts.id);
        append.holder = Some(HolderChange::Removed { holder });
        self.parts.append(append).await?;
        self.pending.push_back(how);
        Ok(())
    }

    async fn spawn(&mut self, id: HolderId, launch: Launch) -> Result<(), NotStarted> {
        let dir = self.parts.holders.join(id.to_string());
        let translator = Translator::new(launch.kind, self.parts.machine.facts());
        let spec = HolderSpec {
            dir: dir.clone(),
            marks: launch.marks,
            agent: launch.spec,
            tie: self.parts.tie,
            limits: self.holder_limits(),
        };
        let home = &self.parts.home;
        let leading = [OsString::from(&home.holder_command)];
        self.parts.reaches(Step::Start);
        let files = &launch.files;
        let started = holder::start_with(&home.baton, &leading, &spec, files).await?;
        self.parts.reaches(Step::Start);
        let from = Position(0);
        let (mut reader, writer) = holder::attach(&dir, from).await?;
        if let Some(output) = started.output {
            reader = reader.with_output(output);
        }
        self.parts.reaches(Step::Attach);
        let mut process = Attached::new(id, dir, translator, from, (reader, writer));
        let mut known = Vec::new();
        process.translator.begun(&mut known);
        self.pending.extend(known.into_iter().map(Input::Agent));
        if process.translator.is_text() {
            // It would wait for more than it was started with.
            process.close_stdin();
        }
        self.process = Some(process);
        self.initialize();
        Ok(())
    }

    /// The journal of an agent that ends with its owner is never left behind
    /// for long; it only has to carry it over a reader that does not read.
    fn holder_limits(&self) -> HolderLimits {
        let limits = HolderLimits::default();
        if self.parts.tie == Tie::Free {
            return limits;
        }
        HolderLimits {
            untaken_bytes: limits.untaken_bytes.min(UNTAKEN_WITH_OWNER),
            ..limits
        }
    }

    /// What is known of the session, with the secrets that the log has not.
    fn facts_to_start(&self) -> Facts {
        let mut facts = self.parts.machine.facts().clone();
        if let Some(created) = &mut facts.created {
            created.options = self.parts.vault.whole(self.parts.id, &created.options);
        }
        facts
    }

    /// What an agent that answers in plain text is started with.
    async fn text_terms(&self) -> Result<Option<TextTerms>, Broken> {
        let facts = self.parts.machine.facts();
        let message = facts.undelivered().filter(|_| facts.text_output);
        let Some(text) = message.map(|message| message.text.clone()) else {
            return Ok(None);
        };
        let files = self.prompt_files().await?;
        let (forbidden, in_doubt) = self.what_rules_forbid();
        Ok(Some(TextTerms {
            prompt: agents::text_prompt(&text, &files),
            forbidden,
            in_doubt,
        }))
    }

    pub(super) fn initialize(&mut self) {
        let id = self.parts.world.random_id().to_string();
        self.tell_now(&self.initialization(id));
    }

    /// What a process is told first.
    pub(crate) fn initialization(&self, id: String) -> AgentCommand {
        let host_server = self.parts.host.as_deref();
        let host_server = host_server.map(|host| host.server().to_owned());
        AgentCommand::Initialize { id, host_server }
    }

    pub(super) async fn tell(&mut self, command: AgentCommand) -> Result<(), Broken> {
        let mut command = command;
        if let AgentCommand::Prompt { files, .. } = &mut command {
            *files = self.prompt_files().await?;
        }
        self.tell_now(&command);
        Ok(())
    }

    pub(super) fn tell_now(&mut self, command: &AgentCommand) {
        self.parts.reaches(Step::Say);
        self.say(command);
        self.parts.reaches(Step::Say);
    }

    fn say(&mut self, command: &AgentCommand) {
        let Some(process) = &mut self.process else {
            return;
        };
        for line in process.translator.command(command) {
            if line.len() > MAX_LINE {
                tracing::error!(
                    bytes = line.len(),
                    "a line is too long for the agent; it is stopped"
                );
                process.kill();
                return;
            }
            if process.to_agent.try_send(ToAgent::Line(line)).is_err() {
                tracing::warn!("the agent does not read its input; it is stopped");
                process.kill();
            }
        }
    }

    async fn prompt_files(&self) -> Result<Vec<PromptFile>, Broken> {
        let attachments = match self.parts.machine.facts().undelivered() {
            Some(message) => message.attachments.clone(),
            None => return Ok(Vec::new()),
        };
        let mut files: Vec<_> = self.owed_past().await?.into_iter().collect();
        for attachment in attachments {
            let Some(id) = attachment.blob_id else {
                continue;
            };
            if let Some(blob) = self.parts.store.blob(self.parts.id, id).await? {
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
    ) -> Result<(), Broken> {
        if let Some(process) = &mut self.process {
            process.heard = Instant::now();
        }
        match event {
            Ok(HolderEvent::Output { start, bytes }) => self.output(start, bytes).await,
            Ok(HolderEvent::Stderr { start, bytes }) => {
                if let Some(process) = &mut self.process {
                    process.stderr.extend_from_slice(&bytes);
                    let surplus = process.stderr.len().saturating_sub(STDERR_TAIL);
                    process.stderr.drain(..surplus);
                    if !process.in_line {
                        process.position = start.0 + bytes.len() as u64;
                    }
                }
                self.mark_if_far().await
            }
            Ok(HolderEvent::CaughtUp { .. }) => self.caught_up().await,
            Ok(HolderEvent::Exited { report, end }) => self.exited(&report, end).await,
            Err(error) => self.unreadable(&error).await,
        }
    }

    /// However much comes without an event, the journal does not fill up.
    pub(super) async fn mark_if_far(&mut self) -> Result<(), Broken> {
        let far = |process: &Attached| process.position - process.marked >= MARK_EVERY;
        if self.process.as_ref().is_some_and(far) {
            self.mark().await?;
        }
        Ok(())
    }

    /// Commits how far the journal was read, so that the holder can let go of it.
    async fn mark(&mut self) -> Result<(), Broken> {
        let notes = self.parts.machine.notes(self.moment());
        let Some(process) = &mut self.process else {
            return Ok(());
        };
        let mut append = Append::to(self.parts.id);
        append.journal = Some(process.mark(notes));
        self.parts.append(append).await?;
        process.committed(true);
        Ok(())
    }

    /// What the agent's own records say of the running turn's message.
    pub(super) async fn stored(&self) -> Stored {
        let facts = self.parts.machine.facts();
        let Phase::Running(running) = &facts.phase else {
            return Stored::Unknown;
        };
        let message = running.continuation.as_ref().or(running.messages.first());
        let message = message.map(|message| message.message_id);
        let (Some(message), Some(conversation)) = (message, facts.conversation()) else {
            return Stored::Unknown;
        };
        let home = Arc::clone(&self.parts.home);
        let look = move || home.stored(conversation, message);
        tokio::task::spawn_blocking(look)
            .await
            .unwrap_or(Stored::Unknown)
    }

    pub(super) async fn exited(
        &mut self,
        report: &ExitReport,
        end: Position,
    ) -> Result<(), Broken> {
        let Some(mut process) = self.process.take() else {
            return Ok(());
        };
        let mut batch = Batch::default();
        let mut outputs = Vec::new();
        match process.splitter.finish() {
            Some(Line::Unfinished(rest) | Line::Whole(rest)) => {
                process.translator.line(rest, &mut outputs);
            }
            Some(Line::TooLong { bytes, head }) => {
                process.translator.oversized(bytes, head, &mut outputs);
            }
            None => {}
        }
        let exit_code = match report.exit {
            Exit::Exited { code } => Some(code),
            Exit::Signalled { signal } => Some(128 + signal),
            Exit::Lost => None,
        };
        process.translator.ended(exit_code, &mut outputs);
        for output in outputs {
            self.agent_output(output, &mut batch, process.source())
                .await;
        }
        // What was streamed of an unfinished block is all there will be of it.
        let unfinished = self.parts.live.unfinished();
        // An answer in plain text was just told whole.
        let unfinished = unfinished
            .into_iter()
            .filter(|_| !process.translator.is_text());
        for block in unfinished {
            self.agent_output(block, &mut batch, process.source()).await;
        }
        let stored = self.stored().await;
        let process_end = ProcessEnd {
            watched: !process.found_dead,
            stored,
            exit_code,
            how: match report.exit {
                Exit::Exited { code } => format!("exit code {code}"),
                Exit::Signalled { signal } => format!("killed by signal {signal}"),
                Exit::Lost => process.how_it_was_lost(),
            },
            lost: report.exit == Exit::Lost,
            stderr: String::from_utf8_lossy(&process.stderr).trim().to_owned(),
        };
        for leaked in &report.leaked {
            tracing::info!(pid = leaked.pid, command = %leaked.command, "ended what the agent left running");
        }
        let moment = self.moment();
        let told = process.lost_because.as_ref();
        let told = told.and_then(|_| self.told_of_loss(&process_end.how));
        for input in told.into_iter().chain([Input::Exited(process_end)]) {
            if let Ok((_, effects)) = self.parts.machine.step(moment, input) {
                batch.add_all(effects, moment.now, None);
            }
        }
        tracing::debug!(end = end.0, "agent ended");
        batch.holder = Some(HolderChange::Removed {
            holder: process.holder,
        });
        let dir = process.dir.clone();
        process.detach().await;
        self.commit(batch, false).await?;
        self.parts.reaches(Step::Remove);
        self.remove_folder(&dir).await;
        self.parts.reaches(Step::Remove);
        self.is_caught_up();
        Ok(())
    }
}
