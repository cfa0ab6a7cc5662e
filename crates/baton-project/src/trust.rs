//! What a folder would run or change by itself if it were trusted.
//!
//! A survey reads the files that the agent's CLI and git would obey, and lists
//! what each of them asks for. Accepting a survey means accepting its digest:
//! whatever changes in it is asked about again. Nothing is run, and what the
//! agent is merely told (`CLAUDE.md`) is not read at all.
//!
//! The CLI looks for most of its files in the folder and in every folder above
//! it, so the survey does too. Of folders below, it takes up their skills when
//! it comes across them, and nothing else; so they are listed as well.
//!
//! Read in this order: [`survey`], [`Survey`], [`Decision`].

mod agent;
mod danger;
mod files;
mod front;
mod item;
mod nested;
pub(crate) mod repository;
mod scripts;
mod settings;

use std::path::{Path, PathBuf};

use ring::digest::{Context, SHA256};

pub use self::danger::is_wide;
pub use self::front::head;
use self::item::Scan;
pub use self::item::{Item, Kind};
use crate::{cli_rules::CliRule, surface::Surface, text::hex};

/// What every survey says beside its items.
const NOTE: &str = "CLAUDE.md and other instructions of the folder are not read before it is \
                    trusted, and are not listed here.";

/// What a folder would run or change by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// By kind, file and name.
    pub items: Vec<Item>,
    /// Sentences for whoever decides.
    pub notes: Vec<String>,
    /// False if the folder holds more than is looked at. It cannot be trusted
    /// then: what was not seen could change unseen.
    pub complete: bool,
    /// What the folder's file leaves of the tools, from the same bytes that the
    /// digest is of; reading only, if it cannot be understood.
    pub surface: Option<Surface>,
    /// What the folder's own settings of the CLI deny and ask, likewise.
    pub denials: Vec<CliRule>,
    /// Scripts in the folder that its hooks, servers and helpers run. In one of
    /// them a `*` stands for anything, and `?` as its last name for any name
    /// without an ending.
    pub scripts: Vec<PathBuf>,
}

/// Looks at `folder`. `claude_config` is the user's own settings of the CLI,
/// which need no trust wherever they lie; `home` is what `~` means.
pub fn survey(folder: &Path, claude_config: &Path, home: &Path) -> Survey {
    let mut scan = Scan::new(folder, home);
    agent::look(&mut scan, claude_config);
    nested::look(&mut scan);
    repository::look(&mut scan, home);
    scan.finish()
}

impl Survey {
    /// Whether trusting the folder would change nothing.
    pub fn is_empty(&self) -> bool {
        self.prints().next().is_none()
    }

    fn prints(&self) -> impl Iterator<Item = &[u8; 32]> {
        self.items.iter().filter_map(Item::print)
    }

    /// Names exactly these items with all that they stand for, in any order.
    /// What counts in no case may change: the CLI adds to a folder's list of
    /// what it allows whenever somebody says so elsewhere.
    pub fn digest(&self) -> String {
        let mut prints: Vec<&[u8; 32]> = self.prints().collect();
        prints.sort_unstable();
        let mut context = Context::new(&SHA256);
        context.update(b"baton trust 1\0");
        for print in prints {
            context.update(print);
        }
        hex(context.finish().as_ref())
    }
}

/// What was answered before, and to which survey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'a> {
    pub digest: &'a str,
    pub accepted: bool,
}

/// Whether what is in a folder may run by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// All of it was accepted.
    Trusted,
    /// There is nothing that would run and nobody refused the folder, so there
    /// is nothing to ask. Leaving the folder's settings out as well loses only
    /// its `CLAUDE.md`.
    Nothing,
    /// Nothing in it may run by itself.
    Untrusted {
        /// An answer was given, to something else.
        changed: bool,
    },
}

impl Decision {
    /// A refusal holds until it is answered otherwise, whatever becomes of the folder.
    pub fn of(answer: Option<Answer<'_>>, survey: &Survey) -> Self {
        let changed = answer.is_some_and(|answer| answer.digest != survey.digest());
        match answer {
            _ if !survey.complete => Self::Untrusted { changed },
            Some(answer) if !answer.accepted => Self::Untrusted { changed },
            Some(_) if !changed => Self::Trusted,
            _ if survey.is_empty() => Self::Nothing,
            Some(_) | None => Self::Untrusted { changed },
        }
    }

    pub const fn is_trusted(self) -> bool {
        match self {
            Self::Trusted | Self::Nothing => true,
            Self::Untrusted { .. } => false,
        }
    }
}

#[cfg(test)]
#[path = "trust_tests.rs"]
mod tests;
