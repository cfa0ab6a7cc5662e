//! What is open, what was answered, and one form of a session for everybody.

use serde_json::{Value, json};

use super::{
    client::Site,
    routes::{answered, path},
};

async fn open(site: &Site, id: &str) -> Value {
    let all = site.get("/api/v1/approvals").await.expect(200);
    let items = all["items"].as_array().unwrap().iter();
    let mut here = items.filter(|open| open["sessionId"] == id);
    here.next().unwrap().clone()
}

#[tokio::test]
async fn an_open_approval_is_told_with_its_place_and_time_wherever_it_is_told() {
    let (site, id) = Site::at("approval", "waiting").await;
    let listed = open(&site, &id).await;
    let one = site.get(&path(&id, "")).await.expect(200);
    let fact = &one["facts"]["approvals"][0];
    assert_eq!(fact["seq"], listed["seq"]);
    assert_eq!(fact["requestedAt"], listed["requestedAt"]);
    assert_eq!(fact["approvalId"], listed["approval"]["approvalId"]);
    let at = fact["seq"].as_u64().unwrap() - 1;
    let page = site
        .get(&path(&id, &format!("/events?after={at}&limit=1")))
        .await;
    let event = &page.expect(200)["events"][0];
    assert_eq!(event["type"], "approval.requested");
    assert_eq!(event["ts"], fact["requestedAt"]);
}

#[tokio::test]
async fn a_session_has_one_form_over_http_the_websocket_and_the_control_socket() {
    let (site, id) = Site::at("hello", "idle").await;
    let over_http = site.get(&path(&id, "")).await.expect(200);
    let mut socket = site.signed(&site.token).await;
    let reply = socket.ask("session", Some(&id), json!({})).await;
    assert_eq!(reply["result"], over_http);
    let mut client = site.world.client("terminal");
    let told = client.ask("session", Some(&id), json!({})).await.unwrap();
    assert_eq!(told, over_http);
    let list = site.get("/api/v1/sessions").await.expect(200);
    for (field, value) in list["items"][0].as_object().unwrap() {
        assert_eq!(&over_http[field], value, "{field}");
    }
}

