//! Signing in over HTTP: what guessing gets, and what it does not.

use serde_json::{Value, json};

use super::client::{Answer, Site};

const PIN: &str = "839102";

async fn login(site: &Site, body: Value) -> Answer {
    let ask = site.ask("POST", "/api/v1/auth/login").bearer("");
    ask.json(&body).send().await
}

#[tokio::test]
async fn guessing_the_pin_is_limited_and_keeps_nobody_from_the_token() {
    let site = Site::new().await;
    let auth = site.world.api.auth();
    auth.set_pin(Some(PIN.into())).await.unwrap();
    for guess in 0..5 {
        let wrong = format!("58310{guess}");
        let answer = login(&site, json!({"pin": wrong})).await;
        assert_eq!(answer.problem(), (401, "unauthorized".into()));
        assert!(!answer.json().to_string().contains(&wrong));
    }
    // The right one is not looked at any more, and headers do not change who asks.
    for header in ["x-forwarded-for", "forwarded", "x-real-ip", "x-request-id"] {
        let ask = site.ask("POST", "/api/v1/auth/login").bearer("");
        let ask = ask.header(header, "192.0.2.7").json(&json!({"pin": PIN}));
        let limited = ask.send().await;
        assert_eq!(limited.problem(), (429, "too_many_attempts".into()));
        let wait: u64 = limited.header("retry-after").parse().unwrap();
        assert!((1..=15 * 60).contains(&wait), "{wait}");
    }
    let token = login(&site, json!({"token": site.token})).await;
    assert_eq!(token.expect(200)["device"]["scope"], "admin");
    let link = site.post("/api/v1/auth/links", json!({})).await.expect(201);
    let guest = login(&site, json!({"link": link["link"]})).await;
    assert_eq!(guest.expect(200)["device"]["scope"], "operate");
}

#[tokio::test]
async fn a_login_is_a_few_bytes_and_exactly_one_secret() {
    let site = Site::new().await;
    for odd in [
        json!({}),
        json!({"pin": PIN, "token": "x"}),
        json!({"pin": null}),
        json!({"pin": 839_102}),
        json!({"pin": PIN, "scope": "admin"}),
        json!([PIN]),
    ] {
        let answer = login(&site, odd.clone()).await;
        assert_eq!(answer.problem().0, 400, "{odd}");
    }
    let long = json!({"pin": PIN, "name": "x".repeat(4096)});
    assert_eq!(login(&site, long).await.problem(), (413, "too_long".into()));
    // What a browser sends without asking first is not taken.
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let ask = site.ask("POST", "/api/v1/auth/login").bearer("");
        let ask = ask.json(&json!({"pin": PIN})).header("content-type", kind);
        assert_eq!(ask.send().await.problem().0, 415, "{kind}");
    }
}

#[tokio::test]
async fn an_answer_is_taken_once_whoever_says_it_again() {
    let (site, id) = Site::at("approval", "waiting").await;
    let open = site.get("/api/v1/approvals").await.expect(200);
    let approval = open["items"][0]["approval"]["approvalId"].as_str().unwrap();
    let path = format!("/api/v1/sessions/{id}/approvals/{approval}");
    let (allow, deny) = (json!({"decision": "allow"}), json!({"decision": "deny"}));
    let (one, two) = tokio::join!(site.post(&path, deny), site.post(&path, allow.clone()));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let loser = if one.status == 409 { one } else { two };
    assert_eq!(loser.problem().1, "already_answered");
    let winner = loser.json()["winner"].clone();
    site.until_state(&id, "idle").await;
    // Said again after the turn, over either transport, it changes nothing.
    let replayed = site.post(&path, allow).await;
    assert_eq!(replayed.problem(), (409, "already_answered".into()));
    assert_eq!(replayed.json()["winner"], winner);
    let mut socket = site.signed(&site.token).await;
    let body = json!({"approvalId": approval, "decision": "allow"});
    let replayed = socket.ask("approve", Some(&id), body).await;
    assert_eq!(replayed["problem"]["winner"], winner);
    let path = format!("/api/v1/sessions/{id}/events?limit=5000");
    let events = site.get(&path).await.expect(200);
    let resolved = events["events"].as_array().unwrap().iter();
    let resolved = resolved.filter(|event| event["type"] == "approval.resolved");
    assert_eq!(resolved.count(), 1);
}

#[tokio::test]
async fn an_approval_is_answered_in_its_own_session_only() {
    let site = Site::new().await;
    let (one, two) = (site.session("approval").await, site.session("text").await);
    site.until_state(&one, "waiting").await;
    let open = site.get("/api/v1/approvals").await.expect(200);
    let approval = open["items"][0]["approval"]["approvalId"].as_str().unwrap();
    let path = format!("/api/v1/sessions/{two}/approvals/{approval}");
    let answer = site.post(&path, json!({"decision": "allow"})).await;
    assert_eq!(answer.problem(), (404, "not_found".into()));
    let open = site.get("/api/v1/approvals").await.expect(200);
    assert_eq!(open["items"].as_array().unwrap().len(), 1);
}
