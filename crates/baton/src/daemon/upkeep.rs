//! What the daemon does beside serving: reads its settings again when told to,
//! and keeps the machine awake while agents work.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use baton_protocol::api::{KeepAwake, Reloaded, Running, Secret};
use baton_server::{Api, Errand};
use baton_store::Store;
use tokio::{
    signal::unix::{Signal, SignalKind},
    sync::mpsc,
    task::JoinSet,
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use super::{ServeOptions, awake::Awake, read_config};
use crate::{
    commands::{Looker, examine},
    config::{Config, LIVE, Setting},
    environment::AgentEnvironment,
    failure::Failure,
    running::{Whole, of_wire},
    setup::Setup,
    sign_in,
    signals::hear,
};

/// Between two looks whether agents work.
const LOOK: Duration = Duration::from_secs(5);

pub(super) struct Upkeep {
    api: Arc<Api>,
    store: Store,
    setup: Setup,
    options: ServeOptions,
    /// What the daemon runs with.
    config: Config,
    environment: AgentEnvironment,
    awake: Awake,
    errands: Option<mpsc::Receiver<Errand>>,
    hangups: Signal,
    /// Errands that take their time.
    slow: JoinSet<()>,
}

impl Upkeep {
    pub(super) async fn begin(
        api: &Arc<Api>,
        store: Store,
        setup: &Setup,
        options: &ServeOptions,
        (config, environment): (&Config, AgentEnvironment),
    ) -> Result<Self, Failure> {
        let hangups = hear(SignalKind::hangup())?;
        let mut upkeep = Self {
            store,
            setup: setup.clone(),
            options: options.clone(),
            config: config.clone(),
            environment,
            awake: Awake::find(setup),
            errands: api.take_errands(),
            api: Arc::clone(api),
            hangups,
            slow: JoinSet::new(),
        };
        if config.runner.keep_awake
            && let Err(error) = upkeep.keep_awake(true).await
        {
            tracing::warn!("runner.keepAwake: {error}");
        }
        Ok(upkeep)
    }

    pub(super) async fn run(mut self, cancel: CancellationToken) {
        let mut commits = self.store.watch_all();
        loop {
            let errand = async {
                match &mut self.errands {
                    Some(errands) => errands.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = cancel.cancelled() => break,
                errand = errand => match errand {
                    Some(errand) => {
                        while self.slow.try_join_next().is_some() {}
                        self.perform(errand).await;
                    }
                    None => self.errands = None,
                },
                hangup = self.hangups.recv() => {
                    if hangup.is_none() {
                        break;
                    }
                    match self.reload().await {
                        Ok(changed) => tracing::info!(?changed, "settings read again"),
                        Err(error) => tracing::error!("settings stay as they are: {error}"),
                    }
                }
                // Looked at now and then, and only while something happens.
                changed = commits.changed(), if self.awake.is_enabled() => {
                    if changed.is_err() {
                        break;
                    }
                    self.look().await;
                    tokio::select! {
                        () = cancel.cancelled() => break,
                        () = sleep(LOOK) => {}
                    }
                }
            }
        }
        self.slow.shutdown().await;
        self.awake.release().await;
    }

    async fn perform(&mut self, errand: Errand) {
        // Whoever asked may be gone; it is done all the same.
        match errand {
            Errand::KeepAwake { enabled, answer } => {
                drop(answer.send(self.keep_awake(enabled).await));
            }
            Errand::ReloadConfig { answer } => drop(answer.send(self.reload().await)),
            Errand::Config {
                folder,
                shell,
                answer,
            } => drop(answer.send(Ok(self.running(folder, shell)))),
            // It waits for programs; the rest must not wait for it. There is
            // one at a time.
            Errand::Doctor { answer } => {
                let setup = self.setup.clone();
                self.slow.spawn(async move {
                    let report = examine(&setup, Looker::Daemon).await;
                    drop(answer.send(Ok(report)));
                });
            }
        }
    }

    async fn keep_awake(&mut self, enabled: bool) -> Result<KeepAwake, String> {
        self.awake.enable(enabled).await?;
        self.api.tell_keep_awake(enabled);
        self.look().await;
        Ok(KeepAwake {
            keep_awake: enabled,
            active: self.awake.is_held(),
        })
    }

    /// Holds the machine awake exactly while agents work.
    async fn look(&mut self) {
        let works = self.api.working().await.is_ok_and(|working| working > 0);
        if let Err(error) = self.awake.hold_while(works).await {
            tracing::warn!("the machine cannot be kept awake: {error}");
        }
    }

    /// What it runs with, and what one would have that is started from a shell.
    fn running(&self, folder: Option<String>, shell: Option<BTreeMap<String, Secret>>) -> Running {
        let folder = folder.unwrap_or_else(|| "/".to_owned());
        let whole = Whole {
            config: &self.config,
            environment: &self.environment,
            setup: &self.setup,
            folder: Path::new(&folder),
        };
        let mut shown = whole.shown();
        shown.restart = shell.map(|shell| whole.compared(&of_wire(shell)));
        shown
    }

    /// Takes over what can change now, and says what cannot.
    async fn reload(&mut self) -> Result<Reloaded, String> {
        let config = read_config(&self.setup, &self.options);
        let config = config.map_err(|failure| failure.what)?;
        let running = |key: &str| self.config.settings.iter().find(|known| known.key == key);
        let (live, later): (Vec<_>, Vec<_>) = config
            .settings
            .iter()
            .filter(|new| running(new.key).is_none_or(|known| known.value != new.value))
            .partition(|setting| LIVE.contains(&setting.key));
        // Always: a file with the token may say something else under the same name.
        let options = sign_in::options(&self.setup.data, &config);
        let taken = self.api.auth().reconfigure(options).await;
        taken.map_err(|error| crate::failure::chain(&error))?;
        let names = |settings: &[&Setting]| -> Vec<String> {
            settings
                .iter()
                .map(|setting| setting.key.to_owned())
                .collect()
        };
        let answer = Reloaded {
            changed: names(&live),
            need_restart: names(&later),
        };
        let awake = live.iter().any(|setting| setting.key == "runner.keepAwake");
        let taken: Vec<Setting> = live.into_iter().cloned().collect();
        for known in &mut self.config.settings {
            if let Some(new) = taken.iter().find(|new| new.key == known.key) {
                known.clone_from(new);
            }
        }
        if awake {
            self.keep_awake(config.runner.keep_awake).await?;
        }
        Ok(answer)
    }
}
