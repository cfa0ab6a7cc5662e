//! Every command: the closed list, and all that is to be said of each.
//!
//! A row of the table below has a command's name, what is sent with it and what
//! it is answered with, who may send it, what keeps it within one project,
//! whether others wait behind it, whether it makes room on a full disk, and what
//! of its answer a screen must be able to cover. Every transport, the OpenAPI
//! document and the command line are made of it or checked against its types.
//! A new command is a row, a body, an arm where commands are carried out, and a
//! route if HTTP has it.

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    answer::DoctorReport,
    approval::{Approve, ListPastApprovals, OpenApprovals, PastApprovals},
    choice::{AgentChoices, ListChoices},
    clone::{CloneBody, CloneId, Cloned},
    facts::SessionView,
    part::{Done, ListPart, Nothing, Part},
    problem::{Problem, ProblemCode},
    project::{
        Diff, DiffBody, FileList, FileView, FindFiles, Folders, FoundFiles, ListFiles, ListFolders,
        ListProjects, Project, ProjectAdd, ProjectMove, ProjectName, ProjectUpdate, Projects,
        ReadFile, Scanned, SearchFiles, SearchedFiles,
    },
    records::{Backup, BackupMade, Retained, Search, SearchHits, UsageQuery, UsageReport},
    review::{
        CommentAdd, CommentRemove, CommentResolve, ListComments, ReviewComment, ReviewComments,
    },
    rule::{
        OfferedRules, Rule, RuleBody, RulePreview, RuleRemove, RuleTried, RulesOffered, RulesTake,
    },
    session::{
        Budget, Checkpoints, Fork, History, Import, ListSessions, MemoryBody, MessageAnswer,
        MessageBody, Model, PastSessions, PermissionModeBody, QueueEdit, QueueMove, Rewind,
        Rewound, SendNow, Sessions, SlashCommands, StopTask, TakeBack, Title,
    },
    trust::{FolderTrust, TrustBody},
    warm::{Warm, Warmed},
};
use crate::{
    options::Create,
    row::SessionRow,
    words::{AccessScope, Json},
};

/// One row of the table, as a type.
pub trait Ask {
    /// What is sent.
    type Body: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// What comes back.
    type Answer: Serialize + DeserializeOwned + JsonSchema + Send + 'static;

    const NAME: &'static str;
    /// What a client needs to be allowed to send it.
    const SCOPE: AccessScope;
    /// Whether it can be kept within one project.
    const IN_PROJECT: bool;

    fn command(body: Self::Body) -> Command;
}

/// What keeps a command within one project.
#[derive(Debug, PartialEq)]
pub enum Within<'a> {
    /// The session that it is about. It is never without one.
    Session,
    /// The project that it names.
    Project(&'a mut String),
    /// The project that it may name.
    SomeProject(&'a mut Option<String>),
    /// Its answer has only what belongs there.
    Answer,
    /// What its payload says, looked at closely.
    Payload,
    /// Nothing: it is about all projects, or about the machine.
    Nothing,
}

/// Whether a command may wait for an agent, a disk or a program, so that others
/// of the same client must not wait behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    AtOnce,
    Waits,
}

/// What a command does on a full disk: one that stops or removes something may
/// use the room that is kept for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Needs,
    Frees,
}

/// What an answer holds. In requests of agents, texts that look like credentials
/// are pointed out to screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tells {
    Facts,
    Requests,
}

macro_rules! within {
    (Session, $body:ident) => {
        Within::Session
    };
    (Project, $body:ident) => {
        Within::Project(&mut $body.project)
    };
    (SomeProject, $body:ident) => {
        Within::SomeProject(&mut $body.project)
    };
    ($other:ident, $body:ident) => {
        Within::$other
    };
}

macro_rules! in_project {
    (Nothing) => {
        false
    };
    ($other:ident) => {
        true
    };
}

macro_rules! needs_session {
    (Session) => {
        true
    };
    ($other:ident) => {
        false
    };
}

