//! Projects, their files and changes, as clients ask for them.

use std::{fs, path::Path, time::Duration};

use baton_project::discovery::Excludes;
use baton_server::ProjectSearch;
use baton_store::RetentionPolicy;
use baton_testkit::LIMIT;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::world::{Client, World};

async fn add(client: &mut Client, folder: &Path) -> Value {
    let body = json!({"path": folder});
    client.ok("project.add", None, body).await
}

async fn list(client: &mut Client) -> Vec<Value> {
    let list = client.ok("projects", None, json!({})).await;
    list["items"].as_array().unwrap().clone()
}

async fn slugs(client: &mut Client) -> Vec<String> {
    let mut slugs: Vec<String> = list(client)
        .await
        .iter()
        .map(|item| item["slug"].as_str().unwrap().to_owned())
        .collect();
    slugs.sort();
    slugs
}

/// Asks for a project until what is known about it is as wanted: facts are
/// looked up in the background.
async fn until(client: &mut Client, slug: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + LIMIT;
    loop {
        let body = json!({"project": slug});
        let project = client.ok("project", None, body).await;
        if wanted(&project) {
            return project;
        }
        assert!(Instant::now() < deadline, "still {project}");
        sleep(Duration::from_millis(20)).await;
    }
}

fn folders(world: &World, names: &[&str]) {
    for name in names {
        fs::create_dir_all(world.sandbox.root().join(name)).unwrap();
    }
}

#[tokio::test]
async fn slugs_stay_with_their_folders() {
    let world = World::new().await;
    let mut client = world.client("one");
    folders(&world, &["a/shop", "b/shop", "c/shop"]);
    let root = world.sandbox.root().to_owned();
    assert_eq!(add(&mut client, &root.join("a/shop")).await["slug"], "shop");
    let wanted = "shop-2";
    assert_eq!(add(&mut client, &root.join("b/shop")).await["slug"], wanted);
    assert_eq!(add(&mut client, &root.join("a/shop")).await["slug"], "shop");
    let gone = client.ask("project.remove", None, json!({"project": "shop"}));
    gone.await.unwrap();
    assert!(root.join("a/shop").is_dir());
    assert_eq!(slugs(&mut client).await, ["shop-2"]);
    let unknown = client
        .ask("project", None, json!({"project": "shop"}))
        .await;
    assert_eq!(unknown.unwrap_err()["code"], "not_found");
    // A slug that was somebody's is nobody else's.
    let wanted = "shop-3";
    assert_eq!(add(&mut client, &root.join("c/shop")).await["slug"], wanted);
    let again = add(&mut client, &root.join("a/shop")).await;
    assert_eq!(again["slug"], "shop");
    assert_eq!(again["name"], "shop");
    let titled = json!({"project": again["id"], "title": "  The shop "});
    let titled = client.ok("project.update", None, titled).await;
    assert_eq!(titled["title"], "The shop");
    let body = json!({"project": root.join("a/shop")});
    let by_path = client.ok("project", None, body).await;
    assert_eq!(by_path["title"], "The shop");
}

#[tokio::test]
async fn what_is_no_folder_is_refused() {
    let world = World::new().await;
    let mut client = world.client("one");
    let file = world.sandbox.root().join("file");
    fs::write(&file, "").unwrap();
    for path in [
        json!("relative"),
        json!(file),
        json!("/does/not/exist"),
        json!(""),
    ] {
        let body = json!({"path": path});
        let refused = client.refused("project.add", None, body).await;
        assert_eq!(refused["code"], "invalid_request", "{path}");
        assert_eq!(refused["errors"][0]["field"], "path");
    }
    let body = json!({"path": world.sandbox.project(), "title": "x".repeat(201)});
    let refused = client.refused("project.add", None, body).await;
    assert_eq!(refused["errors"][0]["field"], "title");
    assert!(list(&mut client).await.is_empty());
}

