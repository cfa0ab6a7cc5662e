//! Processes that are started before their session: started, watched over, given
//! away, ended. `warm` decides which there are.
//!
//! They are tied to their owner: one that nobody took ends with the daemon, and
//! what is left of it on disk is of no session, so the next owner removes it.

mod ear;
mod keep;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard},
};

use baton_process::holder::Tie;
use baton_project::secrets::SecretPlaces;
use baton_protocol::{Seq, SessionId, event::SessionCreated};
use baton_store::Store;
use tokio::sync::{mpsc, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{GivenUp, NewSessionSpec, Supervisor, SupervisorError, lock};
use crate::{
    actor::{Actor, Parts, Progress, Waiting},
    agents::AgentHome,
    blob,
    choices::LastChoices,
    host::Host,
    live::LiveBuffer,
    machine::{Facts, Input, Limits, Machine, Moment},
    pace::Pace,
    pool::Pool,
    purse::Purse,
    rulebook::RuleBook,
    settings::Defaults,
    vault::Vault,
    warm::{Chore, LeaseId, Number, Standing, Warmth},
    world::World,
};

/// How far the process is that somebody wants to wait for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warmed {
    /// It is up.
    Ready,
    Starting,
    /// There is none: it may not be, or there is no room.
    Not,
}

/// What sessions are made of.
#[derive(Debug)]
pub(super) struct Kit {
    pub(super) store: Store,
    pub(super) world: Arc<dyn World>,
    pub(super) home: Arc<AgentHome>,
    pub(super) holders: PathBuf,
    pub(super) secrets: Arc<SecretPlaces>,
    pub(super) vault: Vault,
    pub(super) limits: Limits,
    pub(super) rules: Arc<RuleBook>,
    pub(super) defaults: Arc<Defaults>,
    pub(super) pool: Arc<Pool>,
    pub(super) purse: Arc<Purse>,
    pub(super) given_up: Arc<GivenUp>,
    pub(super) choices: Arc<LastChoices>,
    pub(super) host: Option<Arc<dyn Host>>,
    pub(super) tasks: TaskTracker,
    pub(super) cancel: CancellationToken,
}

#[derive(Debug)]
pub(super) struct Warming {
    kit: Kit,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    warmth: Warmth<SessionCreated>,
    kept: BTreeMap<Number, Kept>,
}

/// A process and the task that keeps it.
#[derive(Debug)]
struct Kept {
    close: CancellationToken,
    /// Once it runs.
    waits: Option<Waiting>,
    /// It has said that it is up.
    spoke: bool,
}

impl Supervisor {
    /// Has a process ready for a session that somebody is about to make. To be
    /// said again now and then: a lease that is silent ends.
    pub fn warm(&self, lease: LeaseId, new: NewSessionSpec) -> Result<Warmed, SupervisorError> {
        let agent = new.agent;
        let (mut wish, _) = self.created(new)?;
        wish.title = None;
        let waits = agent.can_wait()
            && self.tie == Tie::Free
            // It would be written before there is a session.
            && wish.options.debug_file.is_none();
        if !waits || !self.warming.has_room(lease, &wish) {
            self.cool(lease);
            return Ok(Warmed::Not);
        }
        Ok(self.warming.want(lease, wish))
    }

    /// Nothing is about to be made any more.
    pub fn cool(&self, lease: LeaseId) {
        let now = self.world.uptime();
        self.warming.step(|warmth| warmth.leave(lease, now));
    }
}

impl Warming {
    pub(super) fn new(kit: Kit) -> Self {
        Self {
            kit,
            state: Mutex::default(),
        }
    }

    /// The process that waits for a session that is made with this.
    pub(super) fn take(&self, created: &SessionCreated) -> Option<Waiting> {
        let mut wish = created.clone();
        wish.title = None;
        let mut state = lock(&self.state);
        let number = state.warmth.take(&wish)?;
        state.kept.remove(&number)?.waits
    }

    /// What was said to a folder counts at once.
    pub(super) fn folder_changed(self: &Arc<Self>, folder: &str) {
        self.step(|warmth| warmth.stale_where(|wish| wish.cwd == folder));
    }

