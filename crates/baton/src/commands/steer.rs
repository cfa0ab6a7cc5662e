//! Commands that say one thing to one session.

use baton_protocol::{
    SessionId,
    api::{
        Budget, Command, Fork, ListPart, Model, Nothing, PermissionModeBody, SlashCommands, Title,
    },
    words::Json,
};
use baton_store::SessionRow;

use crate::{
    cli::{BudgetArgs, ForkArgs, ModeArgs, ModelArgs, SessionArg, TitleArgs},
    client::{Client, find_session, read},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean, table},
};

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

pub(crate) async fn delete(setup: &Setup, args: &SessionArg) -> Result<Exit, Failure> {
    let command = Command::Delete(Nothing {});
    let (id, answer) = tell(setup, "baton delete", &args.id, &command).await?;
    done(setup, args.json, &answer, &format!("{id} is deleted"))
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

pub(crate) async fn budget(setup: &Setup, args: &BudgetArgs) -> Result<Exit, Failure> {
    let max_budget_usd = args.amount.0;
    let command = Command::Budget(Budget { max_budget_usd });
    let (id, answer) = tell(setup, "baton budget", &args.id, &command).await?;
    let text = match max_budget_usd {
        Some(usd) => format!("{id} may cost ${usd:.2} in all"),
        None => format!("{id} may cost what the settings say"),
    };
    done(setup, args.json, &answer, &text)
}

pub(crate) async fn model(setup: &Setup, args: &ModelArgs) -> Result<Exit, Failure> {
    let model = args.model.clone();
    let command = Command::Model(Model { model });
    let (id, answer) = tell(setup, "baton model", &args.id, &command).await?;
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
    let command = Command::PermissionMode(PermissionModeBody { mode });
    let (id, answer) = tell(setup, "baton mode", &args.id, &command).await?;
    done(
        setup,
        args.json,
        &answer,
        &format!("{id} goes on in mode {mode}"),
    )
}

pub(crate) async fn slash_commands(setup: &Setup, args: &SessionArg) -> Result<Exit, Failure> {
    let command = Command::Commands(ListPart::default());
    let (_, answer) = tell(setup, "baton commands", &args.id, &command).await?;
    let known: SlashCommands = read(&answer)?;
    if args.json || known.items.is_empty() {
        let none = "No commands are known: the agent tells them when it starts.";
        return done(setup, args.json, &answer, none);
    }
    let rows = known.items.iter().map(|command| {
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
    if json {
        screen.json(answer.text())?;
    } else {
        screen.line(text)?;
    }
    Ok(Exit::Success)
}