#[tokio::test]
async fn a_scan_lists_folders_of_roots_and_of_the_agent_unless_they_were_removed() {
    let world = World::new().await;
    folders(
        &world,
        &["root/one", "root/two", "root/node_modules", "elsewhere"],
    );
    let root = world.sandbox.root().to_owned();
    let known = world.sandbox.home().join(".claude/projects/-some-name");
    fs::create_dir_all(&known).unwrap();
    let row = json!({"type": "user", "uuid": "11111111-1111-4111-8111-111111111111",
        "sessionId": "22222222-2222-4222-8222-222222222222", "isSidechain": false,
        "cwd": root.join("elsewhere"), "message": {"role": "user", "content": "hi"}});
    fs::write(
        known.join("22222222-2222-4222-8222-222222222222.jsonl"),
        format!("{row}\n"),
    )
    .unwrap();
    // A folder of a repository that is a project is a part of it.
    world
        .sandbox
        .run(
            "git",
            ["init", "-q", root.join("root/one").to_str().unwrap()],
        )
        .expect_success();
    folders(&world, &["root/one/deep"]);
    let mut below = row.clone();
    below["cwd"] = json!(root.join("root/one/deep"));
    let other = world.sandbox.home().join(".claude/projects/-other-name");
    fs::create_dir_all(&other).unwrap();
    fs::write(
        other.join("33333333-3333-4333-8333-333333333333.jsonl"),
        format!("{below}\n"),
    )
    .unwrap();
    let world = world.searching(ProjectSearch {
        roots: vec![root.join("root"), root.join("missing")],
        excludes: Excludes::new(&["node_modules".to_owned()]).unwrap(),
        claude: true,
    });
    let mut client = world.client("one");
    let scanned = client.ok("project.scan", None, json!({})).await;
    assert_eq!(scanned["found"], 3);
    assert_eq!(scanned["added"].as_array().unwrap().len(), 3);
    assert_eq!(slugs(&mut client).await, ["elsewhere", "one", "two"]);
    let gone = client.ask("project.remove", None, json!({"project": "two"}));
    gone.await.unwrap();
    let scanned = client.ok("project.scan", None, json!({})).await;
    assert_eq!(scanned["added"], json!([]));
    assert_eq!(slugs(&mut client).await, ["elsewhere", "one"]);
}

#[tokio::test]
async fn sessions_belong_to_their_project_and_outlast_its_removal() {
    let world = World::new().await;
    let (mut client, session) = world.following("one", "hello").await;
    client.event("turn.completed").await;
    assert_eq!(slugs(&mut client).await, ["project"]);
    folders(&world, &["other"]);
    add(&mut client, &world.sandbox.root().join("other")).await;
    let of = async |client: &mut Client, project: &str| {
        let list = client.ask("sessions", None, json!({"project": project}));
        list.await.unwrap()["items"].as_array().unwrap().len()
    };
    assert_eq!(of(&mut client, "project").await, 1);
    assert_eq!(of(&mut client, "other").await, 0);
    let body = json!({"project": "other", "agent": "demo"});
    let made = client.ok("create", None, body).await;
    assert_eq!(of(&mut client, "other").await, 1);
    assert!(made["id"].is_string());
    let gone = client.ask("project.remove", None, json!({"project": "project"}));
    gone.await.unwrap();
    let all = client.ok("sessions", None, json!({})).await;
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
    assert_eq!(slugs(&mut client).await, ["other"]);
    let hits = json!({"q": "hello"});
    let hits = client.ok("search", None, hits).await;
    assert_eq!(hits["items"][0]["sessionId"], session.as_str());
    let hits = json!({"q": "hello", "project": "other"});
    let hits = client.ok("search", None, hits).await;
    assert_eq!(hits["items"], json!([]));
    let usage = client.ok("usage", None, json!({})).await;
    assert_eq!(usage["totalTurns"], 1);
    assert_eq!(usage["items"][0]["project"], Value::Null);
    let usage = json!({"from": "2999-01-01"});
    let usage = client.ok("usage", None, usage).await;
    assert_eq!(usage["items"], json!([]));
    let bad = client.ask("usage", None, json!({"to": "yesterday"})).await;
    assert_eq!(bad.unwrap_err()["errors"][0]["field"], "to");
}

