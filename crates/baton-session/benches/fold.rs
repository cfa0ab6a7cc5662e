//! How long it takes to open a session with a long log.
//!
//! The log is written once; each round opens it anew, as a daemon that was
//! just started would, and then the session in it. The file is in the system's
//! cache: what is measured is Baton's work, not the disk.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first surprise and prints its table"
)]

use std::{path::Path, sync::Arc, time::Duration};

use baton_protocol::{
    Event, EventDraft, MessageId, ProjectId, RunnerId, SessionId, Timestamp, Turn,
    event::{
        AssistantBlock, AssistantMessage, AssistantThinking, MessageDelivered, SessionCreated,
        SessionOptions, SessionStateChanged, ToolCompleted, ToolRequested, TurnCompleted,
        TurnStarted, TurnStats, UserMessage,
    },
    words::{Json, Mode, Origin, Runtime, SessionState, StopReason, Usage},
};
use baton_session::{RealWorld, Settings, Supervisor, agents::AgentHome};
use baton_store::{Append, NewSession, Store, StoreOptions};
use tokio::time::Instant;
use uuid::Uuid;

const EVENTS: usize = 100_000;
const ROUNDS: usize = 11;
/// Tool calls of one turn; with the rest of it a turn has 20 events.
const TOOLS: usize = 6;

fn main() {
    // As the daemon has it: a thread per core.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("baton.db");
    let bytes = runtime.block_on(write(&path));
    let [mut opens, mut folds] = [const { Vec::new() }; 2];
    for _ in 0..ROUNDS {
        let (open, fold) = runtime.block_on(round(folder.path(), &path));
        opens.push(open);
        folds.push(fold);
    }
    opens.sort_unstable();
    folds.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{EVENTS} events, {:.1} MB\n", bytes as f64 / 1e6);
    println!("                 best ms   median ms   worst ms");
    for (name, times) in [("log opened", opens), ("session opened", folds)] {
        println!(
            "{name:<15} {:>8.1} {:>11.1} {:>10.1}",
            ms(times[0]),
            ms(times[ROUNDS / 2]),
            ms(times[ROUNDS - 1])
        );
    }
}

async fn round(folder: &Path, path: &Path) -> (Duration, Duration) {
    let begin = Instant::now();
    let store = open(path);
    let opened = begin.elapsed();
    let home = AgentHome {
        baton: "/nonexistent/baton".into(),
        holder_command: "__holder".into(),
        demo_command: "__demo".into(),
        claude: None,
        claude_named: false,
        claude_config: folder.join(".claude"),
        env: Vec::new(),
        demo_pace: Duration::ZERO,
    };
    let holders = folder.join("holders");
    let settings = Settings::default();
    let supervisor = Supervisor::new(store, Arc::new(RealWorld), home, holders, settings);
    let supervisor = supervisor.await.unwrap();
    let begin = Instant::now();
    let session = supervisor.open(session()).await.unwrap();
    let folded = begin.elapsed();
    drop(session);
    supervisor.detach().await;
    (opened, folded)
}

fn open(path: &Path) -> Store {
    let runner = RunnerId::from_uuid(Uuid::from_u128(1));
    Store::open(path, &StoreOptions::new(runner)).unwrap()
}

fn session() -> SessionId {
    SessionId::from_uuid(Uuid::from_u128(1))
}

/// Writes the log, and says how long its events are.
async fn write(path: &Path) -> usize {
    let store = open(path);
    let mut events = vec![created()];
    for turn in 1.. {
        if events.len() >= EVENTS {
            break;
        }
        events.extend(one_turn(turn));
    }
    events.truncate(EVENTS);
    let drafts: Vec<EventDraft> = events
        .into_iter()
        .enumerate()
        .map(|(number, (turn, event))| EventDraft {
            ts: Timestamp::from_millis(1_794_725_041_522 + number as i64),
            turn,
            agent_id: None,
            event,
        })
        .collect();
    let mut create = Some(NewSession {
        project_id: ProjectId::from_digest(&[1; 32]),
        project_path: "/p".to_owned(),
        created_at: Timestamp::from_millis(1_794_725_041_000),
    });
    for part in drafts.chunks(1000) {
        let append = Append {
            create: create.take(),
            events: part.to_vec(),
            ..Append::to(session())
        };
        store.append(append).await.unwrap();
    }
    let mut bytes = 0;
    let mut after = baton_protocol::Seq::START;
    loop {
        let page = store.read_after(session(), after, 1000).await.unwrap();
        let Some(last) = page.last() else { break };
        after = last.seq;
        bytes += page.iter().map(|event| event.text.len()).sum::<usize>();
    }
    store.close().await;
    bytes
}

