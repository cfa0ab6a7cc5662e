//! One running program: its lines as they come, its exit as a value.
//!
//! Blocking, with threads: usable from any test. An async test that must keep
//! its own tasks going waits here from `spawn_blocking`.

use std::io::{Read, Write as _};
use std::process::{ChildStdin, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use serde_json::Value;

use crate::lines::Lines;
use crate::sweep;

/// A started program. Dropping it kills the whole tree.
pub struct Running {
    name: String,
    pid: Pid,
    stdin: Mutex<Option<ChildStdin>>,
    stdout: Lines,
    stderr: Lines,
    exit: Arc<Exit>,
}

/// A program that has ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// All of stdout.
    pub stdout: String,
    /// All of stderr.
    pub stderr: String,
}

#[derive(Default)]
struct Exit {
    status: Mutex<Option<ExitStatus>>,
    changed: Condvar,
}

impl Running {
    /// Starts a command whose three streams are piped.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    pub fn start(mut command: Command) -> Self {
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => panic!("cannot start {name}: {error}"),
        };
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (Some(pid), Some(stdout), Some(stderr)) =
            (id, child.stdout.take(), child.stderr.take())
        else {
            panic!("{name} was started without pipes");
        };
        let stdin = Mutex::new(child.stdin.take());
        let exit = Arc::new(Exit::default());
        let reaped = Arc::clone(&exit);
        // Ends with the process, which `drop` makes sure of.
        std::thread::spawn(move || {
            let status = child.wait();
            *reaped.lock() = status.ok();
            reaped.changed.notify_all();
        });
        Self {
            stdout: Lines::read(format!("stdout of {name}"), stdout),
            stderr: Lines::read(format!("stderr of {name}"), stderr),
            name,
            pid,
            stdin,
            exit,
        }
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Its standard output.
    pub fn stdout(&self) -> &Lines {
        &self.stdout
    }

    /// Its standard error.
    pub fn stderr(&self) -> &Lines {
        &self.stderr
    }

    /// Writes one JSON line.
    pub fn send(&self, message: &Value) {
        self.send_text(&format!("{message}\n"));
    }

    /// Writes text as it is. A program that reads no more is an everyday
    /// outcome under test: it shows in its exit, not here.
    pub fn send_text(&self, text: &str) {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stdin) = stdin.as_mut() {
            drop(
                stdin
                    .write_all(text.as_bytes())
                    .and_then(|()| stdin.flush()),
            );
        }
    }

    /// Closes its standard input.
    pub fn close_stdin(&self) {
        let mut stdin = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        drop(stdin.take());
    }

    /// Waits for the next stdout line that is JSON and for which `wanted` holds.
    ///
    /// # Panics
    /// When `limit` passes or the output ends first.
    #[track_caller]
    pub fn wait_for(&self, wanted: impl Fn(&Value) -> bool, limit: Duration) -> Value {
        match self.stdout.next_match(&wanted, limit) {
            Ok(value) => value,
            Err(seen) => panic!("{seen}\n--- stderr\n{}", self.stderr.text()),
        }
    }

    /// Sends a signal to the process alone.
    pub fn signal(&self, signal: Signal) {
        let status = self.exit.lock();
        if status.is_none() {
            // Not reaped yet, so the number still means this process.
            let _ = rustix::process::kill_process(self.pid, signal);
        }
    }

    /// Whether the process still runs.
    pub fn is_running(&self) -> bool {
        self.exit.lock().is_none()
    }

    /// Waits for the process itself; what it left behind may still run.
    ///
    /// # Panics
    /// When `limit` passes first.
    #[track_caller]
    pub fn wait_exit(&self, limit: Duration) -> ExitStatus {
        let status = self.exit.lock();
        let (status, _) = self
            .exit
            .changed
            .wait_timeout_while(status, limit, |status| status.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        match *status {
            Some(status) => status,
            None => panic!(
                "{} still runs after {limit:?}\n--- stdout\n{}\n--- stderr\n{}",
                self.name,
                self.stdout.text(),
                self.stderr.text()
            ),
        }
    }

    /// Waits for the process and for the end of its output.
    ///
    /// # Panics
    /// When `limit` passes first.
    #[track_caller]
    pub fn finish(self, limit: Duration) -> Finished {
        let status = self.wait_exit(limit);
        self.stdout.wait_end(limit);
        self.stderr.wait_end(limit);
        Finished {
            status,
            stdout: self.stdout.text(),
            stderr: self.stderr.text(),
        }
    }
}

/// Sends a signal to any process.
///
/// # Panics
/// When there is no such process.
#[track_caller]
pub fn send_signal(pid: i32, signal: Signal) {
    let sent = Pid::from_raw(pid).map(|pid| rustix::process::kill_process(pid, signal));
    assert_eq!(sent, Some(Ok(())), "process {pid} cannot be signalled");
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_running() {
            sweep::kill_tree(self.pid);
        }
    }
}

impl Finished {
    /// The exit code; `None` after a signal.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Fails, with all output, unless the program succeeded.
    ///
    /// # Panics
    /// That is its purpose.
    #[track_caller]
    pub fn expect_success(&self) -> &Self {
        let Self {
            status,
            stdout,
            stderr,
        } = self;
        assert!(
            status.success(),
            "ended with {status}\n--- stdout\n{stdout}\n--- stderr\n{stderr}"
        );
        self
    }

    /// Fails, with all of it, unless this is in stdout.
    ///
    /// # Panics
    /// That is its purpose.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        assert!(
            self.stdout.contains(text),
            "no {text:?} in\n{}",
            self.stdout
        );
    }

    /// Fails, with all of it, unless this is in stderr.
    ///
    /// # Panics
    /// That is its purpose.
    #[track_caller]
    pub fn tells(&self, text: &str) {
        assert!(
            self.stderr.contains(text),
            "no {text:?} in\n{}",
            self.stderr
        );
    }

    /// Stdout as JSON, a value per line.
    ///
    /// # Panics
    /// When a line is not JSON.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let parse = |line| match serde_json::from_str(line) {
            Ok(value) => value,
            Err(error) => panic!("not JSON ({error}): {line}"),
        };
        self.stdout.lines().map(parse).collect()
    }
}

impl Exit {
    fn lock(&self) -> MutexGuard<'_, Option<ExitStatus>> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Anything the readers can read from.
pub(crate) trait Source: Read + Send + 'static {}
impl<T: Read + Send + 'static> Source for T {}
