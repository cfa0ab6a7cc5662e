//! Whom every route lets in. The routes come from the document, which is made
//! of the table, so a new one cannot be forgotten.

use baton_protocol::{
    api::Command,
    words::{AccessScope, Json},
};
use baton_server::http::openapi;
use baton_testkit::LIMIT;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::tungstenite;

use super::client::Site;

/// Every path and method: path as it can be asked for, and what it needs.
pub(super) fn routes() -> Vec<(String, String, Option<String>)> {
    let document = openapi::document();
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let scope = operation["x-scope"].as_str().map(str::to_owned);
            let wanted = operation["security"] == Value::Array(vec![]);
            assert_eq!(scope.is_none(), wanted);
            let mut filled = String::new();
            for part in path.split('/').skip(1) {
                filled.push('/');
                filled.push_str(if part.starts_with('{') { "x" } else { part });
            }
            let method = method.to_ascii_uppercase();
            routes.push((method.clone(), filled.clone(), scope.clone()));
            if operation["x-in-project"] == true {
                routes.push((method, format!("/p/x{filled}"), scope));
            }
        }
    }
    assert!(routes.len() > 50, "{}", routes.len());
    routes
}

#[tokio::test]
async fn without_a_credential_only_the_documented_routes_answer() {
    let site = Site::new().await;
    for (method, path, scope) in routes() {
        let answer = site.ask(&method, &path).bearer("").send().await;
        if scope.is_none() {
            assert!(!matches!(answer.status, 401 | 403), "{method} {path}");
            continue;
        }
        let refused = (401, "unauthorized".to_owned());
        assert_eq!(answer.problem(), refused, "{method} {path}");
        assert!(answer.header("www-authenticate").starts_with("Bearer"));
    }
}

