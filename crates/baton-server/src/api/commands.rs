//! Commands, carried out: read the body, call a handle, map the answer.

use baton_protocol::{
    MessageId, Seq, SessionId,
    api::{
        Approve, Ask, Command, Done, Problem, ProblemCode, QueueEdit, Rewind, Rewound, Room,
        SessionRow, ask,
    },
    words::{ClientRef, Decision, EndStatus, Json},
};
use baton_session::{CommandError, ForkAt, Remember, SessionHandle, agents::AskDecision};

use super::Api;
use crate::{
    problem::{self, Told as _},
    sight::Sight,
};

/// How long an end is waited for: interrupt, SIGTERM and SIGKILL have their
/// graces, and one whose holder does not obey is ended from outside after them.
const END_WAIT: std::time::Duration = std::time::Duration::from_secs(30);

/// How often, and after which pause, a command is given to the next task of a
/// session whose task went before it could take it.
const GONE_TRIES: usize = 20;
const GONE_PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// Titles beyond this are no titles.
const MAX_TITLE: usize = 200;

/// The arms of all commands. What each gives is what the table of commands says
/// that it is answered with.
macro_rules! answers {
    ($command:expr, { $($name:ident($body:pat) => $answer:expr,)+ }) => {
        match $command {
            $(Command::$name($body) => {
                let answer: <ask::$name as Ask>::Answer = $answer;
                Ok(Json::of(&answer))
            })+
        }
    };
}

impl Api {
    /// Carries one command out. One that stops or removes something may use
    /// the room that is kept for a full disk.
    pub async fn perform(
        &self,
        client: &ClientRef,
        session: Option<SessionId>,
        command: Command,
    ) -> Result<Json, Problem> {
        if command.needs_session() {
            needed(session)?;
        }
        let again = (command.room() == Room::Frees).then(|| command.clone());
        match (self.perform_once(client, session, command).await, again) {
            (Err(problem), Some(again))
                if problem.code == ProblemCode::StorageFull && self.use_spare() =>
            {
                self.perform_once(client, session, again).await
            }
            (done, _) => done,
        }
    }

