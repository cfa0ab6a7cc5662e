//! What the tests share: scripts as agents, holders in scratch folders, and
//! readers that collect.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use baton_process::holder::{
    HolderError, HolderEvent, HolderLimits, HolderReader, HolderSpec, HolderWriter, Position,
    RequestMarks, Started, Tie, attach, is_alive, start,
};
use baton_process::{ExitReport, Spec};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Long enough for a busy machine; reaching it is a failure.
const LIMIT: Duration = Duration::from_secs(60);

/// Who was left behind.
pub(crate) fn leaked(report: &ExitReport) -> Vec<i32> {
    report.leaked.iter().map(|leaked| leaked.pid).collect()
}

pub(crate) const HOLDER: &str = env!("CARGO_BIN_EXE_baton-process-holder");

/// Fails when `future` does not end in time.
#[track_caller]
pub(crate) fn within<T>(what: &str, future: impl Future<Output = T>) -> impl Future<Output = T> {
    let timed = tokio::time::timeout(LIMIT, future);
    async move {
        timed
            .await
            .unwrap_or_else(|_| panic!("{what} did not happen in {LIMIT:?}"))
    }
}

/// Looks until `condition` holds.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    within(what, async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// A shell script with nothing but a path in its environment.
pub(crate) fn script(text: &str, cwd: &Path) -> Spec {
    Spec {
        program: PathBuf::from("/bin/bash"),
        args: vec!["-c".into(), text.into()],
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: cwd.to_owned(),
    }
}

/// What the system says about a process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) zombie: bool,
    pub(crate) asleep: bool,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
}

pub(crate) fn process(pid: i32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_ascii_whitespace().collect();
    Some(Process {
        pid,
        zombie: fields[0] == "Z",
        asleep: fields[0] == "S",
        parent: fields[1].parse().ok()?,
        group: fields[2].parse().ok()?,
        session: fields[3].parse().ok()?,
    })
}

pub(crate) fn children_of(parent: i32) -> Vec<Process> {
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| process(entry.ok()?.file_name().to_str()?.parse().ok()?))
        .filter(|process| process.parent == parent)
        .collect()
}

pub(crate) fn is_running(pid: i32) -> bool {
    process(pid).is_some_and(|process| !process.zombie)
}

/// Lines of a file that a script writes, once it has `count`.
pub(crate) async fn lines_of(path: &Path, count: usize) -> Vec<String> {
    let read = || std::fs::read_to_string(path).unwrap_or_default();
    until("the script's file", || {
        read().matches('\n').count() >= count
    })
    .await;
    read().lines().map(str::to_owned).collect()
}

/// A holder's folder and the scratch folder its agent works in.
pub(crate) struct Scene {
    holder: Cell<Option<Pid>>,
    pub(crate) scratch: TempDir,
    pub(crate) spec: HolderSpec,
}

impl Scene {
    pub(crate) fn new(text: &str) -> Self {
        let scratch = TempDir::new().unwrap();
        let agent = script(text, scratch.path());
        let spec = HolderSpec {
            dir: scratch.path().join("holder"),
            agent,
            tie: Tie::Free,
            marks: RequestMarks::default(),
            limits: HolderLimits {
                drain: Duration::from_millis(300),
                ..HolderLimits::default()
            },
        };
        Self {
            holder: Cell::new(None),
            scratch,
            spec,
        }
    }

    pub(crate) fn limits(mut self, change: impl FnOnce(&mut HolderLimits)) -> Self {
        change(&mut self.spec.limits);
        self
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.spec.dir
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    pub(crate) async fn try_start(&self) -> Result<Started, HolderError> {
        let leading = [OsString::from("hold")];
        within("the start", start(Path::new(HOLDER), &leading, &self.spec)).await
    }

    pub(crate) async fn start(&self) -> Started {
        let started = self.try_start().await.unwrap();
        let pid = i32::try_from(started.pid).unwrap();
        self.holder.set(Pid::from_raw(pid));
        started
    }

    pub(crate) async fn attach(&self, from: Position) -> (HolderReader, HolderWriter) {
        within("the attach", attach(self.dir(), from))
            .await
            .unwrap()
    }

    /// Starts and attaches at the beginning.
    pub(crate) async fn begin(&self) -> (HolderReader, HolderWriter) {
        self.start().await;
        self.attach(Position(0)).await
    }
}

/// A failed test must not leave its agent behind.
impl Drop for Scene {
    fn drop(&mut self) {
        if let (Some(holder), true) = (self.holder.get(), is_alive(self.dir())) {
            kill_process(holder, Signal::TERM).ok();
            kill_process(holder, Signal::CONT).ok();
        }
    }
}

pub(crate) async fn next(reader: &mut HolderReader) -> HolderEvent {
    within("an event", reader.next()).await.unwrap()
}

/// What a reader gave up to some point.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Right after the last byte.
    pub(crate) position: Position,
    pub(crate) caught_up: Option<Position>,
    pub(crate) exit: Option<(ExitReport, Position)>,
}

impl Taken {
    pub(crate) fn add(&mut self, event: HolderEvent) {
        assert!(self.exit.is_none(), "{event:?} after the end");
        match event {
            HolderEvent::Output { start, bytes } => {
                assert!(start >= self.position, "{start:?} was taken before");
                self.position = start + bytes.len();
                self.stdout.extend_from_slice(&bytes);
            }
            HolderEvent::Stderr { start, bytes } => {
                assert!(start >= self.position, "{start:?} was taken before");
                self.position = start + bytes.len();
                self.stderr.extend_from_slice(&bytes);
            }
            HolderEvent::CaughtUp { end } => {
                assert_eq!(self.caught_up.replace(end), None, "caught up twice");
            }
            HolderEvent::Exited { report, end } => self.exit = Some((report, end)),
        }
    }

    /// Reads on until `enough`.
    pub(crate) async fn take(&mut self, reader: &mut HolderReader, enough: impl Fn(&Self) -> bool) {
        while !enough(self) {
            self.add(next(reader).await);
        }
    }

    pub(crate) fn report(&self) -> &ExitReport {
        &self.exit.as_ref().unwrap().0
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }
}

/// Everything up to the end.
pub(crate) async fn take_all(reader: &mut HolderReader) -> Taken {
    let mut taken = Taken::default();
    taken.take(reader, |taken| taken.exit.is_some()).await;
    assert!(
        taken.caught_up.is_some(),
        "the end came before being caught up"
    );
    taken
}
