//! Slash commands: answered by the CLI itself, without the model.

use serde_json::{Value, json};

use crate::clock::unix_millis;
use crate::engine::{Engine, Flow, Message};
use crate::messages;

impl Engine {
    /// The older version answers unknown commands itself, the newer asks the model.
    pub(crate) fn is_command(&self, prompt: &str) -> bool {
        let known = ["/compact", "/clear", "/cost", "/context", "/usage"];
        let word = prompt.split_whitespace().next().unwrap_or_default();
        prompt.starts_with('/') && (known.contains(&word) || !self.options.version.is_325())
    }

    pub(crate) fn slash_command(&mut self, message: &Message, prompt: &str) -> Flow<()> {
        let command = prompt.split_whitespace().next().unwrap_or_default();
        match command {
            "/compact" => self.compact(),
            "/clear" => self.clear(),
            "/cost" | "/context" | "/usage" => self.local_answer(message, "Total cost: $0.00"),
            _ => self.local_answer(message, &format!("Unknown command: {command}")),
        }
    }

    fn local_answer(&mut self, message: &Message, text: &str) -> Flow<()> {
        let init = messages::init(self, std::slice::from_ref(&message.uuid));
        self.out.line(&init)?;
        let (_, line) = messages::synthetic(self, text, None);
        self.out.line(&line)?;
        self.local_result(text)
    }

    /// A new session id in the same process; nothing else says so.
    fn clear(&mut self) -> Flow<()> {
        self.session = self.out.ids.uuid();
        let init = messages::init(self, &[]);
        self.out.line(&init)?;
        self.local_result("")
    }

    fn compact(&mut self) -> Flow<()> {
        self.system("status", json!({"status": "compacting"}))?;
        self.system(
            "status",
            json!({"status": null, "compact_result": "success"}),
        )?;
        let init = messages::init(self, &[]);
        self.out.line(&init)?;
        self.system("compact_boundary", json!({"compact_metadata": {
            "trigger": "manual", "pre_tokens": 120, "post_tokens": 60, "cumulative_dropped_tokens": 60, "duration_ms": 1,
        }}))?;
        let summary = json!("This session is being continued from a previous conversation.");
        self.local_user(&summary, "isSynthetic")?;
        self.local_user(
            &json!("<local-command-stdout>Compacted </local-command-stdout>"),
            "isReplay",
        )?;
        self.local_result("")
    }

    fn local_user(&mut self, content: &Value, mark: &str) -> Flow<()> {
        let (_, mut line) = messages::user(self, content, None);
        line[mark] = json!(true);
        Ok(self.out.line(&line)?)
    }

    fn local_result(&mut self, text: &str) -> Flow<()> {
        let fields = json!({
            "subtype": "success", "is_error": false, "num_turns": 0, "result": text, "stop_reason": null,
        });
        let line = messages::result(self, 0, unix_millis(), fields);
        self.last_is_error = false;
        Ok(self.out.line(&line)?)
    }
}
