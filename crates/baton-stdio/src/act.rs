//! From what the parent says to commands of the session.

mod answers;

use std::{pin::Pin, sync::Arc};

use base64::{Engine, engine::general_purpose::STANDARD};
use baton_protocol::{
    ApprovalId, MessageId,
    words::{ClientRef, Json},
};
use baton_session::{
    CommandError, Outbound, SessionHandle, World,
    agents::PromptFile,
    attachments::{self, Incoming, IncomingContent},
    machine::{Rejected, WhenBusy},
};
use serde_json::Value;

use crate::{
    folder::{Folder, FolderAsk, Folders},
    input::{AttachmentIn, Input, Message, RewindFiles, SetBudget, TrustFolder},
    output::{
        AccountInfo, BudgetChanged, Error, FilesRewound, McpStatus, Output, SupportedCommands,
        SupportedModels, TaskStopping,
    },
    pending::What,
    translate::{Translator, more_money},
};

/// A command under way; what comes of it.
pub(crate) type Acting = Pin<Box<dyn Future<Output = Done> + Send>>;

/// What came of a command.
#[derive(Debug)]
pub(crate) enum Done {
    Nothing,
    Say(Box<Output>),
    /// A change that the log will tell of has happened.
    Changed(u64),
    /// It has not: the error, to be told to whoever asked for it.
    Unchanged(u64, Box<Error>),
    /// A message was not taken.
    NotTaken(MessageId, Box<Error>),
    /// The folder stands so now, which this request wanted to know.
    Folder(Box<Folder>, Option<String>),
}

/// What a line leads to.
pub(crate) enum Act {
    Do(Acting),
    Say(Box<Output>),
    Stop,
}

/// Acts for one parent.
pub(crate) struct Actions {
    pub(crate) session: SessionHandle,
    pub(crate) folders: Arc<dyn Folders>,
    pub(crate) world: Arc<dyn World>,
    pub(crate) client: ClientRef,
}

impl Actions {
    pub(crate) fn on(&self, input: Input, state: &mut Translator) -> Act {
        let session = self.session.clone();
        match input {
            Input::Message(message) => self.message(message, state),
            Input::Stop(_) => Act::Stop,
            Input::Interrupt(bare) => {
                // Whether a turn runs is the session's to say: one may be about
                // to begin.
                let number = state.expected.add(What::Interrupt, bare.request_id);
                change(number, async move { session.interrupt().await })
            }
            Input::StopTask(stop) => {
                let (task_id, request_id) = (stop.task_id, stop.request_id);
                doing(async move {
                    match session.stop_task(&task_id).await {
                        Ok(()) => said(TaskStopping {
                            task_id,
                            request_id,
                        }),
                        Err(error) => said(of_command(&error, request_id)),
                    }
                })
            }
            Input::SetModel(set) => {
                let what = What::Model(set.model.clone());
                let number = state.expected.add(what, set.request_id);
                change(number, async move { session.set_model(set.model).await })
            }
            Input::SetPermissionMode(set) => {
                let number = state.expected.add(What::Mode(set.mode), set.request_id);
                change(number, async move {
                    session.set_permission_mode(set.mode).await
                })
            }
            Input::SetBudget(set) => budget(session, set),
            Input::TrustFolder(trust) => self.trust(trust),
            Input::RewindFiles(rewind) => self.rewind(rewind, state),
            Input::GetSupportedModels(bare) => self.greeted(bare.request_id, |told, request_id| {
                let models = part(told, "models");
                SupportedModels { models, request_id }.into()
            }),
            Input::GetSupportedCommands(bare) => {
                self.greeted(bare.request_id, |told, request_id| {
                    let commands = part(told, "commands");
                    SupportedCommands {
                        commands,
                        request_id,
                    }
                    .into()
                })
            }
            Input::GetAccountInfo(bare) => self.greeted(bare.request_id, |told, request_id| {
                let account = part(told, "account");
                AccountInfo {
                    account,
                    request_id,
                }
                .into()
            }),
            Input::GetMcpStatus(bare) => {
                let request_id = bare.request_id;
                doing(async move {
                    match session.mcp_status().await {
                        Ok(told) => said(McpStatus {
                            servers: part(&told.value(), "mcpServers"),
                            request_id,
                        }),
                        Err(error) => said(of_command(&error, request_id)),
                    }
                })
            }
            Input::UserQuestionResponse(response) => self.question(response, state),
            Input::PlanApprovalResponse(response) => self.plan(response, state),
            Input::ToolApprovalResponse(response) => self.tool(response, state),
        }
    }

