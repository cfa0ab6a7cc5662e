//! Hooks the host registered with `initialize`, called back over the protocol.

use serde_json::{Value, json};

use crate::engine::{Engine, Flow};
use crate::messages;
use crate::permission::Call;

impl Engine {
    /// Keeps the callbacks of `{"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["cb_0"]}]}`.
    pub(crate) fn register_hooks(&mut self, hooks: &Value) {
        if let Value::Object(events) = hooks {
            for (event, matchers) in events {
                let matchers = matchers.as_array().cloned().unwrap_or_default();
                self.hooks.insert(event.clone(), matchers);
            }
        }
    }

    /// Calls every callback of an event and returns the last opinion; an empty object when there is none.
    pub(crate) fn hook(&mut self, event: &str, input: &Value, call: Option<&Call>) -> Flow<Value> {
        let mut opinion = json!({});
        for callback in self.callbacks(event, call) {
            let tool_use_id = call.map_or_else(|| self.out.ids.uuid(), |call| call.id.clone());
            let mut full = json!({
                "session_id": self.session, "transcript_path": self.transcript.path(), "cwd": self.options.cwd,
                "permission_mode": self.mode, "hook_event_name": event,
            });
            messages::extend(&mut full, input.clone());
            let request = json!({
                "subtype": "hook_callback", "callback_id": callback, "tool_use_id": tool_use_id, "input": full,
            });
            if let Some(answer) = self.host_request(&request)?
                && answer["subtype"] == "success"
                && answer["response"]
                    .as_object()
                    .is_some_and(|body| !body.is_empty())
            {
                opinion = answer["response"].clone();
            }
        }
        Ok(opinion)
    }

    fn callbacks(&self, event: &str, call: Option<&Call>) -> Vec<String> {
        let applies = |matcher: &&Value| match (matcher["matcher"].as_str(), call) {
            (None | Some("" | "*"), _) | (_, None) => true,
            (Some(names), Some(call)) => names.split('|').any(|name| name == call.name),
        };
        let matchers = self.hooks.get(event).map_or(&[][..], Vec::as_slice);
        let ids = matchers
            .iter()
            .filter(applies)
            .filter_map(|matcher| matcher["hookCallbackIds"].as_array());
        ids.flatten()
            .filter_map(|id| id.as_str().map(str::to_owned))
            .collect()
    }
}
