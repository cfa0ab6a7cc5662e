//! A restart in the middle of a turn that waits for a person: the approval is
//! still open under the next daemon, is answered there, the turn ends, and
//! clients that come back miss nothing.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use baton_testkit::{
    LIMIT, Sandbox, Version, claude_cli,
    model::{ModelServer, Script},
};
use serde_json::{Value, json};
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::{
    Bench, kinds,
    torture::clients::{Client, Site, Transport},
};

const PROMPT: &str = "TOK[5] RUN[echo made > made.txt] TOK[5]";

fn bench(server: &ModelServer, version: Version) -> Bench {
    let claude = claude_cli(version).display().to_string();
    let sandbox = Sandbox::new()
        .with_model(server)
        .with_env("BATON_AGENT_CLAUDE_PATH", claude);
    Bench::in_sandbox(sandbox)
}

/// The one open approval of a session, once there is one.
async fn open(site: &Site, session: &str) -> Value {
    let asking = async {
        loop {
            let text = site.get("/api/v1/approvals").await;
            let all: Value = serde_json::from_str(&text).unwrap();
            let items = all["items"].as_array().unwrap();
            let mut here = items.iter().filter(|one| one["sessionId"] == session);
            if let Some(one) = here.next() {
                return one.clone();
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(LIMIT, asking).await.expect("something is asked")
}

async fn restarted(bench: &Bench, site: &Site) {
    let folder = json!({"path": bench.sandbox.project()});
    let project = site.post("/api/v1/projects", &folder).await;
    let path = format!(
        "/api/v1/projects/{}/sessions",
        project["slug"].as_str().unwrap()
    );
    let body = json!({"agent": "claude", "prompt": PROMPT});
    let made = site.post(&path, &body).await;
    let session = made["id"].as_str().unwrap().to_owned();

    let over = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    for (number, transport) in [Transport::Events, Transport::Socket]
        .into_iter()
        .enumerate()
    {
        let client = Client::new(number, session.clone(), transport);
        let (site, over) = (Site::of(&bench.sandbox.data()), Arc::clone(&over));
        clients.spawn(async move { client.come_and_go(&site, &over).await });
    }
    let before = open(site, &session).await;
    let first = bench.daemon();
    bench.ok(&["restart"]);
    assert_ne!(bench.daemon(), first, "another daemon");
    let after = open(site, &session).await;
    assert_eq!(after, before, "the same approval, as it was asked");
    let made = bench.sandbox.project().join("made.txt");
    assert!(!made.exists(), "nothing ran meanwhile");

    let approval = after["approval"]["approvalId"].as_str().unwrap();
    let path = format!("/api/v1/sessions/{session}/approvals/{approval}");
    site.post(&path, &json!({"decision": "allow"})).await;
    let length = site.until_idle(&session).await;
    over.store(true, Ordering::Relaxed);
    assert_eq!(std::fs::read_to_string(made).unwrap(), "made\n");

    let log = site
        .get(&format!("/api/v1/sessions/{session}/export"))
        .await;
    let log: Vec<String> = log.lines().map(str::to_owned).collect();
    while let Some(client) = clients.join_next().await {
        let mut client = client.unwrap();
        client.catch_up(site, length).await;
        assert!(
            client.seen == log,
            "over {:?} something differs",
            client.transport
        );
    }
    let events: Vec<Value> = log
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    crate::sound(&events);
    let count = |wanted: &str| {
        kinds(&events)
            .iter()
            .filter(|kind| **kind == wanted)
            .count()
    };
    let once = "session.started turn.started turn.completed approval.requested approval.resolved
        tool.completed";
    for kind in once.split_whitespace() {
        assert_eq!(count(kind), 1, "{kind}: {:?}", kinds(&events));
    }
}

#[test]
fn an_approval_outlives_a_restart_and_every_client_sees_it_through() {
    for version in Version::ALL {
        let server = ModelServer::start(Script::directed());
        let bench = bench(&server, version);
        bench.ok(&["start"]);
        let site = Site::of(&bench.sandbox.data());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(restarted(&bench, &site));
        bench.ok(&["stop", "--now"]);
    }
}

#[test]
fn a_flag_that_holds_for_one_daemon_is_told_as_that() {
    let bench = Bench::new();
    let plain = bench.ok(&["restart"]);
    assert!(!plain.stderr.contains("--host"), "{}", plain.stderr);
    let with = bench.ok(&["restart", "--host", "127.0.0.1"]);
    let told = "--host holds until the next restart; runner.host in ";
    with.tells(told);
    let without = bench.ok(&["restart"]);
    let told = "runner.host was 127.0.0.1 by --host, which held for the daemon before; ";
    without.tells(told);
    assert!(!bench.baton(&["restart"]).stderr.contains("--host"));
    bench.stop();
}
