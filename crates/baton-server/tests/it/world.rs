//! A sandbox with sessions and the API over them, and clients of it.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use baton_protocol::{RunnerId, words::ClientRef};
use baton_server::{
    Api, Connection, DaemonFacts, Line, ProjectSearch, QUEUE,
    auth::{Auth, AuthOptions},
};
use baton_session::{
    RealWorld, Settings, Supervisor, World as _,
    agents::{AgentHome, AgentKind},
};
use baton_store::{RetentionPolicy, Store, StoreOptions};
use baton_testkit::{LIMIT, Sandbox, bin};
use serde_json::{Value, json};
use tokio::{sync::mpsc, time::timeout};

pub(crate) struct World {
    pub(crate) api: Arc<Api>,
    pub(crate) supervisor: Arc<Supervisor>,
    pub(crate) sandbox: Sandbox,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with_pace(0).await
    }

    /// `pace` is the time between two words of the demo agent, in milliseconds.
    pub(crate) async fn with_pace(pace: u64) -> Self {
        Self::of(Sandbox::new(), pace).await
    }

    /// The project is a repository.
    pub(crate) async fn with_git() -> Self {
        Self::of(Sandbox::new().with_git(), 0).await
    }

    /// In a sandbox that was prepared.
    pub(crate) async fn inside(sandbox: Sandbox) -> Self {
        Self::of(sandbox, 0).await
    }

    /// With another clock for what is asked, or one that does not work.
    pub(crate) fn in_time(self, clock: Arc<dyn baton_session::World>) -> Self {
        let auth = Arc::clone(self.api.auth());
        let facts = self.api.facts().clone();
        let api = Api::new(Arc::clone(&self.supervisor), clock, auth, facts);
        Self {
            api: Arc::new(api),
            ..self
        }
    }

    /// Looks for projects as `search` says.
    pub(crate) fn searching(self, search: ProjectSearch) -> Self {
        let api = Arc::try_unwrap(self.api).unwrap();
        Self {
            api: Arc::new(api.with_search(search)),
            ..self
        }
    }

    /// Lets go of what `policy` says.
    pub(crate) fn retaining(self, policy: RetentionPolicy) -> Self {
        let api = Arc::try_unwrap(self.api).unwrap();
        Self {
            api: Arc::new(api.with_retention(policy)),
            ..self
        }
    }

    async fn of(sandbox: Sandbox, pace: u64) -> Self {
        let env = sandbox.env().iter();
        let home = AgentHome {
            baton: bin("baton"),
            holder_command: "__holder".into(),
            demo_command: "__demo".into(),
            claude: Some(bin("fake-claude")),
            claude_named: false,
            claude_config: sandbox.home().join(".claude"),
            env: env
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            demo_pace: Duration::from_millis(pace),
        };
        let runner = RunnerId::from_uuid(RealWorld.id());
        let store =
            Store::open(&sandbox.data().join("baton.db"), &StoreOptions::new(runner)).unwrap();
        let holders = sandbox.data().join("holders");
        let world = Arc::new(RealWorld);
        let supervisor = Supervisor::new(store, world, home, holders, Settings::default()).await;
        let supervisor = Arc::new(supervisor.unwrap());
        let facts = DaemonFacts {
            version: "1.2.3".into(),
            pid: std::process::id(),
            started_at: RealWorld.now(),
            agents: AgentKind::ALL.iter().rev().copied().collect(),
        };
        let auth = AuthOptions::local(sandbox.data().join("token"));
        let auth = Auth::open(supervisor.store().clone(), Arc::new(RealWorld), auth);
        let auth = Arc::new(auth.await.unwrap());
        let api = Api::new(Arc::clone(&supervisor), Arc::new(RealWorld), auth, facts);
        api.keep_comments(sandbox.data().join("comments"));
        Self {
            api: Arc::new(api),
            supervisor,
            sandbox,
        }
    }

    pub(crate) fn client(&self, name: &str) -> Client {
        let (out, inbox) = mpsc::channel(QUEUE);
        let who = ClientRef {
            id: format!("id-{name}"),
            name: name.to_owned(),
        };
        Client {
            connection: Connection::open(&self.api, who, out).unwrap(),
            inbox,
            backlog: VecDeque::new(),
            number: 0,
        }
    }

    /// A client that follows a session of its own from the start.
    pub(crate) async fn following(&self, name: &str, prompt: &str) -> (Client, String) {
        let mut client = self.client(name);
        let session = self.session(&mut client, prompt).await;
        client.subscribe(&session, 0).await;
        (client, session)
    }

    /// Makes a session of the demo agent with a first message.
    pub(crate) async fn session(&self, client: &mut Client, prompt: &str) -> String {
        let project = self.sandbox.project().display().to_string();
        let body = json!({"project": project, "agent": "demo", "prompt": prompt});
        let made = client.ok("create", None, body).await;
        made["id"].as_str().unwrap().to_owned()
    }
}

