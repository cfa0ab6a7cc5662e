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
    machine::{Reply, WhenBusy},
};

use super::Api;
use crate::problem;

/// Files with one message.
const MAX_FILES: usize = 20;

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

    pub(super) async fn message(
        &self,
        client: &ClientRef,
        session: &SessionHandle,
        message: MessageBody,
    ) -> Result<Json, Problem> {
        self.takes_turns()?;
        let id = message
            .message_id
            .unwrap_or_else(|| MessageId::from_uuid(self.world.random_id()));
        let outbound = Outbound {
            id,
            text: message.text,
            files: files(message.attachments)?,
            when_busy: if message.queue {
                WhenBusy::Queue
            } else {
                WhenBusy::Refuse
            },
            client: Some(client.clone()),
        };
        let reply = session.send(outbound).await;
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

fn files(attachments: Vec<AttachmentBody>) -> Result<Vec<PromptFile>, Problem> {
    if attachments.len() > MAX_FILES {
        return Err(Problem::new(
            ProblemCode::TooMany,
            format!("at most {MAX_FILES} files go with a message"),
        ));
    }
    let file = |attachment: AttachmentBody| {
        let bytes = STANDARD.decode(&attachment.data).map_err(|error| {
            Problem::invalid("attachments", format!("`data` is not base64: {error}"))
        })?;
        Ok(PromptFile {
            name: attachment.name,
            media_type: attachment.media_type,
            bytes,
        })
    };
    attachments.into_iter().map(file).collect()
}
