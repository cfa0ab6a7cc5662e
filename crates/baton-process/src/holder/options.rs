//! What a holder is told, and how that travels through its command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::spec::Spec;

/// What to hold, and how.
#[derive(Debug, Clone)]
pub struct HolderSpec {
    /// The holder's folder. It is made, readable by nobody else; it must not
    /// be there yet.
    pub dir: PathBuf,
    pub agent: Spec,
    pub tie: Tie,
    pub marks: RequestMarks,
    pub limits: HolderLimits,
}

/// A file for the agent that nobody else may read: what must not stand on a
/// command line, which every user of the machine can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFile {
    /// Below [`files_path`](super::files_path); it goes with the holder's folder.
    pub name: PathBuf,
    pub bytes: Vec<u8>,
    pub executable: bool,
}

/// How an agent is tied to its owner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Tie {
    /// It goes on without one, and under the next.
    #[default]
    Free,
    /// It ends when the owner's connection closes. The journal keeps what it
    /// said for whoever comes next. Its owner can free it.
    Owner,
    /// It ends when the owner's connection closes, and nobody comes next: its
    /// output goes straight to the owner and into no journal.
    OwnerAlone,
}

/// How lines begin that open and close requests of the agent.
///
/// An agent with a request open is waiting for an answer, so its silence does
/// not mean that it has nothing to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestMarks {
    pub opened_by_output: Vec<String>,
    pub closed_by_output: Vec<String>,
    pub closed_by_input: Vec<String>,
    /// The JSON key whose string names the request in all of these lines, at
    /// any depth. With it an answer given twice closes only its own request;
    /// without it requests are only counted.
    pub id_key: Option<String>,
}

/// A holder's times and sizes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HolderLimits {
    /// A segment is closed once it has this many bytes.
    pub segment_bytes: u64,
    /// With this much untaken the holder stops reading the agent.
    pub untaken_bytes: u64,
    /// Unattended, silent and without an open request for this long, the agent
    /// loses its stdin.
    pub silence: Duration,
    /// How long pipes and descendants may outlive the agent.
    pub drain: Duration,
    /// The grace of each stage when the holder itself is told to stop.
    pub stop_grace: Duration,
    /// How long a holder that lives with its owner waits for the first one.
    pub first_owner: Duration,
    /// So long may an idle holder overlook that its folder was removed, which
    /// stops the agent. It wakes this often.
    pub folder_check: Duration,
}

impl Default for HolderLimits {
    fn default() -> Self {
        Self {
            segment_bytes: 4 * 1024 * 1024,
            untaken_bytes: 256 * 1024 * 1024,
            silence: Duration::from_secs(30 * 60),
            drain: Duration::from_secs(1),
            stop_grace: Duration::from_secs(5),
            first_owner: Duration::from_secs(30),
            folder_check: Duration::from_secs(60),
        }
    }
}

/// The part of a [`HolderSpec`] that travels as one argument.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Options {
    pub(super) tie: Tie,
    pub(super) marks: RequestMarks,
    pub(super) limits: HolderLimits,
}

/// A holder's command line, taken apart.
#[derive(Debug)]
pub(super) struct Arguments {
    pub(super) dir: PathBuf,
    pub(super) options: Options,
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
}

impl HolderSpec {
    /// `DIR OPTIONS -- PROGRAM ARGS…`
    pub(super) fn to_args(&self) -> Result<Vec<OsString>, serde_json::Error> {
        let options = Options {
            tie: self.tie,
            marks: self.marks.clone(),
            limits: self.limits.clone(),
        };
        let mut args = vec![
            self.dir.clone().into_os_string(),
            serde_json::to_string(&options)?.into(),
            OsString::from("--"),
            self.agent.program.clone().into_os_string(),
        ];
        args.extend(self.agent.args.iter().cloned());
        Ok(args)
    }
}

impl Arguments {
    pub(super) fn parse(mut args: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let (Some(dir), Some(options), Some(dashes), Some(program)) =
            (args.next(), args.next(), args.next(), args.next())
        else {
            return Err("expected DIR OPTIONS -- PROGRAM ARGS".to_owned());
        };
        if dashes != OsStr::new("--") {
            return Err("expected -- before the program".to_owned());
        }
        let options = serde_json::from_slice(options.as_encoded_bytes())
            .map_err(|error| format!("options cannot be read: {error}"))?;
        Ok(Self {
            dir: dir.into(),
            options,
            program: program.into(),
            args: args.collect(),
        })
    }
}
