//! What the routes do.

use baton_protocol::words::AccessScope;
use baton_session::agents::AgentKind;
use serde_json::{Value, json};

use super::client::{Answer, Site};

pub(super) fn path(session: &str, rest: &str) -> String {
    format!("/api/v1/sessions/{session}{rest}")
}

#[tokio::test]
async fn the_daemon_tells_of_itself() {
    let site = Site::new().await;
    for path in ["/healthz", "/readyz"] {
        let answer = site.ask("GET", path).bearer("").send().await;
        assert_eq!(answer.expect(200), json!({"ok": true}));
    }
    let status = site.get("/api/v1/status").await.expect(200);
    assert_eq!(status["version"], "1.2.3");
    for (at, name, forks, gate) in [(0, "demo", false, "asked"), (1, "claude", true, "every")] {
        let agent = &status["agents"][at];
        assert_eq!(
            (&agent["name"], &agent["version"]),
            (&json!(name), &json!(null))
        );
        let can = &agent["capabilities"];
        assert_eq!((&can["fork"], &can["gate"]), (&json!(forks), &json!(gate)));
    }
    let session = site.session("say hello").await;
    let told = site.get(&path(&session, "")).await.expect(200);
    assert_eq!(told["capabilities"], status["agents"][0]["capabilities"]);
    assert_eq!(status["missingAgents"], json!(null));
    let told = [(AgentKind::Claude, "2.1.325".to_owned())].into();
    site.world.api.tell_versions(told);
    let status = site.get("/api/v1/status").await.expect(200);
    assert_eq!(status["agents"][1]["version"], "2.1.325");
    assert_eq!(status["url"], format!("http://{}", site.address));
}

#[tokio::test]
async fn the_document_is_served_for_programs_and_for_people() {
    let site = Site::new().await;
    let document = site.get("/api/openapi.json").await.expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    let names = "Envelope LiveFrame ClientFrame ServerFrame Problem SessionRow";
    for name in names.split_whitespace() {
        assert!(
            document["components"]["schemas"][name].is_object(),
            "{name}"
        );
    }
    let page = site.ask("GET", "/api/docs").bearer("").send().await;
    let text = String::from_utf8(page.body.to_vec()).unwrap();
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(text.contains("GET /api/v1/sessions/{id}/events"));
    assert!(!text.contains("<script") && !text.contains("style="));
}

#[tokio::test]
async fn every_reference_in_the_document_leads_somewhere() {
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(target)) = fields.get("$ref") {
                    found.push(target.clone());
                }
                fields.values().for_each(|one| references(one, found));
            }
            Value::Array(items) => items.iter().for_each(|one| references(one, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let document = baton_server::http::openapi::document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 100);
    for target in found {
        let pointer = target.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{target}");
    }
}

#[tokio::test]
async fn the_page_is_there_for_every_path_that_is_nobodys() {
    let site = Site::new().await;
    for path in ["/", "/s/ses_1", "/p/shop/", "/settings"] {
        let page = site.ask("GET", path).bearer("").send().await;
        assert_eq!(page.status, 200, "{path}");
        assert!(
            page.header("content-type").starts_with("text/html"),
            "{path}"
        );
    }
    let post = site.ask("POST", "/settings").bearer("").send().await;
    assert_eq!(post.problem().0, 404);
}

#[tokio::test]
async fn a_session_is_sent_to_steered_and_ended() {
    let (site, id) = Site::at("hello", "idle").await;
    let one = site.get(&path(&id, "")).await.expect(200);
    assert_eq!(one["id"], id.as_str());
    assert_eq!(one["facts"]["seq"], one["eventCount"]);
    let list = site.get("/api/v1/sessions?limit=1").await.expect(200);
    assert_eq!(list["items"][0]["id"], id.as_str());

    let message = json!({"text": "again", "messageId": "7a3a9f54-0a4e-4b87-8f43-3d8b0a1b2c3d"});
    let sent = site.post(&path(&id, "/messages"), message.clone()).await;
    let first = sent.expect(202);
    assert_eq!(first["messageId"], message["messageId"]);
    let again = site.posted(202, &path(&id, "/messages"), message).await;
    assert_eq!(again["messageId"], first["messageId"]);
    let other = json!({"text": "other", "messageId": first["messageId"]});
    let conflict = site.post(&path(&id, "/messages"), other).await;
    assert_eq!(conflict.problem(), (409, "message_id_conflict".into()));
    let empty = site
        .post(&path(&id, "/messages"), json!({"text": " "}))
        .await;
    assert_eq!(empty.problem(), (400, "empty".into()));
    site.until_state(&id, "idle").await;

    let patch = site
        .ask("PATCH", &path(&id, ""))
        .json(&json!({"title": "New"}));
    assert_eq!(patch.send().await.expect(200)["title"], "New");
    let points = site.get(&path(&id, "/checkpoints")).await.expect(200);
    assert!(points["items"].is_array());
    site.get(&path(&id, "/commands")).await.expect(200);

    site.ask("POST", &path(&id, "/stop"))
        .send()
        .await
        .expect(200);
    let ended = site
        .post(&path(&id, "/messages"), json!({"text": "x"}))
        .await;
    assert_eq!(ended.problem(), (409, "session_ended".into()));
    site.ask("POST", &path(&id, "/resume"))
        .send()
        .await
        .expect(200);
}

