//! The process at hand: started, told, ended.

use std::collections::{BTreeMap, VecDeque};

use baton_protocol::{ApprovalId, Timestamp};

use super::{Awaiting, Effect, Spent, Step, Stopping, Why, beside::Aftermath};
use crate::agents::AgentCommand;

/// The process at hand; nothing of it survives a restart of the session's log.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Process {
    None,
    Starting {
        /// It is up by then, or has failed to start.
        until: Timestamp,
        /// What it is told as soon as it is up.
        unsent: Vec<AgentCommand>,
    },
    Ready,
    /// Its stdin is closed, or it is being killed: it takes no more prompts.
    Closing {
        was_up: bool,
        /// It has ended by then, or is killed. None: it is being killed.
        until: Option<Timestamp>,
    },
}

impl Process {
    pub(super) const fn is_starting(&self) -> bool {
        matches!(self, Self::Starting { .. })
    }

    /// Whether it has ever taken prompts.
    pub(super) const fn was_up(&self) -> bool {
        match self {
            Self::Ready => true,
            Self::Closing { was_up, .. } => *was_up,
            Self::None | Self::Starting { .. } => false,
        }
    }

    /// When it must have started.
    pub(super) const fn start_deadline(&self) -> Option<Timestamp> {
        match self {
            Self::Starting { until, .. } => Some(*until),
            Self::None | Self::Ready | Self::Closing { .. } => None,
        }
    }

    /// When it must have ended, if it was told to finish.
    pub(super) const fn close_deadline(&self) -> Option<Timestamp> {
        match self {
            Self::Closing { until, .. } => *until,
            Self::None | Self::Starting { .. } | Self::Ready => None,
        }
    }
}

/// An answer that the agent may not have heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unheard {
    /// The call whose end will show that it was heard.
    pub call: Option<String>,
    /// Something may have come of it. Of a refusal, or of a word about which
    /// tools there are, nothing does.
    pub acts: bool,
}

/// What is known of a process beside the log. Each one begins anew.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Life {
    /// It has said what it runs with.
    pub(super) announced: bool,
    /// When it was taken over from an earlier owner.
    pub(super) taken_over: Option<Timestamp>,
    /// The turn at hand is being stopped.
    pub(super) stopping: Option<Stopping>,
    /// Which of its requests each open approval answers.
    pub(super) requests: BTreeMap<ApprovalId, String>,
    /// Requests that are answered, but not yet known to have been heard.
    pub(super) unconfirmed: BTreeMap<String, Unheard>,
    /// Our requests that it has not answered.
    pub(super) awaiting: BTreeMap<String, Awaiting>,
    /// It is somebody else's, and what it did is being told.
    pub(super) tells_elsewhere: bool,
    /// Calls at hand that it has asked leave for.
    pub(super) gated: VecDeque<String>,
    /// When it last gave a sign of life, or was given something to do.
    pub(super) heard: Timestamp,
    /// Something ran in its background. What comes of it may be a turn that
    /// the agent begins by itself, a moment later.
    pub(super) had_background: bool,
    /// Such work has just ended.
    pub(super) aftermath: Option<Aftermath>,
    /// A person stopped it: what the agent would say to that is not wanted.
    pub(super) hush: bool,
    /// Work in the background that was told to stop has ended by then, or the
    /// process is killed.
    pub(super) beside_deadline: Option<Timestamp>,
    /// The folder asks for other terms than it was started on.
    pub(super) renew: bool,
    /// A turn does not run out before this: its process had less time than it.
    pub(super) turn_floor: Option<Timestamp>,
    /// It said that it would be silent until then.
    pub(super) quiet_until: Option<Timestamp>,
    /// It is rewriting its context, which it does in silence.
    pub(super) compacting: bool,
    /// What it has used up in the turn at hand, as far as it told.
    pub(super) spent: Spent,
    /// What it had cost when the turn at hand began.
    pub(super) cost_before: Option<f64>,
    /// It runs in a mode that it may not, until it says otherwise.
    pub(super) overreaches: bool,
}

impl Life {
    /// Whether something may have come of an answer that it was given.
    pub(super) fn may_have_acted(&self) -> bool {
        self.unconfirmed.values().any(|unheard| unheard.acts)
    }

    pub(super) fn begun(at: Timestamp) -> Self {
        Self {
            announced: false,
            taken_over: None,
            stopping: None,
            requests: BTreeMap::new(),
            unconfirmed: BTreeMap::new(),
            awaiting: BTreeMap::new(),
            tells_elsewhere: false,
            gated: VecDeque::new(),
            heard: at,
            had_background: false,
            aftermath: None,
            hush: false,
            beside_deadline: None,
            renew: false,
            turn_floor: None,
            quiet_until: None,
            compacting: false,
            spent: Spent::default(),
            cost_before: None,
            overreaches: false,
        }
    }
}

impl Step<'_> {
    /// Tells the agent now, or once it is up.
    pub(super) fn tell(&mut self, command: AgentCommand) {
        match &mut self.machine.process {
            Process::Ready | Process::Closing { .. } => self.effect(Effect::Tell(command)),
            Process::Starting { unsent, .. } => unsent.push(command),
            Process::None => self.start_with(vec![command]),
        }
    }

    pub(super) fn start(&mut self) {
        self.start_with(Vec::new());
    }

    fn start_with(&mut self, unsent: Vec<AgentCommand>) {
        let now = self.moment.at;
        let limits = &self.machine.limits;
        self.machine.process = Process::Starting {
            until: now.plus(limits.start_timeout),
            unsent,
        };
        self.machine.life = Life {
            turn_floor: limits.turn_timeout.map(|limit| now.plus(limit)),
            ..Life::begun(now)
        };
        self.machine.queue.try_now();
        self.effect(Effect::Start);
    }

    /// Ends the process; whatever comes next waits for its exit.
    pub(super) fn kill_process(&mut self) {
        let has_work = !self.machine.has_no_work();
        self.machine.process = Process::Closing {
            was_up: self.machine.process.was_up(),
            until: None,
        };
        self.effect(Effect::Kill { has_work });
    }

    /// The same, and why the turn at hand ends with it.
    pub(super) fn kill_because(&mut self, why: Why) {
        self.machine.life.stopping = Some(Stopping { why, kill_at: None });
        self.kill_process();
    }

    pub(super) fn close_process(&mut self) {
        let deadline = self.moment.at.plus(self.machine.limits.start_timeout);
        self.machine.process = Process::Closing {
            was_up: true,
            until: Some(deadline),
        };
        self.effect(Effect::CloseStdin);
    }

    /// A process that serves one turn goes when nothing is left in it.
    pub(super) fn settle_process(&mut self) {
        if self.machine.works_beside() {
            self.machine.life.had_background = true;
        }
        let machine = &self.machine;
        if machine.serves_one_turn()
            && !machine.life.had_background
            && machine.has_no_work()
            && machine.life.awaiting.is_empty()
            && machine.ending.is_none()
        {
            self.close_process();
        }
    }
}
