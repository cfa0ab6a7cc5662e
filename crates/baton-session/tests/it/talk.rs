//! One person at one session: sends, reads along, answers.

use std::collections::BTreeMap;

use baton_protocol::{
    Envelope, Event, Live, MessageId, Seq, SessionId,
    event::{ApprovalRequested, TurnCompleted},
    words::{PermissionMode, SessionState},
};
use baton_session::{
    Item, Outbound, RealWorld, SessionHandle, Subscription, World as _,
    agents::{AskDecision, PromptFile},
    machine::WhenBusy,
};
use baton_store::Store;
use baton_testkit::LIMIT;
use serde_json::Value;

/// Reads until there is an event of this kind, of which something may hold,
/// and gives what it says.
macro_rules! until {
    ($talk:expr, $kind:ident) => {
        until!($talk, $kind, |_anything| true)
    };
    ($talk:expr, $kind:ident, |$said:ident| $holds:expr) => {{
        let wanted = |event: &baton_protocol::Event| match event {
            baton_protocol::Event::$kind($said) => $holds,
            _ => false,
        };
        match $talk.until(stringify!($kind), wanted).await.event {
            baton_protocol::Event::$kind(said) => said,
            _ => unreachable!("only this kind is wanted"),
        }
    }};
}

/// A session as one reader follows it.
pub(crate) struct Talk {
    pub(crate) handle: SessionHandle,
    store: Store,
    feed: Subscription,
    /// Everything read so far.
    pub(crate) seen: Vec<Envelope>,
    /// Live text by message and block, in UTF-16 units, as offsets say.
    live: BTreeMap<(String, u32), Vec<u16>>,
    live_matters: bool,
    /// An earlier owner may have shown how a text began.
    began_elsewhere: bool,
}

impl Talk {
    pub(crate) fn new(handle: SessionHandle, store: Store) -> Self {
        let feed = handle.subscribe(Seq::START);
        Self {
            handle,
            store,
            feed,
            seen: Vec::new(),
            live: BTreeMap::new(),
            live_matters: true,
            began_elsewhere: false,
        }
    }

    /// Reads from a later owner, which does not know how a text began that the
    /// one before it has shown.
    pub(crate) const fn begun_elsewhere(mut self) -> Self {
        self.began_elsewhere = true;
        self
    }

    /// Does not compare live text with what comes of it.
    pub(crate) fn ignore_live(&mut self) {
        self.live_matters = false;
    }

    pub(crate) fn id(&self) -> SessionId {
        self.handle.id()
    }

    /// Whether a message that was sent before is taken once more.
    pub(crate) async fn again(&self, id: MessageId, text: &str) -> bool {
        let message = Outbound {
            id,
            ..outbound(text, WhenBusy::Queue)
        };
        self.handle.send(message).await.is_ok()
    }

    /// Why a message is not taken.
    pub(crate) async fn refused(&self, text: &str) -> String {
        match self.handle.send(outbound(text, WhenBusy::Queue)).await {
            Ok(_) => panic!("{text} is taken"),
            Err(why) => why.to_string(),
        }
    }

    pub(crate) async fn send(&self, text: &str) -> MessageId {
        self.send_files(text, Vec::new()).await
    }

    pub(crate) async fn send_files(&self, text: &str, files: Vec<PromptFile>) -> MessageId {
        let mut message = outbound(text, WhenBusy::Queue);
        message.files = files;
        let id = message.id;
        self.handle.send(message).await.unwrap();
        id
    }

    /// Reads until an event is `wanted`, and returns it.
    pub(crate) async fn until(
        &mut self,
        what: &str,
        mut wanted: impl FnMut(&Event) -> bool,
    ) -> Envelope {
        let read = async {
            loop {
                match self.feed.next().await.unwrap() {
                    Item::Live(frame) => {
                        assert!(
                            self.seen.last().is_some_and(|last| last.seq == frame.after),
                            "a frame came before the event it follows: {frame:?}"
                        );
                        self.note_live(frame.live);
                    }
                    Item::Event(stored) => {
                        let envelope = stored.envelope().unwrap();
                        self.check_live(&envelope.event);
                        self.seen.push(envelope.clone());
                        if wanted(&envelope.event) {
                            return envelope;
                        }
                    }
                }
            }
        };
        match tokio::time::timeout(LIMIT, read).await {
            Ok(envelope) => envelope,
            Err(_) => panic!("waited in vain for {what}; seen: {:#?}", self.seen),
        }
    }

