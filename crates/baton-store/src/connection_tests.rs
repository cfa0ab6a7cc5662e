use super::*;

fn pragma(conn: &Connection, name: &str) -> rusqlite::types::Value {
    conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
        .unwrap()
}

/// A killed process does not show what a missing sync would lose, so the setting itself is held.
#[test]
fn every_connection_that_writes_syncs_every_commit() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("log.db");
    let writer = open_writer(&path, 1 << 20, BUSY, &Beginning::MayBeNew).unwrap();
    let checkpointer = open_checkpointer(&path).unwrap();
    for conn in [&writer, &checkpointer] {
        assert_eq!(pragma(conn, "synchronous"), 2.into());
        assert_eq!(pragma(conn, "fullfsync"), 1.into());
        assert_eq!(pragma(conn, "checkpoint_fullfsync"), 1.into());
        assert_eq!(pragma(conn, "journal_mode"), "wal".to_owned().into());
    }
    assert_eq!(pragma(&writer, "foreign_keys"), 1.into());
    assert_eq!(pragma(&writer, "wal_autocheckpoint"), 0.into());
    assert_eq!(pragma(&writer, "page_size"), 4096.into());
    let reader = open_reader(&path).unwrap();
    assert_eq!(pragma(&reader, "query_only"), 1.into());
}
