//! Deaths: of the owner, of the holder.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use baton_process::holder::{HolderEvent, Position, ReadError, attach};
use baton_process::{Child, ChildHandle, Exit, Spec};
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{HOLDER, Scene, Taken, is_running, lines_of, next, take_all, until, within};

fn kill(pid: i32) {
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
}

/// What owners wrote down, and the position after it. A piece that a kill tore
/// was never committed and is cut off.
fn read_taken(path: &Path) -> (Position, Vec<u8>) {
    let bytes = fs::read(path).unwrap_or_default();
    let (mut position, mut text, mut rest) = (Position(0), Vec::new(), &bytes[..]);
    while let Some((head, tail)) = rest.split_first_chunk::<16>() {
        let after = u64::from_le_bytes(head[..8].try_into().unwrap());
        let length = u64::from_le_bytes(head[8..].try_into().unwrap()) as usize;
        if tail.len() < length {
            break;
        }
        text.extend_from_slice(&tail[..length]);
        position = Position(after);
        rest = &tail[length..];
    }
    if !rest.is_empty() {
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.set_len((bytes.len() - rest.len()) as u64).unwrap();
    }
    (position, text)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// An owner that goes on where the one before it stopped.
fn own(scene: &Scene, taken: &Path) -> ChildHandle {
    let (position, _) = read_taken(taken);
    let spec = Spec {
        program: HOLDER.into(),
        args: vec![
            "own".into(),
            scene.dir().into(),
            position.0.to_string().into(),
            taken.into(),
        ],
        env: Vec::new(),
        cwd: scene.scratch.path().to_owned(),
    };
    Child::spawn(&spec).unwrap().handle
}

#[tokio::test]
async fn owners_killed_at_random_moments_take_every_byte_once_and_in_order() {
    // Awk writes in blocks, so lines begin and end anywhere in the records.
    let scene = Scene::new(
        "awk 'BEGIN { for (i = 0; i < 200000; i++) { s = s \"ab\"; if (i % 50 == 0) s = \"\";
              print i, s } }'",
    )
    .limits(|limits| limits.segment_bytes = 64 * 1024);
    scene.start().await;
    let taken = scene.file("taken");
    let mut cuts = BTreeSet::new();
    for round in 0_u64..40 {
        let mut owner = own(&scene, &taken);
        if cuts.len() < 4 {
            // However slow the machine, some are cut in the middle of their work.
            let before = length(&taken);
            let moved = || length(&taken) > before || !is_running(owner.pid());
            until("the owner takes something", moved).await;
        } else {
            // From its first moment on.
            tokio::time::sleep(Duration::from_micros(2000 + round * 7919 % 15_000)).await;
        }
        owner.signal(9);
        within("the owner's death", owner.wait()).await;
        cuts.insert(read_taken(&taken).0);
    }
    let mut last = own(&scene, &taken);
    let report = within("the last owner", last.wait()).await;
    let words = last.stderr_tail();
    assert_eq!(report.exit, Exit::Exited { code: 0 }, "{words:?}");
    assert!(cuts.len() > 2, "owners were cut only at {cuts:?}");
    let (_, text) = read_taken(&taken);
    let mut expected = String::new();
    let mut line = String::new();
    for number in 0..200_000 {
        line.push_str("ab");
        if number % 50 == 0 {
            line.clear();
        }
        expected.push_str(&format!("{number} {line}\n"));
    }
    assert!(
        text == expected.as_bytes(),
        "{} of {} bytes",
        text.len(),
        expected.len()
    );
}

#[tokio::test]
async fn the_agent_goes_on_without_its_owner() {
    let scene = Scene::new("read a; echo \"$a\"; sleep 0.1; echo more; exit 1");
    let (reader, mut writer) = scene.begin().await;
    writer.line(b"first").await.unwrap();
    drop((reader, writer));
    until("the end", || !scene.dir().join("sock").exists()).await;
    let (mut reader, writer) = scene.attach(Position(0)).await;
    assert_eq!(writer.holder_pid(), None);
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.text(), "first\nmore\n");
    assert_eq!(taken.report().exit, Exit::Exited { code: 1 });
    // It is the same for one who had it all and comes back.
    let (_, end) = taken.exit.clone().unwrap();
    let (mut reader, _writer) = scene.attach(end).await;
    assert_eq!(next(&mut reader).await, HolderEvent::CaughtUp { end });
    let HolderEvent::Exited { report, end: again } = next(&mut reader).await else {
        panic!()
    };
    assert_eq!((&report, again), (taken.report(), end));
}

const STUBBORN: &str = "trap '' PIPE HUP TERM
    (trap '' PIPE; exec setsid bash -c 'echo $$ >> pids; sleep 1005; sleep 1006') &
    until [ -s pids ]; do sleep 0.01; done
    echo one; echo $$ >> pids; sleep 1007; sleep 1008";

#[tokio::test]
async fn a_killed_holder_is_a_lost_agent_and_its_orphans_are_swept() {
    let scene = Scene::new(STUBBORN);
    let (mut reader, writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "one\n")
        .await;
    let pids = lines_of(&scene.file("pids"), 2).await;
    drop(reader);
    kill(writer.holder_pid().unwrap());

    let (mut reader, writer) = scene.attach(taken.position).await;
    assert_eq!(writer.holder_pid(), None);
    let end = taken.position;
    assert_eq!(next(&mut reader).await, HolderEvent::CaughtUp { end });
    let HolderEvent::Exited { report, .. } = next(&mut reader).await else {
        panic!()
    };
    assert_eq!((report.exit, report.output_closed), (Exit::Lost, false));
    let pids: Vec<i32> = pids.iter().map(|pid| pid.parse().unwrap()).collect();
    // The agent itself may be dead already: it goes with its holder.
    let listed = report.leaked.iter().any(|leaked| leaked.pid == pids[0]);
    assert!(listed, "{report:?}");
    for pid in pids {
        assert!(!is_running(pid));
    }
}

