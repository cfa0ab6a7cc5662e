//! `baton queue`: messages that wait for a turn, and what is done with them; and
//! an interrupt, which holds them or takes them back.

use baton_protocol::{
    MessageId, SessionId,
    api::{
        Done, Nothing, ProblemCode, QueueEdit, QueueMove, QueuedMessage, SendNow, TakeBack, ask,
    },
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

const HEAD: [&str; 3] = ["MESSAGE", "", "TEXT"];

pub(crate) async fn queue(setup: &Setup, args: &QueueArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton queue").await?;
    let id = find_session(&mut client, &args.id).await?;
    let waiting = waiting(&mut client, id).await?;
    let mut screen = Screen::stdout(setup.colour);
    if let Some((answer, words)) = act(&mut client, id, &waiting, args).await? {
        if args.json {
            screen.json(answer.text())?;
        } else {
            screen.line(&words)?;
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
        if waiting.iter().any(|one| one.held) {
            screen.line(&format!(
                "What is held begins after `{} queue {id} --release`.",
                setup.called
            ))?;
        }
    }
    Ok(Exit::Success)
}

/// Does what is asked for, and says what was done; none is only to list.
async fn act(
    client: &mut Client,
    id: SessionId,
    waiting: &[QueuedMessage],
    args: &QueueArgs,
) -> Result<Option<(Told<Done>, String)>, Failure> {
    let session = Some(id);
    if let Some(name) = &args.take_back {
        let message_id = named(waiting, name)?;
        let answer = take_back(client, id, message_id).await?;
        return Ok(Some((
            answer,
            format!("message {message_id} is taken back"),
        )));
    }
    if let [name, text] = &args.edit[..] {
        let message_id = named(waiting, name)?;
        let text = text.clone();
        let body = QueueEdit { message_id, text };
        let answer = client.ask::<ask::QueueEdit>(session, body).await?;
        return Ok(Some((answer, format!("message {message_id} is changed"))));
    }
    if let Some(name) = args.first.as_ref().or(args.last.as_ref()) {
        let message_id = named(waiting, name)?;
        let first = waiting.first().filter(|_| args.first.is_some());
        let before = first.map(|one| one.message_id);
        let body = QueueMove { message_id, before };
        let answer = client.ask::<ask::QueueMove>(session, body).await?;
        return Ok(Some((answer, format!("message {message_id} is moved"))));
    }
    if let Some(name) = &args.now {
        let message_id = named(waiting, name)?;
        let body = SendNow { message_id };
        let answer = client.ask::<ask::SendNow>(session, body).await?;
        return Ok(Some((answer, format!("message {message_id} is next"))));
    }
    if args.hold {
        let answer = client.ask::<ask::QueueHold>(session, Nothing {}).await?;
        return Ok(Some((answer, "what waits is held".to_owned())));
    }
    if args.release {
        let answer = client.ask::<ask::QueueRelease>(session, Nothing {});
        return Ok(Some((answer.await?, "what was held goes on".to_owned())));
    }
    Ok(None)
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
    let held = waiting(&mut client, id).await?.len();
    let answer = client.ask::<ask::Interrupt>(Some(id), Nothing {}).await?;
    open.say(setup, Fate::EndsWithTurn)?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(answer.text())?;
        return Ok(Exit::Success);
    }
    screen.line(&format!("interrupting what goes on in {id}"))?;
    match taken {
        0 if held == 0 => {}
        0 => screen.line(&format!(
            "{} held; `{} queue {id} --release` lets {} go on",
            if held == 1 {
                "1 message that waits is".to_owned()
            } else {
                format!("{held} messages that wait are")
            },
            setup.called,
            if held == 1 { "it" } else { "them" },
        ))?,
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

fn cells(one: &QueuedMessage) -> [String; 3] {
    let files = match one.attachments.len() {
        0 => String::new(),
        1 => " (1 file)".to_owned(),
        many => format!(" ({many} files)"),
    };
    let text = format!("{}{files}", clean(&one.text, 200));
    let held = if one.held { "held" } else { "" };
    [one.message_id.to_string(), held.to_owned(), text]
}
