//! A scratch world for real processes: their own home, an emptied environment,
//! loopback only, and nothing left behind.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::filter::Filter;
use crate::model::ModelServer;
use crate::process::{Finished, Running};
use crate::sweep;

/// Long enough for a loaded machine; a test that needs it all has failed.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Folders and environment of one test. Dropping it ends every process that
/// still runs with its home, that belongs to a holder below it or that has a
/// path in it on its command line, then deletes the folders.
pub struct Sandbox {
    root: PathBuf,
    env: BTreeMap<String, String>,
    // Last, so that the folders outlive the sweep in `drop`.
    _dir: TempDir,
}

impl Sandbox {
    /// Makes the folders: `home`, `project` (not a git repository), `data` and `tmp`.
    ///
    /// # Panics
    /// When the folders cannot be made.
    #[expect(
        clippy::new_without_default,
        reason = "a default that makes folders would surprise"
    )]
    pub fn new() -> Self {
        let dir = expect(
            "make a temporary folder",
            tempfile::Builder::new().prefix("baton-").tempdir(),
        );
        let root = expect("resolve the temporary folder", dir.path().canonicalize());
        for name in ["home", "project", "data", "tmp"] {
            expect(
                "make a sandbox folder",
                std::fs::create_dir(root.join(name)),
            );
        }
        let mut env = emptied_environment(&root);
        // Many daemons run at once in tests.
        env.insert("BATON_RUNNER_PORT".to_owned(), "0".to_owned());
        Self {
            root,
            env,
            _dir: dir,
        }
    }

    /// Points the CLI at a scripted model.
    #[must_use]
    pub fn with_model(self, server: &ModelServer) -> Self {
        self.with_env("ANTHROPIC_BASE_URL", server.url())
    }

    /// Adds or replaces a variable.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    /// Removes a variable, for example the dummy key, to be "not logged in".
    #[must_use]
    pub fn without_env(mut self, name: &str) -> Self {
        self.env.remove(name);
        self
    }

    /// Makes the project a git repository with one commit.
    ///
    /// # Panics
    /// When git is missing or fails.
    #[must_use]
    pub fn with_git(self) -> Self {
        let who = [
            "-c",
            "user.name=Test",
            "-c",
            "user.email=test@example.invalid",
        ];
        let commit = ["commit", "--quiet", "--allow-empty", "--message", "start"];
        self.run("git", ["init", "--quiet", "--initial-branch", "main"])
            .expect_success();
        self.run("git", who.into_iter().chain(commit))
            .expect_success();
        self
    }

    /// The folder that holds the others.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The scratch home.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The working directory of every process started here.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// An empty folder for Baton's data.
    pub fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// The whole environment of every process started here; nothing else is passed on.
    pub fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// A filter that hides this sandbox's paths beside everything else that varies.
    pub fn filter(&self) -> Filter {
        Filter::new()
            .replace(self.home().display().to_string(), "[HOME]")
            .replace(self.project().display().to_string(), "[PROJECT]")
            .replace(self.data().display().to_string(), "[DATA]")
            .replace(self.root.display().to_string(), "[ROOT]")
    }

    /// Runs a program to its end without input.
    ///
    /// # Panics
    /// When it cannot be started or takes longer than [`LIMIT`].
    #[track_caller]
    pub fn run<A: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
    ) -> Finished {
        self.run_with_input(program, args, "", LIMIT)
    }

    /// Runs a program to its end with this text on stdin.
    ///
    /// # Panics
    /// When it cannot be started or takes longer than `limit`.
    #[track_caller]
    pub fn run_with_input<A: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
        stdin: &str,
        limit: Duration,
    ) -> Finished {
        let running = self.start(program, args);
        running.send_text(stdin);
        running.close_stdin();
        running.finish(limit)
    }

    /// Starts a program in the project folder; it and its descendants end when the guard is dropped.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    pub fn start<A: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
    ) -> Running {
        let mut command = self.command(program);
        command.args(args);
        Running::start(command)
    }

    /// A command with exactly this sandbox's environment, piped, in a group of its own.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        use std::os::unix::process::CommandExt as _;

        #[expect(
            clippy::disallowed_methods,
            reason = "the testkit starts what is under test, baton-process among it"
        )]
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(&self.env)
            .current_dir(self.project())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        command
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        sweep::kill_by_root(&self.root);
    }
}

/// Nothing of the caller's: no token, no proxy, no editor, no locale can reach a test.
fn emptied_environment(root: &Path) -> BTreeMap<String, String> {
    let mut env: BTreeMap<String, String> = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("TERM", "dumb"),
        ("SHELL", "/bin/bash"),
        ("LANG", "C.UTF-8"),
        ("ANTHROPIC_API_KEY", "sk-ant-test-dummy"),
        // Discard: refused at once, should a test forget its model server.
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    // The CLI keeps task output and images in the temporary folder.
    for (name, folder) in [("HOME", "home"), ("TMPDIR", "tmp")] {
        env.insert(name.to_owned(), root.join(folder).display().to_string());
    }
    if rustix::process::getuid().is_root() {
        // Without it the CLI refuses some permission modes to root.
        env.insert("IS_SANDBOX".to_owned(), "1".to_owned());
    }
    env
}

#[track_caller]
fn expect<T, E: std::fmt::Display>(what: &str, result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("cannot {what}: {error}"),
    }
}