#[tokio::test]
async fn git_is_asked_only_when_nothing_could_run_that_nobody_accepted() {
    let world = World::with_git().await;
    let mut client = world.client("one");
    let folder = world.sandbox.project();
    fs::write(folder.join("new.txt"), "one\n").unwrap();
    let slug = add(&mut client, &folder).await["slug"].clone();
    let slug = slug.as_str().unwrap();
    // Nothing would run here.
    let known = until(&mut client, slug, |project| project["isDirty"] == true).await;
    assert_eq!(known["gitBranch"], "main");
    assert_eq!(known["trusted"], false);
    let diff = client.ok("diff", None, json!({"project": slug})).await;
    assert_eq!(diff["files"][0]["path"], "new.txt");
    assert_eq!(diff["files"][0]["status"], "untracked");

    let trap = folder.join(".git/trap");
    let ran = world.sandbox.root().join("ran");
    fs::write(&trap, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).unwrap();
    world
        .sandbox
        .run("chmod", ["+x", trap.to_str().unwrap()])
        .expect_success();
    world
        .sandbox
        .run("git", ["config", "core.fsmonitor", trap.to_str().unwrap()])
        .expect_success();
    let known = until(&mut client, slug, |project| project["isDirty"].is_null()).await;
    assert_eq!(known["gitBranch"], "main");
    // Who asks is told all the same, and nothing runs.
    let diff = client.ask("diff", None, json!({"project": slug})).await;
    assert_eq!(diff.unwrap()["files"][0]["path"], "new.txt");
    let files = client.ok("files", None, json!({"project": slug})).await;
    assert_eq!(files["gitAsked"], true);
    assert_eq!(files["items"][0]["name"], "new.txt");
    assert!(!ran.exists(), "the repository's monitor ran");

    let shown = client.ok("trust", None, json!({"project": slug})).await;
    let accept = json!({"project": slug, "accept": true, "digest": shown["digest"]});
    client.ok("trust", None, accept).await;
    let known = until(&mut client, slug, |project| project["isDirty"] == true).await;
    assert_eq!(known["trusted"], true);
    client.ok("diff", None, json!({"project": slug})).await;
    let files = client.ok("files", None, json!({"project": slug})).await;
    assert_eq!(files["gitAsked"], true);
    assert_eq!(files["items"][0]["gitStatus"], "untracked");
    assert!(!ran.exists(), "the repository's monitor ran");
}

#[tokio::test]
async fn files_outside_the_project_are_missing() {
    let world = World::new().await;
    let mut client = world.client("one");
    let folder = world.sandbox.project();
    fs::write(folder.join("inside.txt"), "a\nb\nc\n").unwrap();
    fs::write(world.sandbox.root().join("outside.txt"), "secret").unwrap();
    std::os::unix::fs::symlink("../outside.txt", folder.join("link")).unwrap();
    let slug = add(&mut client, &folder).await["slug"].clone();
    let file = |path: &str| json!({"project": slug, "path": path, "from": 2, "lines": 1});
    let view = client.ok("file", None, file("inside.txt")).await;
    assert_eq!(view["text"], "b\n");
    assert_eq!(view["totalLines"], 3);
    for (path, code) in [
        ("link", "not_found"),
        ("nothing", "not_found"),
        (".git/config", "not_found"),
        ("../outside.txt", "invalid_request"),
        ("/etc/passwd", "invalid_request"),
        ("a/../../outside.txt", "invalid_request"),
        ("inside.txt\0", "invalid_request"),
        ("%2e%2e/outside.txt", "not_found"),
        ("", "invalid_request"),
    ] {
        let refused = client.refused("file", None, file(path)).await;
        assert_eq!(refused["code"], code, "{path:?}: {refused}");
        let text = refused["detail"].as_str().unwrap();
        assert!(!text.contains("secret"), "{text}");
    }
    let list = json!({"project": slug, "limit": 1});
    let first = client.ok("files", None, list).await;
    assert_eq!(first["items"][0]["name"], "inside.txt");
    let list = json!({"project": slug, "limit": 1, "cursor": first["next"]});
    let second = client.ok("files", None, list).await;
    assert_eq!(second["items"][0]["kind"], "link");
    assert_eq!(second["next"], Value::Null);
}

#[tokio::test]
async fn files_are_found_by_letters_and_new_ones_are_found_at_once() {
    let world = World::new().await;
    let mut client = world.client("one");
    let folder = world.sandbox.project();
    fs::create_dir_all(folder.join("src/handlers")).unwrap();
    fs::write(folder.join("src/handlers/post.rs"), "").unwrap();
    let slug = add(&mut client, &folder).await["slug"].clone();
    let find = |letters: &str| json!({"project": slug, "letters": letters});
    let found = client.ok("files.find", None, find("hpost")).await;
    let item = json!({"path": "src/handlers/post.rs", "kind": "file"});
    assert_eq!(found, json!({"items": [item], "truncated": false}));
    let found = client.ok("files.find", None, find("newer")).await;
    assert_eq!(found["items"], json!([]));
    fs::write(folder.join("src/newer.rs"), "").unwrap();
    // What was read is still fresh for who finds something, not for who does not.
    let found = async |client: &mut Client| {
        let found = client.ok("files.find", None, find("newer")).await;
        found["items"][0]["path"] == "src/newer.rs"
    };
    while !found(&mut client).await {
        tokio::task::yield_now().await;
    }
    for (field, wrong) in [
        ("limit", json!({"project": slug, "limit": 0})),
        ("letters", find(&"x".repeat(201))),
    ] {
        let refused = client.refused("files.find", None, wrong).await;
        assert_eq!(refused["errors"][0]["field"], field);
    }
}

