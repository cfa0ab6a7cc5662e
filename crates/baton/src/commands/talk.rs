//! A run under way: what comes is shown, what is asked is answered, until the
//! end. It knows the session's handle and the terminal, and no agent.

use std::{pin::Pin, time::Duration};

use baton_protocol::{
    ApprovalId, Envelope, Event, Seq, Turn,
    event::{ApprovalRequested, ApprovalResolved},
    words::{SessionState, StopReason},
};
use baton_session::{
    CommandError, Item, Outbound, SessionHandle, Subscription,
    agents::AskDecision,
    machine::{Rejected, Reply},
};
use baton_store::Store;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::client;
use crate::{
    failure::Failure,
    setup::Setup,
    terminal::{Input, RunView, Screen, Style, ask},
};

/// Said to the agent when it asks and nobody can be asked.
pub(super) const NO_TERMINAL: &str = "Denied: nobody can be asked here, because baton run has no terminal. \
     Go on without this, or say what you would need.";
pub(super) const NOT_ASKING: &str = "Denied: nobody can be asked here, because baton run --json does not ask. \
     Go on without this, or say what you would need.";
const INPUT_ENDED: &str = "Denied: the terminal's input ended.";

/// How the run is shown.
pub(super) enum View {
    Json(Screen),
    Person(Box<RunView>),
}

impl View {
    pub(super) fn new(setup: &Setup, json: bool) -> Self {
        if json {
            Self::Json(Screen::stdout(false))
        } else {
            Self::Person(Box::new(RunView::new(setup.colour)))
        }
    }

    const fn is_spinning(&self) -> bool {
        match self {
            Self::Json(_) => false,
            Self::Person(view) => view.is_spinning(),
        }
    }
}

/// A run under way.
pub(super) struct Show {
    pub(super) session: SessionHandle,
    pub(super) store: Store,
    /// The last event that was shown.
    pub(super) seen: Seq,
    /// What is still to be sent: the session may be busy with an earlier turn.
    pub(super) message: Option<Outbound>,
    /// The turn that is waited for.
    pub(super) turn: Turn,
    pub(super) ended: Option<StopReason>,
    /// The agent has taken the message.
    pub(super) reached: bool,
    pub(super) view: View,
    /// Only on a terminal.
    pub(super) input: Option<Input>,
    /// Why nobody can be asked, when there is no input.
    pub(super) nobody: &'static str,
    /// Approvals denied for that reason.
    pub(super) denied: u32,
    /// The approvals that wait for a person, oldest first.
    pub(super) open: Vec<ApprovalRequested>,
    /// The one that is on the screen.
    pub(super) question: Option<Question>,
    pub(super) colour: bool,
    pub(super) interrupts: u32,
}

/// An approval being asked on the terminal.
pub(super) struct Question {
    approval: ApprovalId,
    answer: Pin<Box<dyn Future<Output = Result<Option<AskDecision>, Failure>> + Send>>,
}

enum Wake {
    Item(Item),
    Decided(Option<AskDecision>),
    Signal,
    Frame,
    ProcessGone,
}

impl Show {
    /// Sends the message and shows everything until its turn has ended and the
    /// process is gone. When nothing can be shown any more, an agent at work
    /// goes on by itself. `left` are approvals that an earlier run left open.
    pub(super) async fn until_the_end(
        &mut self,
        items: Subscription,
        left: Vec<ApprovalRequested>,
    ) -> Result<Option<StopReason>, Failure> {
        let ended = self.follow_to_the_end(items, left).await;
        if ended.is_err() {
            close(&self.session).await.ok();
        }
        ended
    }

    async fn follow_to_the_end(
        &mut self,
        mut items: Subscription,
        left: Vec<ApprovalRequested>,
    ) -> Result<Option<StopReason>, Failure> {
        let mut signals = Signals::new()?;
        let mut gone = false;
        self.send().await?;
        if self.message.is_some() {
            let text = format!(
                "{} is still at work on turn {}: here is the rest of it, then your message is sent",
                self.session.id(),
                self.turn
            );
            self.say(Style::Warn, &text)?;
        }
        for request in left {
            self.asked(request).await?;
        }
        loop {
            if let Some(failed) = &self.session.progress().failed {
                return Err(stopped(failed));
            }
            if gone {
                // Everything is in the log; what is still to be shown is there.
                let head = self.store.head(self.session.id()).await?;
                while self.seen < head {
                    let item = items.next().await?;
                    self.item(item).await?;
                }
                return Ok(self.ended);
            }
            match self.wake(&mut items, &mut signals).await? {
                Wake::Item(item) => self.item(item).await?,
                Wake::Decided(decision) => self.decided(decision).await?,
                Wake::Signal => {
                    if self.interrupted().await? {
                        return Ok(Some(StopReason::Interrupted));
                    }
                }
                Wake::Frame => {
                    if let View::Person(view) = &mut self.view {
                        view.tick()?;
                    }
                }
                Wake::ProcessGone => gone = true,
            }
        }
    }

