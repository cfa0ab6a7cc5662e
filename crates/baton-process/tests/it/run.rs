//! Tools run to their end.

use std::time::Duration;

use baton_process::{Exit, RunError, RunLimits, RunOutput, SpawnError, run_to_end};
use tempfile::TempDir;

use crate::harness::{is_running, lines_of, script, until, within};

async fn run(text: &str, limits: RunLimits) -> (TempDir, Result<RunOutput, RunError>) {
    let scratch = TempDir::new().unwrap();
    let result = within("the run", run_to_end(&script(text, scratch.path()), limits)).await;
    (scratch, result)
}

#[tokio::test]
async fn a_tool_gives_its_output_and_exit() {
    let text = "cat; echo out; echo err >&2; pwd >/dev/null; exit 3";
    let (_scratch, result) = run(text, RunLimits::default()).await;
    let expected = RunOutput {
        exit: Exit::Exited { code: 3 },
        stdout: b"out\n".to_vec(),
        stderr: b"err\n".to_vec(),
        truncated: false,
    };
    assert_eq!(result.unwrap(), expected);
}

#[tokio::test]
async fn output_beyond_the_limit_is_dropped_and_said_so() {
    let limits = RunLimits {
        output_bytes: 1000,
        ..RunLimits::default()
    };
    let (_scratch, result) = run("head -c 1000000 /dev/zero", limits).await;
    let output = result.unwrap();
    assert_eq!((output.stdout.len(), output.truncated), (1000, true));
    assert_eq!(output.exit, Exit::Exited { code: 0 });
}

#[tokio::test]
async fn a_tool_that_takes_too_long_is_killed_with_its_group() {
    let limits = RunLimits {
        // The shell has begun by then, on a busy machine too.
        time: Duration::from_secs(2),
        ..RunLimits::default()
    };
    let (scratch, result) = run("sleep 1012 & echo $! > pid; echo $$ >> pid; wait", limits).await;
    assert!(
        matches!(result, Err(RunError::TimedOut { .. })),
        "{result:?}"
    );
    for pid in lines_of(&scratch.path().join("pid"), 2).await {
        until("its death", || !is_running(pid.parse().unwrap())).await;
    }
}

#[tokio::test]
async fn a_background_child_does_not_hold_up_the_result() {
    let (scratch, result) = run(
        "sleep 1013 & echo $! > pid; echo done",
        RunLimits::default(),
    )
    .await;
    let output = result.unwrap();
    assert_eq!(output.stdout.as_slice(), &b"done\n"[..]);
    assert!(output.truncated);
    let pid = lines_of(&scratch.path().join("pid"), 1).await[0]
        .parse()
        .unwrap();
    until("its death", || !is_running(pid)).await;
}

#[tokio::test]
async fn a_missing_tool_is_a_value() {
    let mut spec = script("", std::path::Path::new("/"));
    spec.program = "no-such-tool".into();
    let error = run_to_end(&spec, RunLimits::default()).await.unwrap_err();
    assert!(
        matches!(error, RunError::Spawn(SpawnError::NoProgram { .. })),
        "{error}"
    );
}
