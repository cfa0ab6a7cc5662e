//! Looking at the session's folder: at each start of a process and in each
//! turn, whoever began it, since what it says may change in between.

use std::{path::PathBuf, sync::Arc};

use baton_project::{
    accepted::{Accepted, Sources},
    git::{self, Quiet},
};
use baton_protocol::{
    Event,
    event::{FolderTools, Notification},
};

use super::{Actor, Broken, batch::Batch};
use crate::{
    agents::AgentOutput,
    blob,
    folder::{self, Before, Beside, FolderRules},
    machine::Input,
};

const UNTRUSTED: &str = "This folder is not trusted, so its own settings, hooks, servers and \
     instructions are left out. `baton trust` shows them and asks.";

const WITHHELD: &str = "The folder's own files were changed to allow this session more than before. \
     That counts once somebody accepts the folder as it is now, with `baton trust`, or in a new \
     session.";

const HOOKS_OFF: &str = "Your settings of Claude Code have a hook that answers permission requests. \
     Baton asks you instead, so the hooks of your settings do not run in this session.";

impl Actor {
    /// Reads anew what the folder says.
    pub(super) async fn look_at_folder(&mut self) -> Result<&FolderRules, Broken> {
        // Trust is of the folder that the agent begins in, with all that it
        // finds above, and not of the project around that.
        let cwd = self.cwd();
        let trust = blob::project_id(&cwd.to_string_lossy());
        let trust = self.parts.store.trust(trust).await?;
        let created = self.parts.machine.facts().created.as_ref();
        let options = created.map(|created| created.options.clone());
        let options = options.unwrap_or_default();
        let user = folder::chosen(&options, &self.parts.defaults.tools);
        let before = Before {
            // It was checked when the session was made.
            user: user.unwrap_or(baton_project::surface::ToolLimit::All),
            left: self.parts.machine.facts().folder_tools.clone(),
        };
        let home = Arc::clone(&self.parts.home);
        let beside = self.beside(options.add_dirs.unwrap_or_default()).await?;
        let own = before.clone();
        let look = move || folder::look(&cwd, &home, trust.as_ref(), &beside, &before);
        let looked = tokio::task::spawn_blocking(look).await;
        let looked = looked.unwrap_or_else(|_| own.unseen());
        self.keep_tools(looked.left).await?;
        self.withheld = looked.withheld;
        self.left_out = looked.left_out;
        self.folder = looked.rules;
        Ok(&self.folder)
    }

    /// The folders that the session was made with beside its own. One that is
    /// not there is none.
    async fn beside(&self, folders: Vec<String>) -> Result<Vec<Beside>, Broken> {
        let mut beside = Vec::new();
        for folder in folders {
            let Ok(path) = tokio::fs::canonicalize(self.cwd().join(folder)).await else {
                continue;
            };
            let project = blob::project_id(&path.to_string_lossy());
            let answered = self.parts.store.trust(project).await?;
            beside.push(Beside { path, answered });
        }
        Ok(beside)
    }

    /// Records what the folder's files leave of the tools where that changes, so
    /// that a later owner gives the session no more.
    async fn keep_tools(&mut self, left: FolderTools) -> Result<(), Broken> {
        if self.parts.machine.facts().folder_tools == left {
            return Ok(());
        }
        let moment = self.moment();
        let effects = self.parts.machine.limit_tools(moment, left);
        if self.rehearses {
            return Ok(());
        }
        let mut batch = Batch::default();
        batch.add_all(effects, moment.now, None);
        self.record(&mut batch, false).await
    }

    /// What the folder brings if it is trusted, as it is accepted. It is looked
    /// at again after it was copied: only what did not change meanwhile counts.
    pub(super) async fn accepted(&mut self) -> Result<Option<Accepted>, Broken> {
        self.look_at_folder().await?;
        if !self.folder.trusted {
            return Ok(None);
        }
        let created = self.parts.machine.facts().created.as_ref();
        let asked = created.and_then(|created| created.options.setting_sources.clone());
        let defaults = &self.parts.defaults.setting_sources;
        let asked = asked.as_ref().unwrap_or(defaults);
        let has = |source: &str| asked.iter().any(|one| one == source);
        let sources = Sources {
            project: has("project"),
            local: has("local"),
        };
        let (cwd, home) = (self.cwd(), Arc::clone(&self.parts.home));
        let copy = move || home.accepted(&cwd, sources);
        let copied = tokio::task::spawn_blocking(copy).await;
        self.look_at_folder().await?;
        Ok(copied.ok().filter(|_| self.folder.trusted))
    }

    /// What keeps git from running what the folder names, unless it is trusted.
    pub(super) async fn quiet(&self) -> Option<Quiet> {
        if self.folder.trusted {
            return None;
        }
        let created = self.parts.machine.facts().created.as_ref();
        let more = created.and_then(|created| created.options.add_dirs.clone());
        let more = more.unwrap_or_default().into_iter().map(PathBuf::from);
        let folders = std::iter::once(self.cwd()).chain(more).collect();
        Some(git::quiet(&self.parts.home.env, folders).await)
    }

    /// Before a turn: a process that was started on other terms is let go, and
    /// the turn goes to the next one.
    pub(super) async fn heed_folder(&mut self) -> Result<(), Broken> {
        self.look_again().await?;
        self.heed_loss();
        if self.watch.lost {
            self.step_alone(Input::Distrust).await?;
        } else if self.parts.machine.is_to_be_renewed() {
            self.step_alone(Input::Close).await?;
        }
        Ok(())
    }

    /// What a process is started with that rules or the folder say.
    pub(super) fn terms(&self) -> String {
        format!("{} {:?}", self.folder.terms(), self.denied_reads())
    }

    /// In a turn: its calls are judged by what the folder says now, and the
    /// next turn gets a process of its own if that is something else.
    pub(super) async fn look_again(&mut self) -> Result<(), Broken> {
        self.look_at_folder().await?;
        // On which terms an earlier owner started it is not known.
        let terms = self.terms();
        let launched = self.launched.get_or_insert_with(|| terms.clone());
        if self.process.is_some() && terms != *launched {
            self.parts.machine.renew();
        }
        Ok(())
    }

    /// Says once what an untrusted folder leaves out.
    pub(super) fn tell_of_trust(&mut self) {
        if !self.folder.trusted && self.folder.has_more && !self.told_of_trust {
            self.told_of_trust = true;
            self.tell_of_folder("Folder not trusted", UNTRUSTED);
        }
        let untold: Vec<_> = self.left_out.drain(..).collect();
        for folder in untold {
            if self.told_of_beside.insert(folder.clone()) {
                let folder = folder.display();
                self.tell_of_folder(
                    "Added folder not trusted",
                    &format!(
                        "The added folder {folder} is not trusted, so the agent does not get it. \
                         `baton trust {folder}` shows what it brings and asks."
                    ),
                );
            }
        }
        if !self.told_of_hooks && self.parts.home.hooks_are_off() {
            self.told_of_hooks = true;
            self.tell_of_folder("Hooks are off", HOOKS_OFF);
        }
        if self.withheld && !self.told_of_tools {
            self.told_of_tools = true;
            self.tell_of_folder("Tools withheld", WITHHELD);
        }
    }

    fn tell_of_folder(&mut self, title: &str, message: &str) {
        let told = AgentOutput::Event {
            event: Event::Notification(Notification {
                title: Some(title.into()),
                message: message.into(),
                kind: "trust".into(),
            }),
            agent_id: None,
        };
        self.pending.push_back(Input::Agent(told));
    }
}
