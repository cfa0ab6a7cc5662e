//! `docs/control-socket.md` sends what it shows, and gets what it says.

use std::collections::BTreeMap;

use baton_protocol::api::{Command, Shutdown};
use baton_protocol::api::{DoctorCheck, DoctorReport, DoctorVerdict};
use baton_server::Errand;
use baton_testkit::LIMIT;
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinSet, time::timeout};

use crate::world::World;

/// Names in the document that stand for what the daemon makes.
const NAMES: [&str; 4] = ["SES", "APR", "MSG", "RUL"];

fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/control-socket.md");
    std::fs::read_to_string(path).unwrap()
}

/// Whether an answer is as documented. What it has beyond that is its own
/// business; names are bound by the first answer that holds them.
pub(crate) fn fits(shown: &Value, real: &Value, names: &mut BTreeMap<String, String>) -> bool {
    match (shown, real) {
        (Value::Object(shown), Value::Object(real)) => shown.iter().all(|(key, shown)| {
            let real = real.get(key);
            real.is_some_and(|real| fits(shown, real, names))
        }),
        (Value::Array(shown), Value::Array(real)) => {
            shown.len() == real.len()
                && shown
                    .iter()
                    .zip(real)
                    .all(|(shown, real)| fits(shown, real, names))
        }
        (Value::String(shown), Value::String(real)) if NAMES.contains(&shown.as_str()) => {
            names.entry(shown.clone()).or_insert_with(|| real.clone()) == real
        }
        (Value::String(shown), Value::String(real)) if shown == "PROJECT" => {
            names.get("PROJECT") == Some(real)
        }
        (Value::String(shown), Value::String(_)) if shown == "…" => true,
        (Value::Number(_), Value::Number(_)) => true,
        (shown, real) => shown == real,
    }
}

/// What the daemon's machine is asked, answered as the daemon would.
async fn look_around(mut errands: mpsc::Receiver<Errand>) {
    while let Some(errand) = errands.recv().await {
        let Errand::Doctor { answer } = errand else {
            panic!("no example asks for {errand:?}");
        };
        let check = DoctorCheck {
            name: "data folder".into(),
            verdict: DoctorVerdict::Ok,
            finding: "/data".into(),
            remedy: None,
        };
        let report = DoctorReport {
            ok: true,
            checks: vec![check],
        };
        answer.send(Ok(report)).unwrap();
    }
}

#[tokio::test]
async fn every_example_is_sent_and_answered_as_shown() {
    let world = World::with_pace(5).await;
    let mut client = world.client("nobody");
    let mut beside = JoinSet::new();
    beside.spawn(look_around(world.api.take_errands().unwrap()));
    let mut names = BTreeMap::new();
    let project = world.sandbox.project();
    // What a remark is made on.
    std::fs::create_dir_all(project.join("src")).unwrap();
    std::fs::write(
        project.join("src/main.rs"),
        "fn main() {\n    go();\n    go();\n}\n",
    )
    .unwrap();
    names.insert("PROJECT".to_owned(), project.display().to_string());
    let document = document();
    let mut sent = 0;
    let mut seen = Vec::new();
    for line in document.lines() {
        if let Some(said) = line.strip_prefix("> ") {
            let mut said = said.to_owned();
            for (name, value) in &names {
                said = said.replace(&format!("\"{name}\""), &format!("\"{value}\""));
            }
            client.say_text(&said).await;
            sent += 1;
        } else if let Some(shown) = line.strip_prefix("< ") {
            let shown: Value = serde_json::from_str(shown).unwrap();
            if shown["type"] == "goodbye" {
                break;
            }
            let heard = async {
                loop {
                    // Replies and events come in no promised order.
                    for at in 0..seen.len() {
                        let mut bound = names.clone();
                        if fits(&shown, &seen[at], &mut bound) {
                            names = bound;
                            seen.remove(at);
                            return;
                        }
                    }
                    seen.push(client.next().await);
                }
            };
            let heard = timeout(LIMIT, heard).await;
            assert!(heard.is_ok(), "{line}\nnever came; instead: {seen:#?}");
        }
    }
    assert!(sent > 25, "{sent}");
    let asked = *world.api.shutdown_requests().borrow();
    let kept = Shutdown {
        keep_agents: true,
        ..Shutdown::default()
    };
    assert_eq!(asked, Some(kept));
}

#[test]
fn every_command_has_an_example() {
    let document = document();
    for name in Command::NAMES {
        let example = format!("\"command\":\"{name}\"");
        assert!(document.contains(&example), "{name} has no example");
    }
}
