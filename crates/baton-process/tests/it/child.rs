//! Direct children.

use std::time::Duration;

use baton_process::{Child, Exit, Line, SpawnError, StopPlan, WriteError};
use tempfile::TempDir;

use crate::harness::{is_running, leaked, lines_of, script, until, within};

const QUICK: StopPlan = StopPlan {
    close_stdin_grace: Duration::from_millis(50),
    term_grace: Duration::from_millis(50),
};

fn spawn(text: &str) -> (TempDir, Child) {
    let scratch = TempDir::new().unwrap();
    let child = Child::spawn(&script(text, scratch.path())).unwrap();
    (scratch, child)
}

async fn lines(child: &mut Child) -> Vec<String> {
    let mut lines = Vec::new();
    within("the end of the output", async {
        while let Some(line) = child.reader.next().await {
            lines.push(match line {
                Line::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
                Line::TooLong { bytes, .. } => format!("{bytes} bytes"),
                Line::Unfinished(line) => format!("{}...", String::from_utf8_lossy(line)),
            });
        }
    })
    .await;
    lines
}

#[tokio::test]
async fn a_child_is_spoken_to_in_lines_and_its_end_is_told() {
    let (_scratch, mut child) =
        spawn("read a; read b; echo \"$b $a\"; echo err >&2; printf half; exit 3");
    child.writer.line(b"one").await.unwrap();
    child.writer.line(b"two").await.unwrap();
    assert_eq!(lines(&mut child).await, ["two one", "half..."]);
    let report = within("the end", child.handle.wait()).await;
    assert_eq!(report.exit, Exit::Exited { code: 3 });
    assert!(report.output_closed);
    assert_eq!(report.leaked, []);
    assert_eq!(child.handle.stderr_tail(), b"err\n");
    assert_eq!(within("the end again", child.handle.wait()).await, report);
    assert_eq!(child.writer.line(b"late").await, Err(WriteError::Closed));
}

#[tokio::test]
async fn output_that_is_read_late_is_all_there() {
    let (_scratch, mut child) = spawn("for i in 1 2 3; do echo $i; done; kill -9 $$");
    let report = within("the end", child.handle.wait()).await;
    assert_eq!(report.exit, Exit::Signalled { signal: 9 });
    assert!(report.output_closed);
    assert_eq!(lines(&mut child).await, ["1", "2", "3"]);
}

#[tokio::test]
async fn dropping_the_writer_closes_stdin_after_the_last_line() {
    let (_scratch, child) = spawn("cat; echo eof");
    let (reader, writer, handle) = child.split();
    writer.line(b"last").await.unwrap();
    drop(writer);
    let (_keep, placeholder) = spawn("true");
    let mut child = Child {
        reader,
        writer: placeholder.writer,
        handle,
    };
    assert_eq!(lines(&mut child).await, ["last", "eof"]);
}

#[tokio::test]
async fn only_the_newest_of_standard_error_is_kept() {
    let (_scratch, mut child) =
        spawn("head -c 200000 /dev/zero | tr '\\0' a >&2; printf '%70000s' end >&2");
    within("the end", child.handle.wait()).await;
    let wanted = format!(" {:>65535}", "end");
    assert_eq!(child.handle.stderr_tail(), wanted.as_bytes());
}

#[tokio::test]
async fn a_stop_lets_a_willing_child_end_by_itself() {
    let (_scratch, mut child) = spawn("cat; echo bye; exit 4");
    let plan = StopPlan {
        close_stdin_grace: Duration::from_secs(60),
        ..QUICK
    };
    let report = within("the stop", child.handle.stop(plan)).await;
    assert_eq!(report.exit, Exit::Exited { code: 4 });
    assert_eq!(lines(&mut child).await, ["bye"]);
}

#[tokio::test]
async fn a_child_that_ignores_everything_is_killed() {
    let (_scratch, mut child) = spawn("trap '' TERM; echo up; while :; do sleep 1; done");
    let wanted = Some(Line::Whole(b"up"));
    assert_eq!(within("a line", child.reader.next()).await, wanted);
    let report = within("the stop", child.handle.stop(QUICK)).await;
    assert_eq!(report.exit, Exit::Signalled { signal: 9 });
}

#[tokio::test]
async fn a_stop_sweeps_descendants_that_left_the_group() {
    let (scratch, mut child) =
        spawn("setsid bash -c 'echo $$ > pid; exec sleep 1014 >/dev/null 2>&1' & exec sleep 1015");
    let pid = lines_of(&scratch.path().join("pid"), 1).await[0]
        .parse()
        .unwrap();
    let report = within("the stop", child.handle.stop(QUICK)).await;
    assert_eq!(report.exit, Exit::Signalled { signal: 15 });
    assert_eq!(leaked(&report), [pid]);
    assert!(!is_running(pid));
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_is_found_and_swept() {
    let (_scratch, mut child) = spawn("setsid sleep 1016 & echo $!; exit 2");
    let report = within("the end", child.handle.wait()).await;
    assert_eq!(report.exit, Exit::Exited { code: 2 });
    assert!(!report.output_closed);
    let pid: i32 = lines(&mut child).await[0].parse().unwrap();
    assert_eq!(leaked(&report), [pid]);
    assert!(!is_running(pid));
}

#[tokio::test]
async fn a_dropped_handle_kills_the_group() {
    let (scratch, child) = spawn("sleep 1017 & echo $! > pid; echo $$ >> pid; wait");
    let pids = lines_of(&scratch.path().join("pid"), 2).await;
    drop(child);
    for pid in pids {
        until("its death", || !is_running(pid.parse().unwrap())).await;
    }
}

#[tokio::test]
async fn a_child_that_cannot_be_started_is_a_value() {
    let mut spec = script("", std::path::Path::new("/"));
    spec.program = "/no/such/program".into();
    assert!(matches!(
        Child::spawn(&spec),
        Err(SpawnError::NoProgram { .. })
    ));
    let spec = script("", std::path::Path::new("/no/such/folder"));
    assert!(matches!(
        Child::spawn(&spec),
        Err(SpawnError::NoDirectory { .. })
    ));
}
