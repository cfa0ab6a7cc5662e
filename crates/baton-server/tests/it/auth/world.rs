//! Sign-in over a real store, with a clock that only moves when told to.

use std::{
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use baton_protocol::{RunnerId, Timestamp};
use baton_server::auth::{Auth, AuthError, AuthOptions, Login, LoginError, LoginSecret};
use baton_session::{RealWorld, World};
use baton_store::{Store, StoreOptions};
use tempfile::TempDir;
use uuid::Uuid;

pub(super) const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The clock of a test.
#[derive(Debug)]
pub(super) struct Clock(AtomicI64);

impl World for Clock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }

    fn id(&self) -> Uuid {
        RealWorld.id()
    }

    fn random_id(&self) -> Uuid {
        RealWorld.random_id()
    }
}

/// A data folder, and sign-in as a daemon over it has it.
pub(super) struct House {
    pub(super) auth: Arc<Auth>,
    pub(super) clock: Arc<Clock>,
    pub(super) store: Store,
    folder: TempDir,
}

impl House {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = AuthOptions::local(folder.path().join("token"));
        let clock = Arc::new(Clock(AtomicI64::new(1_794_725_041_522)));
        let (auth, store) = open(folder.path(), &clock, options).await.unwrap();
        Self {
            auth,
            clock,
            store,
            folder,
        }
    }

    pub(super) fn data(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn token_file(&self) -> PathBuf {
        self.data().join("token")
    }

    pub(super) fn token(&self) -> String {
        let text = std::fs::read_to_string(self.token_file()).unwrap();
        text.trim().to_owned()
    }

    /// The next daemon over the same folder.
    pub(super) async fn restart(&mut self) {
        let options = AuthOptions::local(self.token_file());
        self.restart_with(options).await.unwrap();
    }

    pub(super) async fn restart_with(&mut self, options: AuthOptions) -> Result<(), AuthError> {
        self.store.close().await;
        let (auth, store) = open(self.folder.path(), &self.clock, options).await?;
        (self.auth, self.store) = (auth, store);
        Ok(())
    }

    pub(super) fn pass(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).unwrap();
        self.clock.0.fetch_add(millis, Ordering::SeqCst);
    }

    pub(super) async fn login(&self, secret: LoginSecret) -> Result<Login, LoginError> {
        self.auth.login(HERE, secret, Some("phone".into())).await
    }

    pub(super) async fn with_token(&self) -> Login {
        let token = self.token();
        let secret = LoginSecret::Token(token.as_str().into());
        self.login(secret).await.unwrap()
    }
}

async fn open(
    data: &Path,
    clock: &Arc<Clock>,
    options: AuthOptions,
) -> Result<(Arc<Auth>, Store), AuthError> {
    let runner = RunnerId::from_uuid(RealWorld.id());
    let store = Store::open(&data.join("baton.db"), &StoreOptions::new(runner)).unwrap();
    let world: Arc<dyn World> = Arc::<Clock>::clone(clock);
    let auth = Auth::open(store.clone(), world, options).await?;
    Ok((Arc::new(auth), store))
}
