//! A host in miniature: enough of the protocol to hold a conversation with a CLI.

use std::path::Path;

use baton_testkit::{LIMIT, Running, Sandbox};
use serde_json::{Value, json};

/// What every conversation is started with.
const FLAGS: [&str; 9] = [
    "--output-format",
    "stream-json",
    "--verbose",
    "--input-format",
    "stream-json",
    "--permission-prompt-tool",
    "stdio",
    "--include-partial-messages",
    "--replay-user-messages",
];

/// A CLI, real or fake, that has answered `initialize`.
pub(crate) struct Conversation {
    pub(crate) process: Running,
    sent: std::cell::Cell<u32>,
}

/// The lines of one turn, from the first one after the prompt to the result.
pub(crate) struct Turn {
    pub(crate) lines: Vec<Value>,
}

impl Conversation {
    #[track_caller]
    pub(crate) fn start(sandbox: &Sandbox, cli: &Path, extra: &[&str]) -> Self {
        let conversation = Self::start_silent(sandbox, cli, extra);
        conversation.request("init-1", &json!({"subtype": "initialize"}));
        conversation
    }

    /// Starts without `initialize`.
    #[track_caller]
    pub(crate) fn start_silent(sandbox: &Sandbox, cli: &Path, extra: &[&str]) -> Self {
        let process = sandbox.start(cli, FLAGS.iter().chain(extra));
        Self {
            process,
            sent: std::cell::Cell::new(0),
        }
    }

    /// Sends a control request and returns its answer.
    #[track_caller]
    pub(crate) fn request(&self, id: &str, request: &Value) -> Value {
        self.process
            .send(&json!({"type": "control_request", "request_id": id, "request": request}));
        let answers = |line: &Value| {
            line["type"] == "control_response" && line["response"]["request_id"] == id
        };
        self.process.wait_for(answers, LIMIT)["response"].clone()
    }

    /// Sends a user message with a fresh uuid, which it returns.
    pub(crate) fn say(&self, content: impl Into<Value>) -> String {
        self.sent.set(self.sent.get() + 1);
        let uuid = format!(
            "00000000-0000-4000-8000-{:06}{:06}",
            self.process.pid() % 1_000_000,
            self.sent.get()
        );
        self.say_as(&uuid, content);
        uuid
    }

    pub(crate) fn say_as(&self, uuid: &str, content: impl Into<Value>) {
        self.process.send(&json!({
            "type": "user", "message": {"role": "user", "content": content.into()},
            "parent_tool_use_id": null, "session_id": "", "uuid": uuid,
        }));
    }

    /// Answers a control request of the CLI.
    pub(crate) fn answer(&self, request: &Value, response: &Value) {
        self.process
            .send(&json!({"type": "control_response", "response": {
                "subtype": "success", "request_id": request["request_id"], "response": response,
            }}));
    }

    /// Says something and allows every tool until the result.
    #[track_caller]
    pub(crate) fn turn(&self, content: impl Into<Value>) -> Turn {
        self.turn_with(content, allow)
    }

    /// Says something and answers every ask with `decide` until the result.
    #[track_caller]
    pub(crate) fn turn_with(
        &self,
        content: impl Into<Value>,
        decide: impl Fn(&Value) -> Value,
    ) -> Turn {
        self.say(content);
        self.until_result(decide)
    }

    #[track_caller]
    pub(crate) fn until_result(&self, decide: impl Fn(&Value) -> Value) -> Turn {
        let mut lines = Vec::new();
        loop {
            let line = self.process.wait_for(|_| true, LIMIT);
            if line["type"] == "control_request" {
                self.answer(&line, &decide(&line["request"]));
            }
            let ended = line["type"] == "result";
            lines.push(line);
            if ended {
                return Turn { lines };
            }
        }
    }

    /// Closes stdin and returns the exit code.
    #[track_caller]
    pub(crate) fn end(self) -> Option<i32> {
        self.process.close_stdin();
        self.process.wait_exit(LIMIT).code()
    }
}

/// Allows a tool with its own input.
pub(crate) fn allow(request: &Value) -> Value {
    json!({"behavior": "allow", "updatedInput": request["input"]})
}

impl Turn {
    pub(crate) fn result(&self) -> &Value {
        self.lines.last().unwrap()
    }

    /// The lines of one type, and one subtype if given.
    pub(crate) fn of<'a>(&'a self, kind: &'a str, subtype: &'a str) -> Vec<&'a Value> {
        let fits = |line: &&Value| {
            line["type"] == kind && (subtype.is_empty() || line["subtype"] == subtype)
        };
        self.lines.iter().filter(fits).collect()
    }

    pub(crate) fn asks(&self) -> Vec<&Value> {
        self.of("control_request", "")
            .into_iter()
            .map(|line| &line["request"])
            .collect()
    }

    /// The kinds of lines in order, in three sequences: the real CLI writes
    /// stream events, control messages and the rest from different places, and
    /// how they mix differs from run to run.
    pub(crate) fn shape(&self) -> Shape {
        let kinds = |wanted: fn(&str) -> bool| -> Vec<String> {
            let of = |line: &&Value| wanted(line["type"].as_str().unwrap_or_default());
            self.lines.iter().filter(of).map(kind).collect()
        };
        Shape {
            stream: kinds(|name| name == "stream_event"),
            control: kinds(|name| name.starts_with("control_")),
            rest: kinds(|name| name != "stream_event" && !name.starts_with("control_")),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) stream: Vec<String>,
    pub(crate) control: Vec<String>,
    pub(crate) rest: Vec<String>,
}

/// Type, subtype and what else tells two kinds of lines apart.
pub(crate) fn kind(line: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut parts = vec![text(&line["type"])];
    parts.push(match parts[0].as_str() {
        "stream_event" => text(&line["event"]["type"]),
        "control_request" => text(&line["request"]["subtype"]),
        "control_response" => text(&line["response"]["subtype"]),
        "command_lifecycle" => text(&line["state"]),
        _ => text(&line["subtype"]),
    });
    if line["type"] == "assistant" || line["type"] == "user" {
        let blocks = line["message"]["content"]
            .as_array()
            .map_or(&[][..], Vec::as_slice);
        parts.extend(blocks.iter().map(|block| text(&block["type"])));
    }
    if line["isReplay"] == true {
        parts.push("replay".to_owned());
    }
    if line["parent_tool_use_id"].is_string() {
        parts.push("subagent".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join("/")
}
