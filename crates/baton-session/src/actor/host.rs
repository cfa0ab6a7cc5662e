//! What an agent says to its host, and what it hears from it.

use baton_process::holder::Tie;
use baton_protocol::{Event, HolderId, event::Notification, words::Json};
use baton_store::RequestChange;
use serde_json::json;

use super::{Actor, Broken, attached::Source, batch::Batch};
use crate::{
    agents::{AgentCommand, AgentOutput},
    host::{Host, HostReply, MAX_CALLS, MAX_MESSAGE, acts, answered, cut_short},
    machine::Input,
};

impl Actor {
    /// Takes out what is the host's business. Recorded with the position in
    /// the journal, so that a later owner knows of it too.
    pub(super) fn for_the_host(
        &mut self,
        output: AgentOutput,
        batch: &mut Batch,
        from: Source,
    ) -> Option<AgentOutput> {
        if let AgentOutput::Greeting(told) = output {
            if let Some(kind) = self.agent() {
                self.parts.choices.told(kind, &told, self.bare);
            }
            // Many sessions are open at once in a daemon, which asks for no more.
            let told = match self.parts.tie {
                Tie::Free => Json::of(&json!({"commands": told.value().get("commands")})),
                Tie::Owner | Tie::OwnerAlone => told,
            };
            self.parts.greeting.send_replace(Some(told));
            return None;
        }
        let Some(host) = &self.parts.host else {
            return Some(output);
        };
        if let AgentOutput::HostMessage {
            request,
            server,
            message,
        } = &output
            && server == host.server()
            && self.called.len() < MAX_CALLS
            && message.text().len() <= MAX_MESSAGE
        {
            batch.requests.push(RequestChange::Opened {
                holder: from.holder,
                request_id: request.clone(),
                approval: None,
                body: message.clone(),
            });
            self.called.insert(request.clone(), acts(message));
            let call = (from.holder, request.clone(), message.clone());
            batch.calls.push(call);
            return None;
        }
        Some(output)
    }

    /// Says once that a server of the session's own options is left out,
    /// because its name is the host's.
    pub(super) fn tell_of_clash(&mut self) {
        let Some(name) = self.parts.host.as_deref().map(Host::server) else {
            return;
        };
        let created = self.parts.machine.facts().created.as_ref();
        let servers = created.and_then(|created| created.options.mcp_servers.as_ref());
        let clash = servers.is_some_and(|servers| servers.value().get(name).is_some());
        if !clash || std::mem::replace(&mut self.told_of_clash, true) {
            return;
        }
        let message = format!(
            "The MCP server `{name}` of this session's options is left out: Baton's own has this name."
        );
        let told = AgentOutput::Event {
            event: Event::Notification(Notification {
                title: Some("MCP server left out".into()),
                message,
                kind: "mcp".into(),
            }),
            agent_id: None,
        };
        self.pending.push_back(Input::Agent(told));
    }

    pub(super) fn call_host(&mut self, holder: HolderId, request: String, message: Json) {
        let Some(host) = &self.parts.host else {
            return;
        };
        let answer = host.answer(&self.as_caller(), message.clone());
        self.calls.spawn(async move {
            let answer = answered(answer, &message).await;
            (holder, request, answer)
        });
    }

    pub(super) async fn host_answered(
        &mut self,
        holder: HolderId,
        request: String,
        answer: Json,
    ) -> Result<(), Broken> {
        let acts = self.called.remove(&request).unwrap_or(true);
        // Whoever asked may be gone, and its requests with it.
        if self.process.as_ref().map(|process| process.holder) != Some(holder) {
            return Ok(());
        }
        let mut batch = Batch::default();
        batch.requests.push(RequestChange::Answered {
            request_id: request.clone(),
            answer: Json::of(&HostReply {
                host: answer.clone(),
            }),
        });
        self.commit(batch, false).await?;
        self.parts.machine.host_answered(request.clone(), acts);
        self.tell_now(&AgentCommand::HostAnswer { request, answer });
        Ok(())
    }

    /// A message that an earlier owner had not answered.
    pub(super) async fn left_to_the_host(
        &mut self,
        request: String,
        message: Json,
    ) -> Result<(), Broken> {
        let holder = self.process.as_ref().map(|process| process.holder);
        let Some(holder) = holder.filter(|_| !self.called.contains_key(&request)) else {
            return Ok(());
        };
        if let Some(answer) = cut_short(&message) {
            return self.host_answered(holder, request, answer).await;
        }
        self.called.insert(request.clone(), acts(&message));
        self.call_host(holder, request, message);
        Ok(())
    }
}
