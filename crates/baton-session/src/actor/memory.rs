//! Comparing what the agent has of the past with what the log has, before it is
//! given a message.

use std::{io, sync::Arc};

use baton_protocol::{
    Event, Seq,
    event::{AssistantMessage, AssistantThinking, MemoryLost},
    words::{MemoryLoss, Remedy},
};
use uuid::Uuid;

use super::{Actor, Broken};
use crate::{
    agents::{AgentKind, Known, Notes, PromptFile, Written},
    machine::{Input, Phase, Recalled, Rejected},
    views::Markdown,
};

/// Events read at once.
const PAGE: usize = 1000;
/// What an agent is given of the past, the newest of it. An agent that answers
/// in plain text gets all of its message as one argument.
const GIVEN: usize = 96 * 1024;

const FOREWORD: &str = "Your own record of this conversation, or of its last part, was lost. This is \
     what was kept elsewhere of what the user and you said and did; long outputs are shortened. \
     Take it as your memory of it.";

/// What the process at hand, or the next, has been compared with.
#[derive(Debug)]
pub(super) struct Compared {
    conversation: (AgentKind, Uuid),
    written: Written,
}

impl Actor {
    /// Before a process is started: what the agent lacks of the past, and what
    /// happened elsewhere, is told first. Says why nothing may be started.
    pub(super) async fn recall(
        &mut self,
        asked: Option<Remedy>,
    ) -> Result<Option<Rejected>, Broken> {
        if self.parts.machine.has_process() || self.parts.machine.has_ended() {
            return Ok(None);
        }
        let Some(conversation) = self.parts.machine.facts().conversation() else {
            return Ok(None);
        };
        let (kind, id) = conversation;
        let anchor = self.parts.machine.facts().memory.anchor.clone();
        let anchor = anchor.and_then(|anchor| Uuid::try_parse(&anchor).ok());
        let (home, cwd) = (Arc::clone(&self.parts.home), self.cwd());
        let source = self.source(conversation).await?;
        let look = move || {
            let Some(path) = home.notes_here(kind, id, &cwd)? else {
                let lacks = source.map(|source| source.lacks(&home, &cwd)).transpose()?;
                return Ok((None, lacks.flatten()));
            };
            let written = Written::from_here(&path)?;
            Notes::read(path, anchor).map(|notes| (Some((notes, written)), None))
        };
        let looked = blocking(look).await;
        let (notes, source_lacks) = match looked {
            Ok((Some((notes, written)), lacks)) => {
                self.compared = Some(Compared {
                    conversation,
                    written,
                });
                (Some(notes), lacks)
            }
            Ok((None, lacks)) => {
                self.compared = None;
                (None, lacks)
            }
            // What cannot be read is not known to be lost; the agent will say.
            Err(error) => {
                tracing::warn!(%error, "the agent's transcript cannot be read");
                return Ok(None);
            }
        };
        let reason = match &notes {
            None if anchor.is_none() && !self.parts.machine.facts().memory.settled => source_lacks,
            _ if anchor.is_none() => None,
            None => Some(MemoryLoss::Gone),
            Some(notes) if !notes.has_anchor => Some(MemoryLoss::Behind),
            Some(notes) if notes.has_foreign && !notes.on_branch => Some(MemoryLoss::Torn),
            Some(_) => None,
        };
        let remedy = asked.unwrap_or(self.parts.defaults.lost_memory);
        let lost = match reason {
            Some(reason) => Some(MemoryLost {
                reason,
                remedy,
                after: match source_lacks {
                    Some(_) => Seq::START,
                    None => self.known_up_to(notes.as_ref()).await?,
                },
            }),
            None => None,
        };
        // A session that is still somebody else's is watched.
        let watched = self.parts.machine.facts().elsewhere.is_some();
        let elsewhere = match notes.filter(|notes| notes.has_foreign && !watched) {
            Some(notes) => {
                let known = Known::all(&self.parts.store, self.parts.id).await?;
                let began = known.began.unwrap_or_else(|| self.parts.world.now());
                let told = blocking(move || notes.elsewhere(&known, began)).await;
                told.unwrap_or_default()
            }
            None => Vec::new(),
        };
        if lost.is_some() || !elsewhere.is_empty() {
            let recalled = Recalled { elsewhere, lost };
            self.step_alone(Input::Recalled(recalled)).await?;
        }
        let refused = lost.filter(|lost| lost.remedy == Remedy::Refuse);
        Ok(refused.map(|lost| Rejected::MemoryLost {
            reason: lost.reason,
        }))
    }