#[tokio::test]
async fn words_are_found_in_files_but_not_in_what_git_leaves_out() {
    let world = World::new().await;
    let mut client = world.client("one");
    let folder = world.sandbox.project();
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join(".gitignore"), "target\n").unwrap();
    fs::create_dir_all(folder.join("target")).unwrap();
    fs::write(folder.join("target/post.rs"), "fn post() {}\n").unwrap();
    fs::write(folder.join("src/post.rs"), "use x;\n  fn post() {}\n").unwrap();
    let slug = add(&mut client, &folder).await["slug"].clone();
    let look = |text: &str, regex: bool| json!({"project": slug, "text": text, "regex": regex});
    for (text, regex) in [("FN POST()", false), (r"fn\s+post\(", true)] {
        let found = client.ok("files.search", None, look(text, regex)).await;
        let items = found["items"].as_array().unwrap();
        assert_eq!(items.len(), 1, "{found}");
        assert_eq!(items[0]["path"], "src/post.rs");
        assert_eq!(items[0]["lines"][0]["line"], 2);
        assert_eq!(items[0]["lines"][0]["from"], 2);
    }
    for wrong in ["", "a\nb", "a("] {
        let refused = client
            .refused("files.search", None, look(wrong, true))
            .await;
        assert_eq!(refused["errors"][0]["field"], "text", "{wrong}");
    }
}

#[tokio::test]
async fn a_backup_is_a_log_and_never_overwrites() {
    let world = World::new().await;
    let (mut client, session) = world.following("one", "hello").await;
    client.event("turn.completed").await;
    let to = world.sandbox.root().join("copy.db");
    let made = client.ok("backup", None, json!({"path": to})).await;
    assert_eq!(made["sessions"], 1);
    let copy = baton_store::Store::open_read_only(&to).unwrap();
    let id = session.parse().unwrap();
    assert!(copy.session_row(id).await.unwrap().is_some());
    copy.close().await;
    let again = client.ask("backup", None, json!({"path": to})).await;
    assert_eq!(again.unwrap_err()["errors"][0]["field"], "path");
    let relative = client.ask("backup", None, json!({"path": "copy.db"})).await;
    assert_eq!(relative.unwrap_err()["errors"][0]["field"], "path");
    let kept = client.ok("retain", None, json!({})).await;
    assert_eq!(kept["removed"], json!([]));
}

#[tokio::test]
async fn retention_lets_go_of_ended_sessions_only() {
    let world = World::new().await;
    let world = world.retaining(RetentionPolicy {
        max_events: Some(0),
        ..RetentionPolicy::default()
    });
    let mut client = world.client("one");
    let ended = world.session(&mut client, "hello").await;
    let kept = world.session(&mut client, "hello").await;
    for session in [&ended, &kept] {
        client.subscribe(session, 0).await;
        client.event("turn.completed").await;
    }
    client.ok("stop", Some(&ended), json!({})).await;
    // Its process must be gone too.
    let deadline = Instant::now() + LIMIT;
    loop {
        let gone = client.ok("retain", None, json!({})).await;
        if gone["removed"][0]["sessionId"] == ended.as_str() {
            assert_eq!(gone["removed"].as_array().unwrap().len(), 1);
            break;
        }
        assert_eq!(gone["removed"], json!([]));
        assert!(Instant::now() < deadline);
        sleep(Duration::from_millis(20)).await;
    }
    let left = client.ok("sessions", None, json!({})).await;
    assert_eq!(left["items"][0]["id"], kept.as_str());
    assert_eq!(left["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_daemon_s_own_messages_manage_projects() {
    let world = World::new().await;
    let mut client = world.client("one");
    let mut ask = async |frame: Value| {
        client.say(&frame).await;
        client.next().await
    };
    let path = world.sandbox.project();
    let added = ask(json!({"cmd": "add_project", "path": path})).await;
    assert_eq!(added, json!({"ok": true, "slug": "project"}));
    let titled = json!({"cmd": "set_project_title", "slug": "project", "title": "Mine"});
    assert_eq!(ask(titled).await, json!({"ok": true, "slug": "project"}));
    let status = ask(json!({"cmd": "get_status"})).await;
    assert_eq!(status["projects"], 1);
    let removed = ask(json!({"cmd": "remove_project", "slug": "project"})).await;
    assert_eq!(removed, json!({"ok": true}));
    let unknown = ask(json!({"cmd": "remove_project", "slug": "project"})).await;
    assert_eq!(unknown["ok"], false);
    let nothing = ask(json!({"cmd": "add_project"})).await;
    assert_eq!(nothing["ok"], false);
}
