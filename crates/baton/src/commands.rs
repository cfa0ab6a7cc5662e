//! One module per command.

mod answer;
mod attach;
mod config;
mod daemon;
mod doctor;
mod export;
mod rewind;
mod run;
mod send;
mod sessions;
mod steer;
mod talk;
mod watch;

pub(crate) use answer::{approve, deny};
pub(crate) use config::config_show;
pub(crate) use daemon::{restart, serve, start, status, stop};
pub(crate) use doctor::doctor;
pub(crate) use export::export;
pub(crate) use rewind::rewind;
pub(crate) use run::run;
pub(crate) use send::send;
pub(crate) use sessions::sessions;
pub(crate) use steer::{end, fork, interrupt, resume, title};
pub(crate) use watch::watch;
