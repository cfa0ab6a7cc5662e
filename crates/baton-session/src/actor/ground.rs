//! Looking at the session's folder: at each start of a process and in each
//! turn, whoever began it, since what it says may change in between.

use std::sync::Arc;

use baton_protocol::{Event, event::Notification};

use super::{Actor, Broken};
use crate::{
    agents::AgentOutput,
    folder::{self, FolderRules},
    machine::Input,
};

const UNTRUSTED: &str = "This folder is not trusted, so its own settings, hooks, servers and \
     instructions are left out. `baton trust` shows them and asks.";

impl Actor {
    /// Reads anew what the folder says.
    pub(super) async fn look_at_folder(&mut self) -> Result<&FolderRules, Broken> {
        let trust = self.parts.store.trust(self.project()).await?;
        let created = self.parts.machine.facts().created.as_ref();
        let options = created.map(|created| created.options.clone());
        let user = folder::chosen(&options.unwrap_or_default(), &self.parts.defaults.tools);
        // It was checked when the session was made.
        let user = user.unwrap_or(baton_project::surface::ToolLimit::All);
        let home = Arc::clone(&self.parts.home);
        let cwd = self.cwd();
        let own = user.clone();
        let look = move || folder::look(&cwd, &home, trust.as_ref(), &user);
        let looked = tokio::task::spawn_blocking(look).await;
        // A look that failed leaves nothing trusted, and the user's limit.
        self.folder = looked.unwrap_or_else(|_| FolderRules {
            tools: own,
            ..FolderRules::default()
        });
        Ok(&self.folder)
    }

    /// Before a turn: a process that was started on other terms is let go, and
    /// the turn goes to the next one.
    pub(super) async fn heed_folder(&mut self) -> Result<(), Broken> {
        self.look_again().await?;
        if self.parts.machine.is_to_be_renewed() {
            self.step_alone(Input::Close).await?;
        }
        Ok(())
    }

    /// In a turn: its calls are judged by what the folder says now, and the
    /// next turn gets a process of its own if that is something else.
    pub(super) async fn look_again(&mut self) -> Result<(), Broken> {
        self.look_at_folder().await?;
        // On which terms an earlier owner started it is not known.
        let terms = self.folder.terms();
        let launched = self.launched.get_or_insert_with(|| terms.clone());
        if self.process.is_some() && terms != *launched {
            self.parts.machine.renew();
        }
        Ok(())
    }

    /// Says once what an untrusted folder leaves out.
    pub(super) fn tell_of_trust(&mut self) {
        let untold = !self.folder.trusted && self.folder.has_more && !self.told_of_trust;
        if !untold {
            return;
        }
        self.told_of_trust = true;
        let told = AgentOutput::Event {
            event: Event::Notification(Notification {
                title: Some("Folder not trusted".into()),
                message: UNTRUSTED.into(),
                kind: "trust".into(),
            }),
            agent_id: None,
        };
        self.pending.push_back(Input::Agent(told));
    }
}
