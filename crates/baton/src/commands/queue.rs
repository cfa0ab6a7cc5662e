//! `baton queue`: messages that wait for a turn, and taking them back; and an
//! interrupt that takes back all of them.

use baton_protocol::{
    MessageId, SessionId,
    api::{Done, Nothing, ProblemCode, QueuedMessage, TakeBack, ask},
    words::Json,
};

use super::unanswered::{Fate, Unanswered};
use crate::{
    cli::{InterruptArgs, QueueArgs},
    client::{Client, Told, find_session},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean, table},
};

const HEAD: [&str; 2] = ["MESSAGE", "TEXT"];

pub(crate) async fn queue(setup: &Setup, args: &QueueArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton queue").await?;
    let id = find_session(&mut client, &args.id).await?;
    let waiting = waiting(&mut client, id).await?;
    let mut screen = Screen::stdout(setup.colour);
    if let Some(name) = &args.take_back {
        let message_id = named(&waiting, name)?;
        let answer = take_back(&mut client, id, message_id).await?;
        if args.json {
            screen.json(answer.text())?;
        } else {
            screen.line(&format!("message {message_id} is taken back"))?;
        }
        return Ok(Exit::Success);
    }
    if args.json {
        for one in &waiting {
            screen.json(Json::of(one).text())?;
        }
    } else if waiting.is_empty() {
        screen.line("No message waits.")?;
    } else {
        let rows: Vec<_> = waiting.iter().map(cells).collect();
        table(&mut screen, HEAD, &rows)?;
    }
    Ok(Exit::Success)
}

pub(crate) async fn interrupt(setup: &Setup, args: &InterruptArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton interrupt").await?;
    let id = find_session(&mut client, &args.id).await?;
    let mut taken = 0;
    if args.clear {
        // Before the turn ends, since the first of them would begin then.
        for one in waiting(&mut client, id).await? {
            match take_back(&mut client, id, one.message_id).await {
                Ok(_) => taken += 1,
                // It has begun meanwhile, and is what is interrupted.
                Err(failure) if failure.code == Some(ProblemCode::NotQueued) => {}
                Err(failure) => return Err(failure),
            }
        }
    }
    let open = Unanswered::look(&mut client, Some(id)).await;
    let answer = client.ask::<ask::Interrupt>(Some(id), Nothing {}).await?;
    open.say(setup, Fate::EndsWithTurn)?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(answer.text())?;
        return Ok(Exit::Success);
    }
    screen.line(&format!("interrupting what goes on in {id}"))?;
    match taken {
        0 => {}
        1 => screen.line("1 message that waited is taken back")?,
        many => screen.line(&format!("{many} messages that waited are taken back"))?,
    }
    Ok(Exit::Success)
}

async fn waiting(client: &mut Client, id: SessionId) -> Result<Vec<QueuedMessage>, Failure> {
    let session = client.ask::<ask::Session>(Some(id), Nothing {}).await?;
    Ok(session.answer.facts.queue)
}

async fn take_back(
    client: &mut Client,
    id: SessionId,
    message_id: MessageId,
) -> Result<Told<Done>, Failure> {
    let body = TakeBack { message_id };
    client.ask::<ask::TakeBack>(Some(id), body).await
}

/// The message whose id begins so.
fn named(waiting: &[QueuedMessage], name: &str) -> Result<MessageId, Failure> {
    let begins = |one: &&QueuedMessage| one.message_id.to_string().starts_with(name);
    let mut found = waiting.iter().filter(begins);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one.message_id),
        (Some(_), Some(_)) => Err(Failure::new(
            format!("{} is the beginning of several messages", clean(name, 80)),
            "Type more of the id; `baton queue` lists what waits.",
        )),
        (None, _) => Err(Failure::new(
            format!("no message {} waits", clean(name, 80)),
            "It may have begun already; `baton queue` lists what waits.",
        )),
    }
}

fn cells(one: &QueuedMessage) -> [String; 2] {
    let files = match one.attachments.len() {
        0 => String::new(),
        1 => " (1 file)".to_owned(),
        many => format!(" ({many} files)"),
    };
    let text = format!("{}{files}", clean(&one.text, 200));
    [one.message_id.to_string(), text]
}