    /// Before an idle process is given a message: one that does not know what
    /// was said to its conversation elsewhere is let go first.
    pub(super) async fn look_beside(&mut self) -> Result<(), Broken> {
        let at_rest = self.parts.machine.facts().phase == Phase::Idle;
        let conversation = self.parts.machine.facts().conversation();
        let (Some(process), Some(conversation)) = (&self.process, conversation) else {
            return Ok(());
        };
        // Before it is up it has nothing in mind.
        if !at_rest || process.closing {
            return Ok(());
        }
        let compared = self.compared.take();
        let compared = compared.filter(|one| one.conversation == conversation);
        let (home, cwd) = (Arc::clone(&self.parts.home), self.cwd());
        let look = move || {
            let mut compared = match compared {
                Some(compared) => compared,
                None => match home.notes(conversation.0, conversation.1, &cwd)? {
                    Some(path) => Compared {
                        conversation,
                        written: Written::from_start(path),
                    },
                    None => return Ok((None, false)),
                },
            };
            let grew = compared.written.elsewhere()?;
            Ok((Some(compared), grew))
        };
        let (compared, grew) = blocking(look).await.unwrap_or((None, false));
        self.compared = compared;
        if grew {
            self.outdated = true;
            self.step_alone(Input::Outdated).await?;
        }
        Ok(())
    }

    /// Where that begins which the agent's notes do not have: after the last
    /// event that they have, or where the conversation began.
    async fn known_up_to(&self, notes: Option<&Notes>) -> Result<Seq, Broken> {
        let mut found = Seq::START;
        let mut head = Seq::START;
        let mut name: Option<String> = None;
        loop {
            let page = self
                .parts
                .store
                .read_after(self.parts.id, head, PAGE)
                .await?;
            let Some(last) = page.last() else {
                return Ok(found);
            };
            head = last.seq;
            for stored in &page {
                let event = stored.envelope()?.event;
                let renamed = if let Event::SessionStarted(started) = &event {
                    started.agent_session_id.as_ref()
                } else if let Event::SessionUpdated(updated) = &event {
                    updated.agent_session_id.as_ref()
                } else {
                    None
                };
                if let Some(renamed) = renamed.filter(|renamed| name.as_ref() != Some(renamed)) {
                    name = Some(renamed.clone());
                    found = stored.seq;
                }
                let row = row_of(&event);
                if row.is_some_and(|row| notes.is_some_and(|notes| notes.has(row))) {
                    found = stored.seq;
                }
            }
        }
    }

    /// What the log has of a past that the agent lacks, for its next message.
    pub(super) async fn owed_past(&self) -> Result<Option<PromptFile>, Broken> {
        let facts = self.parts.machine.facts();
        let (Some(after), Some(next)) = (facts.memory.owed, facts.undelivered()) else {
            return Ok(None);
        };
        let (mut markdown, mut text, mut head) = (Markdown::default(), String::new(), after);
        if after == Seq::START {
            text = self.forked_past().await?;
        }
        loop {
            let page = self
                .parts
                .store
                .read_after(self.parts.id, head, PAGE)
                .await?;
            let Some(last) = page.last() else {
                break;
            };
            head = last.seq;
            for stored in &page {
                let event = stored.envelope()?.event;
                let is_next =
                    matches!(&event, Event::UserMessage(one) if one.message_id == next.message_id);
                let is_thought = matches!(event, Event::AssistantThinking(_));
                if is_next || is_thought {
                    continue;
                }
                if let Some(shown) = markdown.show_past(&event) {
                    text += &shown;
                    text += "\n\n";
                }
            }
        }
        Ok(Some(PromptFile {
            name: "the-conversation-so-far.md".into(),
            media_type: "text/markdown".into(),
            bytes: format!("{FOREWORD}\n\n{}", newest(&text)).into_bytes(),
        }))
    }
}

/// The agent's name for what an event tells.
fn row_of(event: &Event) -> Option<Uuid> {
    if let Event::UserMessage(message) = event {
        return Some(message.message_id.uuid());
    }
    if let Event::AssistantMessage(AssistantMessage(block))
    | Event::AssistantThinking(AssistantThinking(block)) = event
    {
        return Uuid::try_parse(block.agent_uuid.as_deref()?).ok();
    }
    None
}

/// The end of a text, from the beginning of a line on.
fn newest(text: &str) -> String {
    if text.len() <= GIVEN {
        return text.to_owned();
    }
    let cut = text.ceil_char_boundary(text.len() - GIVEN);
    let line = text[cut..].find('\n').map_or(cut, |end| cut + end + 1);
    format!(
        "(What came before is left out: it is too long.)\n\n{}",
        &text[line..]
    )
}

async fn blocking<T: Send + 'static>(
    look: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let looked = tokio::task::spawn_blocking(look).await;
    looked.unwrap_or_else(|error| Err(io::Error::other(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_past_the_newest_is_given() {
        let line = "word ".repeat(100) + "\n";
        let text = line.repeat(1000) + "the end";
        let given = newest(&text);
        assert!(given.starts_with("(What came before"), "{}", &given[..80]);
        assert!(given.ends_with("the end") && given.len() < GIVEN + 100);
        assert_eq!(newest("short"), "short");
    }
}
