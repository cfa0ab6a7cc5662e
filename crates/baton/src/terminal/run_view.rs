//! A running turn on a terminal: the answer as it is written, tools as one
//! line each, and everything else quietly.
//!
//! The answer goes to standard output and nothing else does, so that it can be
//! piped; the rest goes to standard error.

use std::{collections::BTreeMap, time::Duration};

use baton_protocol::{
    ApprovalId, Envelope, Event, Live, MessageId, SessionId, Timestamp,
    event::{
        AgentRetry, ApprovalResolved, AssistantBlock, ErrorRaised, SessionUpdated, SubagentStarted,
        TaskUpdated, TodoUpdated, ToolCompleted, ToolRequested, TurnCompleted,
    },
    live::TextDelta,
    words::{ApprovalKind, EndStatus, Remedy, SessionState, StopReason, TaskStatus, TodoStatus},
};
use baton_session::{RealWorld, World, preview};

use super::{
    Screen, Style, approval, beside, clean, decision_words, for_people, spinner::Spinner,
    waits::Waits, width, without_colours,
};
use crate::{failure::Failure, setup::Setup};

/// Longest change shown for a tool that did not have to ask.
const SHORT_DIFF: usize = 12;

pub(crate) struct RunView {
    answer: Screen,
    notes: Screen,
    spinner: Spinner,
    /// How much of each open block's text is on the screen.
    shown: BTreeMap<(String, u32), Shown>,
    /// The cursor stands behind unfinished text of the answer.
    mid_line: bool,
    /// The cursor stands behind thinking or a prompt.
    mid_note: bool,
    /// A question waits for its answer, so nothing moves.
    asking: bool,
    /// What the turn's tools were announced as.
    labels: BTreeMap<String, String>,
    /// Changes that an approval has shown already.
    approved: Vec<String>,
    /// Whether messages of users are shown: not to the one who has just typed it.
    messages: bool,
    /// How this program was called, for commands to type.
    called: String,
    /// Nothing is given to the agent until somebody chooses, which is said
    /// below why.
    refused: Option<SessionId>,
    waits: Waits,
    /// Messages that no turn has taken yet.
    queued: BTreeMap<MessageId, String>,
    /// What is asked and not decided.
    asked: BTreeMap<ApprovalId, ApprovalKind>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Shown {
    bytes: usize,
    /// The unit of live frames: UTF-16 code units.
    units: u64,
}

impl RunView {
    pub(crate) fn new(setup: &Setup) -> Self {
        let colour = setup.colour;
        let notes = Screen::stderr(colour);
        Self {
            answer: Screen::stdout(colour),
            spinner: Spinner::new(notes.is_terminal()),
            notes,
            shown: BTreeMap::new(),
            mid_line: false,
            mid_note: false,
            asking: false,
            labels: BTreeMap::new(),
            approved: Vec::new(),
            messages: false,
            called: setup.called.clone(),
            refused: None,
            waits: Waits::default(),
            queued: BTreeMap::new(),
            asked: BTreeMap::new(),
        }
    }

    /// Shows what users say too.
    pub(crate) const fn show_messages(&mut self) {
        self.messages = true;
    }

    /// Makes room for a question: nothing moves or stands half-written.
    pub(crate) fn pause(&mut self) -> Result<(), Failure> {
        self.spinner.stop();
        self.fresh_line()?;
        self.asking = true;
        self.mid_note = true;
        Ok(())
    }

    /// A person has answered, and with the line's end begun a new one.
    pub(crate) const fn answered(&mut self) {
        self.asking = false;
        self.mid_note = false;
    }

    /// The question is answered elsewhere or withdrawn.
    pub(crate) const fn unasked(&mut self) {
        self.asking = false;
    }

    /// A sentence beside the answer. Whatever of it an agent said is cleaned here.
    pub(crate) fn note(&mut self, style: Style, text: &str) -> Result<(), Failure> {
        self.fresh_line()?;
        self.notes.prose(Some(style), &clean(text, usize::MAX))
    }

    /// A command to type, which nothing breaks.
    pub(crate) fn hint(&mut self, text: &str) -> Result<(), Failure> {
        self.fresh_line()?;
        let text = self.notes.styled(Style::Dim, &clean(text, usize::MAX));
        self.notes.line(&text)
    }

    pub(crate) fn wait_for(&mut self, label: &str) {
        self.spinner.wait_for(label);
    }

