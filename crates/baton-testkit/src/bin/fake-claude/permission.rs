//! Whether a tool may run: mode, rules, hooks, and in the end the host.

use serde_json::{Value, json};

use crate::engine::{Abort, Engine, Flow, Stop};
use crate::messages;
use crate::prompt::Point;
use crate::turn::Turn;

/// One call of a tool, by the main thread or by a sub-agent.
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: Value,
    /// The Agent call and the agent id, when a sub-agent makes it.
    pub(crate) agent: Option<(String, String)>,
}

/// What became of the question.
pub(crate) enum Verdict {
    /// Runs with this input.
    Allowed(Value),
    /// Does not run; the model reads this.
    Refused(String),
}

impl Engine {
    pub(crate) fn permit(&mut self, turn: &mut Turn, call: &Call) -> Flow<Verdict> {
        let input =
            json!({"tool_name": call.name, "tool_input": call.input, "tool_use_id": call.id});
        let hook = self.hook("PreToolUse", &input, Some(call))?;
        let decision = &hook["hookSpecificOutput"];
        let given = if decision["updatedInput"].is_object() {
            &decision["updatedInput"]
        } else {
            &call.input
        };
        match decision["permissionDecision"].as_str() {
            Some("allow") => return Ok(Verdict::Allowed(given.clone())),
            Some("deny") => {
                let reason = decision["permissionDecisionReason"]
                    .as_str()
                    .unwrap_or("denied by a hook");
                return Ok(Verdict::Refused(reason.to_owned()));
            }
            Some("ask") => return self.ask(turn, call),
            _ => {}
        }
        if !self.needs_ask(call) {
            return Ok(Verdict::Allowed(call.input.clone()));
        }
        if self.mode == "dontAsk" || !self.options.asks {
            turn.denials.push(denial(call));
            return Ok(Verdict::Refused(
                "This command requires approval".to_owned(),
            ));
        }
        self.ask(turn, call)
    }

    fn needs_ask(&self, call: &Call) -> bool {
        let content = call.input["command"].as_str();
        let fits = |(name, rule): &(String, Option<String>)| {
            *name == call.name && rule.as_deref().is_none_or(|rule| Some(rule) == content)
        };
        let bypass = self.mode == "bypassPermissions";
        let ruled = self.rules.iter().any(fits);
        match call.name.as_str() {
            "AskUserQuestion" | "ExitPlanMode" => true,
            "Bash" => !bypass && !ruled && !self.harmless(content.unwrap_or_default()),
            "Write" | "Edit" => !bypass && !ruled && self.mode != "acceptEdits",
            _ => false,
        }
    }

    /// Commands the CLI runs without asking, judged by their first word.
    fn harmless(&self, command: &str) -> bool {
        const READING: [&str; 9] = [
            "echo", "ls", "cat", "pwd", "sleep", "true", "head", "tail", "grep",
        ];
        const EDITING: [&str; 4] = ["touch", "mkdir", "rm", "rmdir"];
        let word = command.split_whitespace().next().unwrap_or_default();
        let simple = !command.contains(['>', '|', ';', '&', '$', '`']);
        simple
            && (READING.contains(&word) || (self.mode == "acceptEdits" && EDITING.contains(&word)))
    }

