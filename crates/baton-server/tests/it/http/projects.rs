//! Projects over HTTP, and paths that are limited to one of them.

use serde_json::{Value, json};

use super::client::Site;
use crate::world::World;

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

#[tokio::test]
async fn folders_are_shown_below_home_and_the_roots_alone() {
    let world = World::new().await;
    let root = world.sandbox.root().canonicalize().unwrap();
    let home = world.sandbox.home().canonicalize().unwrap();
    let made = [
        home.join("code/shop/.git"),
        home.join(".ssh"),
        home.join(".config/tool"),
        root.join("roots/blog"),
        root.join("elsewhere/secret"),
    ];
    for folder in &made {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::os::unix::fs::symlink(root.join("elsewhere"), home.join("way-out")).unwrap();
    let world = world.searching(baton_server::ProjectSearch {
        roots: vec![root.join("roots")],
        ..Default::default()
    });
    let mut client = world.client("one");
    let names = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().unwrap().iter();
        items
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let top = client.ok("folders", None, json!({})).await;
    assert!(names(&top).contains(&"code".to_owned()), "{top}");
    for hidden in [".ssh", ".config", "way-out"] {
        assert!(!names(&top).contains(&hidden.to_owned()), "{hidden}: {top}");
    }
    assert_eq!(top["parent"], Value::Null);
    assert_eq!(top["roots"], json!([home, root.join("roots")]));
    let code = client.ok("folders", None, json!({"path": "~/code"})).await;
    assert_eq!(names(&code), ["shop"]);
    assert_eq!(code["items"][0]["isRepository"], true);
    assert_eq!(code["parent"], json!(home));
    let other = json!({"path": root.join("roots")});
    assert_eq!(names(&client.ok("folders", None, other).await), ["blog"]);
    for outside in [
        "/".to_owned(),
        "/etc".to_owned(),
        "~/.ssh".to_owned(),
        "~/.config/tool".to_owned(),
        "~/way-out".to_owned(),
        "~/code/../../elsewhere".to_owned(),
        "~/nowhere".to_owned(),
        "~root".to_owned(),
        root.join("elsewhere").display().to_string(),
        world.sandbox.data().display().to_string(),
    ] {
        let body = json!({"path": outside});
        let refused = client.ask("folders", None, body).await.unwrap_err();
        assert_eq!(refused["code"], "invalid_request", "{outside}");
    }
    let added = client.ok("project.add", None, json!({"path": "~/code/shop"}));
    assert_eq!(added.await["path"], json!(home.join("code/shop")));
    let code = client.ok("folders", None, json!({"path": "~/code"})).await;
    assert_eq!(code["items"][0]["project"], "shop");
}

#[tokio::test]
async fn the_demo_has_a_folder_of_its_own_beside_the_data_folder() {
    let site = Site::new().await;
    let made = site.post("/api/v1/demo", json!({})).await.expect(201);
    assert_eq!(made["agent"], "demo");
    let data = site.world.sandbox.data().canonicalize().unwrap();
    let folder = format!("{}-demo", data.display());
    assert_eq!(made["cwd"], json!(folder));
    let list = site.got(200, "/api/v1/projects").await;
    assert_eq!(list["items"][0]["title"], "Demo");
    site.until_state(made["id"].as_str().unwrap(), "idle").await;
}

#[tokio::test]
async fn an_effort_is_one_plain_word() {
    let site = Site::new().await;
    let [(shop, _), _] = two(&site).await;
    let path = format!("/api/v1/projects/{shop}/sessions");
    for wrong in ["", "High", "--model=x", "high low"] {
        let made = site.post(&path, json!({"agent": "demo", "effort": wrong}));
        assert_eq!(made.await.problem().0, 400, "{wrong}");
    }
    let made = site.post(&path, json!({"agent": "demo", "effort": "high"}));
    made.await.expect(201);
}
