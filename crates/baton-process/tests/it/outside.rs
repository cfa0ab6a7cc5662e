//! Holders that are ended from outside, whatever is left of their folder.

use std::fs;

use baton_process::holder::{Position, ReadError, answers, end, is_alive, marked_below};
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Scene, is_running, lines_of, next, until, within};

/// An agent with a child in a session of its own, and one that has emptied its
/// environment; all of them are deaf.
const FAMILY: &str = "trap '' PIPE HUP TERM
    (trap '' PIPE; exec setsid bash -c 'echo $$ >> pids; sleep 1020; sleep 1021') &
    (exec env -i setsid bash -c 'echo $$ >> pids; sleep 1022; sleep 1023') &
    echo $$ >> pids; echo up; sleep 1024; sleep 1025";

async fn family(scene: &Scene) -> Vec<i32> {
    let holder = i32::try_from(scene.start().await.pid).unwrap();
    let lines = lines_of(&scene.file("pids"), 3).await;
    let pids = lines.iter().map(|pid| pid.parse().unwrap());
    pids.chain([holder]).collect()
}

fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[track_caller]
fn assert_gone(pids: &[i32]) {
    let left: Vec<_> = pids.iter().filter(|pid| is_running(**pid)).collect();
    assert!(left.is_empty(), "{left:?} of {pids:?} still run");
}

#[tokio::test]
async fn a_holder_is_ended_with_all_that_is_below_it() {
    let scene = Scene::new(FAMILY);
    let pids = family(&scene).await;
    let ended = end(scene.dir()).await.unwrap();
    assert_gone(&pids);
    assert!(!is_alive(scene.dir()));
    for pid in &pids {
        assert!(ended.iter().any(|one| one.pid == *pid), "{pid}: {ended:?}");
    }
    assert_eq!(end(scene.dir()).await.unwrap(), [], "nothing is left");
}

#[tokio::test]
async fn a_holder_that_stands_still_is_ended() {
    let scene = Scene::new(FAMILY);
    let pids = family(&scene).await;
    signal(*pids.last().unwrap(), Signal::STOP);
    end(scene.dir()).await.unwrap();
    assert_gone(&pids);
}

#[tokio::test]
async fn a_holder_without_its_lock_or_folder_is_ended() {
    for name in ["lock", "agent", "sock", ""] {
        let scene = Scene::new(FAMILY);
        let pids = family(&scene).await;
        match name {
            "" => fs::remove_dir_all(scene.dir()).unwrap(),
            name => fs::remove_file(scene.dir().join(name)).unwrap(),
        }
        end(scene.dir()).await.unwrap();
        assert_gone(&pids);
    }
}

#[tokio::test]
async fn a_holder_whose_folder_was_moved_is_found_by_its_lock() {
    let scene = Scene::new(FAMILY);
    let pids = family(&scene).await;
    let moved = scene.file("moved");
    fs::rename(scene.dir(), &moved).unwrap();
    end(&moved).await.unwrap();
    assert_gone(&pids);
}

#[tokio::test]
async fn a_holder_of_another_folder_is_left_alone() {
    let (one, other) = (Scene::new(FAMILY), Scene::new(FAMILY));
    let (first, second) = (family(&one).await, family(&other).await);
    end(one.dir()).await.unwrap();
    assert_gone(&first);
    assert!(second.iter().all(|pid| is_running(*pid)));
    end(other.dir()).await.unwrap();
}

#[tokio::test]
async fn the_marker_says_which_folders_are_in_use() {
    let scene = Scene::new(FAMILY);
    let parent = scene.scratch.path();
    assert!(marked_below(parent).await.is_empty());
    family(&scene).await;
    fs::remove_dir_all(scene.dir()).unwrap();
    assert_eq!(marked_below(parent).await, [scene.dir()]);
    end(scene.dir()).await.unwrap();
    assert!(marked_below(parent).await.is_empty());
}

#[tokio::test]
async fn a_holder_that_cannot_read_its_journal_says_so_instead_of_another_owner() {
    let scene = Scene::new("echo one; read line; echo two; sleep 1026");
    let (reader, mut writer) = scene.begin().await;
    writer.line(b"go").await.unwrap();
    let journal = scene.dir().join(format!("{:020}.journal", 0));
    let written = || fs::read(&journal).unwrap().ends_with(b"two\n");
    until("the output", written).await;
    drop((reader, writer));
    fs::File::options()
        .write(true)
        .truncate(true)
        .open(&journal)
        .unwrap();
    let (mut reader, _writer) = scene.attach(Position(0)).await;
    let error = within("the end of reading", reader.next())
        .await
        .unwrap_err();
    assert!(matches!(error, ReadError::Withheld { .. }), "{error:?}");
    end(scene.dir()).await.unwrap();
}

#[tokio::test]
async fn a_probe_replaces_nobody() {
    let scene = Scene::new("read line; echo $line; sleep 1027");
    let (mut reader, mut writer) = scene.begin().await;
    next(&mut reader).await;
    assert!(answers(scene.dir()).await);
    writer.line(b"still here").await.unwrap();
    next(&mut reader).await;
    end(scene.dir()).await.unwrap();
}
