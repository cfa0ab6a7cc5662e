//! What a daemon runs with, as it tells it, and what one that is started from
//! somebody's shell would have otherwise.
//!
//! Settings and environment are read once, when a daemon starts, so the shell
//! of whoever asks later may say something else. Both are compared where both
//! are known whole, which is in the daemon: no secret is in what it answers.

use std::{collections::BTreeMap, ffi::OsString, path::Path};

use baton_protocol::{
    api::{
        ChangedVariable, LeftOut, Restart, Running, Secret, ShownSetting, ShownVariable,
        VariableChange as Change,
    },
    mask,
};

use crate::{
    config::{Config, Key, Sources, shown_value},
    environment::{AgentEnvironment, Variable},
    setup::Setup,
};

pub(crate) const fn words(change: Change) -> &'static str {
    match change {
        Change::Missing => "your shell has it, the daemon started without it",
        Change::Other => "your shell has another value than the daemon",
        Change::Left => "the daemon has it, your shell does not",
    }
}

/// What a daemon has, whole.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    pub(crate) config: &'a Config,
    pub(crate) environment: &'a AgentEnvironment,
    pub(crate) setup: &'a Setup,
    /// Where agents are asked about.
    pub(crate) folder: &'a Path,
}

impl Whole<'_> {
    pub(crate) fn shown(&self) -> Running {
        let left_out = self.environment.left_out.iter();
        let notices = self.config.notices.iter();
        Running {
            files: self.config.files.iter().map(|file| text(file)).collect(),
            settings: shown_settings(self.config),
            claude: self.setup.agents.claude.as_deref().map(text),
            variables: self.shown_variables(),
            left_out: left_out
                .map(|(name, why)| LeftOut {
                    left_out: name.to_string_lossy().into_owned(),
                    reason: (*why).to_owned(),
                })
                .collect(),
            notices: notices.chain(&self.environment.notices).cloned().collect(),
            restart: None,
        }
    }

    fn shown_variables(&self) -> Vec<ShownVariable> {
        let all = self.environment.in_folder(self.folder).into_iter();
        all.map(|(name, variable)| {
            let name = name.to_string_lossy().into_owned();
            let value = variable.value.to_string_lossy();
            // A key may stand in a variable that is not called after it.
            let value = mask::text(shown_value(&name, &value)).into_owned();
            ShownVariable {
                variable: name,
                value,
                origin: variable.origin.to_string(),
            }
        })
        .collect()
    }

    /// Compares with what a daemon would have that is started in the
    /// background with these variables.
    pub(crate) fn compared(&self, shell: &BTreeMap<OsString, OsString>) -> Restart {
        let config = Config::read(&Sources {
            env: shell,
            data: &self.setup.data,
            folder: None,
            config: None,
            flags: &[],
        });
        let config = match config {
            Ok(config) => config,
            Err(failure) => {
                return Restart {
                    problem: Some(failure.what),
                    ..Restart::default()
                };
            }
        };
        let mut restart = Restart {
            settings: self.changed_settings(&config),
            ..Restart::default()
        };
        // Where a login shell is asked, it says the rest, whatever shell it is
        // that a daemon is started from.
        if let Some(environment) = AgentEnvironment::of_shell(shell, &config) {
            let (mine, new) = (self.environment, &environment);
            restart.variables = changed(&mine.in_folder(self.folder), &new.in_folder(self.folder));
            let mut setup = self.setup.clone();
            setup.configure(&config, &environment);
            let claude = setup.agents.claude;
            let other = claude.filter(|claude| Some(claude) != self.setup.agents.claude.as_ref());
            restart.claude = other.as_deref().map(text);
        }
        restart
    }

    fn changed_settings(&self, new: &Config) -> Vec<ShownSetting> {
        let known = |name: &str| {
            let mut settings = self.config.settings.iter();
            settings.find(|setting| setting.key == name)
        };
        let differs = new
            .settings
            .iter()
            .filter(|setting| known(setting.key).is_none_or(|known| known.value != setting.value));
        let names: Vec<&str> = differs.map(|setting| setting.key).collect();
        let mut shown = shown_settings(new);
        shown.retain(|setting| names.contains(&setting.setting.as_str()));
        shown
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn shown_settings(config: &Config) -> Vec<ShownSetting> {
    let settings = config.settings.iter();
    settings
        .map(|setting| ShownSetting {
            setting: setting.key.to_owned(),
            value: setting.value.shown(),
            origin: setting.origin.to_string(),
            about: Key::find(setting.key).map(|key| key.doc.to_owned()),
        })
        .collect()
}

type Environment = BTreeMap<OsString, Variable>;

fn changed(now: &Environment, new: &Environment) -> Vec<ChangedVariable> {
    // As text: what came from elsewhere came as text.
    let value = |all: &Environment, name: &OsString| {
        let variable = all.get(name)?;
        Some(variable.value.to_string_lossy().into_owned())
    };
    let mut names: Vec<&OsString> = now.keys().chain(new.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let changes = names.into_iter().filter_map(|name| {
        let change = match (value(now, name), value(new, name)) {
            (None, Some(_)) => Change::Missing,
            (Some(_), None) => Change::Left,
            (mine, new) if mine != new => Change::Other,
            _ => return None,
        };
        let variable = name.to_string_lossy().into_owned();
        Some(ChangedVariable { variable, change })
    });
    changes.collect()
}

/// Variables as they came from who asks.
pub(crate) fn of_wire(shell: BTreeMap<String, Secret>) -> BTreeMap<OsString, OsString> {
    let pairs = shell.into_iter();
    pairs
        .map(|(name, value)| (name.into(), value.expose().into()))
        .collect()
}

#[cfg(test)]
#[path = "running_tests.rs"]
mod tests;
