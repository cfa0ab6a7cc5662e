//! Where the caller's shell differs from what the daemon started with, for
//! commands that are about something else: only what decides which programs an
//! agent finds and how it signs in. `config show` names the rest.

use std::{collections::BTreeMap, ffi::OsStr, path::PathBuf};

use baton_protocol::api::{GetConfig, Restart, Running, Secret, VariableChange as Change};

use crate::{client::Client, failure::Failure, setup::Setup, terminal::clean};

/// Asks the daemon what it runs with, and what of this shell it lacks.
pub(super) async fn running(
    setup: &Setup,
    client: &mut Client,
    folder: &str,
) -> Result<Running, Failure> {
    let shell = setup.process_env().iter().map(|(name, value)| {
        let value = Secret::new(value.to_string_lossy().into_owned());
        (name.to_string_lossy().into_owned(), value)
    });
    let message = GetConfig {
        folder: Some(folder.to_owned()),
        shell: Some(shell.collect()),
    };
    Ok(client.tell(message).await?.answer)
}

/// What matters of the difference, in words; none if nothing does. Variables
/// that the agent is `given` make none. A daemon of another version, which
/// cannot say, is told of elsewhere.
pub(super) async fn difference(
    setup: &Setup,
    client: &mut Client,
    folder: &str,
    given: &BTreeMap<String, String>,
) -> Option<String> {
    let mut running = running(setup, client, folder).await.ok()?;
    if let Some(restart) = &mut running.restart {
        let variables = &mut restart.variables;
        variables.retain(|one| !given.contains_key(&one.variable));
    }
    let now = running.variables.iter();
    let now = now.clone().find(|one| one.variable == "PATH");
    let now = now.map(|path| path.value.as_str()).unwrap_or_default();
    let path = setup.process_env().get(OsStr::new("PATH"));
    let lacks = lacking(path.map_or(OsStr::new(""), |path| path), OsStr::new(now));
    in_words(&running.restart?, &lacks)
}

/// Folders that are named in words; the rest is counted.
const NAMED: usize = 2;

fn in_words(restart: &Restart, lacks: &Lacks) -> Option<String> {
    let settings = restart.settings.iter().map(|one| one.setting.clone());
    let variables = restart.variables.iter().filter_map(|one| {
        let name = clean(&one.variable, 60);
        match (one.variable.as_str(), one.change) {
            ("PATH", Change::Missing | Change::Other) => match lacks {
                Lacks::Nothing => None,
                Lacks::Order => Some("PATH (in another order)".to_owned()),
                Lacks::Folders(folders) => Some(format!("PATH (without {})", some(folders))),
            },
            (known, _) if matters(known) => Some(name),
            _ => None,
        }
    });
    let all: Vec<String> = settings.chain(variables).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn some(folders: &[PathBuf]) -> String {
    let named = folders.iter().take(NAMED);
    let named: Vec<_> = named
        .map(|folder| clean(&folder.display().to_string(), 100))
        .collect();
    match folders.len() - named.len() {
        0 => named.join(" and "),
        more => format!("{} and {more} more folders", named.join(", ")),
    }
}

/// Whether a variable decides which programs run, or who pays for an agent.
fn matters(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "PATH",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "CONDA_DEFAULT_ENV",
        "PYENV_VERSION",
        "PYTHONHOME",
        "PYTHONPATH",
        "POETRY_ACTIVE",
        "PIPENV_ACTIVE",
        "NVM_BIN",
        "FNM_MULTISHELL_PATH",
        "VOLTA_HOME",
        "NODE_PATH",
        "RBENV_VERSION",
        "GEM_HOME",
        "JAVA_HOME",
        "GOROOT",
        "GOPATH",
        "RUSTUP_TOOLCHAIN",
        "DIRENV_DIR",
        "IN_NIX_SHELL",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "http_proxy",
        "https_proxy",
    ];
    const BEGINNINGS: &[&str] = &["ANTHROPIC_", "CLAUDE_"];
    NAMES.contains(&name) || BEGINNINGS.iter().any(|start| name.starts_with(start))
}

/// What one search path finds that another does not.
#[derive(Debug, PartialEq, Eq)]
enum Lacks {
    Nothing,
    /// The same folders, of which another comes first.
    Order,
    Folders(Vec<PathBuf>),
}

/// What `theirs` lacks of `mine`. That it has more, as a login shell may add,
/// is no lack.
fn lacking(mine: &OsStr, theirs: &OsStr) -> Lacks {
    let folders = |path: &OsStr| {
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in std::env::split_paths(path) {
            if folder.is_absolute() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    };
    let (mine, theirs) = (folders(mine), folders(theirs));
    let (there, missing): (Vec<_>, Vec<_>) =
        mine.into_iter().partition(|folder| theirs.contains(folder));
    if !missing.is_empty() {
        return Lacks::Folders(missing);
    }
    let common = theirs.into_iter().filter(|folder| there.contains(folder));
    match common.eq(there.iter().cloned()) {
        true => Lacks::Nothing,
        false => Lacks::Order,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_protocol::api::ChangedVariable;

    fn lacks(mine: &str, theirs: &str) -> Lacks {
        lacking(OsStr::new(mine), OsStr::new(theirs))
    }

    #[test]
    fn a_path_lacks_what_would_be_found_in_another_and_no_more() {
        assert_eq!(lacks("/a:/b", "/a:/b"), Lacks::Nothing);
        assert_eq!(lacks("/a:/b", "/x:/a:/y:/b:/a"), Lacks::Nothing);
        assert_eq!(lacks("/b:/a", "/a:/b"), Lacks::Order);
        assert_eq!(
            lacks("/venv/bin:/a", "/a"),
            Lacks::Folders(vec!["/venv/bin".into()])
        );
        // Where programs are looked for in the folder at hand, both do.
        assert_eq!(lacks(".::/a", "/a"), Lacks::Nothing);
    }

    fn words(variables: &[(&str, Change)], lacks: &Lacks) -> Option<String> {
        let variables = variables.iter().map(|(name, change)| ChangedVariable {
            variable: (*name).to_owned(),
            change: *change,
        });
        let restart = Restart {
            variables: variables.collect(),
            ..Restart::default()
        };
        in_words(&restart, lacks)
    }

    #[test]
    fn only_what_decides_which_programs_run_is_told() {
        let terminal = [("COLORTERM", Change::Missing), ("DISPLAY", Change::Other)];
        assert_eq!(words(&terminal, &Lacks::Nothing), None);
        assert_eq!(words(&[("PATH", Change::Other)], &Lacks::Nothing), None);
        let lacks = Lacks::Folders(vec!["/v/bin".into(), "/b".into(), "/c".into()]);
        let venv = [("PATH", Change::Other), ("VIRTUAL_ENV", Change::Missing)];
        assert_eq!(
            words(&venv, &lacks).as_deref(),
            Some("PATH (without /v/bin, /b and 1 more folders), VIRTUAL_ENV")
        );
        // One that the daemon was started in is as surprising.
        let left = [("CONDA_PREFIX", Change::Left)];
        assert_eq!(
            words(&left, &Lacks::Nothing).as_deref(),
            Some("CONDA_PREFIX")
        );
    }
}
