//! Messages and the files that go with them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_protocol::{
    MessageId,
    api::{AttachmentBody, Create, MessageAnswer, MessageBody, Problem, ProblemCode},
    words::{ClientRef, Json},
};
use baton_session::{
    Outbound, SessionHandle,
    agents::PromptFile,
    attachments::{Incoming, IncomingContent, accept},
    machine::{Reply, WhenBusy},
};

use super::Api;
use crate::problem;

impl Api {
    /// The message that a new session begins with, looked at before the
    /// session is made.
    pub(super) fn first_message(new: &Create) -> Result<Option<MessageBody>, Problem> {
        let Some(text) = new.prompt.clone() else {
            return Ok(None);
        };
        if text.trim().is_empty() && new.attachments.is_empty() {
            return Err(Problem::new(
                ProblemCode::Empty,
                "the first message is empty",
            ));
        }
        Ok(Some(MessageBody {
            text,
            message_id: new.message_id,
            attachments: new.attachments.clone(),
            queue: false,
        }))
    }

    /// A message with its files, looked at.
    pub(super) async fn outbound(
        &self,
        client: &ClientRef,
        message: MessageBody,
    ) -> Result<Outbound, Problem> {
        let id = message
            .message_id
            .unwrap_or_else(|| MessageId::from_uuid(self.world.random_id()));
        Ok(Outbound {
            id,
            text: message.text,
            files: self.attached(message.attachments).await?,
            when_busy: if message.queue {
                WhenBusy::Queue
            } else {
                WhenBusy::Refuse
            },
            client: Some(client.clone()),
        })
    }

    pub(super) async fn message(
        &self,
        session: &SessionHandle,
        message: Outbound,
    ) -> Result<Json, Problem> {
        self.takes_turns()?;
        let reply = session.send(message).await;
        match reply.map_err(problem::of_command)? {
            Reply::Message {
                message_id,
                turn,
                state,
            } => Ok(Json::of(&MessageAnswer {
                message_id,
                turn,
                state,
            })),
            Reply::Done | Reply::Later { .. } => Ok(Json::null()),
        }
    }
}

impl Api {
    /// What is taken, and as what, is decided in one place for every client.
    async fn attached(&self, attachments: Vec<AttachmentBody>) -> Result<Vec<PromptFile>, Problem> {
        let mut files = Vec::new();
        for attachment in attachments {
            files.push(self.incoming(attachment).await?);
        }
        accept(files).map_err(|error| problem::of_attachment(&error))
    }

    async fn incoming(&self, attachment: AttachmentBody) -> Result<Incoming, Problem> {
        let Some(id) = attachment.upload_id else {
            if attachment.name.is_empty() {
                let message = "each needs `name` and `data`, or an `uploadId`";
                return Err(Problem::invalid("attachments", message));
            }
            let bytes = STANDARD.decode(&attachment.data).map_err(|error| {
                Problem::invalid("attachments", format!("`data` is not base64: {error}"))
            })?;
            return Ok(Incoming {
                name: attachment.name,
                media_type: attachment.media_type,
                content: IncomingContent::Bytes(bytes),
            });
        };
        let uploads = self.uploads.get().ok_or_else(|| {
            let message = "nothing can be uploaded to this daemon";
            Problem::invalid("uploadId", message)
        })?;
        let (label, bytes) = uploads.read(&id).await?;
        Ok(Incoming {
            name: match attachment.name {
                name if name.is_empty() => label.name,
                name => name,
            },
            media_type: attachment.media_type.or(label.media_type),
            content: IncomingContent::Bytes(bytes),
        })
    }
}
