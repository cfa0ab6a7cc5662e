//! Sessions that somebody takes out of the log.

use baton_protocol::words::AccessScope;
use serde_json::{Value, json};

use super::{client::Site, routes::path};

async fn ended(site: &Site, prompt: &str) -> String {
    let id = site.session(prompt).await;
    site.until_state(&id, "idle").await;
    site.post(&path(&id, "/stop"), json!({})).await.expect(200);
    id
}

#[tokio::test]
async fn an_ended_session_is_removed_with_its_files_and_that_stays_on_record() {
    let (site, id) = Site::at("hello", "idle").await;
    let file = json!({"name": "notes.txt", "data": "c29tZSBub3Rlcw=="});
    let message = json!({"text": "rarest of words", "attachments": [file]});
    site.posted(202, &path(&id, "/messages"), message).await;
    site.until_state(&id, "idle").await;
    let page = site.get(&path(&id, "/events?limit=5000")).await.expect(200);
    let events = page["events"].as_array().unwrap();
    let attached = events.iter().find_map(|event| {
        let blob = event["payload"]["attachments"][0]["blobId"].as_str()?;
        Some(blob.to_owned())
    });
    let attached = path(&id, &format!("/images/{}", attached.unwrap()));
    assert_eq!(site.get(&attached).await.status, 200);
    let kept = site.session("hello").await;
    let mut watcher = site.world.client("watcher");
    watcher.say(&json!({"type": "subscribe"})).await;

    let running = site.ask("DELETE", &path(&id, "")).send().await;
    assert_eq!(running.problem(), (409, "session_running".into()));
    site.post(&path(&id, "/stop"), json!({})).await.expect(200);
    let observer = site.device(AccessScope::Observe).await;
    let weak = site.ask("DELETE", &path(&id, "")).bearer(&observer);
    assert_eq!(weak.send().await.problem().0, 403);
    site.ask("DELETE", &path(&id, "")).send().await.expect(200);

    let told = |frame: &Value| frame["type"] == "sessions" && frame["removed"] == json!([id]);
    watcher.until(told).await;
    for rest in ["", "/events", "/export", "/checkpoints"] {
        let gone = site.get(&path(&id, rest)).await;
        assert_eq!(gone.problem(), (404, "not_found".into()), "{rest}");
        let detail = gone.json()["detail"].to_string();
        assert!(
            detail.contains("was removed at") && detail.contains(" by "),
            "{detail}"
        );
    }
    assert_eq!(site.get(&attached).await.status, 404);
    let found = site.get("/api/v1/search?q=rarest").await.expect(200);
    assert_eq!(found["items"], json!([]));
    for steer in ["/resume", "/messages", "/stop"] {
        let late = site.post(&path(&id, steer), json!({"text": "x"})).await;
        assert!(matches!(late.status, 400 | 404), "{steer}: {}", late.status);
    }
    let again = site.ask("DELETE", &path(&id, "")).send().await;
    assert_eq!(again.problem().0, 404);
    let list = site.get("/api/v1/sessions").await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!(list["items"][0]["id"], kept.as_str());
    assert!(site.world.supervisor.store().check().await.unwrap().is_ok());
}

#[tokio::test]
async fn who_follows_a_session_that_is_removed_is_let_go() {
    let site = Site::new().await;
    let id = ended(&site, "hello").await;
    let mut follower = site.world.client("follower");
    follower.subscribe(&id, 0).await;
    follower.until(|frame| frame["type"] == "caught_up").await;
    site.ask("DELETE", &path(&id, "")).send().await.expect(200);
    let over = follower
        .until(|frame| frame["type"] == "unsubscribed")
        .await;
    assert_eq!(over["sessionId"], id.as_str());
    let refused = follower.ask("resume", Some(&id), json!({})).await;
    assert_eq!(refused.unwrap_err()["code"], "not_found");
}

#[tokio::test]
async fn a_project_reaches_only_its_own_sessions() {
    let site = Site::new().await;
    let id = ended(&site, "hello").await;
    let other = site.world.sandbox.home().join("other");
    std::fs::create_dir(&other).unwrap();
    let added = site.post("/api/v1/projects", json!({"path": other})).await;
    let slug = added.expect(201)["slug"].as_str().unwrap().to_owned();
    let target = format!("/p/{slug}{}", path(&id, ""));
    assert_eq!(site.ask("DELETE", &target).send().await.problem().0, 404);
    assert_eq!(site.get(&path(&id, "")).await.status, 200);
}