    /// Denies a request that nobody will answer any more.
    pub(crate) fn reject(&self, request: ApprovalId, why: &'static str) -> Acting {
        let (session, client) = (self.session.clone(), self.client.clone());
        Box::pin(async move {
            // Somebody else's answer is as good.
            session
                .deny_unattended(request, why, Some(client))
                .await
                .ok();
            Done::Nothing
        })
    }

    fn message(&self, message: Message, state: &mut Translator) -> Act {
        let id = message
            .message_id
            .unwrap_or_else(|| MessageId::from_uuid(self.world.random_id()));
        if let Some(text) = state.too_much_waits() {
            return say(Error {
                hint: Some("Wait until some of them have had their turn.".into()),
                message_id: Some(id),
                ..error("refused", text, message.request_id)
            });
        }
        let files = match files(message.attachments, state.folder()) {
            Ok(files) => files,
            Err((text, hint)) => {
                return say(Error {
                    hint: hint.map(str::to_owned),
                    message_id: Some(id),
                    ..error("bad_attachment", text, message.request_id)
                });
            }
        };
        let (session, client) = (self.session.clone(), self.client.clone());
        let outbound = Outbound {
            id,
            text: message.content,
            files,
            when_busy: WhenBusy::Queue,
            client: Some(client),
        };
        let (request_id, memory) = (message.request_id, message.memory);
        state.expect_message(id, request_id.clone());
        doing(async move {
            match session.send_with(outbound, memory).await {
                Ok(_) => Done::Nothing,
                Err(refused) => {
                    let error = Error {
                        message_id: Some(id),
                        ..of_command(&refused, request_id)
                    };
                    Done::NotTaken(id, Box::new(error))
                }
            }
        })
    }

    fn trust(&self, trust: TrustFolder) -> Act {
        let request_id = trust.request_id;
        if trust.accept == Some(true) && trust.digest.is_none() {
            let text =
                "to accept the folder, name what is accepted with the `digest` of a `folder_trust`";
            return say(error("bad_answer", text, request_id));
        }
        let folders = Arc::clone(&self.folders);
        doing(async move {
            let ask = FolderAsk {
                accept: trust.accept,
                digest: trust.digest,
            };
            match folders.ask(ask).await {
                Ok(folder) => Done::Folder(Box::new(folder), request_id),
                Err(why) => said(error("refused", why, request_id)),
            }
        })
    }

    fn rewind(&self, rewind: RewindFiles, state: &mut Translator) -> Act {
        let session = self.session.clone();
        let checkpoint = rewind.checkpoint_id;
        if !rewind.dry_run {
            let number = state
                .expected
                .add(What::Rewind(checkpoint), rewind.request_id);
            return change(number, async move {
                session.rewind(checkpoint, false).await.map(|_| ())
            });
        }
        let request_id = rewind.request_id;
        doing(async move {
            match session.rewind(checkpoint, true).await {
                Ok(told) => said(FilesRewound {
                    checkpoint_id: checkpoint,
                    files: told.files_changed,
                    dry_run: true,
                    request_id,
                }),
                Err(error) => said(of_command(&error, request_id)),
            }
        })
    }

    fn greeted(
        &self,
        request_id: Option<String>,
        form: impl FnOnce(&Value, Option<String>) -> Output + Send + 'static,
    ) -> Act {
        let session = self.session.clone();
        doing(async move {
            match session.greeting().await {
                Ok(told) => Done::Say(Box::new(form(&told.value(), request_id))),
                Err(error) => said(of_command(&error, request_id)),
            }
        })
    }
}

