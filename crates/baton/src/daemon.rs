//! The daemon: owner of the data folder, its control socket, and its end.
//!
//! `serve` runs it in this process; `start` begins one in the background.

mod log;
mod place;
mod start;
mod web;

pub(crate) use log::Log as DaemonLog;
pub(crate) use place::connect;
pub(crate) use start::{Start, start};

use std::{path::PathBuf, sync::Arc, time::Duration};

use baton_process::tell_starter;
use baton_protocol::api::Shutdown;
use baton_server::{
    Api, DaemonFacts, Uploads,
    auth::{Auth, AuthOptions},
    socket,
};
use baton_session::{RealWorld, World, agents::AgentKind};
use baton_store::Store;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use self::{start::Outcome, web::Web};
use crate::{
    config::{Config, FlagValue, Sources},
    environment::AgentEnvironment,
    failure::{Exit, Failure, chain},
    owner::{Owner, Refused},
    settings,
    setup::Setup,
    terminal::Screen,
};

/// How long running turns are waited for before agents are ended.
const GRACE: Duration = Duration::from_secs(30);

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How a daemon is run.
#[derive(Debug, Clone)]
pub(crate) struct ServeOptions {
    /// A configuration file that was named.
    pub(crate) config: Option<PathBuf>,
    /// Settings given with the command.
    pub(crate) flags: Vec<FlagValue>,
    /// Nobody watches: the beginning is told to the starter, the rest to the log.
    pub(crate) background: bool,
    /// Ends after this time without clients and work.
    pub(crate) idle_exit: Option<Duration>,
}

/// Runs the daemon until it is told to end.
pub(crate) async fn serve(setup: &Setup, options: ServeOptions) -> Result<Exit, Failure> {
    let begun = begin(setup, &options).await;
    let outcome = match &begun {
        Ok(_) => Outcome::Ready,
        Err(Refused::Owned { by }) => Outcome::Owned { by: *by },
        Err(Refused::Failed(failure)) => Outcome::Failed {
            what: failure.what.clone(),
            remedy: failure.remedy.clone(),
        },
    };
    if options.background {
        tell_starter(&serde_json::to_vec(&outcome).unwrap_or_default());
    }
    let daemon = begun.map_err(|refused| refused.failure(&setup.data))?;
    if !options.background {
        let mut screen = Screen::stdout(false);
        screen.line(&format!("baton {VERSION} serves {}", setup.data.display()))?;
        screen.line(&format!("  {}", daemon.url))?;
        screen.line(&format!("  control socket: {}", daemon.place.display()))?;
        screen.line("  Ctrl-C detaches: agents go on, and the next daemon takes them over")?;
    }
    daemon.run().await
}

/// A daemon that has begun.
struct Daemon {
    api: Arc<Api>,
    owner: Owner,
    data: PathBuf,
    place: PathBuf,
    /// Where HTTP is served.
    url: String,
    signals: Signals,
    options: ServeOptions,
    cancel: CancellationToken,
    server: JoinSet<()>,
}

/// Why a daemon ends.
#[derive(Debug, Clone, Copy)]
enum End {
    /// Agents go on under their holders.
    Detach,
    Stop(Shutdown),
    /// Nobody needs it.
    Idle,
}

async fn begin(setup: &Setup, options: &ServeOptions) -> Result<Daemon, Refused> {
    // A daemon in the background is nobody's in particular: the folder that it
    // happened to be started in has no say.
    let here = std::env::current_dir().ok();
    let config = Config::read(&Sources {
        env: setup.process_env(),
        data: &setup.data,
        folder: here.as_deref().filter(|_| !options.background),
        config: options.config.as_deref(),
        flags: &options.flags,
    })?;
    let environment = AgentEnvironment::read(setup.process_env(), &config).await;
    for notice in &environment.notices {
        tracing::warn!("{notice}");
    }
    let mut setup = setup.clone();
    setup.configure(&config, &environment);
    let setup = &setup;
    let owner = Owner::become_owner(setup, settings::of(&config)).await?;
    let signals = Signals::listen()?;
    let web = Web::bind(&config.runner).await?;
    let listener = place::bind(&setup.data)?;
    let started_at = RealWorld.now();
    place::write_facts(&setup.data, VERSION, started_at, &web.url)?;
    let usable = AgentKind::ALL.iter().filter(|kind| match kind {
        AgentKind::Claude => setup.agents.claude.is_some(),
        AgentKind::Demo => true,
    });
    let facts = DaemonFacts {
        version: VERSION.to_owned(),
        pid: std::process::id(),
        started_at,
        agents: usable.map(|kind| kind.name().to_owned()).collect(),
    };
    let supervisor = Arc::clone(&owner.supervisor);
    let auth = sign_in(setup, supervisor.store().clone()).await?;
    let api = Arc::new(Api::new(supervisor, Arc::new(RealWorld), auth, facts));
    let cancel = CancellationToken::new();
    let mut server = JoinSet::new();
    server.spawn(socket::serve(listener, Arc::clone(&api), cancel.clone()));
    api.serves_at(web.url.clone());
    api.take_uploads(Uploads::new(setup.data.join("uploads")));
    tracing::info!(version = VERSION, data = %setup.data.display(), url = web.url, agents = owner.taken, "serving");
    let url = web.url.clone();
    server.spawn(web.serve(Arc::clone(&api), cancel.clone()));
    Ok(Daemon {
        api,
        owner,
        data: setup.data.clone(),
        place: place::socket_path(&setup.data),
        url,
        signals,
        options: options.clone(),
        cancel,
        server,
    })
}

