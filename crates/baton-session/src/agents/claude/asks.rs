//! What the CLI asks of its host: mostly, of a person.

use std::path::PathBuf;

use baton_claude::{
    CanUseTool, CliRequest, CliRequestBody, ControlResponse, HookCallback, HookEvent, Interrupted,
};
use baton_protocol::{
    MessageId, ToolKind,
    words::{ApprovalKind, Json, Risk},
};
use baton_rules::UNCOVERED;

use super::{Translator, ending, json, tools};
use crate::agents::{AgentOutput, Ask, Doubt, TurnEnd};

/// The name under which the CLI calls for permission before it uses a tool.
pub(super) const GATE: &str = "gate";

pub(super) fn request(request: CliRequest, out: &mut Vec<AgentOutput>) {
    let id = request.request_id;
    let ask = match request.body {
        CliRequestBody::CanUseTool(asked) => tool(*asked),
        CliRequestBody::HookCallback(hook) => return before_use(id, &hook, out),
        CliRequestBody::McpMessage(asked) => {
            out.push(AgentOutput::HostMessage {
                request: id,
                server: asked.server_name,
                message: json(asked.message.get()),
            });
            return;
        }
        CliRequestBody::Elicitation(elicitation) => other(
            "elicitation",
            &serde_json::json!({
                "server": elicitation.mcp_server_name,
                "message": elicitation.message,
                "url": elicitation.url,
                "schema": elicitation.requested_schema.map(|schema| json(schema.get()).value()),
            }),
            Some(format!(
                "the MCP server {} asks",
                elicitation.mcp_server_name
            )),
        ),
        CliRequestBody::RequestUserDialog(dialog) => other(
            "request_user_dialog",
            &serde_json::json!({
                "kind": dialog.dialog_kind,
                "payload": dialog.payload.map(|payload| json(payload.get()).value()),
            }),
            None,
        ),
        CliRequestBody::Other { subtype, raw } => {
            let name = subtype.unwrap_or_else(|| "request".into());
            let mut ask = other(&name, &serde_json::Value::Null, None);
            ask.input = json(raw.get());
            ask
        }
    };
    out.push(AgentOutput::Ask { request: id, ask });
}

fn unsupported(request: String, what: &str, out: &mut Vec<AgentOutput>) {
    out.push(AgentOutput::Unsupported {
        request,
        what: what.to_owned(),
    });
}

/// The CLI is about to use a tool. It asks by itself only for some of them, so
/// every call comes by here first.
fn before_use(request: String, hook: &HookCallback, out: &mut Vec<AgentOutput>) {
    let input = hook.parsed().ok();
    let input = input
        .filter(|input| hook.callback_id == GATE && input.hook_event_name == HookEvent::PreToolUse);
    let Some(input) = input else {
        return unsupported(request, "a hook that was not registered", out);
    };
    let told = input.tool_input;
    let told = told.map_or_else(Json::null, |told| json(told.get()));
    let ask = Ask {
        tool_use_id: input.tool_use_id.or_else(|| hook.tool_use_id.clone()),
        agent_id: input.agent_id,
        cwd: input.cwd.map(PathBuf::from),
        ..use_of(input.tool_name.unwrap_or_default(), told)
    };
    out.push(AgentOutput::Gate { request, ask });
}

fn use_of(tool_name: String, input: Json) -> Ask {
    let what = tools::tool_use(&tool_name, &input.value());
    let kind = if what.kind == ToolKind::Question {
        ApprovalKind::Question
    } else if what.kind == ToolKind::Plan {
        ApprovalKind::Plan
    } else {
        ApprovalKind::Tool
    };
    Ask {
        kind,
        tool_name,
        what,
        input,
        ..Ask::default()
    }
}

fn tool(asked: CanUseTool) -> Ask {
    Ask {
        tool_use_id: asked.tool_use_id,
        doubt: doubt(
            asked.decision_reason_type.as_deref(),
            asked.decision_reason.as_deref(),
        ),
        // What the gate itself said comes back here.
        reason: asked
            .decision_reason
            .or(asked.title)
            .filter(|reason| reason != UNCOVERED),
        agent_id: asked.agent_id,
        ..use_of(asked.tool_name, json(asked.input.get()))
    }
}

