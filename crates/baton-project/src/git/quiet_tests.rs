//! A hostile repository for every surveyed key, under the real git: without
//! the settings its program runs, with them it does not.

#[path = "quiet_tests/cases.rs"]
mod cases;
#[path = "quiet_tests/use_of_git.rs"]
mod use_of_git;

use std::{collections::BTreeMap, ffi::OsString, fs, os::unix::fs::PermissionsExt, sync::LazyLock};

use baton_testkit::Sandbox;

use self::cases::{CASES, Case, Proof};
use super::{Quiet, quiet};
use crate::trust::repository::PROGRAMS;

/// A repository with a trap, its branches and a neighbour to fetch from.
struct Place {
    sandbox: Sandbox,
}

/// Made once, and copied for each case.
static MADE: LazyLock<Place> = LazyLock::new(Place::made);

impl Place {
    fn bare() -> Self {
        let sandbox = Sandbox::new()
            .with_env("GIT_TERMINAL_PROMPT", "0")
            .with_env("EDITOR", "true");
        Self { sandbox }
    }

    fn new() -> Self {
        let place = Self::bare();
        let from = MADE.sandbox.root().display();
        let copied = place.run(
            &format!("cp -R {from}/project {from}/neighbour.git {from}/home $ROOT"),
            &BTreeMap::new(),
        );
        assert_eq!(copied, "");
        let root = place.sandbox.root();
        let trap = root.join("trap");
        let ran = root.join("ran");
        fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
        fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    fn made() -> Self {
        let place = Self::bare();
        place.run(
            "git config --global user.name Test
             git config --global user.email test@example.invalid
             git config --global init.defaultBranch main
             git init --quiet
             printf '*.dat filter=x\\n*.bin diff=x\\n*.drv diff=x\\n*.mrg merge=x\\n' > .gitattributes
             for file in a.txt f.dat c.bin d.drv m.mrg; do echo one > $file; done
             git add --all && git commit --quiet --message one
             git branch other && echo two > m.mrg && git commit --quiet --all --message two
             git checkout --quiet other && echo three > m.mrg
             git commit --quiet --all --message three && git checkout --quiet main
             git clone --quiet --bare . ../neighbour.git
             for file in a.txt f.dat c.bin d.drv; do echo two > $file; done",
            &BTreeMap::new(),
        );
        place
    }

    fn env(&self) -> Vec<(OsString, OsString)> {
        let env = self.sandbox.env().iter();
        env.map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    async fn quiet(&self) -> Quiet {
        quiet(&self.env(), vec![self.sandbox.project()]).await
    }

    /// Runs a script in the project with more environment.
    fn run(&self, script: &str, more: &BTreeMap<OsString, OsString>) -> String {
        let mut command = self.sandbox.command("timeout");
        let root = self.sandbox.root();
        command
            .args(["30", "/bin/sh", "-c", script])
            .env("TRAP", root.join("trap"))
            .env("ROOT", root)
            .envs(more)
            .stdin(std::process::Stdio::null());
        let output = command.output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }

    fn ran(&self) -> bool {
        fs::remove_file(self.sandbox.root().join("ran")).is_ok()
    }

    async fn overrides(&self) -> BTreeMap<OsString, OsString> {
        let mut env = BTreeMap::new();
        self.quiet().await.add_to(&mut env);
        env
    }
}

/// What a case comes to: whether its program ran as things are, and under the
/// settings.
async fn outcome(case: &Case) -> (bool, bool, String) {
    let mut seen = Vec::new();
    let mut told = String::new();
    for under in [false, true] {
        // A repository of its own: a command changes it.
        let place = Place::new();
        place.run(case.prepare, &BTreeMap::new());
        place.ran();
        let env = if under {
            place.overrides().await
        } else {
            BTreeMap::new()
        };
        let said = match case.proof {
            Proof::Runs(command) => place.run(command, &env),
            Proof::Setting(key) => {
                let value = place.run(&format!("git config --get '{key}'"), &env);
                if value.contains("trap") {
                    fs::write(place.sandbox.root().join("ran"), "").unwrap();
                }
                value
            }
            Proof::Never(command) => place.run(command, &env),
        };
        told += &format!("{under}: {said}\n");
        seen.push(place.ran());
    }
    (seen[0], seen[1], told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_surveyed_key_runs_anything_under_the_settings() {
    let mut wrong = Vec::new();
    for case in CASES {
        let (without, with, told) = outcome(case).await;
        let expected = !matches!(case.proof, Proof::Never(_));
        if with || without != expected {
            wrong.push(format!("{}: {without} {with}\n{told}", case.key));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_surveyed_key_has_a_case() {
    let known: Vec<&str> = CASES.iter().map(|case| case.key).collect();
    for (section, keys) in PROGRAMS {
        for key in *keys {
            let full = format!("{section}.{key}");
            assert!(known.contains(&full.as_str()), "no case for {full}");
        }
    }
}

#[tokio::test]
async fn what_the_user_set_by_the_same_means_stays() {
    let place = Place::new();
    let quiet = place.quiet().await;
    let mut env: BTreeMap<OsString, OsString> = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "my.own"),
        ("GIT_CONFIG_VALUE_0", "kept"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    quiet.add_to(&mut env);
    assert_eq!(place.run("git config my.own", &env), "kept\n");
    assert_eq!(place.run("git config core.fsmonitor", &env), "false\n");
}
