//! `baton stdio`: one conversation for a program that embeds it.
//!
//! Here flags and files become a session; the talking is `baton_stdio`'s.

mod begin;
mod debug;
mod folder;
mod out;
mod place;
mod shout;
#[cfg(debug_assertions)]
mod trouble;
mod users;
mod wanted;

pub(crate) use shout::shout;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use baton_mcp::Proposals;
use baton_protocol::words::Json;
use baton_session::{RealWorld, Settings, Tie, World};
use baton_stdio::{Conversation, Ending, Outbox, Signals, converse, farewell};
use tokio::{signal::unix::SignalKind, sync::mpsc, task::JoinSet};

use self::{
    begin::{Hold, agent, begin},
    folder::ThisFolder,
    out::{Stdout, is_alone},
    place::{At, Engine, LogPlace},
    wanted::Wanted,
};
use super::{
    around::project_around,
    mcp::{self, Work},
};
use crate::{
    cli::StdioArgs,
    config::{Config, LoginShell, Sources},
    environment::AgentEnvironment,
    failure::{Exit, Failure},
    host::ConversationTools,
    settings,
    setup::Setup,
    signals::hear,
};

/// How long a tool call waits for an answer, unless a setting says otherwise.
const APPROVAL: Duration = Duration::from_secs(5 * 60);

/// `data` is the folder that was named with `--data-dir`.
pub(crate) async fn stdio(
    setup: &Setup,
    args: StdioArgs,
    data: Option<PathBuf>,
) -> Result<Exit, Failure> {
    // From here on a signal is heard, and answered as soon as there is somebody
    // to end.
    let mut signalled = JoinSet::new();
    let mut signals = signals(&mut signalled)?;
    let mut wanted = Wanted::read(args)?;
    let mut setup = setup.clone();
    let settings = configure(&mut setup).await?;
    wanted.project = project_around(&setup, &wanted.folder).await?;
    wanted.keep_within(&settings.defaults.tools);
    let settings = Settings {
        tie: match data {
            // What it said last is read by whoever opens the folder next.
            Some(_) => Tie::Owner,
            None => Tie::OwnerAlone,
        },
        ..with_tools(&setup, settings, &wanted)
    };
    let agent = agent(&setup, &wanted)?;
    let _hold = Hold::on(&setup, &wanted, agent)?;
    let worlds = Worlds::of(&setup);
    let at = At {
        log: match data {
            Some(_) => LogPlace::Named,
            None => LogPlace::Memory,
        },
        folder: &wanted.folder,
        project: wanted.project.as_deref().and_then(Path::to_str),
    };
    let place = Engine::open(&setup, &at, settings, worlds.session).await?;
    let folder = ThisFolder::new(&place.supervisor, &wanted, &setup);
    let found = folder.begin().await?;
    wanted.options.session.mcp_servers = place.servers_file(&found.servers.user)?;
    let (session, after, warnings) = begin(&place.supervisor, &wanted, agent).await?;
    let context = wanted.context(&session, agent, found);
    let outbox =
        Outbox::to(Stdout::new(), Arc::new(RealWorld)).map_err(|error| Failure::output(&error))?;
    shout::leave_it_to_the_outbox();
    let conversation = Conversation {
        session,
        context,
        folders: Arc::new(folder),
        folder: place.folder().to_owned(),
        after,
        world: worlds.conversation,
        forgets: data.is_none(),
        warnings,
        warm: true,
        is_alone: Box::new(is_alone),
    };
    baton_process::give_back_the_start();
    let ending = converse(conversation, tokio::io::stdin(), &outbox, &mut signals).await;
    place.close().await;
    Ok(match farewell(outbox, ending, &mut signals).await {
        Ending::Ended | Ending::Signalled | Ending::Abandoned => Exit::Success,
        Ending::Failed => Exit::Failure,
    })
}

/// The settings for an agent that lives with its parent. The folder's own
/// configuration file has no say: the parent has flags.
async fn configure(setup: &mut Setup) -> Result<Settings, Failure> {
    let mut config = Config::read(&Sources {
        env: setup.process_env(),
        data: &setup.data,
        folder: None,
        config: None,
        flags: &[],
    })?;
    // A parent gives the environment that it means.
    if config.agent.login_shell == LoginShell::Auto {
        config.agent.login_shell = LoginShell::Never;
    }
    let environment = AgentEnvironment::read(setup.process_env(), &config).await;
    for notice in config.notices.iter().chain(&environment.notices) {
        tracing::warn!("{notice}");
    }
    setup.configure(&config, &environment);
    let mut settings = settings::of(&config);
    let limits = &mut settings.limits;
    limits.approval_timeout = limits.approval_timeout.or(Some(APPROVAL));
    // The parent decides how long a conversation lives.
    limits.idle_timeout = None;
    limits.lifetime = None;
    limits.process_idle = None;
    // It has no word to let it go on.
    limits.stop_holds = false;
    Ok(settings)
}

fn with_tools(setup: &Setup, settings: Settings, wanted: &Wanted) -> Settings {
    let options = &wanted.options;
    let work = Work {
        project: wanted.project.clone(),
        conversation: Some(options.conversation.clone()),
        target_branch: options.target_branch.clone(),
        issue: options.linear_issue.clone(),
        is_linear: options.linear_issue.is_some(),
        // Every call comes by a person first.
        proposals: Proposals::Apply,
    };
    let server = mcp::workspace_server(setup, &wanted.folder, work);
    Settings {
        host: Some(Arc::new(ConversationTools::new(server))),
        ..settings
    }
}

/// By which clocks a conversation and its session go.
struct Worlds {
    conversation: Arc<dyn World>,
    session: Arc<dyn World>,
}

#[cfg(not(debug_assertions))]
impl Worlds {
    fn of(_: &Setup) -> Self {
        Self {
            conversation: Arc::new(RealWorld),
            session: Arc::new(RealWorld),
        }
    }
}

#[cfg(debug_assertions)]
impl Worlds {
    /// A build for tests can be made to fail.
    fn of(setup: &Setup) -> Self {
        let name = std::ffi::OsStr::new(trouble::VARIABLE);
        let wanted = setup.process_env().get(name);
        let wanted = wanted.and_then(|value| value.to_str()).unwrap_or_default();
        Self {
            conversation: trouble::world("conversation", wanted),
            session: trouble::world("session", wanted),
        }
    }
}

/// Passes on requests to end.
fn signals(tasks: &mut JoinSet<()>) -> Result<Signals, Failure> {
    // More than two of them change nothing.
    let (tell, signals) = mpsc::channel(4);
    for (kind, name) in [
        (SignalKind::terminate(), "SIGTERM"),
        (SignalKind::interrupt(), "SIGINT"),
        (SignalKind::hangup(), "SIGHUP"),
    ] {
        let mut heard = hear(kind)?;
        let tell = tell.clone();
        tasks.spawn(async move {
            while heard.recv().await.is_some() {
                tell.try_send(name).ok();
            }
        });
    }
    Ok(signals)
}

/// The path of a file as an option of the session.
fn path_option(path: &std::path::Path) -> Json {
    Json::of(&path.display().to_string())
}
