//! Attacks with a link that shows one session: everything else is not there.

use baton_protocol::{
    api::Command,
    words::{AccessScope, Json},
};
use serde_json::json;

use super::{client::Site, routes::path, security::routes};

/// A token of the shape that a well-known host makes, of nobody.
const SECRET: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

struct Scene {
    site: Site,
    /// What the link shows, and what it does not.
    own: String,
    other: String,
    token: String,
    device: String,
}

impl Scene {
    async fn new() -> Self {
        let site = Site::new().await;
        let own = site.session(&format!("the shared one {SECRET}")).await;
        let other = site.session("the hidden one").await;
        for id in [&own, &other] {
            site.until_state(id, "idle").await;
        }
        let body = json!({"hours": 1});
        let made = site.posted(201, &path(&own, "/share"), body).await;
        assert_eq!(made["device"]["sessionId"], *own);
        assert_eq!(made["device"]["scope"], "observe");
        Self {
            token: made["token"].as_str().unwrap().to_owned(),
            device: made["device"]["id"].as_str().unwrap().to_owned(),
            site,
            own,
            other,
        }
    }

    /// The token of another such link.
    async fn shared(&self, session: &str) -> String {
        let sharing = path(session, "/share");
        let made = self.site.posted(201, &sharing, json!({})).await;
        made["token"].as_str().unwrap().to_owned()
    }

    async fn asked(&self, method: &str, path: &str) -> (u16, String) {
        let ask = self.site.ask(method, path).bearer(&self.token);
        let ask = match method {
            "GET" | "DELETE" => ask,
            _ => ask.json(&json!({})),
        };
        let answer = ask.send().await;
        let said = String::from_utf8_lossy(&answer.body).into_owned();
        (answer.status, said)
    }
}

/// What such a link may ask, and nothing else is.
const SHOWN: [&str; 5] = [
    "/api/v1/sessions/x",
    "/api/v1/sessions/x/events",
    "/api/v1/sessions/x/export",
    "/api/v1/sessions/x/images/x",
    "/api/v1/sessions/x/tools/x/output",
];

#[tokio::test]
async fn every_route_but_those_of_the_session_is_refused() {
    let scene = Scene::new().await;
    let refused = |status: u16| status == 403 || status == 404;
    let mut shown = 0;
    for (method, route, scope) in routes() {
        if scope.is_none() {
            continue;
        }
        let own = route.replacen("sessions/x", &format!("sessions/{}", scene.own), 1);
        let other = route.replacen("sessions/x", &format!("sessions/{}", scene.other), 1);
        let (status, said) = scene.asked(&method, &other).await;
        assert!(refused(status), "another session: {method} {route} {said}");
        let (status, said) = scene.asked(&method, &own).await;
        if method == "GET" && SHOWN.contains(&route.as_str()) {
            shown += 1;
            let part = route.ends_with("/images/x") || route.ends_with("/output");
            assert!(status == 200 || part && status == 404, "{route} {said}");
        } else {
            assert_eq!(status, 403, "{method} {route} {said}");
            assert!(!said.contains(&scene.other), "{said}");
        }
    }
    assert_eq!(shown, SHOWN.len());
    for lost in ["/api/v1/x", "/api/v1/sessions/x/y", "/p/x/api/v1/x"] {
        assert_eq!(scene.asked("GET", lost).await.0, 404, "{lost}");
    }
}

#[tokio::test]
async fn the_session_is_shown_without_credentials_and_names_no_other() {
    let scene = Scene::new().await;
    for rest in [
        "",
        "/events?limit=5000",
        "/export",
        "/export?format=markdown&past=true",
        "/export?format=html",
    ] {
        let ask = scene.site.ask("GET", &path(&scene.own, rest));
        let answer = ask.bearer(&scene.token).send().await;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert_eq!(answer.status, 200, "{text}");
        assert!(text.contains("the shared one"), "{text}");
        assert!(!text.contains(&SECRET[4..12]), "{text}");
    }
    let stream = scene.site.ask("GET", &path(&scene.other, "/events"));
    let stream = stream.bearer(&scene.token);
    let stream = stream.header("accept", "text/event-stream").send().await;
    assert_eq!(stream.status, 404);
}

