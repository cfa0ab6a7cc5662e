//! Commands that say one thing to one session.

use baton_protocol::{
    SessionId,
    api::{Command, Fork, Nothing, Title},
    words::Json,
};
use baton_store::SessionRow;

use crate::{
    cli::{ForkArgs, SessionArg, TitleArgs},
    client::{Client, find_session, read},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::Screen,
};

pub(crate) async fn interrupt(setup: &Setup, args: &SessionArg) -> Result<Exit, Failure> {
    let command = Command::Interrupt(Nothing {});
    let (id, answer) = tell(setup, "baton interrupt", &args.id, &command).await?;
    done(
        setup,
        args.json,
        &answer,
        &format!("interrupting the turn of {id}"),
    )
}

pub(crate) async fn end(setup: &Setup, args: &SessionArg) -> Result<Exit, Failure> {
    let command = Command::Stop(Nothing {});
    let (id, answer) = tell(setup, "baton end", &args.id, &command).await?;
    done(
        setup,
        args.json,
        &answer,
        &format!("{id} has been told to end"),
    )
}

pub(crate) async fn resume(setup: &Setup, args: &SessionArg) -> Result<Exit, Failure> {
    let command = Command::Resume(Nothing {});
    let (id, answer) = tell(setup, "baton resume", &args.id, &command).await?;
    let called = &setup.called;
    let text = format!("{id} can go on: {called} send {id} \"…\" --wait");
    done(setup, args.json, &answer, &text)
}

pub(crate) async fn title(setup: &Setup, args: &TitleArgs) -> Result<Exit, Failure> {
    let title = args.title.clone();
    let command = Command::Title(Title { title });
    let (id, answer) = tell(setup, "baton title", &args.id, &command).await?;
    done(setup, args.json, &answer, &format!("{id} has a new title"))
}

pub(crate) async fn fork(setup: &Setup, args: &ForkArgs) -> Result<Exit, Failure> {
    let command = Command::Fork(Fork {
        at: args.at.clone(),
    });
    let (_, answer) = tell(setup, "baton fork", &args.id, &command).await?;
    let row: SessionRow = read(&answer)?;
    let called = &setup.called;
    let text = format!(
        "{}\n  go on: {called} run --resume {} \"…\"",
        row.id, row.id
    );
    done(setup, args.json, &answer, &text)
}

async fn tell(
    setup: &Setup,
    name: &str,
    session: &str,
    command: &Command,
) -> Result<(SessionId, Json), Failure> {
    let mut client = Client::connect(setup, name).await?;
    let id = find_session(&mut client, session).await?;
    Ok((id, client.ask(Some(id), command).await?))
}

fn done(setup: &Setup, json: bool, answer: &Json, text: &str) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    screen.line(if json { answer.text() } else { text })?;
    Ok(Exit::Success)
}