#[tokio::test]
async fn an_agent_dies_with_its_holder_though_nobody_looks() {
    let scene = Scene::new("trap '' PIPE HUP TERM; echo $$ >> pids; sleep 1010; sleep 1011");
    let (reader, writer) = scene.begin().await;
    let pids = lines_of(&scene.file("pids"), 1).await;
    drop(reader);
    kill(writer.holder_pid().unwrap());
    until("its end", || !is_running(pids[0].parse().unwrap())).await;
    // Its own children are left to the next owner.
    let (mut reader, _writer) = scene.attach(Position(0)).await;
    assert_eq!(take_all(&mut reader).await.report().exit, Exit::Lost);
}

#[tokio::test]
async fn an_orphan_without_a_mark_is_known_by_its_number_and_start() {
    // As one that is dying, it has no environment to be found by.
    let scene = Scene::new("echo $$ >> pids; exec env -i setpriv --pdeathsig clear sleep 1012");
    let (reader, writer) = scene.begin().await;
    let pids = lines_of(&scene.file("pids"), 1).await;
    let agent: i32 = pids[0].parse().unwrap();
    let is_sleep = || {
        let command = fs::read(format!("/proc/{agent}/cmdline")).unwrap_or_default();
        command.starts_with(b"sleep")
    };
    until("the last program", is_sleep).await;
    drop(reader);
    let holder = writer.holder_pid().unwrap();
    kill(holder);
    until("the holder's end", || !is_running(holder)).await;
    assert!(is_running(agent), "nothing told it");
    let (mut reader, _writer) = scene.attach(Position(0)).await;
    let report = take_all(&mut reader).await.report().clone();
    let listed: Vec<i32> = report.leaked.iter().map(|leaked| leaked.pid).collect();
    assert_eq!((report.exit, listed), (Exit::Lost, vec![agent]));
    assert!(!is_running(agent));
}

#[tokio::test]
async fn an_attached_owner_sees_its_holder_die_as_a_lost_agent() {
    let scene = Scene::new(STUBBORN);
    let (mut reader, writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "one\n")
        .await;
    lines_of(&scene.file("pids"), 2).await;
    kill(writer.holder_pid().unwrap());
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
    assert_eq!(taken.report().exit, Exit::Lost);
    assert_eq!(taken.text(), "one\n");
    assert!(taken.caught_up.is_some());
}

#[tokio::test]
async fn a_torn_tail_is_cut_off_and_never_an_error() {
    let scene = Scene::new("echo one; read x; echo two; sleep 1009");
    let (mut reader, mut writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "one\n")
        .await;
    let first = taken.position;
    writer.line(b"go").await.unwrap();
    taken
        .take(&mut reader, |taken| taken.text() == "one\ntwo\n")
        .await;
    drop(reader);
    kill(writer.holder_pid().unwrap());
    drop(writer);

    let segment = scene.dir().join("00000000000000000000.journal");
    let whole = fs::metadata(&segment).unwrap().len();
    for length in (first.0..whole).rev() {
        OpenOptions::new()
            .write(true)
            .open(&segment)
            .unwrap()
            .set_len(length)
            .unwrap();
        let (mut reader, _writer) = scene.attach(Position(0)).await;
        let again = take_all(&mut reader).await;
        assert_eq!((again.text(), again.report().exit), ("one\n", Exit::Lost));
        assert_eq!(again.exit.unwrap().1, first);
        // One who had more than is left loses nothing by it.
        let (mut reader, _writer) = scene.attach(taken.position).await;
        assert_eq!(take_all(&mut reader).await.exit.unwrap().1, taken.position);
    }
    OpenOptions::new()
        .append(true)
        .open(&segment)
        .unwrap()
        .write_all(&[0; 4096])
        .unwrap();
    let (mut reader, _writer) = scene.attach(Position(0)).await;
    assert_eq!(take_all(&mut reader).await.text(), "one\n");
}

#[tokio::test]
async fn a_holder_whose_folder_is_removed_leaves_nothing_running() {
    let scene = Scene::new(
        "setsid sleep 1018 >/dev/null 2>&1 & echo $! >> pids; echo $$ >> pids
         while read line; do echo \"$line\"; done",
    )
    .limits(|limits| limits.segment_bytes = 1);
    let (mut reader, mut writer) = scene.begin().await;
    let mut pids = lines_of(&scene.file("pids"), 2).await;
    pids.push(writer.holder_pid().unwrap().to_string());
    writer.line(b"before").await.unwrap();
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "before\n")
        .await;
    fs::remove_dir_all(scene.dir()).unwrap();
    writer.line(b"after").await.unwrap();
    for pid in pids {
        until("its end", || !is_running(pid.parse().unwrap())).await;
    }
    let error = within("the reader's end", reader.next()).await.unwrap_err();
    assert!(matches!(error, ReadError::Journal(_)), "{error}");
}

#[tokio::test]
async fn a_lagging_owner_of_an_ended_agent_gets_the_rest_from_disk() {
    let scene = Scene::new("head -c 3000000 /dev/zero | tr '\\0' y");
    let (mut reader, _writer) = scene.begin().await;
    // The socket holds far less, so most must come after the holder has gone.
    until("the end", || !scene.dir().join("sock").exists()).await;
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.stdout, vec![b'y'; 3_000_000]);
    assert_eq!(taken.report().exit, Exit::Exited { code: 0 });
    drop(attach(scene.dir(), Position(0)).await.unwrap());
}
