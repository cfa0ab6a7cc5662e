//! Projects over HTTP, and paths that are limited to one of them.

use serde_json::{Value, json};

use super::client::Site;

/// Two projects, each with a file and an idle session: slug and session.
async fn two(site: &Site) -> [(String, String); 2] {
    let mut made = Vec::new();
    for name in ["shop", "blog"] {
        let folder = site.world.sandbox.project().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("notes.txt"), format!("of the {name}\n")).unwrap();
        let body = json!({"path": folder.display().to_string()});
        let project = site.post("/api/v1/projects", body).await.expect(201);
        assert_eq!(project["slug"], name);
        let path = format!("/api/v1/projects/{name}/sessions");
        let body = json!({"agent": "demo", "prompt": "text"});
        let session = site.post(&path, body).await.expect(201);
        let session = session["id"].as_str().unwrap().to_owned();
        site.until_state(&session, "idle").await;
        made.push((name.to_owned(), session));
    }
    made.try_into().unwrap()
}

fn ids(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_project_is_listed_shown_renamed_and_removed() {
    let site = Site::new().await;
    let [(shop, session), _] = two(&site).await;
    let list = site.get("/api/v1/projects").await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 2);
    let path = format!("/api/v1/projects/{shop}");
    site.get(&path).await.expect(200);
    let renamed = site
        .ask("PATCH", &path)
        .json(&json!({"title": "Shop"}))
        .send()
        .await;
    assert_eq!(renamed.expect(200)["title"], "Shop");
    let sessions = site.get(&format!("{path}/sessions")).await.expect(200);
    assert_eq!(ids(&sessions), [session.as_str()]);
    let files = site.get(&format!("{path}/files")).await.expect(200);
    assert_eq!(files["items"][0]["name"], "notes.txt");
    let file = site.got(200, &format!("{path}/file?path=notes.txt")).await;
    assert_eq!(file["text"], "of the shop\n");
    let trust = site.get(&format!("{path}/trust")).await.expect(200);
    assert!(trust["items"].is_array() && trust["digest"].is_string());
    let digest = trust["digest"].as_str().unwrap();
    let reads = format!("{path}/trust?accept=true&digest={digest}");
    assert_eq!(
        site.get(&reads).await.problem().0,
        400,
        "a GET decides nothing"
    );
    let still = site.get(&format!("{path}/trust")).await.expect(200);
    assert_eq!(still["trusted"], false);
    site.get(&format!("{path}/history")).await.expect(200);
    let hits = site.get("/api/v1/search?q=text").await.expect(200);
    assert_eq!(hits["items"].as_array().unwrap().len(), 2);
    site.get("/api/v1/usage").await.expect(200);
    site.ask("POST", "/api/v1/projects/scan")
        .send()
        .await
        .expect(200);
    site.ask("DELETE", &path).send().await.expect(200);
    assert_eq!(site.get(&path).await.problem(), (404, "not_found".into()));
    site.got(200, &format!("/api/v1/sessions/{session}")).await;
}

#[tokio::test]
async fn files_outside_the_project_are_not_there() {
    let site = Site::new().await;
    let [(shop, _), _] = two(&site).await;
    std::os::unix::fs::symlink("/etc", site.world.sandbox.project().join("shop/out")).unwrap();
    let path = format!("/api/v1/projects/{shop}/file");
    let odds = "../blog/notes.txt ..%2fblog%2fnotes.txt %2e%2e/blog/notes.txt /etc/passwd
        out/passwd notes.txt%00.png ....//blog/notes.txt -x";
    for odd in odds.split_whitespace() {
        let answer = site.get(&format!("{path}?path={odd}")).await;
        assert!(matches!(answer.problem().0, 400 | 403 | 404 | 409), "{odd}");
    }
    for slug in ["%2fetc", "..", "%2e%2e", "nothing"] {
        let answer = site.get(&format!("/api/v1/projects/{slug}/files")).await;
        assert!(matches!(answer.status, 400 | 404), "{slug}");
    }
}

#[tokio::test]
async fn below_a_project_nothing_of_another_is_there() {
    let site = Site::new().await;
    let [(_, own), (_, other)] = two(&site).await;
    let shop = "/p/shop/api/v1";
    let list = site.get(&format!("{shop}/sessions")).await.expect(200);
    assert_eq!(ids(&list), [own.as_str()]);
    site.got(200, &format!("{shop}/sessions/{own}")).await;
    let hits = site.get(&format!("{shop}/search?q=text")).await.expect(200);
    assert_eq!(hits["items"].as_array().unwrap().len(), 1);
    for rest in [
        format!("/sessions/{other}"),
        format!("/sessions/{other}/events"),
        format!("/sessions/{other}/export"),
        "/projects/blog".to_owned(),
        "/projects/blog/files".to_owned(),
        "/projects/blog/sessions".to_owned(),
        "/search?q=text&project=blog".to_owned(),
    ] {
        let answer = site.get(&format!("{shop}{rest}")).await;
        assert_eq!(answer.problem(), (404, "not_found".into()), "{rest}");
    }
    let message = json!({"text": "x"});
    let sent = site
        .post(&format!("{shop}/sessions/{other}/messages"), message)
        .await;
    assert_eq!(sent.problem().0, 404);
    let rule = json!({"rule": "Bash(ls)", "decision": "allow", "scope": "user"});
    let made = site.post(&format!("{shop}/rules"), rule).await;
    assert_eq!(made.problem().0, 403);
    site.get(&format!("{shop}/approvals")).await.expect(200);
    site.get(&format!("{shop}/rules")).await.expect(200);
    let status = site.get(&format!("{shop}/status")).await.expect(200);
    let counts = status["sessions"].as_object().unwrap().values();
    assert_eq!(counts.filter_map(Value::as_u64).sum::<u64>(), 1, "{status}");
    assert_eq!(status["projects"], 1);
    let all = site.get("/api/v1/status").await.expect(200);
    let counts = all["sessions"].as_object().unwrap().values();
    assert_eq!(counts.filter_map(Value::as_u64).sum::<u64>(), 2, "{all}");
    assert_eq!(
        site.get("/p/nothing/api/v1/sessions").await.problem().0,
        404
    );
}
