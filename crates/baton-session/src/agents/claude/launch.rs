//! From a session's facts to the CLI's options.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use baton_claude::{ForkedAs, Options, RawJson, Session, SettingSource, transcript};
use baton_process::holder::AgentFile;
use baton_project::{accepted::Accepted, surface::ToolLimit};
use baton_protocol::{MessageId, Seq};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{commands::claude_mode, hooks};
use crate::{
    agents::{AgentHome, Terms},
    machine::{Facts, Stored},
};

/// What the CLI is told that it was started by, and writes beside all it says.
pub(super) const ENTRYPOINT: &str = "sdk-baton";

/// The options for a session's next process, and the files that they name.
/// Nothing the CLI was told before is remembered by it, so everything is passed
/// again. What may hold a secret is in a file: every user of the machine can
/// read a command line.
pub(in crate::agents) fn options(
    home: &AgentHome,
    terms: &Terms<'_>,
    program: &Path,
    cwd: PathBuf,
) -> (Options, Vec<AgentFile>) {
    let mut papers = Papers::new(terms.place);
    let facts = terms.facts;
    let mut env = terms.env(home, &cwd);
    env.retain(|(name, _)| !DROPPED.iter().any(|dropped| name == dropped));
    if terms.accepted.is_none() {
        // What a folder wants done at a time begins a turn by itself.
        env.push(("CLAUDE_CODE_DISABLE_CRON".into(), "1".into()));
    }
    let held = held(&env);
    let mut options = Options::new(program, cwd, env);
    let asked = facts
        .created
        .as_ref()
        .map(|created| created.options.clone())
        .unwrap_or_default();
    options.session = session(home, facts);
    options.model.clone_from(&facts.model);
    options.effort.clone_from(&asked.effort);
    options.fallback_models = asked.fallback_model.into_iter().collect();
    // Always said, or a folder's own settings would choose it.
    options.permission_mode = Some(claude_mode(terms.mode));
    match &terms.folder.tools {
        ToolLimit::All => {}
        ToolLimit::Only(tools) => {
            let mut tools = tools.clone();
            // Without it a plan could never be put to a person.
            tools.push("ExitPlanMode".into());
            options.tools = Some(tools);
        }
        ToolLimit::Except(tools) => options.disallowed_tools.clone_from(tools),
    }
    let denied = terms.folder.for_the_cli.iter().cloned();
    options.disallowed_tools.extend(denied);
    options.max_turns = asked.max_turns;
    options.max_budget_usd = terms.allowance;
    options.max_thinking_tokens = asked.max_thinking_tokens.map(u64::from);
    let prompt = asked.append_system_prompt.into_iter();
    say(prompt.collect(), terms, &mut options, &mut papers);
    options.agent_teams = terms.defaults.agent_teams;
    options.add_dirs.clone_from(&terms.folder.extra);
    options.strict_mcp_config = asked.strict_mcp_config.unwrap_or(false);
    options.betas = asked.betas.unwrap_or_default();
    options.json_schema = asked
        .output_schema
        .map(|schema| RawJson::from(schema.raw()));
    options.debug_file = asked.debug_file.map(PathBuf::from);
    options.session_state_events = true;
    options.file_checkpointing = asked.checkpointing.unwrap_or(true);
    options.entrypoint = Some(ENTRYPOINT.into());
    // A folder's own settings can start programs, and are read again while the
    // agent runs: a trusted folder's are given as they were accepted.
    let sources = asked.setting_sources.as_ref();
    let sources = sources.unwrap_or(&terms.defaults.setting_sources).iter();
    let sources = sources.filter(|source| *source == "user");
    let sources = sources.map(|source| SettingSource::from(source.as_str()));
    options.setting_sources = Some(sources.collect());
    if let Some(accepted) = terms.accepted {
        give(accepted, terms, &mut options, &mut papers);
    }
    if let Some(servers) = asked.mcp_servers {
        // A text names a file: what it holds stays out of the process list.
        match servers.parse::<PathBuf>() {
            Some(file) => options.mcp_config_files.push(file),
            None => connect(
                "mcp.json",
                &servers.parse().unwrap_or_default(),
                terms,
                &mut options,
                &mut papers,
            ),
        }
    }
    options.sdk_mcp_servers = terms.host_server.map(str::to_owned).into_iter().collect();
    let settings = settings(home, terms, &options.cwd, held);
    options.settings = Some(
        papers
            .put_json("settings.json", &settings)
            .display()
            .to_string(),
    );
    (options, papers.files)
}

