//! What clients and the daemon say to each other: frames, commands, problems.
//!
//! The same messages travel over every transport; a transport adds framing and
//! sign-in, never meaning. Commands are named as the last part of their HTTP
//! path, and their payloads are the HTTP bodies.
//!
//! Input is read strictly: an unknown field in a payload is refused, because a
//! misspelt restriction would otherwise be no restriction.

mod agent;
mod answer;
mod approval;
mod choice;
mod clone;
mod command;
mod config;
mod facts;
mod frame;
mod host;
mod http;
mod part;
mod problem;
mod project;
mod records;
mod review;
mod rule;
mod session;
mod sign_in;
mod trust;
mod warm;

pub use crate::{
    options::Create,
    row::{LabelledCall, Retrying, SessionRow, SessionStatus},
};
pub use agent::{AgentFound, AgentMissing, Capabilities, GateLevel};
pub use answer::{DoctorCheck, DoctorReport, DoctorVerdict, Status, StatusCounts};
pub use approval::{
    Approve, ListPastApprovals, OpenApproval, OpenApprovals, PastApproval, PastApprovals,
    WaitingApproval,
};
pub use choice::{AgentChoices, ListChoices, ModelChoice};
pub use clone::{CloneBody, CloneId, CloneState, Cloned};
pub use command::{Ask, Command, Pace, Room, Tells, Within, ask};
pub use config::{
    ChangedVariable, KeepAwake, LeftOut, NamedProject, Reloaded, Restart, Running, ShownSetting,
    ShownVariable, VariableChange, daemon_answer, read_daemon_answer,
};
pub use facts::{
    ChangedFiles, PastPart, QueuedMessage, RunningTool, SessionFacts, SessionView, SubAgent,
};
pub use frame::{
    AddProject, BadFrame, ClientFrame, DaemonCommand, GetStatus, ServerFrame, Shutdown,
};
pub use host::{
    GetConfig, HostCommand, ListDevices, MakeLink, ReloadConfig, RevokeDevice, RotateToken,
    SetKeepAwake, SetPin, Tell,
};
pub use http::{
    EventPage, EventsQuery, ExportFormat, ExportQuery, Health, StoredEnvelope, UploadQuery,
    Uploaded,
};
pub use part::{Done, ListPart, Nothing, Part};
pub use problem::{FieldError, Problem, ProblemCode};
pub use project::{
    ChangeKind, ContentKind, Diff, DiffBody, DiffHunk, DiffKind, DiffRow, FileDiff, FileEntry,
    FileKind, FileList, FileView, FindFiles, FolderEntry, Folders, FoundFile, FoundFiles,
    FoundLine, FoundText, ListFiles, ListFolders, ListProjects, Project, ProjectAdd, ProjectMove,
    ProjectName, ProjectUpdate, Projects, ReadFile, Scanned, SearchFiles, SearchedFiles,
};
pub use records::{
    Backup, BackupMade, RemovedSession, Retained, Search, SearchHit, SearchHits, UsageItem,
    UsageQuery, UsageReport,
};
pub use review::{
    CommentAdd, CommentRemove, CommentResolve, FileComments, ListComments, Resolution,
    ReviewComment, ReviewComments, Severity,
};
pub use rule::{
    OfferedRule, OfferedRules, Rule, RuleBody, RuleChoice, RulePreview, RuleRemove, RuleTried,
    RulesOffered, RulesTake,
};
pub use session::{
    AttachmentBody, Budget, Checkpoint, Checkpoints, Fork, History, Import, ListSessions,
    LiveProcess, MemoryBody, MessageAnswer, MessageBody, Model, PastSession, PastSessions,
    PermissionModeBody, QueueEdit, QueueMove, Rewind, Rewound, SendNow, SessionUpdate, Sessions,
    SlashCommand, SlashCommands, StopTask, TakeBack, Title,
};
pub use sign_in::{
    Device, Devices, LinkAnswer, LinkBody, LoginAnswer, LoginBody, Secret, ShareAnswer, ShareBody,
};
pub use trust::{FolderItem, FolderItemKind, FolderTrust, TrustBody};
pub use warm::{Warm, WarmState, Warmed};

#[cfg(test)]
#[path = "api_tests.rs"]
mod tests;
