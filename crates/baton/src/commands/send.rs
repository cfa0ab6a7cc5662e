//! `baton send`: a further message to a session.

use baton_protocol::{
    MessageId, Seq,
    api::{MessageBody, ask},
};
use baton_session::{RealWorld, World};

use super::{
    attach::{attach_all, prompt},
    talk::{Topic, talk},
};
use crate::{
    cli::SendArgs,
    client::{Client, find_session, open_at},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::Screen,
};

const NAME: &str = "baton send";

pub(crate) async fn send(setup: &Setup, args: SendArgs) -> Result<Exit, Failure> {
    let message = MessageBody {
        text: prompt(&args.text)?,
        message_id: Some(MessageId::from_uuid(RealWorld.random_id())),
        attachments: attach_all(&args.attach)?,
        queue: args.queue,
        memory: args.memory,
    };
    let mut client = Client::connect(setup, NAME).await?;
    let session = find_session(&mut client, &args.id).await?;
    let found = client.session(session).await?;
    client.wake(setup, &found.session).await?;
    if args.wait {
        let after = Seq(found.session.event_count);
        let topic = Topic {
            name: NAME,
            session,
            after,
            message,
            left: open_at(found, after),
            json: args.json,
            unattended: args.approvals,
        };
        return talk(setup, client, topic).await;
    }
    let taken = client.ask::<ask::Message>(Some(session), message).await?;
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        screen.json(taken.text())?;
        return Ok(Exit::Success);
    }
    let place = taken.turn.map_or_else(
        || "waits for the running turn to end".to_owned(),
        |turn| format!("is turn {turn}"),
    );
    screen.line(&format!("message {} {place}", taken.message_id))?;
    screen.line(&format!("  see it: {} watch {session}", setup.called))?;
    Ok(Exit::Success)
}
