//! The way to a session: a few commands in, a subscription out.

use std::sync::Arc;

use baton_protocol::{
    ApprovalId, BlobId, MessageId, Seq, SessionId,
    api::Rewound,
    event::{Attachment, Moved, SessionOptions, UserMessage},
    words::{ClientRef, DecidedBy, EndStatus, Json, PermissionMode, Remedy, Scope},
};
use baton_store::{Blob, NewBlob, NewSession, Store, StoreError};
use tokio::sync::{mpsc, oneshot, watch};

use crate::{
    actor::{Addressed, CommandError, Message, Outcome, Progress},
    agents::{AskDecision, PromptFile},
    attachments, blob,
    live::LiveBuffer,
    machine::{Input, Observed, Rejected, Reply, WhenBusy, rewound},
    pace::Told,
    subscription::Subscription,
};

/// With the files they fit into one line for the agent, where images are a third
/// longer and every character of a text may become six.
const MAX_TEXT: usize = 4 << 20;
const MAX_FILES: usize = attachments::MAX_ALL;

/// Reaches one session's task. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SessionHandle {
    id: SessionId,
    inbox: mpsc::Sender<Message>,
    progress: watch::Receiver<Progress>,
    greeting: watch::Receiver<Option<Json>>,
    told: Arc<Told>,
    live: Arc<LiveBuffer>,
    store: Store,
    /// Reaches whoever watches what happens to the session elsewhere.
    watcher: Option<mpsc::Sender<CatchUp>>,
}

/// Asks a watcher to tell all that has happened so far.
pub(crate) type CatchUp = oneshot::Sender<Result<(), Rejected>>;

/// How an answer is to be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remember {
    /// None: the exact command or path.
    pub rule: Option<String>,
    pub scope: Scope,
}

impl Remember {
    /// What an answer wants remembered. A rule without a scope holds for the
    /// session; a scope without a rule remembers exactly this call.
    pub fn wanted(rule: Option<String>, scope: Option<Scope>) -> Option<Self> {
        (rule.is_some() || scope.is_some()).then(|| Self {
            rule,
            scope: scope.unwrap_or(Scope::Session),
        })
    }
}

/// A message to send, with its files.
#[derive(Debug, Clone)]
pub struct Outbound {
    pub id: MessageId,
    pub text: String,
    pub files: Vec<PromptFile>,
    pub when_busy: WhenBusy,
    pub client: Option<ClientRef>,
}

impl SessionHandle {
    pub(crate) fn new(
        id: SessionId,
        inbox: mpsc::Sender<Message>,
        progress: watch::Receiver<Progress>,
        greeting: watch::Receiver<Option<Json>>,
        told: Told,
        live: Arc<LiveBuffer>,
        store: Store,
    ) -> Self {
        Self {
            id,
            inbox,
            progress,
            greeting,
            told: Arc::new(told),
            live,
            store,
            watcher: None,
        }
    }

    /// This handle for a session that is watched.
    #[must_use]
    pub(crate) fn watched_by(self, watcher: mpsc::Sender<CatchUp>) -> Self {
        Self {
            watcher: Some(watcher),
            ..self
        }
    }

    /// How many read along, and when that changes.
    pub(crate) fn readers(&self) -> watch::Receiver<usize> {
        self.live.readers()
    }

    /// The reader that the session must not overtake has every event up to
    /// this one. From the first call on an agent that is far ahead of it waits.
    pub fn told(&self, up_to: Seq) {
        self.told.send_replace(Some(up_to));
    }

    /// Nobody has to be waited for any more.
    pub fn let_run(&self) {
        self.told.send_replace(None);
    }

    /// Drops from a log in memory what its only reader has.
    ///
    /// # Errors
    /// When the log is closed or broken.
    pub async fn forget(&self, up_to: Seq) -> Result<(), StoreError> {
        self.store.forget(self.id, up_to).await
    }

    /// Waits until its task is gone, and with it everything it had to commit.
    pub async fn finished(&self) {
        let mut progress = self.progress.clone();
        while progress.changed().await.is_ok() {}
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.progress.has_changed().is_err()
    }

    /// Whether its task still runs.
    pub fn is_alive(&self) -> bool {
        !self.inbox.is_closed()
    }

