//! The everyday life of a holder.

use baton_process::holder::{Position, is_alive, remove};
use baton_process::{Exit, ExitReport};

use crate::harness::{Scene, Taken, take_all};

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