    /// Reads until an event is `wanted`, unless one was read already.
    pub(crate) async fn until_seen(&mut self, what: &str, wanted: impl Fn(&Event) -> bool) {
        if !self.seen.iter().any(|envelope| wanted(&envelope.event)) {
            self.until(what, wanted).await;
        }
    }

    /// Reads until live text holds `text`.
    pub(crate) async fn until_live(&mut self, text: &str) {
        let read = async {
            loop {
                let whole = |units: &Vec<u16>| String::from_utf16_lossy(units).contains(text);
                if self.live.values().any(whole) {
                    return;
                }
                match self.feed.next().await.unwrap() {
                    Item::Live(frame) => self.note_live(frame.live),
                    Item::Event(stored) => self.seen.push(stored.envelope().unwrap()),
                }
            }
        };
        let waited = tokio::time::timeout(LIMIT, read).await;
        assert!(
            waited.is_ok(),
            "no live text {text:?}; seen: {:#?}",
            self.seen
        );
    }

    /// Reads until the session wants nothing more; a turn ends with this.
    pub(crate) async fn until_idle(&mut self) {
        self.until("an idle session", |event| {
            matches!(event, Event::SessionState(state) if state.state == SessionState::Idle)
        })
        .await;
    }

    pub(crate) async fn until_ask(&mut self) -> ApprovalRequested {
        loop {
            let asked = self
                .until("a question", |event| {
                    matches!(event, Event::ApprovalRequested(_))
                })
                .await;
            let Event::ApprovalRequested(asked) = asked.event else {
                unreachable!("the condition above");
            };
            // What rules and mode decide has its answer beside it.
            let known = self.store.approval(asked.approval_id).await.unwrap();
            if known.unwrap().resolved.is_none() {
                return asked;
            }
        }
    }

    /// Sends and reads to the end of the turn.
    pub(crate) async fn turn(&mut self, text: &str) -> MessageId {
        let id = self.send(text).await;
        self.until_turn_end().await;
        id
    }

    /// Waits until no process is left: a session that fell back has one per turn.
    pub(crate) async fn until_gone(&self) {
        let gone = self.handle.wait_for(|progress| !progress.has_process);
        soon("the process ends", gone).await;
    }

    pub(crate) async fn until_turn_end(&mut self) {
        self.until_over().await;
        self.until_idle().await;
    }

    /// Reads to the end of the turn, whatever goes on beside it.
    pub(crate) async fn until_over(&mut self) -> TurnCompleted {
        let over = self.until("the end of the turn", |event| {
            matches!(event, Event::TurnCompleted(_))
        });
        match over.await.event {
            Event::TurnCompleted(end) => end,
            _ => unreachable!("the condition above"),
        }
    }

    /// What was called, a line each with what was asked, decided and done.
    pub(crate) fn story(&self) -> String {
        let told = self.seen.iter().filter_map(|one| told(&one.event));
        let lines: String = told.map(|line| line + "\n").collect();
        lines.replace("\n  ", " → ")
    }

    /// Sends, answers the next question, and reads to the end of the turn.
    pub(crate) async fn turn_with(&mut self, text: &str, decision: AskDecision) -> MessageId {
        let id = self.send(text).await;
        let asked = self.until_ask().await;
        self.answer(&asked, decision).await;
        self.until_turn_end().await;
        id
    }

    pub(crate) async fn answer(&self, asked: &ApprovalRequested, decision: AskDecision) {
        self.handle
            .answer(asked.approval_id, decision, None)
            .await
            .unwrap();
    }

