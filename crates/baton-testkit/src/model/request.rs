//! A captured API request, with the questions tests ask of it.

use serde_json::Value;

/// What a request is for, as far as a script cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    /// The main conversation of a session.
    Main,
    /// A sub-agent's conversation.
    Subagent,
    /// The CLI's own call beside the conversation (title, quota probe, classifier): answered by a default.
    Side,
    /// `count_tokens`.
    CountTokens,
    /// Anything else the CLI asks the server.
    Other,
}

/// One request as the server received it.
#[derive(Debug, Clone)]
pub struct Request {
    /// HTTP method.
    pub method: String,
    /// Path without the query.
    pub path: String,
    /// Headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The JSON body; `null` when there is none.
    pub body: Value,
    /// What it is for.
    pub kind: RequestKind,
}

/// One tool result the client sent back.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The call it answers.
    pub tool_use_id: String,
    /// Its text; several text blocks are joined by a line break.
    pub text: String,
    /// Whether it is marked as failed.
    pub is_error: bool,
    /// Its content as sent.
    pub content: Value,
}

impl Request {
    pub(crate) fn new(
        method: String,
        path: String,
        headers: Vec<(String, String)>,
        body: Value,
    ) -> Self {
        let mut request = Self {
            method,
            path,
            headers,
            body,
            kind: RequestKind::Other,
        };
        request.kind = request.classify();
        request
    }

    /// The first header of this name (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// The sub-agent that speaks; equals `task_id` and `agent_id` on the CLI's stdout.
    pub fn agent_id(&self) -> Option<&str> {
        self.header("x-claude-code-agent-id")
    }

    /// The entries of the `anthropic-beta` header.
    pub fn betas(&self) -> Vec<&str> {
        let header = self.header("anthropic-beta").unwrap_or_default();
        header
            .split(',')
            .map(str::trim)
            .filter(|beta| !beta.is_empty())
            .collect()
    }

    /// The requested model.
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The `thinking` object; `null` when absent.
    pub fn thinking(&self) -> &Value {
        &self.body["thinking"]
    }

    /// Whether a streamed answer is wanted.
    pub fn is_stream(&self) -> bool {
        self.body["stream"] == Value::Bool(true)
    }

    /// The whole system prompt as text.
    pub fn system_text(&self) -> String {
        texts(&self.body["system"]).join("\n")
    }

    /// The conversation.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Names of the offered tools.
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect()
    }

    /// What the person said last: the text of the newest user message that is
    /// not a tool result, without the reminders the CLI adds.
    pub fn last_user_text(&self) -> String {
        self.last_prompt()
            .map_or_else(String::new, |(_, text)| text)
    }

    /// The newest prompt and how many assistant messages followed it.
    pub fn last_prompt(&self) -> Option<(usize, String)> {
        let messages = self.messages();
        let (index, text) = messages
            .iter()
            .enumerate()
            .rev()
            .find_map(|(index, message)| {
                let asked = message["role"] == "user" && tool_results(message).is_empty();
                let text = prompt_text(message);
                (asked && !text.is_empty()).then_some((index, text))
            })?;
        let rounds = messages[index..]
            .iter()
            .filter(|message| message["role"] == "assistant")
            .count();
        Some((rounds, text))
    }

    /// The tool results in the newest user message.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        // The CLI may put notes of its own after them, in system messages.
        let newest = self
            .messages()
            .iter()
            .rfind(|message| message["role"] == "user");
        newest.map_or_else(Vec::new, tool_results)
    }

    /// The image blocks of all user messages, also those inside tool results.
    pub fn images(&self) -> Vec<&Value> {
        fn collect<'a>(content: &'a Value, found: &mut Vec<&'a Value>) {
            for block in content.as_array().map_or(&[][..], Vec::as_slice) {
                match block["type"].as_str() {
                    Some("image") => found.push(block),
                    Some("tool_result") => collect(&block["content"], found),
                    _ => {}
                }
            }
        }
        let mut found = Vec::new();
        for message in self.messages() {
            collect(&message["content"], &mut found);
        }
        found
    }

    fn classify(&self) -> RequestKind {
        match self.path.as_str() {
            "/v1/messages/count_tokens" => RequestKind::CountTokens,
            "/v1/messages" if self.method == "POST" => {
                if self.tools().is_empty() {
                    RequestKind::Side
                } else if self.agent_id().is_some() {
                    RequestKind::Subagent
                } else {
                    RequestKind::Main
                }
            }
            _ => RequestKind::Other,
        }
    }
}

fn tool_results(message: &Value) -> Vec<ToolResult> {
    let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
    blocks
        .iter()
        .filter(|block| block["type"] == "tool_result")
        .map(|block| ToolResult {
            tool_use_id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
            text: texts(&block["content"]).join("\n"),
            is_error: block["is_error"] == Value::Bool(true),
            content: block["content"].clone(),
        })
        .collect()
}

fn prompt_text(message: &Value) -> String {
    let mut texts = texts(&message["content"]);
    // Reminders, and in newer versions where the CLI keeps an image.
    let added = ["<system-reminder>", "[Image: source:"];
    texts.retain(|text| {
        !added
            .iter()
            .any(|start| text.trim_start().starts_with(start))
    });
    texts.join("\n")
}

/// A content value is a string or a list of blocks.
fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}
