//! One client: its frames in, frames to it out, whatever carries them.
//!
//! Commands are carried out in the order they came, except those that wait for
//! an agent. What goes out passes one queue with a bound: when it is full, the
//! client's own subscriptions and replies wait, and nobody else.

mod changes;
mod follow;

pub(crate) use self::follow::{Follow, Sent};

use std::{collections::BTreeMap, sync::Arc};

use baton_protocol::{
    Seq, SessionId,
    api::{
        ClientFrame, Command, DaemonCommand, Done, HostCommand, NamedProject, Pace, Problem,
        ProblemCode, Project, ProjectAdd, ProjectUpdate, ServerFrame, daemon_answer,
    },
    words::{ClientRef, Json},
};
use serde::Serialize;
use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::{
    api::{Api, ConnectionSlot, Lease, Rights},
    sight::Sight,
};

/// Frames that may wait for a client. When full, what would add to them waits;
/// sessions do not: a subscription reads the log when it is its turn again.
pub const QUEUE: usize = 64;

/// Sessions that one client may follow at once. One more is refused.
const MAX_SUBSCRIPTIONS: usize = 512;

/// Commands of one client that may wait for agents at once. One more makes the
/// client's next frame wait.
const MAX_WAITING: usize = 16;

/// Text on its way out. On a socket it is one or more frames, with a newline
/// between each two and none in any.
pub type Line = bytes::Bytes;

/// What a client follows: a session, or the list of them.
type Topic = Option<SessionId>;

/// One client of the [`Api`].
#[derive(Debug)]
pub struct Connection {
    api: Arc<Api>,
    client: ClientRef,
    /// What a client from elsewhere may do; whoever may open the control
    /// socket may do everything.
    rights: Option<Rights>,
    out: mpsc::Sender<Line>,
    following: BTreeMap<Topic, Following>,
    tasks: JoinSet<()>,
    waiting: Arc<Semaphore>,
    cancel: CancellationToken,
    /// What it has made ready for a session that it is about to make.
    lease: Lease,
    _place: ConnectionSlot,
}

/// A subscription: how to end it, and whether it has.
#[derive(Debug, Clone)]
struct Following {
    cancel: CancellationToken,
    done: CancellationToken,
}

impl Connection {
    /// A client that was let in. What is for it goes to `out`, which should
    /// have room for [`QUEUE`] frames.
    pub fn open(
        api: &Arc<Api>,
        client: ClientRef,
        out: mpsc::Sender<Line>,
    ) -> Result<Self, Problem> {
        Ok(Self::at(api.place()?, api, client, None, out))
    }

    /// A client that signed in. It is who it signed in as, whatever it says.
    pub(crate) fn of_guest(
        place: ConnectionSlot,
        api: &Arc<Api>,
        rights: Rights,
        out: mpsc::Sender<Line>,
    ) -> Self {
        let client = rights.client.clone();
        Self::at(place, api, client, Some(rights), out)
    }

    fn at(
        place: ConnectionSlot,
        api: &Arc<Api>,
        client: ClientRef,
        rights: Option<Rights>,
        out: mpsc::Sender<Line>,
    ) -> Self {
        api.watch_queue(&out);
        Self {
            lease: Lease::new(api),
            _place: place,
            api: Arc::clone(api),
            client,
            rights,
            out,
            following: BTreeMap::new(),
            tasks: JoinSet::new(),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            cancel: CancellationToken::new(),
        }
    }

