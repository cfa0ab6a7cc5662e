//! Output that goes straight to its owner.

use std::time::Duration;

use baton_process::Exit;
use baton_process::holder::{HolderReader, HolderWriter, Position, ReadError, Tie};
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Scene, Taken, is_running, lines_of, take_all, until, within};

async fn begin(scene: &mut Scene) -> (HolderReader, HolderWriter) {
    scene.spec.tie = Tie::OwnerAlone;
    let started = scene.start().await;
    let (reader, writer) = scene.attach(Position(0)).await;
    (reader.with_output(started.output.unwrap()), writer)
}

/// Bytes of all the journal's segments.
fn journaled(scene: &Scene) -> u64 {
    let entries = std::fs::read_dir(scene.dir()).unwrap().flatten();
    let segments = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with('0'));
    segments.map(|entry| entry.metadata().unwrap().len()).sum()
}

#[tokio::test]
async fn an_agent_without_a_second_owner_speaks_past_the_journal() {
    let mut scene = Scene::new("read line; echo \"got $line\"; read line; exit 3");
    let (mut reader, mut writer) = begin(&mut scene).await;
    writer.line(b"this").await.unwrap();
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "got this\n")
        .await;
    assert!(taken.caught_up.is_some());
    assert_eq!(journaled(&scene), 0);
    writer.line(b"end").await.unwrap();
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
    assert_eq!(taken.report().exit, Exit::Exited { code: 3 });
    assert!(taken.report().output_closed);
    assert!(matches!(reader.next().await, Err(ReadError::Ended)));
}

#[tokio::test]
async fn all_that_was_said_comes_before_the_end() {
    // More than a pipe holds, and the last of it right before the end.
    let text = "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); echo \"line $i of a quick agent that writes much\"; done; echo problem >&2";
    let mut scene = Scene::new(text);
    let (mut reader, _writer) = begin(&mut scene).await;
    let taken = take_all(&mut reader).await;
    let lines: Vec<&str> = taken.text().lines().collect();
    assert_eq!(lines.len(), 3000);
    assert_eq!(lines[2999], "line 3000 of a quick agent that writes much");
    assert_eq!(taken.stderr, b"problem\n");
    let (_, end) = taken.exit.unwrap();
    assert!(end >= taken.position);
}

#[tokio::test]
async fn an_agent_waits_for_an_owner_that_does_not_read() {
    let text = "echo begun > begun; head -c 1000000 /dev/zero; echo done > done";
    let mut scene = Scene::new(text);
    let (mut reader, writer) = begin(&mut scene).await;
    lines_of(&scene.file("begun"), 1).await;
    let agent = writer.agent_pid().unwrap();
    // Nobody reads, so only what a pipe holds can have been written.
    assert!(is_running(agent));
    assert!(!scene.file("done").exists());
    assert_eq!(take_all(&mut reader).await.stdout.len(), 1_000_000);
    assert!(scene.file("done").exists());
}

#[tokio::test]
async fn much_standard_error_does_not_stop_an_agent_whose_output_is_committed() {
    let text =
        "i=0; while [ $i -lt 50 ]; do i=$((i + 1)); head -c 20000 /dev/zero >&2; echo $i; done";
    let mut scene = Scene::new(text).limits(|limits| limits.segment_bytes = 10_000);
    let (mut reader, mut writer) = begin(&mut scene).await;
    let mut taken = Taken::default();
    while taken.exit.is_none() {
        let event = within("an event", reader.next()).await.unwrap();
        taken.add(event);
        // Beyond what the holder has sent, as bytes of both kinds are counted.
        let ahead = Position(taken.position.0 + 1_000_000);
        writer.commit(ahead).await;
    }
    assert_eq!(taken.stderr.len(), 1_000_000);
    assert_eq!(taken.text().lines().count(), 50);
}

#[tokio::test]
async fn a_killed_holder_takes_its_agent_along_and_what_it_said_is_given() {
    let mut scene = Scene::new("echo last words; echo up > up; while :; do sleep 1; done");
    let (mut reader, writer) = begin(&mut scene).await;
    lines_of(&scene.file("up"), 1).await;
    let agent = writer.agent_pid().unwrap();
    let holder = Pid::from_raw(writer.holder_pid().unwrap()).unwrap();
    kill_process(holder, Signal::KILL).unwrap();
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.text(), "last words\n");
    assert_eq!(taken.report().exit, Exit::Lost);
    until("the agent to be gone", || !is_running(agent)).await;
}

#[tokio::test]
async fn an_agent_that_speaks_to_its_owner_alone_ends_with_it() {
    let mut scene = Scene::new("echo hello; cat >/dev/null; echo bye > end");
    let (mut reader, writer) = begin(&mut scene).await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "hello\n")
        .await;
    drop((reader, writer));
    assert_eq!(lines_of(&scene.file("end"), 1).await, ["bye"]);
    until("the end", || !scene.dir().join("sock").exists()).await;
}

#[tokio::test]
async fn a_stopped_agent_still_says_its_last_words() {
    let mut scene = Scene::new("cat >/dev/null; echo bye; exit 4");
    let (mut reader, mut writer) = begin(&mut scene).await;
    writer.stop(Duration::from_secs(30)).await;
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.text(), "bye\n");
    assert_eq!(taken.report().exit, Exit::Exited { code: 4 });
}

#[tokio::test]
async fn an_agent_that_never_pauses_does_not_hide_its_errors() {
    let mut scene = Scene::new("yes & echo problem >&2; wait");
    let (mut reader, mut writer) = begin(&mut scene).await;
    let mut taken = Taken::default();
    while taken.stderr.is_empty() {
        taken.add(within("an event", reader.next()).await.unwrap());
        taken.stdout.clear();
    }
    assert_eq!(taken.stderr, b"problem\n");
    writer.stop(Duration::ZERO).await;
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
}

#[tokio::test]
async fn a_lost_folder_loses_nothing_that_was_said() {
    let mut scene = Scene::new("echo last words; echo up > up; while :; do sleep 1; done");
    let (mut reader, writer) = begin(&mut scene).await;
    lines_of(&scene.file("up"), 1).await;
    let agent = writer.agent_pid().unwrap();
    let holder = Pid::from_raw(writer.holder_pid().unwrap()).unwrap();
    kill_process(holder, Signal::KILL).unwrap();
    until("the agent to be gone", || !is_running(agent)).await;
    std::fs::remove_dir_all(scene.dir()).unwrap();
    let mut taken = Taken::default();
    let error = loop {
        match within("an event", reader.next()).await {
            Ok(event) => taken.add(event),
            Err(error) => break error,
        }
    };
    assert_eq!(taken.text(), "last words\n");
    assert!(!matches!(error, ReadError::Ended), "{error:?}");
}
