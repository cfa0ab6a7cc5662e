//! A world of its own in which a line of shell can do no harm.
//!
//! `unshare` gives it its own users, mounts, processes and network. Only the
//! home folder, `/tmp` and the log can be written there, and `/usr/bin` holds
//! nothing but stand-ins that note who was run. One bash stays and forks for
//! every line, which then is run there or in zsh; that the last descendant of a
//! line is gone is seen at a FIFO that all of them inherit.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use tempfile::TempDir;

use super::fixture::{Fixture, Touched, VARIABLE_SECRET};
use super::programs;

const SCRIPT: &str = include_str!("box.sh");
/// A line that has not ended by then is stopped; what it did counts.
const LIMIT: Duration = Duration::from_secs(3);
/// How long the world may take to come up.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a line did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deeds {
    /// The programs that were started, each with its arguments.
    pub ran: Vec<Vec<String>>,
    pub touched: Touched,
    /// What it printed, cut short.
    pub printed: String,
    /// It did not end by itself.
    pub stopped: bool,
}

/// What runs the lines: an agent takes the user's own shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Zsh,
}

impl Shell {
    /// Whether this machine has it.
    pub fn is_here(self) -> bool {
        self.path().is_ok()
    }

    fn path(self) -> anyhow::Result<PathBuf> {
        programs::real(match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
        })
    }
}

/// A sandbox that is ready for lines.
pub struct Sandbox {
    shell: Shell,
    parts: TempDir,
    root: TempDir,
    fixture: Fixture,
    bash: Option<Bash>,
}

struct Bash {
    child: Child,
    ended: Receiver<()>,
    done: PathBuf,
    /// There will be no more lines.
    over: Arc<AtomicBool>,
    reader: JoinHandle<()>,
}

impl Sandbox {
    pub fn new(shell: Shell) -> anyhow::Result<Self> {
        let parts = scratch()?;
        let root = scratch()?;
        for folder in ["bin", "home", "tmp", "io"] {
            fs::create_dir(parts.path().join(folder))?;
        }
        programs::install(&parts.path().join("bin"))?;
        let fixture = Fixture::new(parts.path())?;
        let mut sandbox = Self {
            shell,
            parts,
            root,
            fixture,
            bash: None,
        };
        sandbox.prove()?;
        Ok(sandbox)
    }

    /// What the sandbox cannot see it cannot find, so this is tried first.
    fn prove(&mut self) -> anyhow::Result<()> {
        let deeds = self.run("evil a 'b c'; cat .env; touch new; : > /new; exit 3")?;
        let ran: Vec<String> = deeds.ran.iter().map(|words| words.join("|")).collect();
        ensure!(
            ran == ["evil|a|b c", "touch|new"],
            "the sandbox did not see what was run, but {ran:?}: {}",
            deeds.printed
        );
        ensure!(
            deeds.touched.read.contains(".env"),
            "the sandbox does not see what is read: its file system keeps no access times"
        );
        ensure!(
            deeds
                .touched
                .changed
                .iter()
                .any(|path| path.ends_with("/new")),
            "the sandbox does not see what is written: {:?}",
            deeds.touched.changed
        );
        ensure!(
            !self.root.path().join("new").exists()
                && deeds.printed.to_lowercase().contains("read-only"),
            "the sandbox is not closed: {}",
            deeds.printed
        );
        let after = self.run(":")?;
        ensure!(
            after == Deeds::default(),
            "the sandbox did not become as before: {after:?}"
        );
        Ok(())
    }

