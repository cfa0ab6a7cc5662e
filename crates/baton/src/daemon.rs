//! The daemon: owner of the data folder, its control socket, and its end.
//!
//! `serve` runs it in this process; `start` begins one in the background.

mod awake;
mod browser;
mod daily;
mod log;
mod notify;
mod place;
mod port;
mod start;
mod upkeep;
mod versions;
mod web;

pub(crate) use log::DaemonLog;
pub(crate) use place::connect;
pub(crate) use port::{Taken, is_free};
pub(crate) use start::{Start, start};

use std::{path::PathBuf, sync::Arc, time::Duration};

use baton_process::tell_starter;
use baton_protocol::{Timestamp, api::Shutdown};
use baton_server::{Api, DaemonFacts, Spare, Uploads, socket};
use baton_session::{RealWorld, Settings, World, agents::AgentKind};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::{notify::Notify, start::Outcome, upkeep::Upkeep, web::Web};
use crate::{
    commands::comments_folder,
    config::{Config, FlagValue, Sources},
    environment::AgentEnvironment,
    failure::{Exit, Failure},
    host::SessionTools,
    owner::{Owner, Refused},
    settings,
    setup::Setup,
    sign_in,
    signals::Signals,
    terminal::{Screen, shown_path},
};

/// How long running turns are waited for before agents are ended.
const GRACE: Duration = Duration::from_secs(30);

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How a daemon is run.
#[derive(Debug, Clone)]
pub(crate) struct ServeOptions {
    /// A configuration file that was named.
    pub(crate) config: Option<PathBuf>,
    /// Flags that stand for settings.
    pub(crate) flags: Vec<FlagValue>,
    /// A browser is opened once it serves.
    pub(crate) open: bool,
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
        screen.line(&format!(
            "baton {VERSION} serves {}",
            shown_path(&setup.data)
        ))?;
        screen.line(&format!("  {}", daemon.url))?;
        screen.line(&format!("  control socket: {}", shown_path(&daemon.place)))?;
        for line in &daemon.notes {
            screen.line(&format!("  {line}"))?;
        }
        screen.line("  Ctrl-C detaches: agents go on, and the next daemon takes them over")?;
    }
    baton_process::give_back_the_start();
    daemon.run().await
}

