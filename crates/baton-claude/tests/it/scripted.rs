//! A CLI in memory that says what a test tells it to.

use std::time::Duration;

use baton_claude::{Input, Output, Process, Transport};
use baton_process::{Exit, ExitReport, Line, StopPlan, WriteError};
use serde_json::Value;
use tokio::sync::{mpsc, watch};

/// Fails a test that waits for what will never come. With the clock paused it
/// does so at once.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    let limit = Duration::from_secs(120);
    tokio::time::timeout(limit, future).await.unwrap()
}

/// The test's end of the wire.
pub(crate) struct Script {
    heard: mpsc::Receiver<Value>,
    say: Option<mpsc::Sender<Vec<u8>>>,
    exit: watch::Sender<Option<Exit>>,
    stops: watch::Receiver<Option<StopPlan>>,
}

/// The driver's end of the wire.
pub(crate) struct Wire {
    output: WireOutput,
    input: WireInput,
    process: WireProcess,
}

pub(crate) struct WireOutput {
    lines: mpsc::Receiver<Vec<u8>>,
    current: Vec<u8>,
}

pub(crate) struct WireInput {
    lines: mpsc::Sender<Value>,
}

pub(crate) struct WireProcess {
    exit: watch::Receiver<Option<Exit>>,
    stops: watch::Sender<Option<StopPlan>>,
}

pub(crate) fn scripted() -> (Script, Wire) {
    let (input, heard) = mpsc::channel(16);
    let (say, lines) = mpsc::channel(16);
    let (exit_sender, exit) = watch::channel(None);
    let (stop_sender, stops) = watch::channel(None);
    let script = Script {
        heard,
        say: Some(say),
        exit: exit_sender,
        stops,
    };
    let wire = Wire {
        output: WireOutput {
            lines,
            current: Vec::new(),
        },
        input: WireInput { lines: input },
        process: WireProcess {
            exit,
            stops: stop_sender,
        },
    };
    (script, wire)
}

impl Script {
    /// The next line from the host; `None` when it closed stdin.
    pub(crate) async fn hear(&mut self) -> Option<Value> {
        within(self.heard.recv()).await
    }

    /// The next request from the host: its id and body.
    pub(crate) async fn hear_request(&mut self) -> (String, Value) {
        let line = self.hear().await.unwrap();
        assert_eq!(line["type"], "control_request", "{line}");
        (
            line["request_id"].as_str().unwrap().to_owned(),
            line["request"].clone(),
        )
    }

    pub(crate) async fn say(&self, line: &Value) {
        self.say_bytes(line.to_string().as_bytes()).await;
    }

    pub(crate) async fn say_bytes(&self, line: &[u8]) {
        self.say
            .as_ref()
            .unwrap()
            .send(line.to_vec())
            .await
            .unwrap();
    }

    pub(crate) async fn answer(&self, request_id: &str, body: Value) {
        self.say(
            &serde_json::json!({ "type": "control_response", "response": {
            "subtype": "success", "request_id": request_id, "response": body } }),
        )
        .await;
    }

    /// Asks the host something.
    pub(crate) async fn ask(&self, request_id: &str, request: Value) {
        self.say(
            &serde_json::json!({ "type": "control_request", "request_id": request_id,
            "request": request }),
        )
        .await;
    }

    /// Serves the first request.
    pub(crate) async fn get_ready(&mut self) {
        let (id, request) = self.hear_request().await;
        assert_eq!(request["subtype"], "initialize");
        self.answer(&id, serde_json::json!({ "claude_code_version": "2.1.325" }))
            .await;
    }

    /// Ends stdout and the process.
    pub(crate) fn exit(&mut self, code: i32) {
        self.say = None;
        self.exit.send_replace(Some(Exit::Exited { code }));
    }

    /// Closes stdout but lives on.
    pub(crate) fn go_quiet(&mut self) {
        self.say = None;
    }

    /// Waits until the host wants the process ended.
    pub(crate) async fn told_to_stop(&mut self) -> StopPlan {
        within(self.stops.wait_for(Option::is_some))
            .await
            .unwrap()
            .unwrap()
    }
}

impl Transport for Wire {
    type Output = WireOutput;
    type Input = WireInput;
    type Process = WireProcess;

    fn split(self) -> (WireOutput, WireInput, WireProcess) {
        (self.output, self.input, self.process)
    }
}

impl Output for WireOutput {
    async fn next(&mut self) -> Option<Line<'_>> {
        self.current = self.lines.recv().await?;
        Some(Line::Whole(&self.current))
    }
}

impl Input for WireInput {
    async fn line(&mut self, line: &[u8]) -> Result<(), WriteError> {
        let value = serde_json::from_slice(line).unwrap();
        self.lines.send(value).await.map_err(|_| WriteError::Closed)
    }
}

impl Process for WireProcess {
    async fn wait(&mut self) -> ExitReport {
        let exit = match self.exit.wait_for(Option::is_some).await {
            Ok(exit) => exit.unwrap(),
            Err(_) => Exit::Lost,
        };
        ExitReport {
            exit,
            leaked: Vec::new(),
            output_closed: true,
        }
    }

    async fn stop(&mut self, plan: StopPlan) -> ExitReport {
        self.stops.send_replace(Some(plan));
        self.wait().await
    }

    fn stderr_tail(&self) -> Vec<u8> {
        b"some words\n".to_vec()
    }
}
