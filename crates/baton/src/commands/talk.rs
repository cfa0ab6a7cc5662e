//! A message under way: what comes is shown, what is asked is answered, until
//! its turn has ended. It knows the daemon's frames and the terminal, no agent.

mod question;
mod view;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use baton_protocol::{
    ApprovalId, Event, MessageId, Seq, Turn,
    api::{
        Approve, Command, ListPart, MessageAnswer, MessageBody, Nothing, OpenApprovals, Problem,
        ProblemCode, TakeBack,
    },
    event::{ApprovalRequested, ApprovalResolved},
    words::{Decision, Json, SessionState, StopReason},
};

use self::question::Question;
pub(crate) use self::view::View;
use crate::{
    cli::Approvals,
    client::{Client, News, SessionLink, Told},
    failure::{Exit, Failure},
    setup::Setup,
    signals::Signals,
    terminal::{Decided, Stdin, Style, is_unattended},
};

/// Said to the agent when it asks and nobody can be asked.
const NO_TERMINAL: &str = "Denied: nobody can be asked here, because baton has no terminal. \
     Go on without this, or say what you would need.";
const NOT_ASKING: &str = "Denied: nobody can be asked here, because baton with --json does not ask. \
     Go on without this, or say what you would need.";
const INPUT_ENDED: &str = "Denied: the terminal's input ended.";

/// What a talk is about.
pub(crate) struct Topic {
    /// As the log names this client: `baton run`.
    pub(crate) name: &'static str,
    pub(crate) session: baton_protocol::SessionId,
    /// Events up to here are not shown.
    pub(crate) after: Seq,
    pub(crate) message: MessageBody,
    /// Approvals that were open before.
    pub(crate) left: Vec<ApprovalRequested>,
    pub(crate) json: bool,
    /// What becomes of approvals when there is no terminal to ask on.
    pub(crate) unattended: Approvals,
}

/// Sends a message and shows everything until its turn has ended.
pub(crate) async fn talk(setup: &Setup, client: Client, topic: Topic) -> Result<Exit, Failure> {
    let interactive = !topic.json && std::io::IsTerminal::is_terminal(&std::io::stdin());
    let link = SessionLink::open(setup, topic.name, client, topic.session, topic.after).await?;
    let mut talk = Talk {
        link,
        own: topic.message.message_id,
        // Behind a running turn it waits in the log, where it outlives this
        // process.
        message: Some(MessageBody {
            queue: true,
            ..topic.message
        }),
        sent: false,
        turn: None,
        behind: None,
        completed: BTreeMap::new(),
        state: None,
        reached: false,
        view: View::new(setup, topic.json),
        input: interactive.then(Stdin::default),
        nobody: if topic.json { NOT_ASKING } else { NO_TERMINAL },
        unattended: topic.unattended,
        told: BTreeSet::new(),
        denied: 0,
        open: Vec::new(),
        question: None,
        colour: setup.colour,
        interrupts: 0,
        called: setup.called.clone(),
    };
    let called = setup.called.clone();
    let ended = talk.until_the_end(topic.left).await;
    let session = talk.link.session();
    match ended {
        Ok(Some(ended)) => {
            talk.goodbye(&called)?;
            Ok(if ended == StopReason::End {
                Exit::Success
            } else {
                Exit::Failure
            })
        }
        Ok(None) => {
            let text = format!("the session goes on without you: {called} watch {session}");
            talk.view.say(Style::Warn, &text)?;
            Ok(Exit::Failure)
        }
        // The reader of the output has left; the session has not.
        Err(failure) if failure.quiet => {
            let text = format!("the session goes on in the background: {called} watch {session}");
            View::beside(&text)?;
            Err(failure)
        }
        Err(failure) => Err(failure),
    }
}

