//! One module per command.

mod answer;
mod around;
mod attach;
mod completions;
mod config;
mod daemon;
mod doctor;
mod elsewhere;
mod export;
mod folder;
mod here;
mod mcp;
mod projects;
mod records;
mod rewind;
mod rules;
mod run;
mod send;
mod service;
mod sessions;
mod shell;
mod sign_in;
mod stdio;
mod steer;
mod talk;
mod tasks;
mod trust;
mod watch;

pub(crate) use answer::{approve, deny};
pub(crate) use completions::{completions, known};
pub(crate) use config::{config_reload, config_show};
pub(crate) use daemon::{restart, serve, start, status, stop};
pub(crate) use doctor::{Looker, claude_version, doctor, examine};
pub(crate) use elsewhere::{history, import};
pub(crate) use export::export;
pub(crate) use here::here;
pub(crate) use mcp::{Work, comments_folder, mcp, workspace_server};
pub(crate) use projects::{add, projects, remove};
pub(crate) use records::{backup, search, usage};
pub(crate) use rewind::rewind;
pub(crate) use rules::rules;
pub(crate) use run::run;
pub(crate) use send::send;
pub(crate) use service::service;
pub(crate) use sessions::sessions;
pub(crate) use sign_in::{devices, link, pin, token};
pub(crate) use stdio::{shout, stdio};
pub(crate) use steer::{
    budget, delete, end, fork, interrupt, mode, model, resume, slash_commands, title,
};
pub(crate) use tasks::tasks;
pub(crate) use trust::trust;
pub(crate) use watch::watch;
