use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::{
    id::SessionId,
    seq::Seq,
    words::{AccessScope, ClientRef, Json},
};

fn session() -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(7))
}

#[test]
fn a_frame_that_is_written_is_read_as_the_same() {
    let frames = [
        ClientFrame::Hello {
            client: Some(ClientRef {
                id: "cli-1".into(),
                name: "baton run".into(),
            }),
            token: None,
        },
        ClientFrame::Hello {
            client: None,
            token: Some("hush".into()),
        },
        ClientFrame::Subscribe {
            id: None,
            session: Some(session()),
            after: Seq(12),
        },
        ClientFrame::Unsubscribe {
            id: Some("2".into()),
            session: None,
        },
        ClientFrame::Command {
            id: "3".into(),
            command: "stop".into(),
            session: Some(session()),
            payload: Some(Json::of(&json!({}))),
        },
        ClientFrame::Ping,
        ClientFrame::Daemon(GetStatus.into()),
        ClientFrame::Daemon(
            Shutdown {
                keep_agents: true,
                force: false,
                grace_ms: Some(5),
            }
            .into(),
        ),
        ClientFrame::Daemon(
            AddProject {
                path: "/srv".into(),
            }
            .into(),
        ),
        ClientFrame::Daemon(DaemonCommand::SetProjectTitle {
            slug: "srv".into(),
            title: None,
        }),
        ClientFrame::Daemon(SetPin { pin: None }.into()),
        ClientFrame::Daemon(
            MakeLink {
                scope: Some(AccessScope::Observe),
            }
            .into(),
        ),
        ClientFrame::Daemon(ListDevices {}.into()),
        ClientFrame::Daemon(DaemonCommand::Other {
            cmd: "dance".into(),
        }),
    ];
    for frame in frames {
        let text = serde_json::to_vec(&frame).unwrap();
        let read = ClientFrame::parse(&text);
        assert_eq!(read, Ok(frame), "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn every_row_of_the_table_reads_its_own_payload_back() {
    for name in Command::NAMES {
        // Some need fields; none may be unknown, or take what it does not know.
        let odd = Json::of(&json!({"noSuchField": 1}));
        assert!(Command::parse(name, Some(&odd)).is_err(), "{name}");
        if let Ok(command) = Command::parse(name, None) {
            let again = Command::parse(name, Some(&command.payload()));
            assert_eq!(again, Ok(command), "{name}");
        }
    }
}

#[test]
fn what_needs_a_session_is_kept_in_a_project_by_it() {
    let within = |name: &str, payload: Value| {
        let command = Command::parse(name, Some(&Json::of(&payload)));
        let mut command = command.unwrap();
        let needs = command.needs_session();
        let session = command.within() == Within::Session;
        assert_eq!(needs, session, "{name}");
        format!("{:?}", command.within())
    };
    assert_eq!(within("stop", json!({})), "Session");
    assert_eq!(
        within("files", json!({"project": "shop"})),
        r#"Project("shop")"#
    );
    assert_eq!(within("search", json!({"q": "x"})), "SomeProject(None)");
    assert_eq!(within("projects", json!({})), "Nothing");
    const { assert!(<ask::Stop as Ask>::IN_PROJECT && !<ask::Projects as Ask>::IN_PROJECT) };
}

#[test]
fn an_answer_of_the_daemon_is_read_as_it_was_written() {
    let said = daemon_answer(Ok(NamedProject {
        slug: "shop".into(),
    }));
    assert_eq!(said.value(), json!({"ok": true, "slug": "shop"}));
    let read = read_daemon_answer::<NamedProject>(&said).unwrap();
    assert_eq!(read.unwrap().slug, "shop");
    let refused = daemon_answer::<Done>(Err("no".into()));
    assert_eq!(refused.value(), json!({"ok": false, "error": "no"}));
    let read = read_daemon_answer::<Done>(&refused).unwrap();
    assert_eq!(read, Err("no".to_owned()));
    assert!(read_daemon_answer::<NamedProject>(&Json::of(&json!({"ok": true}))).is_err());
}

#[test]
fn an_option_that_is_given_is_named_as_it_is_written() {
    let new = Create {
        setting_sources: Some(vec!["user".into()]),
        ..Create::default()
    };
    let given = new.options().first_given();
    assert_eq!(given.as_deref(), Some("settingSources"));
    assert_eq!(Create::default().options().first_given(), None);
}
