//! Sessions that are made: what they may be made with, and whether they could
//! begin.

use std::path::Path;

use baton_process::holder::Tie;
use baton_protocol::{
    Seq, SessionId,
    event::{SessionCreated, SessionOptions},
    words::{Mode, PermissionMode},
};
use baton_store::{Day, NewSession};

use super::{NewSessionSpec, Supervisor, SupervisorError, variables};
use crate::{
    actor::{CommandError, Waiting},
    agents::AgentKind,
    blob, folder,
    handle::SessionHandle,
    machine::{Facts, Input, Rejected, within},
};

/// What may be added to an agent's own instructions.
const MAX_SYSTEM_PROMPT: usize = 4000;
/// What a host may add; it travels as one argument of the agent's program.
const MAX_HOST_PROMPT: usize = 100_000;
/// The longest word for how hard a model tries.
const MAX_WORD: usize = 20;

impl Supervisor {
    /// Whether a session like this could begin a turn now: whether there is a
    /// place for its agent, and money. Asked before one is made that is to
    /// begin at once.
    pub async fn could_begin(&self, new: &NewSessionSpec) -> Result<(), SupervisorError> {
        let limits = &self.limits;
        let own = new.options.max_budget_usd.or(limits.session_budget_usd);
        within("this session", 0.0, own).map_err(CommandError::from)?;
        if limits.day_budget_usd.is_some() {
            let spent = self.store.spent_on(Day::of(self.world.now())).await?;
            let spent = spent + self.purse.total();
            within("this day", spent, limits.day_budget_usd).map_err(CommandError::from)?;
        }
        let folder = new.project.as_deref().unwrap_or(&new.cwd);
        let project = blob::project_id(&self.folder(folder)?);
        let room = self.pool.has_room(project);
        room.map_err(|full| CommandError::from(full).into())
    }

    pub async fn create(&self, new: NewSessionSpec) -> Result<SessionHandle, SupervisorError> {
        let (created, name) = self.created(new)?;
        self.begin(created, name, None).await
    }

    /// The same, for a session that is to begin a turn at once: with the process
    /// that waits for just that, if there is one.
    pub async fn create_to_begin(
        &self,
        new: NewSessionSpec,
    ) -> Result<SessionHandle, SupervisorError> {
        let (created, name) = self.created(new)?;
        let warmed = self.warming.take(&created);
        let name = warmed
            .as_ref()
            .map_or(name, |one| one.agent_session_id.clone());
        self.begin(created, name, warmed).await
    }

    /// What a session is made with, and the agent's name for it.
    pub(super) fn created(
        &self,
        new: NewSessionSpec,
    ) -> Result<(SessionCreated, Option<String>), SupervisorError> {
        let names_it = new.agent.capabilities().own_history;
        let agent_session_id = names_it.then(|| self.world.random_id().to_string());
        let cwd = self.folder(&new.cwd)?;
        let created = SessionCreated {
            agent: new.agent.name().to_owned(),
            mode: Mode::Structured,
            runtime: new.runtime.unwrap_or(self.defaults.runtime),
            project: self.around(&cwd, new.project.as_deref())?,
            cwd,
            title: new.title,
            forked_from: None,
            forked_at: None,
            resumes: None,
            options: self.with_defaults(new.agent, new.options)?,
        };
        Ok((created, agent_session_id))
    }

    /// The folder of a session's project, unless it is its own.
    pub(super) fn around(
        &self,
        cwd: &str,
        project: Option<&Path>,
    ) -> Result<Option<String>, SupervisorError> {
        let Some(project) = project else {
            return Ok(None);
        };
        let project = self.folder(project)?;
        if !Path::new(cwd).starts_with(&project) {
            let why = format!("cwd is not within the project's folder {project}");
            return Err(SupervisorError::BadOption(why));
        }
        Ok(Some(project).filter(|project| project != cwd))
    }

