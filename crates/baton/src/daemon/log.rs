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

/// Beyond this the log begins anew, and the old one is kept once.
const MAX_BYTES: u64 = 4 << 20;

pub(crate) fn log_path(data: &Path) -> PathBuf {
    data.join("daemon.log")
}

/// Opens the log to write at its end.
pub(super) fn open(data: &Path) -> io::Result<File> {
    let path = log_path(data);
    if std::fs::metadata(&path).is_ok_and(|meta| meta.len() > MAX_BYTES) {
        std::fs::rename(&path, path.with_extension("log.1"))?;
    }
    let mut open = OpenOptions::new();
    open.append(true).create(true).mode(0o600);
    // The file is written, so it must not be a link to another one.
    open.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    open.open(&path)
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
pub(crate) struct Log {
    data: Arc<PathBuf>,
    written: Arc<AtomicU64>,
}

impl Log {
    pub(crate) fn new(data: &Path) -> Self {
        Self {
            data: Arc::new(data.to_owned()),
            written: Arc::new(AtomicU64::new(0)),
        }
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut err = io::stderr().lock();
        let written = self.written.load(Ordering::Relaxed);
        if written > MAX_BYTES {
            self.written.store(0, Ordering::Relaxed);
            // One that cannot begin anew goes on as it is.
            let path = log_path(&self.data);
            std::fs::rename(&path, path.with_extension("log.1")).ok();
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
