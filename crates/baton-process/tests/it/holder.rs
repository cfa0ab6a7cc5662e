//! The everyday life of a holder: starting, speaking, ending.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use baton_process::holder::{
    AttachError, HolderError, LineError, Position, attach, is_alive, remove,
};
use baton_process::{Exit, ExitReport, MAX_LINE, SpawnError};
use rustix::io::{FdFlags, fcntl_setfd};

use crate::harness::{Scene, Taken, process, take_all, within};

#[tokio::test]
async fn an_agent_is_spoken_to_and_heard_until_its_end() {
    let scene = Scene::new("read line; echo \"got $line\"; echo oops >&2; exit 3");
    let (mut reader, mut writer) = scene.begin().await;
    writer.line(b"hello").await.unwrap();
    let taken = take_all(&mut reader).await;
    assert_eq!(taken.text(), "got hello\n");
    assert_eq!(taken.stderr, b"oops\n");
    let expected = ExitReport {
        exit: Exit::Exited { code: 3 },
        leaked: Vec::new(),
        output_closed: true,
    };
    assert_eq!(*taken.report(), expected);
    assert!(!is_alive(scene.dir()));
    remove(scene.dir()).await.unwrap();
    assert!(!scene.dir().exists());
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_a_value_and_leaves_nothing() {
    let tool = |scene: &mut Scene, text: &str, mode| {
        let path = scene.file("tool");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        scene.spec.agent.program = path;
    };
    type Change = Box<dyn Fn(&mut Scene)>;
    type Expected = fn(&SpawnError) -> bool;
    let cases: [(Change, Expected); 6] = [
        (
            Box::new(|scene| scene.spec.agent.program = "/no/such/program".into()),
            |error| matches!(error, SpawnError::NoProgram { .. }),
        ),
        (
            Box::new(|scene| scene.spec.agent.program = "no-such-program".into()),
            |error| matches!(error, SpawnError::NoProgram { .. }),
        ),
        (
            Box::new(|scene| scene.spec.agent.cwd = "/no/such/folder".into()),
            |error| matches!(error, SpawnError::NoDirectory { .. }),
        ),
        (
            Box::new(move |scene| tool(scene, "#!/bin/sh\n", 0o644)),
            |error| matches!(error, SpawnError::NotExecutable { .. }),
        ),
        (
            Box::new(move |scene| tool(scene, "no program\n", 0o755)),
            |error| matches!(error, SpawnError::NotExecutable { .. }),
        ),
        (
            Box::new(move |scene| tool(scene, "#!/no/shell\n", 0o755)),
            |error| matches!(error, SpawnError::NoInterpreter { .. }),
        ),
    ];
    for (change, expected) in cases {
        let mut scene = Scene::new("true");
        change(&mut scene);
        match scene.try_start().await {
            Err(HolderError::Agent(error)) if expected(&error) => {}
            other => panic!("{:?} gave {other:?}", scene.spec.agent),
        }
        assert!(!scene.dir().exists());
    }
}

#[tokio::test]
async fn a_folder_in_use_is_refused_and_left_alone() {
    let scene = Scene::new("cat");
    scene.start().await;
    let error = scene.try_start().await.unwrap_err();
    assert!(matches!(error, HolderError::InUse { .. }), "{error}");
    assert!(is_alive(scene.dir()));
    let (mut reader, mut writer) = scene.attach(Position(0)).await;
    writer.close_stdin().await;
    take_all(&mut reader).await;
}

#[tokio::test]
async fn a_folder_without_a_holder_is_an_error() {
    let scene = Scene::new("true");
    let error = attach(scene.dir(), Position(0)).await.unwrap_err();
    assert!(matches!(error, AttachError::NoHolder { .. }), "{error}");
}

#[tokio::test]
async fn the_agent_gets_exactly_its_environment_and_directory() {
    let mut scene = Scene::new("");
    scene.spec.agent.program = "/usr/bin/env".into();
    scene.spec.agent.args = vec!["sh".into(), "-c".into(), "env; pwd".into()];
    let (mut reader, _writer) = scene.begin().await;
    let taken = take_all(&mut reader).await;
    let cwd = scene.scratch.path().canonicalize().unwrap();
    let mut lines: Vec<&str> = taken.text().lines().collect();
    lines.sort_unstable();
    let expected = [
        cwd.display().to_string(),
        format!("BATON_HOLDER={}", cwd.join("holder").display()),
        "PATH=/usr/bin:/bin".to_owned(),
        // The shell's own.
        format!("PWD={}", cwd.display()),
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn nothing_of_the_starter_is_kept_open_and_sessions_are_apart() {
    let scene = Scene::new("readlink /proc/$$/fd/*; echo end; read line");
    let leak = fs::File::create(scene.file("inherited")).unwrap();
    fcntl_setfd(&leak, FdFlags::empty()).unwrap();
    let holder = i32::try_from(scene.start().await.pid).unwrap();
    fcntl_setfd(&leak, FdFlags::CLOEXEC).unwrap();
    let (mut reader, mut writer) = scene.attach(Position(0)).await;
    let mut taken = Taken::default();
    taken
        .take(&mut reader, |taken| taken.text().ends_with("end\n"))
        .await;
    assert!(!taken.text().contains("inherited"), "{}", taken.text());
    assert_eq!(taken.text().matches("pipe:").count(), 3, "{}", taken.text());
    let of_holder: Vec<PathBuf> = fs::read_dir(format!("/proc/{holder}/fd"))
        .unwrap()
        .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
        .collect();
    assert!(
        !of_holder.iter().any(|path| path.ends_with("inherited")),
        "{of_holder:?}"
    );

    let agent = writer.agent_pid().unwrap();
    assert_eq!(writer.holder_pid(), Some(holder));
    assert_eq!(process(holder).unwrap().session, holder);
    assert_eq!(process(agent).unwrap().group, agent);
    assert_eq!(process(agent).unwrap().parent, holder);
    writer.close_stdin().await;
    taken.take(&mut reader, |taken| taken.exit.is_some()).await;
}

#[tokio::test]
async fn folder_and_socket_are_private() {
    let scene = Scene::new("cat");
    let (mut reader, mut writer) = scene.begin().await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(scene.dir()), 0o700);
    assert_eq!(mode(&scene.dir().join("sock")), 0o600);
    assert_eq!(
        mode(&scene.dir().join("00000000000000000000.journal")),
        0o600
    );
    writer.close_stdin().await;
    take_all(&mut reader).await;
}

#[tokio::test]
async fn a_folder_too_deep_for_a_socket_address_works() {
    let mut scene = Scene::new("read line; echo \"$line\"");
    scene.spec.dir = scene.file(&["deep-folder-name"; 12].join("/"));
    let (mut reader, mut writer) = scene.begin().await;
    writer.line(b"through").await.unwrap();
    assert_eq!(take_all(&mut reader).await.text(), "through\n");
    // And from disk.
    let (mut reader, _writer) = scene.attach(Position(0)).await;
    assert_eq!(take_all(&mut reader).await.text(), "through\n");
}

#[tokio::test]
async fn closing_stdin_comes_after_the_lines_before_it() {
    let scene = Scene::new("cat; echo eof");
    let (mut reader, mut writer) = scene.begin().await;
    writer.line(b"one").await.unwrap();
    writer.line(b"").await.unwrap();
    writer.line(b"two").await.unwrap();
    writer.close_stdin().await;
    writer.line(b"too late").await.unwrap();
    assert_eq!(take_all(&mut reader).await.text(), "one\n\ntwo\neof\n");
}

#[tokio::test]
async fn what_is_not_one_line_is_refused() {
    let scene = Scene::new("cat");
    let (mut reader, mut writer) = scene.begin().await;
    let error = writer.line(b"one\ntwo").await.unwrap_err();
    assert_eq!(error, LineError::InnerNewline);
    let error = writer.line(&vec![b'x'; MAX_LINE + 1]).await.unwrap_err();
    assert_eq!(
        error,
        LineError::TooLong {
            bytes: MAX_LINE + 1
        }
    );
    writer.close_stdin().await;
    assert_eq!(take_all(&mut reader).await.text(), "");
}

#[tokio::test]
async fn speaking_to_a_holder_that_is_gone_does_no_harm() {
    let scene = Scene::new("true");
    let (mut reader, mut writer) = scene.begin().await;
    let taken = take_all(&mut reader).await;
    within("all of it", async {
        writer.line(b"anybody").await.unwrap();
        writer.signal(2).await;
        writer.commit(taken.exit.as_ref().unwrap().1).await;
        writer.close_stdin().await;
        writer.stop(std::time::Duration::ZERO).await;
    })
    .await;
}