    async fn wake(
        &mut self,
        items: &mut Subscription,
        signals: &mut Signals,
    ) -> Result<Wake, Failure> {
        let spinning = self.view.is_spinning();
        let done = self.ended.is_some();
        let session = self.session.clone();
        self.next_question()?;
        let question = self.question.as_mut();
        tokio::select! {
            biased;
            // First, so that a flood of output cannot keep Ctrl-C waiting.
            () = signals.next() => Ok(Wake::Signal),
            item = items.next() => Ok(Wake::Item(item?)),
            answer = decision(question) => Ok(Wake::Decided(answer?)),
            _ = session.wait_for(|progress| progress.failed.is_some() || (done && !progress.has_process)) => Ok(Wake::ProcessGone),
            () = tokio::time::sleep(Duration::from_millis(100)), if spinning => Ok(Wake::Frame),
        }
    }

    /// Puts the oldest open approval on the screen, if there is room.
    fn next_question(&mut self) -> Result<(), Failure> {
        let (View::Person(view), Some(input), None, Some(request)) = (
            &mut self.view,
            &self.input,
            &self.question,
            self.open.first(),
        ) else {
            return Ok(());
        };
        view.pause()?;
        let screen = Screen::stderr(self.colour);
        self.question = Some(Question {
            approval: request.approval_id,
            answer: Box::pin(ask(screen, input.clone(), request.clone())),
        });
        Ok(())
    }

    async fn item(&mut self, item: Item) -> Result<(), Failure> {
        match item {
            Item::Live(frame) => match &mut self.view {
                View::Json(screen) => {
                    screen.line(&serde_json::to_string(&frame).unwrap_or_default())
                }
                View::Person(view) => view.live(&frame.live),
            },
            Item::Event(stored) => {
                self.seen = stored.seq;
                let envelope = stored.envelope()?;
                match &mut self.view {
                    View::Json(screen) => screen.line(&stored.text)?,
                    View::Person(view) => view.event(&envelope.event)?,
                }
                self.follow(envelope).await
            }
        }
    }

    /// What an event means for the run itself.
    async fn follow(&mut self, envelope: Envelope) -> Result<(), Failure> {
        if let Event::ApprovalRequested(request) = envelope.event {
            return self.asked(request).await;
        }
        let mut at_rest = false;
        if let Event::ApprovalResolved(resolved) = &envelope.event {
            self.resolved(resolved);
            at_rest = true;
        }
        if let Event::MessageDelivered(_) = &envelope.event {
            self.reached = true;
        }
        if let Event::TurnCompleted(turn) = &envelope.event
            && turn.turn >= self.turn
        {
            if self.message.is_none() {
                // Turns the agent adds by itself do not change how ours ended.
                self.ended = self.ended.or(Some(turn.stop_reason));
            }
            at_rest = true;
        }
        if let Event::SessionState(changed) = &envelope.event {
            at_rest = changed.state == SessionState::Idle;
        }
        if at_rest && self.message.is_some() {
            self.send().await?;
        } else if at_rest && self.ended.is_some() {
            close(&self.session).await?;
        }
        Ok(())
    }

    /// Sends the message, unless an earlier turn still runs.
    async fn send(&mut self) -> Result<(), Failure> {
        let Some(message) = self.message.take() else {
            return Ok(());
        };
        match self.session.send(message.clone()).await {
            Ok(Reply::Message { turn, .. }) => self.turn = turn.unwrap_or_default(),
            Ok(Reply::Done | Reply::Later { .. }) => {}
            Err(CommandError::Rejected(Rejected::Busy { turn })) => {
                self.turn = turn;
                self.message = Some(message);
            }
            Err(error) => return Err(told(&self.session, error).await),
        }
        Ok(())
    }

    async fn asked(&mut self, request: ApprovalRequested) -> Result<(), Failure> {
        if self.input.is_some() {
            self.open.push(request);
            return Ok(());
        }
        self.deny(request.approval_id).await
    }

    async fn deny(&mut self, approval: ApprovalId) -> Result<(), Failure> {
        self.denied += 1;
        let session = &self.session;
        let denied = session.deny_unattended(approval, self.nobody, Some(client()));
        let denied = denied.await;
        ignore_late(session, denied).await
    }

    fn resolved(&mut self, resolved: &ApprovalResolved) {
        self.open
            .retain(|open| open.approval_id != resolved.approval_id);
        let asked = self
            .question
            .take_if(|open| open.approval == resolved.approval_id);
        if let (Some(_), View::Person(view)) = (asked, &mut self.view) {
            view.unasked();
        }
    }

