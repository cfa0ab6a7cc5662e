//! Taking up a process that an earlier owner left running.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use baton_protocol::{ApprovalId, Timestamp, words::EndStatus};
use serde::{Deserialize, Serialize};

use super::{
    Machine, Moment,
    beside::Aftermath,
    process::{Life, Process, Unheard},
    spent::Spent,
};

/// After a time without owner every open approval and the turn get at least
/// this long, or what they have at most, if that is less.
const TAKE_OVER_GRACE: Duration = Duration::from_secs(60);

/// The most calls at hand that are remembered to have asked leave. No agent has
/// as many at once; what is older had no result and will have none.
const MOST_CALLS: usize = 1024;

/// When something ends at the earliest that has this limit, after a time
/// without owner.
pub(super) fn grace(since: Timestamp, limit: Option<Duration>) -> Timestamp {
    since.plus(limit.map_or(TAKE_OVER_GRACE, |limit| limit.min(TAKE_OVER_GRACE)))
}

/// How far a process had come when its earlier owner went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Adopted {
    /// It has not said that it takes prompts.
    Silent,
    Ready,
    /// It has also told what it runs with, and that is in the log.
    Started,
    /// It has been told to finish.
    Closing,
    /// Its session is to end with it.
    Ending {
        status: EndStatus,
        reason: String,
    },
}

/// What is known of a process beside the log, and committed with the position
/// in its journal that it was learned from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Notes {
    /// It is rewriting its context, which it does in silence.
    compacting: bool,
    /// It said that it would be silent until then, by the wall clock.
    quiet_until: Option<Timestamp>,
    /// What it has used up in the turn at hand.
    spent: Spent,
    /// It runs in a mode that it may not.
    overreaches: bool,
    /// A turn may come of what ended in its background; by the wall clock.
    aftermath: Option<Aftermath>,
    /// Calls at hand that it has asked leave for.
    gated: VecDeque<String>,
}

impl Machine {
    /// From here on every tool that runs must have come by the gate: the agent
    /// was told to ask leave for each.
    pub const fn watch_gate(&mut self) {
        self.watches_gate = true;
    }

    /// Takes note of a call that the agent asks leave for.
    pub(super) fn passes_gate(&mut self, call: Option<String>) {
        self.life.gated.extend(call);
        if self.life.gated.len() > MOST_CALLS {
            self.life.gated.pop_front();
        }
    }

    /// Whether the agent has asked leave for a call that is over now.
    pub(super) fn has_passed_gate(&mut self, call: &str) -> bool {
        let place = self.life.gated.iter().position(|gated| gated == call);
        place
            .and_then(|place| self.life.gated.remove(place))
            .is_some()
    }

    pub fn notes(&self, moment: Moment) -> Notes {
        let quiet = self.life.quiet_until.map(|until| until.since(moment.at));
        Notes {
            compacting: self.life.compacting,
            quiet_until: quiet.map(|quiet| moment.now.plus(quiet)),
            spent: self.life.spent,
            overreaches: self.life.overreaches,
            aftermath: self.life.aftermath.clone().map(|aftermath| Aftermath {
                until: moment.now.plus(aftermath.until.since(moment.at)),
                ..aftermath
            }),
            gated: self.life.gated.clone(),
        }
    }

    /// Takes up a process that an earlier owner left running, with the
    /// requests it still waits on.
    pub fn adopt(
        &mut self,
        moment: Moment,
        adopted: Adopted,
        notes: &Notes,
        requests: BTreeMap<ApprovalId, String>,
        unconfirmed: BTreeMap<String, Unheard>,
    ) {
        let now = moment.at;
        let deadline = now.plus(self.limits.start_timeout);
        self.process = match &adopted {
            Adopted::Silent => Process::Starting {
                until: deadline,
                unsent: Vec::new(),
            },
            Adopted::Ready | Adopted::Started => Process::Ready,
            Adopted::Closing | Adopted::Ending { .. } => Process::Closing {
                was_up: true,
                until: Some(deadline),
            },
        };
        let quiet = notes.quiet_until.map(|until| until.since(moment.now));
        let aftermath = notes.aftermath.clone().map(|aftermath| Aftermath {
            until: now.plus(aftermath.until.since(moment.now)),
            ..aftermath
        });
        self.life = Life {
            announced: !matches!(adopted, Adopted::Silent | Adopted::Ready),
            compacting: notes.compacting,
            quiet_until: quiet.map(|quiet| now.plus(quiet)),
            spent: notes.spent,
            overreaches: notes.overreaches,
            aftermath,
            gated: notes.gated.clone(),
            // Nobody knows what ran in it before.
            had_background: true,
            turn_floor: Some(grace(now, self.limits.turn_timeout)),
            // Nobody could answer while nobody was here.
            taken_over: Some(now),
            requests,
            unconfirmed,
            ..Life::begun(now)
        };
        if let Adopted::Ending { status, reason } = adopted {
            self.ending = Some((status, reason));
        }
    }
}