/// As `baton budget`. What it is now is told with the next `init`, too.
fn budget(session: SessionHandle, set: SetBudget) -> Act {
    let (max_budget_usd, request_id) = (set.max_budget_usd, set.request_id);
    if max_budget_usd.is_some_and(|usd| !usd.is_finite() || usd < 0.0) {
        let text = "`maxBudgetUsd` is an amount in US dollars, not below 0";
        return say(error("bad_message", text, request_id));
    }
    doing(async move {
        match session.set_budget(max_budget_usd).await {
            Ok(()) => said(BudgetChanged {
                max_budget_usd,
                request_id,
            }),
            Err(error) => said(of_command(&error, request_id)),
        }
    })
}

fn files(
    attachments: Vec<AttachmentIn>,
    folder: &str,
) -> Result<Vec<PromptFile>, (String, Option<&'static str>)> {
    let mut incoming = Vec::new();
    for file in attachments {
        let bytes = match (file.data, file.text) {
            (Some(data), None) => STANDARD
                .decode(data)
                .map_err(|error| (format!("{}: `data` is no base64: {error}", file.name), None))?,
            (None, Some(text)) => text.into_bytes(),
            (None, None) | (Some(_), Some(_)) => {
                let text = format!("{}: a file has either `data` or `text`", file.name);
                return Err((text, None));
            }
        };
        incoming.push(Incoming {
            name: from_folder(file.name, folder),
            media_type: file.media_type,
            content: IncomingContent::Bytes(bytes),
        });
    }
    attachments::accept(incoming).map_err(|error| (error.to_string(), Some(error.hint())))
}

/// A path below the conversation's folder, as seen from there.
fn from_folder(name: String, folder: &str) -> String {
    let below = name.strip_prefix(folder);
    match below.and_then(|below| below.strip_prefix('/')) {
        Some(below) => below.to_owned(),
        None => name,
    }
}

pub(crate) fn error(code: &str, message: impl Into<String>, request_id: Option<String>) -> Error {
    Error {
        code: code.to_owned(),
        message: message.into(),
        hint: None,
        fatal: false,
        retryable: None,
        retry_at: None,
        detail: None,
        request_id,
        message_id: None,
    }
}

/// What a parent can do where the agent lacks a part of the past.
const CHOOSE: &str =
    "Send it with `memory`: `log` gives the agent what Baton's log has, `none` goes on without.";

/// A refused command, as the parent is told.
fn of_command(refused: &CommandError, request_id: Option<String>) -> Error {
    let code = match refused {
        CommandError::Rejected(spent @ Rejected::BudgetSpent { .. }) => {
            return Error {
                hint: Some(more_money(Some(spent.budget_hint()))),
                retryable: Some(false),
                ..error("budget", refused.to_string(), request_id)
            };
        }
        // By timing it may be known here already, or only there.
        CommandError::Rejected(Rejected::AlreadyAnswered(_) | Rejected::UnknownApproval { .. }) => {
            "no_such_request"
        }
        CommandError::Rejected(Rejected::MemoryLost { .. }) => {
            return Error {
                hint: Some(CHOOSE.to_owned()),
                ..error("memory_lost", refused.to_string(), request_id)
            };
        }
        CommandError::Rejected(_) => "refused",
        CommandError::Agent(_) => "agent_refused",
        CommandError::TooLarge { .. } => "too_large",
        CommandError::NoPlace(_) => "session_limit",
        CommandError::Store(_) => "storage",
        CommandError::Unreachable(_) | CommandError::Gone => "agent_lost",
    };
    error(code, refused.to_string(), request_id)
}

/// One part of what the agent told; null if it did not.
fn part(told: &Value, key: &str) -> Json {
    Json::of(told.get(key).unwrap_or(&Value::Null))
}

fn say(said: impl Into<Output>) -> Act {
    Act::Say(Box::new(said.into()))
}

fn said(said: impl Into<Output>) -> Done {
    Done::Say(Box::new(said.into()))
}

fn doing(acting: impl Future<Output = Done> + Send + 'static) -> Act {
    Act::Do(Box::pin(acting))
}

/// A command whose effect the log will tell.
fn change(
    number: u64,
    acting: impl Future<Output = Result<(), CommandError>> + Send + 'static,
) -> Act {
    doing(async move {
        match acting.await {
            Ok(()) => Done::Changed(number),
            Err(error) => Done::Unchanged(number, Box::new(of_command(&error, None))),
        }
    })
}