    #[rustfmt::skip]
    async fn perform_once(
        &self,
        client: &ClientRef,
        session: Option<SessionId>,
        command: Command,
    ) -> Result<Json, Problem> {
        let handle = async || self.open(needed(session)?).await;
        answers!(command, {
            Create(new) => self.create(client, *new).await?,
            TryDemo(_) => self.demo(client).await?,
            Message(body) => self.send_message(client, needed(session)?, body).await?,
            TakeBack(body) => done(handle().await?.take_back(body.message_id, Some(client.clone())).await)?,
            QueueEdit(body) => self.edit_queued(client, needed(session)?, body).await?,
            QueueMove(body) => done(handle().await?.move_waiting(body.message_id, body.before, Some(client.clone())).await)?,
            SendNow(body) => self.send_now(client, needed(session)?, body.message_id).await?,
            QueueHold(_) => done(handle().await?.hold_queue(Some(client.clone())).await)?,
            QueueRelease(_) => self.release_queue(client, needed(session)?).await?,
            Interrupt(_) => done(handle().await?.interrupt_for(client.clone()).await)?,
            StopTask(body) => done(handle().await?.stop_task(&body.task_id).await)?,
            Stop(_) => self.stop(client, needed(session)?).await?,
            Resume(_) => self.resume(needed(session)?).await?,
            Fork(body) => self.fork(needed(session)?, body.at).await?,
            Model(body) => {
                if body.model.as_deref().is_some_and(|model| model.trim().is_empty()) {
                    return Err(Problem::invalid("model", "it is empty; leave it out for the agent's default"));
                }
                done(handle().await?.set_model(body.model).await)?
            },
            PermissionMode(body) => done(handle().await?.set_permission_mode(body.mode).await)?,
            Rewind(body) => self.rewind(needed(session)?, body).await?,
            Checkpoints(part) => self.checkpoints(needed(session)?, &part).await?,
            Title(body) => {
                let title = good_title(&body.title)?;
                done(handle().await?.rename(title).await)?
            },
            Budget(body) => {
                let usd = good_budget(body.max_budget_usd)?;
                done(handle().await?.set_budget(usd).await)?
            },
            Memory(body) => done(handle().await?.choose_memory(body.memory).await)?,
            Approve(answer) => self.approve(client, session, answer).await?,
            Sessions(list) => self.sessions(&list).await?,
            Session(_) => self.view(needed(session)?).await?,
            Delete(_) => self.delete(client, needed(session)?).await?,
            Approvals(part) => self.approvals(session, &part).await?,
            PastApprovals(list) => self.past_approvals(&list).await?,
            Rules(part) => self.rules(&part).await?,
            RuleAdd(body) => self.add_rule(client, session, body).await?,
            RuleRemove(body) => self.remove_rule(body.rule_id).await?,
            RulePreview(body) => self.preview_rule(body).await?,
            RulesOffered(body) => self.offered_rules(body).await?,
            RulesTake(body) => self.take_rules(client, body).await?,
            Trust(body) => self.trust(client, body).await?,
            History(body) => self.history(&body).await?,
            Import(body) => self.import(&body).await?,
            Commands(part) => self.slash_commands(needed(session)?, &part).await?,
            Choices(body) => self.choices(&body).await?,
            Warm(body) => self.warm(body).await?,
            Projects(list) => self.projects(&list).await?,
            Project(body) => self.one_project(&body.project).await?,
            Folders(body) => self.folders(body).await?,
            ProjectAdd(body) => self.add_project(body).await?,
            ProjectClone(body) => self.clone_project(body).await?,
            CloneState(body) => self.clone_state(&body.id)?,
            CloneCancel(body) => self.cancel_clone(&body.id).await?,
            ProjectRemove(body) => self.remove_project(&body.project).await?,
            ProjectUpdate(body) => self.update_project(body).await?,
            ProjectMove(body) => self.move_project(&body).await?,
            ProjectScan(_) => self.scan_projects().await?,
            Files(body) => self.files(&body).await?,
            FilesFind(body) => self.find_files(body).await?,
            FilesSearch(body) => self.search_files(body).await?,
            File(body) => self.file(&body).await?,
            Diff(body) => self.diff(&body).await?,
            Comments(body) => self.list_comments(body).await?,
            CommentAdd(body) => self.add_comment(client, body).await?,
            CommentResolve(body) => self.resolve_comment(client, body).await?,
            CommentRemove(body) => self.remove_comment(client, body).await?,
            Search(body) => self.search(&body, Sight::Whole).await?,
            Usage(body) => self.usage(&body).await?,
            Backup(body) => self.backup(&body).await?,
            Retain(_) => self.retain().await?,
            Doctor(_) => self.doctor().await?,
        })
    }

    async fn edit_queued(
        &self,
        client: &ClientRef,
        id: SessionId,
        body: QueueEdit,
    ) -> Result<Done, Problem> {
        let session = self.open(id).await?;
        let edited = session.edit(body.message_id, body.text, Some(client.clone()));
        done(edited.await)
    }

    async fn send_now(
        &self,
        client: &ClientRef,
        id: SessionId,
        message: MessageId,
    ) -> Result<Done, Problem> {
        self.takes_turns()?;
        let session = self.open(id).await?;
        done(session.send_now(message, Some(client.clone())).await)
    }

    async fn release_queue(&self, client: &ClientRef, id: SessionId) -> Result<Done, Problem> {
        self.takes_turns()?;
        let session = self.open(id).await?;
        done(session.release_queue(Some(client.clone())).await)
    }

    async fn stop(&self, client: &ClientRef, id: SessionId) -> Result<Done, Problem> {
        let reason = format!("ended by {}", client.name);
        let mut session = self.open(id).await?;
        let mut asked = session.end(EndStatus::Stopped, &reason).await;
        // A task that just gave up, for want of space say, is on its way out;
        // the next one takes the command.
        for _ in 0..GONE_TRIES {
            if !matches!(asked, Err(CommandError::Gone)) {
                break;
            }
            tokio::time::sleep(GONE_PAUSE).await;
            session = self.open(id).await?;
            asked = session.end(EndStatus::Stopped, &reason).await;
        }
        done(asked)?;
        // Whoever ends a session may take it up again right away, and is not
        // told that it has ended before it has.
        let over = session.wait_for(|progress| progress.ended);
        match tokio::time::timeout(END_WAIT, over).await {
            Ok(progress) if progress.ended => Ok(Done {}),
            Ok(progress) => Err(problem::of_lasting(progress.failed.as_ref())),
            Err(_) => Err(problem::of_lasting(None)),
        }
    }

