//! A holder whose folder is removed under it.

use std::fs;
use std::time::Duration;

use baton_process::Exit;
use baton_process::holder::{HolderLimits, Position};

use crate::harness::{Scene, Taken, is_running, lines_of, take_all, until};

const SHORT: Duration = Duration::from_millis(20);

fn hasty(limits: &mut HolderLimits) {
    limits.folder_check = SHORT;
    limits.stop_grace = SHORT;
}

#[tokio::test]
async fn an_idle_holder_whose_folder_is_removed_stops_its_agent_and_ends() {
    let text = "trap '' TERM; (trap '' TERM; exec setsid sleep 1000) & echo $$ $! > up; wait; wait";
    let scene = Scene::new(text).limits(hasty);
    let holder = i32::try_from(scene.start().await.pid).unwrap();
    let up = lines_of(&scene.file("up"), 1).await;
    fs::remove_dir_all(scene.dir()).unwrap();
    until("the holder to end", || !is_running(holder)).await;
    for pid in up[0].split(' ') {
        assert!(!is_running(pid.parse().unwrap()), "{pid} still runs");
    }
    assert!(!scene.dir().exists());
}

#[tokio::test]
async fn an_agent_that_talks_all_the_time_is_stopped_with_its_folder_too() {
    let scene = Scene::new("echo up > up; while echo talk; do :; done").limits(|limits| {
        hasty(limits);
        // A new segment could not be made, which would end it otherwise.
        limits.segment_bytes = u64::MAX;
    });
    let holder = i32::try_from(scene.start().await.pid).unwrap();
    lines_of(&scene.file("up"), 1).await;
    fs::remove_dir_all(scene.dir()).unwrap();
    until("the holder to end", || !is_running(holder)).await;
}

#[tokio::test]
async fn an_attached_owner_hears_of_the_end_after_the_folder_is_gone() {
    let scene = Scene::new("echo up; cat; echo bye; exit 3")
        .limits(|limits| limits.folder_check = SHORT)
        .limits(|limits| limits.segment_bytes = 1);
    let (mut reader, _writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "up\n")
        .await;
    fs::remove_dir_all(scene.dir()).unwrap();
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
    assert_eq!(taken.text(), "up\nbye\n");
    assert_eq!(taken.report().exit, Exit::Exited { code: 3 });
}

#[tokio::test]
async fn a_new_holder_under_the_name_of_a_removed_one_is_left_alone() {
    let scene = Scene::new("read line; echo $line").limits(|limits| {
        hasty(limits);
        limits.segment_bytes = 1;
    });
    let first = i32::try_from(scene.start().await.pid).unwrap();
    fs::remove_dir_all(scene.dir()).unwrap();
    scene.start().await;
    until("the first holder to end", || !is_running(first)).await;
    let (mut reader, mut writer) = scene.attach(Position(0)).await;
    writer.line(b"second").await.unwrap();
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.text(), "second\n");
    assert_eq!(taken.report().exit, Exit::Exited { code: 0 });
}
