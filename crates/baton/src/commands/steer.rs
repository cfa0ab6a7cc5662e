//! Commands that say one thing to one session.

use baton_protocol::{
    SessionId,
    api::{Ask, Budget, Fork, ListPart, Model, Nothing, PermissionModeBody, Title, ask},
};

use super::unanswered::{Fate, Unanswered};
use crate::{
    cli::{BudgetArgs, ForkArgs, ModeArgs, ModelArgs, SessionArg, TitleArgs},
    client::{Client, Told, find_session},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean, table},
};

pub(crate) async fn end(setup: &Setup, args: &SessionArg) -> Result<Exit, Failure> {
    let mut client = Client::connect(setup, "baton end").await?;
    let id = find_session(&mut client, &args.id).await?;
    let open = Unanswered::look(&mut client, Some(id)).await;
    let answer = client.ask::<ask::Stop>(Some(id), Nothing {}).await?;
    open.say(setup, Fate::EndsWithTurn)?;
    done(
        setup,
        args.json,
        &answer,
        &format!("{id} has been told to end"),
    )
}

pub(crate) async fn delete(setup: &Setup, args: &SessionArg) -> Result<Exit, Failure> {
    let body = Nothing {};
    let (id, answer) = tell::<ask::Delete>(setup, "baton delete", &args.id, body).await?;
    done(setup, args.json, &answer, &format!("{id} is deleted"))
}

pub(crate) async fn resume(setup: &Setup, args: &SessionArg) -> Result<Exit, Failure> {
    let body = Nothing {};
    let (id, answer) = tell::<ask::Resume>(setup, "baton resume", &args.id, body).await?;
    let called = &setup.called;
    let text = format!("{id} can go on: {called} send {id} \"…\" --wait");
    done(setup, args.json, &answer, &text)
}

pub(crate) async fn title(setup: &Setup, args: &TitleArgs) -> Result<Exit, Failure> {
    let title = args.title.clone();
    let body = Title { title };
    let (id, answer) = tell::<ask::Title>(setup, "baton title", &args.id, body).await?;
    done(setup, args.json, &answer, &format!("{id} has a new title"))
}

pub(crate) async fn budget(setup: &Setup, args: &BudgetArgs) -> Result<Exit, Failure> {
    let max_budget_usd = args.amount.0;
    let body = Budget { max_budget_usd };
    let (id, answer) = tell::<ask::Budget>(setup, "baton budget", &args.id, body).await?;
    let text = match max_budget_usd {
        Some(usd) => format!("{id} may cost {} in all", dollars(usd)),
        None => format!("{id} may cost what the settings say"),
    };
    done(setup, args.json, &answer, &text)
}

pub(crate) async fn model(setup: &Setup, args: &ModelArgs) -> Result<Exit, Failure> {
    let model = args.model.clone();
    let body = Model { model };
    let (id, answer) = tell::<ask::Model>(setup, "baton model", &args.id, body).await?;
    let model = args.model.as_deref().map(|model| clean(model, 80));
    let model = model.unwrap_or_else(|| "its agent's default model".into());
    done(
        setup,
        args.json,
        &answer,
        &format!("{id} goes on with {model}"),
    )
}

pub(crate) async fn mode(setup: &Setup, args: &ModeArgs) -> Result<Exit, Failure> {
    let mode = args.mode;
    let body = PermissionModeBody { mode };
    let (id, answer) = tell::<ask::PermissionMode>(setup, "baton mode", &args.id, body).await?;
    done(
        setup,
        args.json,
        &answer,
        &format!("{id} goes on in mode {mode}"),
    )
}

pub(crate) async fn slash_commands(setup: &Setup, args: &SessionArg) -> Result<Exit, Failure> {
    let body = ListPart::default();
    let (_, answer) = tell::<ask::Commands>(setup, "baton commands", &args.id, body).await?;
    let known = &answer.items;
    if args.json || known.is_empty() {
        let none = "No commands are known: the agent tells them when it starts.";
        return done(setup, args.json, &answer, none);
    }
    let rows = known.iter().map(|command| {
        let refused = command.refused.as_deref();
        let refused = refused.map(|why| format!("not sent: {why}"));
        let note = refused.or_else(|| command.description.clone());
        let hint = command.argument_hint.as_deref().unwrap_or_default();
        let name = format!("/{} {hint}", command.name);
        [
            clean(name.trim_end(), 80),
            clean(&note.unwrap_or_default(), 200),
        ]
    });
    let rows: Vec<_> = rows.collect();
    table(
        &mut Screen::stdout(setup.colour),
        ["COMMAND", "NOTE"],
        &rows,
    )?;
    Ok(Exit::Success)
}

pub(crate) async fn fork(setup: &Setup, args: &ForkArgs) -> Result<Exit, Failure> {
    let body = Fork {
        at: args.at.clone(),
    };
    let (_, answer) = tell::<ask::Fork>(setup, "baton fork", &args.id, body).await?;
    let id = answer.id;
    let called = &setup.called;
    let text = format!("{id}\n  go on: {called} run --resume {id} \"…\"");
    done(setup, args.json, &answer, &text)
}

async fn tell<C: Ask>(
    setup: &Setup,
    name: &str,
    session: &str,
    body: C::Body,
) -> Result<(SessionId, Told<C::Answer>), Failure> {
    let mut client = Client::connect(setup, name).await?;
    let id = find_session(&mut client, session).await?;
    Ok((id, client.ask::<C>(Some(id), body).await?))
}

fn done<T>(setup: &Setup, json: bool, answer: &Told<T>, text: &str) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    if json {
        screen.json(answer.text())?;
    } else {
        screen.line(text)?;
    }
    Ok(Exit::Success)
}

/// As much of an amount as it takes to tell it from nothing.
fn dollars(usd: f64) -> String {
    match usd > 0.0 && usd < 0.01 {
        true => format!("${usd}"),
        false => format!("${usd:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::dollars;

    #[test]
    fn a_budget_below_a_cent_is_more_than_nothing() {
        assert_eq!(dollars(0.0001), "$0.0001");
        assert_eq!(dollars(0.0), "$0.00");
        assert_eq!(dollars(2.5), "$2.50");
    }
}
