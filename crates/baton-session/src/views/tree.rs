//! Who started whom: sub-agents nested under the calls that began them.

use std::collections::BTreeMap;

use baton_protocol::{
    Envelope, Event, ToolKind,
    api::SubAgent,
    event::{SubagentStarted, ToolRequested},
    words::TaskStatus,
};

/// The sub-agents of a session, ended ones too.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tree {
    /// In the order they began.
    agents: Vec<SubAgent>,
    /// Which sub-agent made each open call.
    callers: BTreeMap<String, String>,
    /// The same of each that can begin another sub-agent. A call in the
    /// background is over before its sub-agent is.
    starters: BTreeMap<String, String>,
}

impl Tree {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only tools and sub-agents grow a tree"
    )]
    pub(super) fn event(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::SubagentStarted(started) => self.started(envelope, started),
            Event::SubagentStopped(stopped) => {
                let agent = self.agent(envelope, &stopped.agent_id);
                agent.status = stopped.status;
                agent.ended_at = Some(envelope.ts);
            }
            Event::ToolRequested(requested) => self.requested(envelope, requested),
            Event::ToolCompleted(completed) => {
                self.callers.remove(&completed.tool_use_id);
            }
            // Nothing works on in a session that is over, whatever was told of it.
            Event::SessionEnded(_) => {
                for agent in &mut self.agents {
                    if agent.status == TaskStatus::Running {
                        agent.status = TaskStatus::Stopped;
                        agent.ended_at = Some(envelope.ts);
                    }
                }
            }
            _ => {}
        }
    }

    /// Every sub-agent, in the order they began: parents before children.
    pub(super) fn agents(&self) -> &[SubAgent] {
        &self.agents
    }

    /// The sub-agent that made a call; none: the main agent.
    pub(super) fn caller(&self, call: &str) -> Option<&str> {
        let caller = self.callers.get(call).or_else(|| self.starters.get(call));
        caller.map(String::as_str)
    }

    fn started(&mut self, envelope: &Envelope, started: &SubagentStarted) {
        let parent = started.parent_tool_use_id.as_ref();
        let parent = parent.and_then(|call| self.starters.get(call)).cloned();
        let agent = self.agent(envelope, &started.agent_id);
        agent.status = TaskStatus::Running;
        agent.ended_at = None;
        agent.agent_type.clone_from(&started.agent_type);
        agent.description.clone_from(&started.description);
        // One that goes on later keeps its place, so that the tree stays one.
        if agent.parent_tool_use_id.is_none() {
            agent
                .parent_tool_use_id
                .clone_from(&started.parent_tool_use_id);
            agent.parent_agent_id = parent.filter(|parent| *parent != started.agent_id);
        }
    }

    fn requested(&mut self, envelope: &Envelope, requested: &ToolRequested) {
        let agent_id = envelope.agent_id.clone().or_else(|| {
            let call = requested.parent_tool_use_id.as_ref()?;
            let mut agents = self.agents.iter().rev();
            let agent = agents.find(|agent| agent.parent_tool_use_id.as_ref() == Some(call))?;
            Some(agent.agent_id.clone())
        });
        if let Some(id) = agent_id {
            let agent = self.agent(envelope, &id);
            agent.tool_calls += 1;
            agent.last_label = Some(requested.label.clone());
            let calls = if requested.tool_kind == ToolKind::Agent {
                &mut self.starters
            } else {
                &mut self.callers
            };
            calls.insert(requested.tool_use_id.clone(), id);
        }
    }

    /// The sub-agent of that id; one that was never announced appears with
    /// its first sign of life.
    fn agent(&mut self, envelope: &Envelope, id: &str) -> &mut SubAgent {
        let known = self.agents.iter().position(|agent| agent.agent_id == id);
        let at = known.unwrap_or_else(|| {
            self.agents.push(SubAgent {
                agent_id: id.to_owned(),
                agent_type: None,
                description: None,
                parent_tool_use_id: None,
                parent_agent_id: None,
                status: TaskStatus::Running,
                turn: envelope.turn,
                started_at: envelope.ts,
                ended_at: None,
                tool_calls: 0,
                last_label: None,
            });
            self.agents.len() - 1
        });
        &mut self.agents[at]
    }
}
