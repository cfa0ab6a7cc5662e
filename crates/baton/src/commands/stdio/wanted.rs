//! What the flags and their files say.

use std::path::{Path, PathBuf};

use baton_mcp::NAME;
use baton_project::surface::{Preset, ToolLimit, within};
use baton_session::{SessionHandle, agents::AgentKind};
use baton_stdio::{Context, Flags, Folder, Merged, Options, merge, names_of, servers_of};
use serde_json::{Map, Value};

use super::debug;
use crate::{cli::StdioArgs, commands::mcp, daemon::VERSION, failure::Failure};

const MAX_INSTRUCTIONS: u64 = 100_000;
const MAX_SERVERS: u64 = 1 << 20;

/// One conversation as it was asked for.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) folder: String,
    /// The folder of the project that it is a part of.
    pub(super) project: Option<PathBuf>,
    pub(super) options: Options,
    /// None: claude, which has to be there then.
    pub(super) agent: Option<AgentKind>,
    /// The parent vouches for what is in the folder.
    pub(super) trusts_folder: bool,
    servers: Map<String, Value>,
}

impl Wanted {
    pub(super) fn read(args: StdioArgs) -> Result<Self, Failure> {
        let folder = mcp::folder(args.cwd.as_deref())?;
        let debug_file = match (args.sdk_debug_file, args.sdk_debug) {
            (Some(file), _) => Some(debug::named(file)?),
            (None, true) => Some(debug::made()?),
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
            project: None,
            options,
            agent: args.agent,
            trusts_folder: args.trust_folder,
            servers,
        })
    }

    /// The user's own limit holds whatever the parent asks for: flags only take
    /// away from it.
    pub(super) fn keep_within(&mut self, user: &ToolLimit) {
        let preset = self.options.tool_preset.parse::<Preset>();
        let left = preset.map_or_else(|_| user.clone(), |preset| within(user, preset));
        if let (false, ToolLimit::Only(tools)) = (*user == ToolLimit::All, left) {
            self.options.session.tools = Some(tools);
        }
    }

    /// The folder's own servers count when it is trusted and its settings are
    /// wanted.
    pub(super) fn merged_servers(&self, trusted: bool) -> Merged {
        let sources = self.options.session.setting_sources.as_ref();
        let wanted = sources.is_none_or(|sources| sources.iter().any(|one| one == "project"));
        let file = PathBuf::from(&self.folder).join(".mcp.json");
        let project = text(&file, ".mcp.json", MAX_SERVERS).ok();
        let project = project.filter(|_| wanted).unwrap_or_default();
        let project = names_of(project.as_bytes());
        merge(NAME, self.servers.clone(), &project, trusted)
    }

    pub(super) fn context(
        &self,
        session: &SessionHandle,
        agent: AgentKind,
        folder: Folder,
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
            folder,
            checkpointing: options.session.checkpointing == Some(true),
            budget: options.budget(),
        }
    }
}

/// A file's text, bounded.
fn text(file: &Path, flag: &str, limit: u64) -> Result<String, Failure> {
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

pub(super) fn usage(what: String) -> Failure {
    Failure::usage(what, "`baton stdio --help` lists the flags.")
}
