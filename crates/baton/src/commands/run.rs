//! `baton run`: one prompt, its answer, and how it ended.

use std::{collections::BTreeMap, ffi::OsStr};

use baton_protocol::{
    MessageId, Seq, SessionId,
    api::{Create, MessageBody, Project, ask},
};
use baton_session::{RealWorld, World, agents::AgentKind};

use super::{
    attach::{attach_all, prompt},
    folder::whole,
    projects::surrounding,
    shell::difference,
    talk::{Topic, talk},
};
use crate::{
    cli::RunArgs,
    client::{Client, find_session, open_at},
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, clean},
};

const NAME: &str = "baton run";

pub(crate) async fn run(setup: &Setup, args: RunArgs) -> Result<Exit, Failure> {
    let message = MessageBody {
        text: prompt(&args.prompt)?,
        message_id: Some(MessageId::from_uuid(RealWorld.random_id())),
        attachments: attach_all(&args.attach)?,
        queue: false,
        memory: args.memory,
    };
    let agent = agent(setup, &args)?;
    let variables = variables(setup, &args.env)?;
    let mut client = Client::connect(setup, NAME).await?;
    let folder = whole(args.project.as_deref());
    // A folder that was named is a project of its own, if somebody wants that.
    let around = match (&args.project, &args.resume) {
        (None, None) => surrounding(&mut client, &folder).await?,
        _ => None,
    };
    if let Some(project) = &around {
        Screen::stderr(setup.colour).prose(None, &format!(
            "in project {} ({}), of which this folder is a part; --project . makes it one of its own",
            project.slug,
            clean(&project.path, 200)
        ))?;
    }
    if let Some(difference) = difference(setup, &mut client, &folder, &variables).await {
        let one = match &args.resume {
            Some(_) => "",
            None => ", and --env NAME gives one variable to a new session",
        };
        Screen::stderr(setup.colour).prose(None, &format!(
            "agents have the daemon's environment, which differs from your shell's in {difference}: `{} restart` takes yours over{one}",
            setup.called
        ))?;
    }
    let (session, after, left) = match &args.resume {
        Some(name) => {
            let session = find_session(&mut client, name).await?;
            let found = client.session(session).await?;
            client.wake(setup, &found.session).await?;
            let after = Seq(found.session.event_count);
            (session, after, open_at(found, after))
        }
        None => {
            let session = create(
                &mut client,
                &args,
                agent,
                WorkFolder { folder, around },
                variables,
            )
            .await?;
            (session, Seq::START, Vec::new())
        }
    };
    let topic = Topic {
        name: NAME,
        session,
        after,
        message,
        left,
        json: args.json,
        unattended: args.approvals,
    };
    talk(setup, client, topic).await
}

/// Which agent a new session gets, if it can do what is asked.
fn agent(setup: &Setup, args: &RunArgs) -> Result<AgentKind, Failure> {
    let first = AgentKind::ALL.first().copied().unwrap_or_default();
    let agent = match args.agent {
        Some(agent) => agent,
        None if setup.agents.program(first).is_some() || args.resume.is_some() => first,
        None => {
            let agent = AgentKind::default();
            Screen::stderr(setup.colour).prose(
                None,
                &format!(
                    "{} was not found, so this is the {} agent (`baton doctor` says more)",
                    first.name(),
                    agent.name()
                ),
            )?;
            agent
        }
    };
    let capabilities = agent.capabilities();
    let refuse = |what: String, flag: &str| {
        let text = format!("the {} agent has no {what}", agent.name());
        Failure::usage(text, format!("Leave {flag} out."))
    };
    if let Some(mode) = args.permission_mode
        && !capabilities.modes.contains(&mode)
    {
        let what = format!("permission mode {mode}");
        return Err(refuse(what, "--permission-mode"));
    }
    if !capabilities.change_model && args.model.is_some() {
        return Err(refuse("models to choose from".into(), "--model"));
    }
    if !capabilities.settings && args.setting_sources.is_some() {
        return Err(refuse("settings to load".into(), "--setting-sources"));
    }
    Ok(agent)
}

/// Where a session works.
struct WorkFolder {
    folder: String,
    /// The project that the folder is a part of.
    around: Option<Project>,
}

type Variables = BTreeMap<String, String>;

/// What `--env` says: a name takes the value that this shell has.
fn variables(setup: &Setup, given: &[String]) -> Result<Variables, Failure> {
    let pairs = given.iter().map(|given| {
        if let Some((name, value)) = given.split_once('=') {
            return Ok((name.to_owned(), value.to_owned()));
        }
        let value = setup.process_env().get(OsStr::new(given));
        let value = value.and_then(|value| value.to_str()).ok_or_else(|| {
            Failure::usage(
                format!("--env {given}: this shell has no such variable"),
                "Export it first, or write --env NAME=VALUE.",
            )
        })?;
        Ok((given.clone(), value.to_owned()))
    });
    pairs.collect()
}

async fn create(
    client: &mut Client,
    args: &RunArgs,
    agent: AgentKind,
    place: WorkFolder,
    variables: Variables,
) -> Result<SessionId, Failure> {
    let sources = args.setting_sources.as_ref();
    let new = Create {
        cwd: place.around.as_ref().map(|_| place.folder.clone()),
        project: place.around.map_or(place.folder, |project| project.path),
        agent: Some(agent.name().to_owned()),
        model: args.model.clone(),
        permission_mode: args.permission_mode,
        title: args.title.clone(),
        max_budget_usd: args.max_budget.and_then(|amount| amount.0),
        tools: args.tools.clone(),
        add_dirs: (!args.add_dir.is_empty())
            .then(|| args.add_dir.iter().map(|dir| whole(Some(dir))).collect()),
        env: (!variables.is_empty()).then_some(variables),
        setting_sources: sources
            .map(|sources| sources.iter().map(|one| one.as_str().to_owned()).collect()),
        ..Create::default()
    };
    let made = client.ask::<ask::Create>(None, Box::new(new)).await?;
    Ok(made.id)
}
