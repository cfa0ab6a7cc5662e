//! The session's process: starting it, hearing it, speaking to it.

use std::ffi::OsString;

use baton_process::{
    Exit, ExitReport, Line,
    holder::{self, HolderEvent, HolderLimits, HolderSpec, Position, ReadError},
};
use baton_protocol::{HolderId, words::Json};
use baton_store::{Append, HolderChange, StoreError};

use super::{
    Actor,
    attached::{Attached, ToAgent},
    batch::Batch,
};
use crate::{
    agents::{self, AgentCommand, Launch, PromptFile, Translator},
    machine::{Input, ProcessEnd, Trouble},
};

/// What is kept of the agent's stderr, to explain an unexpected end.
const STDERR_TAIL: usize = 8 * 1024;

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

    pub(super) fn initialize(&mut self) {
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

    pub(super) fn tell_now(&mut self, command: &AgentCommand) {
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
}
