//! Work beside the main thread: sub-agents in the foreground, commands in the background.

use baton_testkit::directive::{Round, calls, rounds};
use serde_json::{Value, json};

use crate::clock::unix_millis;
use crate::engine::{Engine, Flow};
use crate::messages;
use crate::permission::Call;
use crate::tools::Outcome;
use crate::turn::Turn;

impl Engine {
    /// Runs a sub-agent whose prompt is read like any other; its text shows
    /// only in the final result unless the host asked for it.
    pub(crate) fn agent(&mut self, turn: &mut Turn, call: &Call, input: &Value) -> Flow<Outcome> {
        let prompt = input["prompt"].as_str().unwrap_or_default().to_owned();
        let agent = self.task_id('a');
        self.system(
            "task_started",
            json!({
                "task_id": agent, "tool_use_id": call.id, "description": input["description"],
                "subagent_type": "general-purpose", "task_type": "local_agent", "prompt": prompt,
            }),
        )?;
        let (_, line) = messages::user(
            self,
            &json!([{"type": "text", "text": prompt}]),
            Some(&call.id),
        );
        self.out.line(&line)?;
        let mut text = String::new();
        let mut used = 0;
        for round in rounds(&prompt) {
            self.api_calls += 1;
            turn.calls += 1;
            if let Some(said) = said(&round) {
                text = said;
                if self.forward_text {
                    let block = json!({"type": "text", "text": text});
                    let (_, line) = messages::assistant(self, &block, Some(&call.id));
                    self.out.line(&line)?;
                }
            }
            let offered = messages::tools(self);
            for (name, tool_input) in round.tools.iter().flat_map(|tool| calls(tool, offered)) {
                used += 1;
                self.agent_tool(turn, (&call.id, &agent), name, tool_input, used)?;
            }
        }
        let end = json!({"status": "completed", "end_time": unix_millis()});
        self.system("task_updated", json!({"task_id": agent, "patch": end}))?;
        self.system("task_notification", json!({
            "task_id": agent, "tool_use_id": call.id, "status": "completed", "output_file": "",
            "summary": input["description"], "usage": {"total_tokens": 120, "tool_uses": used, "duration_ms": 1},
        }))?;
        let detail = json!({
            "status": "completed", "prompt": prompt, "agentId": agent, "agentType": "general-purpose",
            "content": [{"type": "text", "text": text}], "totalToolUseCount": used,
        });
        Ok(Outcome {
            content: json!([{"type": "text", "text": text}]),
            is_error: None,
            detail,
        })
    }

    fn agent_tool(
        &mut self,
        turn: &mut Turn,
        agent: (&str, &str),
        name: &str,
        input: Value,
        used: u64,
    ) -> Flow<()> {
        self.tool_calls += 1;
        let call = Call {
            id: format!("toolu_fake_{}_{}", std::process::id(), self.tool_calls),
            name: name.to_owned(),
            input,
            agent: Some((agent.0.to_owned(), agent.1.to_owned())),
        };
        self.system("task_progress", json!({
            "task_id": agent.1, "tool_use_id": agent.0, "description": format!("Running {name}"),
            "subagent_type": "general-purpose", "last_tool_name": name,
            "usage": {"total_tokens": 120, "tool_uses": used, "duration_ms": 1},
        }))?;
        let block =
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input});
        let (_, line) = messages::assistant(self, &block, Some(agent.0));
        self.out.line(&line)?;
        let outcome = self.use_tool(turn, &call)?;
        self.tool_result(&call, outcome)
    }

    /// The result of a command that goes on in the background.
    pub(crate) fn leave_in_background(&mut self, call: &Call, command: &str) -> Flow<Outcome> {
        let task = self.task_id('b');
        self.background.insert(call.id.clone(), task.clone());
        self.system("task_started", json!({
            "task_id": task, "tool_use_id": call.id, "description": command, "task_type": "local_bash",
        }))?;
        let detail = json!({
            "stdout": "", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false,
            "backgroundTaskId": task,
        });
        let text = format!("Command running in background with ID: {task}.");
        Ok(Outcome {
            content: json!(text),
            is_error: Some(false),
            detail,
        })
    }

    /// Tells of background commands that ended during the turn.
    pub(crate) fn end_background_work(&mut self) -> Flow<()> {
        let ended: Vec<String> = self
            .background
            .keys()
            .filter(|tool| self.commands.contains_key(*tool))
            .cloned()
            .collect();
        for tool in ended {
            self.background_ended(&tool)?;
        }
        Ok(())
    }

    /// Tells of one, then starts the turn about it.
    pub(crate) fn background_ended(&mut self, tool: &str) -> Flow<()> {
        let (Some(task), Some((code, ..))) =
            (self.background.remove(tool), self.commands.remove(tool))
        else {
            return Ok(());
        };
        let status = if code == 0 { "completed" } else { "failed" };
        let end = json!({"status": status, "end_time": unix_millis()});
        self.system("task_updated", json!({"task_id": task, "patch": end}))?;
        self.system(
            "task_notification",
            json!({
                "task_id": task, "tool_use_id": tool, "status": status, "output_file": "",
                "summary": format!("Background command ended (exit code {code})"),
            }),
        )?;
        self.notification_turn(&format!(
            "<task-notification>\n<task-id>{task}</task-id>\n</task-notification>"
        ))
    }

    pub(crate) fn system(&mut self, subtype: &str, fields: Value) -> Flow<()> {
        let line = messages::system(self, subtype, fields);
        Ok(self.out.line(&line)?)
    }

    fn task_id(&mut self, kind: char) -> String {
        let uuid = self.out.ids.uuid().replace('-', "");
        format!("{kind}{}", &uuid[..16])
    }
}

fn said(round: &Round) -> Option<String> {
    match (round.tokens, &round.say) {
        (Some(count), _) => Some("tok ".repeat(count)),
        (None, say) => say.clone(),
    }
}