#[tokio::test]
async fn a_wrong_credential_is_none() {
    let site = Site::new().await;
    let token = site.token.clone();
    let mut last = token.clone();
    last.pop();
    for wrong in [
        "x",
        &token[1..],
        &last,
        &format!("{token}x"),
        &token.to_uppercase(),
    ] {
        let answer = site.ask("GET", "/api/v1/status").bearer(wrong).send().await;
        assert_eq!(answer.problem().0, 401, "{wrong}");
    }
    for (method, path, scope) in routes() {
        let answer = site.ask(&method, &path).bearer("wrong").send().await;
        assert!(scope.is_none() || answer.status == 401, "{method} {path}");
    }
    for value in ["", "Basic abc", "Bearer", "Bearer  ", &token] {
        let ask = site
            .ask("GET", "/api/v1/status")
            .header("authorization", value);
        assert_eq!(ask.send().await.status, 401, "{value}");
    }
    let in_the_url = format!("/api/v1/status?token={token}&access_token={token}");
    let answer = site.ask("GET", &in_the_url).bearer("").send().await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn a_scope_that_is_too_weak_is_refused_everywhere() {
    let site = Site::new().await;
    let observer = site.device(AccessScope::Observe).await;
    let operator = site.device(AccessScope::Operate).await;
    for (method, path, scope) in routes() {
        let Some(scope) = scope else { continue };
        for (token, has) in [(&observer, "observe"), (&operator, "operate")] {
            let rank = |scope: &str| {
                ["observe", "operate", "admin"]
                    .iter()
                    .position(|one| *one == scope)
            };
            // Signing out is for everyone, and would end the test.
            if path.ends_with("/auth/logout") {
                continue;
            }
            let answer = site.ask(&method, &path).bearer(token).send().await;
            if rank(has) < rank(&scope) {
                let refused = (403, "forbidden".to_owned());
                assert_eq!(answer.problem(), refused, "{has}: {method} {path}");
            } else {
                assert!(
                    !matches!(answer.status, 401 | 403),
                    "{has}: {method} {path}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_foreign_host_or_origin_is_refused_before_anything_else() {
    let site = Site::new().await;
    let port = site.address.port();
    let own = format!("http://127.0.0.1:{port}");
    for (method, path, _) in routes() {
        for host in ["evil.example", "127.0.0.1", &format!("evil.example:{port}")] {
            let answer = site.ask(&method, &path).header("host", host).send().await;
            let refused = (403, "wrong_host".to_owned());
            assert_eq!(answer.problem(), refused, "{method} {path} {host}");
        }
        for origin in ["null", "http://127.0.0.1:1", "https://evil.example"] {
            let ask = site.ask(&method, &path).header("origin", origin);
            let refused = (403, "foreign_origin".to_owned());
            assert_eq!(
                ask.send().await.problem(),
                refused,
                "{method} {path} {origin}"
            );
        }
        let answer = site.ask(&method, &path).header("origin", &own).send().await;
        assert_ne!(answer.status, 403, "{method} {path}");
    }
}

#[tokio::test]
async fn a_revoked_device_is_out_at_once_and_everywhere() {
    let site = Site::new().await;
    let token = site.device(AccessScope::Admin).await;
    let asking = || site.ask("GET", "/api/v1/status").bearer(&token).send();
    assert_eq!(asking().await.status, 200);
    let devices = site.get("/api/v1/auth/devices").await.expect(200);
    let id = devices["items"][0]["id"].as_str().unwrap();
    let path = format!("/api/v1/auth/devices/{id}");
    let gone = site.ask("DELETE", &path).send().await;
    assert_eq!(gone.status, 204);
    for (method, path, scope) in routes() {
        let answer = site.ask(&method, &path).bearer(&token).send().await;
        assert!(scope.is_none() || answer.status == 401, "{method} {path}");
    }
    assert_eq!(site.ask("DELETE", &path).send().await.problem().0, 404);
}

/// Every path that takes WebSockets, a project's too.
fn sockets() -> Vec<String> {
    let routes = routes().into_iter();
    let sockets: Vec<String> = routes
        .filter(|(_, path, _)| path.ends_with("/ws"))
        .map(|(_, path, _)| path.replace("/p/x/", "/p/project/"))
        .collect();
    assert!(sockets.len() >= 2, "{sockets:?}");
    sockets
}

#[tokio::test]
async fn every_upgrade_needs_a_credential_that_counts() {
    let site = Site::new().await;
    site.session("text").await;
    let revoked = site.device(AccessScope::Admin).await;
    let out = site.ask("POST", "/api/v1/auth/logout").bearer(&revoked);
    assert_eq!(out.send().await.status, 204);
    let observer = site.device(AccessScope::Observe).await;
    for path in sockets() {
        for wrong in ["wrong", revoked.as_str()] {
            let value = format!("Bearer {wrong}");
            let refused = site.upgrade_at(&path, &[("authorization", &value)]).await;
            let Err(tungstenite::Error::Http(response)) = refused else {
                panic!("{path} was opened with {value}");
            };
            assert_eq!(response.status(), 401, "{path}");
            let mut socket = site.upgrade_at(&path, &[]).await.unwrap();
            socket.say(&json!({"type": "hello", "token": wrong})).await;
            let refused = socket.next().await.unwrap();
            assert_eq!(refused["problem"]["code"], "unauthorized", "{path}");
            assert_eq!(socket.next().await, Err(Some(1008)), "{path}");
        }
        // No credential at all: the first command is not carried out.
        let mut socket = site.upgrade_at(&path, &[]).await.unwrap();
        socket
            .say(&json!({"type": "command", "id": "1", "command": "sessions"}))
            .await;
        let refused = socket.next().await.unwrap();
        assert_eq!(refused["problem"]["code"], "unauthorized", "{path}");
        // Too weak: it looks, and does nothing.
        let mut socket = site.upgrade_at(&path, &[]).await.unwrap();
        let hello = json!({"type": "hello", "token": observer});
        socket.say(&hello).await;
        assert_eq!(socket.next().await.unwrap()["type"], "welcome", "{path}");
        let looked = socket.ask("sessions", None, json!({})).await;
        assert_eq!(looked["ok"], true, "{path}");
        let rule = json!({"rule": "Bash", "decision": "allow", "scope": "project"});
        let refused = socket.ask("rule.add", None, rule).await;
        assert_eq!(refused["problem"]["code"], "forbidden", "{path}");
    }
}

#[tokio::test]
async fn nobody_learns_which_projects_there_are_without_signing_in() {
    let site = Site::new().await;
    site.session("text").await;
    let mut told = Vec::new();
    for name in ["project", "nothing"] {
        let path = format!("/p/{name}/ws");
        // Neither by asking for an upgrade, nor by asking for anything else.
        let plain = site.ask("GET", &path).bearer("").send().await;
        let mut socket = site.upgrade_at(&path, &[]).await.unwrap();
        socket.say(&json!({"type": "hello", "token": "x"})).await;
        let refused = socket.next().await.unwrap();
        let status = format!("/p/{name}/api/v1/status");
        let status = site.ask("GET", &status).bearer("").send().await;
        told.push((plain.json(), refused, status.json()));
    }
    assert_eq!(told[0], told[1]);
    // Who is signed in hears it, by header and by the first message.
    let value = format!("Bearer {}", site.token);
    let headers = [("authorization", value.as_str())];
    let refused = site.upgrade_at("/p/nothing/ws", &headers).await;
    let Err(tungstenite::Error::Http(response)) = refused else {
        panic!("there is no such project");
    };
    assert_eq!(response.status(), 404);
    let mut socket = site.upgrade_at("/p/nothing/ws", &[]).await.unwrap();
    let hello = json!({"type": "hello", "token": site.token});
    socket.say(&hello).await;
    let refused = socket.next().await.unwrap();
    assert_eq!(refused["problem"]["code"], "not_found");
}

/// A payload that each command takes, so that only the scope can be wrong.
fn payload(command: &str) -> Value {
    let id = "8d7f7a1e-2f9b-4c64-9b3c-0d1b8a1f1a11";
    match command {
        "create" => json!({"project": "project", "agent": "demo", "prompt": "x"}),
        "message" => json!({"text": "x"}),
        "take_back" | "queue.move" | "queue.now" => json!({"messageId": id}),
        "queue.edit" => json!({"messageId": id, "text": "x"}),
        "model" => json!({"model": "x"}),
        "permission-mode" => json!({"mode": "plan"}),
        "rewind" => json!({"checkpointId": id}),
        "title" => json!({"title": "x"}),
        "stop-task" => json!({"taskId": "x"}),
        "budget" => json!({"maxBudgetUsd": 1.0}),
        "memory" => json!({"memory": "log"}),
        "approve" => {
            json!({"approvalId": "apr_00000000000000000000000000000001", "decision": "allow"})
        }
        "rule.add" => json!({"rule": "Bash", "decision": "allow", "scope": "user"}),
        "rule.remove" => json!({"ruleId": "rul_00000000000000000000000000000001"}),
        "rule.preview" => json!({"rule": "Bash", "decision": "allow"}),
        "rules.take" => json!({"rules": [], "scope": "user"}),
        "import" => json!({"project": "project", "agentSessionId": id}),
        "project.clone" => json!({"url": "https://127.0.0.1:9/x"}),
        "clone.state" | "clone.cancel" => json!({"id": "x"}),
        "project.add" => json!({"path": "/nowhere"}),
        "project.move" => json!({"project": "project", "to": "/nowhere"}),
        "project.update" => json!({"project": "project", "title": "x"}),
        "trust" | "history" | "project" | "project.remove" | "files" | "diff" => {
            json!({"project": "project", "path": null})
        }
        "files.find" => json!({"project": "project", "letters": "x"}),
        "files.search" => json!({"project": "project", "text": "x"}),
        "file" => json!({"project": "project", "path": "x"}),
        "search" => json!({"q": "x"}),
        "comments" | "choices" | "warm" => json!({"project": "project"}),
        "comment.resolve" => json!({"project": "project", "commentId": "x", "resolved": true}),
        "comment.remove" => json!({"project": "project", "commentId": "x"}),
        "comment.add" => json!({"project": "project", "path": "x", "body": "x"}),
        "backup" => json!({"path": "/nowhere/backup"}),
        _ => json!({}),
    }
}

#[tokio::test]
async fn an_observer_is_refused_every_command_that_changes_something() {
    let (site, id) = Site::at("approval", "waiting").await;
    let before = site.get("/api/v1/sessions").await.expect(200);
    let token = site.device(AccessScope::Observe).await;
    let mut socket = site.signed(&token).await;
    let mut refused = 0;
    for name in Command::NAMES {
        let mut payload = payload(name);
        let fields = payload.as_object_mut().unwrap();
        fields.retain(|_, value| !value.is_null());
        let command = Command::parse(name, Some(&Json::of(&payload)));
        let command = command.unwrap_or_else(|problem| panic!("{name}: {problem}"));
        if command.scope() == AccessScope::Observe {
            continue;
        }
        let reply = socket.ask(name, Some(&id), payload).await;
        assert_eq!(reply["problem"]["code"], "forbidden", "{name}: {reply}");
        refused += 1;
    }
    assert!(refused > 15, "{refused}");
    for daemon in [
        json!({"cmd": "set_pin", "pin": null}),
        json!({"cmd": "make_link"}),
        json!({"cmd": "rotate_token"}),
        json!({"cmd": "shutdown"}),
        json!({"cmd": "add_project", "path": "/"}),
    ] {
        socket.say(&daemon).await;
        let reply = socket.next().await.unwrap();
        assert_eq!(reply["problem"]["code"], "unknown_command", "{daemon}");
    }
    assert_eq!(site.get("/api/v1/sessions").await.expect(200), before);
}

#[tokio::test]
async fn a_device_that_is_revoked_while_it_still_sends_is_out() {
    let site = Site::new().await;
    let session = site.session("text").await;
    let token = site.device(AccessScope::Operate).await;
    let body = r#"{"text": "one more", "queue": true}"#;
    let (first, rest) = body.split_at(5);
    let head = format!(
        "POST /api/v1/sessions/{session}/messages HTTP/1.1\r\nHost: {}\r\n\
         Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
        site.address,
        body.len()
    );
    let mut stream = TcpStream::connect(site.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server asks for the body: it has looked at the token.
    let mut asked = [0; 12];
    let reading = stream.read_exact(&mut asked);
    timeout(LIMIT, reading).await.unwrap().unwrap();
    assert_eq!(&asked, b"HTTP/1.1 100");
    stream.write_all(first.as_bytes()).await.unwrap();

    let devices = site.get("/api/v1/auth/devices").await.expect(200);
    let id = devices["items"][0]["id"].as_str().unwrap();
    let path = format!("/api/v1/auth/devices/{id}");
    assert_eq!(site.ask("DELETE", &path).send().await.status, 204);

    stream.write_all(rest.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let reading = stream.read_to_string(&mut answer);
    timeout(LIMIT, reading).await.unwrap().unwrap();
    assert!(answer.contains("HTTP/1.1 401"), "{answer}");
}

#[tokio::test]
async fn every_answer_has_the_headers_that_keep_browsers_safe() {
    let site = Site::new().await;
    let paths = "/ /api/docs /api/v1/status /healthz /nothing.js /api/v1/x";
    for path in paths.split_whitespace() {
        let answer = site.get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path}: {policy}");
        let part = "frame-ancestors 'none'";
        assert!(policy.contains(part), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(answer.header(name), value, "{path}");
        }
        // The page alone may be kept, and is asked for by its tag.
        if path != "/" {
            assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        }
        assert_eq!(answer.header("access-control-allow-origin"), "");
        assert_eq!(answer.header("set-cookie"), "");
        assert!(!answer.header("x-request-id").is_empty());
    }
}

#[tokio::test]
async fn odd_paths_reach_nothing() {
    let site = Site::new().await;
    let paths = "/api/v1/sessions/..%2f..%2fstatus /api/v1/sessions/%00 /api/v1/sessions/%ff
        /api/v1//status /api/v1/status/ /p/..%2f/api/v1/status /p/%2fetc/api/v1/status
        /assets/..%2findex.html /assets/%2e%2e/%2e%2e/etc/passwd";
    for path in paths.split_whitespace() {
        let answer = site.get(path).await;
        assert!(
            matches!(answer.status, 400 | 404),
            "{path}: {}",
            answer.status
        );
    }
}
