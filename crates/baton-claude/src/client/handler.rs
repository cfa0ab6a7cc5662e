//! What the host does when the CLI asks.

use std::future::ready;

use crate::control::{
    CanUseTool, CliRequestBody, Elicitation, ElicitationReply, HookCallback, HookOutput,
    McpMessage, PermissionDecision, Reply,
};
use crate::json::RawJson;

/// Answers the CLI's questions.
///
/// Each question runs in a task of its own, so an answer may take as long as a
/// person needs while others are answered. When the CLI takes a question back,
/// its task is dropped at the next await. The unit type `()` is a handler that
/// refuses everything.
pub trait Handler: Send + Sync + 'static {
    /// May this tool run? `AskUserQuestion` and `ExitPlanMode` come this way
    /// in every mode, so look at the tool's name before allowing unseen.
    fn can_use_tool(&self, ask: CanUseTool) -> impl Future<Output = PermissionDecision> + Send {
        let message = format!("nobody is here to allow {}", ask.tool_name);
        ready(PermissionDecision::deny(message))
    }

    /// A hook registered with [`crate::Initialize::hooks`] is called.
    fn hook(&self, call: HookCallback) -> impl Future<Output = HookOutput> + Send {
        let HookCallback { .. } = call;
        ready(HookOutput::default())
    }

    /// A JSON-RPC message for a server named in
    /// [`crate::Options::sdk_mcp_servers`]; the answer is the JSON-RPC
    /// response. Comes before the session is ready, and for notifications too.
    fn mcp(&self, message: McpMessage) -> impl Future<Output = Result<RawJson, String>> + Send {
        ready(Err(format!(
            "no MCP server named {} is here",
            message.server_name
        )))
    }

    /// An MCP server asks the user something.
    fn elicitation(&self, ask: Elicitation) -> impl Future<Output = ElicitationReply> + Send {
        let Elicitation { .. } = ask;
        ready(ElicitationReply::Decline)
    }

    /// Anything else, such as a dialog.
    fn other(
        &self,
        request: CliRequestBody,
    ) -> impl Future<Output = Result<RawJson, String>> + Send {
        let name = match request {
            CliRequestBody::RequestUserDialog(dialog) => dialog.dialog_kind,
            CliRequestBody::Other { subtype, .. } => subtype.unwrap_or_default(),
            CliRequestBody::CanUseTool(_)
            | CliRequestBody::HookCallback(_)
            | CliRequestBody::McpMessage(_)
            | CliRequestBody::Elicitation(_) => String::new(),
        };
        ready(Err(format!("request {name:?} is not supported")))
    }
}

impl Handler for () {}

/// Answers one question.
pub(super) async fn serve<H: Handler>(handler: &H, request: CliRequestBody) -> Reply {
    match request {
        CliRequestBody::CanUseTool(ask) => Reply::Permission(handler.can_use_tool(*ask).await),
        CliRequestBody::HookCallback(call) => Reply::Hook(Box::new(handler.hook(call).await)),
        CliRequestBody::McpMessage(message) => handler
            .mcp(message)
            .await
            .map_or_else(Reply::Error, Reply::Mcp),
        CliRequestBody::Elicitation(ask) => Reply::Elicitation(handler.elicitation(*ask).await),
        request @ (CliRequestBody::RequestUserDialog(_) | CliRequestBody::Other { .. }) => handler
            .other(request)
            .await
            .map_or_else(Reply::Error, Reply::Raw),
    }
}