struct Talk {
    link: SessionLink,
    /// The message's name.
    own: Option<MessageId>,
    /// What is still to be sent: somebody else's process may run the session.
    message: Option<MessageBody>,
    /// It is on its way, and the reply is not here.
    sent: bool,
    /// The turn that is waited for.
    turn: Option<Turn>,
    /// It was taken, but waits behind others: the turn that answers it tells.
    behind: Option<MessageId>,
    /// How turns ended that were seen to end. A quick one may end before the
    /// reply that names it.
    completed: BTreeMap<Turn, StopReason>,
    state: Option<SessionState>,
    /// The agent has taken the message.
    reached: bool,
    view: View,
    /// Only on a terminal.
    input: Option<Stdin>,
    /// Why nobody can be asked, when there is no input.
    nobody: &'static str,
    unattended: Approvals,
    /// Approvals that were told to wait for somebody elsewhere.
    told: BTreeSet<ApprovalId>,
    /// Approvals denied for that reason.
    denied: u32,
    /// The approvals that wait for a person, oldest first.
    open: Vec<ApprovalRequested>,
    /// The one that is on the screen.
    question: Option<Question>,
    colour: bool,
    interrupts: u32,
    /// How this program was called.
    called: String,
}

enum Wake {
    News(News),
    Decided(Option<Decided>),
    Interrupt,
    Leave,
    Frame,
}

impl Talk {
    /// How the turn ended; none if it was left before.
    async fn until_the_end(
        &mut self,
        left: Vec<ApprovalRequested>,
    ) -> Result<Option<StopReason>, Failure> {
        let mut signals = Signals::new()?;
        self.send().await;
        for request in left {
            self.asked(request).await?;
        }
        loop {
            if let Some(ended) = self.ended() {
                return Ok(Some(ended));
            }
            match self.wake(&mut signals).await? {
                Wake::News(News::Lost) => {
                    tokio::select! {
                        () = signals.leave() => return Ok(None),
                        reconnected = self.link.reconnect() => reconnected?,
                    }
                    // Asked again below what is said here.
                    if let (Some(_), View::Person(view)) = (self.question.take(), &mut self.view) {
                        view.unasked();
                    }
                    self.view
                        .say(Style::Warn, "the daemon was gone: connected again")?;
                }
                Wake::News(news) => self.news(news).await?,
                Wake::Decided(decision) => self.decided(decision).await?,
                Wake::Interrupt => {
                    if self.interrupted().await? {
                        return Ok(None);
                    }
                }
                Wake::Leave => return Ok(None),
                Wake::Frame => self.view.tick()?,
            }
        }
    }

    /// How the message's turn ended, once the session rests or goes on with
    /// something else.
    fn ended(&self) -> Option<StopReason> {
        let turn = self.turn?;
        let (_, ended) = self.completed.range(turn..).next()?;
        let settled = matches!(self.state, Some(SessionState::Idle | SessionState::Ended));
        settled.then_some(*ended)
    }

    async fn wake(&mut self, signals: &mut Signals) -> Result<Wake, Failure> {
        let spinning = self.view.is_spinning();
        self.next_question()?;
        let question = self.question.as_mut();
        tokio::select! {
            biased;
            // First, so that a flood of output cannot keep Ctrl-C waiting.
            leave = signals.next() => Ok(if leave { Wake::Leave } else { Wake::Interrupt }),
            news = self.link.next() => Ok(Wake::News(news?)),
            answer = question::answer(question) => Ok(Wake::Decided(answer?)),
            () = tokio::time::sleep(Duration::from_millis(100)), if spinning => Ok(Wake::Frame),
        }
    }

    /// Puts the oldest open approval on the screen, if there is room.
    fn next_question(&mut self) -> Result<(), Failure> {
        if let (View::Person(view), Some(input), None, Some(request)) = (
            &mut self.view,
            &self.input,
            &self.question,
            self.open.first(),
        ) {
            view.pause()?;
            self.question = Some(Question::ask(self.colour, input.clone(), request.clone()));
        }
        Ok(())
    }

    async fn news(&mut self, news: News) -> Result<(), Failure> {
        match news {
            News::Live { text, frame } => self.view.live(&text, frame.as_deref()),
            News::Event { text, envelope } => {
                self.view.event(&text, &envelope)?;
                self.follow(envelope.event).await
            }
            News::Reply { command, result } => self.replied(*command, result).await,
            News::Over(problem) => Err(stopped(problem)),
            News::CaughtUp | News::Lost => Ok(()),
        }
    }

