//! What the CLI writes to stdout, one value per line.
//!
//! Everything that is known has a type; everything else is carried as raw JSON
//! in [`Message::Unknown`] or in the `Other` variant of the place where it
//! turned up. Only stream events borrow from the line, because there is one per
//! token; [`Message::into_owned`] frees them from it.

use crate::control::{CliRequest, ControlResponse};

pub(crate) mod chat;
pub(crate) mod content;
pub(crate) mod notice;
pub(crate) mod result;
pub(crate) mod stream;
pub(crate) mod system;
pub(crate) mod tasks;
pub(crate) mod usage;

use chat::{Assistant, User};
use notice::{
    AuthStatus, CommandLifecycle, ConversationReset, PromptSuggestion, RateLimitEvent,
    ToolProgress, ToolUseSummary, Unknown,
};
use result::TurnResult;
use stream::StreamEvent;
use system::System;

/// One line of the CLI's stdout.
#[derive(Debug, Clone, PartialEq)]
pub enum Message<'a> {
    /// What the CLI says about itself.
    System(Box<System>),
    /// A message is being written.
    StreamEvent(StreamEvent<'a>),
    /// One completed block of the model's answer.
    Assistant(Box<Assistant>),
    /// A tool result, or a replayed or synthetic prompt.
    User(Box<User>),
    /// A turn ended.
    Result(Box<TurnResult>),
    /// The CLI asks the host.
    ControlRequest(Box<CliRequest>),
    /// The CLI answers the host, or repeats an answer of the host's own.
    ControlResponse(Box<ControlResponse>),
    /// The CLI no longer wants an answer to one of its requests.
    ControlCancelRequest {
        /// The request.
        request_id: String,
    },
    /// What became of a message the host sent.
    CommandLifecycle(CommandLifecycle),
    /// A tool still works.
    ToolProgress(ToolProgress),
    /// A sentence about some tool calls.
    ToolUseSummary(ToolUseSummary),
    /// A login is under way.
    AuthStatus(AuthStatus),
    /// How much of a subscription's allowance is used.
    RateLimitEvent(RateLimitEvent),
    /// What the user might say next.
    PromptSuggestion(PromptSuggestion),
    /// Nothing; shows that the CLI is there.
    KeepAlive,
    /// The conversation starts anew under another id.
    ConversationReset(ConversationReset),
    /// Everything else.
    Unknown(Box<Unknown>),
}

impl Message<'_> {
    /// Copies what is still borrowed from the line.
    #[must_use]
    pub fn into_owned(self) -> Message<'static> {
        match self {
            Self::System(system) => Message::System(system),
            Self::StreamEvent(event) => Message::StreamEvent(event.into_owned()),
            Self::Assistant(assistant) => Message::Assistant(assistant),
            Self::User(user) => Message::User(user),
            Self::Result(result) => Message::Result(result),
            Self::ControlRequest(request) => Message::ControlRequest(request),
            Self::ControlResponse(response) => Message::ControlResponse(response),
            Self::ControlCancelRequest { request_id } => {
                Message::ControlCancelRequest { request_id }
            }
            Self::CommandLifecycle(lifecycle) => Message::CommandLifecycle(lifecycle),
            Self::ToolProgress(progress) => Message::ToolProgress(progress),
            Self::ToolUseSummary(summary) => Message::ToolUseSummary(summary),
            Self::AuthStatus(status) => Message::AuthStatus(status),
            Self::RateLimitEvent(event) => Message::RateLimitEvent(event),
            Self::PromptSuggestion(suggestion) => Message::PromptSuggestion(suggestion),
            Self::KeepAlive => Message::KeepAlive,
            Self::ConversationReset(reset) => Message::ConversationReset(reset),
            Self::Unknown(unknown) => Message::Unknown(unknown),
        }
    }

    /// The session the line belongs to. Follow it on every line: `/clear`
    /// changes it without any other sign in 2.1.197.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        match self {
            Self::System(system) => system.session_id.as_deref(),
            Self::StreamEvent(event) => event.session_id.as_deref(),
            Self::Assistant(assistant) => assistant.session_id.as_deref(),
            Self::User(user) => user.session_id.as_deref(),
            Self::Result(result) => result.session_id.as_deref(),
            Self::CommandLifecycle(lifecycle) => lifecycle.session_id.as_deref(),
            Self::ToolProgress(progress) => progress.session_id.as_deref(),
            Self::ToolUseSummary(summary) => summary.session_id.as_deref(),
            Self::AuthStatus(status) => status.session_id.as_deref(),
            Self::RateLimitEvent(event) => event.session_id.as_deref(),
            Self::PromptSuggestion(suggestion) => suggestion.session_id.as_deref(),
            Self::ConversationReset(reset) => reset.session_id.as_deref(),
            Self::ControlRequest(_)
            | Self::ControlResponse(_)
            | Self::ControlCancelRequest { .. }
            | Self::KeepAlive
            | Self::Unknown(_) => None,
        }
    }
}
