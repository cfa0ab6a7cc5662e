//! Effects sorted into what is committed and what follows the commit.

use baton_protocol::{
    Event, EventDraft, HolderId, Live, Timestamp,
    event::{AssistantBlock, AssistantMessage, AssistantThinking},
    words::Json,
};
use baton_store::{HolderChange, NewBlob, NewSession, RequestChange};

use crate::machine::{CloseRequest, Effect};

/// What one step, or one chunk of the agent's output, leads to.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) create: Option<NewSession>,
    pub(super) events: Vec<EventDraft>,
    pub(super) requests: Vec<RequestChange>,
    pub(super) blobs: Vec<NewBlob>,
    pub(super) holder: Option<HolderChange>,
    /// Rules that a person made, committed with the answer that made them.
    pub(super) rules: Vec<Effect>,
    /// Done after the commit, in order.
    pub(super) after: Vec<Effect>,
    /// Messages for the host, worked on after the commit.
    pub(super) calls: Vec<(HolderId, String, Json)>,
    /// The agent has told something that may be what it has cost.
    pub(super) costs: bool,
    /// Text blocks that these events complete.
    pub(super) done: Vec<(String, u32)>,
}

impl Batch {
    pub(super) const fn is_empty(&self) -> bool {
        !self.has_records() && self.after.is_empty() && !self.costs
    }

    pub(super) const fn has_records(&self) -> bool {
        !self.events.is_empty()
            || !self.requests.is_empty()
            || !self.blobs.is_empty()
            || self.holder.is_some()
            || self.create.is_some()
    }

    /// `holder` is the process whose output the effects come from.
    pub(super) fn add_all(
        &mut self,
        effects: Vec<Effect>,
        now: Timestamp,
        holder: Option<HolderId>,
    ) {
        let mut now = now;
        for effect in effects {
            if let Effect::At(then) = effect {
                now = then;
            } else {
                self.add(effect, now, holder);
            }
        }
    }

    fn add(&mut self, effect: Effect, now: Timestamp, holder: Option<HolderId>) {
        match effect {
            Effect::Record {
                event,
                turn,
                agent_id,
            } => {
                if let Event::AssistantMessage(AssistantMessage(block))
                | Event::AssistantThinking(AssistantThinking(block)) = &event
                {
                    // What was live of it and waited for a commit has no
                    // meaning any more; shown later it would stand there twice.
                    self.after.retain(|effect| !is_text_of(effect, block));
                    self.done.push((block.message_id.clone(), block.block));
                }
                self.events.push(EventDraft {
                    ts: now,
                    turn,
                    agent_id,
                    event,
                });
            }
            Effect::Blob {
                id,
                media_type,
                bytes,
            } => self.blobs.push(NewBlob {
                id,
                media_type,
                bytes,
            }),
            Effect::AddRule { .. } => self.rules.push(effect),
            Effect::OpenRequest { request, approval } => {
                if let Some(holder) = holder {
                    self.requests.push(RequestChange::Opened {
                        holder,
                        request_id: request,
                        approval,
                        body: Json::null(),
                    });
                }
            }
            Effect::CloseRequest {
                request: request_id,
                close,
            } => self.requests.push(match close {
                CloseRequest::Answered(answer) => RequestChange::Answered { request_id, answer },
                CloseRequest::Confirmed => RequestChange::Confirmed { request_id },
                CloseRequest::Dropped => RequestChange::Dropped { request_id },
            }),
            Effect::At(_) => {}
            Effect::Live(_)
            | Effect::Start
            | Effect::Tell(_)
            | Effect::RememberEnd { .. }
            | Effect::CloseStdin
            | Effect::Kill { .. }
            | Effect::Settled { .. } => self.after.push(effect),
        }
    }
}

fn is_text_of(effect: &Effect, block: &AssistantBlock) -> bool {
    let Effect::Live(Live::AssistantDelta(delta) | Live::ThinkingDelta(delta)) = effect else {
        return false;
    };
    delta.message_id == block.message_id && delta.block == block.block
}