macro_rules! commands {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $body:ty => $answer:ty:
        $scope:ident, $within:ident, $pace:ident, $room:ident, $tells:ident;)+) => {
        /// Something a client asks for.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Command { $($(#[$doc])* $variant($body),)+ }

        /// The rows of the table, as types.
        pub mod ask {
            $($(#[$doc])* #[derive(Debug)] pub enum $variant {})+
        }

        $(impl Ask for ask::$variant {
            type Body = $body;
            type Answer = $answer;

            const NAME: &'static str = $name;
            const SCOPE: AccessScope = AccessScope::$scope;
            const IN_PROJECT: bool = in_project!($within);

            fn command(body: $body) -> Command {
                Command::$variant(body)
            }
        })+

        impl Command {
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)+ }
            }

            /// What a client needs to be allowed to send it.
            pub const fn scope(&self) -> AccessScope {
                match self { $(Self::$variant(_) => AccessScope::$scope,)+ }
            }

            pub const fn needs_session(&self) -> bool {
                match self { $(Self::$variant(_) => needs_session!($within),)+ }
            }

            /// What keeps it within one project, to be put in where it is named.
            #[expect(unused_variables, reason = "not all of them name a project")]
            pub const fn within(&mut self) -> Within<'_> {
                match self { $(Self::$variant(body) => within!($within, body),)+ }
            }

            pub const fn pace(&self) -> Pace {
                match self { $(Self::$variant(_) => Pace::$pace,)+ }
            }

            pub const fn room(&self) -> Room {
                match self { $(Self::$variant(_) => Room::$room,)+ }
            }

            pub const fn tells(&self) -> Tells {
                match self { $(Self::$variant(_) => Tells::$tells,)+ }
            }

            /// Reads a command's payload; absent is the same as empty.
            pub fn parse(name: &str, payload: Option<&Json>) -> Result<Self, Problem> {
                match name {
                    $($name => body(name, payload).map(Self::$variant),)+
                    _ => Err(Problem::new(ProblemCode::UnknownCommand, format!(
                        "`{}` is no command; there are: {}",
                        name.chars().take(80).collect::<String>(), Self::NAMES.join(", "),
                    ))),
                }
            }

            pub fn payload(&self) -> Json {
                match self { $(Self::$variant(body) => Json::of(body),)+ }
            }
        }
    };
}

