//! What lies on disk before SQLite is let at it.
//!
//! SQLite heals what it can without a word: beside an empty database it deletes
//! the WAL, and of a damaged WAL it takes what comes before the damage and
//! drops the rest. After a crash that is right, since nothing that was
//! committed lies there. Where commits would be lost it is not, so the files
//! are looked at first, and nothing is touched.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read},
    path::Path,
};

use crate::{checkpoint::wal_path, error::OpenError};

/// Whether a log may begin at a place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Beginning {
    #[default]
    MayBeNew,
    /// There was one, which this shows.
    NotNew { shown_by: String },
}

/// Says that the log at `path` was lost, if it is not there and was.
pub(crate) fn is_there_or_new(path: &Path, beginning: &Beginning) -> Result<(), OpenError> {
    let fail = |source| OpenError::from_io(path.to_owned(), source);
    if length(path).map_err(fail)?.unwrap_or(0) > 0 {
        return Ok(());
    }
    let wal = wal_path(path);
    let beside = length(&wal).map_err(fail)?.unwrap_or(0);
    let shown_by = match beginning {
        _ if beside > 0 => format!("{} has {beside} bytes", wal.display()),
        Beginning::NotNew { shown_by } => shown_by.clone(),
        Beginning::MayBeNew => return Ok(()),
    };
    Err(OpenError::Lost {
        path: path.to_owned(),
        shown_by,
    })
}

/// Says that commits would be lost, if the WAL of `path` is damaged. Only for
/// its owner: what is just being written is not whole.
pub(crate) fn wal_is_whole(path: &Path) -> Result<(), OpenError> {
    let wal = wal_path(path);
    let fail = |source| OpenError::from_io(wal.clone(), source);
    let look = || match File::open(&wal) {
        Ok(file) => look_at_wal(BufReader::with_capacity(64 * 1024, file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Wal::Whole),
        Err(error) => Err(error),
    };
    if look().map_err(fail)? == Wal::Whole {
        return Ok(());
    }
    // Twice the same: somebody who is no owner may write all the same.
    match look().map_err(fail)? {
        Wal::Whole => Ok(()),
        Wal::Damaged { commits } => Err(OpenError::DamagedWal {
            path: wal.clone(),
            commits,
        }),
    }
}

/// A WAL as far as it tells of lost commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wal {
    /// Nothing that was committed is missing.
    Whole,
    /// So many commits lie behind the damage.
    Damaged { commits: usize },
}

const HEADER: usize = 32;
const FRAME: usize = 24;
const MAGIC: u32 = 0x377f_0682;

/// Reads a WAL to its end.
///
/// Commits are synced one after another, so a loss of power tears at most the
/// last one. Two behind something that cannot be read were whole once.
fn look_at_wal(mut wal: impl Read) -> io::Result<Wal> {
    let mut header = [0; HEADER];
    if !fill(&mut wal, &mut header)? {
        return Ok(Wal::Whole);
    }
    let (magic, size) = (word(&header, 0), word(&header, 8));
    let mut sums = Sums {
        big_endian: magic & 1 == 1,
        one: 0,
        two: 0,
    };
    sums.add(&header[..24]);
    let mut readable =
        magic & !1 == MAGIC && (sums.one, sums.two) == (word(&header, 24), word(&header, 28));
    let tolerated = usize::from(readable);
    // Without a header the first frame says which ones belong together.
    let mut salt: Option<[u8; 8]> = readable.then(|| eight(&header[16..24]));
    let page = if readable { size as usize } else { 4096 };
    let mut frame = vec![0; FRAME + page];
    let mut commits = 0;
    while fill(&mut wal, &mut frame)? {
        let own = eight(&frame[8..16]);
        let was_readable = readable;
        let is_ours = *salt.get_or_insert(own) == own;
        if readable {
            sums.add(&frame[..8]);
            sums.add(&frame[FRAME..]);
            readable = is_ours && (sums.one, sums.two) == (word(&frame, 16), word(&frame, 20));
        }
        // Frames of another salt are left from before the WAL was last begun.
        // The first that cannot be read may be one, or have a damaged salt.
        let counts = !readable && (is_ours || was_readable);
        // The size of the database after it: only a commit's last frame has one.
        if counts && word(&frame, 4) != 0 {
            commits += 1;
        }
    }
    Ok(if commits > tolerated {
        Wal::Damaged { commits }
    } else {
        Wal::Whole
    })
}

/// SQLite's running checksum over pairs of words.
struct Sums {
    big_endian: bool,
    one: u32,
    two: u32,
}

impl Sums {
    fn add(&mut self, bytes: &[u8]) {
        for pair in bytes.chunks_exact(8) {
            let (x, y) = match self.big_endian {
                true => (word(pair, 0), word(pair, 4)),
                false => (word(pair, 0).swap_bytes(), word(pair, 4).swap_bytes()),
            };
            self.one = self.one.wrapping_add(x).wrapping_add(self.two);
            self.two = self.two.wrapping_add(y).wrapping_add(self.one);
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_be_bytes(four)
}

fn eight(bytes: &[u8]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[..8]);
    eight
}

/// False when the file ends first.
fn fill(file: &mut impl Read, room: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(room) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The size of a file; none if it is not there.
fn length(path: &Path) -> io::Result<Option<u64>> {
    match fs::metadata(path) {
        Ok(file) => Ok(Some(file.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
