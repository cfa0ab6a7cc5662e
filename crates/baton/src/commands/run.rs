//! `baton run`: one prompt, its answer, and how it ended.

use std::{io::Read, path::Path, pin::Pin, time::Duration};

use baton_protocol::{
    ApprovalId, Envelope, Event, MessageId, Seq, Turn,
    event::{ApprovalRequested, ApprovalResolved, SessionOptions},
    words::{ClientRef, StopReason},
};
use baton_session::{
    Item, NewSessionSpec, Outbound, RealWorld, SessionHandle, Subscription, World,
    agents::{AgentKind, AskDecision, PromptFile},
    machine::{Reply, WhenBusy},
};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::find_session;
use crate::{
    cli::{AgentArg, RunArgs},
    failure::{Exit, Failure},
    owner::Owner,
    setup::Setup,
    terminal::{Input, RunView, Screen, Style, ask},
};

/// Said to the agent when it asks and there is no terminal to ask on.
const NOBODY: &str = "Denied: nobody can be asked here, because baton run has no terminal. \
     Go on without this, or say what you would need.";

pub(crate) async fn run(setup: &Setup, args: RunArgs) -> Result<Exit, Failure> {
    let prompt = prompt(&args.prompt)?;
    let files = args
        .attach
        .iter()
        .map(|path| attach(path))
        .collect::<Result<Vec<_>, _>>()?;
    let owner = Owner::become_owner(setup)
        .await
        .map_err(|refused| refused.failure(&setup.data))?;
    let mut notes = Screen::stderr(setup.colour);
    for session in &owner.taken {
        if session.progress().has_process {
            notes.line(&format!(
                "took over {}, whose agent is still at work",
                session.id()
            ))?;
        }
    }
    let result = converse(setup, &owner, &args, prompt, files).await;
    owner.release().await;
    result
}

async fn converse(
    setup: &Setup,
    owner: &Owner,
    args: &RunArgs,
    prompt: String,
    files: Vec<PromptFile>,
) -> Result<Exit, Failure> {
    let session = session(setup, owner, args).await?;
    let head = owner.supervisor.store().head(session.id()).await?;
    let start = if args.resume.is_some() {
        head
    } else {
        Seq::START
    };
    let subscription = session.subscribe(start);
    let reply = session
        .send(Outbound {
            id: MessageId::from_uuid(RealWorld.random_id()),
            text: prompt,
            files,
            when_busy: WhenBusy::Refuse,
            client: Some(client()),
        })
        .await?;
    let turn = match reply {
        Reply::Message { turn, .. } => turn.unwrap_or_default(),
        Reply::Done | Reply::Later { .. } => Turn::NONE,
    };
    let interactive = !args.json && std::io::IsTerminal::is_terminal(&std::io::stdin());
    let mut show = Show {
        session,
        turn,
        ended: None,
        view: View::new(setup, args.json),
        input: interactive.then(Input::default),
        open: Vec::new(),
        question: None,
        colour: setup.colour,
        interrupts: 0,
    };
    let ended = show.until_the_end(subscription).await?;
    if !args.json {
        show.goodbye()?;
    }
    Ok(match ended {
        Some(StopReason::End) => Exit::Success,
        _ => Exit::Failure,
    })
}

async fn session(setup: &Setup, owner: &Owner, args: &RunArgs) -> Result<SessionHandle, Failure> {
    if let Some(name) = &args.resume {
        let id = find_session(owner.supervisor.store(), name).await?;
        return Ok(owner.supervisor.open(id).await?);
    }
    let agent = match args.agent {
        Some(AgentArg::Claude) => AgentKind::Claude,
        Some(AgentArg::Demo) => AgentKind::Demo,
        None if setup.agents.claude.is_some() => AgentKind::Claude,
        None => {
            Screen::stderr(setup.colour).line(
                "claude was not found, so this is the demo agent (`baton doctor` says more)",
            )?;
            AgentKind::Demo
        }
    };
    if let Some(mode) = args.permission_mode
        && !agent.capabilities().modes.contains(&mode)
    {
        return Err(Failure::usage(
            format!("the {} agent has no permission mode {mode}", agent.name()),
            "Leave --permission-mode out.",
        ));
    }
    let here = std::env::current_dir().unwrap_or_default();
    let new = NewSessionSpec {
        agent,
        cwd: args.project.clone().unwrap_or(here),
        title: None,
        options: SessionOptions {
            model: args.model.clone(),
            permission_mode: args.permission_mode,
            setting_sources: args.setting_sources.clone(),
            ..SessionOptions::default()
        },
    };
    Ok(owner.supervisor.create(new).await?)
}

