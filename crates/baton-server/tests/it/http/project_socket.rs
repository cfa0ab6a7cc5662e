//! The WebSocket of one project: nothing of another is there.

use std::time::Duration;

use baton_testkit::LIMIT;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::{client::Site, websocket::Socket};
use crate::world::{is_event, is_state};

/// A site with two projects and a session in each.
async fn two_projects() -> (Site, [(String, String); 2]) {
    let site = Site::new().await;
    let here = site.world.sandbox.project();
    let there = site.world.sandbox.home().join("there");
    std::fs::create_dir(&there).unwrap();
    let mut made = Vec::new();
    for folder in [here, there] {
        let added = site.post("/api/v1/projects", json!({"path": folder})).await;
        let slug = added.expect(201)["slug"].as_str().unwrap().to_owned();
        let target = format!("/api/v1/projects/{slug}/sessions");
        let body = json!({"agent": "demo", "prompt": "approval"});
        let session = site.post(&target, body).await.expect(201);
        let id = session["id"].as_str().unwrap().to_owned();
        site.until_state(&id, "waiting").await;
        made.push((slug, id));
    }
    (site, made.try_into().unwrap())
}

async fn socket(site: &Site, slug: &str) -> Socket {
    let value = format!("Bearer {}", site.token);
    let path = format!("/p/{slug}/ws");
    let headers = [("authorization", value.as_str())];
    site.upgrade_at(&path, &headers).await.unwrap()
}

#[tokio::test]
async fn a_project_s_socket_lists_and_follows_its_own_sessions_only() {
    let (site, [(slug, own), (_, other)]) = two_projects().await;
    let mut socket = socket(&site, &slug).await;
    let list = socket.ask("sessions", None, json!({})).await;
    let items = list["result"]["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["id"]), (1, &json!(own)));
    let open = socket.ask("approvals", None, json!({})).await;
    let open = open["result"]["items"].as_array().unwrap().clone();
    assert_eq!((open.len(), &open[0]["sessionId"]), (1, &json!(own)));

    socket
        .say(&json!({"type": "subscribe", "id": "s", "sessionId": other}))
        .await;
    let refused = socket.all_until(|frame| frame["type"] == "reply").await;
    assert_eq!(refused.last().unwrap()["problem"]["code"], "not_found");
    for (command, payload) in [
        ("message", json!({"text": "x"})),
        ("session", json!({})),
        ("stop", json!({})),
        ("delete", json!({})),
        ("title", json!({"title": "x"})),
    ] {
        let refused = socket.ask(command, Some(&other), payload).await;
        assert_eq!(refused["problem"]["code"], "not_found", "{command}");
    }
    for (command, payload) in [
        ("projects", json!({})),
        ("doctor", json!({})),
        ("backup", json!({"path": "/x"})),
        (
            "rule.add",
            json!({"rule": "Bash", "decision": "deny", "scope": "user"}),
        ),
        (
            "rule.add",
            json!({"rule": "Bash", "decision": "deny", "scope": "session", "scopeId": other}),
        ),
    ] {
        let refused = socket.ask(command, None, payload).await;
        assert_eq!(refused["problem"]["code"], "forbidden", "{command}");
    }
}

#[tokio::test]
async fn a_project_s_socket_steers_its_sessions_to_the_end() {
    let (site, [(slug, own), (_, other)]) = two_projects().await;
    let mut socket = socket(&site, &slug).await;
    socket.say(&json!({"type": "subscribe"})).await;
    socket
        .say(&json!({"type": "subscribe", "sessionId": own}))
        .await;
    let asked = |frame: &Value| is_event(frame, "approval.requested");
    let asked = socket.all_until(asked).await;
    let approval = asked.last().unwrap()["event"]["payload"]["approvalId"].clone();
    let body = json!({"approvalId": approval, "decision": "allow"});
    let frame = json!({"type": "command", "id": "a", "command": "approve", "sessionId": own, "payload": body});
    socket.say(&frame).await;
    let rest = socket.all_until(|frame| is_state(frame, "idle")).await;
    assert!(rest.iter().any(|frame| is_event(frame, "turn.completed")));

    // Of the other project's session nothing is told, whatever happens to it.
    let elsewhere = format!("/api/v1/sessions/{other}");
    let title = json!({"title": "Elsewhere"});
    let renamed = site.ask("PATCH", &elsewhere).json(&title).send().await;
    renamed.expect(200);
    let own_path = format!("/p/{slug}/api/v1/sessions/{own}");
    let title = json!({"title": "Here"});
    site.ask("PATCH", &own_path)
        .json(&title)
        .send()
        .await
        .expect(200);
    let is_here =
        |frame: &Value| frame["type"] == "sessions" && frame["items"][0]["title"] == "Here";
    let told = socket.all_until(is_here).await;
    let others = told
        .iter()
        .filter(|frame| frame.to_string().contains(&other));
    assert_eq!(others.count(), 0);
}

#[tokio::test]
async fn a_socket_of_no_project_is_refused() {
    let (site, _) = two_projects().await;
    let value = format!("Bearer {}", site.token);
    let headers = [("authorization", value.as_str())];
    assert!(site.upgrade_at("/p/nothing/ws", &headers).await.is_err());
    let (_, unsigned) = ("", [("authorization", "Bearer wrong")]);
    assert!(site.upgrade_at("/p/project/ws", &unsigned).await.is_err());
}

#[tokio::test]
async fn clients_are_counted_where_they_are_connected() {
    let (site, [(slug, own), (other_slug, other)]) = two_projects().await;
    let clients = async |path: &str| site.get(path).await.expect(200)["clients"].clone();
    let below = |slug: &str| format!("/p/{slug}/api/v1/status");
    assert_eq!(clients(&below(&slug)).await, 0);
    // Two below one project, one below the other, and one below none.
    let kept = socket(&site, &slug).await;
    let stream = |slug: &str, id: &str| {
        let path = format!("/p/{slug}/api/v1/sessions/{id}/events");
        site.ask("GET", &path)
            .header("accept", "text/event-stream")
            .open()
    };
    let followed = stream(&slug, &own).await;
    let elsewhere = stream(&other_slug, &other).await;
    let token = site.token.clone();
    let everywhere = site.signed(&token).await;
    let until = async |path: String, count: u64| {
        let counted = async {
            while clients(&path).await != count {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(LIMIT, counted).await.expect("they are counted");
    };
    until(below(&slug), 2).await;
    until(below(&other_slug), 1).await;
    until("/api/v1/status".to_owned(), 4).await;
    drop((kept, followed));
    until(below(&slug), 0).await;
    until("/api/v1/status".to_owned(), 2).await;
    drop((elsewhere, everywhere));
}
