//! Review comments over HTTP.

use baton_protocol::words::AccessScope;
use serde_json::json;

use super::client::Site;

async fn project(site: &Site, name: &str) -> String {
    let folder = site.world.sandbox.project().join(name);
    std::fs::create_dir_all(folder.join("src")).unwrap();
    for file in ["src/a.rs", "b.rs"] {
        std::fs::write(folder.join(file), "1\n2\n3\n4\n").unwrap();
    }
    let body = json!({"path": folder.display().to_string()});
    site.post("/api/v1/projects", body).await.expect(201);
    format!("/api/v1/projects/{name}/comments")
}

#[tokio::test]
async fn a_comment_is_kept_listed_and_counted_by_file() {
    let site = Site::new().await;
    let path = project(&site, "shop").await;
    let none = site.get(&path).await.expect(200);
    assert_eq!(none["comments"], json!([]));
    let body = json!({"path": "./src/a.rs", "line": 3, "endLine": 4, "severity": "problem", "body": "Why twice?"});
    let made = site.post(&path, body).await.expect(201);
    assert_eq!(made["path"], "src/a.rs");
    assert!(
        made["author"].is_string() && made["createdAt"].is_string(),
        "{made}"
    );
    let body = json!({"path": "b.rs", "body": "Good.", "author": "Ada"});
    site.post(&path, body).await.expect(201);
    let all = site.get(&path).await.expect(200);
    assert_eq!(all["total"], 2);
    assert_eq!(all["comments"][0], made);
    assert_eq!(all["files"][1], json!({"path": "src/a.rs", "comments": 1}));
    // It follows its lines, and says when they are gone.
    let file = site.world.sandbox.project().join("shop/src/a.rs");
    std::fs::write(&file, "0\n1\n2\n3\n4\n").unwrap();
    let moved = &site.get(&path).await.expect(200)["comments"][0];
    assert_eq!((&moved["line"], &moved["endLine"]), (&json!(4), &json!(5)));
    std::fs::remove_file(&file).unwrap();
    let gone = &site.get(&path).await.expect(200)["comments"][0];
    assert_eq!(gone["outdated"], true);
    let one = site.got(200, &format!("{path}?path=b.rs&limit=1")).await;
    assert_eq!(one["total"], 1);
    assert_eq!(one["comments"][0]["author"], "Ada");
    let other = project(&site, "blog").await;
    assert_eq!(site.get(&other).await.expect(200)["total"], 0);
}

#[tokio::test]
async fn a_comment_is_settled_opened_again_and_removed_and_stays_so() {
    let site = Site::new().await;
    let path = project(&site, "shop").await;
    let add = json!({"path": "src/a.rs", "line": 3, "body": "Why twice?"});
    let made = site.post(&path, add).await.expect(201);
    let other = json!({"path": "src/a.rs", "body": "Good."});
    let other = site.post(&path, other).await.expect(201);
    let one = format!("{path}/{}", made["id"].as_str().unwrap());
    let file = site.world.sandbox.project().join("shop/src/a.rs");
    std::fs::write(&file, "0\n1\n2\n3\n4\n").unwrap();

    let settled = site.ask("PATCH", &one).json(&json!({"resolved": true}));
    let settled = settled.send().await.expect(200);
    assert!(settled["resolved"]["at"].is_string() && settled["resolved"]["by"].is_string());
    // As it is listed: where its lines are now.
    assert_eq!(settled["line"], 4);
    let all = site.get(&path).await.expect(200);
    assert_eq!(all["comments"], json!([settled, other]));
    assert_eq!(all["files"], json!([{"path": "src/a.rs", "comments": 1}]));

    let open = site.ask("PATCH", &one).json(&json!({"resolved": false}));
    assert_eq!(open.send().await.expect(200).get("resolved"), None);
    assert_eq!(site.get(&path).await.expect(200)["files"][0]["comments"], 2);

    let observer = site.device(AccessScope::Observe).await;
    let refused = site.ask("DELETE", &one).bearer(&observer).send().await;
    refused.expect(403);
    site.ask("DELETE", &one).send().await.expect(200);
    let wanted = json!([other]);
    assert_eq!(site.get(&path).await.expect(200)["comments"], wanted);
    // What is gone cannot be changed any more.
    site.ask("DELETE", &one).send().await.expect(404);
    let late = site.ask("PATCH", &one).json(&json!({"resolved": true}));
    late.send().await.expect(404);
    let elsewhere = one.replace("/shop/", "/blog/");
    project(&site, "blog").await;
    site.ask("DELETE", &elsewhere).send().await.expect(404);
}

#[tokio::test]
async fn a_comment_that_makes_no_sense_is_refused_by_its_field() {
    let site = Site::new().await;
    let path = project(&site, "shop").await;
    for (body, field) in [
        (json!({"path": "../secret", "body": "x"}), "path"),
        (json!({"path": "a.rs", "body": " "}), "body"),
        (json!({"path": "a.rs", "body": "x", "line": 0}), "line"),
        (json!({"path": "missing.rs", "body": "x"}), "path"),
        (json!({"path": "b.rs", "body": "x", "line": 99}), "line"),
        (
            json!({"path": "a.rs", "body": "x", "line": 3, "endLine": 2}),
            "endLine",
        ),
    ] {
        let refused = site.post(&path, body).await.expect(400);
        assert_eq!(refused["errors"][0]["field"], field, "{refused}");
    }
    let refused = site.get(&format!("{path}?limit=201")).await.expect(400);
    assert_eq!(refused["errors"][0]["field"], "limit", "{refused}");
    assert_eq!(site.get(&path).await.expect(200)["total"], 0);
}

#[tokio::test]
async fn who_may_only_look_reads_comments_and_adds_none() {
    let site = Site::new().await;
    let path = project(&site, "shop").await;
    let observer = site.device(AccessScope::Observe).await;
    let body = json!({"path": "a.rs", "body": "x"});
    let refused = site.ask("POST", &path).bearer(&observer).json(&body);
    refused.send().await.expect(403);
    let listed = site.ask("GET", &path).bearer(&observer).send().await;
    assert_eq!(listed.expect(200)["total"], 0);
}
