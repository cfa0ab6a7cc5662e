//! Getting a repository from elsewhere, so that nothing of it runs.
//!
//! `git clone` is started with arguments, never through a shell. Only https and
//! ssh are spoken, whatever the user's settings or a redirection say. No template,
//! hook or submodule of anybody runs, and no filter, the user's own neither: what
//! LFS keeps elsewhere stays a pointer. Nobody is asked anything: where a password
//! or a host's key is missing it fails, and says so.

mod source;
mod told;

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    time::Duration,
};

use baton_process::{Child, ChildHandle, Exit, RunLimits, SpawnError, Spec, StopPlan, run_to_end};

pub use self::{
    source::{Source, WrongSource, is_name},
    told::{CloneError, Progress},
};

/// A clone is told to end in this time, and then made to.
const STOP: StopPlan = StopPlan {
    close_stdin_grace: Duration::ZERO,
    term_grace: Duration::from_secs(3),
};
const QUESTION: RunLimits = RunLimits {
    time: Duration::from_secs(5),
    output_bytes: 1 << 20,
};

/// Settings that hold whatever the user's say.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("credential.interactive", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("gc.auto", "0"),
    // A server that says nothing for a minute is gone.
    ("http.lowSpeedLimit", "100"),
    ("http.lowSpeedTime", "60"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("protocol.https.allow", "always"),
    ("protocol.ssh.allow", "always"),
    ("submodule.recurse", "false"),
    ("transfer.bundleURI", "false"),
];

const VARIABLES: &[(&str, &str)] = &[
    ("GCM_INTERACTIVE", "never"),
    ("GIT_ASKPASS", "false"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
    // Without it ssh asks on the terminal that the daemon was started on.
    ("SSH_ASKPASS", "false"),
    ("SSH_ASKPASS_REQUIRE", "force"),
];

/// What git and ssh need of the user: programs, settings, keys, proxies.
const PASSED: &[&str] = &[
    "ALL_PROXY",
    "DBUS_SESSION_BUS_ADDRESS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "HOME",
    "HTTPS_PROXY",
    "LOGNAME",
    "NO_PROXY",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "USER",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "all_proxy",
    "https_proxy",
    "no_proxy",
];

/// A repository on its way. Dropped, it is ended; what it has put into its folder
/// is for the caller to remove.
#[derive(Debug)]
pub struct Cloning {
    handle: ChildHandle,
}

impl Cloning {
    /// Begins to put it into `folder`, which must not be there yet. `users` is the
    /// user's environment.
    pub async fn begin(
        users: &[(OsString, OsString)],
        source: &Source,
        folder: &Path,
    ) -> Result<Self, SpawnError> {
        let mut env = environment(users);
        let filters = filters(&env).await;
        let mut settings: Vec<(String, String)> = SETTINGS
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        if source.is_file() {
            settings.push(("protocol.file.allow".into(), "always".into()));
        }
        for filter in filters {
            for (key, value) in OFF {
                settings.push((format!("filter.{filter}.{key}"), (*value).into()));
            }
        }
        // The environment's settings come after every file.
        env.push(("GIT_CONFIG_COUNT".into(), settings.len().to_string().into()));
        for (number, (key, value)) in settings.into_iter().enumerate() {
            env.push((format!("GIT_CONFIG_KEY_{number}").into(), key.into()));
            env.push((format!("GIT_CONFIG_VALUE_{number}").into(), value.into()));
        }
        let args = [
            "clone",
            "--progress",
            "--template=",
            "--no-recurse-submodules",
            "--",
        ];
        let mut args: Vec<OsString> = args.map(Into::into).to_vec();
        args.push(source.url().into());
        args.push(folder.into());
        let spec = Spec {
            program: "git".into(),
            args,
            env,
            cwd: folder.parent().unwrap_or(folder).to_owned(),
        };
        let (_, _, handle) = Child::spawn(&spec)?.split();
        handle.close_stdin();
        Ok(Self { handle })
    }

    /// How far it has come, as far as git says so.
    pub fn progress(&self) -> Option<Progress> {
        Progress::last(&self.handle.stderr_tail())
    }

    /// Waits until it is there, or cannot be had. Cancel-safe.
    pub async fn finished(&mut self) -> Result<(), CloneError> {
        let report = self.handle.wait().await;
        if report.exit == (Exit::Exited { code: 0 }) {
            return Ok(());
        }
        Err(CloneError::of(&self.handle.stderr_tail()))
    }

    /// Ends it.
    pub async fn stop(&mut self) {
        self.handle.stop(STOP).await;
    }
}

/// What a filter is set to so that it does nothing: an empty one is passed over.
const OFF: &[(&str, &str)] = &[
    ("clean", ""),
    ("process", ""),
    ("required", "false"),
    ("smudge", ""),
];

fn environment(users: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let get = |name: &str| {
        let found = users.iter().rev().find(|(variable, _)| variable == name);
        found.map(|(_, value)| value.clone())
    };
    let path = get("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter(|folder: &PathBuf| folder.is_absolute());
    let path = std::env::join_paths(folders).unwrap_or_default();
    let passed = PASSED
        .iter()
        .filter_map(|name| Some((name.into(), get(name)?)));
    let fixed = VARIABLES
        .iter()
        .map(|(name, value)| (name.into(), value.into()));
    std::iter::once(("PATH".into(), path))
        .chain(passed)
        .chain(fixed)
        .collect()
}

/// The filters that the user's and the machine's own settings name. A repository
/// brings none before it is there.
async fn filters(env: &[(OsString, OsString)]) -> Vec<String> {
    let mut env = env.to_vec();
    env.push(("GIT_DIR".into(), "/dev/null".into()));
    let args = [
        "config",
        "--includes",
        "--name-only",
        "--null",
        "--get-regexp",
        "^filter\\.",
    ];
    let spec = Spec {
        program: "git".into(),
        args: args.map(Into::into).to_vec(),
        env,
        cwd: "/".into(),
    };
    let output = run_to_end(&spec, QUESTION).await;
    let output = output.map(|output| output.stdout).unwrap_or_default();
    let keys = output.split(|byte| *byte == 0);
    let names = keys.filter_map(|key| {
        let (name, _) = std::str::from_utf8(key)
            .ok()?
            .strip_prefix("filter.")?
            .rsplit_once('.')?;
        Some(name.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The name of the folder that a repository is put into until it is whole.
pub fn half_made(name: &str, id: &str) -> OsString {
    format!(".{name}.baton-clone-{id}").into()
}

/// Whether a folder was made for a repository on its way.
pub fn is_half_made(name: &OsStr, id: &str) -> bool {
    let name = name.to_string_lossy();
    name.starts_with('.') && name.ends_with(&format!(".baton-clone-{id}"))
}
