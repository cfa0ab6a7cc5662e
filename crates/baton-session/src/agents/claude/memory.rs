//! What the CLI itself still has of a conversation.

use std::{
    fs,
    io::{self, BufRead as _, BufReader},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

use baton_claude::transcript::{
    ActiveRows, BranchFinder, Follower, Row, locate, owners, session_file,
};
use baton_protocol::Timestamp;
use uuid::Uuid;

use super::{History, Known, launch::ENTRYPOINT};
use crate::machine::{Observed, Sight};

/// The CLI's transcript of a conversation, as it was when it was looked at.
#[derive(Debug)]
pub(crate) struct Notes {
    path: PathBuf,
    active: ActiveRows,
    /// Whether a row of the wanted name is in it, in whichever branch.
    pub(crate) has_anchor: bool,
    /// Whether the wanted row is on the branch that the CLI goes on with.
    pub(crate) on_branch: bool,
    /// Whether a process that Baton did not start wrote any of that branch.
    pub(crate) has_foreign: bool,
}

/// Where a conversation's transcript is, if there is one.
pub(crate) fn find(config: &Path, cwd: &Path, id: Uuid) -> io::Result<Option<PathBuf>> {
    let here = session_file(config, cwd, id).ok();
    if let Some(here) = here.filter(|path| path.is_file()) {
        return Ok(Some(here));
    }
    Ok(locate(config, id)?.into_iter().next())
}

/// The same, for an agent that is about to be started in `cwd`. The CLI looks
/// for a transcript by the folder it is started in, so one that was written in
/// another folder, which is this one since it was moved, is copied.
pub(crate) fn find_here(config: &Path, cwd: &Path, id: Uuid) -> io::Result<Option<PathBuf>> {
    let found = loop {
        match find(config, cwd, id)? {
            Some(unbegun) if !is_begun(&unbegun)? => set_aside(&unbegun)?,
            Some(found) => break found,
            None => return Ok(None),
        }
    };
    let Ok(here) = session_file(config, cwd, id) else {
        return Ok(Some(found));
    };
    if found != here {
        bring(&found, &here)?;
    }
    Ok(Some(here))
}

/// Whether a transcript has a row of the conversation. Before the first one the
/// CLI notes what it was given, and one that is killed then leaves only that.
fn is_begun(path: &Path) -> io::Result<bool> {
    let mut file = BufReader::new(fs::File::open(path)?);
    let mut line = Vec::new();
    while file.read_until(b'\n', &mut line)? > 0 {
        // What is no note is not known to be nothing, unless it was cut off.
        let is_note = Row::decode(&line).map_or(!line.ends_with(b"\n"), |row| row.uuid.is_none());
        if !is_note {
            return Ok(true);
        }
        line.clear();
    }
    Ok(false)
}

/// The CLI finds no conversation in such a file, and begins none of the same
/// name beside it.
fn set_aside(path: &Path) -> io::Result<()> {
    fs::rename(path, path.with_extension("jsonl.unbegun"))
}

/// Copies a transcript with the folder beside it, which has its sub-agents. The
/// transcript itself comes last and at once, so that half a copy is none.
fn bring(found: &Path, here: &Path) -> io::Result<()> {
    let folder = here.parent().unwrap_or(here);
    let mut make = fs::DirBuilder::new();
    make.recursive(true).mode(0o700).create(folder)?;
    copy_folder(&found.with_extension(""), &here.with_extension(""))?;
    let half = here.with_extension("jsonl.part");
    fs::copy(found, &half)?;
    fs::File::open(&half)?.sync_all()?;
    fs::rename(&half, here)
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    let mut make = fs::DirBuilder::new();
    make.recursive(true).mode(0o700).create(to)?;
    for entry in entries {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The process that Baton did not start and that runs a conversation now.
pub(crate) fn foreign_owner(config: &Path, id: Uuid) -> Option<i32> {
    // A registry that cannot be read names nobody.
    let mut owners = owners(config).unwrap_or_default().into_iter();
    let foreign = owners.find(|one| one.session == id && is_foreign(one.entrypoint.as_deref()));
    foreign.map(|owner| owner.pid)
}

/// What is written to a transcript while a process of ours has it in mind.
#[derive(Debug)]
pub(crate) struct Written {
    follower: Follower,
    /// A row of ours was seen. What others wrote before it is what ours was
    /// started with.
    ours: bool,
}

impl Written {
    pub(crate) fn from_here(path: &Path) -> io::Result<Self> {
        let follower = Follower::from_end(path)?;
        let ours = true;
        Ok(Self { follower, ours })
    }

    pub(crate) fn from_start(path: PathBuf) -> Self {
        let follower = Follower::from_start(path);
        let ours = false;
        Self { follower, ours }
    }

    /// Whether a process that Baton did not start has written since.
    pub(crate) fn elsewhere(&mut self) -> io::Result<bool> {
        let mut foreign = false;
        loop {
            let found = self.follower.look()?;
            for row in &found.rows {
                foreign |= self.ours && is_foreign_row(row);
                self.ours |= row.entrypoint.as_deref() == Some(ENTRYPOINT);
            }
            if !found.more {
                return Ok(foreign);
            }
        }
    }
}

impl Notes {
    pub(crate) fn read(path: PathBuf, anchor: Option<Uuid>) -> io::Result<Self> {
        let mut finder = BranchFinder::default();
        let mut has_anchor = false;
        each_row(&path, |row| {
            finder.add(row);
            has_anchor |= anchor.is_some() && named(row) == anchor;
        })?;
        let active = finder.finish();
        let mut has_foreign = false;
        each_row(&path, |row| {
            has_foreign |= is_foreign_row(row) && active.contains(row);
        })?;
        Ok(Self {
            on_branch: anchor.is_none_or(|anchor| active.has(anchor)),
            path,
            active,
            has_anchor,
            has_foreign,
        })
    }

    /// Whether the CLI goes on from something of this name.
    pub(crate) fn has(&self, uuid: Uuid) -> bool {
        self.active.has(uuid)
    }

    /// What was done elsewhere after something that the log knows, and the log
    /// has not. What lies before belongs to whatever was taken up or copied.
    pub(crate) fn elsewhere(&self, known: &Known, began: Timestamp) -> io::Result<Vec<Observed>> {
        let mut history = History::new(began);
        let mut ours = false;
        let mut told = Vec::new();
        each_row(&self.path, |row| {
            if !self.active.contains(row) {
                return;
            }
            let mut seen = Vec::new();
            history.row(row, &mut seen);
            let is_known = known.contains(row);
            ours |= is_known;
            if ours && !is_known && is_foreign_row(row) {
                told.append(&mut seen);
            }
        })?;
        // The CLI writes rows of its own too; a person's words begin a turn.
        if !told.iter().any(is_said) {
            return Ok(Vec::new());
        }
        history.left(&mut told);
        Ok(told)
    }
}

fn each_row(path: &Path, mut with: impl FnMut(&Row)) -> io::Result<()> {
    let mut follower = Follower::from_start(path);
    loop {
        let found = follower.look()?;
        found.rows.iter().for_each(&mut with);
        if !found.more {
            return Ok(());
        }
    }
}

const fn is_said(seen: &Observed) -> bool {
    matches!(seen.what, Sight::Said { .. })
}

fn named(row: &Row) -> Option<Uuid> {
    let uuid = row.uuid.as_deref()?;
    Uuid::try_parse(uuid).ok()
}

fn is_foreign_row(row: &Row) -> bool {
    row.uuid.is_some() && !row.is_sidechain && is_foreign(row.entrypoint.as_deref())
}

/// Every process says what it was started as. One that does not is not known
/// to be anybody else's.
fn is_foreign(entrypoint: Option<&str>) -> bool {
    entrypoint.is_some_and(|entrypoint| entrypoint != ENTRYPOINT)
}
