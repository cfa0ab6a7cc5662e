//! Frames: one JSON object each, in both directions.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::{
    answer::Status,
    command::Command,
    config::NamedProject,
    host::{HostCommand, Tell},
    part::Done,
    problem::{Problem, ProblemCode},
    sign_in::Secret,
};
use crate::{
    id::SessionId,
    row::SessionRow,
    seq::Seq,
    words::{ClientRef, Json},
};

/// What a client says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum ClientFrame {
    /// Who it is, for the log; over a WebSocket that did not sign in by header,
    /// the first message, with a token.
    Hello {
        #[serde(skip_serializing_if = "Option::is_none")]
        client: Option<ClientRef>,
        #[serde(skip_serializing_if = "Option::is_none")]
        token: Option<Secret>,
    },
    /// A session's events after a number, then live; without a session, changes
    /// of the list of sessions.
    Subscribe {
        /// Comes back with the reply.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        #[schemars(default)]
        after: Seq,
    },
    /// No more of it.
    Unsubscribe {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
    },
    /// Payloads are the bodies of HTTP, with what its paths say; they are read by
    /// [`Command::parse`].
    Command {
        /// Comes back with the reply.
        id: String,
        #[schemars(schema_with = "command_names")]
        command: String,
        #[serde(rename = "sessionId", skip_serializing_if = "Option::is_none")]
        session: Option<SessionId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        payload: Option<Json>,
    },
    /// Is answered with `pong`.
    Ping,
    /// The daemon's own messages, which only the control socket takes.
    #[serde(untagged)]
    #[schemars(skip)]
    Daemon(DaemonCommand),
}

fn command_names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": Command::NAMES})
}

/// What is asked of the daemon itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "cmd", rename_all = "snake_case")]
pub enum DaemonCommand {
    GetStatus,
    Shutdown(Shutdown),
    AddProject {
        path: String,
    },
    RemoveProject {
        slug: String,
    },
    /// No title calls the project by its folder.
    SetProjectTitle {
        slug: String,
        title: Option<String>,
    },
    #[serde(untagged)]
    Host(HostCommand),
    /// A name that means nothing, or nothing yet.
    #[serde(untagged)]
    Other {
        cmd: String,
    },
}

/// How the daemon stands, asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GetStatus;

/// A folder to be listed as a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddProject {
    pub path: String,
}

macro_rules! tells {
    ($($message:ident => $answer:ty: $command:expr;)+) => {
        $(impl Tell for $message {
            type Answer = $answer;
        }

        impl From<$message> for DaemonCommand {
            fn from(message: $message) -> Self {
                let command: fn($message) -> Self = $command;
                command(message)
            }
        })+
    };
}

tells! {
    GetStatus => Status: |_| Self::GetStatus;
    Shutdown => Done: Self::Shutdown;
    AddProject => NamedProject: |add| Self::AddProject { path: add.path };
}

impl DaemonCommand {
    /// What is missing is empty, which names nothing.
    fn of(wire: ClientWire) -> Self {
        let cmd = wire.cmd.unwrap_or_default();
        let slug = wire.slug.unwrap_or_default();
        match cmd.as_str() {
            "get_status" => Self::GetStatus,
            "shutdown" => Self::Shutdown(Shutdown {
                keep_agents: wire.keep_agents.unwrap_or_default(),
                force: wire.force.unwrap_or_default(),
                grace_ms: wire.grace_ms,
            }),
            "add_project" => Self::AddProject {
                path: wire.path.unwrap_or_default(),
            },
            "remove_project" => Self::RemoveProject { slug },
            "set_project_title" => Self::SetProjectTitle {
                slug,
                title: wire.title,
            },
            _ => Self::Other { cmd },
        }
    }
}

/// How the daemon ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shutdown {
    /// Lets agents go on under their holders.
    pub keep_agents: bool,
    /// Does not wait for running turns.
    pub force: bool,
    /// How long running turns are waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientWire {
    r#type: Option<String>,
    cmd: Option<String>,
    id: Option<String>,
    client: Option<ClientRef>,
    token: Option<Secret>,
    session_id: Option<SessionId>,
    after: Option<Seq>,
    command: Option<String>,
    payload: Option<Json>,
    keep_agents: Option<bool>,
    force: Option<bool>,
    grace_ms: Option<u64>,
    path: Option<String>,
    slug: Option<String>,
    title: Option<String>,
}

/// A frame that makes no sense, and its id, if it has one.
#[derive(Debug, Clone, PartialEq)]
pub struct BadFrame {
    pub id: Option<String>,
    pub problem: Problem,
}

impl ClientFrame {
    /// Reads one frame.
    pub fn parse(text: &[u8]) -> Result<Self, Box<BadFrame>> {
        let bad = |id, problem| Box::new(BadFrame { id, problem });
        let wire: ClientWire = serde_json::from_slice(text).map_err(|error| {
            let detail = format!("this is not a message: {error}");
            bad(None, Problem::new(ProblemCode::BadJson, detail))
        })?;
        let host = wire
            .cmd
            .as_deref()
            .and_then(|cmd| HostCommand::parse(cmd, text));
        if let Some(host) = host {
            let host = host.map_err(|problem| bad(None, problem))?;
            return Ok(Self::Daemon(DaemonCommand::Host(host)));
        }
        if wire.cmd.is_some() {
            return Ok(Self::Daemon(DaemonCommand::of(wire)));
        }
        let missing =
            |field: &str, id: Option<String>| bad(id, Problem::invalid(field, "it is missing"));
        match wire.r#type.as_deref() {
            Some("hello") => Ok(Self::Hello {
                client: wire.client,
                token: wire.token,
            }),
            Some("subscribe") => Ok(Self::Subscribe {
                id: wire.id,
                session: wire.session_id,
                after: wire.after.unwrap_or(Seq::START),
            }),
            Some("unsubscribe") => Ok(Self::Unsubscribe {
                id: wire.id,
                session: wire.session_id,
            }),
            Some("command") => {
                let command = wire
                    .command
                    .ok_or_else(|| missing("command", wire.id.clone()))?;
                Ok(Self::Command {
                    id: wire.id.ok_or_else(|| missing("id", None))?,
                    command,
                    session: wire.session_id,
                    payload: wire.payload,
                })
            }
            Some("ping") => Ok(Self::Ping),
            Some(other) => {
                let other: String = other.chars().take(80).collect();
                let detail = format!("`{other}` is no type of message");
                Err(bad(wire.id, Problem::invalid("type", detail)))
            }
            None => Err(missing("type", wire.id)),
        }
    }
}

