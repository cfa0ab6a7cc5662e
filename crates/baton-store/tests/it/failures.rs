//! Bad files, bad disks: each has its error, and nothing is lost.

use std::{
    fs::{self, OpenOptions, Permissions},
    io::{Seek, SeekFrom, Write},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::Path,
    process::{Command, Stdio},
};

use baton_protocol::{BlobId, Seq};
use baton_store::{Append, NewBlob, OpenError, Store, StoreError};
use rusqlite::Connection;
use uuid::Uuid;

use crate::support::{Scratch, creating, events, note, options, put, read_all, session};

#[tokio::test]
async fn a_new_log_is_private() {
    let scratch = Scratch::new();
    let store = scratch.open();
    put(&store, creating(session(1), vec![note("x")])).await;
    for suffix in ["", "-wal", "-shm"] {
        let file = format!("{}{suffix}", scratch.path().display());
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[test]
fn a_file_that_is_no_log_is_left_alone() {
    let scratch = Scratch::new();
    let text = "dear diary, ".repeat(500);
    fs::write(scratch.path(), &text).unwrap();
    let error = Store::open(&scratch.path(), &options()).unwrap_err();
    assert!(matches!(error, OpenError::NotALog { .. }), "{error:?}");
    assert_eq!(fs::read_to_string(scratch.path()).unwrap(), text);

    let scratch = Scratch::new();
    let other = Connection::open(scratch.path()).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(other);
    let bytes = fs::read(scratch.path()).unwrap();
    let error = Store::open(&scratch.path(), &options()).unwrap_err();
    assert!(matches!(error, OpenError::NotALog { .. }), "{error:?}");
    assert_eq!(fs::read(scratch.path()).unwrap(), bytes);
}

#[tokio::test]
async fn a_damaged_log_says_so_and_the_check_finds_it() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let drafts = (0..2000).map(|n| note(&n.to_string())).collect();
    store.append(creating(session(1), drafts)).await.unwrap();
    store.close().await;
    drop(store);
    let size = fs::metadata(scratch.path()).unwrap().len();
    let mut file = OpenOptions::new().write(true).open(scratch.path()).unwrap();
    // Pages of the events in the middle; the schema at the front stays whole.
    file.seek(SeekFrom::Start(size / 2 / 4096 * 4096)).unwrap();
    file.write_all(&[0xff; 4096 * 8]).unwrap();
    drop(file);

    let store = scratch.open();
    let found = match store.check().await {
        Ok(report) => !report.is_ok(),
        Err(StoreError::Corrupt { .. }) => true,
        Err(other) => panic!("{other:?}"),
    };
    assert!(found);
    let mut cursor = Seq::START;
    let error = loop {
        match store.read_after(session(1), cursor, 100).await {
            Ok(batch) => cursor = batch.last().expect("the damage comes before the end").seq,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error:?}");
    drop(store);

    let file = OpenOptions::new().write(true).open(scratch.path()).unwrap();
    file.set_len(4096 + 100).unwrap();
    let error = Store::open(&scratch.path(), &options()).unwrap_err();
    assert!(matches!(error, OpenError::Corrupt { .. }), "{error:?}");
}

#[test]
fn a_log_of_a_newer_baton_is_refused_and_untouched() {
    let scratch = Scratch::new();
    drop(scratch.open());
    let conn = Connection::open(scratch.path()).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    drop(conn);
    for opened in [
        Store::open(&scratch.path(), &options()),
        Store::open_read_only(&scratch.path()),
    ] {
        let error = opened.unwrap_err();
        assert!(
            matches!(error, OpenError::Newer { found: 99, .. }),
            "{error:?}"
        );
    }
}

#[test]
fn a_missing_folder_is_named() {
    let scratch = Scratch::new();
    let path = scratch.folder.path().join("nowhere").join("log.db");
    let error = Store::open(&path, &options()).unwrap_err();
    assert!(
        matches!(error, OpenError::MissingFolder { .. }),
        "{error:?}"
    );
    let error = Store::open_read_only(&path).unwrap_err();
    assert!(matches!(error, OpenError::Missing { .. }), "{error:?}");
}

#[test]
fn a_log_that_stays_locked_is_busy() {
    let scratch = Scratch::new();
    let outside = Connection::open(scratch.path()).unwrap();
    outside
        .execute_batch("BEGIN EXCLUSIVE; CREATE TABLE x (y)")
        .unwrap();
    let mut options = options();
    options.busy = std::time::Duration::from_millis(20);
    let error = Store::open(&scratch.path(), &options).unwrap_err();
    assert!(matches!(error, OpenError::Busy { .. }), "{error:?}");
}

#[tokio::test]
async fn a_look_at_an_owned_log_reads_but_does_not_write() {
    let scratch = Scratch::new();
    let owner = scratch.open();
    owner
        .append(creating(session(1), vec![note("1")]))
        .await
        .unwrap();
    let look = Store::open_read_only(&scratch.path()).unwrap();
    assert_eq!(look.runner_id(), owner.runner_id());
    assert_eq!(read_all(&look, session(1)).await.len(), 1);
    owner
        .append(events(session(1), vec![note("2")]))
        .await
        .unwrap();
    assert_eq!(read_all(&look, session(1)).await.len(), 2);
    let refused = look.append(events(session(1), vec![note("3")])).await;
    assert!(matches!(refused, Err(StoreError::ReadOnly)));
    look.close().await;
}

/// The database may not grow any more: as on a full disk, SQLite says so.
#[tokio::test]
async fn a_full_disk_loses_nothing_and_the_writer_goes_on() {
    let scratch = Scratch::new();
    let mut options = options();
    options.max_pages = Some(80);
    let store = Store::open(&scratch.path(), &options).unwrap();
    let a = session(1);
    store.append(creating(a, Vec::new())).await.unwrap();
    put(&store, creating(session(2), Vec::new())).await;
    let large = |number: u128| Append {
        blobs: vec![NewBlob {
            id: BlobId::from_uuid(Uuid::from_u128(number)),
            media_type: "text/plain".to_owned(),
            bytes: vec![7; 300 << 10],
        }],
        ..events(session(2), vec![note("large")])
    };
    // Small ones share a transaction with one that does not fit.
    let (first, full, second) = tokio::join!(
        store.append(events(a, vec![note("1")])),
        store.append(large(1)),
        store.append(events(a, vec![note("2")])),
    );
    assert!(first.is_ok() && second.is_ok());
    assert!(matches!(full, Err(StoreError::NoSpace { .. })), "{full:?}");

    let mut stored = 2;
    loop {
        match store.append(events(a, vec![note(&"x".repeat(2000))])).await {
            Ok(committed) => stored = committed.last.0,
            Err(StoreError::NoSpace { .. }) => break,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(store.head(a).await.unwrap(), Seq(stored));
    assert!(store.check().await.unwrap().is_ok());
    store.close().await;
    drop(store);

    // Room again: the numbers go on where they stood.
    let store = scratch.open();
    let committed = store.append(large(1)).await.unwrap();
    assert_eq!(committed.first, Seq(1));
    let committed = store.append(events(a, vec![note("on")])).await.unwrap();
    assert_eq!(committed.first, Seq(stored + 1));
    assert!(store.check().await.unwrap().is_ok());
}

const UNPRIVILEGED: u32 = 65_534;

/// Root may write everywhere, so this part runs as a user who may not.
#[test]
fn a_file_or_folder_that_may_not_be_written_is_read_only() {
    let scratch = Scratch::new();
    let folder = scratch.folder.path();
    drop(scratch.open());
    fs::write(folder.join("unprivileged"), "").unwrap();
    fs::create_dir(folder.join("sub")).unwrap();
    let program = folder.join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    for (path, mode) in [
        (program.as_path(), 0o755),
        (&scratch.path(), 0o444),
        (&folder.join("sub"), 0o555),
        (folder, 0o555),
    ] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "a process of another user; the process crate is not below the store"
    )]
    let mut command = Command::new(&program);
    command
        .args([
            "--ignored",
            "--exact",
            "failures::opened_without_permission",
        ])
        .current_dir(folder)
        .env_clear()
        .stdin(Stdio::null());
    if fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0) {
        command.uid(UNPRIVILEGED).gid(UNPRIVILEGED);
    }
    let output = command.output().unwrap();
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[ignore = "run by the test above as another user"]
fn opened_without_permission() {
    if !Path::new("unprivileged").exists() {
        return;
    }
    for path in ["log.db", "sub/log.db"] {
        let error = Store::open(Path::new(path), &options()).unwrap_err();
        assert!(
            matches!(error, OpenError::ReadOnly { .. }),
            "{path}: {error:?}"
        );
    }
}
