//! Running tools, and what their results look like.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::engine::{Abort, Engine, EngineInput, Flow, Stop};
use crate::messages;
use crate::permission::{Call, Verdict};
use crate::prompt::Point;
use crate::turn::Turn;

/// A file as it was before a tool changed it; no content when it was not there.
#[derive(Debug, Clone)]
pub(crate) struct Backup {
    pub(crate) path: PathBuf,
    pub(crate) content: Option<String>,
}

/// What a tool gives back: the model's text, and the structured form beside it.
pub(crate) struct Outcome {
    pub(crate) content: Value,
    pub(crate) is_error: Option<bool>,
    pub(crate) detail: Value,
}

impl Outcome {
    pub(crate) fn text(text: impl Into<String>, detail: Value) -> Self {
        Self {
            content: json!(text.into()),
            is_error: None,
            detail,
        }
    }

    fn error(text: &str) -> Self {
        Self {
            content: json!(text),
            is_error: Some(true),
            detail: json!(format!("Error: {text}")),
        }
    }
}

const REJECTED: &str = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a \
    file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you \
    how to proceed.";

impl Engine {
    /// Runs the calls of one answer in order; an interrupt rejects the rest.
    pub(crate) fn run_tools(&mut self, turn: &mut Turn, uses: &[Value]) -> Flow<()> {
        self.phase = Abort::Tools;
        let mut ended = Ok(());
        for tool_use in uses {
            let call = Call {
                id: tool_use["id"].as_str().unwrap_or_default().to_owned(),
                name: tool_use["name"].as_str().unwrap_or_default().to_owned(),
                input: tool_use["input"].clone(),
                agent: None,
            };
            let outcome = match ended {
                Ok(()) => self.use_tool(turn, &call),
                Err(_) => Err(Stop::Abort(Abort::Tools)),
            };
            turn.rounds += 1;
            match outcome {
                Ok(outcome) => self.tool_result(&call, outcome)?,
                Err(Stop::Abort(_)) => {
                    ended = Err(Stop::Abort(Abort::Tools));
                    let detail = json!("User rejected tool use");
                    let rejected = Outcome {
                        content: json!(REJECTED),
                        is_error: Some(true),
                        detail,
                    };
                    self.tool_result(&call, rejected)?;
                }
                Err(stop) => return Err(stop),
            }
        }
        self.phase = Abort::Streaming;
        ended
    }

    /// Asks if need be, runs the tool and tells the hooks.
    pub(crate) fn use_tool(&mut self, turn: &mut Turn, call: &Call) -> Flow<Outcome> {
        if call.name == "ExitPlanMode" && self.mode != "plan" {
            return Ok(Outcome::error(
                "You are not in plan mode. To enter plan mode, call the EnterPlanMode tool first.",
            ));
        }
        let input = match self.permit(turn, call)? {
            Verdict::Allowed(input) => input,
            Verdict::Refused(text) => return Ok(Outcome::error(&text)),
        };
        let outcome = match call.name.as_str() {
            "Bash" => self.bash(call, &input)?,
            "Agent" => self.agent(turn, call, &input)?,
            "Read" => self.read(&input),
            "Write" => self.write(&input),
            "Edit" => self.edit(&input),
            "AskUserQuestion" => answered(&input),
            "ExitPlanMode" => self.leave_plan_mode(&input)?,
            "TaskCreate" => self.create_task(&input),
            "TodoWrite" => Outcome::text(
                "Todos have been modified successfully",
                json!({"oldTodos": [], "newTodos": input["todos"]}),
            ),
            other => Outcome::error(&format!("No such tool available: {other}")),
        };
        let event = if outcome.is_error == Some(true) {
            "PostToolUseFailure"
        } else {
            "PostToolUse"
        };
        let hook_input = json!({
            "tool_name": call.name, "tool_input": input, "tool_use_id": call.id, "tool_response": outcome.detail,
            "duration_ms": 1,
        });
        self.hook(event, &hook_input, Some(call))?;
        Ok(outcome)
    }

