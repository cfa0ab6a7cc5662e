//! What the workspace runs.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Nothing, Outcome, ToolError};
use crate::{scripts, workspace::Workspace};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Propose {
    /// The scripts to add or change, by name, such as `setup`, `run` or `test`; null removes one.
    scripts: Map<String, Value>,
    /// Why, for the person who decides.
    #[serde(default)]
    #[expect(dead_code, reason = "the person who decides reads it in the request")]
    reason: Option<String>,
}

pub(super) async fn get(workspace: &Workspace, _: Nothing) -> Outcome {
    let config = scripts::read(workspace).map_err(ToolError::new)?;
    Ok(json!({"file": ".baton/config.json", "exists": config.is_some(), "config": config}))
}

pub(super) async fn propose(workspace: &Workspace, args: Propose) -> Outcome {
    if args.scripts.is_empty() {
        return Err(ToolError::new("`scripts` names nothing to change"));
    }
    scripts::propose(workspace, &args.scripts).map_err(ToolError::new)
}