commands! {
    /// Makes a session, and sends it its first message if there is one.
    Create = "create", Box<Create> => SessionRow: Operate, Project, AtOnce, Needs, Facts;
    /// Makes a session of the demo agent in a folder of its own, which is listed
    /// as a project.
    TryDemo = "try-demo", Nothing => SessionRow: Operate, Nothing, AtOnce, Needs, Facts;
    Message = "message", MessageBody => MessageAnswer: Operate, Session, AtOnce, Needs, Facts;
    /// Takes a queued message back.
    TakeBack = "take_back", TakeBack => Done: Operate, Session, AtOnce, Frees, Facts;
    /// Changes the text of a queued message.
    QueueEdit = "queue.edit", QueueEdit => Done: Operate, Session, AtOnce, Needs, Facts;
    /// Gives a queued message another place.
    QueueMove = "queue.move", QueueMove => Done: Operate, Session, AtOnce, Needs, Facts;
    /// Begins a queued message as soon as can be: a running turn is stopped for it.
    SendNow = "queue.now", SendNow => Done: Operate, Session, AtOnce, Needs, Facts;
    /// Begins none of the messages that wait now before they are let go on.
    QueueHold = "queue.hold", Nothing => Done: Operate, Session, AtOnce, Frees, Facts;
    /// Lets the messages go on that are held.
    QueueRelease = "queue.release", Nothing => Done: Operate, Session, AtOnce, Needs, Facts;
    /// Stops the running turn, and holds the messages that wait; where none runs,
    /// all that goes on in the background.
    Interrupt = "interrupt", Nothing => Done: Operate, Session, AtOnce, Frees, Facts;
    /// Stops one sub-agent or background command.
    StopTask = "stop-task", StopTask => Done: Operate, Session, Waits, Frees, Facts;
    /// Ends the session.
    Stop = "stop", Nothing => Done: Operate, Session, Waits, Frees, Facts;
    /// Takes an ended session up again.
    Resume = "resume", Nothing => Done: Operate, Session, AtOnce, Needs, Facts;
    Fork = "fork", Fork => SessionRow: Operate, Session, AtOnce, Needs, Facts;
    Model = "model", Model => Done: Operate, Session, Waits, Needs, Facts;
    PermissionMode = "permission-mode", PermissionModeBody => Done: Operate, Session, Waits, Needs, Facts;
    /// Puts files back, and answers what the agent said about it.
    Rewind = "rewind", Rewind => Rewound: Operate, Session, Waits, Needs, Facts;
    Checkpoints = "checkpoints", ListPart => Checkpoints: Observe, Session, AtOnce, Needs, Facts;
    Title = "title", Title => Done: Operate, Session, AtOnce, Needs, Facts;
    /// Changes what a session may cost.
    Budget = "budget", Budget => Done: Operate, Session, AtOnce, Needs, Facts;
    /// Chooses what is done about a past that the agent lacks.
    Memory = "memory", MemoryBody => Done: Operate, Session, AtOnce, Needs, Facts;
    Approve = "approve", Approve => Done: Operate, Payload, AtOnce, Frees, Facts;
    /// Lists sessions.
    Sessions = "sessions", ListSessions => Sessions: Observe, SomeProject, AtOnce, Needs, Facts;
    /// One session with what is open in it.
    Session = "session", Nothing => SessionView: Observe, Session, AtOnce, Needs, Requests;
    /// Removes an ended session from the log, with its files.
    Delete = "delete", Nothing => Done: Operate, Session, Waits, Frees, Facts;
    /// Open approvals, of one session or of all.
    Approvals = "approvals", ListPart => OpenApprovals: Observe, Answer, AtOnce, Needs, Requests;
    /// Approvals that were answered, the newest first.
    PastApprovals = "approvals.past", ListPastApprovals => PastApprovals: Observe, SomeProject, AtOnce, Needs, Requests;
    /// Every rule there is.
    Rules = "rules", ListPart => Part<Rule>: Observe, Answer, AtOnce, Needs, Facts;
    RuleAdd = "rule.add", RuleBody => Rule: Operate, Payload, AtOnce, Needs, Facts;
    RuleRemove = "rule.remove", RuleRemove => Done: Operate, Payload, AtOnce, Needs, Facts;
    /// What a rule would have decided on past requests. It tells what stands in
    /// them, so it is not for who sees no secrets.
    RulePreview = "rule.preview", RulePreview => Part<RuleTried>: Operate, SomeProject, AtOnce, Needs, Facts;
    /// Rules that the agent's own settings have. It reads the disk where the
    /// client says, so it is not for everyone.
    RulesOffered = "rules.offered", RulesOffered => OfferedRules: Operate, SomeProject, AtOnce, Needs, Facts;
    /// Takes some of them over.
    RulesTake = "rules.take", RulesTake => Part<Rule>: Operate, Payload, AtOnce, Needs, Facts;
    /// What a folder would run by itself; with `accept`, the answer to it. It
    /// reads the disk where the client says, so reading it is not for everyone.
    Trust = "trust", TrustBody => FolderTrust: Operate, Project, AtOnce, Needs, Facts;
    /// What the agent has on disk for a folder and Baton did not begin. It reads
    /// the disk where the client says, so it is not for everyone.
    History = "history", History => PastSessions: Operate, Project, AtOnce, Needs, Facts;
    /// Makes a session of one of these.
    Import = "import", Import => SessionRow: Operate, Project, AtOnce, Needs, Facts;
    /// The agent's slash commands, and which of them are not sent to it.
    Commands = "commands", ListPart => SlashCommands: Observe, Session, AtOnce, Needs, Facts;
    /// What an agent lets people choose for a session in a project.
    Choices = "choices", ListChoices => AgentChoices: Operate, Project, AtOnce, Needs, Facts;
    /// Has an agent ready for a session that this connection is about to make.
    Warm = "warm", Warm => Warmed: Operate, Project, AtOnce, Needs, Facts;
    /// Lists projects.
    Projects = "projects", ListProjects => Projects: Observe, Nothing, Waits, Needs, Facts;
    /// One project.
    Project = "project", ProjectName => Project: Observe, Project, Waits, Needs, Facts;
    /// Folders of the machine that can become projects. It reads the disk where
    /// the client says, so it is not for everyone.
    Folders = "folders", ListFolders => Folders: Operate, Nothing, Waits, Needs, Facts;
    /// Lists a folder as a project.
    ProjectAdd = "project.add", ProjectAdd => Project: Operate, Nothing, AtOnce, Needs, Facts;
    /// Begins to get a repository, which is listed as a project once it is there.
    ProjectClone = "project.clone", CloneBody => Cloned: Operate, Nothing, Waits, Needs, Facts;
    /// How far that is.
    CloneState = "clone.state", CloneId => Cloned: Operate, Nothing, AtOnce, Needs, Facts;
    /// Ends it, and removes what is there of it.
    CloneCancel = "clone.cancel", CloneId => Cloned: Operate, Nothing, Waits, Frees, Facts;
    /// Takes a project off the list. Its files and sessions stay.
    ProjectRemove = "project.remove", ProjectName => (): Operate, Nothing, AtOnce, Needs, Facts;
    ProjectUpdate = "project.update", ProjectUpdate => Project: Operate, Project, AtOnce, Needs, Facts;
    /// Tells that a project's folder was moved: all that belongs to it follows.
    ProjectMove = "project.move", ProjectMove => Project: Operate, Nothing, Waits, Needs, Facts;
    /// Looks for projects where the settings say, and where the agent was used.
    ProjectScan = "project.scan", Nothing => Scanned: Operate, Nothing, Waits, Needs, Facts;
    /// Lists a folder of a project.
    Files = "files", ListFiles => FileList: Observe, Project, Waits, Needs, Facts;
    /// Finds files of a whole project by letters of their paths.
    FilesFind = "files.find", FindFiles => FoundFiles: Observe, Project, Waits, Needs, Facts;
    /// Looks for words in the files of a project. What is masked could be found
    /// letter by letter, so it is not for who sees no secrets.
    FilesSearch = "files.search", SearchFiles => SearchedFiles: Operate, Project, Waits, Needs, Facts;
    /// Shows a file of a project.
    File = "file", ReadFile => FileView: Observe, Project, Waits, Needs, Facts;
    /// How a project's work tree differs from its last commit.
    Diff = "diff", DiffBody => Diff: Observe, Project, Waits, Needs, Facts;
    /// Review comments on a project's files.
    Comments = "comments", ListComments => ReviewComments: Observe, Project, Waits, Needs, Facts;
    /// Keeps a review comment.
    CommentAdd = "comment.add", CommentAdd => ReviewComment: Operate, Project, Waits, Needs, Facts;
    /// Settles a review comment, or opens it again.
    CommentResolve = "comment.resolve", CommentResolve => ReviewComment: Operate, Project, Waits, Needs, Facts;
    /// Takes a review comment off the list for good.
    CommentRemove = "comment.remove", CommentRemove => (): Operate, Project, Waits, Needs, Facts;
    /// Looks for words in everything that was said.
    Search = "search", Search => SearchHits: Observe, SomeProject, AtOnce, Needs, Facts;
    /// Cost and tokens by day, project and model.
    Usage = "usage", UsageQuery => UsageReport: Observe, SomeProject, AtOnce, Needs, Facts;
    /// Writes a copy of the log.
    Backup = "backup", Backup => BackupMade: Admin, Nothing, Waits, Needs, Facts;
    /// Removes now what the settings let go.
    Retain = "retain", Nothing => Retained: Admin, Nothing, AtOnce, Frees, Facts;
    /// Whether everything is here that Baton needs. It runs programs.
    Doctor = "doctor", Nothing => DoctorReport: Operate, Nothing, Waits, Needs, Facts;
}

fn body<T: DeserializeOwned>(command: &str, payload: Option<&Json>) -> Result<T, Problem> {
    let text = payload.map_or("{}", Json::text);
    let text = if text == "null" { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| {
        Problem::new(
            ProblemCode::InvalidRequest,
            format!("the payload of `{command}` is wrong: {error}"),
        )
    })
}