/// What the CLI says where it has nothing against a command but that nothing
/// allows it.
const ORDINARY: &str = "This command requires approval";

/// Why the CLI asks, where that speaks against the call.
fn doubt(kind: Option<&str>, reason: Option<&str>) -> Option<Doubt> {
    match (kind?, reason) {
        ("rule", _) => Some(Doubt::Settings),
        ("other", Some(ORDINARY) | None) => None,
        ("other" | "safetyCheck" | "classifier", reason) => {
            let reason = reason.unwrap_or("the agent found it unsafe");
            Some(Doubt::Unchecked(reason.to_owned()))
        }
        // The gate's own words, the mode, or a folder that Baton looks at itself.
        (_, _) => None,
    }
}

/// A kind nobody knows still reaches a person, with the raw request.
fn other(name: &str, input: &serde_json::Value, reason: Option<String>) -> Ask {
    Ask {
        kind: ApprovalKind::Other,
        tool_name: name.to_owned(),
        input: Json::of(input),
        risk: Risk::Medium,
        reason,
        ..Ask::default()
    }
}

/// Whether an interrupt found this message waiting, and let it be.
fn is_still_queued(message: MessageId, response: &ControlResponse) -> bool {
    let body = response.outcome.as_ref().ok();
    let left = body.and_then(|body| Interrupted::read(body.as_ref()).ok());
    let left = left.and_then(|left| left.still_queued).unwrap_or_default();
    left.contains(&message.to_string())
}

impl Translator {
    /// 2.1.325 does not repeat a plan that its call has in full; a person must
    /// see what is asked about.
    pub(super) fn with_plan(&self, output: &mut AgentOutput) {
        let AgentOutput::Ask { ask, .. } = output else {
            return;
        };
        let known = self.plan.as_ref();
        let known = known.filter(|(call, _)| Some(call) == ask.tool_use_id.as_ref());
        let mut input = ask.input.value();
        if let (ApprovalKind::Plan, Some((_, plan)), Some(fields)) =
            (ask.kind, known, input.as_object_mut())
            && fields.get("plan").is_none_or(|plan| *plan == "")
        {
            fields.insert("plan".into(), plan.as_str().into());
            ask.input = Json::of(&input);
        }
    }

    /// The CLI's answer to one of our own requests.
    pub(super) fn response(&mut self, response: ControlResponse, out: &mut Vec<AgentOutput>) {
        if self.interrupt.as_ref() == Some(&response.request_id) {
            self.interrupt = None;
            let waiting = self.prompted;
            self.unheard = waiting.is_some_and(|message| is_still_queued(message, &response));
            self.cut_short = response.outcome.is_ok() && !self.unheard;
        }
        self.mode_answered(&response.request_id, response.outcome.is_ok());
        let initialize = self.initialize.map(|id| id.to_string());
        if initialize.as_deref() != Some(response.request_id.as_str()) {
            let outcome =
                match response.outcome {
                    Ok(body) => Ok(body
                        .map_or_else(|| Json::of(&serde_json::json!({})), |body| json(body.get()))),
                    Err(refusal) => Err(refusal.message),
                };
            out.push(AgentOutput::Reply {
                request: response.request_id,
                outcome,
            });
            return;
        }
        match response.outcome {
            Ok(body) => {
                self.ready = true;
                let told = body.map(|body| json(body.get()));
                out.extend(told.map(AgentOutput::Greeting));
                out.push(AgentOutput::Ready);
                for pending in response.pending_permission_requests {
                    request(pending, out);
                }
            }
            Err(refusal) => {
                self.told_error(ending::refused(&refusal.message), out);
                out.push(AgentOutput::TurnEnded(TurnEnd {
                    is_error: true,
                    result: Some(refusal.message),
                    ..TurnEnd::default()
                }));
            }
        }
    }
}
