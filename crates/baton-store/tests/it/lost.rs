//! Logs of which a part is gone: nothing is begun in their place, and nothing
//! that is left of them is touched.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use baton_protocol::{Seq, words::SessionState};
use baton_store::{Beginning, OpenError, SessionFilter, Store, StoreOptions};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{Scratch, creating, events, note, options, read_all, session};

/// The files of a log whose owner was killed right after so many commits, none
/// of which is in the database itself.
struct Killed {
    folder: TempDir,
    commits: usize,
}

impl Killed {
    async fn after(commits: usize) -> Self {
        let scratch = Scratch::new();
        let mut options = options();
        options.wal.idle = Duration::from_secs(3600);
        let store = Store::open(&scratch.path(), &options).unwrap();
        let first = creating(session(1), vec![note("1")]);
        store.append(first).await.unwrap();
        for number in 2..=commits {
            let next = events(session(1), vec![note(&number.to_string())]);
            store.append(next).await.unwrap();
        }
        let folder = TempDir::new().unwrap();
        for side in ["", "-wal"] {
            let from = format!("{}{side}", scratch.path().display());
            fs::copy(from, folder.path().join(format!("log.db{side}"))).unwrap();
        }
        Self { folder, commits }
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log.db")
    }

    fn wal(&self) -> PathBuf {
        self.folder.path().join("log.db-wal")
    }

    /// Every file with what it holds.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files: Vec<_> = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| !path.ends_with("log.db-shm"))
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    }

    #[track_caller]
    fn is_refused_and_untouched(&self, options: &StoreOptions) -> OpenError {
        let before = self.files();
        let error = Store::open(&self.log(), options).unwrap_err();
        assert!(before == self.files(), "something was changed");
        error
    }

    async fn events(&self) -> usize {
        let store = Store::open(&self.log(), &options()).unwrap();
        read_all(&store, session(1)).await.len()
    }
}

fn not_new() -> StoreOptions {
    StoreOptions {
        beginning: Beginning::NotNew {
            shown_by: "a token".into(),
        },
        ..options()
    }
}

#[tokio::test]
async fn a_killed_owner_loses_nothing() {
    let killed = Killed::after(20).await;
    assert_eq!(killed.events().await, 20);
}

#[tokio::test]
async fn a_wal_without_its_database_is_kept() {
    for emptied in [true, false] {
        let killed = Killed::after(5).await;
        match emptied {
            true => fs::write(killed.log(), "").unwrap(),
            false => fs::remove_file(killed.log()).unwrap(),
        }
        let error = killed.is_refused_and_untouched(&options());
        assert!(matches!(error, OpenError::Lost { .. }), "{error:?}");
        let before = killed.files();
        Store::open_read_only(&killed.log()).unwrap_err();
        assert!(before == killed.files(), "a look changed something");
    }
}

#[tokio::test]
async fn a_log_that_was_there_is_not_begun_anew() {
    let remove = |log: &Path| fs::remove_file(log).unwrap();
    let empty = |log: &Path| fs::write(log, "").unwrap();
    let replace = |log: &Path| {
        fs::remove_file(log).unwrap();
        let other = Connection::open(log).unwrap();
        other.execute_batch("VACUUM").unwrap();
        let made = other.execute_batch("PRAGMA user_version = 0; CREATE TABLE x (y); DROP TABLE x");
        made.unwrap();
    };
    for damage in [&remove as &dyn Fn(&Path), &empty, &replace] {
        let killed = Killed::after(3).await;
        fs::remove_file(killed.wal()).unwrap();
        damage(&killed.log());
        let error = killed.is_refused_and_untouched(&not_new());
        assert!(matches!(error, OpenError::Lost { .. }), "{error:?}");
        assert!(error.to_string().contains("a token"), "{error}");
        // Where nothing says otherwise, it is a new folder.
        Store::open(&killed.log(), &options()).unwrap();
        Store::open(&killed.log(), &not_new()).unwrap();
    }
}

