//! The three ways to an agent: its own pipes, `baton stdio`, and the SDK.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout},
};

use baton_testkit::{Sandbox, bin, client_dir, repo_root};
use serde_json::{Value, json};

use crate::now;

/// What stands between the agent and its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Bare,
    Baton,
    Sdk,
}

impl Way {
    pub(crate) const ALL: [Self; 3] = [Self::Bare, Self::Baton, Self::Sdk];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Bare => "the agent alone",
            Self::Baton => "baton stdio",
            Self::Sdk => "Node and the SDK",
        }
    }
}

/// A conversation under way.
pub(crate) struct Talk {
    way: Way,
    pub(crate) child: Child,
    /// When it was started.
    pub(crate) begun: u64,
    stdin: Option<ChildStdin>,
    lines: BufReader<ChildStdout>,
    line: String,
}

impl Talk {
    pub(crate) fn start(way: Way, sandbox: &Sandbox, claude: &Path) -> Self {
        let mut command = match way {
            Way::Bare => {
                let mut command = sandbox.command(claude);
                command.args(["--print", "--verbose", "--include-partial-messages"]);
                command.args(["--input-format", "stream-json"]);
                command.args(["--output-format", "stream-json"]);
                command.args(["--permission-prompt-tool", "stdio"]);
                command
            }
            Way::Baton => {
                let mut command = sandbox.command(bin("baton"));
                command.arg("stdio");
                command.env("BATON_AGENT_CLAUDE_PATH", claude);
                command
            }
            Way::Sdk => {
                let mut command = sandbox.command("node");
                command.arg(repo_root().join("crates/baton/benches/stdio/bridge.mjs"));
                let sdk = "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs";
                command.arg(client_dir("agent-sdk").join(sdk)).arg(claude);
                command
            }
        };
        command.stderr(std::process::Stdio::null());
        let begun = now();
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self {
            way,
            child,
            begun,
            stdin,
            lines,
            line: String::new(),
        }
    }

    pub(crate) fn say(&mut self, text: &str) {
        let message = match self.way {
            Way::Bare => {
                json!({"type": "user", "message": {"role": "user", "content": text}})
            }
            Way::Baton | Way::Sdk => json!({"type": "message", "content": text}),
        };
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// The next line and when it came.
    pub(crate) fn next(&mut self) -> (u64, Value) {
        self.line.clear();
        let read = self.lines.read_line(&mut self.line).unwrap();
        let seen = now();
        assert!(read > 0, "{} ended too soon", self.way.name());
        (seen, serde_json::from_str(&self.line).unwrap())
    }

    /// When a line of this type came.
    pub(crate) fn wait(&mut self, name: &str) -> u64 {
        loop {
            let (seen, line) = self.next();
            if line["type"] == name {
                return seen;
            }
        }
    }

    /// The age of every stamped paragraph of one turn.
    pub(crate) fn ages(&mut self) -> Vec<u64> {
        let mut ages = Vec::new();
        loop {
            let (seen, line) = self.next();
            let text = match self.way {
                Way::Bare => &line["event"]["delta"]["text"],
                Way::Baton | Way::Sdk if line["type"] == "assistant_text" => &line["text"],
                Way::Baton | Way::Sdk => &Value::Null,
            };
            let stamps = text.as_str().unwrap_or_default().split_whitespace();
            ages.extend(stamps.filter_map(|stamp| Some(seen - stamp.parse::<u64>().ok()?)));
            if line["type"] == "result" {
                return ages;
            }
        }
    }

    pub(crate) fn end(mut self) {
        drop(self.stdin.take());
        while self.lines.read_line(&mut self.line).unwrap() > 0 {
            self.line.clear();
        }
        self.child.wait().unwrap();
    }
}
