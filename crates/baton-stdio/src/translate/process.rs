//! The processes that take the conversation up, one after the other.

use baton_protocol::event::{SessionEnded, SessionStarted};

use super::{Output, Translator};
use crate::output::{
    Init, SessionEnded as EndedSession, SessionIdUpdate, SessionStarted as StartedSession, Source,
};

impl Translator {
    pub(super) fn started(&mut self, started: &SessionStarted, out: &mut Vec<Output>) {
        self.tell_exit(out);
        self.process_gone("replaced", out);
        let source = if self.started_before {
            Source::Restart
        } else {
            self.context.source()
        };
        self.running = true;
        self.started_before = true;
        self.model.clone_from(&started.model);
        let id = started.agent_session_id.clone();
        self.named(id.as_deref(), out);
        out.push(
            StartedSession {
                session_id: id.clone(),
                source,
                model: started.model.clone(),
                pid: started.pid,
            }
            .into(),
        );
        let servers = started.mcp_servers.iter();
        let servers = servers.map(|server| (server.name.as_str(), server.status.as_str()));
        out.push(
            Init {
                session_id: id,
                model: started.model.clone(),
                tools: started.tools.clone(),
                mcp_servers: self.context.servers(servers),
                mcp_conflicts: self.context.conflicts(),
                slash_commands: started.slash_commands.clone(),
                permission_mode: started.permission_mode,
                agent_version: started.agent_version.clone(),
                cwd: self.context.cwd.clone(),
                trusted: self.context.folder.trust.trusted,
                left_out: self.context.folder.trust.left_out.clone(),
                checkpointing: self.context.checkpointing,
                budget: self.context.budget.clone(),
            }
            .into(),
        );
    }

    /// The agent's own id is told only when it changes.
    pub(super) fn named(&mut self, id: Option<&str>, out: &mut Vec<Output>) {
        let Some(id) = id.filter(|id| self.agent_session.as_deref() != Some(*id)) else {
            return;
        };
        let previous = self.agent_session.replace(id.to_owned());
        out.push(
            SessionIdUpdate {
                session_id: id.to_owned(),
                previous_session_id: previous,
            }
            .into(),
        );
    }

    pub(super) fn tell_exit(&mut self, out: &mut Vec<Output>) {
        if let Some(how) = self.exited.take() {
            self.process_gone(&how, out);
        }
    }

    /// Its process was lost, in a turn or between two.
    pub(super) fn process_lost(&mut self, how: &str) {
        let place = if self.turn.is_some() {
            &mut self.lost
        } else {
            &mut self.exited
        };
        *place = Some(how.to_owned());
    }

    pub(super) fn process_gone(&mut self, reason: &str, out: &mut Vec<Output>) {
        if std::mem::take(&mut self.running) {
            out.push(
                EndedSession {
                    session_id: self.agent_session.clone(),
                    reason: reason.to_owned(),
                    status: None,
                }
                .into(),
            );
        }
    }

    pub(super) fn session_ended(&mut self, ended: &SessionEnded, out: &mut Vec<Output>) {
        self.thinking.close(out);
        self.tools.close(out);
        self.ended = Some(ended.clone());
        if !std::mem::take(&mut self.running) {
            return;
        }
        out.push(
            EndedSession {
                session_id: self.agent_session.clone(),
                reason: ended.reason.clone().unwrap_or_else(|| "ended".into()),
                status: Some(ended.status),
            }
            .into(),
        );
    }
}
