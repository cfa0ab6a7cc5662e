//! `baton run`: one prompt, its answer, and how it ended.

mod door;
mod show;

use baton_protocol::{
    MessageId, Seq, Turn,
    event::SessionOptions,
    words::{ClientRef, StopReason},
};
use baton_session::{
    NewSessionSpec, Outbound, RealWorld, SessionHandle, World,
    agents::AgentKind,
    machine::{Facts, WhenBusy},
};

use self::{
    door::{attach_all, prompt},
    show::{NO_TERMINAL, NOT_ASKING, Show, View},
};
use super::find_session;
use crate::{
    cli::{AgentArg, RunArgs},
    failure::{Exit, Failure},
    owner::Owner,
    setup::Setup,
    terminal::{Input, Screen},
};

pub(crate) async fn run(setup: &Setup, args: RunArgs) -> Result<Exit, Failure> {
    let prompt = prompt(&args.prompt)?;
    let files = attach_all(&args.attach)?;
    let agent = agent(setup, &args)?;
    let owner = Owner::become_owner(setup)
        .await
        .map_err(|refused| refused.failure(&setup.data))?;
    let message = Outbound {
        id: MessageId::from_uuid(RealWorld.random_id()),
        text: prompt,
        files,
        when_busy: WhenBusy::Refuse,
        client: Some(client()),
    };
    let result = work(setup, &owner, &args, agent, message).await;
    owner.release().await;
    result
}

/// The conversation, and beside it what an earlier owner left undone.
async fn work(
    setup: &Setup,
    owner: &Owner,
    args: &RunArgs,
    agent: AgentKind,
    message: Outbound,
) -> Result<Exit, Failure> {
    let session = session(owner, args, agent).await?;
    let id = session.id();
    let mut notes = Screen::stderr(setup.colour);
    for other in owner.at_work().await? {
        if other != id {
            notes.line(&format!("took over {other}, whose agent is still at work"))?;
        }
    }
    let talk = converse(setup, owner, args, session, message);
    let (result, ()) = tokio::join!(talk, owner.settle(Some(id)));
    result
}

async fn converse(
    setup: &Setup,
    owner: &Owner,
    args: &RunArgs,
    session: SessionHandle,
    message: Outbound,
) -> Result<Exit, Failure> {
    let (facts, start) = if args.resume.is_some() {
        owner.supervisor.facts(session.id()).await?
    } else {
        (Facts::default(), Seq::START)
    };
    let subscription = session.subscribe(start);
    let interactive = !args.json && std::io::IsTerminal::is_terminal(&std::io::stdin());
    let mut show = Show {
        session,
        store: owner.supervisor.store().clone(),
        seen: start,
        message: Some(message),
        turn: Turn::NONE,
        ended: None,
        reached: false,
        view: View::new(setup, args.json),
        input: interactive.then(Input::default),
        nobody: if args.json { NOT_ASKING } else { NO_TERMINAL },
        denied: 0,
        open: Vec::new(),
        question: None,
        colour: setup.colour,
        interrupts: 0,
    };
    let left = facts.approvals.into_values().collect();
    let ended = show.until_the_end(subscription, left).await?;
    show.goodbye(&setup.called)?;
    Ok(match ended {
        Some(StopReason::End) => Exit::Success,
        _ => Exit::Failure,
    })
}

/// Which agent a new session gets, if it can do what is asked.
fn agent(setup: &Setup, args: &RunArgs) -> Result<AgentKind, Failure> {
    let agent = match args.agent {
        Some(AgentArg::Claude) => AgentKind::Claude,
        Some(AgentArg::Demo) => AgentKind::Demo,
        None if setup.agents.claude.is_some() || args.resume.is_some() => AgentKind::Claude,
        None => {
            Screen::stderr(setup.colour).line(
                "claude was not found, so this is the demo agent (`baton doctor` says more)",
            )?;
            AgentKind::Demo
        }
    };
    let refuse = |what: String, flag: &str| {
        let text = format!("the {} agent has no {what}", agent.name());
        Failure::usage(text, format!("Leave {flag} out."))
    };
    if let Some(mode) = args.permission_mode
        && !agent.capabilities().modes.contains(&mode)
    {
        let what = format!("permission mode {mode}");
        return Err(refuse(what, "--permission-mode"));
    }
    if agent == AgentKind::Demo && args.model.is_some() {
        return Err(refuse("models to choose from".into(), "--model"));
    }
    if agent == AgentKind::Demo && args.setting_sources.is_some() {
        return Err(refuse("settings to load".into(), "--setting-sources"));
    }
    Ok(agent)
}

async fn session(
    owner: &Owner,
    args: &RunArgs,
    agent: AgentKind,
) -> Result<SessionHandle, Failure> {
    if let Some(name) = &args.resume {
        let id = find_session(owner.supervisor.store(), name).await?;
        return Ok(owner.supervisor.open(id).await?);
    }
    let sources = args.setting_sources.as_ref();
    let here = std::env::current_dir().unwrap_or_default();
    let new = NewSessionSpec {
        agent,
        cwd: args.project.clone().unwrap_or(here),
        title: None,
        options: SessionOptions {
            model: args.model.clone(),
            permission_mode: args.permission_mode,
            setting_sources: sources
                .map(|sources| sources.iter().map(|one| one.as_str().to_owned()).collect()),
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
