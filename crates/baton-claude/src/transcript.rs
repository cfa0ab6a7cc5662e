//! Sessions on disk, as the CLI keeps them: where they are, what is in them.
//!
//! The CLI appends rows to one JSONL file per session. Nothing here writes.
//! Rows form a tree by their parents; [`Transcript::active_branch`] is the
//! conversation as it stands, the rest was abandoned by rewinding. Rows of
//! 2.1.197 may reach the file 100 ms after stdout told of them. Folders are
//! given by the caller; nothing is read from the environment. All of it is
//! blocking file access, in small pieces where it is meant for a runtime.

mod branch;
mod folders;
mod follow;
mod list;
mod place;
mod plan;
mod registry;
mod row;
mod tree;

pub use branch::{ActiveRows, BranchFinder};
pub use folders::known_folders;
pub use follow::{Followed, Follower};
pub use list::{Listing, SessionFile, Subagent, list_sessions, subagents};
pub use place::{config_dir, escape_path, locate, project_dir, session_file};
pub use plan::plan_slug;
pub use registry::{SessionProcess, owner_of, owners};
pub use row::{AttachmentRow, Row, RowBody, SystemRow, UserRow};
pub use tree::{Transcript, contains_message};
