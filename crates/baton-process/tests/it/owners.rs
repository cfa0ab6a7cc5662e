//! Owners that come, go, are replaced or misbehave.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use baton_process::holder::{AttachError, HolderEvent, JournalError, Position, ReadError, attach};
use baton_process::{Exit, RunLimits, run_to_end};
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Scene, Taken, next, script, take_all, until, within};

#[tokio::test]
async fn a_new_owner_replaces_the_old_one_which_is_told() {
    let scene = Scene::new("echo one; cat");
    let (mut first, mut first_writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut first, |taken| taken.text() == "one\n")
        .await;
    let (mut second, mut writer) = scene.attach(Position(0)).await;
    let error = within("the end of the first", async {
        loop {
            if let Err(error) = first.next().await {
                break error;
            }
        }
    })
    .await;
    assert!(matches!(error, ReadError::Replaced), "{error}");
    first_writer.line(b"from the past").await.unwrap();
    writer.line(b"two").await.unwrap();
    writer.close_stdin().await;
    assert_eq!(take_all(&mut second).await.text(), "one\ntwo\n");
}

#[tokio::test]
async fn an_owner_with_an_unknown_version_is_refused_and_changes_nothing() {
    let scene = Scene::new("cat");
    let (mut reader, mut writer) = scene.begin().await;
    let mut stranger = UnixStream::connect(scene.dir().join("sock")).unwrap();
    let mut hello = b"BTNH".to_vec();
    hello.extend_from_slice(&99_u32.to_le_bytes());
    hello.extend_from_slice(&0_u64.to_le_bytes());
    stranger.write_all(&hello).unwrap();
    let answer = tokio::task::spawn_blocking(move || {
        let mut answer = Vec::new();
        stranger.read_to_end(&mut answer).unwrap();
        answer
    });
    let answer = within("the refusal", answer).await.unwrap();
    assert_eq!(answer.len(), 48);
    assert_eq!(answer[..12], *b"BTNH\x01\0\0\0\x01\0\0\0");
    writer.line(b"still here").await.unwrap();
    writer.close_stdin().await;
    assert_eq!(take_all(&mut reader).await.text(), "still here\n");
}

#[tokio::test]
async fn half_a_line_never_reaches_the_agent() {
    let scene = Scene::new("cat");
    scene.start().await;
    let mut stranger = UnixStream::connect(scene.dir().join("sock")).unwrap();
    let mut bytes = b"BTNH".to_vec();
    bytes.extend_from_slice(&1_u32.to_le_bytes());
    bytes.extend_from_slice(&0_u64.to_le_bytes());
    stranger.write_all(&bytes).unwrap();
    stranger.read_exact(&mut [0; 48]).unwrap();
    bytes.clear();
    for (length, text) in [(5_u32, "whole"), (100, "only half of a li")] {
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&[1, 0, 0, 0]);
        bytes.extend_from_slice(text.as_bytes());
    }
    stranger.write_all(&bytes).unwrap();
    drop(stranger);
    let mut taken = Taken::default();
    let (mut reader, mut writer) = scene.attach(Position(0)).await;
    taken
        .take(&mut reader, |taken| taken.text() == "whole\n")
        .await;
    writer.line(b"after").await.unwrap();
    writer.close_stdin().await;
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
    assert_eq!(taken.text(), "whole\nafter\n");
}

#[tokio::test]
async fn what_a_replaced_owner_had_sent_still_counts() {
    let scene = Scene::new("cat");
    let (_reader, mut writer) = scene.begin().await;
    let holder = Pid::from_raw(writer.holder_pid().unwrap()).unwrap();
    kill_process(holder, Signal::STOP).unwrap();
    // More than the holder takes of one owner in a row, and no more than a
    // socket holds.
    for number in 0..150 {
        writer.line(format!("{number}").as_bytes()).await.unwrap();
    }
    let mut successor = UnixStream::connect(scene.dir().join("sock")).unwrap();
    let mut hello = b"BTNH".to_vec();
    hello.extend_from_slice(&1_u32.to_le_bytes());
    hello.extend_from_slice(&0_u64.to_le_bytes());
    successor.write_all(&hello).unwrap();
    kill_process(holder, Signal::CONT).unwrap();
    let mut welcome = [0; 48];
    successor.read_exact(&mut welcome).unwrap();

    let (mut reader, mut writer) = scene.attach(Position(0)).await;
    writer.close_stdin().await;
    let expected: String = (0..150).map(|number| format!("{number}\n")).collect();
    assert_eq!(take_all(&mut reader).await.text(), expected);
}

#[tokio::test]
async fn a_connection_that_says_nothing_keeps_nobody_out() {
    let scene = Scene::new("cat");
    scene.start().await;
    let _silent = UnixStream::connect(scene.dir().join("sock")).unwrap();
    let (mut reader, mut writer) = scene.attach(Position(0)).await;
    writer.close_stdin().await;
    let wanted = Exit::Exited { code: 0 };
    assert_eq!(take_all(&mut reader).await.report().exit, wanted);
}

