//! Baton's own MCP server: tools about the workspace that an agent works in.
//!
//! [`Server::answer`] takes one JSON-RPC message and gives the answer to it, if
//! there is one; how messages travel is the caller's business. [`serve`] lets
//! them travel as lines. `tools` holds one module per family of tools, each on
//! top of a part that knows nothing of MCP: `git`, `issues`, `scripts`, and the
//! comments of `baton-project`.
//!
//! This crate does not know sessions, agents or the event log.

mod git;
mod issues;
mod lines;
mod place;
mod scripts;
mod server;
mod tools;
mod workspace;

pub use baton_project::git::Git;
pub use issues::{Issue, IssueProvider, LinearIssues, LocalIssues};
pub use lines::serve;
pub use server::Server;
pub use tools::{NAMES, changes_workspace};
pub use workspace::{Proposals, Withheld, Workspace};

/// The name under which agents know this server.
pub const NAME: &str = "baton";