    pub(crate) const fn is_spinning(&self) -> bool {
        self.spinner.is_spinning() && !self.mid_line && !self.mid_note && !self.asking
    }

    pub(crate) fn tick(&mut self) -> Result<(), Failure> {
        if !self.is_spinning() {
            return Ok(());
        }
        self.spinner.tick(&mut self.notes)
    }

    pub(crate) fn live(&mut self, live: &Live) -> Result<(), Failure> {
        match live {
            Live::AssistantDelta(delta) => self.delta(delta),
            Live::ThinkingDelta(delta) => self.thinking(delta),
            Live::ToolProgress(_) | Live::PtyData(_) => Ok(()),
        }
    }

    fn delta(&mut self, delta: &TextDelta) -> Result<(), Failure> {
        let Some(text) = self.advance(delta) else {
            return Ok(());
        };
        if !self.mid_line {
            self.fresh_line()?;
        }
        self.write_answer(text)
    }

    fn thinking(&mut self, delta: &TextDelta) -> Result<(), Failure> {
        if !self.notes.is_terminal() || self.asking {
            return Ok(());
        }
        match self.advance(delta) {
            Some(text) => self.write_thinking(text),
            None => Ok(()),
        }
    }

    /// Counts text as shown, from where the screen stopped: after a new
    /// connection a block comes from its start again. What does not reach that
    /// place is brought by the finished block.
    fn advance<'a>(&mut self, delta: &'a TextDelta) -> Option<&'a str> {
        let key = (delta.message_id.clone(), delta.block);
        let shown = self.shown.entry(key).or_default();
        let known = shown.units.checked_sub(delta.offset)?;
        let mut units = 0;
        let mut chars = delta.text.char_indices();
        let start = loop {
            match chars.next() {
                Some((at, _)) if units == known => break at,
                Some((_, c)) => units += c.len_utf16() as u64,
                None => return None,
            }
        };
        let text = &delta.text[start..];
        shown.bytes += text.len();
        shown.units += text.encode_utf16().count() as u64;
        Some(text)
    }

    /// What of a finished block is not on the screen yet.
    fn rest(&mut self, block: &AssistantBlock) -> String {
        let key = (block.message_id.clone(), block.block);
        let shown = self.shown.remove(&key).unwrap_or_default();
        let rest = block.content.get(shown.bytes..).unwrap_or_default();
        rest.to_owned()
    }

    fn write_thinking(&mut self, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        if self.mid_line {
            self.fresh_line()?;
        }
        self.spinner.clear(&mut self.notes)?;
        let dim = self.notes.styled(Style::Dim, text);
        self.notes.text(&dim)?;
        self.mid_note = !text.ends_with('\n');
        Ok(())
    }

    fn write_answer(&mut self, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        self.spinner.clear(&mut self.notes)?;
        // Whoever pipes an answer gets it as it was said.
        if self.answer.is_terminal() {
            self.answer.text(text)?;
        } else {
            self.answer.exact(text)?;
        }
        self.mid_line = !text.ends_with('\n');
        Ok(())
    }

    fn fresh_line(&mut self) -> Result<(), Failure> {
        self.spinner.clear(&mut self.notes)?;
        if std::mem::take(&mut self.mid_note) {
            self.notes.text("\n")?;
        }
        if std::mem::take(&mut self.mid_line) {
            self.answer.text("\n")?;
        }
        Ok(())
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of event")]
    pub(crate) fn event(&mut self, envelope: &Envelope) -> Result<(), Failure> {
        self.waits.follow(envelope.ts, &envelope.event);
        match &envelope.event {
            Event::AssistantMessage(block) if block.0.parent_tool_use_id.is_none() => {
                let rest = self.rest(&block.0);
                if !rest.is_empty() && !self.mid_line {
                    self.fresh_line()?;
                }
                self.write_answer(&rest)?;
                self.fresh_line()
            }
            Event::AssistantThinking(block) if block.0.parent_tool_use_id.is_none() => {
                let rest = self.rest(&block.0);
                if self.notes.is_terminal() && !self.asking {
                    self.write_thinking(&rest)?;
                    self.fresh_line()?;
                }
                Ok(())
            }
            Event::ToolRequested(tool) => self.tool(tool),
            Event::ToolCompleted(tool) => self.tool_ended(tool),
            Event::ApprovalRequested(request) => {
                self.approved.extend(request.tool_use_id.clone());
                self.asked.insert(request.approval_id, request.kind);
                Ok(())
            }
            Event::ApprovalResolved(resolved) => {
                let kind = self.asked.remove(&resolved.approval_id);
                let words = decided(resolved, kind.unwrap_or(ApprovalKind::Tool));
                self.note(Style::Dim, &format!("  {words}"))
            }
            Event::UserMessage(message) if self.messages => {
                let text = clean(&message.text, 2000);
                self.queued.insert(message.message_id, clean(&text, 60));
                self.note(Style::Bold, &format!("> {text}"))
            }
            Event::MessageRemoved(removed) if self.messages => {
                let text = self.queued.remove(&removed.message_id).unwrap_or_default();
                self.note(Style::Dim, &format!("  taken back, not sent: {text}"))
            }
            Event::MessageEdited(edited) if self.messages => {
                let text = clean(&edited.text, 2000);
                self.queued.insert(edited.message_id, clean(&text, 60));
                self.note(Style::Dim, &format!("  it says now: {text}"))
            }
            Event::QueueHeld(_) if !self.queued.is_empty() => self.note(
                Style::Warn,
                &format!(
                    "  what waits is held; `baton queue {} --release` lets it go on",
                    envelope.session_id
                ),
            ),
            Event::QueueReleased(released) if !self.queued.is_empty() => {
                let what = match released.message_id {
                    Some(id) => self.queued.get(&id).cloned().unwrap_or_default(),
                    None => "what was held".to_owned(),
                };
                self.note(Style::Dim, &format!("  goes on: {what}"))
            }
            Event::MessageDelivered(delivered) => {
                self.queued.remove(&delivered.message_id);
                Ok(())
            }
            Event::SessionEnded(ended) if self.messages => self.note(
                Style::Dim,
                &match ended.status {
                    EndStatus::Asleep => "the session is asleep; the next message wakes it".into(),
                    status @ (EndStatus::Completed | EndStatus::Stopped | EndStatus::Failed) => {
                        format!("the session has ended: {status}")
                    }
                },
            ),
            Event::SubagentStarted(agent) => self.subagent(agent),
            Event::TodoUpdated(todo) => self.todo(todo),
            Event::TaskUpdated(task) => self.task(task),
            Event::AgentRetry(retry) => self.retry(retry),
            Event::Error(error) => self.error(error),
            Event::SessionState(state) => {
                self.state(state.state);
                Ok(())
            }
            Event::RuntimeFallback(fallback) => self.note(
                Style::Warn,
                &format!(
                    "  ↻ {}; the turn goes on in a new process",
                    clean(&fallback.reason, 120)
                ),
            ),
            Event::FilesRewound(rewound) => self.note(
                Style::Dim,
                &match rewound.files.len() {
                    1 => "  1 file was put back".to_owned(),
                    many => format!("  {many} files were put back"),
                },
            ),
            // Without a title it is the agent's own, in passing.
            Event::Notification(told) if told.title.is_some() => {
                self.note(Style::Warn, &format!("  {}", clean(&told.message, 600)))?;
                self.way_on()
            }
            Event::SessionUpdated(updated) => {
                self.refused = refusal(updated).then_some(envelope.session_id);
                Ok(())
            }
            Event::ContextCompacted(_) => self.note(Style::Dim, "  the conversation was compacted"),
            Event::ImageOutput(image) => self.note(
                Style::Dim,
                &format!("  ▣ an image ({}, {} bytes)", image.media_type, image.bytes),
            ),
            Event::TurnStarted(turn) => match beside::goes_on(turn) {
                Some(why) => self.note(Style::Dim, &why),
                None => Ok(()),
            },
            Event::TurnCompleted(turn) => self.turn_ended(turn),
            // Sub-agents speak through their results; the rest is for screens
            // with more room.
            Event::AssistantMessage(_)
            | Event::AssistantThinking(_)
            | Event::SessionCreated(_)
            | Event::SessionStarted(_)
            | Event::SessionEnded(_)
            | Event::UserMessage(_)
            | Event::MessageRemoved(_)
            | Event::MessageEdited(_)
            | Event::MessageMoved(_)
            | Event::QueueHeld(_)
            | Event::QueueReleased(_)
            | Event::SubagentStopped(_)
            | Event::ContextUsage(_)
            | Event::CheckpointCreated(_)
            | Event::ModelChanged(_)
            | Event::PermissionModeChanged(_)
            | Event::Notification(_)
            | Event::AgentUnknown(_)
            | Event::PtyOpened(_)
            | Event::PtyResized(_)
            | Event::PtyClosed(_)
            | Event::Unrecognised { .. } => Ok(()),
        }
    }

    /// What to type where the agent is given nothing before somebody chooses.
    fn way_on(&mut self) -> Result<(), Failure> {
        let Some(session) = self.refused.take() else {
            return Ok(());
        };
        let called = &self.called;
        let how = format!("  {called} send {session} --memory log 'TEXT'   or   --memory none");
        self.hint(&how)
    }

    fn retry(&mut self, retry: &AgentRetry) -> Result<(), Failure> {
        let seconds = std::time::Duration::from_millis(retry.delay_ms).as_secs_f64();
        let text = format!(
            "  ↻ {}; trying again in {seconds:.1} s",
            clean(&retry.reason, 80)
        );
        self.note(Style::Warn, &text)?;
        self.wait_for("waiting to try again");
        Ok(())
    }

    fn state(&mut self, state: SessionState) {
        match state {
            SessionState::Starting => self.wait_for("starting"),
            SessionState::Processing => self.wait_for("working"),
            SessionState::Waiting | SessionState::Idle | SessionState::Ended => self.spinner.stop(),
        }
    }

    fn subagent(&mut self, agent: &SubagentStarted) -> Result<(), Failure> {
        let what = agent.description.as_deref().unwrap_or("sub-agent");
        let parent = agent.parent_tool_use_id.as_ref();
        let said = parent.and_then(|parent| self.labels.get(parent));
        if said.is_some_and(|label| label.contains(what)) {
            return Ok(());
        }
        self.note(Style::Dim, &format!("  ▸ {}", clean(what, 100)))
    }

    fn todo(&mut self, todo: &TodoUpdated) -> Result<(), Failure> {
        let done = todo
            .items
            .iter()
            .filter(|item| item.status == TodoStatus::Completed);
        let active = todo
            .items
            .iter()
            .find(|item| item.status == TodoStatus::InProgress);
        let now = active
            .map(|item| clean(&item.content, 80))
            .unwrap_or_default();
        let text = format!("  ☐ {}/{} {now}", done.count(), todo.items.len());
        self.note(Style::Dim, text.trim_end())
    }

    fn task(&mut self, task: &TaskUpdated) -> Result<(), Failure> {
        let what = clean(task.description.as_deref().unwrap_or(&task.task_id), 80);
        let text = match task.status {
            TaskStatus::Running => format!("  ⇢ in the background: {what}"),
            TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Stopped => {
                format!("  ⇠ {}: {what}", task.status)
            }
        };
        self.note(Style::Dim, &text)
    }

    fn tool(&mut self, tool: &ToolRequested) -> Result<(), Failure> {
        let indent = if tool.parent_tool_use_id.is_some() {
            "    "
        } else {
            ""
        };
        self.note(
            Style::Dim,
            &format!("{indent}● {}", clean(&tool.label, 100)),
        )?;
        self.labels
            .insert(tool.tool_use_id.clone(), tool.label.clone());
        self.wait_for("working");
        Ok(())
    }

    fn tool_ended(&mut self, tool: &ToolCompleted) -> Result<(), Failure> {
        let indent = if tool.parent_tool_use_id.is_some() {
            "    "
        } else {
            ""
        };
        let output = for_people(&tool.output, tool.is_error);
        if tool.is_error {
            let text = clean(output.lines().next().unwrap_or_default(), 120);
            return self.note(Style::Bad, &format!("{indent}  ✗ {text}"));
        }
        let asked = self.approved.contains(&tool.tool_use_id);
        if let Some(change) = change(tool).filter(|_| !asked) {
            self.fresh_line()?;
            approval::diff(&mut self.notes, &change)?;
        } else if let Some(line) = output.lines().find(|line| !line.trim().is_empty()) {
            let line = without_colours(line);
            let text = format!("{indent}  └ {}", line.trim());
            // The last column stays free: some terminals break the line there.
            let text = clean(&text, width().saturating_sub(1).max(20));
            self.note(Style::Dim, &text)?;
        }
        self.wait_for("working");
        Ok(())
    }

    fn error(&mut self, error: &ErrorRaised) -> Result<(), Failure> {
        self.note(
            Style::Bad,
            &format!("error: {}", clean(&error.message, 400)),
        )?;
        if let Some(at) = error.retry_at {
            self.note(
                Style::Warn,
                &format!("  {}", not_before(RealWorld.now(), at)),
            )?;
        }
        if let Some(hint) = &error.hint {
            self.note(Style::Warn, &format!("  {}", clean(hint, 400)))?;
        }
        if let Some(detail) = &error.detail {
            self.note(Style::Dim, &format!("  {}", clean(detail, 400)))?;
        }
        Ok(())
    }

    fn turn_ended(&mut self, turn: &TurnCompleted) -> Result<(), Failure> {
        self.spinner.stop();
        self.shown.clear();
        self.labels.clear();
        let mut parts = vec![format!("turn {}", turn.turn)];
        if turn.stop_reason != StopReason::End {
            parts.push(turn.stop_reason.to_string());
        }
        let waited = self.waits.waited();
        let took = Duration::from_millis(turn.duration_ms).saturating_sub(waited);
        parts.push(format!("{:.1} s", took.as_secs_f64()));
        if waited >= Duration::from_secs(1) {
            parts.push(format!("waited {:.1} s for you", waited.as_secs_f64()));
        }
        match turn.stats.tool_calls {
            0 => {}
            1 => parts.push("1 tool".into()),
            many => parts.push(format!("{many} tools")),
        }
        if let Some(cost) = turn.cost_usd.filter(|cost| *cost > 0.0) {
            parts.push(format!("${cost:.4}"));
        }
        self.note(Style::Dim, &parts.join(" · "))?;
        match beside::still_running(turn) {
            Some(running) => {
                self.note(Style::Dim, &running)?;
                self.wait_for("in the background");
                Ok(())
            }
            None => Ok(()),
        }
    }
}