    pub const fn id(&self) -> SessionId {
        self.id
    }

    /// The last event in its log. Whatever a command has led to by the time it
    /// is answered is among them.
    pub fn head(&self) -> Seq {
        self.live.head()
    }

    /// Every event after `after`, then live.
    pub fn subscribe(&self, after: Seq) -> Subscription {
        Subscription::new(self.store.follow(self.id, after), &self.live, after)
    }

    pub fn progress(&self) -> Progress {
        self.progress.borrow().clone()
    }

    /// Waits until `wanted` holds of the session's progress, or its task is gone.
    pub async fn wait_for(&self, wanted: impl FnMut(&Progress) -> bool) -> Progress {
        let mut progress = self.progress.clone();
        let waited = progress
            .wait_for(wanted)
            .await
            .map(|progress| progress.clone());
        waited.unwrap_or_else(|_| self.progress())
    }

    /// An image or another thing that the session's events refer to.
    pub async fn blob(&self, id: BlobId) -> Result<Option<Blob>, StoreError> {
        self.store.blob(self.id, id).await
    }

    /// Stores a message and, unless it is queued, starts a turn with it. The
    /// same id again gives the same answer and no second run.
    pub async fn send(&self, message: Outbound) -> Result<Reply, CommandError> {
        self.send_with(message, None).await
    }

    /// The same, with what is done should the agent lack a part of the past;
    /// none is as the settings say.
    pub async fn send_with(
        &self,
        message: Outbound,
        memory: Option<Remedy>,
    ) -> Result<Reply, CommandError> {
        let files: usize = message.files.iter().map(|file| file.bytes.len()).sum();
        for (what, bytes, most) in [
            ("the text", message.text.len(), MAX_TEXT),
            ("the files", files, MAX_FILES),
        ] {
            too_large(what, bytes, most)?;
        }
        let refused = self.catch_up().await.err();
        let mut attachments = Vec::new();
        let mut blobs = Vec::new();
        for file in message.files {
            let id = blob::id_of(&file.bytes);
            attachments.push(Attachment {
                name: file.name,
                media_type: file.media_type.clone(),
                bytes: file.bytes.len() as u64,
                blob_id: Some(id),
            });
            blobs.push(NewBlob {
                id,
                media_type: file.media_type,
                bytes: file.bytes,
            });
        }
        let input = Input::Send {
            message: UserMessage {
                message_id: message.id,
                text: message.text,
                attachments,
                queued: false,
                client: message.client,
            },
            when_busy: message.when_busy,
        };
        let sent = self.send_in(Addressed {
            blobs,
            refused,
            memory,
            ..Addressed::of(input)
        });
        self.done(sent.await?)
    }

    /// Answers an approval. The first answer wins.
    pub async fn answer(
        &self,
        approval: ApprovalId,
        decision: AskDecision,
        client: Option<ClientRef>,
    ) -> Result<(), CommandError> {
        self.answer_for_good(approval, decision, None, client).await
    }

    /// Answers an approval, and all that a rule covers from now on. Without a
    /// rule of its own the exact command or path is remembered.
    pub async fn answer_for_good(
        &self,
        approval: ApprovalId,
        decision: AskDecision,
        remember: Option<Remember>,
        client: Option<ClientRef>,
    ) -> Result<(), CommandError> {
        let input = Input::Answer {
            approval,
            decision,
            by: DecidedBy::User,
            client,
            remember: None,
        };
        let answered = self.send_in(Addressed {
            remember,
            ..Addressed::of(input)
        });
        answered.await.map(|_| ())
    }

    /// Denies an approval because nobody here can decide it.
    pub async fn deny_unattended(
        &self,
        approval: ApprovalId,
        message: &str,
        client: Option<ClientRef>,
    ) -> Result<(), CommandError> {
        self.tell(Input::Answer {
            approval,
            decision: AskDecision::Deny {
                message: message.to_owned(),
                interrupt: false,
            },
            by: DecidedBy::Mode,
            client,
            remember: None,
        })
        .await
    }

    pub async fn take_back(
        &self,
        message: MessageId,
        client: Option<ClientRef>,
    ) -> Result<(), CommandError> {
        self.tell(Input::TakeBack { message, client }).await
    }