#[tokio::test]
async fn what_a_fork_began_with_is_not_shown_with_it() {
    let scene = Scene::new().await;
    let folder = json!({"path": scene.site.world.sandbox.project()});
    let added = scene.site.post("/api/v1/projects", folder).await.json();
    let making = format!(
        "/api/v1/projects/{}/sessions",
        added["slug"].as_str().unwrap()
    );
    let body = json!({"agent": "claude", "prompt": "say the hidden one"});
    let source = scene.site.posted(201, &making, body).await;
    let source = source["id"].as_str().unwrap().to_owned();
    scene.site.until_state(&source, "idle").await;
    let forking = path(&source, "/fork");
    let fork = scene.site.posted(201, &forking, json!({})).await;
    let fork = fork["id"].as_str().unwrap().to_owned();
    let token = scene.shared(&fork).await;
    for format in ["ndjson", "markdown", "html"] {
        let rest = format!("/export?past=true&format={format}");
        let all = scene.site.get(&path(&fork, &rest)).await;
        let all = String::from_utf8_lossy(&all.body).into_owned();
        assert!(all.contains("the hidden one"), "{all}");
        let part = scene.site.ask("GET", &path(&fork, &rest)).bearer(&token);
        let part = part.send().await;
        let words = String::from_utf8_lossy(&part.body).into_owned();
        assert_eq!(part.status, 200);
        // A title may be made of the words; what was said is not there.
        assert!(
            all.contains("\"user.message\"") || all.contains("You"),
            "{all}"
        );
        assert!(
            !words.contains("user.message") && !words.contains("You"),
            "{words}"
        );
    }
    let events = scene.site.ask("GET", &path(&source, "/events"));
    assert_eq!(events.bearer(&token).send().await.status, 404);
}

#[tokio::test]
async fn a_socket_gives_the_session_and_no_list_command_or_other_session() {
    let scene = Scene::new().await;
    let mut socket = scene.site.signed(&scene.token).await;
    for topic in [json!({}), json!({"sessionId": scene.other})] {
        let mut frame = json!({"type": "subscribe", "id": "no", "after": 0});
        let fields = frame.as_object_mut().unwrap();
        fields.extend(topic.as_object().unwrap().clone());
        socket.say(&frame).await;
        let told = socket.all_until(|frame| frame["id"] == "no").await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0]["ok"], false, "{told:?}");
    }
    for name in Command::NAMES {
        for session in [None, Some(scene.own.as_str()), Some(scene.other.as_str())] {
            if *name == "session" && session == Some(scene.own.as_str()) {
                continue;
            }
            // What is refused before it is read is refused whatever it says.
            let payload = json!({"project": "/", "text": "x", "q": "one", "path": "x", "to": "/"});
            let told = socket.ask(name, session, payload).await;
            assert_eq!(told["ok"], false, "{name} {session:?} {told}");
        }
        // What makes sense reaches the gate, and no further.
        if let Ok(command) = Command::parse(name, Some(&Json::of(&json!({}))))
            && *name != "session"
        {
            let told = socket
                .ask(command.name(), Some(&scene.own), json!({}))
                .await;
            assert_eq!(told["problem"]["code"], "forbidden", "{name} {told}");
        }
    }
    let view = socket.ask("session", Some(&scene.own), json!({})).await;
    assert_eq!(view["ok"], true, "{view}");
    socket
        .say(&json!({"type": "subscribe", "sessionId": scene.own, "after": 0}))
        .await;
    let told = socket.all_until(|frame| frame["type"] == "caught_up").await;
    let told = json!(told).to_string();
    assert!(told.contains("the shared one"), "{told}");
    assert!(!told.contains(&SECRET[4..12]), "{told}");
    assert!(!told.contains(&scene.other), "{told}");
    let bearer = format!("Bearer {}", scene.token);
    let headers = [("authorization", bearer.as_str())];
    let below = scene.site.upgrade_at("/p/x/ws", &headers).await;
    assert!(below.is_err(), "a project's socket is another's");
}

#[tokio::test]
async fn it_ends_with_its_device_and_with_its_session() {
    let scene = Scene::new().await;
    let mut socket = scene.site.signed(&scene.token).await;
    let devices = scene.site.got(200, "/api/v1/auth/devices").await;
    let listed = devices["items"].as_array().unwrap();
    let one = listed
        .iter()
        .find(|one| one["id"] == *scene.device)
        .unwrap();
    assert_eq!(one["sessionId"], *scene.own);
    let gone = format!("/api/v1/auth/devices/{}", scene.device);
    let answer = scene.site.ask("DELETE", &gone).send().await;
    assert!(answer.status < 300, "{}", answer.status);
    assert_eq!(socket.closed().await, Some(1008));
    assert_eq!(scene.asked("GET", &path(&scene.own, "")).await.0, 401);

    let token = scene.shared(&scene.own).await;
    scene
        .site
        .posted(200, &path(&scene.own, "/stop"), json!({}))
        .await;
    let removed = scene.site.ask("DELETE", &path(&scene.own, "")).send().await;
    removed.expect(200);
    let late = scene.site.ask("GET", &path(&scene.own, "")).bearer(&token);
    assert_eq!(late.send().await.status, 401);
}

#[tokio::test]
async fn only_who_lets_others_in_may_share_and_not_for_ever() {
    let scene = Scene::new().await;
    for scope in [AccessScope::Observe, AccessScope::Operate] {
        let token = scene.site.device(scope).await;
        let ask = scene.site.ask("POST", &path(&scene.own, "/share"));
        let told = ask.bearer(&token).json(&json!({})).send().await;
        assert_eq!(told.problem().0, 403);
    }
    for hours in [0, 721] {
        let body = json!({ "hours": hours });
        let told = scene.site.post(&path(&scene.own, "/share"), body).await;
        assert_eq!(told.problem().0, 400, "{hours}");
    }
}