    /// Checks what a session is to be made with, and fills in what the
    /// settings say, so that its log tells what it runs with.
    pub(super) fn with_defaults(
        &self,
        agent: AgentKind,
        mut options: SessionOptions,
    ) -> Result<SessionOptions, SupervisorError> {
        let defaults = &self.defaults;
        let capabilities = agent.capabilities();
        folder::chosen(&options, &defaults.tools)
            .map_err(|error| SupervisorError::BadOption(error.to_string()))?;
        if options.permission_mode == Some(PermissionMode::BypassPermissions)
            && !self.limits.bypass_allowed
        {
            return Err(CommandError::from(Rejected::BypassForbidden).into());
        }
        let prompt = options.append_system_prompt.as_deref().unwrap_or_default();
        let limit = if self.tie != Tie::Free {
            MAX_HOST_PROMPT
        } else {
            MAX_SYSTEM_PROMPT
        };
        if prompt.chars().count() > limit || prompt.len() > MAX_HOST_PROMPT {
            return Err(SupervisorError::BadOption(format!(
                "appendSystemPrompt may have at most {limit} characters"
            )));
        }
        sensible(&options)?;
        if let Some(variables) = &options.env {
            variables::settable(variables).map_err(SupervisorError::BadOption)?;
        }
        if capabilities.rewind {
            options.checkpointing = options.checkpointing.or(Some(true));
        }
        if capabilities.change_model {
            options.model = options.model.or_else(|| defaults.model.clone());
            let fallback = defaults.fallback_model.clone();
            options.fallback_model = options.fallback_model.or(fallback);
        }
        let mode = defaults.permission_mode;
        let mode = mode.filter(|mode| capabilities.modes.contains(mode));
        options.permission_mode = options.permission_mode.or(mode);
        options.max_turns = options.max_turns.or(defaults.max_turns);
        let prompt = defaults.append_system_prompt.clone();
        options.append_system_prompt = options.append_system_prompt.or(prompt);
        Ok(options)
    }

    pub(super) async fn begin(
        &self,
        created: SessionCreated,
        agent_session_id: Option<String>,
        warmed: Option<Waiting>,
    ) -> Result<SessionHandle, SupervisorError> {
        let id = SessionId::from_uuid(self.world.id());
        let options = self.vault.part(id, &created.options);
        let created = SessionCreated {
            options: options.map_err(SupervisorError::Vault)?,
            ..created
        };
        let new = NewSession {
            project_id: blob::project_id(created.project_folder()),
            project_path: created.project_folder().to_owned(),
            created_at: self.world.now(),
        };
        let handle = self.spawn(id, Facts::default(), Seq::START, warmed);
        // A fresh id: nobody else can have taken its place.
        self.slot(id).set(handle.clone()).ok();
        let input = Input::Create {
            created,
            agent_session_id,
        };
        handle.create(input, new).await?;
        Ok(handle)
    }
}

fn is_word(text: &str) -> bool {
    let letters = text.bytes().all(|one| one.is_ascii_lowercase());
    letters && (1..=MAX_WORD).contains(&text.len())
}

/// What no agent could run with is refused where it is said.
fn sensible(options: &SessionOptions) -> Result<(), SupervisorError> {
    let budget = options.max_budget_usd;
    let dirs = options.add_dirs.as_deref().unwrap_or_default();
    let schema = options.output_schema.as_ref();
    let blank = |name: Option<&str>| name.is_some_and(|name| name.trim().is_empty());
    let wrong = if budget.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        "maxBudgetUsd is an amount in US dollars, not below 0"
    } else if !options.effort.as_deref().is_none_or(is_word) {
        "effort is one of the agent's words, such as high"
    } else if options.max_turns == Some(0) {
        "maxTurns is at least 1"
    } else if dirs.iter().any(|dir| !Path::new(dir).is_absolute()) {
        "addDirs are whole paths"
    } else if schema.is_some_and(|schema| !schema.value().is_object()) {
        "outputSchema is a JSON object"
    } else if blank(options.model.as_deref()) || blank(options.fallback_model.as_deref()) {
        "model and fallbackModel name one, or are left out for the agent's default"
    } else {
        return Ok(());
    };
    Err(SupervisorError::BadOption(wrong.into()))
}
