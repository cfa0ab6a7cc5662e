//! Messages on their way to the log, and who waits to hear of them.

use baton_protocol::MessageId;

use super::Output;
use crate::output::MessageAccepted;

#[derive(Debug, Default)]
pub(super) struct Senders {
    /// In the order in which they came.
    sent: Vec<(MessageId, Option<String>)>,
}

impl Senders {
    pub(super) const fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    pub(super) fn sent(&mut self, message: MessageId, request_id: Option<String>) {
        self.sent.push((message, request_id));
    }

    /// The log has it now; for whom.
    pub(super) fn arrived(&mut self, message: MessageId) -> Option<String> {
        let at = self.sent.iter().position(|(id, _)| *id == message)?;
        self.sent.remove(at).1
    }

    pub(super) fn refused(&mut self, message: MessageId, request_id: Option<&str>) {
        let mut sent = self.sent.iter();
        let at = sent.rposition(|(id, of)| *id == message && of.as_deref() == request_id);
        if let Some(at) = at {
            self.sent.remove(at);
        }
    }

    /// Nothing more is on its way: whatever was taken without an event is a
    /// message that the log had before.
    pub(super) fn known_already(&mut self) -> impl Iterator<Item = Output> + use<> {
        let known = std::mem::take(&mut self.sent).into_iter();
        known.map(|(message_id, request_id)| {
            MessageAccepted {
                message_id,
                again: Some(true),
                request_id,
            }
            .into()
        })
    }
}