    /// Ends the process, not the session.
    pub(crate) async fn close(&self) {
        self.handle.close().await.unwrap();
        soon(
            "the agent ends",
            self.handle.wait_for(|progress| !progress.has_process),
        )
        .await;
    }

    fn note_live(&mut self, live: Live) {
        if !self.live_matters {
            return;
        }
        let (Live::AssistantDelta(delta) | Live::ThinkingDelta(delta)) = live else {
            return;
        };
        let offset = usize::try_from(delta.offset).unwrap();
        let key = (delta.message_id, delta.block);
        if self.began_elsewhere && offset > 0 && !self.live.contains_key(&key) {
            return;
        }
        let text = self.live.entry(key).or_default();
        assert!(offset <= text.len(), "live text has a gap at {offset}");
        text.truncate(offset);
        text.extend(delta.text.encode_utf16());
    }

    /// What was live must be how the finished block begins.
    fn check_live(&mut self, event: &Event) {
        let block = match event {
            Event::AssistantMessage(message) => &message.0,
            Event::AssistantThinking(thinking) => &thinking.0,
            // What a crash cut off is never made whole.
            Event::Error(_) => {
                self.live.clear();
                return;
            }
            Event::TurnCompleted(_) => {
                assert!(self.live.is_empty(), "live text is left: {:?}", self.live);
                return;
            }
            _ => return,
        };
        if let Some(live) = self.live.remove(&(block.message_id.clone(), block.block)) {
            let live = String::from_utf16(&live).unwrap();
            assert!(
                block.content.starts_with(&live),
                "live text {live:?} became {:?}",
                block.content
            );
        }
    }
}

/// A message that nobody has sent yet.
pub(crate) fn outbound(text: &str, when_busy: WhenBusy) -> Outbound {
    Outbound {
        id: MessageId::from_uuid(RealWorld.random_id()),
        text: text.to_owned(),
        files: Vec::new(),
        when_busy,
        client: None,
    }
}

pub(crate) const fn allow() -> AskDecision {
    AskDecision::Allow {
        modified_input: None,
        mode: None,
    }
}

pub(crate) const fn allow_with(input: Value) -> AskDecision {
    AskDecision::Allow {
        modified_input: Some(input),
        mode: None,
    }
}

pub(crate) const fn allow_into(mode: PermissionMode) -> AskDecision {
    AskDecision::Allow {
        modified_input: None,
        mode: Some(mode),
    }
}

pub(crate) fn deny(message: &str) -> AskDecision {
    AskDecision::Deny {
        message: message.to_owned(),
        interrupt: false,
    }
}

/// Waits for what must happen, but not for ever.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(LIMIT, future).await {
        Ok(value) => value,
        Err(_) => panic!("waited in vain until {what}"),
    }
}

fn told(event: &Event) -> Option<String> {
    Some(match event {
        Event::ToolRequested(call) => format!("{}: {}", call.name, call.label),
        Event::ApprovalRequested(asked) => {
            let who = asked.agent_id.as_ref().map_or("", |_| " by a sub-agent");
            format!("  asked{who}: {}", asked.reason.as_deref().unwrap_or("-"))
        }
        Event::ApprovalResolved(resolved) => {
            let rule = resolved.rule.as_ref().map(|rule| format!(" {rule}"));
            let scope = resolved.scope.map(|scope| format!(" ({scope})"));
            format!(
                "  {} by {}{}{}",
                resolved.decision,
                resolved.by,
                rule.unwrap_or_default(),
                scope.unwrap_or_default(),
            )
        }
        Event::ToolCompleted(ended) if ended.is_error => {
            let first = ended.output.lines().next().unwrap_or_default();
            format!("  failed: {first}")
        }
        Event::ToolCompleted(_) => "  done".into(),
        Event::PermissionModeChanged(mode) => format!("mode {} by {}", mode.mode, mode.by),
        Event::Notification(told) => format!("note {}", told.kind),
        Event::Error(error) => format!("error {}: {}", error.code, error.message),
        _ => return None,
    })
}
