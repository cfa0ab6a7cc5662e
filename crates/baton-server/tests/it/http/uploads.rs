//! Files that wait for a message: bounded, and gone when nobody sends one.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use baton_protocol::Timestamp;
use baton_server::http::HttpLimits;
use baton_session::RealWorld;
use serde_json::json;
use uuid::Uuid;

use super::client::{Answer, Site};
use crate::world::World;

/// A clock that can be set ahead.
#[derive(Debug, Default)]
struct Ahead(AtomicI64);

impl baton_session::World for Ahead {
    fn now(&self) -> Timestamp {
        let ahead = self.0.load(Ordering::SeqCst);
        Timestamp::from_millis(RealWorld.now().as_millis() + ahead)
    }

    fn id(&self) -> Uuid {
        RealWorld.id()
    }

    fn random_id(&self) -> Uuid {
        RealWorld.random_id()
    }
}

async fn upload(site: &Site) -> Answer {
    let ask = site.ask("POST", "/api/v1/uploads?name=notes.txt");
    ask.body("some notes").send().await
}

fn folder(site: &Site) -> PathBuf {
    site.world.sandbox.data().join("uploads")
}

/// The bytes of an upload, without its label.
fn only_file(site: &Site) -> PathBuf {
    let entries = fs::read_dir(folder(site)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files = paths.filter(|path| path.extension().is_none());
    files.next().unwrap()
}

#[tokio::test]
async fn an_upload_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let site = Site::new().await;
    upload(&site).await.expect(201);
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let modes = fs::read_dir(folder(&site)).unwrap();
    let modes: Vec<u32> = modes.map(|entry| mode(entry.unwrap().path())).collect();
    assert_eq!(modes, [0o600, 0o600], "the file and its label");
}

#[tokio::test]
async fn an_upload_that_nobody_sends_goes_by_itself() {
    let clock = Arc::new(Ahead::default());
    let world = World::new().await.in_time(Arc::<Ahead>::clone(&clock));
    let site = Site::over(world, HttpLimits::default(), None).await;
    site.world.api.retain().await.unwrap();
    upload(&site).await.expect(201);
    clock.0.store(23 * 60 * 60 * 1000, Ordering::SeqCst);
    site.world.api.retain().await.unwrap();
    assert_eq!(fs::read_dir(folder(&site)).unwrap().count(), 2);
    clock.0.store(25 * 60 * 60 * 1000, Ordering::SeqCst);
    site.world.api.retain().await.unwrap();
    assert_eq!(fs::read_dir(folder(&site)).unwrap().count(), 0);
}

#[tokio::test]
async fn uploads_are_bounded_in_all() {
    let site = Site::new().await;
    upload(&site).await.expect(201);
    let file = fs::OpenOptions::new().write(true).open(only_file(&site));
    file.unwrap().set_len(1 << 30).unwrap();
    let refused = upload(&site).await;
    assert_eq!(refused.problem(), (429, "too_many".into()));
    assert_eq!(fs::read_dir(folder(&site)).unwrap().count(), 2);
}

#[tokio::test]
async fn what_is_too_large_to_be_attached_is_not_read_first() {
    let (site, id) = Site::at("text", "idle").await;
    let made = upload(&site).await.expect(201);
    // A hole that no memory could hold.
    let file = fs::OpenOptions::new().write(true).open(only_file(&site));
    file.unwrap().set_len(1 << 43).unwrap();
    let message = json!({"text": "read", "attachments": [{"uploadId": made["uploadId"]}]});
    let path = format!("/api/v1/sessions/{id}/messages");
    let refused = site.post(&path, message).await;
    assert_eq!(refused.problem(), (413, "too_long".into()));
}

#[tokio::test]
async fn no_name_of_an_upload_leads_to_another_file() {
    let site = Site::new().await;
    let session = site.session("text").await;
    let made = upload(&site).await.expect(201);
    let data = site.world.sandbox.data();
    // As an upload would lie there, but elsewhere.
    let label = fs::read(only_file(&site).with_extension("json")).unwrap();
    fs::write(data.join("secret"), "secret").unwrap();
    fs::write(data.join("secret.json"), label).unwrap();
    let absolute = data.join("secret").display().to_string();
    let path = format!("/api/v1/sessions/{session}/messages");
    for id in [
        "upl_../secret".to_owned(),
        "../secret".to_owned(),
        format!("upl_{absolute}"),
        absolute,
    ] {
        let attachments = json!([{"uploadId": id}]);
        let body = json!({"text": "read", "queue": true, "attachments": attachments});
        let answer = site.post(&path, body).await;
        assert_eq!(answer.problem(), (400, "invalid_request".into()), "{id}");
    }
    let body =
        json!({"text": "read", "queue": true, "attachments": [{"uploadId": made["uploadId"]}]});
    site.post(&path, body).await.expect(202);
}
