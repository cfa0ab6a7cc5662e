//! Sessions: what they are, what may happen to them, and the task that lets it.
//!
//! `machine` decides (pure), `agents` translates each agent's language (pure),
//! the actor does: it commits, then shows and speaks. The supervisor makes and
//! opens sessions and takes over what an earlier owner left running.
//!
//! This crate does not know HTTP, the environment or configuration files.

mod actor;
pub mod agents;
mod answer;
pub mod attachments;
mod blob;
mod causes;
pub mod caution;
mod choices;
mod exported;
pub mod fold;
mod folder;
mod handle;
mod host;
pub mod labels;
mod live;
pub mod machine;
mod pace;
mod past;
mod pool;
pub mod preview;
mod purse;
mod rulebook;
mod settings;
mod stats;
mod subscription;
mod supervisor;
mod vault;
pub mod views;
mod warm;
mod world;

pub use baton_process::holder::Tie;

pub use actor::{CommandError, Failed, FailedBy, Outcome, Progress};
pub use answer::WrongAnswer;
pub use blob::project_id;
pub use causes::chain;
pub use choices::{Choices, may_be_of};
pub use exported::ExportedPage;
pub use handle::{Outbound, Remember, SessionHandle};
pub use host::{Answering, Caller, Host, Withheld};
pub use past::{Past, past};
pub use pool::{NoPlace, PoolLimits};
pub use settings::{Defaults, Settings};
pub use subscription::{Item, Subscription};
pub use supervisor::{
    ForkAt, NewSessionSpec, StillRuns, Supervisor, SupervisorError, TakeUp, Tried, Trust, Warmed,
};
pub use warm::LeaseId;
pub use world::{RealWorld, Step, World};
