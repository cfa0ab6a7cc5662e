//! `create`: sessions made anew, taken up again, or copied.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use baton_protocol::{
    MessageId, SessionId,
    api::{Create, Problem, ProblemCode, ProjectAdd, SessionRow},
    words::{ClientRef, Mode, SessionState},
};
use baton_session::{ForkAt, NewSessionSpec, agents::AgentKind, project_id};
use tokio::sync::OnceCell;

use super::{
    Api,
    commands::{good_title, no_session},
};
use crate::problem::Told as _;

/// Sessions that are being made, by their first messages: the same one again
/// waits for the first.
#[derive(Debug, Default)]
pub(super) struct Making(Mutex<BTreeMap<MessageId, Slot>>);

type Slot = Arc<OnceCell<SessionId>>;

impl Making {
    fn of(&self, first: MessageId) -> Slot {
        let mut making = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(making.entry(first).or_default())
    }

    /// From here on the log knows.
    fn over(&self, first: MessageId, slot: &Slot) {
        let mut making = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if making.get(&first).is_some_and(|one| Arc::ptr_eq(one, slot)) {
            making.remove(&first);
        }
    }
}

impl Api {
    /// Makes a session. The same first message again is the same session.
    pub(super) async fn create(
        &self,
        client: &ClientRef,
        mut new: Create,
    ) -> Result<SessionRow, Problem> {
        new.project = self.folder_of(&new.project).await?;
        let new = &new;
        let first = new.message_id.filter(|_| new.prompt.is_some());
        // A conversation that goes on knows its messages itself.
        let Some(first) = first.filter(|_| new.resume.is_none() || new.fork) else {
            return self.create_anew(client, new).await;
        };
        let making = self.sessions.making.of(first);
        let made = making.get_or_try_init(|| async {
            if let Some(known) = self.begun_with(first, new).await? {
                return Ok(known);
            }
            let made = self.create_anew(client, new).await?;
            Ok::<_, Problem>(made.id)
        });
        let made = made.await.copied();
        self.sessions.making.over(first, &making);
        let session = made?;
        self.is_same(session, first, new).await?;
        self.row(session).await
    }

    /// A session that needs no account and no folder of the user's. Its folder
    /// is beside the data folder, where nobody's work is.
    pub(super) async fn demo(&self, client: &ClientRef) -> Result<SessionRow, Problem> {
        let data = self.supervisor.data_folder();
        let mut name = data.file_name().unwrap_or_default().to_owned();
        name.push("-demo");
        let folder = data.with_file_name(name);
        let path = folder.to_string_lossy().into_owned();
        self.blocking(move || {
            let made = std::fs::create_dir_all(&folder);
            made.map_err(|error| {
                let detail = format!("{} cannot be made: {error}", folder.display());
                Problem::new(ProblemCode::Storage, detail)
            })
        })
        .await?;
        let title = Some("Demo".to_owned());
        let project = self.add_project(ProjectAdd { path, title }).await?;
        let new = Create {
            project: project.path,
            agent: Some(AgentKind::BUILT_IN.name().to_owned()),
            prompt: Some("help".to_owned()),
            ..Create::default()
        };
        self.create(client, new).await
    }

    /// The session that was made with this first message.
    async fn begun_with(
        &self,
        first: MessageId,
        new: &Create,
    ) -> Result<Option<SessionId>, Problem> {
        let found = self.store().sessions_with_message(first).await.told()?;
        let Some(session) = found.into_iter().next() else {
            return Ok(None);
        };
        self.is_same(session, first, new).await?;
        Ok(Some(session))
    }

    /// Whether a session began with this message in this folder.
    async fn is_same(
        &self,
        session: SessionId,
        first: MessageId,
        new: &Create,
    ) -> Result<(), Problem> {
        let message = self.store().message(session, first).await.told()?;
        let text = new.prompt.as_deref().unwrap_or_default();
        // Addresses of files may follow what was said.
        let said = message.is_some_and(|record| record.message.text.starts_with(text));
        let row = self.session_row(session).await?;
        if said && row.project_id == self.project_id_of(&new.project)? {
            return Ok(());
        }
        let detail = format!("message {first} was sent before, with other text or elsewhere");
        Err(Problem::new(ProblemCode::MessageIdConflict, detail))
    }

