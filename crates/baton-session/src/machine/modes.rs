//! Model and permission mode: asked for by people, reported by the agent.
//!
//! A change holds when the agent has confirmed it. One that comes while no
//! process could take it, none being there or the last on its way out, is
//! recorded at once: the next process is started with it.

use baton_protocol::{
    api::Capabilities,
    event::{ModelChanged, Notification, PermissionModeChanged, SessionStarted, SessionUpdated},
    words::PermissionMode,
};

use super::{Asked, Machine, Process, Rejected, Reply, Step};
use crate::agents::{AgentCommand, AgentKind};

impl Machine {
    /// Whether the agent runs in a mode that it may not. Until it has obeyed,
    /// nothing is left to its own habits.
    pub const fn overreaches(&self) -> bool {
        self.life.overreaches
    }

    /// The mode that calls are judged by.
    pub fn mode(&self) -> PermissionMode {
        let mode = self
            .facts
            .permission_mode
            .unwrap_or(PermissionMode::Default);
        match self.may_bypass(mode) {
            Ok(()) => mode,
            Err(_) => PermissionMode::Default,
        }
    }

    /// Bypass is chosen when a session is made, and only where the setting
    /// allows it; nothing else leads there.
    fn may_bypass(&self, mode: PermissionMode) -> Result<(), Rejected> {
        if mode != PermissionMode::BypassPermissions {
            return Ok(());
        }
        if !self.limits.bypass_allowed {
            return Err(Rejected::BypassForbidden);
        }
        let created = self.facts.created.as_ref();
        if created.and_then(|created| created.options.permission_mode) != Some(mode) {
            return Err(Rejected::BypassNotChosen);
        }
        Ok(())
    }
}

impl Step<'_> {
    pub(super) fn set_model(&mut self, model: Option<String>) -> Result<Reply, Rejected> {
        if !self.capabilities().change_model {
            return Err(Rejected::Unsupported {
                what: "change its model",
            });
        }
        if self.waits_for_the_next() {
            let reason = Some("user".into());
            self.model_is(ModelChanged { model, reason });
            return Ok(Reply::Done);
        }
        Ok(
            self.ask_agent(Asked::Model(model.clone()), |id| AgentCommand::SetModel {
                id,
                model,
            }),
        )
    }

    pub(super) fn set_mode(&mut self, mode: PermissionMode) -> Result<Reply, Rejected> {
        self.may_enter(mode)?;
        // An agent that knows no modes leaves them to us.
        if self.waits_for_the_next() || !self.capabilities().has_modes {
            self.mode_is(mode, "user");
            return Ok(Reply::Done);
        }
        Ok(
            self.ask_agent(Asked::Mode(mode), |id| AgentCommand::SetPermissionMode {
                id,
                mode,
            }),
        )
    }

    fn waits_for_the_next(&self) -> bool {
        self.machine.process == Process::None
            || self.machine.takes_no_more()
            // It hears nothing after its start.
            || self.machine.facts.text_output
    }

    pub(super) fn may_enter(&self, mode: PermissionMode) -> Result<(), Rejected> {
        if !self.capabilities().modes.contains(&mode) {
            return Err(Rejected::Unsupported {
                what: "run in this permission mode",
            });
        }
        self.machine.may_bypass(mode)
    }

    pub(super) fn model_is(&mut self, changed: ModelChanged) {
        if self.machine.facts.model != changed.model {
            self.record(changed);
        }
    }

    pub(super) fn mode_is(&mut self, mode: PermissionMode, by: &str) {
        if self.machine.facts.permission_mode != Some(mode) {
            let by = by.to_owned();
            self.record(PermissionModeChanged { mode, by });
        }
    }

    pub(super) fn started(&mut self, mut started: SessionStarted) {
        if self.machine.life.announced {
            self.what_changed(started);
            return;
        }
        self.machine.life.announced = true;
        let refused = started.permission_mode.filter(|mode| !self.stands(*mode));
        if refused.is_some() {
            started.permission_mode = Some(self.machine.mode());
        }
        self.record(started);
        self.take_back_mode(refused);
    }

    /// The agent repeats its facts each turn; only differences are news. Those
    /// of a process on its way out are its own: the next one is started anew.
    fn what_changed(&mut self, started: SessionStarted) {
        let id = started.agent_session_id;
        if id.is_some() && id != self.machine.facts.agent_session_id {
            self.record(SessionUpdated {
                agent_session_id: id,
                ..SessionUpdated::default()
            });
        }
        if let Some(model) = started.model {
            self.agent_model(ModelChanged {
                model: Some(model),
                reason: None,
            });
        }
        if let Some(mode) = started.permission_mode {
            self.agent_mode(mode, "agent");
        }
    }

    pub(super) fn agent_model(&mut self, changed: ModelChanged) {
        if !self.machine.takes_no_more() {
            self.model_is(changed);
        }
    }

    pub(super) fn agent_mode(&mut self, mode: PermissionMode, by: &str) {
        if self.machine.takes_no_more() {
            return;
        }
        if self.stands(mode) {
            self.mode_is(mode, by);
        } else {
            self.take_back_mode(Some(mode));
        }
    }

    /// Whether a mode that the agent reports may stand.
    fn stands(&mut self, mode: PermissionMode) -> bool {
        let stands = self.machine.may_bypass(mode).is_ok();
        if stands {
            self.machine.life.overreaches = false;
        }
        stands
    }

    /// Tells the agent to leave a mode that it may not be in, once each time
    /// that it got there.
    fn take_back_mode(&mut self, refused: Option<PermissionMode>) {
        let Some(refused) = refused else {
            return;
        };
        if std::mem::replace(&mut self.machine.life.overreaches, true) {
            return;
        }
        let mode = self.machine.mode();
        self.record(Notification {
            title: Some("Mode refused".into()),
            message: format!(
                "The agent says that it runs in {refused}, which this session was not created \
                 with. It is told to go back to {mode}; until it has, every tool is asked about."
            ),
            kind: "mode".into(),
        });
        let id = self.moment.fresh.to_string();
        self.tell(AgentCommand::SetPermissionMode { id, mode });
    }

    pub(super) fn capabilities(&self) -> Capabilities {
        let created = self.machine.facts.created.as_ref();
        created
            .and_then(|created| AgentKind::from_name(&created.agent))
            .unwrap_or_default()
            .capabilities()
    }
}