/// A daemon that has begun.
struct Daemon {
    api: Arc<Api>,
    owner: Owner,
    setup: Setup,
    data: PathBuf,
    place: PathBuf,
    /// Where HTTP is served.
    url: String,
    /// What whoever starts it should know.
    notes: Vec<String>,
    signals: Signals,
    options: ServeOptions,
    cancel: CancellationToken,
    /// Cancelled first: what is opened again could begin a turn.
    serving: CancellationToken,
    server: JoinSet<()>,
    /// Tasks that serve nobody.
    beside: JoinSet<()>,
    notify: Notify,
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

/// The settings that a daemon so started runs with.
fn read_config(setup: &Setup, options: &ServeOptions) -> Result<Config, Failure> {
    // A daemon in the background is nobody's in particular: the folder that it
    // happened to be started in has no say.
    let here = std::env::current_dir().ok();
    Config::read(&Sources {
        env: setup.process_env(),
        data: &setup.data,
        folder: here.as_deref().filter(|_| !options.background),
        config: options.config.as_deref(),
        flags: &options.flags,
    })
}

async fn begin(setup: &Setup, options: &ServeOptions) -> Result<Daemon, Refused> {
    let config = read_config(setup, options)?;
    let environment = AgentEnvironment::read(setup.process_env(), &config).await;
    for notice in config.notices.iter().chain(&environment.notices) {
        tracing::warn!("{notice}");
    }
    let mut setup = setup.clone();
    setup.configure(&config, &environment);
    let setup = &setup;
    let settings = Settings {
        host: Some(Arc::new(SessionTools::new(setup))),
        ..settings::of(&config)
    };
    let owner = Owner::become_owner(setup, settings).await?;
    let signals = Signals::new()?;
    let listener = place::bind(&setup.data)?;
    let started_at = RealWorld.now();
    let facts = facts(setup, started_at);
    let supervisor = Arc::clone(&owner.supervisor);
    // A daemon in the background has no manager; what the environment names is
    // that of whoever happened to start it.
    let notify = match options.background {
        true => Notify::default(),
        false => Notify::of(setup.process_env(), std::process::id()),
    };
    let tls = sign_in::tls(&setup.data, &config)?;
    let auth = sign_in::open(setup, &config, supervisor.store().clone()).await?;
    let web = Web::bind(&config.runner, tls.as_ref()).await?;
    place::write_facts(&setup.data, VERSION, started_at, &web.url)?;
    let api = Api::new(supervisor, Arc::new(RealWorld), auth, facts);
    let api = ready(api, setup, &config, &web.url).await;
    if let Some(url) = sign_in::reachable(&config, web.port) {
        api.is_reachable_at(url);
    }
    let store = owner.supervisor.store().clone();
    let upkeep = Upkeep::begin(&api, store, setup, options, (&config, environment)).await?;
    let cancel = CancellationToken::new();
    let serving = cancel.child_token();
    let mut beside = JoinSet::new();
    let (mended, until) = (Arc::clone(&owner.supervisor), serving.clone());
    beside.spawn(async move {
        until.run_until_cancelled(mended.mend()).await;
    });
    beside.spawn(upkeep.run(cancel.clone()));
    let mut server = JoinSet::new();
    server.spawn(socket::serve(listener, Arc::clone(&api), cancel.clone()));
    let url = web.url.clone();
    server.spawn(web.serve(Arc::clone(&api), cancel.clone()));
    beside.spawn(daily::run(Arc::clone(&api), cancel.clone()));
    api.asks_versions();
    beside.spawn(versions::ask(
        setup.clone(),
        Arc::clone(&api),
        cancel.clone(),
    ));
    tracing::info!(version = VERSION, data = %setup.data.display(), url, agents = owner.taken, "serving");
    Ok(Daemon {
        api,
        owner,
        setup: setup.clone(),
        data: setup.data.clone(),
        place: place::socket_path(&setup.data),
        url,
        notes: sign_in::notes(&config, tls.as_ref()),
        signals,
        options: options.clone(),
        cancel,
        serving,
        server,
        beside,
        notify,
    })
}

/// Gives the API what it answers with, before anybody may ask.
async fn ready(api: Api, setup: &Setup, config: &Config, url: &str) -> Arc<Api> {
    let api = api
        .with_search(settings::search(config))
        .with_retention(settings::retention(config))
        .with_image_hosts(config.agent.image_hosts.iter().cloned());
    let api = Arc::new(api);
    api.serves_at(url.to_owned());
    api.take_uploads(Uploads::new(setup.data.join("uploads")));
    api.keep_comments(comments_folder(setup));
    api.keep_spare(Spare::of(&setup.data));
    api.sweep_clones().await;
    // What cannot follow now is told of, and does when it is moved again.
    if let Err(problem) = api.finish_moves().await {
        tracing::error!(%problem, "a moved project has not followed whole");
    }
    api
}

fn facts(setup: &Setup, started_at: Timestamp) -> DaemonFacts {
    let kinds = AgentKind::ALL.iter();
    let usable = kinds.filter(|kind| setup.agents.program(**kind).is_some());
    DaemonFacts {
        version: VERSION.to_owned(),
        pid: std::process::id(),
        started_at,
        agents: usable.copied().collect(),
    }
}

impl Daemon {
    async fn run(mut self) -> Result<Exit, Failure> {
        self.notify.ready();
        if self.options.open {
            let (setup, api) = (self.setup.clone(), Arc::clone(&self.api));
            self.beside.spawn(browser::open(setup, api));
        }
        let end = self.until_told().await;
        self.notify.stopping();
        self.serving.cancel();
        tracing::info!(?end, "ending");
        let ended = tokio::select! {
            ended = end_agents(&self.api, end) => ended,
            () = self.signals.leave() => {
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
            while self.beside.join_next().await.is_some() {}
            self.api.close().await;
            self.owner.supervisor.detach().await;
            place::clear(&data);
            drop(self.owner);
        };
        tokio::select! {
            () = closing => {}
            () = self.signals.leave() => tracing::warn!("a further signal: leaving at once"),
        }
        tracing::info!("ended");
        Ok(Exit::Success)
    }

    async fn until_told(&mut self) -> End {
        let mut asked = self.api.shutdown_requests();
        let idle = idle(&self.api, self.options.idle_exit);
        tokio::select! {
            () = self.signals.leave() => End::Detach,
            asked = asked.wait_for(Option::is_some) => match asked.ok().and_then(|how| *how) {
                Some(how) if !how.keep_agents => End::Stop(how),
                _ => End::Detach,
            },
            () = idle => End::Idle,
            never = stay_alive(&self.api, &self.notify) => match never {},
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

/// Tells the service manager that the daemon lives, as often as it asks: only
/// while the log answers. One that does not is started again by it.
async fn stay_alive(api: &Api, notify: &Notify) -> std::convert::Infallible {
    let Some(every) = notify.every() else {
        return std::future::pending().await;
    };
    loop {
        match api.working().await {
            Ok(_) => notify.alive(),
            Err(error) => tracing::error!(%error, "the log does not answer"),
        }
        tokio::time::sleep(every).await;
    }
}
