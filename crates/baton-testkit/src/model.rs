//! The scripted model server: the Messages API on loopback, answering as a test says.
//!
//! It runs on a thread of its own, so that blocking and async tests use it
//! alike, and ends when it is dropped. Read `reply` for what can be said,
//! `script` for when, `request` for what can be asserted; `http` and `serve`
//! are the plumbing. It knows nothing of sessions or of Baton's events.

mod directed;
mod http;
mod reply;
mod request;
mod script;
mod serve;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use self::reply::{
    Block, Reply, Usage, error, text, text_chunks, thinking, tokens, tool_use, tool_use_with_id,
};
pub use self::request::{Request, RequestKind, ToolResult};
pub use self::script::Script;

/// A running model server; stops when dropped.
pub struct ModelServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

/// What the server thread and the test both see.
pub(crate) struct Shared {
    log: Mutex<Log>,
    changed: Condvar,
    /// A new value lets every stalled stream go on.
    release: watch::Sender<u64>,
}

/// Everything that happened so far. It grows with the test and is dropped with it.
struct Log {
    script: Script,
    requests: Vec<Request>,
    unscripted: Vec<Request>,
    stalled: usize,
    abandoned: usize,
    answering: usize,
    active_at: Instant,
    messages: u64,
    tools: u64,
}

impl ModelServer {
    /// Starts on a free loopback port.
    ///
    /// # Panics
    /// When no socket can be opened: no test can go on without it.
    pub fn start(script: Script) -> Self {
        match Self::start_on(0, script) {
            Ok(server) => server,
            Err(error) => panic!("the model server cannot listen on loopback: {error}"),
        }
    }

    /// Starts on a given loopback port; 0 chooses a free one.
    pub fn start_on(port: u16, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::new(script));
        let stop = CancellationToken::new();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let served = serve::serve(listener, Arc::clone(&shared), stop.clone());
        let thread = std::thread::Builder::new()
            .name("scripted-model".to_owned())
            .spawn(move || runtime.block_on(served))?;
        Ok(Self {
            shared,
            address,
            stop,
            thread: Some(thread),
        })
    }

    /// The base URL, for `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds a reply to the end of the queue while the server runs.
    pub fn push(&self, reply: Reply) {
        self.shared.log().script.push(reply);
    }

    /// The conversation requests so far, main and sub-agent, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.log().conversation()
    }

    /// Every request so far, also probes and side calls.
    pub fn all_requests(&self) -> Vec<Request> {
        self.shared.log().requests.clone()
    }

    /// Requests that nothing in the script answered.
    pub fn unscripted(&self) -> Vec<Request> {
        self.shared.log().unscripted.clone()
    }

    /// Lets every stream that is stalled now go on.
    pub fn release(&self) {
        self.shared
            .release
            .send_modify(|generation| *generation += 1);
    }

    /// How long the server has had nothing to do; zero while it answers.
    pub fn idle_for(&self) -> Duration {
        let log = self.shared.log();
        if log.answering > 0 {
            return Duration::ZERO;
        }
        log.active_at.elapsed()
    }

    /// Waits until `count` streams in all have fallen silent as scripted.
    ///
    /// # Panics
    /// When `limit` passes first.
    #[track_caller]
    pub fn wait_for_stalls(&self, count: usize, limit: Duration) {
        self.wait(&format!("{count} stalled streams"), limit, |log| {
            log.stalled >= count
        });
    }

    /// Waits until the client has left `count` answers in the middle.
    ///
    /// # Panics
    /// When `limit` passes first.
    #[track_caller]
    pub fn wait_for_abandoned(&self, count: usize, limit: Duration) {
        self.wait(&format!("{count} abandoned answers"), limit, |log| {
            log.abandoned >= count
        });
    }

    /// Fails unless every scripted reply was used and every request was scripted.
    ///
    /// # Panics
    /// That is its purpose.
    #[track_caller]
    pub fn assert_finished(&self) {
        let log = self.shared.log();
        let unused = log.script.unused();
        assert_eq!(unused, 0, "{unused} scripted replies were never asked for");
        let unscripted: Vec<String> = log.unscripted.iter().map(Request::last_user_text).collect();
        assert!(
            unscripted.is_empty(),
            "requests without a scripted reply: {unscripted:#?}"
        );
    }

    #[track_caller]
    fn wait(&self, what: &str, limit: Duration, holds: impl Fn(&Log) -> bool) {
        let log = self.shared.log();
        let (log, _) = self
            .shared
            .changed
            .wait_timeout_while(log, limit, |log| !holds(log))
            .unwrap_or_else(PoisonError::into_inner);
        assert!(
            holds(&log),
            "waited {limit:?} for {what}; seen: {} requests, {} stalled, {} abandoned, {} unscripted",
            log.requests.len(),
            log.stalled,
            log.abandoned,
            log.unscripted.len(),
        );
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // A panic of the server thread has been printed already; a second one here would hide the test's own.
            drop(thread.join());
        }
    }
}

impl Shared {
    fn new(script: Script) -> Self {
        Self {
            log: Mutex::new(Log {
                script,
                requests: Vec::new(),
                unscripted: Vec::new(),
                stalled: 0,
                abandoned: 0,
                answering: 0,
                active_at: Instant::now(),
                messages: 0,
                tools: 0,
            }),
            changed: Condvar::new(),
            release: watch::Sender::new(0),
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the log and wakes whoever waits for it.
    fn update<T>(&self, change: impl FnOnce(&mut Log) -> T) -> T {
        let mut log = self.log();
        log.active_at = Instant::now();
        let value = change(&mut log);
        drop(log);
        self.changed.notify_all();
        value
    }
}

impl Log {
    fn conversation(&self) -> Vec<Request> {
        let wanted =
            |request: &&Request| matches!(request.kind, RequestKind::Main | RequestKind::Subagent);
        self.requests.iter().filter(wanted).cloned().collect()
    }
}
