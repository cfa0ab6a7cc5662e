//! Reads: lists of sessions, slash commands and checkpoints.

use baton_protocol::{
    Envelope, Event, EventKind, Seq, SessionId,
    api::{
        Checkpoint, Checkpoints, ListPart, ListSessions, Problem, Sessions, SlashCommand,
        SlashCommands,
    },
};
use baton_session::agents::AgentKind;
use baton_store::{SessionCursor, SessionFilter};

use super::{Api, choices::for_people, commands::no_session, part::part_of};
use crate::problem::Told as _;

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1000;

/// Events read at once when something is looked for.
const PAGE: u64 = 500;

impl Api {
    pub(super) async fn sessions(&self, list: &ListSessions) -> Result<Sessions, Problem> {
        let limit = list.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            let message = format!("it is between 1 and {MAX_LIMIT}");
            return Err(Problem::invalid("limit", message));
        }
        let cursor = list.cursor.as_deref().map(str::parse::<SessionCursor>);
        let cursor = cursor
            .transpose()
            .map_err(|error| Problem::invalid("cursor", error.to_string()))?;
        let project = match &list.project {
            Some(name) => Some(self.wanted_project(name).await?),
            None => None,
        };
        let filter = SessionFilter {
            project,
            running: list.running,
            ..SessionFilter::default()
        };
        let filter = filter.in_state(list.state);
        let page = self
            .store()
            .sessions(filter, cursor, limit as usize)
            .await
            .told()?;
        Ok(Sessions {
            items: page.items,
            next: page.next.map(|next| next.to_string()),
            unreadable: Some(page.unreadable).filter(|count| *count > 0),
        })
    }

    pub(super) async fn slash_commands(
        &self,
        id: SessionId,
        part: &ListPart,
    ) -> Result<SlashCommands, Problem> {
        let (items, _) = self.commands_of(id).await?;
        part_of(items, part, |one: &SlashCommand| one.name.clone())
    }

    /// Looked for from the end of the log: the last start tells them. What they
    /// do is told by the process at hand, or was by the last one. With the
    /// version of the program that named them, where it said so.
    pub(super) async fn commands_of(
        &self,
        id: SessionId,
    ) -> Result<(Vec<SlashCommand>, Option<String>), Problem> {
        let row = self.store().session_row(id).await.told()?;
        let agent = AgentKind::from_name(&row.ok_or_else(|| no_session(id))?.agent);
        let mut end = self.head(id).await?;
        let (mut names, mut named_by) = (Vec::new(), None);
        while end > Seq::START {
            let from = Seq(end.0.saturating_sub(PAGE));
            let page = self.store().read_after(id, from, PAGE as usize).await;
            let page = page.told()?;
            let started = Some(EventKind::SessionStarted);
            let starts = page.iter().rev();
            let starts = starts.filter(|event| Envelope::kind(&event.text) == started);
            let mut starts = starts.filter_map(|event| {
                let Event::SessionStarted(started) = event.envelope().ok()?.event else {
                    return None;
                };
                Some((started.slash_commands, started.agent_version))
            });
            if let Some(told) = starts.next() {
                (names, named_by) = told;
                break;
            }
            end = from;
        }
        let Some(agent) = agent else {
            return Ok((Vec::new(), None));
        };
        let told = self.supervisor.opened(id);
        let told = told.and_then(|session| session.told_commands());
        let told: Option<Vec<SlashCommand>> = told.and_then(|told| told.parse());
        let version = self.version_of(agent);
        let last = || self.supervisor.choices(agent, version.as_deref()).commands;
        let told = told.unwrap_or_else(last);
        let named = names.into_iter().map(|name| {
            let known = told.iter().find(|one| one.name == name);
            SlashCommand {
                description: known.and_then(|one| one.description.clone()),
                argument_hint: known.and_then(|one| one.argument_hint.clone()),
                refused: None,
                name,
            }
        });
        Ok((for_people(agent, named.collect()), named_by))
    }

    pub(super) async fn checkpoints(
        &self,
        id: SessionId,
        part: &ListPart,
    ) -> Result<Checkpoints, Problem> {
        self.row(id).await?;
        let made = self.store().checkpoints(id).await.told()?;
        let items = made.into_iter().map(|one| Checkpoint {
            checkpoint_id: one.checkpoint_id,
            seq: one.seq,
            ts: one.at,
            turn: one.turn,
            text: one.text,
        });
        let name = |one: &Checkpoint| one.checkpoint_id.to_string();
        part_of(items.collect(), part, name)
    }
}
