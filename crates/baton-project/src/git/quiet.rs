//! What to start a program with so that the git it runs obeys no program that
//! a repository names.
//!
//! For folders that are not trusted. Settings in the environment come after
//! every file, so each key with which a repository could make git run something
//! is set there: to what the user's own settings say, or else to what git does
//! without it. Keys with a name in the middle (`filter.NAME.clean`) have no
//! common switch; their names are read from the repositories that are there
//! when this is asked.
//!
//! Not covered: such names in a repository that is made, unpacked or given them
//! later, or that lies deeper than is looked; `diff.external` there too. What
//! holds in any repository is in [`values::ALWAYS`].

mod found;
mod values;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
    time::Duration,
};

use baton_process::{Exit, RunLimits, Spec, run_to_end};

use self::values::Users;
use super::Repository;

/// Reading a user's settings is a matter of milliseconds.
const ASK: RunLimits = RunLimits {
    time: Duration::from_secs(5),
    output_bytes: 1 << 20,
};

/// What git needs to find the user's own settings.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// Settings and variables that keep git from running what repositories name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quiet {
    /// In the order in which git is to read them.
    settings: Vec<(OsString, OsString)>,
    variables: Vec<(OsString, OsString)>,
}

/// What keeps git quiet in these folders and below them. `env` is the user's
/// environment. Git itself is asked for the user's settings alone, away from
/// any repository.
pub async fn quiet(env: &[(OsString, OsString)], folders: Vec<PathBuf>) -> Quiet {
    let look = move |home: &Path| {
        let bare = folders.iter().any(|folder| found::is_bare(folder));
        (found::look(&folders, home), bare)
    };
    made(env, look).await
}

/// What keeps git quiet in one repository, for who runs it nowhere else.
pub(super) async fn quiet_in(env: &[(OsString, OsString)], repository: &Repository) -> Quiet {
    let repository = repository.clone();
    made(env, move |home| (found::look_at(&repository, home), false)).await
}

async fn made(
    env: &[(OsString, OsString)],
    look: impl FnOnce(&Path) -> (found::Keys, bool) + Send + 'static,
) -> Quiet {
    let users = users(env).await;
    let home = value(env, "HOME").map(PathBuf::from).unwrap_or_default();
    let ssh = value(env, "GIT_SSH").map(OsStr::to_owned);
    let looked = tokio::task::spawn_blocking(move || {
        let (found, bare) = look(&home);
        values::settings(&found, &users, ssh.as_deref(), bare)
    });
    // Looking at a commit of a partial clone would speak to whoever its remote names.
    let mut variables = vec![("GIT_NO_LAZY_FETCH".into(), OsString::from("1"))];
    // The first file that names a proxy wins there, so no setting can undo it.
    if value(env, "GIT_PROXY_COMMAND").is_none() {
        variables.push(("GIT_PROXY_COMMAND".into(), OsString::new()));
    }
    let settings = looked.await.unwrap_or_default();
    let settings = settings.into_iter();
    Quiet {
        settings: settings
            .map(|(key, value)| (OsString::from_vec(key), OsString::from_vec(value)))
            .collect(),
        variables,
    }
}

impl Quiet {
    /// Sets more, after all others.
    pub(super) fn extend(&mut self, settings: &[(&str, &str)]) {
        let settings = settings.iter();
        self.settings
            .extend(settings.map(|(key, value)| (key.into(), value.into())));
    }

    /// Adds them to an environment. What is set there by the same means stays,
    /// before these.
    pub fn add_to(&self, env: &mut BTreeMap<OsString, OsString>) {
        const COUNT: &str = "GIT_CONFIG_COUNT";
        let there = env.get(OsStr::new(COUNT));
        let there = there.and_then(|count| count.to_str()?.trim().parse::<usize>().ok());
        let mut count = there.unwrap_or_default();
        for (key, value) in &self.settings {
            env.insert(format!("GIT_CONFIG_KEY_{count}").into(), key.clone());
            env.insert(format!("GIT_CONFIG_VALUE_{count}").into(), value.clone());
            count += 1;
        }
        env.insert(COUNT.into(), count.to_string().into());
        env.extend(self.variables.iter().cloned());
    }
}

fn value<'a>(env: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    let found = env.iter().rev().find(|(variable, _)| variable == name);
    found.map(|(_, value)| value.as_os_str())
}

/// The user's and the machine's own settings. Without git there is nobody to
/// obey them either.
async fn users(env: &[(OsString, OsString)]) -> Users {
    let mut passed: Vec<(OsString, OsString)> = env
        .iter()
        .filter(|(name, _)| PASSED.iter().any(|passed| name == passed))
        .cloned()
        .collect();
    passed.push(("GIT_DIR".into(), "/dev/null".into()));
    let spec = Spec {
        program: "git".into(),
        args: ["config", "--includes", "--list", "--null"]
            .map(Into::into)
            .to_vec(),
        env: passed,
        cwd: Path::new("/").to_owned(),
    };
    match run_to_end(&spec, ASK).await {
        Ok(output) if output.exit == (Exit::Exited { code: 0 }) => Users::parse(&output.stdout),
        Ok(_) | Err(_) => Users::default(),
    }
}

#[cfg(test)]
#[path = "quiet_tests.rs"]
mod tests;
