//! Control requests of the host.

use serde_json::{Value, json};

use crate::engine::{Engine, Flow, Stop};
use crate::messages;
use crate::options::MODES;

impl Engine {
    /// Answers one request; most have an answer even while a turn runs.
    pub(crate) fn control(&mut self, id: &str, request: &Value) -> Flow<()> {
        let text = |field: &str| request[field].as_str().unwrap_or_default().to_owned();
        match request["subtype"].as_str().unwrap_or_default() {
            "initialize" => {
                self.register_hooks(&request["hooks"]);
                self.forward_text = request["forwardSubagentText"] == true;
                let answer = messages::initialized(self);
                self.succeed(id, Some(answer))
            }
            "interrupt" => {
                let phase = self.phase;
                let newer = self.options.version.is_325();
                let cancelled = if newer && request["cancel_queued"] == true {
                    self.cancel_queue()?
                } else {
                    Vec::new()
                };
                let queued: Vec<String> = self
                    .queue
                    .iter()
                    .map(|message| message.uuid.clone())
                    .collect();
                self.interrupt(phase)?;
                self.succeed(
                    id,
                    newer.then(|| json!({"still_queued": queued, "cancelled": cancelled})),
                )
            }
            "set_permission_mode" => self.change_mode(id, &text("mode")),
            "set_model" => self.change_model(id, &text("model")),
            "cancel_async_message" => {
                let wanted = text("message_uuid");
                let before = self.queue.len();
                self.queue.retain(|message| message.uuid != wanted);
                let cancelled = self.queue.len() < before;
                if cancelled {
                    self.lifecycle(&wanted, "cancelled")?;
                }
                self.succeed(id, Some(json!({"cancelled": cancelled})))
            }
            "rewind_files" => {
                self.rewind_files(id, &text("user_message_id"), request["dry_run"] == true)
            }
            "rewind_conversation"
                if request["target_message_uuid"].is_null() && !self.options.version.is_325() =>
            {
                // The real one never answers again either.
                self.hang_deaf()
            }
            "rewind_conversation" => {
                let target = text("target_message_uuid");
                let answer = json!({"rewound": true, "prefillText": "", "precedingAssistantUuid": null, "error": null});
                self.transcript.continue_after(Some(target));
                self.succeed(id, Some(answer))
            }
            other => self.inspect(id, other),
        }
    }

    /// The requests that only look, or change nothing the fake keeps.
    fn inspect(&mut self, id: &str, subtype: &str) -> Flow<()> {
        match subtype {
            "mcp_status" => self.succeed(id, Some(json!({"mcpServers": []}))),
            "get_context_usage" => self.context_usage(id),
            "get_session_cost" => self.succeed(id, Some(json!({"text": "Total cost: $0.00"}))),
            "get_binary_version" => {
                let version = self.options.version.number();
                self.succeed(
                    id,
                    Some(json!({"version": version, "buildTime": "2026-01-01T00:00:00Z"})),
                )
            }
            "get_settings" => {
                let applied = json!({"model": self.model, "effort": "high", "ultracode": false});
                self.succeed(
                    id,
                    Some(json!({"effective": {}, "sources": [], "applied": applied})),
                )
            }
            "stop_task" | "background_tasks" => self.succeed(id, Some(json!({}))),
            "set_max_thinking_tokens"
            | "mcp_toggle"
            | "mcp_reconnect"
            | "rename_session"
            | "apply_flag_settings" => self.succeed(id, None),
            "end_session" => {
                self.succeed(id, None)?;
                self.transcript.close()?;
                self.out.flush()?;
                Err(Stop::Exit(0))
            }
            other => self.refuse(
                id,
                &format!("Unsupported control request subtype: {other}"),
                "unsupported_request",
            ),
        }
    }

    pub(crate) fn succeed(&mut self, id: &str, answer: Option<Value>) -> Flow<()> {
        let mut response = json!({"subtype": "success", "request_id": id});
        if let Some(answer) = answer {
            response["response"] = answer;
        }
        Ok(self
            .out
            .line(&json!({"type": "control_response", "response": response}))?)
    }