    /// Changes the text of a message that waits.
    pub async fn edit(
        &self,
        message: MessageId,
        text: String,
        client: Option<ClientRef>,
    ) -> Result<(), CommandError> {
        too_large("the text", text.len(), MAX_TEXT)?;
        self.tell(Input::Edit {
            message,
            text,
            client,
        })
        .await
    }

    /// Puts a message that waits before another one, or at the end.
    pub async fn move_waiting(
        &self,
        message: MessageId,
        before: Option<MessageId>,
        client: Option<ClientRef>,
    ) -> Result<(), CommandError> {
        self.tell(Input::Move {
            message,
            before,
            client,
        })
        .await
    }

    /// Begins a message that waits as soon as can be, and stops a running turn
    /// for it.
    pub async fn send_now(
        &self,
        message: MessageId,
        client: Option<ClientRef>,
    ) -> Result<(), CommandError> {
        self.tell(Input::SendNow { message, client }).await
    }

    /// Begins none of the messages that wait now before they are let go on.
    pub async fn hold_queue(&self, client: Option<ClientRef>) -> Result<(), CommandError> {
        self.tell(Input::HoldQueue { client }).await
    }

    pub async fn release_queue(&self, client: Option<ClientRef>) -> Result<(), CommandError> {
        self.tell(Input::ReleaseQueue { client }).await
    }

    /// Asks the agent to stop the running turn, or what goes on in the background
    /// where no turn runs; kills it if it does not obey.
    pub async fn interrupt(&self) -> Result<(), CommandError> {
        self.tell(Input::Interrupt { by: None }).await
    }

    /// The same because somebody wants it: what waits is held for them.
    pub async fn interrupt_for(&self, client: ClientRef) -> Result<(), CommandError> {
        self.tell(Input::Interrupt { by: Some(client) }).await
    }

    /// Ends the process, whether it obeys or not, and with it a running turn.
    pub async fn kill(&self) -> Result<(), CommandError> {
        self.tell(Input::Kill).await
    }

    /// Lets an idle process go; the session stays.
    pub async fn close(&self) -> Result<(), CommandError> {
        self.tell(Input::Close).await
    }

    /// Begins nothing that waits from here on, because the owner is about to
    /// end. A turn that runs goes on.
    pub async fn hold(&self) -> Result<(), CommandError> {
        self.tell(Input::Hold).await
    }

    /// Takes an ended session up again; [`crate::Supervisor::resume`] finds a
    /// task for it.
    pub(crate) async fn resume(&self) -> Result<(), CommandError> {
        self.tell(Input::Resume).await
    }

    /// Runs with these options from the next process on.
    pub(crate) async fn set_options(&self, options: SessionOptions) -> Result<(), CommandError> {
        self.tell(Input::SetOptions(Box::new(options))).await
    }

    /// What the session may cost in all; none is as the settings say.
    pub async fn set_budget(&self, usd: Option<f64>) -> Result<(), CommandError> {
        self.tell(Input::SetBudget { usd }).await
    }

    /// What is done about a past that the agent lacks; what waits for that goes on.
    pub async fn choose_memory(&self, remedy: Remedy) -> Result<(), CommandError> {
        let chosen = self.send_in(Addressed {
            memory: Some(remedy),
            ..Addressed::of(Input::ChooseMemory)
        });
        self.done(chosen.await?).map(drop)
    }

    pub async fn rename(&self, title: &str) -> Result<(), CommandError> {
        let title = title.to_owned();
        self.tell(Input::Rename { title }).await
    }

    /// Its project's folder is elsewhere from here on.
    pub(crate) async fn follow(&self, moved: Moved) -> Result<(), CommandError> {
        self.tell(Input::Follow(Box::new(moved))).await
    }

    pub async fn end(&self, status: EndStatus, reason: &str) -> Result<(), CommandError> {
        let reason = reason.to_owned();
        self.tell(Input::End { status, reason }).await
    }

    pub async fn set_model(&self, model: Option<String>) -> Result<(), CommandError> {
        self.tell(Input::SetModel { model }).await
    }

    pub async fn set_permission_mode(&self, mode: PermissionMode) -> Result<(), CommandError> {
        self.tell(Input::SetPermissionMode { mode }).await
    }

