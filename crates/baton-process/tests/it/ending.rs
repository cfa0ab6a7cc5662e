//! How agents end, and what they leave behind.

use std::time::Duration;

use baton_process::Exit;
use baton_process::holder::{Position, RequestMarks, Tie};
use rustix::process::{Pid, Signal, kill_process};

use crate::harness::{Scene, Taken, children_of, is_running, leaked, lines_of, take_all, until};

const SHORT: Duration = Duration::from_millis(50);

/// Enough for a shell to begin and to say something on a busy machine.
const LONG: Duration = Duration::from_secs(2);

fn kill(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

async fn exit_of(text: &str) -> Exit {
    let scene = Scene::new(text);
    let (mut reader, _writer) = scene.begin().await;
    take_all(&mut reader).await.report().exit
}

#[tokio::test]
async fn exit_codes_and_signals_are_values() {
    assert_eq!(exit_of("exit 0").await, Exit::Exited { code: 0 });
    assert_eq!(exit_of("exit 255").await, Exit::Exited { code: 255 });
    assert_eq!(exit_of("kill -9 $$").await, Exit::Signalled { signal: 9 });
    let wanted = Exit::Signalled { signal: 11 };
    assert_eq!(exit_of("kill -SEGV $$").await, wanted);
}

#[tokio::test]
async fn closed_pipes_are_not_taken_for_an_exit() {
    let scene = Scene::new("exec >&- 2>&-; read line; exit 7");
    let (mut reader, mut writer) = scene.begin().await;
    writer.line(b"go").await.unwrap();
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.report().exit, Exit::Exited { code: 7 });
}

#[tokio::test]
async fn a_stop_first_lets_the_agent_end_by_itself() {
    let scene = Scene::new("cat >/dev/null; echo bye; exit 4");
    let (mut reader, mut writer) = scene.begin().await;
    writer.stop(Duration::from_secs(30)).await;
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.text(), "bye\n");
    assert_eq!(taken.report().exit, Exit::Exited { code: 4 });
}

#[tokio::test]
async fn a_stop_then_terminates() {
    let scene = Scene::new("trap 'echo told; exit 5' TERM; echo up; while :; do sleep 0.01; done");
    let (mut reader, mut writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "up\n")
        .await;
    writer.stop(LONG).await;
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
    assert_eq!(taken.text(), "up\ntold\n");
    assert_eq!(taken.report().exit, Exit::Exited { code: 5 });
}

#[tokio::test]
async fn an_agent_that_ignores_everything_is_killed() {
    let scene = Scene::new("trap '' TERM INT HUP; echo up; while :; do sleep 1; done");
    let (mut reader, mut writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "up\n")
        .await;
    writer.stop(SHORT).await;
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
    assert_eq!(taken.report().exit, Exit::Signalled { signal: 9 });
}

#[tokio::test]
async fn a_second_stop_hurries_the_first() {
    let scene = Scene::new("exec sleep 1000");
    let (mut reader, mut writer) = scene.begin().await;
    writer.stop(Duration::from_secs(1000)).await;
    writer.stop(Duration::ZERO).await;
    let wanted = Exit::Signalled { signal: 15 };
    assert_eq!(take_all(&mut reader).await.report().exit, wanted);
}

#[tokio::test]
async fn a_signal_reaches_the_agent() {
    let scene = Scene::new("trap 'echo interrupted; exit 6' INT; echo up; read line");
    let (mut reader, mut writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "up\n")
        .await;
    writer.signal(2).await;
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
    assert_eq!(taken.text(), "up\ninterrupted\n");
    assert_eq!(taken.report().exit, Exit::Exited { code: 6 });
}

#[tokio::test]
async fn a_terminated_holder_stops_its_agent_and_records_the_end() {
    let scene = Scene::new("exec sleep 1000").limits(|limits| limits.stop_grace = SHORT);
    let holder = scene.start().await.pid;
    kill(i32::try_from(holder).unwrap(), Signal::TERM);
    let (mut reader, _writer) = scene.attach(Position(0)).await;
    let wanted = Exit::Signalled { signal: 15 };
    assert_eq!(take_all(&mut reader).await.report().exit, wanted);
}

#[tokio::test]
async fn grandchildren_in_sessions_of_their_own_are_swept_and_reported() {
    let scene = Scene::new(
        "setsid sleep 1001 >/dev/null 2>&1 & first=$!; echo $first
         (setsid bash -c 'sleep 1002 & echo $!; touch told; exec sleep 1003 >/dev/null 2>&1' &
          echo $!) 2>/dev/null
         exec 2>/dev/null
         until [ -e told ] && grep -q ^sleep /proc/$first/cmdline; do sleep 0.01; done
         kill -9 $$",
    );
    let (mut reader, _writer) = scene.begin().await;
    let taken = take_all(&mut reader).await;
    let report = taken.report();
    assert_eq!(report.exit, Exit::Signalled { signal: 9 });
    let mut pids: Vec<i32> = taken
        .text()
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    let mut leaked = leaked(report);
    pids.sort_unstable();
    leaked.sort_unstable();
    assert_eq!(leaked, pids);
    let commands: Vec<&str> = report
        .leaked
        .iter()
        .map(|process| process.command.as_str())
        .collect();
    assert!(commands.contains(&"sleep 1001"), "{commands:?}");
    assert!(!pids.iter().any(|&pid| is_running(pid)));
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_does_not_delay_the_end_for_long() {
    let scene = Scene::new("setsid sleep 1004 & echo $!; exit 2");
    let (mut reader, _writer) = scene.begin().await;
    let taken = take_all(&mut reader).await;
    let pid: i32 = taken.text().trim().parse().unwrap();
    let report = taken.report();
    assert_eq!(report.exit, Exit::Exited { code: 2 });
    assert!(!report.output_closed);
    assert_eq!(leaked(report), [pid]);
    assert!(!is_running(pid));
}

#[tokio::test]
async fn what_a_short_lived_grandchild_still_writes_is_heard() {
    let scene = Scene::new("(sleep 0.1; echo late) & exit 0")
        .limits(|limits| limits.drain = Duration::from_secs(30));
    let (mut reader, _writer) = scene.begin().await;
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.text(), "late\n");
    assert!(taken.report().output_closed && taken.report().leaked.is_empty());
}

