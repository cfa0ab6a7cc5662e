//! `baton stdio`: one conversation for a program that embeds it.
//!
//! Here flags and files become a session; the talking is `baton_stdio`'s.

mod out;
mod place;
mod shout;
#[cfg(debug_assertions)]
mod trouble;
mod users;

pub(crate) use shout::shout;

use std::{path::PathBuf, sync::Arc, time::Duration};

use baton_mcp::{NAME, Proposals};
use baton_project::surface::{Preset, ToolLimit, within};
use baton_protocol::{Seq, words::Json};
use baton_session::{
    NewSessionSpec, SessionHandle, Settings, StillRuns, Supervisor, TakeUp, Tie, World,
    agents::AgentKind,
};
use baton_stdio::{
    Context, Conversation, Ending, Flags, Merged, Options, Outbox, Signals, converse, farewell,
    merge, messages::Error, names_of, servers_of,
};
use serde_json::{Map, Value};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
    task::JoinSet,
};

use self::{
    out::{Stdout, is_alone},
    place::{At, LogPlace, Place},
};
use super::mcp::{self, Work};
use crate::{
    cli::StdioArgs,
    config::{Config, LoginShell, Sources},
    daemon::VERSION,
    environment::AgentEnvironment,
    failure::{Exit, Failure},
    host::ConversationTools,
    settings,
    setup::Setup,
};

/// How long a tool call waits for an answer, unless a setting says otherwise.
const APPROVAL: Duration = Duration::from_secs(5 * 60);

const MAX_INSTRUCTIONS: u64 = 100_000;
const MAX_SERVERS: u64 = 1 << 20;

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
    wanted.keep_within(&settings.defaults.tools);
    let settings = Settings {
        tie: match data {
            // What it said last is read by whoever opens the folder next.
            Some(_) => Tie::Owner,
            None => Tie::OwnerAlone,
        },
        ..with_tools(&setup, settings, &wanted)
    };
    let worlds = Worlds::of(&setup);
    let at = At {
        log: match data {
            Some(_) => LogPlace::Named,
            None => LogPlace::Memory,
        },
        folder: &wanted.folder,
    };
    let place = Place::open(&setup, &at, settings, worlds.session).await?;
    let trusted = place.trust(&wanted.folder).await?;
    let merged = wanted.merged_servers(trusted);
    wanted.options.session.mcp_servers = place.servers_file(&merged.user)?;
    let agent = match setup.agents.claude {
        Some(_) => AgentKind::Claude,
        None => AgentKind::Demo,
    };
    let (session, after, warnings) = begin(&place.supervisor, &wanted, agent).await?;
    let context = wanted.context(&session, agent, trusted, merged);
    let outbox = Outbox::to(Stdout::new()).map_err(|error| Failure::output(&error))?;
    shout::leave_it_to_the_outbox();
    let conversation = Conversation {
        session,
        context,
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
    farewell(outbox, ending, &mut signals).await;
    Ok(match ending {
        Ending::Ended | Ending::Signalled => Exit::Success,
        Ending::Failed => Exit::Failure,
    })
}

/// What the flags and their files say.
struct Wanted {
    folder: String,
    options: Options,
    servers: Map<String, Value>,
}

impl Wanted {
    fn read(args: StdioArgs) -> Result<Self, Failure> {
        let folder = mcp::folder(args.cwd.as_deref())?;
        let debug_file = match (args.sdk_debug_file, args.sdk_debug) {
            (Some(file), _) => Some(file),
            (None, true) => {
                let name = format!("baton-{}.debug.log", std::process::id());
                let file = std::env::temp_dir().join(name);
                tracing::info!("the agent writes its debug file to {}", file.display());
                Some(file)
            }
            (None, false) => None,
        };
        let instructions = match &args.instructions_file {
            Some(file) => Some(text(file, "--instructions-file", MAX_INSTRUCTIONS)?),
            None => None,
        };
        let servers = match &args.mcp_servers_file {
            Some(file) => {
                let text = text(file, "--mcp-servers-file", MAX_SERVERS)?;
                servers_of(text.as_bytes()).map_err(|error| {
                    usage(format!("--mcp-servers-file: {}: {error}", file.display()))
                })?
            }
            None => Map::new(),
        };
        let flags = Flags {
            conversation_id: args.conversation_id,
            resume: args.resume,
            fork: args.fork,
            linear_issue: args.linear_issue,
            target_branch: args.target_branch,
            tool_preset: args.tool_preset,
            enable_checkpointing: args.enable_checkpointing,
            structured_output: args.structured_output,
            max_budget_usd: args.max_budget_usd,
            max_turns: args.max_turns,
            max_thinking_tokens: args.max_thinking_tokens,
            permission_mode: args.permission_mode,
            setting_sources: args.setting_sources,
            betas: args.betas,
            model: args.model,
            fallback_model: args.fallback_model,
        };
        let mut options = Options::check(flags).map_err(|error| usage(error.to_string()))?;
        options.session.append_system_prompt = instructions.filter(|text| !text.trim().is_empty());
        options.session.debug_file = debug_file.map(|file| file.display().to_string());
        Ok(Self {
            folder,
            options,
            servers,
        })
    }

