//! The rules of the order, as a check over the lines of one run.
//!
//! It reads lines as any embedder would, as JSON, and knows nothing of how they
//! were made.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Every way in which the lines break the rules; none if they keep them.
pub fn problems(lines: &[Value]) -> Vec<String> {
    let mut check = Check::default();
    for (at, line) in lines.iter().enumerate() {
        check.line(at, line, lines.len());
    }
    check.end(lines);
    check.problems
}

#[derive(Default)]
struct Check {
    problems: Vec<String>,
    ready: bool,
    tools: BTreeMap<String, bool>,
    hooks: BTreeMap<String, bool>,
    requests: BTreeMap<String, bool>,
    subagents: BTreeSet<String>,
    tasks: BTreeSet<String>,
    /// Something runs on though its turn is over.
    runs_on: bool,
    thinking: BTreeSet<(String, u64)>,
    turn: Option<(u64, bool)>,
    last_turn: u64,
    session: bool,
    complete: Option<usize>,
    shutdown: Option<usize>,
}

impl Check {
    fn line(&mut self, at: usize, line: &Value, count: usize) {
        let name = text(line, "type");
        if !crate::output::Output::NAMES.contains(&name.as_str()) {
            self.problem(at, &format!("`{name}` is no event"));
            return;
        }
        if line["seq"] != at as u64 + 1 {
            self.problem(at, &format!("`{name}` has the number {}", line["seq"]));
        }
        let ts = text(line, "ts");
        if ts.is_empty() {
            self.problem(at, &format!("`{name}` has no time"));
        }
        if let Err(error) = serde_json::from_value::<crate::output::Output>(line.clone()) {
            self.problem(at, &format!("`{name}` does not have its form: {error}"));
        }
        if let Some(end) = self.shutdown {
            self.problem(at, &format!("`{name}` after `shutdown` in line {end}"));
        }
        if self.complete.is_some() && name != "shutdown" {
            self.problem(at, &format!("`{name}` between `complete` and `shutdown`"));
        }
        let before_ready = matches!(name.as_str(), "ready" | "error" | "auth_error" | "shutdown");
        if !self.ready && !before_ready {
            self.problem(at, &format!("`{name}` before `ready`"));
        }
        match name.as_str() {
            "ready" => {
                if at != 0 {
                    self.problem(at, "`ready` is not the first line");
                }
                self.ready = true;
            }
            "complete" => self.complete = Some(at),
            "shutdown" => {
                self.shutdown = Some(at);
                if at + 1 != count {
                    self.problem(at, "`shutdown` is not the last line");
                }
            }
            "tool_start" => self.begins(at, line, "toolUseId", |check| &mut check.tools),
            "tool_end" => self.ends(at, line, "toolUseId", |check| &mut check.tools),
            "tool_progress" => {
                let id = text(line, "toolUseId");
                if self.tools.get(&id) != Some(&true) {
                    self.problem(
                        at,
                        &format!("progress of the call {id}, which does not run"),
                    );
                }
            }
            "hook_pre_tool" => self.begins(at, line, "toolUseId", |check| &mut check.hooks),
            "hook_post_tool" => self.ends(at, line, "toolUseId", |check| &mut check.hooks),
            "user_question_request" | "plan_approval_request" | "tool_approval_request" => {
                self.begins(at, line, "requestId", |check| &mut check.requests);
            }
            "approval_resolved" => {
                self.ends(at, line, "requestId", |check| &mut check.requests);
            }
            "subagent_started" => {
                self.subagents.insert(text(line, "agentId"));
            }
            "subagent_stopped" => {
                self.subagents.remove(&text(line, "agentId"));
            }
            "task_update" => self.task(at, line),
            "background_done" => {
                if !std::mem::take(&mut self.runs_on) {
                    self.problem(at, "nothing was told to run on");
                }
                if self.turn.is_some() {
                    self.problem(at, "`background_done` within a turn");
                }
            }
            _ => self.talk(at, &name, line),
        }
    }