    fn refuse(&mut self, id: &str, text: &str, code: &str) -> Flow<()> {
        let mut response = json!({"subtype": "error", "request_id": id, "error": text});
        if self.options.version.is_325() {
            response["error_code"] = json!(code);
        }
        Ok(self
            .out
            .line(&json!({"type": "control_response", "response": response}))?)
    }

    fn cancel_queue(&mut self) -> Flow<Vec<String>> {
        let uuids: Vec<String> = self.queue.drain(..).map(|message| message.uuid).collect();
        for uuid in &uuids {
            self.lifecycle(uuid, "cancelled")?;
        }
        Ok(uuids)
    }

    fn change_mode(&mut self, id: &str, mode: &str) -> Flow<()> {
        let known = MODES.contains(&mode);
        if !known && self.options.version.is_325() {
            let text = format!(
                "Cannot set permission mode: must be one of {}",
                MODES.join(", ")
            );
            return self.refuse(id, &text, "invalid_mode");
        }
        if mode == "bypassPermissions" && !self.options.may_bypass {
            let text = "Cannot set permission mode to bypassPermissions because the session was not launched with \
                        --dangerously-skip-permissions";
            return self.refuse(id, text, "invalid_mode");
        }
        self.succeed(id, Some(json!({"mode": mode})))?;
        // The older version accepts any word and changes nothing.
        if known { self.set_mode(mode) } else { Ok(()) }
    }

    fn change_model(&mut self, id: &str, model: &str) -> Flow<()> {
        let model = if model.is_empty() || model == "default" {
            self.options.version.default_model()
        } else {
            model
        };
        self.model = model.to_owned();
        let content = json!(format!(
            "<local-command-stdout>Set model to {model}</local-command-stdout>"
        ));
        let (_, mut line) = messages::user(self, &content, None);
        line["isReplay"] = json!(true);
        self.out.line(&line)?;
        let answer = self
            .options
            .version
            .is_325()
            .then(|| json!({"model": model}));
        self.succeed(id, answer)
    }

    fn context_usage(&mut self, id: &str) -> Flow<()> {
        let used = 100 * self.api_calls;
        let categories = json!([
            {"name": "Messages", "tokens": used, "color": "promptBorder"},
            {"name": "Free space", "tokens": 1_000_000 - used, "color": "inactive"},
        ]);
        let answer = json!({
            "categories": categories, "totalTokens": used, "maxTokens": 1_000_000, "rawMaxTokens": 1_000_000,
            "percentage": 0, "gridRows": [], "model": self.model, "memoryFiles": [], "mcpTools": [], "agents": [],
        });
        self.succeed(id, Some(answer))
    }

    fn rewind_files(&mut self, id: &str, message: &str, dry_run: bool) -> Flow<()> {
        if !self.options.checkpoints {
            return self.refuse(id, "File rewinding is not enabled.", "rewind_disabled");
        }
        let Some(from) = self.backups.iter().position(|(uuid, _)| uuid == message) else {
            return self.refuse(
                id,
                "No file checkpoint found for this message.",
                "not_found",
            );
        };
        if dry_run {
            let mut files: Vec<String> = self.backups[from..]
                .iter()
                .flat_map(|(_, backups)| backups)
                .map(|backup| backup.path.display().to_string())
                .collect();
            files.sort();
            files.dedup();
            let answer =
                json!({"canRewind": true, "filesChanged": files, "insertions": 1, "deletions": 1});
            return self.succeed(id, Some(answer));
        }
        for (_, backups) in self.backups[from..].iter_mut().rev() {
            for backup in backups.drain(..).rev() {
                match backup.content {
                    Some(content) => std::fs::write(&backup.path, content)?,
                    None => std::fs::remove_file(&backup.path)?,
                }
            }
        }
        self.succeed(id, Some(json!({"canRewind": true})))
    }
}