/// What the daemon says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum ServerFrame {
    /// The answer to `hello`.
    Welcome { version: String, pid: u32 },
    /// A committed event, as it is stored.
    Event {
        #[schemars(schema_with = "envelope")]
        event: Json,
    },
    /// For the screen; made whole by a later event.
    Live {
        #[schemars(schema_with = "live_frame")]
        frame: Json,
    },
    /// Everything up to `seq` has been sent; from here on it is live.
    CaughtUp { session_id: SessionId, seq: Seq },
    /// The subscription is over: it was cancelled, or cannot go on.
    Unsubscribed {
        session_id: Option<SessionId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<Problem>,
    },
    /// The answer to what had an id.
    Reply {
        id: Option<String>,
        ok: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Json>,
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<Problem>,
        /// The problem in one sentence.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// Rows of sessions that changed, and sessions that are no longer there.
    Sessions {
        #[schemars(with = "Vec<SessionRow>")]
        items: Vec<Json>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        removed: Vec<SessionId>,
    },
    /// The answer to `ping`.
    Pong,
    /// The daemon ends, on purpose; the last frame. When agents are kept,
    /// another daemon will go on with them.
    Goodbye { agents_kept: bool },
    /// The answer to a message of the daemon's own.
    #[serde(untagged)]
    #[schemars(skip)]
    Daemon(Json),
}

/// Events and live frames are described by the document of their own.
pub(super) fn envelope(generator: &mut SchemaGenerator) -> Schema {
    defined(generator, "Envelope")
}

fn live_frame(generator: &mut SchemaGenerator) -> Schema {
    defined(generator, "LiveFrame")
}

fn defined(generator: &SchemaGenerator, name: &str) -> Schema {
    let path = &generator.settings().definitions_path;
    Schema::new_ref(format!("#{path}/{name}"))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServerWire {
    r#type: Option<String>,
    version: Option<String>,
    pid: Option<u32>,
    event: Option<Json>,
    frame: Option<Json>,
    session_id: Option<SessionId>,
    seq: Option<Seq>,
    id: Option<String>,
    ok: Option<bool>,
    result: Option<Json>,
    problem: Option<Problem>,
    error: Option<String>,
    items: Option<Vec<Json>>,
    removed: Option<Vec<SessionId>>,
    agents_kept: Option<bool>,
}

impl ServerFrame {
    pub fn ok(id: String, result: Json) -> Self {
        Self::Reply {
            id: Some(id),
            ok: true,
            result: Some(result),
            problem: None,
            error: None,
        }
    }

    pub fn refused(id: Option<String>, problem: Problem) -> Self {
        Self::Reply {
            id,
            ok: false,
            result: None,
            error: Some(problem.detail.clone()),
            problem: Some(problem),
        }
    }

    /// Adds the text of an `event` frame, without reading the event.
    pub fn push_event(text: &mut String, event: &str) {
        text.reserve(event.len() + 32);
        text.push_str(r#"{"type":"event","event":"#);
        text.push_str(event);
        text.push('}');
    }

    /// Adds the text of a `live` frame, from that of what it carries.
    pub fn push_live(text: &mut String, frame: &str) {
        text.reserve(frame.len() + 32);
        text.push_str(r#"{"type":"live","frame":"#);
        text.push_str(frame);
        text.push('}');
    }

    /// Reads one frame; none for a type that this version does not know.
    pub fn parse(text: &[u8]) -> Result<Option<Self>, serde_json::Error> {
        let wire: ServerWire = serde_json::from_slice(text)?;
        let Some(kind) = wire.r#type.as_deref() else {
            return Ok(Some(Self::Daemon(serde_json::from_slice(text)?)));
        };
        Ok(match kind {
            "welcome" => Some(Self::Welcome {
                version: wire.version.unwrap_or_default(),
                pid: wire.pid.unwrap_or_default(),
            }),
            "event" => wire.event.map(|event| Self::Event { event }),
            "live" => wire.frame.map(|frame| Self::Live { frame }),
            "caught_up" => wire
                .session_id
                .zip(wire.seq)
                .map(|(session_id, seq)| Self::CaughtUp { session_id, seq }),
            "unsubscribed" => Some(Self::Unsubscribed {
                session_id: wire.session_id,
                problem: wire.problem,
            }),
            "reply" => Some(Self::Reply {
                id: wire.id,
                ok: wire.ok.unwrap_or_default(),
                result: wire.result,
                problem: wire.problem,
                error: wire.error,
            }),
            "sessions" => wire.items.map(|items| Self::Sessions {
                items,
                removed: wire.removed.unwrap_or_default(),
            }),
            "pong" => Some(Self::Pong),
            "goodbye" => Some(Self::Goodbye {
                agents_kept: wire.agents_kept.unwrap_or_default(),
            }),
            _ => None,
        })
    }
}