    /// What an event means for the talk itself.
    async fn follow(&mut self, event: Event) -> Result<(), Failure> {
        if let Event::ApprovalRequested(request) = event {
            return self.asked(request).await;
        }
        let mut at_rest = false;
        if let Event::ApprovalResolved(resolved) = &event {
            self.resolved(resolved);
        } else if let Event::MessageDelivered(_) = &event {
            self.reached = true;
        } else if let Event::TurnStarted(_) = &event {
            self.state = Some(SessionState::Processing);
        } else if let Event::TurnCompleted(turn) = &event {
            if self.behind.is_some_and(|id| turn.message_ids.contains(&id)) {
                self.turn = Some(turn.turn);
            }
            self.completed.insert(turn.turn, turn.stop_reason);
            at_rest = true;
        } else if let Event::SessionState(changed) = &event {
            self.state = Some(changed.state);
            at_rest = changed.state == SessionState::Idle;
        }
        if at_rest {
            self.send().await;
        }
        Ok(())
    }

    /// Sends the message, unless it is on its way.
    async fn send(&mut self) {
        if let Some(message) = self.message.clone().filter(|_| !self.sent) {
            self.sent = true;
            self.link.command(Command::Message(message)).await;
        }
    }

    async fn replied(
        &mut self,
        command: Command,
        result: Result<Json, Problem>,
    ) -> Result<(), Failure> {
        match (command, result) {
            (Command::Message(_), Ok(answer)) => {
                self.message = None;
                let answer = Told::<MessageAnswer>::read(answer)?;
                self.turn = answer.turn;
                self.behind = answer.turn.is_none().then_some(answer.message_id);
                if self.behind.is_some() {
                    let text = format!(
                        "{} is still at work: your message waits in its queue, and this is the rest of what runs",
                        self.link.session()
                    );
                    self.view.say(Style::Warn, &text)?;
                }
                Ok(())
            }
            (Command::TakeBack(_), Ok(_)) => {
                self.behind = None;
                // What runs is waited for.
                self.turn = Some(Turn::NONE);
                self.view.say(Style::Dim, "your message is taken back")
            }
            // It is what runs, and what is interrupted.
            (Command::TakeBack(_), Err(problem)) if problem.code == ProblemCode::NotQueued => {
                Ok(())
            }
            (Command::Message(_), Err(problem)) if problem.code == ProblemCode::Busy => {
                let waits = self.message.is_some();
                self.sent = false;
                if !waits {
                    // It was taken back by Ctrl-C; what runs is waited for.
                    self.turn = Some(Turn::NONE);
                } else if self.state == Some(SessionState::Idle) {
                    self.send().await;
                } else if self.state.is_none() {
                    self.state = Some(SessionState::Processing);
                    let text = format!(
                        "{} is still at work ({}): here is the rest of it, then your message is sent",
                        self.link.session(),
                        problem.detail
                    );
                    self.view.say(Style::Warn, &text)?;
                }
                Ok(())
            }
            (Command::Approvals(_), Ok(open)) => self.waits(&Told::read(open)?.answer),
            // An answer that came too late changes nothing; the log says who
            // was first, and it is shown.
            (Command::Approve(_), Err(problem))
                if matches!(
                    problem.code,
                    ProblemCode::AlreadyAnswered | ProblemCode::NotFound
                ) =>
            {
                Ok(())
            }
            (_, Err(problem)) => Err(problem.into()),
            (_, Ok(_)) => Ok(()),
        }
    }

    async fn asked(&mut self, request: ApprovalRequested) -> Result<(), Failure> {
        if self.input.is_some() {
            self.open.push(request);
            return Ok(());
        }
        match self.unattended {
            Approvals::Deny => self.deny(request.approval_id).await,
            // What a rule or the mode decides is recorded as a request too, so
            // the daemon is asked what waits for a person.
            Approvals::Wait | Approvals::Fail => {
                let all = Command::Approvals(ListPart::default());
                self.link.command(all).await;
            }
        }
        Ok(())
    }

