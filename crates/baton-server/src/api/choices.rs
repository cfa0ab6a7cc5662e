//! What can be chosen for a session that is yet to be made.

use baton_protocol::{
    Event, Seq,
    api::{AgentChoices, ListChoices, Problem, SessionRow, SlashCommand},
};
use baton_session::{agents::AgentKind, may_be_of, project_id};
use baton_store::SessionFilter;

use super::Api;
use crate::problem::Told as _;

/// Of a project's last sessions, among so many one of the agent is looked for.
const LOOKED_AT: usize = 50;
/// So many prompts are told, of at most so many bytes each.
const PROMPTS: usize = 4;
const PROMPT_BYTES: usize = 4000;
/// A session's first message is among its first events.
const HEAD: usize = 8;

impl Api {
    pub(super) async fn choices(&self, body: &ListChoices) -> Result<AgentChoices, Problem> {
        let agent = self.agent_named(body.agent.as_deref())?;
        let folder = self.folder_of(&body.project).await?;
        let folder = self.real_folder(&folder, "project").await?;
        let version = self.version_of(agent);
        let known = self.supervisor.choices(agent, version.as_deref());
        let filter = SessionFilter {
            project: Some(project_id(&folder)),
            ..SessionFilter::default()
        };
        let page = self.store().sessions(filter, None, LOOKED_AT).await;
        let page = page.told()?;
        let last = page.items.iter().find(|row| row.agent == agent.name());
        let mut commands = Vec::new();
        if let Some(last) = last {
            let (told, by) = self.commands_of(last.id).await?;
            if may_be_of(by.as_deref(), version.as_deref()) {
                commands = told;
            }
        }
        if commands.is_empty() {
            commands = for_people(agent, known.commands);
        }
        Ok(AgentChoices {
            agent: agent.name().to_owned(),
            models: known.models,
            commands,
            prompts: self.prompts(&page.items).await?,
        })
    }

    /// What the first messages of these sessions said, each once.
    async fn prompts(&self, rows: &[SessionRow]) -> Result<Vec<String>, Problem> {
        let mut prompts: Vec<String> = Vec::new();
        // A copy began with another session's words.
        let own = rows.iter().filter(|row| row.forked_from.is_none());
        for row in own.take(PROMPTS * 2) {
            let first = self.store().read_after(row.id, Seq::START, HEAD).await;
            #[expect(clippy::wildcard_enum_match_arm, reason = "one kind is looked for")]
            let said = first
                .told()?
                .iter()
                .find_map(|event| match event.envelope().ok()?.event {
                    Event::UserMessage(message) => Some(message.text),
                    _ => None,
                });
            let said = said.filter(|text| !text.trim().is_empty() && text.len() <= PROMPT_BYTES);
            prompts.extend(said.filter(|text| !prompts.contains(text)));
            if prompts.len() == PROMPTS {
                break;
            }
        }
        Ok(prompts)
    }
}

/// Those that people type, with why some are not sent.
pub(super) fn for_people(agent: AgentKind, told: Vec<SlashCommand>) -> Vec<SlashCommand> {
    let items = told.into_iter().map(|one| {
        let text = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let refused = agent.refused_command(&format!("/{}", one.name));
        SlashCommand {
            description: text(one.description),
            argument_hint: text(one.argument_hint),
            refused: refused.map(|(_, why)| why.to_owned()),
            name: one.name,
        }
    });
    let typed = |one: &SlashCommand| agent.is_for_people(&one.name, one.description.as_deref());
    items.filter(typed).collect()
}
