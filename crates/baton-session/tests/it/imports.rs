//! Long histories, read by owners that go in the middle of it.

use std::{fmt::Write as _, path::PathBuf};

use baton_claude::transcript::session_file;
use baton_protocol::{
    Event, Seq, SessionId,
    words::{EndStatus, SessionState},
};
use baton_session::{RealWorld, SessionHandle, World as _};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    elsewhere::{import, list},
    notes::comparable,
    rules,
    talk::Talk,
    world::{Setup, World},
};

/// A session's notes as the CLI would keep them.
struct Notes {
    session: Uuid,
    cwd: String,
    path: PathBuf,
    text: String,
    last: Option<Uuid>,
    rows: u128,
}

impl Notes {
    fn new(world: &World) -> Self {
        let session = RealWorld.random_id();
        let cwd = world.sandbox.project().canonicalize().unwrap();
        let config = world.sandbox.home().join(".claude");
        let path = session_file(&config, &cwd, session).unwrap();
        Self {
            session,
            cwd: cwd.to_str().unwrap().to_owned(),
            path,
            text: String::new(),
            last: None,
            rows: 0,
        }
    }

    /// Adds a row after `parent`.
    fn row(&mut self, parent: Option<Uuid>, mut row: Value) -> Uuid {
        self.rows += 1;
        let uuid = Uuid::from_u128(0x4000_8000_0000_0000_0000 + self.rows);
        let seconds = self.rows / 10;
        let (minutes, tenths) = (seconds / 60, self.rows % 10);
        let mut whole = json!({
            "uuid": uuid, "parentUuid": parent, "sessionId": self.session, "cwd": self.cwd,
            "isSidechain": false, "version": "2.1.197",
            "timestamp": format!("2026-01-{:02}T{:02}:{:02}:{:02}.{tenths}00Z",
                1 + minutes / 1440, minutes / 60 % 24, minutes % 60, seconds % 60),
        });
        let fields = whole.as_object_mut().unwrap();
        fields.append(row.as_object_mut().unwrap());
        writeln!(self.text, "{whole}").unwrap();
        uuid
    }

    fn next(&mut self, row: Value) {
        self.last = Some(self.row(self.last, row));
    }

    fn said(&mut self, text: &str) {
        self.next(json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    fn answered(&mut self, number: usize, stop: &str, block: &Value) {
        self.next(json!({"type": "assistant", "message": {
            "id": format!("msg_{number}_{stop}"), "model": "claude-sonnet-4-5", "role": "assistant",
            "content": [block], "stop_reason": stop,
            "usage": {"input_tokens": 10, "output_tokens": 2},
        }}));
    }

    /// A turn with a call, and now and then something beside it.
    fn turn(&mut self, number: usize) {
        self.said(&format!("do {number}"));
        let call = format!("toolu_{number}");
        self.answered(
            number,
            "tool_use",
            &json!({"type": "thinking", "thinking": "hm"}),
        );
        let agent = number % 40 == 7;
        let (name, input) = if agent {
            self.agent(number, &call);
            ("Agent", json!({"description": "help", "prompt": "help"}))
        } else {
            ("Bash", json!({"command": format!("echo {number}")}))
        };
        self.answered(
            number,
            "tool_use",
            &json!({"type": "tool_use", "id": call, "name": name, "input": input}),
        );
        self.next(
            json!({"type": "user", "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call, "content": "x".repeat(number % 300)},
            ]}}),
        );
        match number % 10 {
            3 => {
                // Somebody went back to here and asked something else.
                let here = self.last;
                self.said("a wrong way");
                self.last = here;
            }
            5 => {
                self.next(json!({"type": "attachment", "attachment": {
                    "type": "queued_command", "prompt": "hurry", "source_uuid": Uuid::from_u128(number as u128 + 1),
                }}));
            }
            _ => {}
        }
        if number % 25 == 9 {
            self.next(json!({"type": "assistant", "error": "unknown", "message": {
                "id": format!("err_{number}"), "model": "<synthetic>", "stop_reason": "stop_sequence",
                "content": [{"type": "text", "text": "API Error: 400 no"}],
            }}));
        } else {
            self.answered(
                number,
                "end_turn",
                &json!({"type": "text", "text": format!("did {number}")}),
            );
        }
        if number % 30 == 11 {
            let boundary = json!({"type": "system", "subtype": "compact_boundary", "logicalParentUuid": self.last,
                "compactMetadata": {"trigger": "auto", "preTokens": 1000}});
            self.last = Some(self.row(None, boundary));
            self.next(json!({"type": "user", "isCompactSummary": true,
                "message": {"role": "user", "content": "what was"}}));
        }
    }

    fn agent(&self, number: usize, call: &str) {
        let folder = self.path.with_extension("").join("subagents");
        std::fs::create_dir_all(&folder).unwrap();
        let meta =
            json!({"agentType": "general-purpose", "description": "help", "toolUseId": call});
        std::fs::write(
            folder.join(format!("agent-a{number}.meta.json")),
            meta.to_string(),
        )
        .unwrap();
        let mut sub = Self {
            path: PathBuf::new(),
            cwd: self.cwd.clone(),
            text: String::new(),
            last: None,
            rows: (number as u128) << 40,
            ..*self
        };
        sub.said("help");
        for step in 0..150 {
            sub.answered(
                number * 1000 + step,
                "end_turn",
                &json!({"type": "text", "text": format!("step {step}")}),
            );
        }
        std::fs::write(folder.join(format!("agent-a{number}.jsonl")), sub.text).unwrap();
    }