fn client() -> ClientRef {
    ClientRef {
        id: format!("cli-{}", std::process::id()),
        name: "baton run".into(),
    }
}

fn prompt(text: &str) -> Result<String, Failure> {
    if text != "-" {
        return Ok(text.to_owned());
    }
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| {
            Failure::usage(
                format!("the prompt cannot be read: {error}"),
                "Pipe text into baton, or write the prompt as an argument.",
            )
        })?;
    Ok(text)
}

/// Larger files are refused: they would not fit into a conversation.
const MAX_FILE: u64 = 20 * 1024 * 1024;

fn attach(path: &Path) -> Result<PromptFile, Failure> {
    let refuse = |why: String| {
        Failure::usage(
            format!("{} cannot be attached: {why}", path.display()),
            "Name a file of at most 20 MB.",
        )
    };
    let meta = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        return Err(refuse("it is not a file, or too large".into()));
    }
    let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string()))?;
    Ok(PromptFile {
        name: path.to_string_lossy().into_owned(),
        media_type: media_type(&bytes).to_owned(),
        bytes,
    })
}

/// By the bytes, never by the name.
fn media_type(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => "image/webp",
        _ => "text/plain",
    }
}

/// How the run is shown.
enum View {
    Json(Screen),
    Person(Box<RunView>),
}

impl View {
    fn new(setup: &Setup, json: bool) -> Self {
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
struct Show {
    session: SessionHandle,
    turn: Turn,
    ended: Option<StopReason>,
    view: View,
    /// Only on a terminal.
    input: Option<Input>,
    /// The approvals that wait for a person, oldest first.
    open: Vec<ApprovalRequested>,
    /// The one that is on the screen.
    question: Option<Question>,
    colour: bool,
    interrupts: u32,
}

/// An approval being asked on the terminal.
struct Question {
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
    /// Shows everything until the turn has ended and its process is gone.
    async fn until_the_end(
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
                let rest = tokio::time::timeout(Duration::from_millis(50), items.next()).await;
                match rest {
                    Ok(item) => self.item(item?).await?,
                    Err(_) => return Ok(self.ended),
                }
                continue;
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
            item = items.next() => Ok(Wake::Item(item?)),
            () = signals.next() => Ok(Wake::Signal),
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
        if let Event::ApprovalResolved(resolved) = &envelope.event {
            return self.resolved(resolved);
        }
        if let Event::TurnCompleted(turn) = &envelope.event
            && turn.turn >= self.turn
        {
            // Turns the agent adds by itself do not change how ours ended.
            self.ended = self.ended.or(Some(turn.stop_reason));
            self.session.close().await?;
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

    fn goodbye(&mut self) -> Result<(), Failure> {
        let id = self.session.id();
        match &mut self.view {
            View::Json(_) => Ok(()),
            View::Person(view) => {
                view.note(Style::Dim, &format!("go on: baton run --resume {id} \"…\""))
            }
        }
    }
}

/// An answer that came too late changes nothing; the log says who was first.
fn ignore_late(answered: Result<(), baton_session::CommandError>) -> Result<(), Failure> {
    use baton_session::{CommandError, machine::Rejected};
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_known_by_their_bytes() {
        assert_eq!(media_type(b"\x89PNG\r\n"), "image/png");
        assert_eq!(media_type(b"RIFF\0\0\0\0WEBPVP8"), "image/webp");
        assert_eq!(media_type(b"\xff\xd8\xff\xe0"), "image/jpeg");
        assert_eq!(media_type(b"hello.png"), "text/plain");
    }
}