    /// Writes the result line and its transcript row.
    pub(crate) fn tool_result(&mut self, call: &Call, outcome: Outcome) -> Flow<()> {
        let mut block =
            json!({"tool_use_id": call.id, "type": "tool_result", "content": outcome.content});
        if let Some(is_error) = outcome.is_error {
            block["is_error"] = json!(is_error);
        }
        let parent = call.agent.as_ref().map(|(parent, _)| parent.as_str());
        let (uuid, mut line) = messages::user(self, &json!([block]), parent);
        line["tool_use_result"] = outcome.detail;
        self.out.line(&line)?;
        if parent.is_none() {
            let row = json!({
                "type": "user", "message": line["message"], "promptId": self.out.ids.uuid(),
                "toolUseResult": line["tool_use_result"],
            });
            self.transcript.chain(&uuid, row)?;
        }
        self.reached(Point::ToolResult)
    }

    fn bash(&mut self, call: &Call, input: &Value) -> Flow<Outcome> {
        let command = input["command"].as_str().unwrap_or_default();
        let group = self.spawn_command(&call.id, command)?;
        if input["run_in_background"] == true {
            return self.leave_in_background(call, command);
        }
        loop {
            if let Some((code, stdout, stderr)) = self.commands.remove(&call.id) {
                return Ok(bash_outcome(code, &stdout, &stderr));
            }
            self.wait()?;
            if let Err(stop) = self.check_abort() {
                // An error means that it has ended by itself.
                let _ = kill_process_group(group, Signal::KILL);
                return Err(stop);
            }
        }
    }

