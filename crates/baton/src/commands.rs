//! One module per command.

mod answer;
mod attach;
mod config;
mod daemon;
mod doctor;
mod elsewhere;
mod export;
mod folder;
mod mcp;
mod rewind;
mod rules;
mod run;
mod send;
mod sessions;
mod stdio;
mod steer;
mod talk;
mod trust;
mod watch;

pub(crate) use answer::{approve, deny};
pub(crate) use config::config_show;
pub(crate) use daemon::{restart, serve, start, status, stop};
pub(crate) use doctor::doctor;
pub(crate) use elsewhere::{history, import};
pub(crate) use export::export;
pub(crate) use mcp::mcp;
pub(crate) use rewind::rewind;
pub(crate) use rules::rules;
pub(crate) use run::run;
pub(crate) use send::send;
pub(crate) use sessions::sessions;
pub(crate) use stdio::{shout, stdio};
pub(crate) use steer::{end, fork, interrupt, mode, model, resume, slash_commands, title};
pub(crate) use trust::trust;
pub(crate) use watch::watch;
