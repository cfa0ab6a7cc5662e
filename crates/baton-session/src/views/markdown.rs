//! A conversation to read: what was said, done, asked and decided.

use std::collections::BTreeMap;

use baton_protocol::{
    ApprovalId, Event, MessageId, SessionId,
    event::{
        ApprovalRequested, ApprovalResolved, AssistantBlock, Attachment, DiffPreview, ErrorRaised,
        LineKind, ToolCompleted, TurnCompleted, UserMessage,
    },
    words::{ApprovalKind, Json, TodoStatus},
};
use serde_json::Value;

use super::{
    decided::{decision_note, decision_words},
    outputs::for_people,
    plain::{clean, harmless},
};

/// Longest input of a tool that is shown; the whole is in the log.
const MAX_INPUT: usize = 200;

/// A conversation on its way to the page. What was queued stands where the
/// agent took it, not where it was sent: there it would split the answer to
/// something else.
#[derive(Debug, Default)]
pub struct Markdown {
    waiting: Vec<UserMessage>,
    /// What is asked and not decided.
    asked: BTreeMap<ApprovalId, ApprovalKind>,
}

impl Markdown {
    /// What a reader wants to see of an event. Whoever reads it may do so in a
    /// terminal, so nothing in it moves a cursor.
    pub fn show(&mut self, title: &str, event: &Event) -> Option<String> {
        self.told(title, event).map(|text| harmless(&text))
    }

    fn told(&mut self, title: &str, event: &Event) -> Option<String> {
        if let Event::UserMessage(message) = event
            && message.queued
        {
            self.waiting.push(message.clone());
            return None;
        }
        if let Event::MessageDelivered(delivered) = event {
            return self.take(delivered.message_id).map(|m| said(&m));
        }
        if let Event::MessageRemoved(removed) = event {
            let why = removed.reason.as_deref();
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            let note = format!("*It was taken back before the agent had it{why}.*");
            let back = |m| format!("{}\n\n{note}", said(&m));
            return self.take(removed.message_id).map(back);
        }
        if let Event::ApprovalRequested(request) = event {
            self.asked.insert(request.approval_id, request.kind);
        }
        if let Event::ApprovalResolved(resolved) = event {
            let kind = self.asked.remove(&resolved.approval_id);
            return Some(decided(resolved, kind.unwrap_or(ApprovalKind::Tool)));
        }
        if let Event::MessageEdited(edited) = event {
            let mut waiting = self.waiting.iter_mut();
            let one = waiting.find(|one| one.message_id == edited.message_id);
            one?.text.clone_from(&edited.text);
            return None;
        }
        markdown(title, event)
    }

    /// The same of what a fork began with, which has a beginning of its own.
    pub fn show_past(&mut self, event: &Event) -> Option<String> {
        if matches!(event, Event::SessionCreated(_)) {
            return None;
        }
        self.show("", event)
    }

    /// Stands before what is another session's.
    pub fn from_source(session: SessionId) -> String {
        format!("*From {session}, of which this session is a copy:*")
    }

    /// Stands where a fork's own log begins.
    pub const FORKED: &str = "*Here the copy begins.*";

    /// What still waits when the log ends.
    pub fn rest(self) -> impl Iterator<Item = String> {
        let waits = |m: UserMessage| format!("{}\n\n*It still waits for its turn.*", said(&m));
        self.waiting
            .into_iter()
            .map(waits)
            .map(|text| harmless(&text))
    }

    fn take(&mut self, id: MessageId) -> Option<UserMessage> {
        let at = self.waiting.iter().position(|m| m.message_id == id)?;
        Some(self.waiting.remove(at))
    }
}

