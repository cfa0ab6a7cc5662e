//! The configuration: one table of settings, read from file, environment and flags.
//!
//! `keys` is the table; everything else follows from it: what is accepted, what
//! `baton config show` prints and what docs/config.md says. `yaml` reads the
//! file without losing lines, `layers` decides where each value comes from, and
//! `settings` gives the parts of the program their own plain structs.

#[cfg(test)]
mod describe;
mod file;
mod keys;
mod layers;
mod nearest;
mod settings;
mod value;
mod yaml;

pub(crate) use keys::{Key, LIVE};
pub(crate) use layers::{Config, FlagValue, Setting, Sources};
pub(crate) use settings::{LoginShell, RunnerSettings, TlsChoice, ToolChoice};
pub(crate) use value::shown_value;

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
