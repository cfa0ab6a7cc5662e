//! The data folder: one owner, readers beside it, private to its user.

use std::os::unix::fs::PermissionsExt;

use baton_testkit::LIMIT;

use crate::{Bench, kind};

#[test]
fn two_runs_at_once_share_one_daemon_and_looking_is_allowed() {
    let bench = Bench::new();
    let first = bench.start(&["run", "--json", "--agent", "demo", "slow"]);
    let second = bench.start(&["run", "--json", "--agent", "demo", "slow"]);
    for run in [&first, &second] {
        let shown = run.wait_for(|line| kind(line) == "assistant.message", LIMIT);
        let id = shown["sessionId"].as_str().unwrap();
        assert!(
            bench.export(id).contains(&shown),
            "a reader sees what was shown"
        );
    }
    let sessions = bench.baton(&["sessions", "--json"]).json_lines();
    assert_eq!(sessions.len(), 2);
    assert_eq!(sessions[0]["state"], "processing");
    assert_eq!(bench.baton(&["doctor"]).code(), Some(0));
}

#[test]
fn a_second_owner_is_told_who_the_first_is() {
    let bench = Bench::new();
    bench.ok(&["start"]);
    let second = bench.fails(1, &["serve"]);
    let owner = format!("another baton (process {})", bench.daemon());
    second.tells(&owner);
    second.tells("--data-dir");
}

#[test]
fn the_data_folder_is_private() {
    let bench = Bench::new();
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(bench.sandbox.data(), open).unwrap();
    bench.ok(&["run", "--agent", "demo", "text"]);
    let mode = |path: &str| {
        let meta = std::fs::metadata(bench.sandbox.data().join(path)).unwrap();
        meta.permissions().mode() & 0o777
    };
    assert_eq!(mode(""), 0o700);
    assert_eq!(mode("baton.db"), 0o600);
    for file in ["lock", "daemon.sock", "daemon.json", "daemon.log"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
    assert_eq!(mode("holders"), 0o700);
}

#[test]
fn a_folder_of_other_things_is_not_taken() {
    let bench = Bench::new();
    let shared = bench.sandbox.project().join("shared");
    std::fs::create_dir(&shared).unwrap();
    std::fs::write(shared.join("notes.txt"), "mine").unwrap();
    let permissions = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&shared, permissions(0o755)).unwrap();
    let name = shared.display().to_string();
    let args = ["--data-dir", &name, "run", "--agent", "demo", "text"];
    let run = bench.fails(1, &args);
    run.tells("holds other things");
    run.tells("--data-dir");
    let mode = std::fs::metadata(&shared).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755, "left as it was");
    assert_eq!(std::fs::read_dir(&shared).unwrap().count(), 1);
    std::fs::set_permissions(&shared, permissions(0o700)).unwrap();
    bench.ok(&args);
    bench.ok(&["--data-dir", &name, "stop"]);
    // Our own folder is made private again.
    std::fs::set_permissions(&shared, permissions(0o755)).unwrap();
    bench.ok(&args);
    let mode = std::fs::metadata(&shared).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_lock_that_is_a_link_is_not_followed() {
    let bench = Bench::new();
    let other = bench.sandbox.project().join("precious");
    std::fs::write(&other, "keep me").unwrap();
    let private = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(bench.sandbox.data(), private).unwrap();
    std::os::unix::fs::symlink(&other, bench.sandbox.data().join("lock")).unwrap();
    let run = bench.fails(1, &["run", "--agent", "demo", "text"]);
    run.tells("cannot be locked");
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "keep me");
}

#[test]
fn nothing_is_left_running_or_lying_about_after_a_stop() {
    let bench = Bench::new();
    bench.ok(&["run", "--agent", "demo", "text"]);
    bench.stop();
    for file in ["daemon.sock", "daemon.json", "baton.db-wal"] {
        assert!(!bench.sandbox.data().join(file).exists(), "{file}");
    }
    let left: Vec<_> = std::fs::read_dir(bench.sandbox.data().join("holders"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