/// One event on its own, without blank lines around it.
#[expect(clippy::too_many_lines, reason = "one line for each kind of event")]
fn markdown(title: &str, event: &Event) -> Option<String> {
    Some(match event {
        Event::SessionCreated(created) => format!(
            "# {}\n\nAgent: {}, in {}",
            clean(title, 200),
            created.agent,
            code(&created.cwd)
        ),
        Event::UserMessage(message) => said(message),
        Event::AssistantMessage(block) => answered(&block.0),
        Event::AssistantThinking(block) => quoted(&block.0.content),
        Event::ToolRequested(tool) => format!(
            "- **{}**: {} {}",
            clean(&tool.name, 100),
            clean(&tool.label, 100),
            code(&clean(tool.input.text(), MAX_INPUT))
        ),
        Event::ToolCompleted(tool) => tool_ended(tool)?,
        Event::ApprovalRequested(request) => asked(request),
        Event::ImageOutput(image) => format!(
            "- *an image: {}, {} bytes, `{}`*",
            clean(&image.media_type, 100),
            image.bytes,
            image.image_id
        ),
        Event::TodoUpdated(todo) => {
            let lines = todo.items.iter().map(|item| {
                let mark = match item.status {
                    TodoStatus::Completed => "[x]",
                    TodoStatus::InProgress => "[ ] *now:*",
                    TodoStatus::Pending => "[ ]",
                };
                format!("- {mark} {}", clean(&item.content, 200))
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Event::AgentRetry(retry) => format!(
            "- *attempt {} failed: {}; tried again after {}*",
            retry.attempt,
            clean(&retry.reason, 200),
            seconds(retry.delay_ms)
        ),
        Event::ContextCompacted(_) => "- *the conversation was compacted*".into(),
        Event::ModelChanged(changed) => format!(
            "- *the model is now {}*",
            code(changed.model.as_deref().unwrap_or("the default"))
        ),
        Event::PermissionModeChanged(changed) => {
            format!("- *the permission mode is now `{}`*", changed.mode)
        }
        Event::FilesRewound(rewound) => {
            let files: Vec<String> = rewound.files.iter().map(|file| code(file)).collect();
            format!("- *files were put back: {}*", files.join(", "))
        }
        Event::Error(error) => failed(error),
        Event::TurnCompleted(turn) => turn_ended(turn),
        Event::RuntimeFallback(fallback) => {
            format!("- *{}; the turn goes on in a new process*", fallback.reason)
        }
        Event::SessionEnded(ended) => format!(
            "- *the session ended: {}*",
            ended.reason.as_deref().unwrap_or(ended.status.as_str())
        ),
        Event::SessionState(state) if state.reason.as_deref() == Some("resumed") => {
            "- *the session was taken up again*".into()
        }
        // Without a title it is the agent's own, in passing.
        Event::Notification(told) if told.title.is_some() => {
            format!("- *{}*", clean(&told.message, 600))
        }
        Event::SessionStarted(_)
        | Event::ApprovalResolved(_)
        | Event::SessionState(_)
        | Event::SessionUpdated(_)
        | Event::TurnStarted(_)
        | Event::MessageDelivered(_)
        | Event::MessageRemoved(_)
        | Event::MessageEdited(_)
        | Event::MessageMoved(_)
        | Event::QueueHeld(_)
        | Event::QueueReleased(_)
        | Event::SubagentStarted(_)
        | Event::SubagentStopped(_)
        | Event::TaskUpdated(_)
        | Event::ContextUsage(_)
        | Event::CheckpointCreated(_)
        | Event::Notification(_)
        | Event::AgentUnknown(_)
        | Event::PtyOpened(_)
        | Event::PtyResized(_)
        | Event::PtyClosed(_)
        | Event::Unrecognised { .. } => return None,
    })
}

fn said(message: &UserMessage) -> String {
    let attached = |file: &Attachment| {
        format!(
            "- attached: {} ({}, {} bytes)",
            code(&file.name),
            file.media_type,
            file.bytes
        )
    };
    let files: Vec<String> = message.attachments.iter().map(attached).collect();
    let waits = if message.queued { " (queued)" } else { "" };
    let text = closed(&message.text);
    format!("## You{waits}\n\n{text}\n\n{}", files.join("\n"))
}

/// The text with a code fence closed that it left open: what follows it would
/// be code too.
fn closed(text: &str) -> std::borrow::Cow<'_, str> {
    let mut open: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim_start();
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let Some(mark) = mark else {
            continue;
        };
        let length = line.len() - line.trim_start_matches(mark).len();
        if length < 3 {
            continue;
        }
        let fence = &line[..length];
        open = match open {
            None => Some(fence),
            // Only the same mark, as long and with nothing after it, closes it.
            Some(open) if fence.starts_with(open) && line.trim_end() == fence => None,
            Some(open) => Some(open),
        };
    }
    match open {
        Some(fence) => format!("{text}\n{fence}").into(),
        None => text.into(),
    }
}

fn answered(block: &AssistantBlock) -> String {
    let who = if block.parent_tool_use_id.is_some() {
        "Sub-agent"
    } else {
        "Agent"
    };
    let cut = if block.aborted {
        "\n\n*(cut short)*"
    } else {
        ""
    };
    format!("## {who}\n\n{}{cut}", closed(&block.content))
}

fn tool_ended(tool: &ToolCompleted) -> Option<String> {
    if tool.output.trim().is_empty() && !tool.is_error {
        return None;
    }
    let block = fenced("", for_people(&tool.output, tool.is_error));
    Some(if tool.is_error {
        format!("*It failed:*\n\n{block}")
    } else {
        block
    })
}

fn asked(request: &ApprovalRequested) -> String {
    let input = request.input.value();
    let head = match request.kind {
        ApprovalKind::Question => "**Question**".to_owned(),
        ApprovalKind::Plan => "**Plan to approve**".to_owned(),
        ApprovalKind::Tool | ApprovalKind::Other => format!(
            "**Approval asked**: {} ({} risk)",
            clean(&request.tool_name, 100),
            request.risk
        ),
    };
    let body = match (&request.preview, request.kind) {
        (Some(preview), _) => format!("{}\n\n{}", code(&preview.path), diff(preview)),
        (None, ApprovalKind::Plan) => quoted(input["plan"].as_str().unwrap_or_default()),
        (None, ApprovalKind::Question) => questions(&input),
        (None, ApprovalKind::Tool | ApprovalKind::Other) => {
            let pretty = serde_json::to_string_pretty(&input).unwrap_or_default();
            fenced("json", &pretty)
        }
    };
    format!("{head}\n\n{body}")
}

fn questions(input: &Value) -> String {
    let mut lines = Vec::new();
    for question in input["questions"].as_array().into_iter().flatten() {
        let text = question["question"].as_str().unwrap_or_default();
        lines.push(format!("- {}", clean(text, 400)));
        for option in question["options"].as_array().into_iter().flatten() {
            let label = option["label"].as_str().unwrap_or_default();
            lines.push(format!("  - {}", clean(label, 200)));
        }
    }
    lines.join("\n")
}

fn decided(resolved: &ApprovalResolved, kind: ApprovalKind) -> String {
    let why = decision_note(resolved).map(|text| format!(": {text}"));
    let words = decision_words(resolved, kind, None);
    let head = format!("*{words}{}*", why.unwrap_or_default());
    let changed = resolved.modified_input.as_ref().map(Json::value);
    match changed {
        None => head,
        Some(changed) => match changed["answers"].as_object() {
            Some(answers) => {
                let lines = answers.iter().map(|(question, answer)| {
                    let answer = answer.as_str().unwrap_or_default();
                    format!("- {} **{}**", clean(question, 400), clean(answer, 400))
                });
                format!("{head}\n\n{}", lines.collect::<Vec<_>>().join("\n"))
            }
            None => {
                let pretty = serde_json::to_string_pretty(&changed).unwrap_or_default();
                format!("{head}, with this input:\n\n{}", fenced("json", &pretty))
            }
        },
    }
}

fn failed(error: &ErrorRaised) -> String {
    let rest = [&error.hint, &error.detail].into_iter().flatten();
    let rest: String = rest
        .map(|text| format!("\n\n{}", clean(text, 400)))
        .collect();
    let again = error.retry_at.map(|at| format!("\n\nNot before {at}."));
    let again = again.unwrap_or_default();
    format!("**Error:** {}{again}{rest}", clean(&error.message, 400))
}

fn turn_ended(turn: &TurnCompleted) -> String {
    let cost = turn
        .cost_usd
        .filter(|cost| *cost > 0.0)
        .map(|cost| format!(", ${cost:.4}"))
        .unwrap_or_default();
    let time = seconds(turn.duration_ms);
    let reason = turn.stop_reason;
    format!("---\n\n*Turn {}: {reason}, {time}{cost}*", turn.turn)
}

fn seconds(ms: u64) -> String {
    format!(
        "{:.1} s",
        std::time::Duration::from_millis(ms).as_secs_f64()
    )
}

fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

fn diff(preview: &DiffPreview) -> String {
    let mut lines = Vec::new();
    for hunk in &preview.hunks {
        lines.push(format!("@@ -{} +{} @@", hunk.old_start, hunk.new_start));
        for line in &hunk.lines {
            let mark = match line.kind {
                LineKind::Same => ' ',
                LineKind::Added => '+',
                LineKind::Removed => '-',
            };
            lines.push(format!("{mark}{}", line.text));
        }
    }
    if preview.truncated {
        lines.push("… the change goes on".into());
    }
    fenced("diff", &lines.join("\n"))
}

/// A block whose fence is longer than any run of ticks inside it.
fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat(ticks(text).max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}

/// Text in a line, as it is.
fn code(text: &str) -> String {
    let text = clean(text, usize::MAX);
    let inside = ticks(&text);
    if inside == 0 {
        return format!("`{text}`");
    }
    let fence = "`".repeat(inside + 1);
    format!("{fence} {text} {fence}")
}

/// The longest run of ticks.
fn ticks(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use baton_protocol::event::{MessageDelivered, MessageEdited, MessageRemoved, Notification};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        assert_eq!(fenced("", "a\n```\nb"), "````\na\n```\nb\n````");
        assert_eq!(fenced("diff", "a"), "```diff\na\n```");
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "`` a`b ``");
    }

    fn queued(id: MessageId, text: &str) -> Event {
        Event::UserMessage(UserMessage {
            message_id: id,
            text: text.into(),
            attachments: Vec::new(),
            queued: true,
            client: None,
        })
    }

    #[test]
    fn a_queued_message_stands_where_the_agent_took_it() {
        let [first, second, third] = [1, 2, 3].map(|n| MessageId::from_uuid(Uuid::from_u128(n)));
        let mut page = Markdown::default();
        for (id, text) in [(first, "one"), (second, "two"), (third, "three")] {
            assert_eq!(page.show("", &queued(id, text)), None);
        }
        let other = MessageEdited {
            message_id: first,
            text: "other words".into(),
            client: None,
        };
        assert_eq!(page.show("", &Event::MessageEdited(other)), None);
        let taken = MessageDelivered { message_id: first };
        let taken = page.show("", &Event::MessageDelivered(taken)).unwrap();
        assert!(
            taken.contains("other words") && !taken.contains("one"),
            "{taken}"
        );
        let back = MessageRemoved {
            message_id: third,
            client: None,
            reason: None,
        };
        let back = page.show("", &Event::MessageRemoved(back)).unwrap();
        assert!(
            back.contains("three") && back.contains("taken back"),
            "{back}"
        );
        let rest: Vec<String> = page.rest().collect();
        assert!(matches!(&rest[..], [two] if two.contains("two") && two.contains("waits")));
    }

    #[test]
    fn what_baton_tells_of_the_past_is_shown_and_chatter_is_not() {
        let told = |title: Option<&str>, kind: &str| {
            let told = Notification {
                title: title.map(str::to_owned),
                message: "It knows nothing of it.".into(),
                kind: kind.into(),
            };
            Markdown::default().show("", &Event::Notification(told))
        };
        let shown = Some("- *It knows nothing of it.*".to_owned());
        for kind in ["memory", "elsewhere", "trust", "session_limit"] {
            assert_eq!(told(Some("Title"), kind), shown, "{kind}");
        }
        assert_eq!(told(None, "informational"), None);
    }
}
