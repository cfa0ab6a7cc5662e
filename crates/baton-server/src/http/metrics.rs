//! Numbers for Prometheus, in its text form.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use baton_protocol::{api::Problem, words::ListedState};
use baton_store::AppendTimes;

use super::{
    Site,
    answer::{Answer, Reply, with_type},
    route::{Call, Content, Replies},
};
use crate::problem::Told as _;

/// Upper bounds of the buckets of how long requests take, in seconds.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// What the HTTP part counts itself.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    connections: AtomicU64,
    streams: Arc<AtomicU64>,
    /// By the first digit of the status.
    answers: [AtomicU64; 6],
    buckets: [AtomicU64; BUCKETS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

/// A stream or a WebSocket, until it is dropped.
pub(crate) struct Counted(Arc<AtomicU64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Metrics {
    pub(crate) fn connected(&self) {
        self.connections.fetch_add(1, Relaxed);
    }

    pub(crate) fn disconnected(&self) {
        self.connections.fetch_sub(1, Relaxed);
    }

    pub(crate) fn stream(&self) -> Counted {
        self.streams.fetch_add(1, Relaxed);
        Counted(Arc::clone(&self.streams))
    }

    pub(crate) fn answered(&self, status: u16, took: Duration) {
        if let Some(count) = self.answers.get(usize::from(status / 100)) {
            count.fetch_add(1, Relaxed);
        }
        let seconds = took.as_secs_f64();
        for (bound, bucket) in BUCKETS.iter().zip(&self.buckets) {
            if seconds <= *bound {
                bucket.fetch_add(1, Relaxed);
            }
        }
        self.count.fetch_add(1, Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Relaxed);
    }

    fn write(&self, page: &mut Page) {
        page.gauge(
            "baton_http_connections",
            "Open TCP connections.",
            self.connections.load(Relaxed),
        );
        page.gauge(
            "baton_http_streams",
            "Open event streams and WebSockets.",
            self.streams.load(Relaxed),
        );
        page.head("baton_http_answers_total", "Answers by status.", "counter");
        for (class, count) in self.answers.iter().enumerate().skip(1) {
            let count = count.load(Relaxed);
            page.line(&format!(
                "baton_http_answers_total{{status=\"{class}xx\"}} {count}"
            ));
        }
        let name = "baton_http_request_seconds";
        page.head(name, "Time until an answer begins.", "histogram");
        for (bound, bucket) in BUCKETS.iter().zip(&self.buckets) {
            let count = bucket.load(Relaxed);
            page.line(&format!("{name}_bucket{{le=\"{bound}\"}} {count}"));
        }
        let count = self.count.load(Relaxed);
        page.line(&format!("{name}_bucket{{le=\"+Inf\"}} {count}"));
        let seconds = Duration::from_micros(self.micros.load(Relaxed)).as_secs_f64();
        page.line(&format!("{name}_sum {seconds}"));
        page.line(&format!("{name}_count {count}"));
    }
}

/// The text being written.
#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, help: &str, kind: &str) {
        self.line(&format!("# HELP {name} {help}"));
        self.line(&format!("# TYPE {name} {kind}"));
    }

    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        writeln!(self.0, "{line}").ok();
    }

    fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, help, "gauge");
        self.line(&format!("{name} {value}"));
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, help, "counter");
        self.line(&format!("{name} {value}"));
    }
}

/// The page of numbers.
pub(crate) struct Exposition(String);

impl Answer for Exposition {
    fn replies() -> Vec<Replies> {
        vec![Replies {
            status: 200,
            content: Content::Text("text/plain"),
        }]
    }

    fn reply(self) -> Reply {
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        with_type(axum::http::StatusCode::OK, kind, self.0.into())
    }
}

pub(crate) async fn show(call: Call, (): ()) -> Result<Exposition, Problem> {
    let mut page = Page::default();
    let api = &call.site.api;
    let status = api.status_now().await?;
    page.head("baton_info", "The daemon's version.", "gauge");
    page.line(&format!("baton_info{{version=\"{}\"}} 1", status.version));
    page.gauge("baton_uptime_seconds", "Since the start.", status.uptime_s);
    page.head("baton_sessions", "Sessions by state.", "gauge");
    let counts = status.sessions;
    for (state, count) in [
        (ListedState::Starting, counts.starting),
        (ListedState::Processing, counts.processing),
        (ListedState::Waiting, counts.waiting),
        (ListedState::Idle, counts.idle),
        (ListedState::Asleep, counts.asleep),
        (ListedState::Ended, counts.ended),
    ] {
        page.line(&format!("baton_sessions{{state=\"{state}\"}} {count}"));
    }
    page.gauge(
        "baton_approvals_open",
        "Approvals that wait for a person.",
        status.pending_approvals,
    );
    page.gauge("baton_clients", "Connected clients.", status.clients);
    store(&call.site, &mut page).await?;
    call.site.metrics.write(&mut page);
    if let Some(bytes) = resident() {
        page.gauge(
            "process_resident_memory_bytes",
            "Memory of the daemon.",
            bytes,
        );
    }
    Ok(Exposition(page.0))
}

async fn store(site: &Site, page: &mut Page) -> Result<(), Problem> {
    let store = site.api.store();
    let holders = store.holders().await;
    let holders = holders.told()?.len();
    page.gauge(
        "baton_holders",
        "Agents that run under a holder.",
        holders as u64,
    );
    let stats = store.stats();
    page.counter(
        "baton_store_commits_total",
        "Transactions since the start.",
        stats.commits,
    );
    page.counter(
        "baton_store_appends_total",
        "Appends committed in them.",
        stats.appends,
    );
    page.counter(
        "baton_store_events_total",
        "Events committed in them.",
        stats.events,
    );
    append_times(&store.append_times(), page);
    let queues = store.queues();
    let (waiting, most) = site.api.waiting_for_clients();
    let name = "baton_queue_depth";
    page.head(name, "What waits in a queue at the moment.", "gauge");
    for (queue, depth) in [
        ("store_writes", queues.writes as u64),
        ("store_reads", queues.reads as u64),
        ("clients", waiting),
        ("fullest_client", most),
    ] {
        page.line(&format!("{name}{{queue=\"{queue}\"}} {depth}"));
    }
    page.gauge(
        "baton_store_wal_bytes",
        "Size of the write-ahead log.",
        store.wal_bytes(),
    );
    let events = store.watch_all().borrow().0;
    page.counter(
        "baton_events_total",
        "Events that were ever written to the log, removed ones included.",
        events,
    );
    Ok(())
}

/// How long appends take, from the call until they are on disk.
fn append_times(times: &AppendTimes, page: &mut Page) {
    let name = "baton_store_append_seconds";
    page.head(name, "Time until an append is on disk.", "histogram");
    let mut count = 0;
    for (bound, more) in &times.classes {
        count += more;
        let bound = bound.as_secs_f64();
        page.line(&format!("{name}_bucket{{le=\"{bound}\"}} {count}"));
    }
    count += times.longer;
    page.line(&format!("{name}_bucket{{le=\"+Inf\"}} {count}"));
    page.line(&format!("{name}_sum {}", times.total.as_secs_f64()));
    page.line(&format!("{name}_count {count}"));
}

/// Resident memory, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().split(' ').next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