    async fn decided(&mut self, decision: Option<AskDecision>) -> Result<(), Failure> {
        let Some(question) = self.question.take() else {
            return Ok(());
        };
        match &mut self.view {
            View::Person(view) if decision.is_some() => view.answered(),
            View::Person(view) => view.unasked(),
            View::Json(_) => {}
        }
        self.open
            .retain(|open| open.approval_id != question.approval);
        let Some(decision) = decision else {
            self.input = None;
            self.nobody = INPUT_ENDED;
            self.deny(question.approval).await?;
            for request in std::mem::take(&mut self.open) {
                self.deny(request.approval_id).await?;
            }
            return Ok(());
        };
        let session = &self.session;
        let answered = session.answer(question.approval, decision, Some(client()));
        let answered = answered.await;
        ignore_late(session, answered).await
    }

    /// Once interrupts, twice ends the agent, three times leaves it.
    async fn interrupted(&mut self) -> Result<bool, Failure> {
        self.interrupts += 1;
        let session = &self.session;
        let (done, say) = match self.interrupts {
            1 => {
                // Who interrupts an earlier turn has not asked for another.
                self.message = None;
                let say = "interrupting the turn (Ctrl-C again ends the agent)";
                (session.interrupt().await, say)
            }
            2 => (session.kill().await, "ending the agent"),
            _ => return Ok(true),
        };
        if let Err(error) = done {
            return Err(told(session, error).await);
        }
        if let View::Person(view) = &mut self.view {
            view.note(Style::Warn, say)?;
        }
        Ok(false)
    }

    /// Beside the answer, whoever reads it.
    fn say(&mut self, style: Style, text: &str) -> Result<(), Failure> {
        match &mut self.view {
            View::Json(_) => Screen::stderr(false).line(text),
            View::Person(view) => view.note(style, text),
        }
    }

    /// What a person may want to know and do next; `called` is how they called
    /// this program.
    pub(super) fn goodbye(&mut self, called: &str) -> Result<(), Failure> {
        let denied = match self.denied {
            0 => None,
            1 => Some("1 approval was denied because nobody could be asked".to_owned()),
            many => Some(format!(
                "{many} approvals were denied because nobody could be asked"
            )),
        };
        if let Some(denied) = denied {
            self.say(Style::Warn, &denied)?;
        }
        let id = self.session.id();
        match &mut self.view {
            View::Person(view) if self.reached => view.note(
                Style::Dim,
                &format!("go on: {called} run --resume {id} \"…\""),
            ),
            View::Person(_) | View::Json(_) => Ok(()),
        }
    }
}

/// The session's task has given up. Only its words are left of the cause.
fn stopped(failed: &str) -> Failure {
    let remedy = if failed.starts_with("no space left") {
        "Free disk space: its agent is kept, and the next baton command goes on with it."
    } else if failed.contains("damaged") {
        "`baton doctor` checks the event log; restore it from a backup if it is damaged."
    } else {
        "Its agent is kept, and the next baton command goes on with it."
    };
    Failure::new(format!("the session stopped: {failed}"), remedy)
}

/// A refused command in words; of a task that is gone, why it went.
async fn told(session: &SessionHandle, error: CommandError) -> Failure {
    if matches!(error, CommandError::Gone) {
        let last = session.wait_for(|progress| progress.failed.is_some()).await;
        if let Some(failed) = last.failed {
            return stopped(&failed);
        }
    }
    error.into()
}

/// Lets the agent go, if it has nothing left to do. One that has is asked
/// again whenever it may have finished.
async fn close(session: &SessionHandle) -> Result<(), Failure> {
    match session.close().await {
        Ok(()) | Err(CommandError::Rejected(_)) => Ok(()),
        Err(error) => Err(told(session, error).await),
    }
}

/// An answer that came too late changes nothing; the log says who was first.
async fn ignore_late(
    session: &SessionHandle,
    answered: Result<(), CommandError>,
) -> Result<(), Failure> {
    match answered {
        Ok(())
        | Err(CommandError::Rejected(
            Rejected::AlreadyAnswered(_) | Rejected::UnknownApproval { .. },
        )) => Ok(()),
        Err(error) => Err(told(session, error).await),
    }
}

/// The answer to the question on the screen, or for ever nothing.
async fn decision(question: Option<&mut Question>) -> Result<Option<AskDecision>, Failure> {
    match question {
        Some(question) => question.answer.as_mut().await,
        None => std::future::pending().await,
    }
}

/// Ctrl-C, and the polite request to end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> Result<Self, Failure> {
        let listen = |kind| {
            signal(kind).map_err(|error| {
                Failure::new(format!("signals cannot be heard: {error}"), "Try again.")
            })
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
