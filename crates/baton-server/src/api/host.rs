//! What the control socket may ask about sign-in, settings and the machine.
//!
//! Settings and the machine are not this crate's: what is asked of them goes as
//! an [`Errand`] to whoever runs the daemon.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use baton_protocol::{
    DeviceId,
    api::{
        Devices, DoctorReport, Done, GetConfig, HostCommand, KeepAwake, LinkAnswer, ListDevices,
        MakeLink, Problem, ProblemCode, ReloadConfig, Reloaded, RevokeDevice, RotateToken, Running,
        Secret, SetKeepAwake, SetPin, Tell, daemon_answer,
    },
    words::{AccessScope, Json},
};
use serde::Serialize;
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::Api;
use crate::{auth::Principal, problem::Tellable as _};

/// Errands that may wait. When full, who asks waits.
const WAITING: usize = 8;

/// Something for whoever runs the daemon.
#[derive(Debug)]
pub enum Errand {
    KeepAwake {
        enabled: bool,
        answer: ErrandAnswer<KeepAwake>,
    },
    ReloadConfig {
        answer: ErrandAnswer<Reloaded>,
    },
    /// What it runs with, and what agents in a folder get to see; with all
    /// variables of who asks, also what one started with them would have.
    Config {
        folder: Option<String>,
        shell: Option<BTreeMap<String, Secret>>,
        answer: ErrandAnswer<Running>,
    },
    Doctor {
        answer: ErrandAnswer<DoctorReport>,
    },
}

/// Takes the answer to an errand, or why it was not done.
pub type ErrandAnswer<T> = oneshot::Sender<Result<T, String>>;

/// What the daemon's machine is asked and told.
#[derive(Debug)]
pub(super) struct HostLink {
    errands: mpsc::Sender<Errand>,
    taken: Mutex<Option<mpsc::Receiver<Errand>>>,
    keep_awake: AtomicBool,
    /// Where other devices find Baton.
    reachable: OnceLock<String>,
    /// One looks around at a time: it runs programs.
    looking: Semaphore,
}

impl Default for HostLink {
    fn default() -> Self {
        let (errands, inbox) = mpsc::channel(WAITING);
        Self {
            errands,
            taken: Mutex::new(Some(inbox)),
            keep_awake: AtomicBool::new(false),
            reachable: OnceLock::new(),
            looking: Semaphore::new(1),
        }
    }
}

impl HostLink {
    /// What waits for a taker; none once there is one.
    fn taken(&self) -> MutexGuard<'_, Option<mpsc::Receiver<Errand>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn keeps_awake(&self) -> bool {
        self.keep_awake.load(Ordering::Relaxed)
    }
}

impl Api {
    /// What clients ask of whoever runs the daemon. There is one taker.
    pub fn take_errands(&self) -> Option<mpsc::Receiver<Errand>> {
        self.host.taken().take()
    }

    /// Tells clients by which address other devices find Baton.
    pub fn is_reachable_at(&self, url: String) {
        self.host.reachable.set(url).ok();
    }

    /// Whether the machine is kept from going to sleep while agents work.
    pub fn tell_keep_awake(&self, enabled: bool) {
        self.host.keep_awake.store(enabled, Ordering::Relaxed);
    }

    /// Carries out one of the daemon's own messages.
    pub(crate) async fn host(&self, command: HostCommand) -> Json {
        match command {
            HostCommand::SetPin(body) => told::<SetPin>(self.set_pin(body.pin).await),
            HostCommand::MakeLink(body) => told::<MakeLink>(self.make_link(body.scope).await),
            HostCommand::ListDevices(_) => told::<ListDevices>(Ok(Devices {
                items: self.auth.devices(&Principal::terminal()),
                next: None,
            })),
            HostCommand::RevokeDevice(body) => told::<RevokeDevice>(self.revoke(body.id).await),
            HostCommand::RotateToken(_) => {
                let rotated = self.auth.rotate_token().await;
                let rotated = rotated.map(|_| Done {});
                told::<RotateToken>(rotated.map_err(|error| Problem::from(error).detail))
            }
            HostCommand::SetKeepAwake(SetKeepAwake { enabled }) => {
                let errand = |answer| Errand::KeepAwake { enabled, answer };
                told::<SetKeepAwake>(self.errand(errand).await)
            }
            HostCommand::ReloadConfig(_) => {
                let errand = |answer| Errand::ReloadConfig { answer };
                told::<ReloadConfig>(self.errand(errand).await)
            }
            HostCommand::GetConfig(GetConfig { folder, shell }) => {
                let errand = |answer| Errand::Config {
                    folder,
                    shell,
                    answer,
                };
                told::<GetConfig>(self.errand(errand).await)
            }
        }
    }

    async fn set_pin(&self, pin: Option<Secret>) -> Result<Done, String> {
        match self.auth.set_pin(pin).await {
            Ok(()) => Ok(Done {}),
            Err(error) => Err(Problem::from(error).detail),
        }
    }

    async fn make_link(&self, scope: Option<AccessScope>) -> Result<LinkAnswer, String> {
        let scope = scope.unwrap_or(AccessScope::Admin);
        let made = self.auth.make_link(&Principal::terminal(), scope).await;
        let link = made.map_err(|error| Problem::from(error).detail)?;
        Ok(LinkAnswer {
            url: self.host.reachable.get().map(|base| link.url(base)),
            link: link.secret,
            scope: link.scope,
            expires_at: link.expires_at,
        })
    }

    async fn revoke(&self, id: DeviceId) -> Result<Done, String> {
        match self.auth.revoke(id).await {
            Ok(true) => Ok(Done {}),
            Ok(false) => Err(format!("{id} is not signed in")),
            Err(error) => Err(error.problem().detail),
        }
    }

    /// Whether everything is here that Baton needs.
    pub(super) async fn doctor(&self) -> Result<DoctorReport, Problem> {
        let Ok(_place) = self.host.looking.try_acquire() else {
            let detail = "somebody else is looking right now; try again in a moment";
            return Err(Problem::new(ProblemCode::TooMany, detail));
        };
        let report = self.errand(|answer| Errand::Doctor { answer }).await;
        report.map_err(|why| Problem::new(ProblemCode::Unsupported, why))
    }

    async fn errand<T>(&self, errand: impl FnOnce(ErrandAnswer<T>) -> Errand) -> Result<T, String> {
        let unable = || "this daemon cannot do that".to_owned();
        if self.host.taken().is_some() {
            return Err(unable());
        }
        let (answer, answered) = oneshot::channel();
        let sent = self.host.errands.send(errand(answer)).await;
        sent.map_err(|_| unable())?;
        answered.await.map_err(|_| unable())?
    }
}

/// The answer to a message, which is what its type says.
fn told<M: Tell<Answer: Serialize>>(result: Result<M::Answer, String>) -> Json {
    daemon_answer(result)
}