    /// Starts a command in a group of its own, as the CLI does; its end arrives as an input.
    fn spawn_command(&mut self, tool: &str, command: &str) -> Flow<Pid> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the fake starts commands as the real CLI does, by itself"
        )]
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", command])
            .current_dir(&self.options.cwd)
            .process_group(0);
        shell
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = shell.spawn()?;
        let group = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or(Stop::Exit(1))?;
        let (sender, tool) = (self.sender.clone(), tool.to_owned());
        std::thread::Builder::new().spawn(move || {
            let (code, stdout, stderr) = match child.wait_with_output() {
                Ok(output) => {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
                    (
                        output.status.code().unwrap_or(137),
                        text(&output.stdout),
                        text(&output.stderr),
                    )
                }
                Err(error) => (1, String::new(), error.to_string()),
            };
            drop(sender.send(EngineInput::Command {
                tool,
                code,
                stdout,
                stderr,
            }));
        })?;
        Ok(group)
    }

    fn read(&self, input: &Value) -> Outcome {
        let path = self.path(input);
        match std::fs::read_to_string(&path) {
            Err(_) => Outcome::error("File does not exist."),
            Ok(content) => {
                let lines: Vec<String> = content
                    .split('\n')
                    .enumerate()
                    .map(|(index, line)| format!("{}\t{line}", index + 1))
                    .collect();
                let count = lines.len();
                let file = json!({
                    "filePath": path, "content": content, "numLines": count, "startLine": 1, "totalLines": count,
                });
                Outcome::text(lines.join("\n"), json!({"type": "text", "file": file}))
            }
        }
    }

    fn write(&mut self, input: &Value) -> Outcome {
        let (path, content) = (
            self.path(input),
            input["content"].as_str().unwrap_or_default(),
        );
        let before = self.back_up(&path);
        if let Err(error) = std::fs::write(&path, content) {
            return Outcome::error(&error.to_string());
        }
        let (kind, said) = if before.is_some() {
            ("update", "updated")
        } else {
            ("create", "created")
        };
        Outcome::text(
            format!("File {said} successfully at: {}", path.display()),
            json!({
                "type": kind, "filePath": path, "content": content, "structuredPatch": [], "originalFile": before,
                "userModified": false,
            }),
        )
    }

    fn edit(&mut self, input: &Value) -> Outcome {
        let path = self.path(input);
        let (old, new) = (
            input["old_string"].as_str().unwrap_or_default(),
            input["new_string"].as_str().unwrap_or_default(),
        );
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let Some(at) = before.find(old).filter(|_| !old.is_empty()) else {
            return Outcome::error("String to replace not found in file.");
        };
        self.back_up(&path);
        if let Err(error) = std::fs::write(&path, before.replacen(old, new, 1)) {
            return Outcome::error(&error.to_string());
        }
        let line = before[..at].matches('\n').count() + 1;
        let changed: Vec<String> = old
            .lines()
            .map(|text| format!("-{text}"))
            .chain(new.lines().map(|text| format!("+{text}")))
            .collect();
        let hunk = json!({
            "oldStart": line, "oldLines": old.lines().count(), "newStart": line, "newLines": new.lines().count(),
            "lines": changed,
        });
        Outcome::text(
            format!("The file {} has been updated successfully.", path.display()),
            json!({
                "filePath": path, "oldString": old, "newString": new, "originalFile": before, "structuredPatch": [hunk],
                "userModified": false, "replaceAll": false,
            }),
        )
    }

    fn leave_plan_mode(&mut self, input: &Value) -> Flow<Outcome> {
        if self.mode == "plan" {
            let mode = self.mode_before_plan.clone();
            self.set_mode(&mode)?;
        }
        let text = format!(
            "User has approved your plan.\n\n{}",
            input["plan"].as_str().unwrap_or_default()
        );
        Ok(Outcome::text(
            text,
            json!({"plan": input["plan"], "isAgent": false, "filePath": null}),
        ))
    }

    fn create_task(&mut self, input: &Value) -> Outcome {
        self.tasks += 1;
        let (id, subject) = (self.tasks, input["subject"].as_str().unwrap_or_default());
        let detail = json!({"task": {"id": id.to_string(), "subject": subject}});
        Outcome::text(
            format!("Task #{id} created successfully: {subject}"),
            detail,
        )
    }

    fn path(&self, input: &Value) -> PathBuf {
        self.options
            .cwd
            .join(input["file_path"].as_str().unwrap_or_default())
    }

    /// Keeps the file's content for a rewind and returns it.
    fn back_up(&mut self, path: &std::path::Path) -> Option<String> {
        let content = std::fs::read_to_string(path).ok();
        if let Some((_, backups)) = self.backups.last_mut() {
            backups.push(Backup {
                path: path.to_owned(),
                content: content.clone(),
            });
        }
        content
    }
}

fn bash_outcome(code: i32, stdout: &str, stderr: &str) -> Outcome {
    if code != 0 {
        let parts: Vec<&str> = [stdout, stderr]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        return Outcome::error(&format!("Exit code {code}\n{}", parts.join("\n")));
    }
    let shown = if stdout.is_empty() {
        "(Bash completed with no output)"
    } else {
        stdout
    };
    let detail = json!({
        "stdout": stdout, "stderr": stderr, "interrupted": false, "isImage": false, "noOutputExpected": false,
    });
    Outcome {
        content: json!(shown),
        is_error: Some(false),
        detail,
    }
}

fn answered(input: &Value) -> Outcome {
    let detail = json!({"questions": input["questions"], "answers": input["answers"]});
    let Some(answers) = input["answers"]
        .as_object()
        .filter(|answers| !answers.is_empty())
    else {
        return Outcome::text("The user did not answer the questions.", detail);
    };
    let pairs: Vec<String> = answers
        .iter()
        .map(|(question, answer)| {
            format!("\"{question}\"=\"{}\"", answer.as_str().unwrap_or_default())
        })
        .collect();
    let text = format!(
        "Your questions have been answered: {}. You can now continue with these answers in mind.",
        pairs.join(", ")
    );
    Outcome::text(text, detail)
}
