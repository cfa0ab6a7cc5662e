//! Search, usage, backup and retention.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::Path,
};

use baton_protocol::{
    ProjectId, Seq, SeqNo, SessionId,
    api::{
        Backup, BackupMade, Problem, RemovedSession, Retained, Search, SearchHit, SearchHits,
        UsageItem, UsageQuery, UsageReport,
    },
    mask::MASK,
};
use baton_store::{Day, Hit, MATCH_END, MATCH_START, SessionRow, UsageFilter};

use super::{Api, copies::Copies};
use crate::{
    problem::{self, Told as _},
    sight::Sight,
};

const DEFAULT_HITS: u32 = 50;
const MAX_HITS: u32 = 200;

impl Api {
    pub(super) async fn search(&self, body: &Search, sight: Sight) -> Result<SearchHits, Problem> {
        let limit = body.limit.unwrap_or(DEFAULT_HITS);
        if !(1..=MAX_HITS).contains(&limit) {
            let message = format!("it is between 1 and {MAX_HITS}");
            return Err(Problem::invalid("limit", message));
        }
        let cursor = body.cursor.as_deref().map(str::parse::<u64>).transpose();
        let cursor = cursor.map_err(|_| Problem::invalid("cursor", "it is not from an answer"))?;
        let project = self.maybe_project(body.project.as_deref()).await?;
        let page = self
            .store()
            .search(&body.q, project, limit as usize, cursor.map(SeqNo))
            .await
            .told()?;
        let mut rows: BTreeMap<SessionId, Option<SessionRow>> = BTreeMap::new();
        let mut copies = Copies::of(self).await?;
        let mut items = Vec::new();
        for hit in page.items {
            let row = match rows.entry(hit.session) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let row = self.store().session_row(hit.session).await;
                    new.insert(row.told()?)
                }
            };
            // A session that is removed meanwhile is not found.
            let Some(row) = row else { continue };
            let hit = match sight {
                Sight::Whole | Sight::Marked => Some(hit),
                Sight::Masked => self.masked(hit, &body.q).await?,
            };
            if let Some(hit) = hit {
                let copies = copies.with(self, hit.session, hit.seq).await?;
                items.push(shown(&hit, row, copies));
            }
        }
        Ok(SearchHits {
            items,
            next: page.next.map(|next| next.0.to_string()),
        })
    }

    /// A hit for who sees no secrets: only if every word of the query is still
    /// there when they are masked, and without a piece that may be cut out of one.
    async fn masked(&self, hit: Hit, query: &str) -> Result<Option<Hit>, Problem> {
        let before = Seq(hit.seq.0.saturating_sub(1));
        let page = self.store().read_after(hit.session, before, 1).await;
        let page = page.told()?;
        let Some(event) = page.first() else {
            return Ok(None);
        };
        let masked = Sight::Masked.event(event);
        if masked == *event.text {
            return Ok(Some(hit));
        }
        let masked = masked.to_lowercase();
        let is_shown = |word: &str| {
            // As the event's text has it.
            let word = serde_json::to_string(&word.to_lowercase()).unwrap_or_default();
            masked.contains(word.trim_matches('"').trim_matches('…'))
        };
        if !query.split_whitespace().all(is_shown) {
            return Ok(None);
        }
        let (snippet, _) = unmarked(&hit.snippet);
        if snippet.split_whitespace().all(is_shown) {
            return Ok(Some(hit));
        }
        Ok(Some(Hit {
            snippet: MASK.to_owned(),
            ..hit
        }))
    }

    pub(super) async fn usage(&self, body: &UsageQuery) -> Result<UsageReport, Problem> {
        let day = |field, text: &Option<String>| {
            let day = text.as_deref().map(str::parse::<Day>).transpose();
            day.map_err(|error| Problem::invalid(field, error.to_string()))
        };
        let filter = UsageFilter {
            from: day("from", &body.from)?,
            to: day("to", &body.to)?,
            project: self.maybe_project(body.project.as_deref()).await?,
        };
        let rows = self.store().usage(filter).await.told()?;
        let listed = self.listed().await?;
        let slugs: BTreeMap<ProjectId, String> = listed
            .into_iter()
            .map(|entry| (entry.id, entry.slug))
            .collect();
        let items: Vec<UsageItem> = rows
            .into_iter()
            .map(|row| UsageItem {
                day: row.day.to_string(),
                project_id: row.project_id,
                project: slugs.get(&row.project_id).cloned(),
                model: row.model,
                cost_usd: row.cost_usd,
                usage: row.usage,
                turns: row.turns,
            })
            .collect();
        Ok(UsageReport {
            // From zero: the sum of nothing would be a negative one.
            total_cost_usd: items.iter().fold(0.0, |sum, item| sum + item.cost_usd),
            total_turns: items.iter().map(|item| item.turns).sum(),
            items,
        })
    }

    pub(super) async fn backup(&self, body: &Backup) -> Result<BackupMade, Problem> {
        let path = Path::new(&body.path);
        if !path.is_absolute() {
            return Err(Problem::invalid(
                "path",
                "it is the absolute path of a file",
            ));
        }
        if path.symlink_metadata().is_ok() {
            let message = format!("{} is there already", path.display());
            return Err(Problem::invalid("path", message));
        }
        let copied = self.store().backup(path).await;
        let copied = copied.map_err(|error| Problem {
            detail: problem::chain(&error),
            ..Problem::invalid("path", problem::chain(&error))
        })?;
        Ok(BackupMade {
            path: body.path.clone(),
            bytes: copied.bytes,
            sessions: copied.sessions,
            events: copied.events,
        })
    }

    /// Removes what the settings let go, and says what that was. Uploads that
    /// are old go in any case.
    pub async fn retain(&self) -> Result<Retained, Problem> {
        if let Some(uploads) = self.uploads()
            && let Err(error) = uploads.collect(self.world.now()).await
        {
            tracing::warn!(%error, "old uploads cannot be removed");
        }
        let policy = self.sessions.retention;
        if policy.max_age.is_none() && policy.max_events.is_none() {
            return Ok(Retained {
                removed: Vec::new(),
            });
        }
        let gone = self.store().retain(policy, self.world.now()).await;
        let removed = gone.told()?.into_iter().map(|gone| {
            self.supervisor.forget(gone.session);
            tracing::info!(session = %gone.session, events = gone.events, "retention removed a session");
            RemovedSession {
                session_id: gone.session,
                events: gone.events,
            }
        });
        Ok(Retained {
            removed: removed.collect(),
        })
    }

    pub(super) async fn maybe_project(
        &self,
        name: Option<&str>,
    ) -> Result<Option<ProjectId>, Problem> {
        match name {
            None => Ok(None),
            Some(name) => self.wanted_project(name).await.map(Some),
        }
    }

    /// A project to filter by. By its id it need not be listed: what was said
    /// and spent in a removed one is still there.
    pub(super) async fn wanted_project(&self, name: &str) -> Result<ProjectId, Problem> {
        match name.parse::<ProjectId>() {
            Ok(id) => Ok(id),
            Err(_) => Ok(self.project_named(name).await?.id),
        }
    }
}

fn shown(hit: &Hit, row: &SessionRow, copies: Vec<SessionId>) -> SearchHit {
    let (snippet, marks) = unmarked(&hit.snippet);
    SearchHit {
        session_id: hit.session,
        project_id: row.project_id,
        title: row.title.clone(),
        seq: hit.seq,
        snippet,
        marks,
        copies,
    }
}

/// Takes the marks out of the text and tells where they were.
fn unmarked(text: &str) -> (String, Vec<(u32, u32)>) {
    let (mut plain, mut marks) = (String::new(), Vec::new());
    let (mut at, mut start) = (0_u32, None);
    for character in text.chars() {
        match character {
            MATCH_START => start = Some(at),
            MATCH_END => marks.extend(start.take().map(|start| (start, at))),
            plain_character => {
                plain.push(plain_character);
                at += u32::try_from(plain_character.len_utf16()).unwrap_or(1);
            }
        }
    }
    (plain, marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_told_beside_the_text() {
        let text = format!("😀 a {MATCH_START}hit{MATCH_END} and {MATCH_START}one{MATCH_END}");
        let expected = ("😀 a hit and one".to_owned(), vec![(5, 8), (13, 16)]);
        assert_eq!(unmarked(&text), expected);
    }
}