#[tokio::test]
async fn what_was_answered_is_listed_the_newest_first_and_in_parts() {
    let site = Site::new().await;
    let mut ids = Vec::new();
    for decision in ["allow", "deny", "allow"] {
        let id = site.session("approval").await;
        answered(&site, &id, decision).await;
        ids.push(id);
    }
    let waits = site.session("approval").await;
    site.until_state(&waits, "waiting").await;
    ids.reverse();

    let whole = site.get("/api/v1/approvals/past").await.expect(200);
    let items = whole["items"].as_array().unwrap();
    let told: Vec<&str> = items
        .iter()
        .map(|past| past["sessionId"].as_str().unwrap())
        .collect();
    assert_eq!(told, ids, "and nothing that is open");
    assert_eq!(whole["next"], Value::Null);
    for past in items {
        let wanted = &past["approval"]["approvalId"];
        assert_eq!(past["resolved"]["approvalId"], *wanted);
        assert!(past["resolvedSeq"].as_u64() > past["seq"].as_u64());
        assert!(past["resolvedAt"].as_str() >= past["requestedAt"].as_str());
        assert!(past["projectId"].is_string());
    }
    assert_eq!(items[1]["resolved"]["decision"], "deny");

    let mut parts = Vec::new();
    let mut cursor = String::new();
    loop {
        let part = site
            .got(200, &format!("/api/v1/approvals/past?limit=2{cursor}"))
            .await;
        parts.extend(part["items"].as_array().unwrap().clone());
        let Some(next) = part["next"].as_str() else {
            break;
        };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(&parts, items);
    for wrong in ["limit=0", "limit=501", "cursor=x", "odd=1"] {
        let answer = site.get(&format!("/api/v1/approvals/past?{wrong}")).await;
        assert_eq!(answer.problem().0, 400, "{wrong}");
    }
    let none = site.get("/api/v1/approvals/past?project=nothing").await;
    assert_eq!(none.problem().0, 404);
    let project = site.get("/api/v1/projects").await.expect(200)["items"][0]["slug"].clone();
    let below = format!("/p/{}/api/v1/approvals/past", project.as_str().unwrap());
    assert_eq!(site.get(&below).await.expect(200), whole);
}

#[tokio::test]
async fn no_cost_is_zero_and_not_less() {
    let site = Site::new().await;
    let usage = site.get("/api/v1/usage").await;
    let text = String::from_utf8(usage.body.to_vec()).unwrap();
    assert!(text.contains("\"totalCostUsd\":0.0"), "{text}");
}

#[tokio::test]
async fn a_daemon_that_cannot_look_around_says_so() {
    let site = Site::new().await;
    let doctor = site.get("/api/v1/doctor").await;
    assert_eq!(doctor.problem(), (409, "unsupported".into()));
}

/// An image of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

#[tokio::test]
async fn a_message_sent_again_has_nothing_fetched_again() {
    let (site, id) = Site::at("hello", "idle").await;
    let messages = path(&id, "/messages");
    let send = |files: Value| {
        let message_id = "7a3a9f54-0a4e-4b87-8f43-3d8b0a1b2c3d";
        let body = json!({"text": "look", "messageId": message_id, "attachments": files});
        site.post(&messages, body)
    };
    let first = send(json!([{"name": "pixel.png", "data": PIXEL}])).await;
    let first = first.expect(202);
    site.until_state(&id, "idle").await;
    // Nobody is at this address: what the session has already is what counts.
    let elsewhere = json!({"url": "https://cdn.discordapp.com/1/pixel.png"});
    let again = send(json!([elsewhere])).await.expect(202);
    assert_eq!(again["messageId"], first["messageId"]);
    assert_eq!(again["turn"], first["turn"]);
    let more = send(json!([elsewhere, elsewhere])).await;
    assert_eq!(more.problem(), (409, "message_id_conflict".into()));
    let other = json!({"url": "https://cdn.discordapp.com/1/other.png"});
    let other = send(json!([other])).await;
    assert_eq!(other.problem(), (409, "message_id_conflict".into()));
}

#[tokio::test]
async fn too_many_files_are_a_wrong_request_and_no_want_of_a_place() {
    let (site, id) = Site::at("hello", "idle").await;
    let files = |count: usize| {
        let file = |number| json!({"name": format!("{number}.png"), "data": PIXEL});
        (0..count).map(file).collect::<Vec<Value>>()
    };
    let body = |count: usize| json!({"text": "look", "attachments": files(count)});
    let messages = path(&id, "/messages");
    let refused = site.post(&messages, body(11)).await;
    assert_eq!(refused.problem(), (400, "invalid_request".into()));
    assert_eq!(refused.json()["errors"][0]["field"], "attachments");
    site.post(&messages, body(10)).await.expect(202);
}

#[tokio::test]
async fn every_list_comes_in_parts_for_who_wants_that() {
    let site = Site::new().await;
    for number in 0..3 {
        let rule =
            json!({"rule": format!("Bash(x{number}:*)"), "decision": "ask", "scope": "user"});
        site.post("/api/v1/rules", rule).await.expect(201);
        site.device(baton_protocol::words::AccessScope::Observe)
            .await;
        let id = site.session("approval").await;
        site.until_state(&id, "waiting").await;
    }
    for list in ["/api/v1/rules", "/api/v1/auth/devices", "/api/v1/approvals"] {
        let whole = site.get(list).await.expect(200);
        assert_eq!(whole["next"], Value::Null, "{list}");
        let items = whole["items"].as_array().unwrap().clone();
        assert_eq!(items.len(), 3, "{list}");
        let first = site.get(&format!("{list}?limit=2")).await.expect(200);
        let next = first["next"].as_str().unwrap();
        let rest = format!("{list}?limit=2&cursor={next}");
        let rest = site.get(&rest).await.expect(200);
        assert_eq!(rest["next"], Value::Null, "{list}");
        let mut parts = first["items"].as_array().unwrap().clone();
        parts.extend(rest["items"].as_array().unwrap().clone());
        assert_eq!(parts, items, "{list}");
        for wrong in ["limit=0", "cursor=nothing"] {
            let wrong = site.get(&format!("{list}?{wrong}")).await;
            assert_eq!(wrong.problem().0, 400, "{list}");
        }
    }
}