/// Wherever a byte of the WAL is flipped: what was committed is there, but for
/// the last commit, which a loss of power may tear; or the log is refused.
#[tokio::test]
async fn a_damaged_wal_never_costs_commits_in_silence() {
    let whole = Killed::after(12).await;
    let bytes = fs::read(whole.wal()).unwrap();
    let frame = 24 + 4096;
    let in_header = 0..32;
    let in_frames = (32..bytes.len()).step_by(frame).flat_map(|start| {
        [0, 5, 9, 17, 24, 2000].map(|offset| (start + offset).min(bytes.len() - 1))
    });
    let mut refused = 0;
    let places: Vec<usize> = in_header.chain(in_frames).collect();
    let backup = fs::read(whole.log()).unwrap();
    for at in &places {
        let mut flipped = bytes.clone();
        flipped[*at] ^= 0x10;
        fs::write(whole.log(), &backup).unwrap();
        fs::write(whole.wal(), &flipped).unwrap();
        fs::remove_file(whole.folder.path().join("log.db-shm")).ok();
        match Store::open(&whole.log(), &options()) {
            Ok(store) => {
                let left = read_all(&store, session(1)).await.len();
                assert!(left + 1 >= whole.commits, "{left} events after byte {at}");
            }
            Err(OpenError::DamagedWal { .. }) => {
                assert!(fs::read(whole.wal()).unwrap() == flipped, "byte {at}");
                refused += 1;
            }
            Err(other) => panic!("byte {at}: {other:?}"),
        }
    }
    assert!(refused > places.len() / 2, "{refused} of {}", places.len());
}

#[tokio::test]
async fn a_wal_that_was_torn_with_the_last_commit_is_no_damage() {
    let killed = Killed::after(6).await;
    let bytes = fs::read(killed.wal()).unwrap();
    for cut in [1, 2000, 4096 + 24] {
        let folder = TempDir::new().unwrap();
        fs::copy(killed.log(), folder.path().join("log.db")).unwrap();
        let torn = &bytes[..bytes.len() - cut];
        fs::write(folder.path().join("log.db-wal"), torn).unwrap();
        let store = Store::open(&folder.path().join("log.db"), &options()).unwrap();
        assert_eq!(read_all(&store, session(1)).await.len(), 5, "cut by {cut}");
    }
}

/// Makes the page unreadable that holds `text`.
fn damage_page_with(log: &Path, text: &str) {
    let mut bytes = fs::read(log).unwrap();
    let at = find(&bytes, text.as_bytes()).unwrap();
    let page = at / 4096 * 4096;
    bytes[page..page + 16].fill(0xff);
    fs::write(log, bytes).unwrap();
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|found| found == wanted)
}

#[tokio::test]
async fn a_damaged_session_takes_no_other_from_the_list() {
    const ALL: u64 = 80;
    let scratch = Scratch::new();
    let store = scratch.open();
    for number in 1..=ALL {
        let append = creating(session(u128::from(number)), vec![note("x")]);
        store.append(append).await.unwrap();
    }
    store.close().await;
    damage_page_with(&scratch.path(), &format!("{{\"id\":\"{}\"", session(40)));

    let store = scratch.open();
    assert_eq!(store.damage(), None, "nobody has looked");
    let (mut listed, mut unreadable, mut cursor) = (Vec::new(), 0, None);
    loop {
        let filter = SessionFilter::default();
        let page = store.sessions(filter, cursor, 30).await.unwrap();
        listed.extend(page.items.iter().map(|row| row.id));
        unreadable += page.unreadable;
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert!(!listed.contains(&session(40)));
    assert!((1..ALL / 2).contains(&unreadable), "{unreadable}");
    assert_eq!(listed.len() as u64 + unreadable, ALL);
    assert!(store.damage().is_some());
    let ended = SessionFilter {
        state: Some(SessionState::Ended),
        ..SessionFilter::default()
    };
    let page = store.sessions(ended, None, 30).await.unwrap();
    assert_eq!(page.items.len(), 0, "the filter holds");
    let report = store.check().await.unwrap();
    assert!(!report.is_ok(), "{report:?}");
}

#[tokio::test]
async fn damage_in_one_session_is_found_and_named() {
    let scratch = Scratch::new();
    let store = scratch.open();
    for number in 1..=3 {
        let drafts = (0..200).map(|n| note(&format!("note {n} of {number}")));
        let append = creating(session(number), drafts.collect());
        store.append(append).await.unwrap();
    }
    store.close().await;
    damage_page_with(&scratch.path(), "note 100 of 2");
    let store = scratch.open();
    let report = store.check().await.unwrap();
    assert_eq!(report.unreadable, [session(2)], "{report:?}");
    // What lists begin with is whole, until somebody comes upon the damage.
    store.probe_reading().await.unwrap();
    assert_eq!(store.damage(), None);
    store
        .read_after(session(2), Seq::START, 1000)
        .await
        .unwrap_err();
    assert!(store.damage().is_some());
}