/// What is added to the system prompt: by the session, by the folder's tool
/// file, and of the instructions that the CLI does not find by itself.
fn say(mut prompt: Vec<String>, terms: &Terms<'_>, options: &mut Options, papers: &mut Papers<'_>) {
    prompt.extend(terms.folder.note.clone());
    prompt.extend(terms.accepted.and_then(|accepted| accepted.notes.clone()));
    let prompt = prompt.join("\n\n");
    if prompt.is_empty() {
        return;
    }
    if terms.text.is_some() {
        // An old claude knows no such file.
        options.append_system_prompt = Some(prompt);
    } else {
        let file = papers.put("prompt.md", prompt.into_bytes());
        options.append_system_prompt_file = Some(file);
    }
}

/// MCP servers, by a file: they may have secrets. The host's server has its
/// name first.
fn connect(
    name: &str,
    servers: &Map<String, Value>,
    terms: &Terms<'_>,
    options: &mut Options,
    papers: &mut Papers<'_>,
) {
    let mut servers = servers.clone();
    servers.retain(|name, _| Some(name.as_str()) != terms.host_server);
    let file = papers.put_json(name, &json!({ "mcpServers": servers }));
    options.mcp_config_files.push(file);
}

/// Gives what a trusted folder brings; its settings are laid over all others.
fn give(accepted: &Accepted, terms: &Terms<'_>, options: &mut Options, papers: &mut Papers<'_>) {
    if !accepted.servers.is_empty() && !options.strict_mcp_config {
        connect("folder-mcp.json", &accepted.servers, terms, options, papers);
    }
    let plugins = Path::new("plugins");
    for file in &accepted.plugins {
        papers.files.push(AgentFile {
            name: plugins.join(&file.name),
            bytes: file.bytes.clone(),
            executable: file.executable,
        });
        let plugin = papers.place.join(plugins).join(file.plugin());
        if !options.plugin_dirs.contains(&plugin) {
            options.plugin_dirs.push(plugin);
        }
    }
    if accepted.instructions {
        // Instructions are text, which the CLI may read as it lies: those of
        // added folders it does read without the folder's settings.
        options.add_dirs.push(options.cwd.clone());
        let name = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";
        options.env.insert(name.into(), "1".into());
    }
}

/// A variable that makes the CLI call no hook, and so not ask for permission either.
const SIMPLE: &str = "CLAUDE_CODE_SIMPLE";

/// Where a shell looks for the folder of `cd NAME` before it looks here.
const FOLDERS: &str = "CDPATH";

/// What no agent gets of the user's environment: those above, and what git has
/// for the programs that it starts, which would be led to another repository.
const DROPPED: &[&str] = &[
    SIMPLE,
    FOLDERS,
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_WORK_TREE",
];

/// Variables that no settings may change, the user's neither: settings are read
/// again while the agent runs, and an agent may have written them.
fn held(env: &[(OsString, OsString)]) -> Map<String, Value> {
    let text = |text: &OsString| Some(text.to_str()?.to_owned());
    let git = env.iter().filter_map(|(name, value)| {
        let name = text(name)?;
        let of_git = name.starts_with("GIT_CONFIG_") || name == "GIT_NO_LAZY_FETCH";
        of_git.then_some((name, Value::String(text(value)?)))
    });
    let simple = (SIMPLE.to_owned(), Value::String("0".to_owned()));
    let folders = (FOLDERS.to_owned(), Value::String(String::new()));
    git.chain([simple, folders]).collect()
}

