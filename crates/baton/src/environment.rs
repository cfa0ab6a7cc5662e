//! The environment that agents run in: the user's own, and nothing of Baton's.
//!
//! It is put together once, from this process or from the login shell, cleaned
//! of what belongs to Baton, to an enclosing agent or to the terminal that
//! happened to start Baton, and then given what the settings add.

mod login_shell;
mod unwanted;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
};

use crate::config::{Config, LoginShell};

/// Every variable that agents get, and what a person should know about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct AgentEnvironment {
    pub(crate) variables: BTreeMap<OsString, Variable>,
    /// Variables that this process has and agents do not get, with the reason.
    pub(crate) left_out: BTreeMap<OsString, &'static str>,
    /// What did not go as asked.
    pub(crate) notices: Vec<String>,
    folders: BTreeMap<PathBuf, BTreeMap<String, String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) value: OsString,
    pub(crate) origin: VariableOrigin,
}

/// Where a variable comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariableOrigin {
    /// The process that runs agents has it.
    Process,
    LoginShell,
    /// A setting of this name says so.
    Setting(&'static str),
}

impl fmt::Display for VariableOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process => f.write_str("environment"),
            Self::LoginShell => f.write_str("login shell"),
            Self::Setting(key) => f.write_str(key),
        }
    }
}

/// The variable that lets agents work in teams.
const TEAMS: &str = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS";

impl AgentEnvironment {
    /// Puts it together; asks the login shell if that is wanted.
    pub(crate) async fn read(process: &BTreeMap<OsString, OsString>, config: &Config) -> Self {
        let mut environment = Self::of_process(process);
        if asks_login_shell(process, config, std::process::id()) {
            match login_shell::read(process, &environment.plain()).await {
                Ok(variables) => environment.take_shell(variables),
                Err(why) => environment.notices.push(format!(
                    "the agents' environment is that of this process, because {why}"
                )),
            }
        }
        environment.add(config);
        environment
    }

    /// As a daemon would have it that is started with these variables. None
    /// where it would ask the login shell, which knows nothing of them.
    pub(crate) fn of_shell(shell: &BTreeMap<OsString, OsString>, config: &Config) -> Option<Self> {
        // No process has this number: it would be started in the background.
        if asks_login_shell(shell, config, 0) {
            return None;
        }
        let mut environment = Self::of_process(shell);
        environment.add(config);
        Some(environment)
    }

    /// What this process has, cleaned.
    pub(crate) fn of_process(process: &BTreeMap<OsString, OsString>) -> Self {
        let mut environment = Self::default();
        for (name, value) in process {
            match unwanted::reason(name) {
                Some(why) => {
                    environment.left_out.insert(name.clone(), why);
                }
                None => environment.set(name.clone(), value.clone(), VariableOrigin::Process),
            }
        }
        environment
    }

    /// The shell's variables count more. Of the PATH of the process nothing is
    /// lost: an image or a service file may have set it on purpose.
    fn take_shell(&mut self, variables: BTreeMap<OsString, OsString>) {
        for (name, value) in variables {
            if unwanted::reason(&name).is_some() {
                continue;
            }
            let known = self.variables.get(&name).map(|known| &known.value);
            let value = match known {
                Some(known) if *known == value => continue,
                Some(known) if name == "PATH" => joined(&value, known),
                _ => value,
            };
            self.set(name, value, VariableOrigin::LoginShell);
        }
    }

    fn add(&mut self, config: &Config) {
        if config.agent.agent_teams {
            let teams = VariableOrigin::Setting("agent.agentTeams");
            self.set(TEAMS.into(), "1".into(), teams);
        } else if self.variables.remove(OsStr::new(TEAMS)).is_some() {
            self.left_out
                .insert(TEAMS.into(), "agent.agentTeams is off");
        }
        for (name, value) in &config.agent.env {
            let added = VariableOrigin::Setting("agent.env");
            self.set(name.into(), value.into(), added);
        }
        self.folders.clone_from(&config.projects.env);
    }

    fn set(&mut self, name: OsString, value: OsString, origin: VariableOrigin) {
        self.left_out.remove(&name);
        self.variables.insert(name, Variable { value, origin });
    }

    /// As a program gets it, outside any project.
    pub(crate) fn plain(&self) -> Vec<(OsString, OsString)> {
        let pair =
            |(name, variable): (&OsString, &Variable)| (name.clone(), variable.value.clone());
        self.variables.iter().map(pair).collect()
    }

    /// As an agent in that folder gets it. What is said of a folder within
    /// another counts more than what is said of that.
    pub(crate) fn in_folder(&self, folder: &Path) -> BTreeMap<OsString, Variable> {
        let mut all = self.variables.clone();
        // A folder sorts before those within it.
        for (path, variables) in &self.folders {
            if folder.starts_with(path) {
                let variable = |value: &String| Variable {
                    value: value.into(),
                    origin: VariableOrigin::Setting("projects.env"),
                };
                let added = variables.iter();
                all.extend(added.map(|(name, value)| (name.into(), variable(value))));
            }
        }
        all
    }

    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        let variable = self.variables.get(OsStr::new(name))?;
        Some(&variable.value)
    }
}

fn asks_login_shell(env: &BTreeMap<OsString, OsString>, config: &Config, pid: u32) -> bool {
    match config.agent.login_shell {
        LoginShell::Always => true,
        LoginShell::Never => false,
        LoginShell::Auto => runs_as_service(env, pid),
    }
}

/// Whether a service manager, not a person's shell, started this process. Its
/// own marks are no sign by themselves: terminals under a desktop session pass
/// them on to every shell.
fn runs_as_service(env: &BTreeMap<OsString, OsString>, pid: u32) -> bool {
    let get = |name: &str| env.get(OsStr::new(name)).filter(|value| !value.is_empty());
    let started_by_systemd = get("SYSTEMD_EXEC_PID")
        .and_then(|value| value.to_str()?.parse().ok())
        .is_some_and(|started: u32| started == pid);
    started_by_systemd || get("TERM").is_none() || get("SHELL").is_none()
}

/// The folders of both, each once. What only `known` has stays before what it
/// stood before: whoever put a folder in front of the system's own, so that its
/// programs are found first, still gets those.
fn joined(shell: &OsStr, known: &OsStr) -> OsString {
    let once = |path: &OsStr| {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in std::env::split_paths(path) {
            if !folder.as_os_str().is_empty() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    };
    let mut all = once(shell);
    let mut before = all.len();
    for folder in once(known).into_iter().rev() {
        match all.iter().position(|known| *known == folder) {
            Some(at) => before = at,
            None => all.insert(before, folder),
        }
    }
    // A folder with a colon in its name cannot have come out of a PATH.
    std::env::join_paths(all).unwrap_or_else(|_| shell.to_owned())
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
