//! Sessions of claude over HTTP, with a program that stands in for it.

use baton_protocol::words::AccessScope;
use serde_json::{Value, json};

use super::{
    client::{Answer, Site},
    routes::{answered, path},
};

struct Claude {
    site: Site,
    slug: String,
}

impl Claude {
    async fn new() -> Self {
        let site = Site::new().await;
        let folder = json!({"path": site.world.sandbox.project()});
        let added = site.post("/api/v1/projects", folder).await.expect(201);
        let slug = added["slug"].as_str().unwrap().to_owned();
        Self { site, slug }
    }

    async fn create(&self, body: Value) -> Answer {
        let target = format!("/api/v1/projects/{}/sessions", self.slug);
        self.site.post(&target, body).await
    }

    async fn made(&self, prompt: &str) -> String {
        let made = self
            .create(json!({"agent": "claude", "prompt": prompt}))
            .await;
        made.expect(201)["id"].as_str().unwrap().to_owned()
    }

    async fn events(&self, id: &str) -> Vec<Value> {
        let page = self.site.get(&path(id, "/events?limit=5000")).await;
        page.expect(200)["events"].as_array().unwrap().clone()
    }

    async fn said(&self, id: &str) -> Vec<String> {
        let events = self.events(id).await;
        let said = events
            .iter()
            .filter(|event| event["type"] == "assistant.message");
        let said = said.map(|event| event["payload"]["content"].as_str().unwrap().to_owned());
        said.collect()
    }
}

