//! Going on where an earlier owner stopped.

use std::collections::{BTreeMap, BTreeSet};

use baton_process::holder::{self, Position};
use baton_protocol::HolderId;
use baton_store::{HolderChange, StoreError};

use super::{
    Actor,
    attached::{Attached, Snapshot},
    batch::Batch,
};
use crate::{
    agents::{self, AgentCommand, AgentKind, Answer, Translator},
    machine::{Adopted, Input, ProcessEnd},
};

impl Actor {
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
    pub(super) async fn caught_up(&mut self) -> Result<(), StoreError> {
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
