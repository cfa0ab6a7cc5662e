//! What clients and the daemon say to each other: frames, commands, problems.
//!
//! The same messages travel over every transport; a transport adds framing and
//! sign-in, never meaning. Commands are named as the last part of their HTTP
//! path, and their payloads are the HTTP bodies.
//!
//! Input is read strictly: an unknown field in a payload is refused, because a
//! misspelt restriction would otherwise be no restriction.

mod answer;
mod command;
mod frame;
mod host;
mod offered;
mod problem;
mod project;
mod records;
mod review;
mod sign_in;

pub use answer::{
    AgentFound, Checkpoint, Checkpoints, DoctorCheck, DoctorReport, DoctorVerdict, LiveProcess,
    MessageAnswer, PastSession, PastSessions, Sessions, SlashCommand, SlashCommands, Status,
    StatusCounts,
};
pub use command::{
    Approve, AttachmentBody, Budget, Command, Create, Fork, History, Import, ListPart,
    ListPastApprovals, ListSessions, Memory, MessageBody, Model, Nothing, PermissionModeBody,
    Rewind, RuleBody, RulePreview, RuleRemove, StopTask, TakeBack, Title, TrustBody,
};
pub use frame::{BadFrame, ClientFrame, DaemonCommand, ServerFrame, Shutdown};
pub use host::HostCommand;
pub use offered::{OfferedRule, OfferedRules, RuleChoice, RulesOffered, RulesTake};
pub use problem::{FieldError, Problem, ProblemCode};
pub use project::{
    ChangeKind, ContentKind, Diff, DiffBody, DiffHunk, DiffKind, DiffRow, FileDiff, FileEntry,
    FileKind, FileList, FileView, ListFiles, ListProjects, Project, ProjectAdd, ProjectMove,
    ProjectName, ProjectUpdate, Projects, ReadFile, Scanned,
};
pub use records::{
    Backup, BackupMade, RemovedSession, Retained, Search, SearchHit, SearchHits, UsageItem,
    UsageQuery, UsageReport,
};
pub use review::{
    CommentAdd, CommentRemove, CommentResolve, FileComments, ListComments, Resolution,
    ReviewComment, ReviewComments, Severity,
};
pub use sign_in::{Device, Devices, LinkAnswer, LinkBody, LoginAnswer, LoginBody, Secret};
