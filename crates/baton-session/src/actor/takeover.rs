//! Going on where an earlier owner stopped.

use std::{collections::BTreeMap, path::Path};

use baton_process::{
    LineSplitter,
    holder::{self, AttachError, Position},
};
use baton_protocol::{
    ApprovalId, HolderId,
    words::{EndStatus, Json},
};

use super::{
    Actor, Broken,
    attached::{Attached, HolderFacts, Snapshot},
    distrust::Watch,
    lost::end_by_marker,
};
use crate::{
    agents::{AgentCommand, AgentKind, Answer, GateAnswer, Refusal, Translator},
    host::{HostReply, acts},
    machine::{Adopted, Unheard},
};

impl Actor {
    /// The process that an earlier owner of this session left, if any.
    pub(super) async fn left_behind(&mut self) -> Result<Option<Attached>, Broken> {
        let holders = self.parts.store.holders().await?;
        let own = holders.into_iter().find(|row| row.session == self.parts.id);
        let Some(row) = own else {
            return Ok(None);
        };
        let dir = self.parts.holders.join(row.holder.to_string());
        let facts = row.facts.parse::<HolderFacts>();
        // The version before kept only the kind.
        let kind = facts.as_ref().map(|facts| facts.kind);
        let kind = kind.or_else(|| row.facts.parse::<AgentKind>());
        let kind = kind.unwrap_or_default();
        // Of one that does not say it is taken to have been: a kill too many
        // loses nothing that is not in the log.
        let trusted = facts.as_ref().and_then(|facts| facts.trusted);
        self.watch = Watch::begin(trusted.unwrap_or(true));
        self.launched = facts.and_then(|facts| facts.terms);
        let from = Position(row.mark.position);
        let snapshot = row.mark.translator.as_deref();
        let snapshot = snapshot.and_then(|text| serde_json::from_str::<Snapshot>(text).ok());
        let known = snapshot.as_ref();
        let closing = known.is_some_and(|snapshot| snapshot.closing);
        let ending = known.and_then(|snapshot| snapshot.ending.clone());
        let skipping = known.and_then(|snapshot| snapshot.skipping.clone());
        let notes = known.map(|snapshot| snapshot.notes.clone());
        // A snapshot that cannot be read costs what it remembered, not the agent.
        let mut translator = snapshot
            .and_then(|snapshot| Translator::restore(kind, &snapshot.translator).ok())
            .unwrap_or_else(|| Translator::new(kind, self.parts.machine.facts()));
        // What was recorded was committed before the message was sent.
        if let Some(message) = self.parts.machine.facts().undelivered() {
            translator.expect(message.message_id);
        }
        let attached = holder::attach(&dir, from).await;
        if let (Err(AttachError::NoHolder { .. }), Position(0)) = (&attached, from) {
            // It was to be started and never was, or is only about to come
            // up: then it must not, since nobody would know of it.
            return self.never_was(row.holder, &dir).await.map(|()| None);
        }
        let (requests, unconfirmed) = self.left_requests().await?;
        let adopted = match (translator.is_ready(), translator.has_started()) {
            _ if ending.is_some() => {
                let (status, reason) = ending
                    .clone()
                    .unwrap_or((EndStatus::Stopped, String::new()));
                Adopted::Ending { status, reason }
            }
            _ if closing => Adopted::Closing,
            (false, _) => Adopted::Silent,
            (true, false) => Adopted::Ready,
            (true, true) => Adopted::Started,
        };
        let (moment, notes) = (self.moment(), notes.unwrap_or_default());
        self.parts
            .machine
            .adopt(moment, adopted, &notes, requests, unconfirmed);
        let attached = match attached {
            Ok(attached) => attached,
            Err(error) => {
                let why = error.to_string();
                return self.bury(row.holder, &dir, &why).await.map(|()| None);
            }
        };
        let runs = attached.1.agent_pid().is_some();
        let mut process = Attached::new(row.holder, dir, translator, from, attached);
        process.inherited = runs;
        process.found_dead = !runs;
        process.closing = closing;
        process.ending = ending;
        if let Some((bytes, head)) = skipping {
            process.splitter = LineSplitter::default().resume_skipping(bytes, head.as_bytes());
        }
        Ok(Some(process))
    }

    async fn never_was(&mut self, id: HolderId, dir: &Path) -> Result<(), Broken> {
        let never_up = holder::is_bare(dir);
        if let Err(error) = holder::discard(dir).await {
            tracing::warn!(%error, "a holder's folder could not be removed");
        }
        // Without a lock or a folder there may still be an agent.
        let ended = end_by_marker(dir).await?;
        let ran = !ended.is_empty() && !never_up;
        let lost = match ran {
            true => Some(self.lost_process("its holder's folder is gone").await),
            false => None,
        };
        self.forget(id, lost).await
    }

    /// What the agent waits for, and what it may not have heard.
    async fn left_requests(
        &self,
    ) -> Result<(BTreeMap<ApprovalId, String>, BTreeMap<String, Unheard>), Broken> {
        let mut requests = BTreeMap::new();
        let mut unconfirmed = BTreeMap::new();
        for request in self.parts.store.open_requests(self.parts.id).await? {
            match (request.answer, request.approval) {
                (None, Some(approval)) => {
                    requests.insert(approval, request.request_id);
                }
                (Some(answer), _) => {
                    let word = answer.parse::<Refusal>().is_some()
                        || answer.parse::<HostReply>().is_some() && !acts(&request.body);
                    let unheard = Unheard {
                        call: None,
                        acts: !word,
                    };
                    unconfirmed.insert(request.request_id, unheard);
                }
                (None, None) => {}
            }
        }
        Ok((requests, unconfirmed))
    }

    /// Everything an earlier owner left is in the log. What it may not have
    /// said, or said in vain, is said again to the same process, which ignores
    /// what it already has.
    pub(super) async fn caught_up(&mut self) -> Result<(), Broken> {
        self.is_caught_up();
        let Some(process) = &self.process else {
            return Ok(());
        };
        if !process.inherited {
            return Ok(());
        }
        if process.ending.is_some() {
            process.kill();
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
            let request_id = request.request_id;
            let Some(recorded) = request.answer else {
                if request.approval.is_none() && request.body != Json::null() {
                    self.left_to_the_host(request_id, request.body).await?;
                }
                continue;
            };
            if let Some(HostReply { host: answer }) = recorded.parse::<HostReply>() {
                self.tell_now(&AgentCommand::HostAnswer {
                    request: request_id,
                    answer,
                });
            } else if let Some(answer) = recorded.parse::<Answer>() {
                self.tell_now(&AgentCommand::Answer {
                    request: request_id,
                    answer,
                });
            } else if let Some(answer) = recorded.parse::<GateAnswer>() {
                self.tell_now(&AgentCommand::Gate {
                    request: request_id,
                    answer,
                });
            } else if let Some(refusal) = recorded.parse::<Refusal>() {
                self.tell_now(&AgentCommand::Refuse {
                    request: request_id,
                    message: refusal.refused,
                });
            }
        }
        if let Some(message) = self.parts.machine.facts().undelivered() {
            let (message_id, text) = (message.message_id, message.text.clone());
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