    /// What waits for a person, and nobody here can answer.
    fn waits(&mut self, open: &OpenApprovals) -> Result<(), Failure> {
        let mut first = None;
        for open in &open.items {
            if self.told.insert(open.approval.approval_id) {
                self.view.waits(&self.called, &open.approval)?;
                first = first.or(Some(open.approval.approval_id));
            }
        }
        let (Some(_), Approvals::Fail) = (first, self.unattended) else {
            return Ok(());
        };
        let (called, session) = (&self.called, self.link.session());
        Err(Failure {
            exit: Exit::Asked,
            ..Failure::new(
                "the agent asks for permission, and nobody here can answer",
                format!(
                    "The session waits for the answer; `{called} watch {session}` shows how it goes on."
                ),
            )
        })
    }

    async fn deny(&mut self, approval: ApprovalId) {
        let mut denial = Approve::with(approval, Decision::Deny);
        denial.deny_message = Some(self.nobody.to_owned());
        denial.unattended = true;
        self.answer(denial).await;
    }

    async fn answer(&mut self, answer: Approve) {
        self.link.command(Command::Approve(answer)).await;
    }

    fn resolved(&mut self, resolved: &ApprovalResolved) {
        // Only what this run denied, not what rules and modes decided.
        let own = resolved.client.as_ref().map(|client| client.id.as_str());
        if is_unattended(resolved) && own == Some(crate::client::own_id().as_str()) {
            self.denied += 1;
        }
        self.open
            .retain(|open| open.approval_id != resolved.approval_id);
        let asked = self
            .question
            .take_if(|open| open.approval == resolved.approval_id);
        if let (Some(_), View::Person(view)) = (asked, &mut self.view) {
            view.unasked();
        }
    }

    async fn decided(&mut self, decision: Option<Decided>) -> Result<(), Failure> {
        let Some(question) = self.question.take() else {
            return Ok(());
        };
        if let View::Person(view) = &mut self.view {
            if decision.is_some() {
                view.answered();
            } else {
                view.unasked();
            }
        }
        self.open
            .retain(|open| open.approval_id != question.approval);
        if let Some(decision) = decision {
            self.answer(question::decided(question.approval, decision))
                .await;
            return Ok(());
        }
        self.input = None;
        self.nobody = INPUT_ENDED;
        if self.unattended == Approvals::Deny {
            self.deny(question.approval).await;
        }
        for request in std::mem::take(&mut self.open) {
            self.asked(request).await?;
        }
        Ok(())
    }

    /// Once interrupts, twice leaves.
    async fn interrupted(&mut self) -> Result<bool, Failure> {
        self.interrupts += 1;
        if self.interrupts > 1 {
            return Ok(true);
        }
        // Who interrupts an earlier turn has not asked for another, and the
        // turn's end would begin it.
        self.message = None;
        if let Some(message_id) = self.own.filter(|_| self.sent && self.turn.is_none()) {
            let back = Command::TakeBack(TakeBack { message_id });
            self.link.command(back).await;
        }
        self.link.command(Command::Interrupt(Nothing {})).await;
        let say = "interrupting the turn (Ctrl-C again leaves it)";
        self.view.say(Style::Warn, say)?;
        // Without a turn of its own there is nothing left to wait for but the rest.
        if self.turn.is_none() && !self.sent {
            self.turn = Some(Turn::NONE);
        }
        Ok(false)
    }

    /// What a person may want to know and do next; `called` is how they called
    /// this program.
    fn goodbye(&mut self, called: &str) -> Result<(), Failure> {
        let denied = match self.denied {
            0 => None,
            1 => Some("1 approval was denied because nobody could be asked".to_owned()),
            many => Some(format!(
                "{many} approvals were denied because nobody could be asked"
            )),
        };
        if let Some(denied) = denied {
            self.view.say(Style::Warn, &denied)?;
        }
        let id = self.link.session();
        match &mut self.view {
            View::Person(view) if self.reached => {
                view.hint(&format!("go on: {called} run --resume {id} \"…\""))
            }
            View::Person(_) | View::Json(_) => Ok(()),
        }
    }
}

/// The session's task in the daemon has given up.
pub(crate) fn stopped(problem: Problem) -> Failure {
    if problem.code != ProblemCode::StorageFull {
        return problem.into();
    }
    Failure::new(
        problem.detail,
        "Free disk space: its agent is kept, and the next baton command goes on with it.",
    )
}
