//! Beginning a daemon in the background.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use baton_process::{Spec, start_detached};
use serde::{Deserialize, Serialize};

use super::log;
use crate::{
    DETACHED,
    failure::{Failure, chain},
    owner::make_folder,
    setup::Setup,
};

/// Taking over what many agents said meanwhile may take a while.
const BEGIN: Duration = Duration::from_secs(60);

/// Lines of the log that are shown when a start failed without a word.
const LINES: usize = 5;

/// What a daemon in the background says of its beginning, once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Outcome {
    /// The socket accepts.
    Ready,
    /// Another process owns the folder; its number, if it said.
    Owned {
        by: Option<u32>,
    },
    Failed {
        what: String,
        remedy: String,
    },
}

/// How a start went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// A new daemon serves.
    Ready,
    /// Somebody else owns the folder: a daemon that begins or ends, most likely.
    Owned { by: Option<u32> },
}

/// Starts a daemon and waits until it serves, or says why it does not.
pub(crate) async fn start(setup: &Setup) -> Result<Start, Failure> {
    make_folder(&setup.data)?;
    let file = log::open(&setup.data).map_err(|error| {
        Failure::new(
            format!(
                "the daemon's log {} cannot be opened: {error}",
                log::log_path(&setup.data).display()
            ),
            "Check the data folder and the disk, or choose another with --data-dir.",
        )
    })?;
    let mut args: Vec<OsString> = [DETACHED, "serve", "--background", "--data-dir"]
        .map(OsString::from)
        .into();
    args.push(setup.data.clone().into());
    args.extend(setup.listen.iter().cloned());
    if let Some(idle) = setup.idle_exit {
        args.push("--exit-when-idle".into());
        args.push(idle.as_secs().to_string().into());
    }
    let spec = Spec {
        program: setup.agents.baton.clone(),
        args,
        env: setup.own_env(),
        cwd: PathBuf::from("/"),
    };
    let words = start_detached(&spec, file, BEGIN).await.map_err(|error| {
        Failure::new(
            format!("the daemon cannot be started: {}", chain(&error)),
            "Free some memory or processes, and try again.",
        )
    })?;
    let Some(words) = words else {
        return Err(Failure::new(
            "the daemon does not come up",
            format!(
                "See {}; it may still be taking over agents.",
                log::log_path(&setup.data).display()
            ),
        ));
    };
    match serde_json::from_slice(&words) {
        Ok(Outcome::Ready) => Ok(Start::Ready),
        Ok(Outcome::Owned { by }) => Ok(Start::Owned { by }),
        Ok(Outcome::Failed { what, remedy }) => Err(Failure::new(what, remedy)),
        Err(_) => Err(Failure::new(
            "the daemon ended before it served",
            format!(
                "Its log {} ends with:\n  {}",
                log::log_path(&setup.data).display(),
                log::tail(&setup.data, LINES)
            ),
        )),
    }
}
