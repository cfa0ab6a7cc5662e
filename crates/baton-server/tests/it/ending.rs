//! The end of the daemon: turns drain, agents end.

use std::time::Duration;

use baton_server::Ended;
use serde_json::{Value, json};

use crate::world::World;

#[tokio::test]
async fn a_running_turn_is_waited_for_and_no_other_begins() {
    let world = World::with_pace(2).await;
    let (mut client, session) = world.following("one", "text").await;
    client.event("turn.started").await;
    let api = std::sync::Arc::clone(&world.api);
    let (quiet, refused) = tokio::join!(api.drain(Duration::from_secs(60)), async {
        // Whatever runs is not over yet when this is asked.
        let mut other = world.client("two");
        loop {
            other.say(&json!({"cmd": "get_status"})).await;
            if other.next().await["stopping"] == true {
                break;
            }
        }
        let message = json!({"text": "more", "queue": true});
        other.ask("message", Some(&session), message).await
    });
    assert!(quiet.unwrap());
    assert_eq!(refused.unwrap_err()["code"], "shutting_down");
    let ended = client.event("turn.completed").await;
    assert_eq!(ended["event"]["payload"]["stopReason"], "end");
    let ended = world.api.end_agents(true).await.unwrap();
    assert_eq!(ended, Ended { ended: 1, left: 0 });
    let left = world.supervisor.store().holders().await.unwrap();
    assert!(left.is_empty(), "{left:?}");
    // The session stays: it has not ended, only its agent.
    let row = client.ok("session", Some(&session), json!({})).await;
    assert_eq!(row["state"], "idle");
}

#[tokio::test]
async fn a_turn_that_takes_too_long_is_interrupted() {
    let world = World::with_pace(20).await;
    let (mut client, _session) = world.following("one", "slow").await;
    client.until(|frame| frame["type"] == "live").await;
    let quiet = world.api.drain(Duration::from_millis(1)).await.unwrap();
    assert!(!quiet);
    let ended = world.api.end_agents(true).await.unwrap();
    assert_eq!(ended, Ended { ended: 1, left: 0 });
    let ended = client.event("turn.completed").await;
    assert_eq!(ended["event"]["payload"]["stopReason"], "interrupted");
}

#[tokio::test]
async fn a_deaf_agent_is_ended_by_force_with_its_open_approval() {
    let world = World::new().await;
    let mut client = world.client("one");
    let project = world.sandbox.project().display().to_string();
    let body = json!({"project": project, "agent": "claude", "prompt": "hang-deaf"});
    let made = client.ok("create", None, body).await;
    let session = made["id"].as_str().unwrap().to_owned();
    let waiting = world.session(&mut client, "approval").await;
    client.subscribe(&session, 0).await;
    client.state("processing").await;
    client.subscribe(&waiting, 0).await;
    client.state("waiting").await;
    let ended = world.api.end_agents(false).await.unwrap();
    assert_eq!(ended, Ended { ended: 2, left: 0 });
    let open = client.ok("approvals", None, json!({})).await;
    assert_eq!(open["items"], json!([]), "closed with its agent");
    for id in [&session, &waiting] {
        let row = client.ok("session", Some(id), json!({})).await;
        assert_eq!(row["state"], "idle");
    }
}

#[tokio::test]
async fn a_queued_message_waits_for_the_next_daemon() {
    let world = World::with_pace(20).await;
    let (mut client, session) = world.following("one", "slow").await;
    client.until(|frame| frame["type"] == "live").await;
    let queued = json!({"text": "text", "queue": true});
    let queued = client.ok("message", Some(&session), queued).await;
    assert_eq!(queued["turn"], Value::Null);
    world.api.drain(Duration::from_millis(1)).await.unwrap();
    let ended = world.api.end_agents(true).await.unwrap();
    assert_eq!(ended, Ended { ended: 1, left: 0 });
    let row = client.ask("session", Some(&session), json!({})).await;
    let row = row.unwrap();
    assert_eq!(row["state"], "idle");
    assert_eq!(row["turnCount"], 1);
    let left = world.supervisor.store().holders().await.unwrap();
    assert!(left.is_empty(), "{left:?}");
    let taken = json!({"messageId": queued["messageId"]});
    let taken = client.ask("take_back", Some(&session), taken).await;
    taken.expect("it still waits");
}

/// The processes that carry the mark of a holder in this world's folder: the
/// holder itself first.
fn marked(world: &World) -> Vec<i32> {
    let mark = format!("BATON_HOLDER={}", world.sandbox.data().display());
    let words = |pid: i32, file: &str| {
        let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let pids = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let mut found: Vec<i32> = pids
        .filter(|pid| words(*pid, "environ").contains(&mark))
        .collect();
    found.sort_by_key(|pid| !words(*pid, "cmdline").contains("__holder"));
    found
}

/// A session at work whose holder does not move any more.
async fn stuck(world: &World, client: &mut crate::world::Client) -> String {
    let project = world.sandbox.project().display().to_string();
    let body = json!({"project": project, "agent": "claude", "prompt": "hang"});
    let made = client.ok("create", None, body).await;
    let session = made["id"].as_str().unwrap().to_owned();
    client.subscribe(&session, 0).await;
    client.until(|frame| frame["type"] == "live").await;
    let holder = *marked(world).first().unwrap();
    baton_testkit::send_signal(holder, baton_testkit::Signal::STOP);
    session
}

#[tokio::test]
async fn a_stop_is_answered_once_the_agent_is_gone_though_its_holder_stands_still() {
    let world = World::new().await;
    let mut client = world.client("one");
    let session = stuck(&world, &mut client).await;
    let stopped = client.ask("stop", Some(&session), json!({})).await;
    stopped.unwrap();
    assert_eq!(marked(&world), [0; 0], "it said that it had ended");
    let row = client.ask("session", Some(&session), json!({})).await;
    assert_eq!(row.unwrap()["state"], "ended");
}

#[tokio::test]
async fn a_forced_end_ends_an_agent_whose_holder_stands_still() {
    let world = World::new().await;
    let mut client = world.client("one");
    let session = stuck(&world, &mut client).await;
    let ended = world.api.end_agents(false).await.unwrap();
    assert_eq!(ended, Ended { ended: 1, left: 0 });
    assert_eq!(marked(&world), [0; 0], "it said that it had ended");
    let row = client.ask("session", Some(&session), json!({})).await;
    assert_eq!(row.unwrap()["state"], "idle");
}