    fn write(&self) {
        std::fs::create_dir_all(self.path.parent().unwrap()).unwrap();
        std::fs::write(&self.path, &self.text).unwrap();
    }
}

async fn head(world: &World, session: SessionId) -> Seq {
    world.supervisor.store().head(session).await.unwrap()
}

async fn is_read(world: &World, session: SessionId) -> bool {
    let row = world.supervisor.store().session_row(session).await.unwrap();
    row.unwrap().state == SessionState::Idle
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_is_whole_however_often_its_owner_goes() {
    let mut world = Setup::fake().start();
    let mut notes = Notes::new(&world);
    (0..150).for_each(|number| notes.turn(number));
    notes.write();
    let folder = world.sandbox.project();

    // The first owner goes as soon as there is anything at all.
    let begun = async {
        loop {
            let listed = list(&world).await;
            if let Some(id) = listed.iter().find_map(|session| session.imported_as) {
                return id;
            }
        }
    };
    let session = tokio::select! {
        _ = world.supervisor.import(notes.session, &folder) => panic!("too quick to be cut"),
        session = begun => session,
    };
    let mut owners = 1;
    loop {
        world.let_go().await;
        let taken: Vec<SessionHandle> = world.take_over().await;
        if is_read(&world, session).await {
            break;
        }
        assert_eq!(taken.len(), 1, "what is half read is taken up");
        owners += 1;
        let before = head(&world, session).await;
        while head(&world, session).await == before && !is_read(&world, session).await {
            tokio::task::yield_now().await;
        }
    }
    assert!(owners > 3, "only {owners} owners: it was hardly cut");
    let cut = world.log(session).await;
    rules::check(&cut);

    world.let_go().await;
    std::fs::remove_file(world.sandbox.data().join("baton.db")).unwrap();
    world.take_over().await;
    let talk = import(&mut world, notes.session).await;
    let whole = world.log(talk.id()).await;
    assert_eq!(comparable(&cut), comparable(&whole));
    assert_eq!(cut.len(), whole.len());
    let shown = format!("{whole:?}");
    let part = "a wrong way";
    assert!(!shown.contains(part), "an abandoned branch is shown");
    assert!(shown.contains("step 149") && shown.contains("hurry"));
    world.let_go().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_written_between_two_owners_is_told_once() {
    let mut world = Setup::fake().start();
    let mut notes = Notes::new(&world);
    (0..3).for_each(|number| notes.turn(number));
    notes.write();
    let session = import(&mut world, notes.session).await.id();
    for number in 3..6 {
        notes.turn(number);
        notes.write();
        world.let_go().await;
        world.take_over().await;
        import(&mut world, notes.session).await;
    }
    let log = world.log(session).await;
    rules::check(&log);
    let log = comparable(&log);
    world.let_go().await;
    std::fs::remove_file(world.sandbox.data().join("baton.db")).unwrap();
    world.take_over().await;
    let talk = import(&mut world, notes.session).await;
    assert_eq!(log, comparable(&world.log(talk.id()).await));
    world.let_go().await;
}

async fn until_said(talk: &mut Talk, text: &str) {
    talk.until_seen(
        text,
        |event| matches!(event, Event::UserMessage(message) if message.text == text),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notes_are_looked_at_while_somebody_reads_along() {
    let mut world = Setup::fake().start();
    let mut unread = Notes::new(&world);
    unread.turn(0);
    unread.write();
    let folder = world.sandbox.project();
    let handle = world.supervisor.import(unread.session, &folder).await;
    let handle = handle.unwrap();
    let before = head(&world, handle.id()).await;
    let mut read = Notes::new(&world);
    read.turn(0);
    read.write();
    let mut talk = import(&mut world, read.session).await;
    unread.turn(1);
    unread.write();
    // Time for several looks at what somebody reads.
    for number in 1..4 {
        read.turn(number);
        read.write();
        until_said(&mut talk, &format!("do {number}")).await;
    }
    assert_eq!(head(&world, handle.id()).await, before, "nobody wanted it");
    let mut talk = world.follow(handle);
    until_said(&mut talk, "do 1").await;
    world.let_go().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_taken_up_again_at_once_is_watched_again() {
    let mut world = Setup::fake().start();
    let mut notes = Notes::new(&world);
    notes.turn(0);
    notes.write();
    let mut talk = import(&mut world, notes.session).await;
    talk.handle.end(EndStatus::Stopped, "enough").await.unwrap();
    notes.turn(1);
    notes.write();
    // It is looked at, and nothing is told of a session that has ended.
    let folder = world.sandbox.project();
    let again = world.supervisor.import(notes.session, &folder).await;
    assert_eq!(again.unwrap().id(), talk.id());
    world.supervisor.resume(talk.id()).await.unwrap();
    until_said(&mut talk, "do 1").await;
    notes.turn(2);
    notes.write();
    until_said(&mut talk, "do 2").await;
    talk.until_idle().await;
    rules::check(&world.log(talk.id()).await);
    world.let_go().await;
}