#[tokio::test]
async fn a_dropped_call_of_the_reader_loses_nothing() {
    let scene = Scene::new("for i in $(seq 300); do echo $i; done");
    let (mut reader, _writer) = scene.begin().await;
    let mut taken = Taken::default();
    within("the end", async {
        while taken.exit.is_none() {
            let event = tokio::time::timeout(Duration::from_micros(50), reader.next()).await;
            if let Ok(event) = event {
                taken.add(event.unwrap());
            }
        }
    })
    .await;
    let expected: String = (1..=300).map(|number| format!("{number}\n")).collect();
    assert_eq!(taken.text(), expected);
}

#[tokio::test]
async fn a_dropped_call_of_the_writer_does_not_cut_a_line() {
    let scene = Scene::new("read go < pipe; tr -d x | tr '\\n' ,");
    let make = script("mkfifo pipe", scene.scratch.path());
    run_to_end(&make, RunLimits::default()).await.unwrap();
    let (mut reader, mut writer) = scene.begin().await;
    // More than pipe, queue and sockets hold together, so that some call must
    // wait.
    let mut line = vec![b'x'; 30 << 20];
    let mut dropped = 0;
    for number in 0..4 {
        line.truncate(30 << 20);
        line.extend_from_slice(format!("{number}").as_bytes());
        let call = writer.line(&line);
        if tokio::time::timeout(Duration::from_millis(200), call)
            .await
            .is_err()
        {
            dropped += 1;
            break;
        }
    }
    assert_eq!(dropped, 1);
    std::fs::write(scene.file("pipe"), "go\n").unwrap();
    within("the rest", writer.line(b"last")).await.unwrap();
    writer.close_stdin().await;
    let taken = take_all(&mut reader).await;
    assert!(taken.text().ends_with(",last,"), "{}", taken.text());
    assert!(
        "0,1,2,3,".starts_with(taken.text().trim_end_matches("last,")),
        "{}",
        taken.text()
    );
}

#[tokio::test]
async fn an_owner_may_come_at_any_position() {
    let scene = Scene::new("for i in $(seq 2000); do echo line $i; done; read line")
        .limits(|limits| limits.segment_bytes = 4096);
    let (mut reader, mut writer) = scene.begin().await;
    let mut all = Vec::new();
    let mut end = Position(0);
    let expected: String = (1..=2000)
        .map(|number| format!("line {number}\n"))
        .collect();
    while all.len() < expected.len() {
        if let HolderEvent::Output { start, bytes } = next(&mut reader).await {
            all.extend(
                bytes
                    .iter()
                    .enumerate()
                    .map(|(at, byte)| (start + at, *byte)),
            );
            end = start + bytes.len();
        }
    }
    assert!(all.iter().map(|(_, byte)| *byte).eq(expected.bytes()));
    for step in 0..=60 {
        let from = Position(end.0 * step / 60);
        (reader, writer) = scene.attach(from).await;
        let rest: Vec<u8> = all
            .iter()
            .filter(|(at, _)| *at >= from)
            .map(|(_, byte)| *byte)
            .collect();
        let mut taken = Taken::default();
        taken
            .take(&mut reader, |taken| taken.caught_up.is_some())
            .await;
        assert_eq!(taken.stdout, rest, "from {from:?}");
        assert_eq!(taken.caught_up, Some(end));
    }
    writer.line(b"go").await.unwrap();
    take_all_quietly(&mut reader).await;
    // The same from disk.
    for step in 0..=60 {
        let from = Position(end.0 * step / 60);
        let (mut reader, _writer) = scene.attach(from).await;
        let rest: Vec<u8> = all
            .iter()
            .filter(|(at, _)| *at >= from)
            .map(|(_, byte)| *byte)
            .collect();
        assert_eq!(take_all(&mut reader).await.stdout, rest, "from {from:?}");
    }
}

async fn take_all_quietly(reader: &mut baton_process::holder::HolderReader) {
    while !matches!(next(reader).await, HolderEvent::Exited { .. }) {}
}

#[tokio::test]
async fn positions_outside_the_journal_are_refused() {
    let scene = Scene::new("head -c 100000 /dev/zero; read line")
        .limits(|limits| limits.segment_bytes = 4096);
    let (mut reader, mut writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.stdout.len() == 100_000)
        .await;
    let far = taken.position + 1;
    let error = attach(scene.dir(), far).await.unwrap_err();
    assert!(
        matches!(error, AttachError::Beyond { end, .. } if end == taken.position),
        "{error}"
    );
    writer.commit(taken.position).await;
    let first = scene.dir().join("00000000000000000000.journal");
    until("the first segment to go", || !first.exists()).await;
    let error = attach(scene.dir(), Position(0)).await.unwrap_err();
    assert!(
        matches!(error, AttachError::Journal(JournalError::Gone { .. })),
        "{error}"
    );
    writer.close_stdin().await;
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
}
