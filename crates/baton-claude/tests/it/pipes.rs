//! The driver over real pipes, against a CLI of a few lines of shell.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use baton_claude::*;
use baton_process::Exit;

use crate::scripted::within;

/// Answers `initialize`, echoes each message as a result, and ends at EOF.
const SCRIPT: &str = r#"#!/bin/sh
case "$*" in *--session-id=not-wanted*) echo "Error: bad session" >&2; exit 1;; esac
echo "arguments: $*" >&2
IFS= read -r line
id=${line#*\"request_id\":\"}; id=${id%%\"*}
echo "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$id\",\"response\":{\"pid\":$$}}}"
while IFS= read -r line; do
  text=${line#*\"content\":\"}; text=${text%%\"*}
  echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"$text in $PWD with $HOME\"}"
done
exit 3
"#;

fn options(folder: &Path) -> Options {
    let program = folder.join("claude");
    fs::write(&program, SCRIPT).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let env = [("PATH", "/usr/bin:/bin"), ("HOME", "/nowhere")];
    let env = env.map(|(name, value)| (name.into(), value.into()));
    Options::new(program, folder, env)
}

#[tokio::test]
async fn a_session_over_real_pipes_from_start_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path());
    let start = Claude::start(&options, Initialize::default(), (), Limits::default());
    let mut claude = within(start).await.unwrap();
    assert!(claude.ready().pid.is_some());
    for text in ["one", "two"] {
        claude.say(text).await.unwrap();
        let Some(Event::Message(Message::Result(result))) = within(claude.next()).await else {
            panic!()
        };
        let folder = folder.path().display();
        assert_eq!(
            result.result,
            Some(format!("{text} in {folder} with /nowhere"))
        );
    }
    let ended = within(claude.close()).await.unwrap();
    assert_eq!(ended.report.exit, Exit::Exited { code: 3 });
    assert!(
        ended
            .stderr_tail
            .starts_with("arguments: --output-format stream-json")
    );
}

#[tokio::test]
async fn a_cli_that_refuses_its_arguments_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path());
    fs::write(&options.program, SCRIPT.replace("not-wanted", "")).unwrap();
    options.session = Session::New {
        id: Some(uuid::Uuid::nil()),
    };
    let start = Claude::start(&options, Initialize::default(), (), Limits::default());
    let error = within(start).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the CLI ended at once: Error: bad session"
    );
}

#[tokio::test]
async fn a_cli_that_is_not_there_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(folder.path());
    options.program = folder.path().join("missing");
    let start = Claude::start(&options, Initialize::default(), (), Limits::default());
    let error = within(start).await.unwrap_err();
    assert!(matches!(error, StartError::Spawn(_)), "{error:?}");
}
