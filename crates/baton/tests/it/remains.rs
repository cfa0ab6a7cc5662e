//! Data folders whose log is gone: told, and left as they are.

use std::{fs, os::unix::fs::PermissionsExt};

use expect_test::expect;

use crate::Bench;

/// A folder that was used, with no daemon in it.
fn used() -> Bench {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    bench.stop();
    bench
}

#[track_caller]
fn is_refused(bench: &Bench, expected: &expect_test::Expect) {
    for args in [
        &["run", "--agent", "demo", "text"][..],
        &["sessions"],
        &["start"],
    ] {
        let run = bench.baton(args);
        assert_eq!(
            run.code(),
            Some(1),
            "{args:?}: {}{}",
            run.stdout,
            run.stderr
        );
        expected.assert_eq(&bench.sandbox.filter().text(&run.stderr));
    }
    assert_eq!(bench.baton(&["doctor"]).code(), Some(1));
}

#[test]
fn a_folder_that_lost_its_log_begins_no_other() {
    let bench = used();
    let log = bench.sandbox.data().join("baton.db");
    let kept = fs::read(&log).unwrap();
    let lost = expect![[r#"
        baton: event log [DATA]/baton.db is missing or empty, though there was one: [DATA]/runner.id is there
          Nothing was changed. Put the file or a backup of it back, or begin a new log in another folder with --data-dir.
    "#]];
    fs::remove_file(&log).unwrap();
    is_refused(&bench, &lost);
    assert!(!log.exists(), "nothing was begun");
    fs::write(&log, "").unwrap();
    is_refused(&bench, &lost);
    assert_eq!(fs::read(&log).unwrap(), b"", "nothing was begun");
    // Put back, it goes on.
    fs::write(&log, kept).unwrap();
    bench.ok(&["export", "last"]);
    bench.ok(&["run", "--agent", "demo", "text"]);
}

#[test]
fn a_folder_from_before_there_was_a_sign_is_known_by_its_token() {
    let bench = used();
    fs::remove_file(bench.sandbox.data().join("runner.id")).unwrap();
    fs::remove_file(bench.sandbox.data().join("baton.db")).unwrap();
    let run = bench.fails(1, &["run", "--agent", "demo", "text"]);
    run.tells("token is there");
}

#[test]
fn a_wal_whose_database_is_gone_is_kept() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    let data = bench.sandbox.data();
    // As a daemon leaves it that is killed right after it has written.
    let wal = fs::read(data.join("baton.db-wal")).unwrap();
    assert!(!wal.is_empty());
    bench.stop();
    fs::write(data.join("baton.db"), "").unwrap();
    fs::write(data.join("baton.db-wal"), &wal).unwrap();
    let run = bench.fails(1, &["run", "--agent", "demo", "text"]);
    run.tells("baton.db-wal has");
    assert_eq!(fs::read(data.join("baton.db-wal")).unwrap(), wal);
}

#[test]
fn a_restored_copy_goes_on_in_its_own_folder() {
    let bench = used();
    let copy = bench.sandbox.project().join("copy.db");
    bench.ok(&["backup", copy.to_str().unwrap()]);
    bench.stop();
    let log = bench.sandbox.data().join("baton.db");
    fs::remove_file(&log).unwrap();
    fs::rename(copy, &log).unwrap();
    bench.ok(&["export", "last"]);
    bench.ok(&["run", "--agent", "demo", "text"]);
}

#[test]
fn a_folder_with_nothing_but_settings_is_new() {
    let bench = Bench::new();
    let data = bench.sandbox.data();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
    fs::create_dir_all(data.join("holders")).unwrap();
    fs::write(data.join("config.yaml"), "").unwrap();
    fs::write(data.join("lock"), "1").unwrap();
    bench.ok(&["run", "--agent", "demo", "text"]);
}