    fn ask(&mut self, turn: &mut Turn, call: &Call) -> Flow<Verdict> {
        let request = self.ask_request(call);
        let Some(answer) = self.host_request(&request)? else {
            turn.denials.push(denial(call));
            return Ok(Verdict::Refused(
                "Tool permission stream closed before response received".to_owned(),
            ));
        };
        let body = &answer["response"];
        let refused = |text: String| Ok(Verdict::Refused(text));
        if answer["subtype"] == "error" {
            turn.denials.push(denial(call));
            let text = answer["error"].as_str().unwrap_or_default();
            return refused(format!("Tool permission request failed: Error: {text}"));
        }
        match body["behavior"].as_str() {
            Some("allow") if body["updatedInput"].is_object() => {
                self.apply_permissions(&body["updatedPermissions"])?;
                Ok(Verdict::Allowed(body["updatedInput"].clone()))
            }
            Some("allow") if self.options.version.is_325() => {
                Ok(Verdict::Allowed(call.input.clone()))
            }
            Some("deny") if body["interrupt"] == true => {
                turn.denials.push(denial(call));
                Err(Stop::Abort(Abort::Tools))
            }
            Some("deny") => {
                turn.denials.push(denial(call));
                refused(body["message"].as_str().unwrap_or_default().to_owned())
            }
            _ => {
                turn.denials.push(denial(call));
                refused("Tool permission request failed: ZodError: invalid_union".to_owned())
            }
        }
    }

    fn ask_request(&self, call: &Call) -> Value {
        let mut request = json!({
            "subtype": "can_use_tool", "tool_name": call.name, "display_name": call.name, "input": call.input,
            "tool_use_id": call.id,
        });
        let cwd = &self.options.cwd;
        let more = match call.name.as_str() {
            "Bash" => json!({
                "description": call.input["description"], "decision_reason": "This command requires approval",
                "decision_reason_type": "other",
                "permission_suggestions": [{
                    "type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": call.input["command"]}],
                    "behavior": "allow", "destination": "localSettings",
                }],
            }),
            "Write" | "Edit" => json!({
                "description": call.input["file_path"],
                "blocked_path": cwd.join(call.input["file_path"].as_str().unwrap_or_default()),
                "permission_suggestions": [{"type": "setMode", "mode": "acceptEdits", "destination": "session"}],
            }),
            "AskUserQuestion" if self.options.version.is_325() => {
                json!({"requires_user_interaction": true})
            }
            _ => json!({}),
        };
        messages::extend(&mut request, more);
        if let Some((_, agent)) = &call.agent {
            request["agent_id"] = json!(agent);
        }
        request
    }

    /// Sends a request to the host and waits; `None` when stdin has closed.
    pub(crate) fn host_request(&mut self, request: &Value) -> Flow<Option<Value>> {
        let id = self.out.ids.uuid();
        self.asked.push(id.clone());
        self.out
            .line(&json!({"type": "control_request", "request_id": id, "request": request}))?;
        if request["subtype"] == "can_use_tool" {
            self.reached(Point::Ask)?;
        }
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                self.asked.retain(|asked| *asked != id);
                return Ok(Some(answer));
            }
            self.check_abort()?;
            if self.eof {
                self.asked.retain(|asked| *asked != id);
                return Ok(None);
            }
            self.wait()?;
        }
    }

    fn apply_permissions(&mut self, updates: &Value) -> Flow<()> {
        for update in updates.as_array().map_or(&[][..], Vec::as_slice) {
            match update["type"].as_str() {
                Some("setMode") => {
                    let mode = update["mode"].as_str().unwrap_or("default").to_owned();
                    self.set_mode(&mode)?;
                }
                Some("addRules") if update["behavior"] == "allow" => {
                    for rule in update["rules"].as_array().map_or(&[][..], Vec::as_slice) {
                        let name = rule["toolName"].as_str().unwrap_or_default().to_owned();
                        self.rules
                            .push((name, rule["ruleContent"].as_str().map(str::to_owned)));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Changes the mode and says so, if it is another one.
    pub(crate) fn set_mode(&mut self, mode: &str) -> Flow<()> {
        if self.mode == mode {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.mode, mode.to_owned());
        if mode == "plan" {
            self.mode_before_plan = before;
        }
        let line = messages::system(
            self,
            "status",
            json!({"status": null, "permissionMode": mode}),
        );
        Ok(self.out.line(&line)?)
    }
}

fn denial(call: &Call) -> Value {
    json!({"tool_name": call.name, "tool_use_id": call.id, "tool_input": call.input})
}
