//! Whoever only watches sees no credentials, on no way; whoever steers sees all.

use baton_protocol::words::AccessScope;
use serde_json::{Value, json};

use super::{
    client::Site,
    routes::{answered, path},
};
use crate::world::World;

/// A token of the shape that a well-known host makes, of nobody.
const SECRET: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
/// A part of it: no piece may be told either.
const PART: &str = "0123456789abcdef";

struct Scene {
    site: Site,
    slug: String,
    session: String,
    observer: String,
}

impl Scene {
    /// A session in which the secret is said, run, asked for and printed, in a
    /// project with a file that has it.
    async fn new() -> Self {
        let site = Site::over(World::with_git().await, Default::default(), None).await;
        let project = site.world.sandbox.project();
        std::fs::write(project.join("notes.txt"), format!("it is {SECRET}\n")).unwrap();
        let folder = json!({"path": project});
        let added = site.post("/api/v1/projects", folder).await.expect(201);
        let slug = added["slug"].as_str().unwrap().to_owned();
        let observer = site.device(AccessScope::Observe).await;
        let prompt = format!(
            "say look at {SECRET} here\nthink of {SECRET} now\nbash echo {SECRET} | tee out.txt\nsay done"
        );
        let body = json!({"agent": "claude", "prompt": prompt, "title": format!("On {SECRET}")});
        let made = site
            .post(&format!("/api/v1/projects/{slug}/sessions"), body)
            .await;
        let session = made.expect(201)["id"].as_str().unwrap().to_owned();
        site.until_state(&session, "waiting").await;
        Self {
            site,
            slug,
            session,
            observer,
        }
    }

    /// What a path answers to who steers, and to who watches.
    async fn both(&self, path: &str) -> (String, String) {
        let ask = self.site.ask("GET", path);
        let all = ask.clone().send().await;
        let part = ask.bearer(&self.observer).send().await;
        assert_eq!((all.status, part.status), (200, 200), "{path}");
        let text = |body: &[u8]| String::from_utf8_lossy(body).into_owned();
        (text(&all.body), text(&part.body))
    }

    fn of(&self, rest: &str) -> String {
        path(&self.session, rest)
    }
}

#[tokio::test]
async fn no_route_tells_an_observer_a_credential() {
    let scene = Scene::new().await;
    let slug = &scene.slug;
    let open = "/api/v1/approvals".to_owned();
    let (all, part) = scene.both(&open).await;
    assert!(all.contains(SECRET) && !part.contains(PART), "{part}");
    answered(&scene.site, &scene.session, "allow").await;
    let (events, _) = scene.both(&scene.of("/events?limit=5000")).await;
    let events: Value = serde_json::from_str(&events).unwrap();
    let mut events = events["events"].as_array().unwrap().iter();
    let tool = events
        .find(|event| event["type"] == "tool.completed")
        .unwrap();
    let tool = tool["payload"]["toolUseId"].as_str().unwrap();
    for path in [
        scene.of("/events?limit=5000"),
        scene.of("/export"),
        scene.of("/export?format=markdown"),
        scene.of(""),
        scene.of("/checkpoints"),
        scene.of(&format!("/tools/{tool}/output")),
        "/api/v1/sessions".to_owned(),
        "/api/v1/approvals/past".to_owned(),
        format!("/api/v1/projects/{slug}/sessions"),
        format!("/api/v1/projects/{slug}/file?path=notes.txt"),
        format!("/api/v1/projects/{slug}/diff"),
        format!("/p/{slug}/api/v1/sessions"),
        "/api/v1/search?q=look".to_owned(),
    ] {
        let (all, part) = scene.both(&path).await;
        assert!(all.contains(PART), "who steers sees it at {path}: {all}");
        assert!(!part.contains(PART), "{path}: {part}");
        assert!(part.contains("•••"), "{path}: {part}");
        if path.contains("export") {
            continue;
        }
        if !path.contains("/output") {
            serde_json::from_str::<Value>(&part).expect("it is still JSON");
        }
    }
    // A page is handed on, so nobody's has one.
    let (all, part) = scene.both(&scene.of("/export?format=html")).await;
    for page in [all, part] {
        assert!(!page.contains(PART) && page.contains("•••"), "{page}");
        assert!(page.contains("default-src 'none'"), "{page}");
        assert!(page.ends_with("</html>\n"), "{page}");
    }
}

#[tokio::test]
async fn no_search_finds_for_an_observer_what_is_masked() {
    let scene = Scene::new().await;
    let hits = async |word: &str, token: &str| {
        let path = format!("/api/v1/search?q={word}");
        let found = scene.site.ask("GET", &path).bearer(token).send().await;
        let found = found.expect(200);
        found["items"].as_array().unwrap().len()
    };
    // Letter by letter a search would tell it all.
    for word in ["0123456789a", "ghp_01", SECRET] {
        assert!(hits(word, &scene.site.token).await > 0, "{word}");
        assert_eq!(hits(word, &scene.observer).await, 0, "{word}");
    }
    assert!(hits("look", &scene.observer).await > 0);
}

#[tokio::test]
async fn no_stream_tells_an_observer_a_credential_in_any_piece() {
    let scene = Scene::new().await;
    for (token, end) in [
        (&scene.site.token, "first end"),
        (&scene.observer, "second end"),
    ] {
        let say = format!("say and again {SECRET} in pieces\nsay the {end}");
        let mut socket = scene.site.signed(token).await;
        socket
            .say(&json!({"type": "subscribe", "sessionId": scene.session, "after": 0}))
            .await;
        socket.say(&json!({"type": "subscribe"})).await;
        let accept = "text/event-stream";
        let mut stream = scene.site.ask("GET", &scene.of("/events"));
        stream = stream.bearer(token).header("accept", accept);
        let mut stream = stream.open().await;
        answered_or_sent(&scene, &say).await;
        let is_end = |frame: &Value| {
            frame["event"]["type"] == "assistant.message" && frame.to_string().contains(end)
        };
        let frames = socket.all_until(is_end).await;
        let frames = frames.iter().map(Value::to_string).collect::<String>();
        let mut told = String::new();
        while !told.contains(end) {
            told += &stream.event().await.expect("the stream goes on").data;
        }
        let whole = token == &scene.site.token;
        assert_eq!(frames.contains(PART), whole, "{frames}");
        assert_eq!(told.contains(PART), whole, "{told}");
        assert!(whole || frames.contains("assistant.delta"), "{frames}");
    }
}

/// The first time the approval is answered, then a message is sent.
async fn answered_or_sent(scene: &Scene, say: &str) {
    let one = scene.site.get(&scene.of("")).await.expect(200);
    if one["state"] == "waiting" {
        answered(&scene.site, &scene.session, "allow").await;
    }
    scene.site.until_state(&scene.session, "idle").await;
    let body = json!({ "text": say });
    scene.site.posted(202, &scene.of("/messages"), body).await;
}