    /// Runs a line and makes everything as it was before.
    pub fn run(&mut self, line: &str) -> anyhow::Result<Deeds> {
        ensure!(!line.contains('\0'), "a line cannot hold a zero byte");
        let mut bash = match self.bash.take() {
            Some(bash) => bash,
            None => self.start()?,
        };
        let input = bash.child.stdin.as_mut().context("bash has no input")?;
        input.write_all(line.as_bytes())?;
        input.write_all(b"\0")?;
        input.flush()?;
        let stopped = match bash.ended.recv_timeout(LIMIT) {
            Ok(()) => false,
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => bail!("the sandbox ended at {line:?}"),
        };
        let mut bash = Some(bash);
        if let Some(bash) = bash.take_if(|_| stopped) {
            bash.end()?;
        }
        let io = self.parts.path().join("io");
        let ran = logged(&io.join("log"));
        let printed = printed(&io.join("out"));
        let touched = self.fixture.touched()?;
        self.fixture.restore(&touched)?;
        self.bash = bash;
        Ok(Deeds {
            ran,
            touched,
            printed,
            stopped,
        })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the real shell is what is compared with"
    )]
    fn start(&self) -> anyhow::Result<Bash> {
        let io = self.parts.path().join("io");
        let script = self.parts.path().join("box.sh");
        fs::write(&script, SCRIPT)?;
        for name in ["done", "log", "out"] {
            let path = io.join(name);
            if path.exists() {
                fs::remove_file(&path)?;
            }
        }
        for name in ["log", "out"] {
            fs::write(io.join(name), "")?;
        }
        let made = Command::new("mkfifo")
            .arg(io.join("done"))
            .status()
            .context("cannot start mkfifo")?;
        ensure!(made.success(), "mkfifo failed");
        let bash = Shell::Bash.path()?;
        let zsh = match self.shell {
            Shell::Bash => PathBuf::new(),
            Shell::Zsh => self.shell.path()?,
        };
        let child = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "--pid", "--net"])
            .args(["--ipc", "--fork", "--kill-child"])
            .arg(&bash)
            .arg(&script)
            .args([self.root.path(), self.parts.path()])
            .env_clear()
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", "/home/user")
            .env("BASH_REAL", &bash)
            .env("ZSH_REAL", &zsh)
            .env("LC_ALL", "C.UTF-8")
            .env("API_KEY", VARIABLE_SECRET)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(File::create(self.parts.path().join("trouble"))?)
            .spawn()
            .context("cannot start unshare, which the sandbox is made with")?;
        let (tell, ended) = sync_channel(1);
        let done = io.join("done");
        let watched = done.clone();
        let over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&over);
        let mut bash = Bash {
            child,
            ended,
            done,
            over,
            reader: std::thread::spawn(move || watch(&watched, &tell, &told)),
        };
        let input = bash.child.stdin.as_mut().context("bash has no input")?;
        // It does not matter whether this succeeds: the wait says more.
        drop(input.write_all(b":\0"));
        if bash.ended.recv_timeout(PATIENCE).is_err() {
            bash.end()?;
            let trouble = fs::read_to_string(self.parts.path().join("trouble"))?;
            bail!("the sandbox did not come up (it needs Linux with user namespaces): {trouble}");
        }
        Ok(bash)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(bash) = self.bash.take() {
            drop(bash.end());
        }
    }
}

impl Bash {
    /// Kills everything in the sandbox.
    fn end(mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        drop(self.ended);
        // The reader may wait for a writer that will never come. To open the
        // FIFO for both never waits, and a word in it is heard whenever the
        // reader gets to it.
        self.over.store(true, Ordering::Release);
        let mut both = File::options().read(true).write(true).open(&self.done)?;
        both.write_all(b"no more of these")?;
        ensure!(self.reader.join().is_ok(), "the reader of the FIFO failed");
        Ok(())
    }
}

/// Says each time that all who held the FIFO are gone. A line may write into it,
/// so what is read says nothing.
fn watch(done: &Path, tell: &SyncSender<()>, over: &AtomicBool) {
    let mut word = [0; 64];
    while let Ok(mut file) = File::open(done) {
        loop {
            match file.read(&mut word) {
                Ok(0) => break,
                Ok(_) if over.load(Ordering::Acquire) => return,
                Ok(_) => {}
                Err(_) => return,
            }
        }
        // Closed first: the next line must wait until it is opened again.
        drop(file);
        if tell.send(()).is_err() {
            return;
        }
    }
}

/// A folder in memory if there is one, since it is written to all the time.
fn scratch() -> anyhow::Result<TempDir> {
    let memory = PathBuf::from("/dev/shm");
    let made = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    made.context("cannot make a folder for the sandbox")
}

/// The programs that stand-ins noted, and an empty log again.
fn logged(log: &Path) -> Vec<Vec<String>> {
    let Ok(bytes) = fs::read(log) else {
        return Vec::new();
    };
    if !bytes.is_empty() {
        // That it is empty again is seen with the next line.
        drop(fs::write(log, ""));
    }
    notes(&bytes)
}

/// Each note is a count, the program, and as many words.
fn notes(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut words = bytes
        .split(|byte| *byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned());
    let mut ran = Vec::new();
    while let Some(count) = words.next() {
        // A line that writes into the notes itself is seen by what else it does.
        if let Ok(count) = count.parse::<usize>() {
            let note: Vec<String> = words.by_ref().take(count.saturating_add(1)).collect();
            ran.extend(Some(note).filter(|note| !note.is_empty()));
        }
    }
    ran
}

fn printed(out: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(out) {
        drop(file.take(64 * 1024).read_to_end(&mut bytes));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
