//! Bounds: long lines, full queues, a full journal, a disk that refuses.

use std::fs;
use std::path::Path;
use std::time::Duration;

use baton_process::holder::{HolderEvent, Position};
use baton_process::{Exit, Line, LineSplitter, MAX_LINE};

use crate::harness::{Scene, Taken, is_running, lines_of, next, process, take_all, until, within};

/// A holder's resident memory, in KiB, shared pages and all.
fn resident(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_ascii_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}

fn journal_bytes(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).unwrap().flatten();
    let journal = entries.filter(|entry| entry.path().extension().is_some_and(|e| e == "journal"));
    journal
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum()
}

#[tokio::test]
async fn a_line_of_the_greatest_length_comes_whole_and_a_longer_one_is_skipped() {
    let scene = Scene::new(
        "head -c 100663296 /dev/zero | tr '\\0' x; echo; echo between
         head -c 100663297 /dev/zero | tr '\\0' y; echo; echo after",
    );
    let (mut reader, mut writer) = scene.begin().await;
    let mut splitter = LineSplitter::default();
    let mut seen = Vec::new();
    loop {
        match next(&mut reader).await {
            HolderEvent::Output { start, bytes } => {
                let mut at = 0;
                while let Some(split) = splitter.next(&bytes[at..]) {
                    at += split.consumed;
                    seen.push(match split.line {
                        Line::Whole(line) if line.len() < 100 => {
                            String::from_utf8(line.to_vec()).unwrap()
                        }
                        Line::Whole(line) => format!("{} times {}", line.len(), line[0]),
                        Line::TooLong { bytes, head } => format!("{bytes} over, {}", head[0]),
                        Line::Unfinished(_) => panic!("every line ends"),
                    });
                }
                writer.commit(start + bytes.len()).await;
            }
            HolderEvent::Exited { .. } => break,
            HolderEvent::Stderr { .. } | HolderEvent::CaughtUp { .. } => {}
        }
    }
    assert_eq!(
        seen,
        [
            "100663296 times 120",
            "between",
            "100663297 over, 121",
            "after"
        ]
    );
}

#[tokio::test]
async fn a_huge_line_reaches_the_agent_and_its_memory_is_given_back() {
    let scene = Scene::new("head -c 100663297 | wc -c; cat");
    let (mut reader, mut writer) = scene.begin().await;
    let holder = writer.holder_pid().unwrap();
    let before = resident(holder);
    within("the line", writer.line(&vec![b'x'; MAX_LINE]))
        .await
        .unwrap();
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "100663297\n")
        .await;
    // Sizes that make an allocator keep what it once had.
    for size in [
        200_000, 300_000, 20_000_000, 20_000_000, 3_000_000, 3_000_000,
    ] {
        let line = vec![b'z'; size];
        let wanted = taken.stdout.len() + size + 1;
        writer.line(&line).await.unwrap();
        taken
            .take(&mut reader, |taken| taken.stdout.len() == wanted)
            .await;
    }
    let after = resident(holder);
    assert!(after < before + 2048, "{before} KiB became {after} KiB");
    writer.close_stdin().await;
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
}

#[tokio::test]
async fn an_agent_that_does_not_read_can_still_be_stopped() {
    let scene = Scene::new("exec sleep 1010").limits(|limits| {
        limits.stop_grace = Duration::from_millis(50);
    });
    let (mut reader, mut writer) = scene.begin().await;
    let line = vec![b'x'; MAX_LINE];
    within("the first line", writer.line(&line)).await.unwrap();
    writer.stop(Duration::from_millis(50)).await;
    let wanted = Exit::Signalled { signal: 15 };
    assert_eq!(take_all(&mut reader).await.report().exit, wanted);
}

#[tokio::test]
async fn a_holder_whose_queue_is_full_still_hears_a_stop() {
    let scene = Scene::new("exec sleep 1011").limits(|limits| {
        limits.stop_grace = Duration::from_millis(50);
    });
    let (mut reader, mut writer) = scene.begin().await;
    let line = vec![b'x'; MAX_LINE];
    within("the first line", writer.line(&line)).await.unwrap();
    let second = tokio::time::timeout(Duration::from_millis(300), writer.line(&line)).await;
    assert!(second.is_err(), "the queue took twice the greatest line");
    within("the stop", writer.stop(Duration::from_secs(1000))).await;
    let wanted = Exit::Signalled { signal: 15 };
    assert_eq!(take_all(&mut reader).await.report().exit, wanted);
}