#[tokio::test]
async fn events_come_in_pages_and_as_a_whole() {
    let site = Site::new().await;
    let id = site.session("tools").await;
    answered(&site, &id, "allow").await;
    site.until_state(&id, "idle").await;
    let mut events = Vec::new();
    let mut after = 0;
    loop {
        let page = site
            .get(&path(&id, &format!("/events?after={after}&limit=3")))
            .await;
        let page = page.expect(200);
        events.extend(page["events"].as_array().unwrap().clone());
        after = page["nextAfter"].as_u64().unwrap();
        if page["done"] == true {
            break;
        }
    }
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], index + 1);
    }
    let export = site.get(&path(&id, "/export")).await;
    let text = String::from_utf8(export.body.to_vec()).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines, events);
    let read = site.get(&path(&id, "/export?format=markdown")).await;
    assert_eq!(read.header("content-type"), "text/markdown; charset=utf-8");
    assert!(read.header("content-disposition").ends_with(".md\""));
    let text = String::from_utf8(read.body.to_vec()).unwrap();
    assert!(text.starts_with("# tools\n\nAgent: demo, in "), "{text}");
    assert!(
        text.contains("## You\n\ntools") && text.contains("\n- **"),
        "{text}"
    );
    let odd = site.get(&path(&id, "/export?format=pdf")).await;
    assert_eq!(odd.problem(), (400, "invalid_request".into()));
    let wrong = site.get(&path(&id, "/events?limit=5001")).await;
    assert_eq!(wrong.problem().0, 400);

    let ended = events
        .iter()
        .find(|event| event["type"] == "tool.completed")
        .unwrap();
    let tool = ended["payload"]["toolUseId"].as_str().unwrap();
    let output = site.get(&path(&id, &format!("/tools/{tool}/output"))).await;
    assert_eq!(output.status, 200);
    assert!(
        output
            .header("content-security-policy")
            .starts_with("sandbox")
    );
    assert!(output.header("content-type").starts_with("text/plain"));
    let none = site.get(&path(&id, "/tools/toolu_nothing/output")).await;
    assert_eq!(none.problem().0, 404);
    if let Some(image) = events.iter().find(|event| event["type"] == "image.output") {
        let image = image["payload"]["imageId"].as_str().unwrap();
        let bytes = site.get(&path(&id, &format!("/images/{image}"))).await;
        assert!(bytes.header("content-type").starts_with("image/"));
    }
}

/// Answers what the session asks until it asks no more.
pub(super) async fn answered(site: &Site, id: &str, decision: &str) {
    let mut commits = site.world.supervisor.store().watch_all();
    loop {
        commits.mark_unchanged();
        let one = site.get(&path(id, "")).await.expect(200);
        for open in one["facts"]["approvals"].as_array().unwrap() {
            let approval = open["approvalId"].as_str().unwrap();
            let mut body = json!({"decision": decision});
            if open["kind"] == "question" {
                body = json!({"decision": "deny"});
            }
            answer(site, id, approval, body).await.expect(200);
        }
        if one["state"] == "idle" {
            return;
        }
        tokio::time::timeout(baton_testkit::LIMIT, commits.changed())
            .await
            .expect("the session goes on")
            .unwrap();
    }
}

async fn answer(site: &Site, id: &str, approval: &str, body: Value) -> Answer {
    site.post(&path(id, &format!("/approvals/{approval}")), body)
        .await
}

#[tokio::test]
async fn an_approval_is_answered_once_and_the_second_hears_who_won() {
    let (site, id) = Site::at("approval", "waiting").await;
    let open = site.get("/api/v1/approvals").await.expect(200);
    assert_eq!(open["items"][0]["sessionId"], id.as_str());
    let approval = open["items"][0]["approval"]["approvalId"].as_str().unwrap();
    let observer = site.device(AccessScope::Observe).await;
    let target = path(&id, &format!("/approvals/{approval}"));
    let weak = site
        .ask("POST", &target)
        .bearer(&observer)
        .json(&json!({"decision": "allow"}));
    assert_eq!(weak.send().await.problem().0, 403);
    answer(&site, &id, approval, json!({"decision": "allow"}))
        .await
        .expect(200);
    let second = answer(&site, &id, approval, json!({"decision": "deny"})).await;
    assert_eq!(second.problem(), (409, "already_answered".into()));
    assert_eq!(second.json()["winner"]["decision"], "allow");
    assert_eq!(second.json()["winner"]["client"]["id"], "token");
    let twice = answer(
        &site,
        &id,
        approval,
        json!({"decision": "deny", "approvalId": approval}),
    );
    assert_eq!(twice.await.problem().0, 400);
}