fn refusal(updated: &SessionUpdated) -> bool {
    updated
        .memory_lost
        .is_some_and(|lost| lost.remedy == Remedy::Refuse)
}

/// From when on the same may be tried again, and how far off that is.
fn not_before(now: Timestamp, at: Timestamp) -> String {
    let minutes = at.since(now).as_secs().div_ceil(60);
    let left = match (minutes / 60, minutes % 60) {
        (0, 0) => String::new(),
        (0, minutes) => format!(", in {minutes} min"),
        (hours, minutes) => format!(", in {hours} h {minutes} min"),
    };
    format!("not before {at}{left}")
}

/// How an approval ended, and with what input instead.
fn decided(resolved: &ApprovalResolved, kind: ApprovalKind) -> String {
    let words = decision_words(resolved, kind, Some(&crate::client::own_id()));
    let changed = resolved.modified_input.as_ref().map(|input| {
        let value = input.value();
        match value["answers"].as_object() {
            // What was answered, not how it is sent.
            Some(answers) if value["questions"].is_array() => {
                let said = answers.iter().map(|(question, answer)| {
                    let answer = answer.as_str().unwrap_or_default();
                    format!("\n  {}: {}", clean(question, 200), clean(answer, 200))
                });
                said.collect()
            }
            _ => format!("\n  with this input instead: {}", clean(input.text(), 400)),
        }
    });
    format!("{words}{}", changed.unwrap_or_default())
}

/// What an edit changed, if it is short enough to be shown in passing.
fn change(tool: &ToolCompleted) -> Option<baton_protocol::event::DiffPreview> {
    let detail = tool.detail.as_ref()?.value();
    let path = detail["filePath"].as_str()?;
    let old = detail["oldString"].as_str()?;
    let new = detail["newString"].as_str()?;
    let change = preview::diff(path, old, new);
    let lines: usize = change.hunks.iter().map(|hunk| hunk.lines.len()).sum();
    (lines <= SHORT_DIFF && lines > 0).then_some(change)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_from_when_on_it_may_be_tried_again() {
        let at = Timestamp::from_millis(1_800_000_000_000);
        let told = |before_s: i64| {
            let now = Timestamp::from_millis(1_800_000_000_000 - before_s * 1000);
            not_before(now, at)
        };
        assert_eq!(told(0), "not before 2027-01-15T08:00:00.000Z");
        assert_eq!(told(-60), told(0));
        assert!(told(61).ends_with(", in 2 min"), "{}", told(61));
        assert!(told(5400).ends_with(", in 1 h 30 min"), "{}", told(5400));
    }
}