async fn sign_in(setup: &Setup, store: Store) -> Result<Arc<Auth>, Failure> {
    let options = AuthOptions::local(setup.data.join("token"));
    let auth = Auth::open(store, Arc::new(RealWorld), options).await;
    auth.map(Arc::new).map_err(|error| {
        Failure::new(
            chain(&error),
            "Check the data folder and the disk, or choose another with --data-dir.",
        )
    })
}

impl Daemon {
    async fn run(mut self) -> Result<Exit, Failure> {
        let end = self.until_told().await;
        tracing::info!(?end, "ending");
        let ended = tokio::select! {
            ended = end_agents(&self.api, end) => ended,
            () = self.signals.next() => {
                tracing::warn!("a second signal: agents are left under their holders");
                Ok(())
            }
        };
        if let Err(error) = &ended {
            tracing::error!(
                error = error as &dyn std::error::Error,
                "agents could not be ended"
            );
        }
        self.api.say_goodbye(!matches!(end, End::Stop(_)));
        self.cancel.cancel();
        let data = self.data;
        let closing = async move {
            while self.server.join_next().await.is_some() {}
            self.owner.supervisor.detach().await;
            place::clear(&data);
            drop(self.owner);
        };
        tokio::select! {
            () = closing => {}
            () = self.signals.next() => tracing::warn!("a further signal: leaving at once"),
        }
        tracing::info!("ended");
        Ok(Exit::Success)
    }

    async fn until_told(&mut self) -> End {
        let mut asked = self.api.shutdown_requests();
        let idle = idle(&self.api, self.options.idle_exit);
        tokio::select! {
            () = self.signals.next() => End::Detach,
            asked = asked.wait_for(Option::is_some) => match asked.ok().and_then(|how| *how) {
                Some(how) if !how.keep_agents => End::Stop(how),
                _ => End::Detach,
            },
            () = idle => End::Idle,
        }
    }
}

/// Stops taking turns, lets running ones finish for a while, and ends agents.
async fn end_agents(api: &Api, end: End) -> Result<(), baton_store::StoreError> {
    let how = match end {
        End::Detach => return Ok(()),
        End::Idle => return api.close_idle_agents().await,
        End::Stop(how) => how,
    };
    let mut quiet = false;
    if !how.force {
        let grace = how.grace_ms.map_or(GRACE, Duration::from_millis);
        let mut asked = api.shutdown_requests();
        let forced = asked.wait_for(|how| how.is_some_and(|how| how.force));
        tokio::select! {
            drained = api.drain(grace) => quiet = drained?,
            _ = forced => {}
        }
    }
    tracing::info!(quiet, "turns are over or out of time");
    let ended = api.end_agents(!how.force).await?;
    tracing::info!(ended = ended.ended, left = ended.left, "agents ended");
    Ok(())
}

/// Waits until there were neither clients nor work for `limit`; for ever without.
async fn idle(api: &Api, limit: Option<Duration>) {
    let Some(limit) = limit else {
        return std::future::pending().await;
    };
    let mut connected = api.connected();
    loop {
        if connected.wait_for(|count| *count == 0).await.is_err() {
            return;
        }
        let somebody = connected.wait_for(|count| *count > 0);
        if tokio::time::timeout(limit, somebody).await.is_err()
            && matches!(api.working().await, Ok(0) | Err(_))
        {
            return;
        }
    }
}

/// The requests to end that the system passes on.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| {
                Failure::new(format!("signals cannot be heard: {error}"), "Try again.")
            })
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