fn created() -> (Turn, Event) {
    let created = SessionCreated {
        agent: "claude".to_owned(),
        mode: Mode::Structured,
        runtime: Runtime::Streaming,
        cwd: "/p".to_owned(),
        project: None,
        title: None,
        forked_from: None,
        forked_at: None,
        resumes: None,
        options: SessionOptions::default(),
    };
    (Turn(0), created.into())
}

/// The events of a turn as a session records them.
fn one_turn(number: u32) -> Vec<(Turn, Event)> {
    let turn = Turn(number);
    let message_id = MessageId::from_uuid(Uuid::from_u128(u128::from(number)));
    let state = |state| SessionStateChanged {
        state,
        reason: None,
    };
    let mut events: Vec<Event> = vec![
        UserMessage {
            message_id,
            text: "Please look at the parser and make the test pass. ".repeat(3),
            attachments: Vec::new(),
            queued: false,
            client: None,
        }
        .into(),
        TurnStarted {
            turn,
            origin: Origin::User,
            message_id: None,
            because: Vec::new(),
        }
        .into(),
        state(SessionState::Processing).into(),
        MessageDelivered { message_id }.into(),
    ];
    events.push(AssistantThinking(block(number, 0, 400)).into());
    for tool in 0..TOOLS {
        events.extend(tool_call(number, tool));
    }
    events.push(AssistantMessage(block(number, 1, 600)).into());
    events.push(
        TurnCompleted {
            turn,
            message_ids: vec![message_id],
            stop_reason: StopReason::End,
            exit_code: None,
            is_error: false,
            result: Some("The test passes now.".to_owned()),
            structured_output: None,
            duration_ms: 12_345,
            cost_usd: Some(0.0123),
            usage: Some(Usage::default()),
            stats: TurnStats::default(),
            still_running: Vec::new(),
        }
        .into(),
    );
    events.push(state(SessionState::Idle).into());
    events.into_iter().map(|event| (turn, event)).collect()
}

fn tool_call(turn: u32, tool: usize) -> [Event; 2] {
    let tool_use_id = format!("toolu_01ABCDEFGH{turn:06}{tool}");
    let input = serde_json::json!({"command": "cargo test -p parser", "description": "Run tests"});
    let requested = ToolRequested {
        tool_kind: Default::default(),
        subject: Default::default(),
        tool_use_id: tool_use_id.clone(),
        name: "Bash".to_owned(),
        input: Json::of(&input),
        label: "Running cargo test -p parser".to_owned(),
        parent_tool_use_id: None,
    };
    let completed = ToolCompleted {
        tool_use_id,
        name: "Bash".to_owned(),
        output: "test parser::reads_a_line ... ok\n".repeat(8),
        detail: None,
        is_error: false,
        duration_ms: 12,
        images: Vec::new(),
        truncated: false,
        bytes: None,
        output_blob: None,
        parent_tool_use_id: None,
    };
    [requested.into(), completed.into()]
}

fn block(turn: u32, block: u32, bytes: usize) -> AssistantBlock {
    AssistantBlock {
        message_id: format!("msg_01XYZ{turn:06}"),
        agent_uuid: Some(Uuid::from_u128(u128::from(turn)).to_string()),
        block,
        content: "lorem ipsum ".repeat(bytes / 12),
        model: Some("claude-sonnet-4-5".to_owned()),
        usage: None,
        parent_tool_use_id: None,
        aborted: false,
    }
}
