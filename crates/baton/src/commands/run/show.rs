//! A run under way: what comes is shown, what is asked is answered, until the
//! end. It knows the session's handle and the terminal, and no agent.

use std::{pin::Pin, time::Duration};

use baton_protocol::{
    ApprovalId, Envelope, Event, Seq, Turn,
    event::{ApprovalRequested, ApprovalResolved},
    words::{SessionState, StopReason},
};
use baton_session::{
    CommandError, Item, SessionHandle, Subscription, agents::AskDecision, machine::Rejected,
};
use baton_store::Store;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::client;
use crate::{
    failure::Failure,
    setup::Setup,
    terminal::{Input, RunView, Screen, Style, ask},
};

/// Said to the agent when it asks and there is no terminal to ask on.
const NOBODY: &str = "Denied: nobody can be asked here, because baton run has no terminal. \
     Go on without this, or say what you would need.";

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
    pub(super) turn: Turn,
    pub(super) ended: Option<StopReason>,
    pub(super) view: View,
    /// Only on a terminal.
    pub(super) input: Option<Input>,
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
    /// Shows everything until the turn has ended and its process is gone. When
    /// nothing can be shown any more, an agent at work goes on by itself.
    pub(super) async fn until_the_end(
        &mut self,
        items: Subscription,
    ) -> Result<Option<StopReason>, Failure> {
        let ended = self.follow_to_the_end(items).await;
        if ended.is_err() {
            close(&self.session).await.ok();
        }
        ended
    }

    async fn follow_to_the_end(
        &mut self,
        mut items: Subscription,
    ) -> Result<Option<StopReason>, Failure> {
        let mut signals = Signals::new()?;
        let mut gone = false;
        loop {
            if let Some(stopped) = &self.session.progress().failed {
                return Err(Failure::new(
                    format!("the session stopped: {stopped}"),
                    "Its agent is kept, and the next baton command goes on with it; free disk space first if that is what is missing.",
                ));
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
            if self.input.is_some() {
                self.open.push(request);
                return Ok(());
            }
            let session = &self.session;
            let denied = session.deny_unattended(request.approval_id, NOBODY, Some(client()));
            return ignore_late(denied.await);
        }
        let mut at_rest = false;
        if let Event::ApprovalResolved(resolved) = &envelope.event {
            self.resolved(resolved)?;
            at_rest = true;
        }
        if let Event::TurnCompleted(turn) = &envelope.event
            && turn.turn >= self.turn
        {
            // Turns the agent adds by itself do not change how ours ended.
            self.ended = self.ended.or(Some(turn.stop_reason));
            at_rest = true;
        }
        if let Event::SessionState(changed) = &envelope.event {
            at_rest = changed.state == SessionState::Idle;
        }
        if at_rest && self.ended.is_some() {
            close(&self.session).await?;
        }
        Ok(())
    }

    fn resolved(&mut self, resolved: &ApprovalResolved) -> Result<(), Failure> {
        self.open
            .retain(|open| open.approval_id != resolved.approval_id);
        let asked = self
            .question
            .take_if(|open| open.approval == resolved.approval_id);
        match (asked, &mut self.view) {
            (Some(_), View::Person(view)) => view.note(
                Style::Dim,
                &format!("  ({} by {})", resolved.decision, resolved.by),
            ),
            _ => Ok(()),
        }
    }

    async fn decided(&mut self, decision: Option<AskDecision>) -> Result<(), Failure> {
        let Some(question) = self.question.take() else {
            return Ok(());
        };
        self.open
            .retain(|open| open.approval_id != question.approval);
        let answered = match decision {
            Some(decision) => {
                self.session
                    .answer(question.approval, decision, Some(client()))
                    .await
            }
            None => {
                self.input = None;
                self.session
                    .deny_unattended(question.approval, NOBODY, Some(client()))
                    .await
            }
        };
        ignore_late(answered)
    }

    /// Once interrupts, twice ends the agent, three times leaves it.
    async fn interrupted(&mut self) -> Result<bool, Failure> {
        self.interrupts += 1;
        let say = match self.interrupts {
            1 => {
                self.session.interrupt().await?;
                "interrupting the turn (Ctrl-C again ends the agent)"
            }
            2 => {
                self.session.kill().await?;
                "ending the agent"
            }
            _ => return Ok(true),
        };
        if let View::Person(view) = &mut self.view {
            view.note(Style::Warn, say)?;
        }
        Ok(false)
    }

    pub(super) fn goodbye(&mut self) -> Result<(), Failure> {
        let id = self.session.id();
        match &mut self.view {
            View::Json(_) => Ok(()),
            View::Person(view) => {
                view.note(Style::Dim, &format!("go on: baton run --resume {id} \"…\""))
            }
        }
    }
}

/// Lets the agent go, if it has nothing left to do. One that has is asked
/// again whenever it may have finished.
async fn close(session: &SessionHandle) -> Result<(), Failure> {
    match session.close().await {
        Ok(()) | Err(CommandError::Rejected(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// An answer that came too late changes nothing; the log says who was first.
fn ignore_late(answered: Result<(), CommandError>) -> Result<(), Failure> {
    match answered {
        Ok(())
        | Err(CommandError::Rejected(
            Rejected::AlreadyAnswered(_) | Rejected::UnknownApproval { .. },
        )) => Ok(()),
        Err(error) => Err(error.into()),
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