    /// The user's own limit holds whatever the parent asks for: flags only take
    /// away from it.
    fn keep_within(&mut self, user: &ToolLimit) {
        let preset = self.options.tool_preset.parse::<Preset>();
        let left = preset.map_or_else(|_| user.clone(), |preset| within(user, preset));
        if let (false, ToolLimit::Only(tools)) = (*user == ToolLimit::All, left) {
            self.options.session.tools = Some(tools);
        }
    }

    /// The folder's own servers count when it is trusted and its settings are
    /// wanted.
    fn merged_servers(&self, trusted: bool) -> Merged {
        let sources = self.options.session.setting_sources.as_ref();
        let wanted = sources.is_none_or(|sources| sources.iter().any(|one| one == "project"));
        let file = PathBuf::from(&self.folder).join(".mcp.json");
        let project = text(&file, ".mcp.json", MAX_SERVERS).ok();
        let project = project.filter(|_| wanted).unwrap_or_default();
        let project = names_of(project.as_bytes());
        merge(NAME, self.servers.clone(), &project, trusted)
    }

    fn context(
        &self,
        session: &SessionHandle,
        agent: AgentKind,
        trusted: bool,
        servers: Merged,
    ) -> Context {
        let options = &self.options;
        Context {
            conversation: options.conversation.clone(),
            session: session.id(),
            cwd: self.folder.clone(),
            agent: agent.name().to_owned(),
            version: VERSION.to_owned(),
            permission_mode: options.permission_mode,
            tool_preset: options.tool_preset.clone(),
            tools: options.session.tools.clone(),
            resumes: options.resume.map(|id| id.to_string()),
            forked: options.fork,
            trusted,
            checkpointing: options.session.checkpointing == Some(true),
            budget: options.budget(),
            servers,
        }
    }
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
    Ok(settings)
}

fn with_tools(setup: &Setup, settings: Settings, wanted: &Wanted) -> Settings {
    let options = &wanted.options;
    let work = Work {
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

async fn begin(
    supervisor: &Supervisor,
    wanted: &Wanted,
    agent: AgentKind,
) -> Result<(SessionHandle, Seq, Vec<Error>), Failure> {
    let options = &wanted.options;
    let spec = NewSessionSpec {
        agent,
        cwd: PathBuf::from(&wanted.folder),
        title: None,
        runtime: None,
        options: options.session.clone(),
    };
    let begun = |session| (session, Seq::START, Vec::new());
    let Some(conversation) = options.resume else {
        return Ok(begun(supervisor.create(spec).await?));
    };
    if options.fork {
        let forked = supervisor.take_up(spec, conversation, TakeUp::Fork);
        return Ok(begun(forked.await?));
    }
    // One that this log knows goes on where it ended.
    let known = vec![conversation.to_string()];
    let known = supervisor.store().sessions_by_agent_session(known).await?;
    let Some(row) = known.last() else {
        let session = supervisor.take_up(spec, conversation, TakeUp::Continue);
        return Ok(begun(session.await?));
    };
    if let Some(folder) = row.cwd.as_ref().filter(|cwd| **cwd != wanted.folder) {
        return Err(usage(format!(
            "--cwd: the conversation works in {folder}, which cannot change"
        )));
    }
    let head = supervisor.store().head(row.id).await?;
    let resumed = supervisor.resume_with(row.id, agent, spec.options).await?;
    let warnings = match resumed.1 {
        StillRuns::Not => Vec::new(),
        StillRuns::WithTheOld => vec![late_flags()],
    };
    Ok((resumed.0, head, warnings))
}

/// Said of a conversation that another owner of the log left at work.
fn late_flags() -> Error {
    Error {
        code: "late_flags".into(),
        message: "the conversation is still at work with the flags of an earlier start; these ones count from its next message on".into(),
        hint: Some("Interrupt it to have them count at once.".into()),
        fatal: false,
        retryable: None,
        detail: None,
        request_id: None,
        message_id: None,
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
            conversation: Arc::new(baton_session::RealWorld),
            session: Arc::new(baton_session::RealWorld),
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
        let mut heard = signal(kind).map_err(|error| {
            Failure::new(format!("signals cannot be heard: {error}"), "Try again.")
        })?;
        let tell = tell.clone();
        tasks.spawn(async move {
            while heard.recv().await.is_some() {
                tell.try_send(name).ok();
            }
        });
    }
    Ok(signals)
}

/// A file's text, bounded.
fn text(file: &std::path::Path, flag: &str, limit: u64) -> Result<String, Failure> {
    use std::io::Read;
    let fail = |why: String| usage(format!("{flag}: {}: {why}", file.display()));
    let meta = file.metadata().map_err(|error| fail(error.to_string()))?;
    // A pipe is not even opened: that could take for ever.
    if !meta.is_file() {
        return Err(fail("it is no file".into()));
    }
    let opened = std::fs::File::open(file).map_err(|error| fail(error.to_string()))?;
    let mut text = String::new();
    let read = opened.take(limit + 1).read_to_string(&mut text);
    read.map_err(|error| fail(error.to_string()))?;
    if text.len() as u64 > limit {
        return Err(fail(format!("it is larger than {limit} bytes")));
    }
    Ok(text)
}

fn usage(what: String) -> Failure {
    Failure::usage(what, "`baton stdio --help` lists the flags.")
}

/// The path of a file as an option of the session.
fn path_option(path: &std::path::Path) -> Json {
    Json::of(&path.display().to_string())
}
