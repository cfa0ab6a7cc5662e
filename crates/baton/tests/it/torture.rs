//! A hundred clients come, go and come back while sessions talk and the daemon
//! is killed: each ends with every event once, in order, as it is in the log.
//!
//! Half of them read server-sent events, half a WebSocket; all of them go on
//! from the last event they have, as a browser on a bad line does.

pub(crate) mod clients;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use baton_testkit::{LIMIT, Running, Sandbox, Signal, bin};
use serde_json::{Value, json};
use tokio::{task::JoinSet, time::sleep};

use self::clients::{Client, Site, Transport};

const SESSIONS: usize = 20;
const CLIENTS: usize = 100;
/// Messages for each session. Their text flows for about a minute together.
const MESSAGES: usize = 13;
const TALK: &str = "rate 20 per second for 4 s\nsay done";
/// Between two deaths of the daemon.
const LIFE: Duration = Duration::from_secs(15);
const DEATHS: usize = 3;

fn serve(sandbox: &Sandbox) -> Running {
    let daemon = sandbox.start(bin("baton"), ["serve"]);
    daemon.stdout().wait_for_text("control socket", LIMIT);
    daemon
}

#[test]
fn clients_that_come_and_go_see_every_event_once_and_in_order() {
    let sandbox = Sandbox::new();
    let data = sandbox.data().display().to_string();
    let sandbox = sandbox
        .with_env("BATON_DATA_DIR", data)
        .with_env(
            "BATON_AGENT_CLAUDE_PATH",
            bin("fake-claude").display().to_string(),
        )
        .with_env("BATON_AGENT_MAX_SESSIONS", "50")
        .with_env("BATON_AGENT_MAX_SESSIONS_PER_PROJECT", "50")
        .with_env("BATON_AGENT_MAX_PROCESSES", "50");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(torture(&sandbox));
}

async fn torture(sandbox: &Sandbox) {
    let mut daemon = serve(sandbox);
    let site = Arc::new(Site::of(&sandbox.data()));
    let sessions = begin(&site, sandbox).await;

    let over = Arc::new(AtomicBool::new(false));
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let session = sessions[number % SESSIONS].clone();
        let transport = match (number / SESSIONS).is_multiple_of(2) {
            true => Transport::Events,
            false => Transport::Socket,
        };
        let client = Client::new(number, session, transport);
        let (site, over) = (Arc::clone(&site), Arc::clone(&over));
        clients.spawn(async move { client.come_and_go(&site, &over).await });
    }
    for _ in 0..DEATHS {
        sleep(LIFE).await;
        daemon.signal(Signal::KILL);
        daemon.wait_exit(LIMIT);
        daemon = serve(sandbox);
    }
    sleep(LIFE).await;
    let mut lengths = Vec::new();
    for session in &sessions {
        lengths.push(site.until_idle(session).await);
    }
    over.store(true, Ordering::Relaxed);
    let logs = logs(&site, &sessions).await;

    let mut breaks = 0;
    while let Some(client) = clients.join_next().await {
        let mut client = client.unwrap();
        let at = client.number % SESSIONS;
        client.catch_up(&site, lengths[at]).await;
        assert!(
            client.seen == logs[at],
            "client {} over {:?} has another log than the daemon",
            client.number,
            client.transport,
        );
        breaks += client.breaks;
    }
    assert!(breaks > CLIENTS * 3, "they hardly came and went: {breaks}");
    let turns: usize = logs.iter().map(|log| turns(log)).sum();
    assert_eq!(turns, SESSIONS * MESSAGES, "each message ran once");
    daemon.signal(Signal::TERM);
    daemon.wait_exit(LIMIT);
    sandbox.run(bin("baton"), ["stop", "--now"]);
}

/// Makes the sessions and gives each its messages, all but the first queued.
async fn begin(site: &Site, sandbox: &Sandbox) -> Vec<String> {
    let folder = json!({"path": sandbox.project()});
    let project = site.post("/api/v1/projects", &folder).await;
    let slug = project["slug"].as_str().unwrap();
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        let made = json!({"agent": "claude", "prompt": TALK});
        let path = format!("/api/v1/projects/{slug}/sessions");
        let made = site.post(&path, &made).await;
        sessions.push(made["id"].as_str().unwrap().to_owned());
    }
    for session in &sessions {
        for _ in 1..MESSAGES {
            let path = format!("/api/v1/sessions/{session}/messages");
            site.post(&path, &json!({"text": TALK, "queue": true}))
                .await;
        }
    }
    sessions
}

/// What the daemon has of each session, an event a line.
async fn logs(site: &Site, sessions: &[String]) -> Vec<Vec<String>> {
    let mut logs = Vec::new();
    for session in sessions {
        let path = format!("/api/v1/sessions/{session}/export");
        let text = site.get(&path).await;
        logs.push(text.lines().map(str::to_owned).collect());
    }
    logs
}

fn turns(log: &[String]) -> usize {
    let completed = |line: &&String| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["type"] == "turn.completed" && event["payload"]["stopReason"] == "end"
    };
    log.iter().filter(completed).count()
}