    /// Takes one frame. It waits while the client does not read its answers.
    pub async fn frame(&mut self, text: &[u8]) {
        while self.tasks.try_join_next().is_some() {}
        match ClientFrame::parse(text) {
            Err(bad) => self.refuse(bad.id, bad.problem).await,
            Ok(ClientFrame::Hello { client, .. }) => {
                if let Some(client) = client.filter(|_| self.rights.is_none()) {
                    self.client = client;
                }
                let facts = self.api.facts();
                let welcome = ServerFrame::Welcome {
                    version: facts.version.clone(),
                    pid: facts.pid,
                };
                self.send(&welcome).await;
            }
            Ok(ClientFrame::Subscribe { id, session, after }) => {
                let followed = self.subscribe(session, after).await;
                self.answer(id, followed).await;
            }
            Ok(ClientFrame::Unsubscribe { id, session }) => {
                if let Some(following) = self.following.remove(&session) {
                    following.cancel.cancel();
                    following.done.cancelled().await;
                }
                self.answer(id, Ok(())).await;
            }
            Ok(ClientFrame::Command {
                id,
                command,
                session,
                payload,
            }) => match Command::parse(&command, payload.as_ref()) {
                Err(problem) => self.refuse(Some(id), problem).await,
                Ok(command) => self.command(id, session, command).await,
            },
            Ok(ClientFrame::Ping) => self.send(&ServerFrame::Pong).await,
            Ok(ClientFrame::Daemon(command)) => self.daemon(command).await,
        }
    }

    /// Tells the client that a frame of its was too long to be read.
    pub async fn too_long(&mut self, bytes: u64, limit: usize) {
        let detail = format!("a message of {bytes} bytes was skipped; at most {limit} are read");
        self.refuse(None, Problem::new(ProblemCode::TooLong, detail))
            .await;
    }

    /// Ends what the client followed and waits for it. Commands that were
    /// taken go on: they change sessions, not this client.
    pub async fn close(mut self) {
        self.cancel.cancel();
        while self.tasks.join_next().await.is_some() {}
        if let Some(agents_kept) = self.api.goodbye() {
            self.send(&ServerFrame::Goodbye { agents_kept }).await;
        }
    }

    async fn command(&mut self, id: String, session: Option<SessionId>, mut command: Command) {
        let api = Arc::clone(&self.api);
        let (client, rights) = (self.client.clone(), self.rights.clone());
        if let Command::Warm(body) = &mut command {
            body.lease = Some(self.lease.id());
        }
        let pace = command.pace();
        let performing = async move {
            match rights {
                Some(rights) => api.perform_for(&rights, session, command).await,
                None => api.perform(&client, session, command).await,
            }
        };
        if pace == Pace::AtOnce {
            return reply(&self.out, id, performing.await).await;
        }
        let Ok(place) = Arc::clone(&self.waiting).acquire_owned().await else {
            return;
        };
        let out = self.out.clone();
        let waiting = async move {
            let result = performing.await;
            drop(place);
            reply(&out, id, result).await;
        };
        self.tasks.spawn(waiting.in_current_span());
    }

    async fn subscribe(&mut self, topic: Topic, after: Seq) -> Result<(), Problem> {
        self.following
            .retain(|_, following| !following.done.is_cancelled());
        if self.following.len() >= MAX_SUBSCRIPTIONS && !self.following.contains_key(&topic) {
            let detail = format!("one client follows at most {MAX_SUBSCRIPTIONS} sessions");
            return Err(Problem::new(ProblemCode::TooMany, detail));
        }
        // Who subscribes again begins again; nothing of the old may come after.
        if let Some(old) = self.following.remove(&topic) {
            old.cancel.cancel();
            old.done.cancelled().await;
        }
        let following = Following {
            cancel: self.cancel.child_token(),
            done: CancellationToken::new(),
        };
        let done = following.done.clone().drop_guard();
        let cancel = following.cancel.clone();
        let out = self.out.clone();
        match topic {
            Some(session) => {
                if let Some(rights) = &self.rights {
                    self.api.within(rights, session).await?;
                }
                let head = self.api.head(session).await?;
                let handle = self.api.open(session).await?;
                let follow = follow::Follow {
                    handle,
                    after,
                    head,
                    out,
                    cancel,
                    framing: follow::frames,
                    sight: self.sight(),
                    leaves: None,
                };
                let following = async move {
                    follow.run().await;
                    drop(done);
                };
                self.tasks.spawn(following.in_current_span());
            }
            None => {
                if let Some(rights) = &self.rights {
                    rights.whole()?;
                }
                let store = self.api.store().clone();
                let limit = self.rights.as_ref().and_then(Rights::limit);
                let of = changes::Of {
                    project: limit,
                    sight: self.sight(),
                };
                self.tasks.spawn(async move {
                    changes::send_changes(store, of, out, cancel).await;
                    drop(done);
                });
            }
        }
        self.following.insert(topic, following);
        Ok(())
    }