#[tokio::test]
async fn rules_are_made_tried_and_removed() {
    let site = Site::new().await;
    let body = json!({"rule": "Bash(git status:*)", "decision": "allow", "scope": "user"});
    let made = site.post("/api/v1/rules", body.clone()).await.expect(201);
    let list = site.get("/api/v1/rules").await.expect(200);
    assert_eq!(list["items"][0]["id"], made["id"]);
    let tried = json!({"rule": body["rule"], "decision": "deny"});
    site.post("/api/v1/rules/preview", tried).await.expect(200);
    let id = site.session("hello").await;
    let of = |scope: &str, id: Value| {
        let body = json!({"rule": "Bash(ls:*)", "decision": "deny", "scope": scope, "scopeId": id});
        site.post("/api/v1/rules", body)
    };
    let of_session = of("session", json!(id)).await.expect(201);
    assert_eq!(of_session["scopeId"], id.as_str());
    let project = site.get("/api/v1/projects").await.expect(200)["items"][0].clone();
    for name in ["slug", "id", "path"] {
        let of_project = of("project", project[name].clone()).await.expect(201);
        assert_eq!(of_project["scopeId"], project["id"], "{name}");
    }
    let nobody = "ses_00000000000070008000000000000000";
    assert_eq!(of("session", json!(nobody)).await.problem().0, 404);
    assert_eq!(of("project", json!("nothing")).await.problem().0, 404);
    assert_eq!(of("session", json!(null)).await.problem().0, 400);
    assert_eq!(of("user", json!(id)).await.problem().0, 400);
    let target = format!("/api/v1/rules/{}", made["id"].as_str().unwrap());
    site.ask("DELETE", &target).send().await.expect(200);
    assert_eq!(site.ask("DELETE", &target).send().await.problem().0, 404);
}

#[tokio::test]
async fn an_uploaded_file_goes_with_a_message() {
    let (site, id) = Site::at("hello", "idle").await;
    let upload = site
        .ask("POST", "/api/v1/uploads?name=notes.txt")
        .body("some notes");
    let made = upload.send().await.expect(201);
    assert_eq!(made["bytes"], 10);
    let message = json!({"text": "read", "attachments": [{"uploadId": made["uploadId"]}]});
    site.posted(202, &path(&id, "/messages"), message).await;
    let page = site.get(&path(&id, "/events?limit=5000")).await.expect(200);
    let events = page["events"].as_array().unwrap();
    let message = events
        .iter()
        .rfind(|event| event["type"] == "user.message")
        .unwrap();
    assert_eq!(message["payload"]["attachments"][0]["name"], "notes.txt");
    site.until_state(&id, "idle").await;
    for odd in ["upl_x", "../token", "upl_00000000000000000000000000000000"] {
        let message = json!({"text": "read", "attachments": [{"uploadId": odd}]});
        let answer = site.post(&path(&id, "/messages"), message).await;
        assert_eq!(answer.problem(), (400, "invalid_request".into()), "{odd}");
    }
    let large = site
        .ask("POST", "/api/v1/uploads?name=x")
        .body(vec![0; (20 << 20) + 1]);
    assert_eq!(large.send().await.problem().0, 413);
    let folder = std::fs::read_dir(site.world.sandbox.data().join("uploads")).unwrap();
    assert_eq!(folder.count(), 2, "one file and its label");
}

#[tokio::test]
async fn a_device_signs_in_with_the_token_or_a_link_and_out_again() {
    let site = Site::new().await;
    let login = |body: Value| {
        site.ask("POST", "/api/v1/auth/login")
            .bearer("")
            .json(&body)
            .send()
    };
    let signed = login(json!({"token": site.token, "name": "phone"}))
        .await
        .expect(200);
    let token = signed["token"].as_str().unwrap();
    assert_eq!(signed["device"]["scope"], "admin");
    let body = json!({"scope": "observe"});
    let link = site
        .ask("POST", "/api/v1/auth/links")
        .bearer(token)
        .json(&body);
    let link = link.send().await.expect(201);
    assert!(
        link["url"]
            .as_str()
            .unwrap()
            .starts_with(&format!("http://{}/#link=", site.address))
    );
    let used = login(json!({"link": link["link"]})).await.expect(200);
    assert_eq!(used["device"]["scope"], "observe");
    assert_eq!(login(json!({"link": link["link"]})).await.problem().0, 401);
    assert_eq!(login(json!({"token": "wrong"})).await.problem().0, 401);
    assert_eq!(login(json!({"pin": "123456"})).await.problem().0, 401);
    assert_eq!(login(json!({})).await.problem().0, 400);
    let out = site
        .ask("POST", "/api/v1/auth/logout")
        .bearer(token)
        .send()
        .await;
    assert_eq!(out.status, 204);
    let after = site.ask("GET", "/api/v1/status").bearer(token).send().await;
    assert_eq!(after.status, 401);
}

#[tokio::test]
async fn answers_are_compressed_for_who_wants_that() {
    let site = Site::new().await;
    let ask = site
        .ask("GET", "/api/openapi.json")
        .header("accept-encoding", "gzip");
    let answer = ask.send().await;
    assert_eq!(answer.header("content-encoding"), "gzip");
    assert!(answer.body.len() < 100_000);
}