    fn task(&mut self, at: usize, line: &Value) {
        let id = text(line, "taskId");
        let known = self.tasks.contains(&id);
        if text(line, "status") == "running" {
            self.tasks.insert(id);
        } else if known {
            self.tasks.remove(&id);
        } else {
            self.problem(at, &format!("the task {id} ends without having begun"));
        }
    }

    fn talk(&mut self, at: usize, name: &str, line: &Value) {
        let block = || {
            (
                text(line, "messageId"),
                line["block"].as_u64().unwrap_or_default(),
            )
        };
        match name {
            "thinking_start" if !self.thinking.insert(block()) => {
                self.problem(at, "a thought begins twice");
            }
            "thinking_delta" if !self.thinking.contains(&block()) => {
                self.problem(at, "a piece of a thought that has not begun");
            }
            "thinking" if !self.thinking.remove(&block()) => {
                self.problem(at, "the whole of a thought that has not begun");
            }
            "session_started" if std::mem::replace(&mut self.session, true) => {
                self.problem(at, "a session starts within another");
            }
            "session_ended" if !std::mem::replace(&mut self.session, false) => {
                self.problem(at, "a session ends that has not started");
            }
            "turn_started" | "result" | "turn_complete" => self.turn(at, name, line),
            "assistant_text" if text(line, "text").is_empty() => {
                self.problem(at, "a paragraph without text");
            }
            _ => {}
        }
    }

    fn turn(&mut self, at: usize, name: &str, line: &Value) {
        let turn = line["turn"].as_u64().unwrap_or_default();
        match (name, self.turn) {
            ("turn_started", None) => {
                if turn <= self.last_turn {
                    self.problem(
                        at,
                        &format!("turn {turn} comes after turn {}", self.last_turn),
                    );
                }
                self.last_turn = turn;
                self.turn = Some((turn, false));
            }
            ("result", Some((running, false))) if running == turn => {
                self.turn = Some((turn, true));
            }
            ("turn_complete", Some((running, true))) if running == turn => {
                self.turn = None;
                self.runs_on |= line.get("stillRunning").is_some();
            }
            (_, state) => {
                self.problem(
                    at,
                    &format!("`{name}` of turn {turn} while {state:?} is open"),
                );
            }
        }
    }

    fn begins(
        &mut self,
        at: usize,
        line: &Value,
        key: &str,
        of: impl Fn(&mut Self) -> &mut BTreeMap<String, bool>,
    ) {
        let id = text(line, key);
        if of(self).insert(id.clone(), true).is_some() {
            self.problem(at, &format!("{id} begins twice"));
        }
    }

    fn ends(
        &mut self,
        at: usize,
        line: &Value,
        key: &str,
        of: impl Fn(&mut Self) -> &mut BTreeMap<String, bool>,
    ) {
        let id = text(line, key);
        if of(self).insert(id.clone(), false) != Some(true) {
            self.problem(at, &format!("{id} ends without having begun"));
        }
    }

    fn end(&mut self, lines: &[Value]) {
        let at = lines.len();
        let usage = lines.len() == 1 && text(&lines[0], "type") == "error";
        if usage {
            return;
        }
        if !self.ready
            && !lines
                .iter()
                .any(|line| text(line, "type").ends_with("error"))
        {
            self.problem(at, "there is neither `ready` nor an error");
        }
        if self.shutdown.is_none() {
            self.problem(at, "there is no `shutdown`");
        }
        let unfinished: Vec<String> = [&self.tools, &self.hooks, &self.requests]
            .into_iter()
            .flatten()
            .filter(|(_, open)| **open)
            .map(|(id, _)| id.clone())
            .chain(self.subagents.iter().cloned())
            .chain(self.tasks.iter().cloned())
            .chain(self.thinking.iter().map(|(id, _)| id.clone()))
            .collect();
        for id in unfinished {
            self.problem(at, &format!("{id} begins and never ends"));
        }
        if let Some((turn, _)) = self.turn {
            self.problem(at, &format!("turn {turn} never ends"));
        }
        if self.session {
            self.problem(at, "a session starts and never ends");
        }
    }

    fn problem(&mut self, at: usize, what: &str) {
        self.problems.push(format!("line {}: {what}", at + 1));
    }
}

fn text(line: &Value, key: &str) -> String {
    line[key].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