/// One client, in this process.
pub(crate) struct Client {
    pub(crate) connection: Connection,
    pub(crate) inbox: mpsc::Receiver<Line>,
    backlog: VecDeque<Value>,
    number: u64,
}

/// The frames of one text.
fn frames(line: &Line) -> Vec<Value> {
    let lines = line.split(|byte| *byte == b'\n');
    lines
        .map(|frame| serde_json::from_slice(frame).unwrap())
        .collect()
}

impl Client {
    /// Sends a frame as text, and takes in meanwhile what comes.
    pub(crate) async fn say_text(&mut self, text: &str) {
        let Self {
            connection,
            inbox,
            backlog,
            ..
        } = self;
        let said = connection.frame(text.as_bytes());
        tokio::pin!(said);
        let done = async {
            loop {
                tokio::select! {
                    () = &mut said => return,
                    Some(line) = inbox.recv() => {
                        backlog.extend(frames(&line));
                    }
                }
            }
        };
        timeout(LIMIT, done).await.expect("the frame is taken");
    }

    pub(crate) async fn say(&mut self, frame: &Value) {
        self.say_text(&frame.to_string()).await;
    }

    /// The next frame.
    pub(crate) async fn next(&mut self) -> Value {
        if self.backlog.is_empty() {
            let line = timeout(LIMIT, self.inbox.recv()).await;
            let line = line.expect("a frame comes in time").expect("a frame comes");
            self.backlog.extend(frames(&line));
        }
        self.backlog.pop_front().expect("no text without a frame")
    }

    /// The next frame that is wanted; those before it are dropped.
    pub(crate) async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.next().await;
            if wanted(&frame) {
                return frame;
            }
        }
    }

    /// All frames up to the one that is wanted.
    pub(crate) async fn all_until(&mut self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await;
            let last = wanted(&frame);
            frames.push(frame);
            if last {
                return frames;
            }
        }
    }

    pub(crate) async fn subscribe(&mut self, session: &str, after: u64) {
        self.say(&json!({"type": "subscribe", "sessionId": session, "after": after}))
            .await;
    }

    /// Sends a command and gives its result, or its problem.
    /// The next event of this kind.
    pub(crate) async fn event(&mut self, kind: &str) -> Value {
        self.until(|frame| is_event(frame, kind)).await
    }

    /// Waits for this state of the session.
    pub(crate) async fn state(&mut self, state: &str) -> Value {
        self.until(|frame| is_state(frame, state)).await
    }

    /// What a command that succeeds answers.
    pub(crate) async fn ok(&mut self, command: &str, to: Option<&str>, payload: Value) -> Value {
        self.ask(command, to, payload).await.unwrap()
    }

    /// Why a command is refused.
    pub(crate) async fn refused(&mut self, command: &str, to: Option<&str>, with: Value) -> Value {
        self.ask(command, to, with).await.unwrap_err()
    }

    pub(crate) async fn ask(
        &mut self,
        command: &str,
        session: Option<&str>,
        payload: Value,
    ) -> Result<Value, Value> {
        self.number += 1;
        let id = format!("c{}", self.number);
        let frame = json!({
            "type": "command", "id": id, "command": command,
            "sessionId": session, "payload": payload,
        });
        self.say(&frame).await;
        let mut kept = VecDeque::new();
        let reply = loop {
            let frame = self.next().await;
            if frame["type"] == "reply" && frame["id"] == id.as_str() {
                break frame;
            }
            kept.push_back(frame);
        };
        kept.append(&mut self.backlog);
        self.backlog = kept;
        if reply["ok"] == true {
            Ok(reply["result"].clone())
        } else {
            assert_eq!(reply["error"], reply["problem"]["detail"]);
            Err(reply["problem"].clone())
        }
    }
}

/// The event in a frame, if it is of this type.
pub(crate) fn is_event(frame: &Value, kind: &str) -> bool {
    frame["type"] == "event" && frame["event"]["type"] == kind
}

pub(crate) fn is_state(frame: &Value, state: &str) -> bool {
    is_event(frame, "session.state") && frame["event"]["payload"]["state"] == state
}

/// The numbers of the events among frames.
pub(crate) fn seqs(frames: &[Value]) -> Vec<u64> {
    let events = frames.iter().filter(|frame| frame["type"] == "event");
    events
        .map(|frame| frame["event"]["seq"].as_u64().unwrap())
        .collect()
}
