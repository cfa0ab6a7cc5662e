//! Everything the outside says about this run, read once: environment and flags.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    time::Duration,
};

use baton_session::agents::AgentHome;

use crate::{
    DEMO, HOLDER, cli::ListenArgs, config::Config, environment::AgentEnvironment, failure::Failure,
};

/// What this run works with.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) data: PathBuf,
    pub(crate) agents: AgentHome,
    pub(crate) colour: bool,
    /// What to tell of the inside on standard error: `BATON_LOG=baton=debug`.
    pub(crate) log: Option<String>,
    /// How this program was called, for commands that people may copy.
    pub(crate) called: String,
    /// After how long without anything to do a daemon ends: `BATON_DAEMON_IDLE_EXIT_S`.
    pub(crate) idle_exit: Option<Duration>,
    /// Where a daemon that is started is to listen, beside the settings.
    pub(crate) listen: Vec<OsString>,
    env: BTreeMap<OsString, OsString>,
}

impl Setup {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the environment is read"
    )]
    pub(crate) fn read(data_dir: Option<PathBuf>) -> Result<Self, Failure> {
        let mut called = match std::env::args_os().next() {
            Some(name) => shell_word(&name.to_string_lossy()),
            None => "baton".into(),
        };
        if let Some(dir) = &data_dir {
            let dir = shell_word(&dir.to_string_lossy());
            called = format!("{called} --data-dir {dir}");
        }
        let setup = Self::from(std::env::vars_os().collect(), data_dir)?;
        Ok(Self { called, ..setup })
    }

    pub(crate) fn from(
        env: BTreeMap<OsString, OsString>,
        data_dir: Option<PathBuf>,
    ) -> Result<Self, Failure> {
        let get = |name: &str| env.get(OsStr::new(name)).filter(|value| !value.is_empty());
        let home = get("HOME").map(PathBuf::from);
        let data = match (data_dir, get("BATON_DATA_DIR"), &home) {
            (Some(dir), _, _) => dir,
            (None, Some(dir), _) => PathBuf::from(dir),
            (None, None, Some(home)) => home.join(".baton"),
            (None, None, None) => {
                return Err(Failure::new(
                    "there is no home folder to keep data in",
                    "Set HOME, or name a folder with --data-dir.",
                ));
            }
        };
        let data = std::path::absolute(&data).unwrap_or(data);
        let named = get("BATON_AGENT_CLAUDE_PATH").map(PathBuf::from);
        let config = get("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        let pace = get("BATON_AGENT_DEMO_PACE_MS").and_then(|pace| pace.to_str()?.parse().ok());
        let agents = AgentHome {
            baton: this_program()?,
            holder_command: HOLDER.into(),
            demo_command: DEMO.into(),
            claude_named: named.is_some(),
            claude: named.or_else(|| find(get("PATH")?, "claude")),
            claude_config: config
                .or_else(|| Some(home?.join(".claude")))
                .unwrap_or_default(),
            env: AgentEnvironment::of_process(&env).plain(),
            demo_pace: Duration::from_millis(pace.unwrap_or(20)),
        };
        Ok(Self {
            data,
            agents,
            colour: get("NO_COLOR").is_none() && get("TERM") != Some(&OsString::from("dumb")),
            called: "baton".into(),
            idle_exit: get("BATON_DAEMON_IDLE_EXIT_S")
                .and_then(|seconds| seconds.to_str()?.parse().ok())
                .map(Duration::from_secs),
            listen: Vec::new(),
            log: get("BATON_LOG").and_then(|filter| filter.to_str().map(str::to_owned)),
            env,
        })
    }

    /// The same for a daemon that is started to listen elsewhere.
    pub(crate) fn listening(&self, args: &ListenArgs) -> Self {
        let host = args.host.clone().map(|host| ["--host".to_owned(), host]);
        let port = args
            .port
            .map(|port| ["--port".to_owned(), port.to_string()]);
        let listen = host.into_iter().chain(port).flatten();
        Self {
            listen: listen.map(OsString::from).collect(),
            ..self.clone()
        }
    }

    /// Everything this process was started with.
    pub(crate) const fn process_env(&self) -> &BTreeMap<OsString, OsString> {
        &self.env
    }

    /// Takes over what the configuration says about agents. Their own PATH
    /// counts when their program is looked for: a service has hardly any.
    pub(crate) fn configure(&mut self, config: &Config, environment: &AgentEnvironment) {
        let named = config.agent.claude_path.clone();
        self.agents.claude_named = named.is_some();
        self.agents.claude = named.or_else(|| find(environment.get("PATH")?, "claude"));
        let of_claude = environment.get("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        let of_home = || Some(Path::new(environment.get("HOME")?).join(".claude"));
        if let Some(folder) = of_claude.or_else(of_home) {
            self.agents.claude_config = folder;
        }
        self.agents.env = environment.plain();
        self.agents.demo_pace = config.agent.demo_pace;
    }

    /// The environment of helper programs such as `claude --version`.
    pub(crate) fn tool_env(&self) -> Vec<(OsString, OsString)> {
        self.agents.env.clone()
    }

    /// The whole environment, for a daemon that takes this program's place.
    pub(crate) fn own_env(&self) -> Vec<(OsString, OsString)> {
        let all = self.env.iter();
        all.map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    pub(crate) fn find_program(&self, name: &str) -> Option<PathBuf> {
        find(self.env.get(OsStr::new("PATH"))?, name)
    }
}

fn find(path: &OsStr, name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let executable = |candidate: &Path| {
        std::fs::metadata(candidate)
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|candidate| executable(candidate))
}

/// Text as a shell reads it back.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        Failure::new(
            format!("this program cannot find itself: {error}"),
            "Run it by its full path.",
        )
    })
}

#[cfg(test)]
#[path = "setup_tests.rs"]
mod tests;