#[tokio::test]
async fn adopted_orphans_are_reaped_while_the_agent_lives() {
    let scene = Scene::new(
        "for i in 1 2 3 4 5 6 7 8; do (bash -c 'echo $$; exec sleep 0.05' &); done
         read line; exit 9",
    );
    let (mut reader, mut writer) = scene.begin().await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text().lines().count() == 8)
        .await;
    let (holder, agent) = (writer.holder_pid().unwrap(), writer.agent_pid().unwrap());
    until("the orphans to be reaped", || {
        children_of(holder).iter().all(|child| child.pid == agent)
    })
    .await;
    writer.line(b"go").await.unwrap();
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
    assert_eq!(taken.report().exit, Exit::Exited { code: 9 });
}

#[tokio::test]
async fn with_its_owner_an_agent_ends_when_the_connection_closes() {
    let mut scene = Scene::new("cat >/dev/null; echo bye");
    scene.spec.tie = Tie::Owner;
    let (reader, writer) = scene.begin().await;
    drop((reader, writer));
    until("the end", || !scene.dir().join("sock").exists()).await;
    let (mut reader, _writer) = scene.attach(Position(0)).await;
    assert_eq!(take_all(&mut reader).await.text(), "bye\n");
}

#[tokio::test]
async fn with_its_owner_an_agent_ends_when_nobody_comes() {
    let mut scene = Scene::new("cat >/dev/null; echo bye").limits(|limits| {
        limits.first_owner = SHORT;
    });
    scene.spec.tie = Tie::Owner;
    scene.start().await;
    until("the end", || !scene.dir().join("sock").exists()).await;
    let (mut reader, _writer) = scene.attach(Position(0)).await;
    assert_eq!(take_all(&mut reader).await.text(), "bye\n");
}

#[tokio::test]
async fn an_agent_that_was_freed_goes_on_without_its_owner() {
    let mut scene = Scene::new("read line; echo \"got $line\"; cat >/dev/null");
    scene.spec.tie = Tie::Owner;
    let (reader, writer) = scene.begin().await;
    // Whoever comes next replaces the first; that ends nothing.
    let (next, mut of_next) = scene.attach(Position(0)).await;
    drop(reader);
    of_next.free().await;
    drop((writer, next, of_next));
    let (mut reader, mut writer) = scene.attach(Position(0)).await;
    writer.line(b"this").await.unwrap();
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text() == "got this\n")
        .await;
}

#[tokio::test]
async fn an_unattended_silent_agent_loses_its_stdin() {
    let scene = Scene::new("cat >/dev/null; echo bye > end").limits(|limits| {
        limits.silence = SHORT;
    });
    let (reader, writer) = scene.begin().await;
    drop((reader, writer));
    assert_eq!(lines_of(&scene.file("end"), 1).await, ["bye"]);
}

#[tokio::test]
async fn an_open_request_keeps_an_unattended_agent_waiting() {
    let mut scene = Scene::new(
        "echo '{\"ask\":1}'; echo up > up; read line; echo \"$line\"; cat >/dev/null; echo eof",
    )
    .limits(|limits| limits.silence = LONG);
    scene.spec.marks = RequestMarks {
        opened_by_output: vec!["{\"ask\"".to_owned()],
        closed_by_output: Vec::new(),
        closed_by_input: vec!["{\"answer\"".to_owned()],
        ..RequestMarks::default()
    };
    scene.start().await;
    lines_of(&scene.file("up"), 1).await;
    // Another, silent for a shorter time and without a request, loses its
    // stdin meanwhile. It is given a little longer, and begins later.
    let other = Scene::new("cat >/dev/null; echo bye > end").limits(|limits| {
        limits.silence = LONG + SHORT;
    });
    other.start().await;
    lines_of(&other.file("end"), 1).await;
    let (mut reader, mut writer) = scene.attach(Position(0)).await;
    writer.line(b"{\"answer\":1}").await.unwrap();
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text().contains("answer"))
        .await;
    drop((reader, writer));
    let (mut reader, _writer) = {
        until("the end", || !scene.dir().join("sock").exists()).await;
        scene.attach(Position(0)).await
    };
    let wanted = "{\"ask\":1}\n{\"answer\":1}\neof\n";
    assert_eq!(take_all(&mut reader).await.text(), wanted);
}
