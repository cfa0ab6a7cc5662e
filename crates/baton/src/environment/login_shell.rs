//! What a login shell exports.
//!
//! A shell's start-up files may print anything, wait for anything and fail in
//! any way, so its answer stands between marks, in a bounded time and size, and
//! whoever asks goes on without it if need be.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::PathBuf,
    time::Duration,
};

use baton_process::{Exit, RunLimits, Spec, run_to_end};

use crate::failure::chain;

/// The most that start-up files may take.
const TIME: Duration = Duration::from_secs(5);
/// Of all variables together, and of what the shell prints before them.
const OUTPUT: usize = 1024 * 1024;

/// Asks the user's login shell, which starts with `env`.
pub(super) async fn read(
    process: &BTreeMap<OsString, OsString>,
    env: &[(OsString, OsString)],
) -> Result<BTreeMap<OsString, OsString>, String> {
    read_within(process, env, TIME).await
}

pub(super) async fn read_within(
    process: &BTreeMap<OsString, OsString>,
    env: &[(OsString, OsString)],
    time: Duration,
) -> Result<BTreeMap<OsString, OsString>, String> {
    let shell = shell(process.get(OsStr::new("SHELL")))?;
    let name = shell.display().to_string();
    let own = shell.clone().into_os_string();
    let mark = format!("baton-{}-environment", std::process::id());
    let home = process.get(OsStr::new("HOME")).map(PathBuf::from);
    let spec = Spec {
        program: shell,
        args: vec!["-l".into(), "-c".into(), script(&mark).into()],
        env: env.to_vec(),
        cwd: home
            .filter(|home| home.is_dir())
            .unwrap_or_else(|| "/".into()),
    };
    let limits = RunLimits {
        time,
        output_bytes: OUTPUT,
    };
    let output = run_to_end(&spec, limits)
        .await
        .map_err(|error| format!("the login shell {name} did not answer: {}", chain(&error)))?;
    // How it ended matters only if it did not say all.
    let said = between(&output.stdout, mark.as_bytes());
    let mut said = said.ok_or_else(|| match output.exit {
        Exit::Exited { code } => {
            format!("the login shell {name} ended with exit code {code} and said nothing")
        }
        Exit::Signalled { signal } => {
            format!("the login shell {name} was killed by signal {signal}")
        }
        Exit::Lost => format!("the login shell {name} vanished"),
    })?;
    // Not every shell exports its own name, and agents choose theirs by it.
    said.entry("SHELL".into()).or_insert(own);
    Ok(said)
}

/// Simple enough for every shell that has `-l` and `-c`. The mark is written in
/// two pieces, so that a shell which prints what it runs prints no mark.
fn script(mark: &str) -> String {
    let (one, two) = mark.split_at(6);
    format!("printf %s%s {one} {two}; /usr/bin/env -0; printf %s%s {one} {two}")
}

/// `$SHELL`, else what the system has noted for this user.
fn shell(named: Option<&OsString>) -> Result<PathBuf, String> {
    let named = named.map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(shell) = named {
        return Ok(shell);
    }
    let table = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    of_user(&table, rustix::process::getuid().as_raw())
        .ok_or_else(|| "no login shell is known: SHELL is not set".to_owned())
}

pub(super) fn of_user(table: &str, user: u32) -> Option<PathBuf> {
    let line = table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let number: u32 = fields.get(2)?.parse().ok()?;
        (number == user).then_some(fields)
    })?;
    let shell = PathBuf::from(line.get(6)?);
    shell.is_absolute().then_some(shell)
}

/// The variables between the first two marks.
pub(super) fn between(output: &[u8], mark: &[u8]) -> Option<BTreeMap<OsString, OsString>> {
    let find = |from: usize| {
        let rest = output.get(from..)?;
        let at = rest.windows(mark.len()).position(|window| window == mark)?;
        Some(from + at)
    };
    let start = find(0)? + mark.len();
    let said = &output[start..find(start)?];
    let variables = said.split(|byte| *byte == 0).filter_map(|pair| {
        let at = pair.iter().position(|byte| *byte == b'=')?;
        // A shell may print what it runs before the first variable.
        let name = pair[..at].rsplit(|byte| *byte == b'\n').next()?;
        let value = &pair[at + 1..];
        // Exported functions are a shell's business.
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        (!name.is_empty() && name.iter().all(plain)).then(|| {
            (
                OsStr::from_bytes(name).into(),
                OsString::from_vec(value.to_vec()),
            )
        })
    });
    Some(variables.collect())
}