    async fn resume(&self, id: SessionId) -> Result<Done, Problem> {
        self.takes_turns()?;
        self.supervisor.resume(id).await.told()?;
        Ok(Done {})
    }

    async fn rewind(&self, id: SessionId, body: Rewind) -> Result<Rewound, Problem> {
        // It may start the agent.
        self.takes_turns()?;
        let session = self.open(id).await?;
        session
            .rewind(body.checkpoint_id, body.dry_run)
            .await
            .told()
    }

    pub(crate) async fn open(&self, id: SessionId) -> Result<SessionHandle, Problem> {
        self.supervisor.open(id).await.told()
    }

    async fn fork(&self, from: SessionId, at: Option<String>) -> Result<SessionRow, Problem> {
        let at = match at {
            None => ForkAt::End,
            Some(row) => self.fork_point(from, row).await?,
        };
        let made = self.supervisor.fork(from, at).await;
        self.row(made.told()?.id()).await
    }

    /// A message of a person, or else a row of the agent.
    async fn fork_point(&self, from: SessionId, at: String) -> Result<ForkAt, Problem> {
        let Ok(id) = at.parse::<MessageId>() else {
            let message = "it names no message of this session";
            return Err(Problem::invalid("at", message));
        };
        let message = self.store().message(from, id).await.told()?;
        if message.is_some() {
            return Ok(ForkAt::Message(id));
        }
        Ok(ForkAt::AgentRow(at))
    }

    async fn approve(
        &self,
        client: &ClientRef,
        session: Option<SessionId>,
        answer: Approve,
    ) -> Result<Done, Problem> {
        let unknown = || {
            let detail = format!("there is no approval {}", answer.approval_id);
            Problem::new(ProblemCode::NotFound, detail)
        };
        let record = self.store().approval(answer.approval_id).await;
        let record = record
            .told()?
            .filter(|record| session.is_none_or(|session| session == record.session))
            .ok_or_else(unknown)?;
        let handle = self.open(record.session).await?;
        let client = Some(client.clone());
        if answer.decision == Decision::Deny && answer.unattended {
            let why = answer.deny_message.unwrap_or_default();
            return done(
                handle
                    .deny_unattended(answer.approval_id, &why, client)
                    .await,
            );
        }
        let approval = answer.approval_id;
        let remember = Remember::wanted(answer.rule.clone(), answer.scope);
        let decision = AskDecision::of(answer, &record.requested);
        let decision =
            decision.map_err(|wrong| Problem::invalid(wrong.field, format!("it {}", wrong.why)))?;
        let answered = handle.answer_for_good(approval, decision, remember, client);
        done(answered.await)
    }

    pub(super) async fn row(&self, id: SessionId) -> Result<SessionRow, Problem> {
        let row = self.store().session_row(id).await.told()?;
        row.ok_or_else(|| no_session(id))
    }

    /// The number of a session's last event.
    pub(crate) async fn head(&self, id: SessionId) -> Result<Seq, Problem> {
        self.store().head(id).await.told()
    }
}

/// A title that may be given.
pub(super) fn good_title(title: &str) -> Result<&str, Problem> {
    let title = title.trim();
    if title.is_empty() || title.chars().count() > MAX_TITLE {
        let message = format!("a title has 1 to {MAX_TITLE} characters");
        return Err(Problem::invalid("title", message));
    }
    Ok(title)
}

pub(super) fn needed(session: Option<SessionId>) -> Result<SessionId, Problem> {
    session.ok_or_else(|| Problem::invalid("sessionId", "this command needs it"))
}

pub(super) fn no_session(id: SessionId) -> Problem {
    Problem::new(ProblemCode::NotFound, format!("there is no session {id}"))
}

fn good_budget(usd: Option<f64>) -> Result<Option<f64>, Problem> {
    if usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        let message = "it is an amount in US dollars, not below 0";
        return Err(Problem::invalid("maxBudgetUsd", message));
    }
    Ok(usd)
}

/// An answer that says nothing but that it was done.
fn done<T>(result: Result<T, CommandError>) -> Result<Done, Problem> {
    result.map(|_| Done {}).told()
}
