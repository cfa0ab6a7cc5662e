//! Projects whose folders were moved or renamed.

use std::{fs, path::PathBuf};

use baton_store::ProjectMove;
use serde_json::{Value, json};

use crate::world::{Client, World};

/// A world with a session in its project, and where that is to go.
async fn settled() -> (World, Client, String, PathBuf) {
    let world = World::new().await;
    let (mut client, session) = world.following("one", "text").await;
    client.event("turn.completed").await;
    client.state("idle").await;
    let new = world.sandbox.root().join("elsewhere/store");
    fs::create_dir_all(new.parent().unwrap()).unwrap();
    (world, client, session, new)
}

async fn row(client: &mut Client, session: &str) -> Value {
    client.ok("session", Some(session), json!({})).await
}

async fn comments(client: &mut Client, slug: &str) -> Vec<Value> {
    let body = json!({"project": slug});
    let listed = client.ok("comments", None, body).await;
    listed["comments"].as_array().unwrap().clone()
}

#[tokio::test]
async fn sessions_rules_and_comments_follow_a_moved_folder_and_go_on_there() {
    let (world, mut client, session, new) = settled().await;
    let old = world.sandbox.project();
    fs::write(old.join("a.txt"), "one\ntwo\n").unwrap();
    let said = json!({"project": "project", "path": "a.txt", "line": 2, "body": "why?"});
    client.ok("comment.add", None, said).await;
    let rule =
        json!({"rule": "Bash(rm:*)", "decision": "deny", "scope": "project", "project": old});
    client.ok("rule.add", None, rule).await;

    // Where the folder still is, nothing was moved.
    fs::create_dir(&new).unwrap();
    let body = json!({"project": "project", "to": new});
    let there = client.ask("project.move", None, body.clone()).await;
    let there = there.unwrap_err();
    assert!(
        there["detail"].to_string().contains("still there"),
        "{there}"
    );
    fs::remove_dir(&new).unwrap();
    let gone = client.refused("project.move", None, body.clone()).await;
    assert_eq!(gone["errors"][0]["field"], "to");

    fs::rename(&old, &new).unwrap();
    // What is missing is said with the way on.
    client.ok("stop", Some(&session), json!({})).await;
    client.state("ended").await;
    let again = client.ask("resume", Some(&session), json!({})).await;
    again.unwrap();
    client.state("idle").await;
    let said = json!({"text": "text", "messageId": "11111111-1111-4111-8111-111111111111"});
    client.ok("message", Some(&session), said).await;
    let told = client.event("error").await;
    let told = told["event"]["payload"].to_string();
    assert!(told.contains("is not there"), "{told}");
    assert!(told.contains("baton projects move"), "{told}");
    client.state("idle").await;

    let moved = client.ok("project.move", None, body).await;
    assert_eq!(moved["slug"], "project");
    assert_eq!(moved["path"], json!(new));
    let found = row(&mut client, &session).await;
    assert_eq!(found["cwd"], json!(new));
    assert_eq!(found["projectId"], moved["id"]);
    let rules = client.ok("rules", None, json!({})).await;
    assert_eq!(rules["items"][0]["scopeId"], moved["id"], "{rules}");
    let listed = comments(&mut client, "project").await;
    assert_eq!(listed.len(), 1);
    assert!(listed[0]["outdated"].is_null(), "{listed:?}");

    let said = json!({"text": "text", "messageId": "22222222-2222-4222-8222-222222222222"});
    client.ok("message", Some(&session), said).await;
    let done = client.event("turn.completed").await;
    assert_eq!(done["event"]["payload"]["isError"], false, "{done}");
    assert_eq!(done["event"]["projectId"], moved["id"]);
}

#[tokio::test]
async fn what_was_accepted_holds_in_the_new_place_only_if_it_is_the_same() {
    for changed in [false, true] {
        let (world, mut client, _, new) = settled().await;
        let old = world.sandbox.project();
        fs::create_dir(old.join(".claude")).unwrap();
        let settings = json!({"env": {"SHOP": "1"}}).to_string();
        fs::write(old.join(".claude/settings.json"), settings).unwrap();
        let shown = client.ask("trust", None, json!({"project": old})).await;
        let digest = shown.unwrap()["digest"].clone();
        let accept = json!({"project": old, "accept": true, "digest": digest});
        client.ok("trust", None, accept).await;
        fs::rename(&old, &new).unwrap();
        if changed {
            let settings = json!({"env": {"SHOP": "2"}}).to_string();
            fs::write(new.join(".claude/settings.json"), settings).unwrap();
        }
        let body = json!({"project": old, "to": new});
        client.ok("project.move", None, body).await;
        let now = client.ask("trust", None, json!({"project": new})).await;
        assert_eq!(now.unwrap()["trusted"], !changed);
    }
}

#[tokio::test]
async fn a_project_below_follows_too_and_a_session_at_work_stays() {
    let (world, mut client, session, new) = settled().await;
    let old = world.sandbox.project();
    let inner = old.join("inner");
    fs::create_dir(&inner).unwrap();
    let body = json!({"project": inner, "agent": "demo", "prompt": "approval"});
    let below = client.ok("create", None, body).await;
    let below = below["id"].as_str().unwrap().to_owned();
    client.subscribe(&below, 0).await;
    client.state("waiting").await;
    fs::rename(&old, &new).unwrap();
    let body = json!({"project": "project", "to": new});
    let busy = client.ask("project.move", None, body.clone()).await;
    let busy = busy.unwrap_err();
    assert_eq!(busy["code"], "busy");
    assert_eq!(busy["sessions"][0], json!(below));
    assert_eq!(row(&mut client, &session).await["cwd"], json!(old));
    client.ok("stop", Some(&below), json!({})).await;
    client.state("ended").await;
    client.ok("project.move", None, body).await;
    let found = row(&mut client, &below).await;
    assert_eq!(found["cwd"], json!(new.join("inner")));
    let inner = client
        .ask("project", None, json!({"project": "inner"}))
        .await;
    assert_eq!(inner.unwrap()["id"], found["projectId"]);
}

#[tokio::test]
async fn a_move_that_a_crash_interrupted_is_gone_on_with() {
    let (world, mut client, session, new) = settled().await;
    let old = world.sandbox.project();
    fs::rename(&old, &new).unwrap();
    let (old, to) = (old.to_str().unwrap(), new.to_str().unwrap());
    let moves = world.supervisor.moves(old, to).await.unwrap();
    let begun: Vec<ProjectMove> = moves;
    world.supervisor.store().begin_moves(begun).await.unwrap();
    assert_eq!(row(&mut client, &session).await["cwd"], old);
    world.api.finish_moves().await.unwrap();
    assert_eq!(row(&mut client, &session).await["cwd"], to);
    assert!(
        world
            .supervisor
            .store()
            .pending_moves()
            .await
            .unwrap()
            .is_empty()
    );
    world.api.finish_moves().await.unwrap();
}