#[tokio::test]
async fn a_turn_of_claude_s_asks_runs_and_ends() {
    let claude = Claude::new().await;
    let id = claude.made("bash echo made > made.txt\nsay done").await;
    claude.site.until_state(&id, "waiting").await;
    let one = claude.site.got(200, &path(&id, "")).await;
    assert_eq!(one["facts"]["approvals"][0]["toolName"], "Bash");
    assert_eq!(one["openApprovals"], 1);
    assert_eq!(one["agent"], "claude");
    answered(&claude.site, &id, "allow").await;
    let one = claude.site.got(200, &path(&id, "")).await;
    assert_eq!(one["facts"]["approvals"], json!([]));
    assert_eq!(one["turnCount"], 1);
    let made = claude.site.world.sandbox.project().join("made.txt");
    assert_eq!(std::fs::read_to_string(made).unwrap(), "made\n");
    assert_eq!(claude.said(&id).await, ["done"]);
    let events = claude.events(&id).await;
    let tool = events
        .iter()
        .find(|event| event["type"] == "tool.completed");
    let tool = tool.unwrap()["payload"]["toolUseId"].as_str().unwrap();
    let output = claude
        .site
        .get(&path(&id, &format!("/tools/{tool}/output")))
        .await;
    assert_eq!(output.status, 200);
    let points = claude.site.got(200, &path(&id, "/checkpoints")).await;
    assert_eq!(points["items"].as_array().unwrap().len(), 1);
    let commands = claude.site.got(200, &path(&id, "/commands")).await;
    assert!(!commands["items"].as_array().unwrap().is_empty());
    let offered = claude
        .site
        .got(200, "/api/v1/projects/project/choices?agent=claude");
    let offered = offered.await;
    let models = offered["models"].as_array().unwrap();
    assert!(
        models.iter().any(|one| one["isDefault"] == true),
        "{offered}"
    );
    assert!(
        models.iter().any(|one| one["efforts"].is_array()),
        "{offered}"
    );
    assert_eq!(offered["commands"], commands["items"]);
    assert_eq!(offered["prompts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn claude_is_interrupted_and_its_model_and_mode_change() {
    let claude = Claude::new().await;
    let id = claude.made("say begun\nhang").await;
    claude.site.until_state(&id, "processing").await;
    let busy = claude
        .site
        .post(&path(&id, "/messages"), json!({"text": "x"}))
        .await;
    assert_eq!(busy.problem(), (409, "busy".into()));
    let queued = json!({"text": "say second", "queue": true});
    let queued = claude
        .site
        .posted(202, &path(&id, "/messages"), queued)
        .await;
    assert_eq!(queued["turn"], Value::Null);
    let waits = claude.site.got(200, &path(&id, "")).await;
    let waits = &waits["facts"]["queue"][0];
    let events = claude.events(&id).await;
    let mut said = events
        .iter()
        .filter(|event| event["payload"]["messageId"] == queued["messageId"]);
    assert_eq!(waits["queuedAt"], said.next().unwrap()["ts"]);
    let taken = format!("/messages/{}", queued["messageId"].as_str().unwrap());
    claude
        .site
        .ask("DELETE", &path(&id, &taken))
        .send()
        .await
        .expect(200);
    claude
        .site
        .posted(200, &path(&id, "/interrupt"), json!({}))
        .await;
    claude.site.until_state(&id, "idle").await;
    for (rest, body) in [
        ("/model", json!({"model": "opus"})),
        ("/permission-mode", json!({"mode": "plan"})),
    ] {
        claude.site.posted(200, &path(&id, rest), body).await;
    }
    let one = claude.site.got(200, &path(&id, "")).await;
    assert_eq!(one["permissionMode"], "plan");
    let events = claude.events(&id).await;
    let mut told = events.iter().rev();
    let usage = told.find(|event| event["type"] == "context.usage");
    let usage = usage.map_or(&Value::Null, |event| &event["payload"]);
    assert_eq!(one["facts"]["context"], *usage);
    let ended = events
        .iter()
        .find(|event| event["type"] == "turn.completed");
    assert_eq!(ended.unwrap()["payload"]["stopReason"], "interrupted");
    assert!(
        events
            .iter()
            .any(|event| event["type"] == "message.removed")
    );
}

#[tokio::test]
async fn create_goes_on_with_a_conversation_or_a_copy_of_it() {
    let claude = Claude::new().await;
    let id = claude.made("say first").await;
    claude.site.until_state(&id, "idle").await;
    let row = claude.site.got(200, &path(&id, "")).await;
    claude
        .site
        .posted(200, &path(&id, "/stop"), json!({}))
        .await;

    // By its own id and by the agent's it is the same session, whose numbers go on.
    let again = json!({"resume": id, "prompt": "say second"});
    let again = claude.create(again).await.expect(201);
    assert_eq!(again["id"], id.as_str());
    claude.site.until_state(&id, "idle").await;
    let third =
        json!({"resume": row["agentSessionId"], "prompt": "say third", "mode": "structured"});
    assert_eq!(claude.create(third).await.expect(201)["id"], id.as_str());
    claude.site.until_state(&id, "idle").await;
    assert_eq!(claude.said(&id).await, ["first", "second", "third"]);

    let copy = json!({"resume": id, "fork": true, "title": "Another way", "prompt": "say fourth"});
    let copy = claude.create(copy).await.expect(201);
    let other = copy["id"].as_str().unwrap();
    assert_eq!(copy["forkedFrom"], json!(id));
    assert_eq!(copy["title"], "Another way");
    claude.site.until_state(other, "idle").await;
    assert_eq!(claude.said(other).await, ["fourth"]);
    assert_eq!(
        claude.said(&id).await.len(),
        3,
        "and the first is as it was"
    );
}

#[tokio::test]
async fn create_refuses_what_cannot_go_on() {
    let claude = Claude::new().await;
    let id = claude.made("say first").await;
    claude.site.until_state(&id, "idle").await;
    let nobody = "ses_00000000000070008000000000000000";
    let nothing = "0f6f9a2e-3c1d-4b7e-9a51-2d4c8e6b7f10";
    for (body, status, code) in [
        (json!({"mode": "terminal"}), 409, "unsupported"),
        (json!({"fork": true}), 400, "invalid_request"),
        (json!({"resume": "x"}), 400, "invalid_request"),
        (json!({"resume": nobody}), 404, "not_found"),
        (json!({"resume": nothing}), 404, "not_found"),
        (
            json!({"resume": id, "model": "opus"}),
            400,
            "invalid_request",
        ),
        (
            json!({"resume": id, "agent": "claude"}),
            400,
            "invalid_request",
        ),
        (json!({"resume": id, "title": "x"}), 400, "invalid_request"),
        (json!({"resume": id, "prompt": " "}), 400, "empty"),
    ] {
        let refused = claude.create(body.clone()).await;
        assert_eq!(refused.problem(), (status, code.into()), "{body}");
    }
    let named = claude.create(json!({"resume": id, "maxTurns": 3})).await;
    assert_eq!(named.json()["errors"][0]["field"], "maxTurns");
    let there = claude.site.world.sandbox.home().join("there");
    std::fs::create_dir(&there).unwrap();
    let added = claude
        .site
        .post("/api/v1/projects", json!({"path": there}))
        .await;
    let slug = added.expect(201)["slug"].as_str().unwrap().to_owned();
    let target = format!("/api/v1/projects/{slug}/sessions");
    let elsewhere = claude.site.post(&target, json!({"resume": id})).await;
    assert_eq!(elsewhere.problem(), (404, "not_found".into()));
    let list = claude.site.got(200, "/api/v1/sessions").await;
    assert_eq!(
        list["items"].as_array().unwrap().len(),
        1,
        "nothing is left"
    );
}

impl Claude {
    /// Makes a session, takes it up again after its end, and copies it: both.
    async fn lives(&self, body: Value) -> (String, String) {
        let made = self.create(body).await.expect(201);
        let id = made["id"].as_str().unwrap().to_owned();
        self.site.until_state(&id, "idle").await;
        self.site.posted(200, &path(&id, "/stop"), json!({})).await;
        self.site.until_state(&id, "ended").await;
        self.site
            .posted(200, &path(&id, "/resume"), json!({}))
            .await;
        let again = json!({"text": "say two"});
        self.site.posted(202, &path(&id, "/messages"), again).await;
        self.site.until_state(&id, "idle").await;
        let fork = self.site.posted(201, &path(&id, "/fork"), json!({})).await;
        let fork = fork["id"].as_str().unwrap().to_owned();
        let more = json!({"text": "say three"});
        self.site.posted(202, &path(&fork, "/messages"), more).await;
        self.site.until_state(&fork, "idle").await;
        (id, fork)
    }
}

/// Everything that the starts of the agent could read of their options: their
/// arguments, and the files that these name.
fn told_at_starts(file: &std::path::Path) -> Vec<String> {
    let starts = std::fs::read_to_string(file).unwrap_or_default();
    let starts = starts.lines().map(|line| {
        let start: Value = serde_json::from_str(line).unwrap();
        let argv = start["argv"].as_array().unwrap().iter();
        let argv = argv.filter_map(Value::as_str);
        argv.map(|arg| {
            let read = start["files"][arg].as_str().unwrap_or_default();
            format!("{arg}\n{read}\n")
        })
        .collect()
    });
    starts.collect()
}

#[tokio::test]
async fn secrets_that_a_session_is_made_with_reach_its_agents_and_nobody_else() {
    const SECRET: &str = "Bearer of-the-server-1";
    let sandbox = baton_testkit::Sandbox::new();
    let starts = sandbox.root().join("starts.jsonl");
    let sandbox = sandbox.with_env("FAKE_CLAUDE_ARGV", starts.display().to_string());
    let world = crate::world::World::inside(sandbox).await;
    let site = Site::over(world, Default::default(), None).await;
    let folder = json!({"path": site.world.sandbox.project()});
    let added = site.post("/api/v1/projects", folder).await.expect(201);
    let slug = added["slug"].as_str().unwrap().to_owned();
    let claude = Claude { site, slug };
    let servers = json!({"m": {"type": "http", "url": "http://127.0.0.1:9/?key=of-the-url",
        "headers": {"Authorization": SECRET}, "env": {"KEY": "of-the-env"}}});
    let body = json!({"agent": "claude", "prompt": "say one", "mcpServers": servers});
    let (id, fork) = claude.lives(body).await;
    let told = told_at_starts(&starts);
    assert!(told.len() >= 3, "{told:?}");
    for start in &told {
        for secret in [SECRET, "of-the-url", "of-the-env"] {
            assert!(start.contains(secret), "{start}");
        }
    }
    let observer = claude.site.device(AccessScope::Observe).await;
    for token in [&claude.site.token, &observer] {
        for one in [&id, &fork] {
            for rest in [
                "",
                "/events?limit=5000",
                "/export",
                "/export?format=markdown",
            ] {
                let answer = claude.site.ask("GET", &path(one, rest)).bearer(token);
                let answer = answer.send().await;
                let text = String::from_utf8_lossy(&answer.body).into_owned();
                assert_eq!(answer.status, 200, "{text}");
                for secret in ["of-the-server", "of-the-url", "of-the-env"] {
                    assert!(!text.contains(secret), "{rest}: {text}");
                }
            }
        }
    }
    let events = claude.events(&id).await;
    let shown = &events[0]["payload"]["options"]["mcpServers"]["m"];
    assert_eq!(shown["headers"], json!({"Authorization": "•••"}));
    // No file of the data folder has them but their own.
    let data = claude.site.world.sandbox.data();
    let own = data.join("secrets").join(format!("{id}.json"));
    assert!(std::fs::read_to_string(own).unwrap().contains(SECRET));
    for name in ["baton.db", "baton.db-wal"] {
        let bytes = std::fs::read(data.join(name)).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&bytes).contains("of-the-server"),
            "{name}"
        );
    }
}
