use std::process::id;

use super::*;

fn lock_file(data: &Path) -> File {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(data.join("lock"))
        .unwrap()
}

#[tokio::test]
async fn somebody_who_looks_for_an_owner_is_not_taken_for_one() {
    let data = tempfile::tempdir().unwrap();
    let looking = lock_file(data.path());
    looking.lock_shared().unwrap();
    let (taken, ()) = tokio::join!(lock(data.path()), async {
        tokio::time::sleep(BETWEEN * 3).await;
        looking.unlock().unwrap();
    });
    assert!(taken.is_ok());
    assert!(is_owned(data.path()));
}

#[tokio::test]
async fn a_lock_that_a_dead_process_left_to_a_child_is_waited_for() {
    let data = tempfile::tempdir().unwrap();
    let mut left = lock_file(data.path());
    left.lock().unwrap();
    // Larger than any number a process gets.
    write!(left, "{}", i32::MAX).unwrap();
    let (taken, ()) = tokio::join!(lock(data.path()), async {
        tokio::time::sleep(BETWEEN * 3).await;
        drop(left);
    });
    assert!(taken.is_ok());
}

#[tokio::test]
async fn a_living_owner_is_named_at_once() {
    let data = tempfile::tempdir().unwrap();
    let _owner = lock(data.path()).await.ok().unwrap();
    let Err(Refused::Owned { by }) = lock(data.path()).await else {
        panic!("the folder was owned twice");
    };
    assert_eq!(by, Some(id()));
}