    async fn create_anew(&self, client: &ClientRef, new: &Create) -> Result<SessionRow, Problem> {
        self.takes_turns()?;
        if new.mode == Some(Mode::Terminal) {
            let detail = "sessions in a terminal cannot be made yet; leave `mode` out";
            return Err(Problem::new(ProblemCode::Unsupported, detail));
        }
        if let Some(from) = &new.resume {
            return self.go_on(client, new, from).await;
        }
        if new.fork {
            let message = "it needs `resume`, which says what is copied";
            return Err(Problem::invalid("fork", message));
        }
        if let Some(title) = &new.title {
            good_title(title)?;
        }
        let agent = self.agent_named(new.agent.as_deref())?;
        let message = Self::first_message(new)?;
        // Refused now, or an empty session would be left.
        sendable(agent, new)?;
        let message = match message {
            Some(message) => Some(self.outbound(client, None, message).await?),
            None => None,
        };
        let spec = NewSessionSpec {
            agent,
            cwd: new.cwd.as_ref().unwrap_or(&new.project).into(),
            project: new.cwd.as_ref().map(|_| new.project.clone().into()),
            title: new.title.clone(),
            runtime: new.runtime,
            options: new.options(),
        };
        let made = if message.is_some() {
            self.supervisor.could_begin(&spec).await.told()?;
            self.supervisor.create_to_begin(spec).await
        } else {
            self.supervisor.create(spec).await
        };
        let made = made.told()?;
        self.list_folder(&new.project).await;
        if let Some(message) = message {
            self.message(&made, message, None).await?;
        }
        self.row(made.id()).await
    }

    /// Goes on with a conversation: itself, or a copy of it.
    async fn go_on(
        &self,
        client: &ClientRef,
        new: &Create,
        from: &str,
    ) -> Result<SessionRow, Problem> {
        if let Some(field) = kept(new) {
            let message = "a conversation that goes on keeps what it was made with";
            return Err(Problem::invalid(&field, message));
        }
        let message = Self::first_message(new)?;
        let source = self.conversation(&new.project, from).await?;
        let row = self.session_row(source).await?;
        if row.project_id != self.project_id_of(&new.project)? {
            return Err(no_session(source));
        }
        if let Some(agent) = AgentKind::from_name(&row.agent) {
            sendable(agent, new)?;
        }
        let known = Some(source).filter(|_| !new.fork);
        let message = match message {
            Some(message) => Some(self.outbound(client, known, message).await?),
            None => None,
        };
        let session = if new.fork {
            self.supervisor.fork(source, ForkAt::End).await
        } else if row.state == SessionState::Ended {
            self.supervisor.resume(source).await
        } else {
            self.supervisor.open(source).await
        };
        let session = session.told()?;
        if let Some(title) = &new.title {
            session.rename(title).await.told()?;
        }
        if let Some(message) = message {
            self.message(&session, message, None).await?;
        }
        self.row(session.id()).await
    }

    /// The session here that a conversation is. One that was begun elsewhere
    /// becomes one.
    async fn conversation(&self, project: &str, from: &str) -> Result<SessionId, Problem> {
        if let Ok(id) = from.parse::<SessionId>() {
            return Ok(id);
        }
        let Ok(name) = from.parse() else {
            let message = "it is neither the id of a session nor an id of the agent's";
            return Err(Problem::invalid("resume", message));
        };
        let here = self
            .store()
            .sessions_by_agent_session(vec![from.to_owned()]);
        let here = here.await.told()?;
        if let Some(row) = here.first() {
            return Ok(row.id);
        }
        let made = self.supervisor.import(name, Path::new(project)).await;
        Ok(made.told()?.id())
    }

    /// The agent of this name; the default one without.
    pub(super) fn agent_named(&self, name: Option<&str>) -> Result<AgentKind, Problem> {
        let agent = name.map_or(self.facts.agents.first().copied(), AgentKind::from_name);
        agent.ok_or_else(|| {
            let known: Vec<_> = AgentKind::ALL.iter().map(|kind| kind.name()).collect();
            Problem::invalid("agent", format!("it is none of: {}", known.join(", ")))
        })
    }

    fn project_id_of(&self, folder: &str) -> Result<baton_protocol::ProjectId, Problem> {
        let whole = Path::new(folder).canonicalize();
        let whole = whole.ok().and_then(|path| path.to_str().map(str::to_owned));
        let missing = || Problem::invalid("project", format!("{folder} is not there"));
        whole.map(|path| project_id(&path)).ok_or_else(missing)
    }
}

/// Some commands of an agent must not reach it.
fn sendable(agent: AgentKind, new: &Create) -> Result<(), Problem> {
    let text = new.prompt.as_deref();
    match text.and_then(|text| agent.refused_command(text)) {
        None => Ok(()),
        Some((command, why)) => {
            let detail = format!("/{command} is not sent to the agent: {why}");
            Err(Problem::new(ProblemCode::Unsupported, detail))
        }
    }
}

/// A field that only a new session takes. A copy may have a title of its own.
fn kept(new: &Create) -> Option<String> {
    let others = [
        ("agent", new.agent.is_some()),
        ("cwd", new.cwd.is_some()),
        ("runtime", new.runtime.is_some()),
        ("title", new.title.is_some() && !new.fork),
    ];
    let other = others.into_iter().find(|(_, given)| *given);
    let option = new.options().first_given();
    option.or_else(|| other.map(|(name, _)| name.to_owned()))
}