/// Settings laid over all others.
fn settings(home: &AgentHome, terms: &Terms<'_>, folder: &Path, held: Map<String, Value>) -> Value {
    let accepted = terms.accepted.map(|accepted| accepted.settings.clone());
    let mut settings = accepted.unwrap_or_default();
    let mut env = match settings.remove("env") {
        Some(Value::Object(env)) => env,
        Some(_) | None => Map::new(),
    };
    env.extend(held);
    settings.insert("env".into(), Value::Object(env));
    if !terms.defaults.skill_shell {
        // Such commands run before any rule, mode or person has seen them.
        settings.insert("disableSkillShellExecution".into(), Value::Bool(true));
    }
    if !terms.unread.is_empty() {
        // The files that a text names with `@` it reads without a tool call.
        let unread = terms.unread.iter().cloned().map(Value::String);
        let permissions = settings.entry("permissions").or_insert_with(|| json!({}));
        if let Value::Object(permissions) = permissions {
            let deny = permissions.entry("deny").or_insert_with(|| json!([]));
            if let Value::Array(deny) = deny {
                deny.extend(unread);
            }
        }
    }
    // Only a person answers for a person.
    if let Some(Value::Object(hooks)) = settings.get_mut("hooks") {
        hooks.remove("PermissionRequest");
    }
    let accepted = terms.accepted;
    let brought = accepted.is_some_and(|one| hooks::accepted_may_answer(one, folder));
    if brought || hooks::may_answer(&home.claude_config) {
        settings.insert("disableAllHooks".into(), Value::Bool(true));
    }
    Value::Object(settings)
}

/// The files that a process is given.
struct Papers<'a> {
    place: &'a Path,
    files: Vec<AgentFile>,
}

impl<'a> Papers<'a> {
    const fn new(place: &'a Path) -> Self {
        Self {
            place,
            files: Vec::new(),
        }
    }

    /// Adds a file, and says where it will be.
    fn put_json(&mut self, name: &str, content: &Value) -> PathBuf {
        self.put(name, content.to_string().into_bytes())
    }

    fn put(&mut self, name: &str, bytes: Vec<u8>) -> PathBuf {
        self.files.push(AgentFile {
            name: name.into(),
            bytes,
            executable: false,
        });
        self.place.join(name)
    }
}

/// A session whose transcript exists is resumed, else begun under the id that
/// Baton chose, so that a crash before its first word can be resumed too.
fn session(home: &AgentHome, facts: &Facts) -> Session {
    let own = facts
        .agent_session_id
        .as_deref()
        .and_then(|id| Uuid::try_parse(id).ok());
    if let Some(id) = own
        && transcript_exists(&home.claude_config, id)
    {
        return Session::Resume {
            id,
            at: None,
            fork: None,
        };
    }
    let created = facts.created.as_ref();
    let name = |name: &Option<String>| Uuid::try_parse(name.as_deref()?).ok();
    let source = created.and_then(|created| name(&created.resumes));
    let at = created.and_then(|created| name(&created.forked_at));
    // A conversation that was begun elsewhere is its own source; without its
    // transcript there is nothing to copy, nor where all of the past is given.
    let source = source.filter(|source| {
        Some(*source) != own
            && facts.memory.owed != Some(Seq::START)
            && can_be_copied(&home.claude_config, *source, at)
    });
    if let Some(source) = source {
        return Session::Resume {
            id: source,
            at,
            fork: Some(ForkedAs { id: own }),
        };
    }
    Session::New { id: own }
}

/// Whether the CLI has rows of this session, in whichever project folder.
fn transcript_exists(config: &Path, id: Uuid) -> bool {
    transcript::locate(config, id).is_ok_and(|found| !found.is_empty())
}

/// Whether the CLI can begin with a copy of a session, up to a row.
fn can_be_copied(config: &Path, source: Uuid, at: Option<Uuid>) -> bool {
    let files = transcript::locate(config, source).unwrap_or_default();
    let has = |file: &PathBuf, row| transcript::contains_message(file, row).unwrap_or(true);
    files.iter().any(|file| at.is_none_or(|row| has(file, row)))
}

pub(in crate::agents) fn stored(config: &Path, id: Uuid, message: MessageId) -> Stored {
    let Ok(files) = transcript::locate(config, id) else {
        return Stored::Unknown;
    };
    for file in files {
        match transcript::contains_message(&file, message.uuid()) {
            Ok(true) => return Stored::Yes,
            Ok(false) => {}
            Err(_) => return Stored::Unknown,
        }
    }
    Stored::No
}