    /// Those that wait only get the places that nobody else has.
    fn has_room(&self, lease: LeaseId, wish: &SessionCreated) -> bool {
        let state = lock(&self.state);
        if state.warmth.standing(lease) != Standing::None {
            return true;
        }
        let project = blob::project_id(wish.project_folder());
        self.kit.pool.free(project) > state.kept.len()
    }

    fn want(self: &Arc<Self>, lease: LeaseId, wish: SessionCreated) -> Warmed {
        let now = self.kit.world.uptime();
        self.step(|warmth| warmth.want(lease, wish.clone(), now));
        let state = lock(&self.state);
        let number = match state.warmth.standing(lease) {
            Standing::None => return Warmed::Not,
            Standing::Starting => return Warmed::Starting,
            Standing::Up(number) => number,
        };
        let Some(kept) = state.kept.get(&number) else {
            return Warmed::Not;
        };
        if let Some(waits) = &kept.waits {
            let rehearsal = self.rehearsal(wish, waits.agent_session_id.clone());
            let started = (waits.holder, waits.rehearsed.clone());
            let look = Arc::clone(self).look(number, rehearsal, started);
            self.kit.tasks.spawn(look);
        }
        if kept.spoke {
            Warmed::Ready
        } else {
            Warmed::Starting
        }
    }

    /// Decides, and does what was decided.
    fn step(
        self: &Arc<Self>,
        decide: impl FnOnce(&mut Warmth<SessionCreated>) -> Vec<Chore<SessionCreated>>,
    ) {
        let mut state = lock(&self.state);
        for effect in decide(&mut state.warmth) {
            match effect {
                Chore::Close(number) => {
                    if let Some(kept) = state.kept.get(&number) {
                        kept.close.cancel();
                    }
                }
                Chore::Start { number, wish } => self.start(&mut state, number, wish),
            }
        }
    }

    fn start(
        self: &Arc<Self>,
        state: &mut MutexGuard<'_, State>,
        number: Number,
        wish: SessionCreated,
    ) {
        let close = self.kit.cancel.child_token();
        let kept = Kept {
            close: close.clone(),
            waits: None,
            spoke: false,
        };
        state.kept.insert(number, kept);
        let name = self.kit.world.random_id().to_string();
        let rehearsal = self.rehearsal(wish, Some(name.clone()));
        let keep = Arc::clone(self).keep(number, rehearsal, name, close);
        self.kit.tasks.spawn(keep);
    }

    /// A session that is not there, to see how it would be started.
    fn rehearsal(&self, wish: SessionCreated, agent_session_id: Option<String>) -> Actor {
        let kit = &self.kit;
        let id = SessionId::from_uuid(kit.world.id());
        let now = kit.world.now();
        let mut machine = Machine::new(Facts::default(), kit.limits.clone());
        let moment = Moment {
            now,
            at: now,
            fresh: kit.world.id(),
        };
        let create = Input::Create {
            created: wish,
            agent_session_id,
        };
        // Nothing of it is recorded.
        machine.step(moment, create).ok();
        let live = LiveBuffer::new(id, Seq::START, machine.facts().open.turn, now);
        let (inbox, _) = mpsc::channel(1);
        Actor::new(Parts {
            id,
            store: kit.store.clone(),
            world: Arc::clone(&kit.world),
            home: Arc::clone(&kit.home),
            holders: kit.holders.clone(),
            secrets: Arc::clone(&kit.secrets),
            vault: kit.vault.clone(),
            machine,
            head: Seq::START,
            live: Arc::new(live),
            rules: Arc::clone(&kit.rules),
            defaults: Arc::clone(&kit.defaults),
            pool: Arc::clone(&kit.pool),
            purse: Arc::clone(&kit.purse),
            inbox: inbox.downgrade(),
            progress: watch::Sender::new(Progress::default()),
            host: kit.host.clone(),
            tie: Tie::Free,
            given_up: Arc::clone(&kit.given_up),
            greeting: watch::Sender::new(None),
            choices: Arc::clone(&kit.choices),
            pace: Pace::new(watch::Sender::new(None).subscribe()),
            warmed: None,
            cancel: kit.cancel.child_token(),
        })
    }
}
