//! Requests by name, for those who do not want to build them.

use uuid::Uuid;

use super::Client;
use crate::control::{
    CancelAsyncMessage, ContextUsage, FilesRewound, GetContextUsage, Interrupt, Interrupted,
    McpServer, McpStatus, ModeSet, ModelSet, PermissionMode, RewindFiles, SetModel,
    SetPermissionMode, StopTask,
};
use crate::peer::RequestError;

impl Client {
    /// Stops the running turn; its `result` follows. Messages that wait run
    /// next, see [`Client::cancel_message`].
    ///
    /// # Errors
    /// As [`Client::request`], like all methods here.
    pub async fn interrupt(&self) -> Result<Interrupted, RequestError> {
        self.request(Interrupt {
            cancel_queued: None,
        })
        .await
    }

    /// Withdraws a message that still waits. False when it was taken already.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn cancel_message(&self, message: Uuid) -> Result<bool, RequestError> {
        let request = CancelAsyncMessage {
            message_uuid: message,
        };
        Ok(self.request(request).await?.cancelled)
    }

    /// Changes the model from the next message on; `None` means the default.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn set_model(&self, model: Option<String>) -> Result<ModelSet, RequestError> {
        self.request(SetModel { model }).await
    }

    /// Changes the permission mode, for the next tool call on.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn set_permission_mode(&self, mode: PermissionMode) -> Result<ModeSet, RequestError> {
        self.request(SetPermissionMode { mode }).await
    }

    /// Says which files [`Client::rewind_files`] would change.
    ///
    /// # Errors
    /// As [`Client::request`]; refused unless
    /// [`crate::Options::file_checkpointing`] is on.
    pub async fn preview_rewind(&self, message: Uuid) -> Result<FilesRewound, RequestError> {
        self.request(RewindFiles {
            user_message_id: message,
            dry_run: Some(true),
        })
        .await
    }

    /// Puts files back to where they were when a message was sent.
    ///
    /// # Errors
    /// As [`Client::preview_rewind`].
    pub async fn rewind_files(&self, message: Uuid) -> Result<FilesRewound, RequestError> {
        self.request(RewindFiles {
            user_message_id: message,
            dry_run: None,
        })
        .await
    }

    /// Says what fills the context window.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn context_usage(&self) -> Result<ContextUsage, RequestError> {
        self.request(GetContextUsage {}).await
    }

    /// Lists MCP servers and how they are.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn mcp_status(&self) -> Result<Vec<McpServer>, RequestError> {
        Ok(self.request(McpStatus {}).await?.servers)
    }

    /// Ends a background task or sub-agent.
    ///
    /// # Errors
    /// As [`Client::request`].
    pub async fn stop_task(&self, task_id: impl Into<String> + Send) -> Result<(), RequestError> {
        self.request(StopTask {
            task_id: task_id.into(),
        })
        .await
        .map(drop)
    }
}