#[tokio::test]
async fn an_untaken_journal_stops_the_agent_until_it_is_taken() {
    let scene =
        Scene::new("head -c 5000000 /dev/zero | tr '\\0' z; echo end > end").limits(|limits| {
            limits.untaken_bytes = 300_000;
            limits.segment_bytes = 65_536;
        });
    scene.start().await;
    until("the journal to fill", || {
        journal_bytes(scene.dir()) >= 300_000
    })
    .await;
    let (mut reader, mut writer) = scene.attach(Position(0)).await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.stdout.len() > 250_000)
        .await;
    assert!(is_running(writer.agent_pid().unwrap()));
    assert!(!scene.file("end").exists());
    let mut most = 0;
    while taken.exit.is_none() {
        taken.add(next(&mut reader).await);
        most = most.max(journal_bytes(scene.dir()));
        writer.commit(taken.position).await;
    }
    assert_eq!(taken.stdout, vec![b'z'; 5_000_000]);
    assert_eq!(lines_of(&scene.file("end"), 1).await, ["end"]);
    // The cap, the record that passed it, and a segment that one record more
    // than filled.
    assert!(most <= 300_000 + 3 * 65_536, "{most} bytes were kept");
}

#[tokio::test]
async fn what_a_blocked_agent_left_in_its_pipe_is_not_lost() {
    let scene = Scene::new("echo $$; head -c 400000 /dev/zero | tr '\\0' z").limits(|limits| {
        limits.untaken_bytes = 100_000;
        limits.stop_grace = Duration::from_millis(20);
    });
    let (mut reader, mut writer) = scene.begin().await;
    until("the journal to fill", || {
        journal_bytes(scene.dir()) >= 100_000
    })
    .await;
    writer.stop(Duration::from_millis(20)).await;
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.report().exit, Exit::Signalled { signal: 15 });
    // The pipe holds 64 KiB beyond what had been read.
    assert!(
        taken.stdout.len() >= 100_000 + 50_000,
        "{}",
        taken.stdout.len()
    );
}

#[tokio::test]
async fn committed_segments_are_deleted_while_the_agent_runs() {
    let scene = Scene::new("head -c 1000000 /dev/zero | tr '\\0' z; read line; echo on; cat")
        .limits(|limits| limits.segment_bytes = 65_536);
    let (mut reader, mut writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.stdout.len() == 1_000_000)
        .await;
    assert!(journal_bytes(scene.dir()) > 1_000_000);
    writer.commit(taken.position).await;
    until("the segments to go", || {
        journal_bytes(scene.dir()) <= 2 * 65_536
    })
    .await;
    writer.line(b"go").await.unwrap();
    taken
        .take(&mut reader, |taken| taken.stdout.ends_with(b"on\n"))
        .await;
    writer.close_stdin().await;
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
}

#[tokio::test]
async fn a_disk_that_refuses_delays_output_and_loses_none() {
    let scene = Scene::new(
        "printf '%92s' first; read line; echo $line; echo said > said
         for i in $(seq 20000); do echo number $i; done; echo end > end",
    )
    .limits(|limits| limits.segment_bytes = 100);
    let (mut reader, mut writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.stdout.len() == 92)
        .await;
    assert_eq!(taken.position, Position(100));
    // The next segment would begin at 100, and cannot be made.
    let obstacle = scene.dir().join("00000000000000000100.journal");
    fs::create_dir(&obstacle).unwrap();
    writer.line(b"go").await.unwrap();
    lines_of(&scene.file("said"), 1).await;
    // A shell that only counts sleeps for nothing but a full pipe.
    let agent = writer.agent_pid().unwrap();
    until("the agent to wait", || process(agent).unwrap().asleep).await;
    assert!(!scene.file("end").exists());
    fs::remove_dir(&obstacle).unwrap();
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
    let mut expected = format!("{:>92}go\n", "first");
    expected.extend((1..=20_000).map(|number| format!("number {number}\n")));
    assert_eq!(taken.text(), expected);
}
