//! One thing that a folder asks for, and the list of them while it grows.

use std::{
    collections::{BTreeMap, BTreeSet},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use baton_protocol::api::FolderItem;
use ring::digest::{Context, SHA256, digest};

use super::{NOTE, Survey};
use crate::{
    cli_rules::CliRule,
    file::{self, ReadError},
    surface::Surface,
    text::show,
};

/// Beyond this many items or files a folder is not looked through to its end.
const MOST_ITEMS: usize = 5_000;
const MOST_FILES: usize = 50_000;

/// Contents are read up to this in all, and of one file up to that; the rest is
/// told apart by size and time.
const CONTENT_BYTES: u64 = 256 << 20;
const FILE_BYTES: u64 = 16 << 20;

pub use baton_protocol::api::FolderItemKind as Kind;

/// One thing that a folder would run or change by itself. All texts come from
/// the folder, with what cannot be seen written as numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    pub kind: Kind,
    /// Where it is from: below the folder, or from the root for folders above.
    pub file: String,
    pub name: String,
    /// The command, the value or what else it comes to; long ones are cut.
    pub detail: String,
    /// Where the file really is, if a link leads out of the folder it was found in.
    pub link: Option<String>,
    /// Why it stands out: it runs by itself, or lets the agent act unasked.
    pub danger: Option<String>,
    /// Of all that it stands for, also what is not shown; nothing of what
    /// counts in no case.
    print: Option<[u8; 32]>,
}

impl Item {
    pub(super) const fn print(&self) -> Option<&[u8; 32]> {
        self.print.as_ref()
    }
}

impl From<Item> for FolderItem {
    fn from(item: Item) -> Self {
        Self {
            kind: item.kind,
            file: item.file,
            name: item.name,
            detail: item.detail,
            link: item.link,
            danger: item.danger,
        }
    }
}

/// What an item comes to beyond the words that are shown.
pub(super) struct Found<'a> {
    pub(super) kind: Kind,
    pub(super) name: &'a str,
    pub(super) detail: &'a str,
    /// A hash of contents, if they count.
    pub(super) content: Option<[u8; 32]>,
    /// Only shown, and no part of what is accepted.
    pub(super) danger: Option<String>,
}

/// Whether something changes anything in a folder that is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Counts,
    /// Listed, and left out of what the agent gets.
    Shown,
}

/// A survey while it is made.
pub(super) struct Scan {
    pub(super) folder: PathBuf,
    items: Vec<Item>,
    files: usize,
    bytes: u64,
    complete: bool,
    pub(super) surface: Option<Surface>,
    pub(super) denials: Vec<CliRule>,
    /// Scripts that hooks, servers and helpers of the folder run.
    pub(super) scripts: Vec<PathBuf>,
    /// What `~` means.
    pub(super) home: PathBuf,
    /// Variables that the settings at hand set.
    pub(super) variables: BTreeMap<String, String>,
    /// Folders that were walked, so that links make no circle.
    pub(super) walked: BTreeSet<PathBuf>,
}

impl Scan {
    pub(super) fn new(folder: &Path, home: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            items: Vec::new(),
            files: 0,
            bytes: 0,
            complete: true,
            surface: None,
            denials: Vec::new(),
            scripts: Vec::new(),
            home: home.to_owned(),
            variables: BTreeMap::new(),
            walked: BTreeSet::new(),
        }
    }

    /// Adds an item found in `file`, which lies in the folder `base` or is linked from there.
    pub(super) fn add(&mut self, base: &Path, file: &Path, found: &Found<'_>) {
        self.put(base, file, found, Weight::Counts);
    }

    pub(super) fn put(&mut self, base: &Path, file: &Path, found: &Found<'_>, weight: Weight) {
        if self.items.len() >= MOST_ITEMS {
            self.complete = false;
            return;
        }
        let link = file::outside(base, file);
        let inside = file.strip_prefix(&self.folder).unwrap_or(file);
        let mut context = Context::new(&SHA256);
        for part in [
            format!("{:?}", found.kind).as_bytes(),
            inside.as_os_str().as_bytes(),
            found.name.as_bytes(),
            found.detail.as_bytes(),
            link.as_deref()
                .map_or(b"", |link| link.as_os_str().as_bytes()),
            found.content.as_ref().map_or(&[], <[u8; 32]>::as_slice),
        ] {
            context.update(&part.len().to_be_bytes());
            context.update(part);
        }
        self.items.push(Item {
            kind: found.kind,
            file: show(&inside.to_string_lossy()),
            name: show(found.name),
            detail: show(found.detail),
            link: link.map(|link| show(&link.to_string_lossy())),
            danger: found.danger.as_deref().map(show),
            print: (weight == Weight::Counts).then(|| finish(context)),
        });
    }

    /// Adds what could not be read or understood. Its content counts: another
    /// one may be understood by the CLI.
    pub(super) fn problem(&mut self, base: &Path, file: &Path, what: &str, content: &[u8]) {
        let found = Found {
            kind: Kind::Problem,
            name: &file.file_name().unwrap_or_default().to_string_lossy(),
            detail: what,
            content: Some(hash(content)),
            danger: None,
        };
        self.add(base, file, &found);
    }

    /// Reads a file; tells as a problem why one that is there cannot be read.
    pub(super) fn read(&mut self, base: &Path, file: &Path, limit: u64) -> Option<Vec<u8>> {
        match file::read(file, limit) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.problem(base, file, &error.to_string(), &stamp(file));
                None
            }
        }
    }

    /// The content of a file that is only to be known again, or what else tells
    /// it from another.
    pub(super) fn content(&mut self, base: &Path, file: &Path) -> Vec<u8> {
        let limit = FILE_BYTES.min(CONTENT_BYTES.saturating_sub(self.bytes));
        let content = match file::read(file, limit) {
            Ok(bytes) => bytes.unwrap_or_default(),
            Err(ReadError::TooLarge { .. }) => stamp(file),
            Err(error) => {
                self.problem(base, file, &error.to_string(), &stamp(file));
                Vec::new()
            }
        };
        self.bytes += u64::try_from(content.len()).unwrap_or(u64::MAX);
        content
    }

    /// Counts a file or folder that is looked at; false when it is enough.
    pub(super) fn look_at_one_more(&mut self) -> bool {
        self.files += 1;
        if self.files > MOST_FILES {
            self.complete = false;
        }
        self.files <= MOST_FILES
    }

    /// Something that counts was not looked at.
    pub(super) fn leave_out(&mut self) {
        self.complete = false;
    }

    pub(super) fn finish(mut self) -> Survey {
        self.items.sort_unstable();
        self.items.dedup();
        let mut notes = vec![NOTE.to_owned()];
        if !self.complete {
            notes.push(
                "There is more in this folder than can be looked at, so it cannot be trusted."
                    .to_owned(),
            );
        }
        Survey {
            items: self.items,
            notes,
            complete: self.complete,
            surface: self.surface,
            denials: self.denials,
            scripts: self.scripts,
        }
    }
}

/// What tells one state of a file from another without reading it.
pub(super) fn stamp(file: &Path) -> Vec<u8> {
    use std::os::unix::fs::MetadataExt;
    let Ok(meta) = file.metadata() else {
        return Vec::new();
    };
    let numbers = [
        i128::from(meta.size()),
        i128::from(meta.mtime()),
        i128::from(meta.mtime_nsec()),
    ];
    numbers.into_iter().flat_map(i128::to_be_bytes).collect()
}

pub(super) fn hash(bytes: &[u8]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
    hash
}

pub(super) fn finish(context: Context) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(context.finish().as_ref());
    hash
}
