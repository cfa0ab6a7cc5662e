//! Children: how they are started, spoken to, ended and accounted for.
//!
//! This is the only crate that starts processes. It knows groups, signals,
//! pipes, lines and exits; it knows nothing of sessions, of any agent's
//! language, or of Baton's events.
//!
//! Read in this order: [`Spec`] and [`Exit`], the [`LineSplitter`], the direct
//! [`Child`] and [`run_to_end`], then the [`holder`]: a small process that owns
//! one agent's pipes and outlives whoever asked for it.

mod child;
mod detach;
mod exit;
pub mod holder;
mod lines;
mod memory;
mod run;
mod spec;
mod tree;

pub use child::{Child, ChildHandle, LineReader, LineWriter, StopPlan, WriteError};
pub use detach::{detach, redirect_stderr, start_detached, tell_starter};
pub use exit::{Exit, ExitReport, LeakedProcess};
pub use lines::{Line, LineSplitter, MAX_LINE, Split};
pub use memory::{give_back_large_blocks, give_back_the_start};
pub use run::{RunError, RunLimits, RunOutput, run_to_end};
pub use spec::{SpawnError, Spec};
pub use tree::is_running;
