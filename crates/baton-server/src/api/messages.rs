//! Messages and the files that go with them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_protocol::{
    MessageId, SessionId,
    api::{AttachmentBody, Create, MessageAnswer, MessageBody, Problem, ProblemCode},
    event::UserMessage,
    words::{ClientRef, Remedy},
};
use baton_session::{
    Outbound, SessionHandle,
    agents::PromptFile,
    attachments::{AttachmentError, Incoming, IncomingContent, MAX_ALL, MAX_COUNT, accept},
    machine::{Reply, WhenBusy},
};

use super::{Api, Uploads};
use crate::{
    problem::Told as _,
    remote::{HttpsAddress, Kept},
};

/// What goes with a message.
struct Attached {
    files: Vec<PromptFile>,
    /// Lines for the prompt.
    addresses: Vec<String>,
}

/// A message that the session has already.
struct SentBefore {
    session: SessionId,
    message: UserMessage,
}

enum AttachmentSource {
    /// Its bytes are here.
    Here(AttachmentBody),
    There(Kept),
}

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
            memory: None,
        }))
    }

    pub(super) async fn send_message(
        &self,
        client: &ClientRef,
        session: SessionId,
        message: MessageBody,
    ) -> Result<MessageAnswer, Problem> {
        let memory = message.memory;
        let message = self.outbound(client, Some(session), message).await?;
        self.message(&self.open(session).await?, message, memory)
            .await
    }

    /// A message with its files, looked at. One that `session` has already is
    /// not looked for elsewhere again.
    pub(super) async fn outbound(
        &self,
        client: &ClientRef,
        session: Option<SessionId>,
        message: MessageBody,
    ) -> Result<Outbound, Problem> {
        let before = match (session, message.message_id) {
            (Some(session), Some(id)) => self.sent_before(session, id).await?,
            _ => None,
        };
        let id = message
            .message_id
            .unwrap_or_else(|| MessageId::from_uuid(self.world.random_id()));
        let attached = self.attached(message.attachments, before.as_ref()).await?;
        Ok(Outbound {
            id,
            text: with_addresses(message.text, &attached.addresses),
            files: attached.files,
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
        memory: Option<Remedy>,
    ) -> Result<MessageAnswer, Problem> {
        self.takes_turns()?;
        let reply = session.send_with(message, memory).await;
        match reply.told()? {
            Reply::Message {
                message_id,
                turn,
                state,
            } => Ok(MessageAnswer {
                message_id,
                turn,
                state,
            }),
            Reply::Done | Reply::Later { .. } => Err(Problem::new(
                ProblemCode::Internal,
                "the session did not say what became of the message",
            )),
        }
    }
}

impl Api {
    async fn sent_before(
        &self,
        session: SessionId,
        id: MessageId,
    ) -> Result<Option<SentBefore>, Problem> {
        let found = self.store().message(session, id).await.told()?;
        Ok(found.map(|record| SentBefore {
            session,
            message: record.message,
        }))
    }

    /// The file that came from elsewhere when the message was sent first.
    async fn kept_file(
        &self,
        link: &HttpsAddress,
        before: &SentBefore,
        index: usize,
    ) -> Result<Incoming, Problem> {
        let file = before.message.attachments.get(index);
        let Some((file, blob)) = file.and_then(|file| Some((file, file.blob_id?))) else {
            let id = before.message.message_id;
            let detail = format!("message {id} was sent before, with other files");
            return Err(Problem::new(ProblemCode::MessageIdConflict, detail));
        };
        let blob = self.blob(before.session, blob).await?;
        Ok(Incoming {
            name: link.name().to_owned(),
            media_type: Some(file.media_type.clone()),
            content: IncomingContent::Bytes(blob.bytes),
        })
    }

    /// What is taken, and as what, is decided in one place for every client.
    async fn attached(
        &self,
        attachments: Vec<AttachmentBody>,
        before: Option<&SentBefore>,
    ) -> Result<Attached, Problem> {
        let count = attachments.len();
        if count > MAX_COUNT {
            return Err(AttachmentError::TooMany { count }).told();
        }
        self.weighed(&attachments).await?;
        let mut files = Vec::new();
        let mut addresses = Vec::new();
        let mut allowance = self.files.remote.allowance();
        for attachment in self.looked_at(attachments)? {
            match attachment {
                AttachmentSource::Here(body) => {
                    let file = self.incoming(body).await?;
                    if let IncomingContent::Bytes(bytes) = &file.content {
                        allowance.take(bytes.len());
                    }
                    files.push(file);
                }
                AttachmentSource::There(Kept::Address(line)) => addresses.push(line),
                AttachmentSource::There(Kept::Image(link)) => files.push(match before {
                    Some(before) => self.kept_file(&link, before, files.len()).await?,
                    None => {
                        let fetched = self.files.remote.fetch(&link, &mut allowance).await;
                        fetched.told()?
                    }
                }),
            }
        }
        let files = accept(files).told()?;
        Ok(Attached { files, addresses })
    }

    /// Refuses what is too large in all before any of it is read.
    async fn weighed(&self, attachments: &[AttachmentBody]) -> Result<(), Problem> {
        let mut all = 0;
        for attachment in attachments {
            all += match &attachment.upload_id {
                Some(id) => self.waiting_files()?.length(id).await?,
                // Four characters are three bytes, less what fills up the end.
                None => (attachment.data.len() as u64 / 4 * 3).saturating_sub(2),
            };
            if all > MAX_ALL as u64 {
                let upload = attachment.upload_id.as_ref();
                let name = upload.unwrap_or(&attachment.name).clone();
                return Err(AttachmentError::TooLargeInAll { name }).told();
            }
        }
        Ok(())
    }

    fn waiting_files(&self) -> Result<&Uploads, Problem> {
        self.files.uploads.get().ok_or_else(|| {
            let message = "nothing can be uploaded to this daemon";
            Problem::invalid("uploadId", message)
        })
    }

    /// All addresses are looked at before anything is fetched from one.
    fn looked_at(
        &self,
        attachments: Vec<AttachmentBody>,
    ) -> Result<Vec<AttachmentSource>, Problem> {
        let look = |body: AttachmentBody| {
            let Some(url) = &body.url else {
                return Ok(AttachmentSource::Here(body));
            };
            if !body.data.is_empty() || body.upload_id.is_some() {
                let message = "one with a `url` has neither `data` nor an `uploadId`";
                return Err(Problem::invalid("attachments", message));
            }
            let kept = self
                .files
                .remote
                .look(url, &body.name, body.media_type.as_deref());
            kept.map(AttachmentSource::There).told()
        };
        attachments.into_iter().map(look).collect()
    }

    async fn incoming(&self, attachment: AttachmentBody) -> Result<Incoming, Problem> {
        let Some(id) = attachment.upload_id else {
            if attachment.name.is_empty() {
                let message = "each needs `name` and `data`, an `uploadId`, or a `url`";
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
        let (label, bytes) = self.waiting_files()?.read(&id).await?;
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

fn with_addresses(mut text: String, addresses: &[String]) -> String {
    for (index, address) in addresses.iter().enumerate() {
        if !text.is_empty() {
            text.push_str(if index == 0 { "\n\n" } else { "\n" });
        }
        text.push_str(address);
    }
    text
}
