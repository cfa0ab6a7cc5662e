//! Repositories that are got from elsewhere: how far they are, how they end, and
//! that nothing is left of those that did not come.

use std::{fs, net::TcpListener, path::Path};

use serde_json::{Value, json};

use crate::world::{Client, World};

/// A host that takes calls and never answers.
struct Silent {
    _listener: TcpListener,
    url: String,
}

impl Silent {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Self {
            _listener: listener,
            url: format!("https://127.0.0.1:{port}/shop"),
        }
    }
}

async fn begun(client: &mut Client, body: Value) -> String {
    let told = client.ok("project.clone", None, body).await;
    assert_eq!(told["state"], "running");
    told["id"].as_str().unwrap().to_owned()
}

async fn over(client: &mut Client, id: &str) -> Value {
    loop {
        let told = client.ok("clone.state", None, json!({"id": id})).await;
        if told["state"] != "running" {
            return told;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn one_that_cannot_be_had_says_why_and_leaves_nothing() {
    let world = World::new().await;
    let code = world.sandbox.home().join("code");
    fs::create_dir(&code).unwrap();
    let mut client = world.client("one");
    let body = json!({"url": "https://127.0.0.1:9/you/shop.git", "into": "~/code"});
    let id = begun(&mut client, body).await;
    let told = over(&mut client, &id).await;
    assert_eq!(told["state"], "failed");
    assert!(
        told["problem"]
            .as_str()
            .unwrap()
            .contains("does not answer"),
        "{told}"
    );
    assert!(
        told["path"].as_str().unwrap().ends_with("/code/shop"),
        "{told}"
    );
    assert_eq!(names(&code), Vec::<String>::new());
    assert_eq!(
        names(&world.sandbox.data().join("clones")),
        Vec::<String>::new()
    );
    let projects = client.ok("projects", None, json!({})).await;
    assert_eq!(projects["items"], json!([]));
}

#[tokio::test]
async fn one_that_is_ended_is_gone_when_that_is_answered() {
    let world = World::new().await;
    let silent = Silent::new();
    let mut client = world.client("one");
    let before = names(&world.sandbox.home());
    let body = json!({"url": silent.url, "name": "mine"});
    let id = begun(&mut client, body.clone()).await;
    // Its place is its own meanwhile.
    let twice = client.refused("project.clone", None, body).await;
    assert_eq!(twice["errors"][0]["field"], "name");
    let told = client.ok("clone.cancel", None, json!({"id": id})).await;
    assert_eq!(told["state"], "cancelled");
    assert_eq!(names(&world.sandbox.home()), before);
    assert_eq!(
        names(&world.sandbox.data().join("clones")),
        Vec::<String>::new()
    );
    // Ended twice is ended.
    let told = client.ok("clone.cancel", None, json!({"id": id})).await;
    assert_eq!(told["state"], "cancelled");
}

#[tokio::test]
async fn only_a_few_are_on_their_way_at_once_and_they_end_with_the_daemon() {
    let world = World::new().await;
    let silent = Silent::new();
    let mut client = world.client("one");
    let before = names(&world.sandbox.home());
    for name in ["a", "b"] {
        begun(&mut client, json!({"url": silent.url, "name": name})).await;
    }
    let more = json!({"url": silent.url, "name": "c"});
    let refused = client.refused("project.clone", None, more).await;
    assert_eq!(refused["code"], "too_many");
    world.api.close().await;
    assert_eq!(names(&world.sandbox.home()), before);
}

#[tokio::test]
async fn it_is_put_only_where_folders_are_shown() {
    let world = World::new().await;
    let home = world.sandbox.home();
    fs::create_dir_all(home.join(".ssh")).unwrap();
    fs::create_dir_all(home.join("there")).unwrap();
    std::os::unix::fs::symlink("/tmp", home.join("out")).unwrap();
    let mut client = world.client("one");
    let url = "https://127.0.0.1:9/shop";
    for (field, body) in [
        ("into", json!({"url": url, "into": "/tmp"})),
        ("into", json!({"url": url, "into": "~/out"})),
        ("into", json!({"url": url, "into": "~/.ssh"})),
        ("into", json!({"url": url, "into": "~/there/../.."})),
        ("into", json!({"url": url, "into": "~/nowhere"})),
        ("name", json!({"url": url, "name": "../out"})),
        ("name", json!({"url": url, "name": ".ssh"})),
        ("name", json!({"url": url, "name": "there"})),
        ("name", json!({"url": "https://127.0.0.1:9/.git"})),
        ("url", json!({"url": "file:///etc"})),
        ("url", json!({"url": "ext::sh"})),
        ("url", json!({"url": "https://a:b@host/shop"})),
    ] {
        let refused = client.refused("project.clone", None, body.clone()).await;
        assert_eq!(refused["errors"][0]["field"], field, "{body}: {refused}");
    }
}

#[tokio::test]
async fn what_a_daemon_that_died_has_left_is_removed_and_nothing_else() {
    let world = World::new().await;
    let notes = world.sandbox.data().join("clones");
    let home = world.sandbox.home();
    let half = home.join(".shop.baton-clone-17");
    let other = home.join("work");
    for folder in [&notes, &half.join("objects"), &other] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(notes.join("17"), half.display().to_string()).unwrap();
    fs::write(notes.join("18"), other.display().to_string()).unwrap();
    world.api.sweep_clones().await;
    assert!(!half.exists() && other.exists());
    assert_eq!(names(&notes), Vec::<String>::new());
}