    /// How much this client sees.
    fn sight(&self) -> Sight {
        let rights = self.rights.as_ref();
        rights.map_or(Sight::Whole, |rights| Sight::of(rights.scope))
    }

    async fn daemon(&mut self, command: DaemonCommand) {
        if self.rights.is_some() {
            let detail = "only the control socket takes messages to the daemon itself";
            let problem = Problem::new(ProblemCode::UnknownCommand, detail);
            return self.refuse(None, problem).await;
        }
        let named = |project: Project| NamedProject { slug: project.slug };
        let answer = match command {
            DaemonCommand::AddProject { path } => {
                let added = self.api.add_project(ProjectAdd { path, title: None });
                told(added.await.map(named))
            }
            DaemonCommand::RemoveProject { slug } => {
                let removed = self.api.remove_project(&slug).await;
                told(removed.map(|()| Done {}))
            }
            DaemonCommand::SetProjectTitle {
                slug: project,
                title,
            } => {
                let titled = self.api.update_project(ProjectUpdate { project, title });
                told(titled.await.map(named))
            }
            DaemonCommand::GetStatus => told(self.api.status().await),
            DaemonCommand::Shutdown(how) => {
                // Said first, so that the one who asks hears it.
                let ok = told(Ok(Done {}));
                self.send(&ServerFrame::Daemon(ok)).await;
                return self.api.request_shutdown(how);
            }
            DaemonCommand::Host(command) => self.api.host(command).await,
            DaemonCommand::Other { cmd } => {
                let name: String = cmd.chars().take(80).collect();
                daemon_answer::<Done>(Err(format!(
                    "`{name}` is no command of this version; there are: add_project, get_status, remove_project, set_project_title, shutdown, {}",
                    HostCommand::NAMES.join(", ")
                )))
            }
        };
        self.send(&ServerFrame::Daemon(answer)).await;
    }

    /// Answers only who gave an id, except with a problem.
    async fn answer(&self, id: Option<String>, result: Result<(), Problem>) {
        match (id, result) {
            (id, Err(problem)) => self.refuse(id, problem).await,
            (Some(id), Ok(())) => reply(&self.out, id, Ok(Json::null())).await,
            (None, Ok(())) => {}
        }
    }

    async fn refuse(&self, id: Option<String>, problem: Problem) {
        self.send(&ServerFrame::refused(id, problem)).await;
    }

    async fn send(&self, frame: &ServerFrame) {
        send(&self.out, frame).await;
    }
}

async fn reply(out: &mpsc::Sender<Line>, id: String, result: Result<Json, Problem>) {
    let frame = match result {
        Ok(result) => ServerFrame::ok(id, result),
        Err(problem) => ServerFrame::refused(Some(id), problem),
    };
    send(out, &frame).await;
}

/// Waits for room. A client that is gone needs nothing.
async fn send(out: &mpsc::Sender<Line>, frame: &ServerFrame) {
    match serde_json::to_string(frame) {
        Ok(line) => drop(out.send(line.into()).await),
        Err(error) => tracing::error!(%error, "a frame cannot be written"),
    }
}

fn told<T: Serialize>(result: Result<T, Problem>) -> Json {
    daemon_answer(result.map_err(|problem| problem.detail))
}
