//! `baton rewind`: files back to where they were at a message.

use baton_protocol::{
    MessageId,
    api::{Checkpoints, ListPart, Rewind, ask},
};
use baton_session::{RealWorld, World};

use super::sessions::age;
use crate::{
    cli::RewindArgs,
    client::{Client, find_session},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean},
};

const SHELL: &str = "What shell commands changed is not covered.";

pub(crate) async fn rewind(setup: &Setup, args: &RewindArgs) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton rewind").await?;
    let session = find_session(&mut client, &args.id).await?;
    let checkpoints = client
        .ask::<ask::Checkpoints>(Some(session), ListPart::default())
        .await?;
    let mut screen = Screen::stdout(setup.colour);
    let Some(name) = &args.checkpoint else {
        if args.json {
            screen.json(checkpoints.text())?;
            return Ok(Exit::Success);
        }
        return list(&mut screen, &checkpoints);
    };
    let checkpoint = find(&checkpoints, name)?;
    let body = Rewind {
        checkpoint_id: checkpoint,
        dry_run: args.dry_run,
    };
    let answer = client.ask::<ask::Rewind>(Some(session), body).await?;
    if args.json {
        screen.json(answer.text())?;
        return Ok(Exit::Success);
    }
    let files = &answer.files_changed;
    let word = if args.dry_run {
        "would be put"
    } else {
        "were put"
    };
    screen.line(&format!("{} files {word} back. {SHELL}", files.len()))?;
    for file in files {
        screen.line(&format!("  {}", clean(file, 200)))?;
    }
    Ok(Exit::Success)
}

fn list(screen: &mut Screen, checkpoints: &Checkpoints) -> Result<Exit, Failure> {
    if checkpoints.items.is_empty() {
        screen.line("No checkpoints: the agent has made none in this session.")?;
        return Ok(Exit::Success);
    }
    let now = RealWorld.now();
    for one in &checkpoints.items {
        screen.line(&format!(
            "{}  turn {:<4} {:>7}  {}",
            one.checkpoint_id,
            one.turn.to_string(),
            age(now, one.ts),
            clean(one.text.as_deref().unwrap_or_default(), 60)
        ))?;
    }
    screen.line(&format!("Files go back to before the message. {SHELL}"))?;
    Ok(Exit::Success)
}

fn find(checkpoints: &Checkpoints, name: &str) -> Result<MessageId, Failure> {
    let ids = checkpoints.items.iter().map(|one| one.checkpoint_id);
    let matching: Vec<MessageId> = ids.filter(|id| id.to_string().starts_with(name)).collect();
    match matching[..] {
        [id] => Ok(id),
        _ => Err(Failure::new(
            format!("`{}` names {} checkpoints", clean(name, 80), matching.len()),
            "`baton rewind ID` without a checkpoint lists them.",
        )),
    }
}
