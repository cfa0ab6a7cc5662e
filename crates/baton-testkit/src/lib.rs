//! What Baton's tests stand on, and nothing else does.
//!
//! - [`model`]: a scripted Messages API on loopback, with captured requests.
//! - `fake-claude` (a binary of this crate): speaks the CLI's protocol and
//!   misbehaves on demand; [`bin`] finds it.
//! - `scripted-model` (a binary): the model server for people and for tests in
//!   other languages, driven by the prompts themselves, see [`directive`].
//! - [`Sandbox`]: a scratch home and an emptied environment for real processes,
//!   with [`Running`] to talk to one and [`Finished`] for one that has ended.
//! - [`claude_cli`]: the real, pinned CLIs. Missing ones fail the test.
//! - [`recording()`]: recorded sessions of the real CLI.
//! - [`filter`]: makes output comparable by replacing what differs every time.
//!
//! Failures panic with what was awaited and what was seen: this is test code.

pub mod directive;
pub mod filter;
mod lines;
mod locate;
pub mod model;
mod process;
mod recording;
mod sandbox;
mod sweep;

pub use rustix::process::Signal;

pub use self::filter::Filter;
pub use self::lines::Lines;
pub use self::locate::{Version, bin, claude_cli, client_dir, repo_root};
pub use self::process::{Finished, Running, send_signal};
pub use self::recording::{Direction, RecordedLine, recording, recordings};
pub use self::sandbox::{LIMIT, Sandbox};