    /// Puts files back to where they were at a message; `dry_run` only says which.
    pub async fn rewind(
        &self,
        checkpoint: MessageId,
        dry_run: bool,
    ) -> Result<Rewound, CommandError> {
        let input = Input::Rewind {
            checkpoint,
            dry_run,
        };
        match self.ask(input, None).await? {
            Outcome::Answered(answer) => Ok(rewound(&answer)),
            Outcome::Done(_) => Ok(Rewound::default()),
        }
    }

    /// Which MCP servers the agent has, in its own words. Starts it if need be.
    pub async fn mcp_status(&self) -> Result<Json, CommandError> {
        match self.ask(Input::McpStatus, None).await? {
            Outcome::Answered(answer) => Ok(answer),
            Outcome::Done(_) => Ok(Json::null()),
        }
    }

    /// Ends one sub-agent or background command, by its id.
    pub async fn stop_task(&self, task_id: &str) -> Result<(), CommandError> {
        let task_id = task_id.to_owned();
        self.tell(Input::StopTask { task_id }).await
    }

    /// What the agent told its host of itself when it came up: its models,
    /// commands and account. Starts it if need be.
    pub async fn greeting(&self) -> Result<Json, CommandError> {
        if self.greeting.borrow().is_none() {
            // Any question waits until the agent is up.
            self.mcp_status().await?;
        }
        let told = self.greeting.borrow().clone();
        told.ok_or_else(|| CommandError::Agent("it told nothing of itself".into()))
    }

    /// What the agent told of its slash commands when it came up, each with its
    /// `name`, `description` and `argumentHint`. None that has not come up yet.
    pub fn told_commands(&self) -> Option<Json> {
        let told = self.greeting.borrow();
        let commands = told.as_ref()?.value().get("commands").cloned();
        commands.map(|commands| Json::of(&commands))
    }

    /// Waits until all that happened elsewhere so far is in the log. Refused
    /// while somebody's process runs the session there.
    pub(crate) async fn catch_up(&self) -> Result<(), Rejected> {
        // What runs here is not elsewhere.
        let runs_here = self.progress.borrow().has_process;
        let Some(watcher) = self.watcher.as_ref().filter(|_| !runs_here) else {
            return Ok(());
        };
        let (done, answer) = oneshot::channel();
        // A watcher that is gone has nothing more to tell.
        if watcher.send(done).await.is_err() {
            return Ok(());
        }
        answer.await.unwrap_or(Ok(()))
    }

    /// Records what was seen elsewhere; `create` with the first of it.
    pub(crate) async fn observe(
        &self,
        seen: Vec<Observed>,
        create: Option<NewSession>,
    ) -> Result<(), CommandError> {
        let input = Input::Observed(seen);
        self.ask(input, create).await.map(|_| ())
    }

    pub(crate) async fn create(&self, input: Input, new: NewSession) -> Result<(), CommandError> {
        self.ask(input, Some(new)).await.map(|_| ())
    }

    async fn tell(&self, input: Input) -> Result<(), CommandError> {
        self.ask(input, None).await.map(|_| ())
    }

    #[expect(
        clippy::unused_self,
        reason = "reads as a step of the session's answer"
    )]
    fn done(&self, outcome: Outcome) -> Result<Reply, CommandError> {
        match outcome {
            Outcome::Done(reply) => Ok(reply),
            Outcome::Answered(_) => Err(CommandError::Gone),
        }
    }

    async fn ask(&self, input: Input, create: Option<NewSession>) -> Result<Outcome, CommandError> {
        self.send_in(Addressed {
            create,
            ..Addressed::of(input)
        })
        .await
    }

    async fn send_in(&self, addressed: Addressed) -> Result<Outcome, CommandError> {
        let (reply, answer) = oneshot::channel();
        let resumes = addressed.input == Input::Resume;
        let gone = || {
            // An ended session has no task; whoever resumes it opens another.
            if self.progress.borrow().ended && !resumes {
                return CommandError::from(Rejected::Ended);
            }
            CommandError::Gone
        };
        let message = Message { addressed, reply };
        self.inbox.send(message).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

fn too_large(what: &'static str, bytes: usize, most: usize) -> Result<(), CommandError> {
    if bytes > most {
        let limit = most >> 20;
        return Err(CommandError::TooLarge { what, limit });
    }
    Ok(())
}
