//! The log of a daemon in the background: its standard error, kept short.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use rustix::fs::OFlags;
use tracing_subscriber::fmt::MakeWriter;

/// Beyond this the log begins anew.
const MAX_BYTES: u64 = 4 << 20;

/// How many old logs are kept: `daemon.log.1` is the youngest.
const KEPT: u32 = 3;

pub(crate) fn log_path(data: &Path) -> PathBuf {
    data.join("daemon.log")
}

/// Opens the log to write at its end.
pub(super) fn open(data: &Path) -> io::Result<File> {
    let path = log_path(data);
    if std::fs::metadata(&path).is_ok_and(|meta| meta.len() > MAX_BYTES) {
        put_away(&path)?;
    }
    let mut open = OpenOptions::new();
    open.append(true).create(true).mode(0o600);
    // The file is written, so it must not be a link to another one.
    open.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    open.open(&path)
}

/// Makes room for a new log; the oldest one goes.
fn put_away(path: &Path) -> io::Result<()> {
    let old = |number: u32| path.with_extension(format!("log.{number}"));
    for number in (1..KEPT).rev() {
        // One that is not there needs no room.
        std::fs::rename(old(number), old(number + 1)).ok();
    }
    std::fs::rename(path, old(1))
}

/// The last lines of the log, for whoever is told that a start failed.
pub(super) fn tail(data: &Path, lines: usize) -> String {
    let text = std::fs::read(log_path(data)).unwrap_or_default();
    let text = String::from_utf8_lossy(&text[text.len().saturating_sub(8 << 10)..]).into_owned();
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n  ")
}

/// Standard error, which is the log, and how much was written there.
#[derive(Debug, Clone)]
pub(crate) struct DaemonLog {
    data: Arc<PathBuf>,
    written: Arc<AtomicU64>,
}

impl DaemonLog {
    pub(crate) fn new(data: &Path) -> Self {
        Self {
            data: Arc::new(data.to_owned()),
            written: Arc::new(AtomicU64::new(0)),
        }
    }
}

impl<'a> MakeWriter<'a> for DaemonLog {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Write for DaemonLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut err = io::stderr().lock();
        let written = self.written.load(Ordering::Relaxed);
        if written > MAX_BYTES {
            self.written.store(0, Ordering::Relaxed);
            // One that cannot begin anew goes on as it is.
            let path = log_path(&self.data);
            put_away(&path).ok();
            if let Ok(file) = open(&self.data) {
                baton_process::redirect_stderr(&file).ok();
            }
        }
        let count = err.write(bytes)?;
        self.written.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_logs_move_up_and_the_oldest_goes() {
        let dir = tempfile::tempdir().unwrap();
        let path = log_path(dir.path());
        for number in 1..=5 {
            std::fs::write(&path, format!("log {number}")).unwrap();
            put_away(&path).unwrap();
        }
        let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).ok();
        assert_eq!(read("daemon.log"), None);
        assert_eq!(read("daemon.log.1").as_deref(), Some("log 5"));
        assert_eq!(read("daemon.log.3").as_deref(), Some("log 3"));
        assert_eq!(read("daemon.log.4"), None);
    }
}
