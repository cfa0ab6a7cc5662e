//! What a workspace runs: `.baton/config.json`.

use serde_json::{Map, Value, json};

use crate::{
    place,
    workspace::{Proposals, Workspace},
};

const FILE: &str = "config.json";
const PROPOSED: &str = "config.proposed.json";

const MAX_SCRIPTS: usize = 50;
const MAX_NAME: usize = 64;
const MAX_COMMAND: usize = 4000;

/// The configuration, none if there is no file.
pub(crate) fn read(workspace: &Workspace) -> Result<Option<Value>, String> {
    workspace.shows(FILE)?;
    place::read(&workspace.folder, &workspace.secrets, FILE).map_err(|error| error.to_string())
}

/// Changes some scripts; a null removes one. What else the file holds stays.
pub(crate) fn propose(
    workspace: &Workspace,
    changes: &Map<String, Value>,
) -> Result<Value, String> {
    let before = read(workspace)?;
    let mut after = before.clone().unwrap_or_else(|| json!({}));
    let Some(fields) = after.as_object_mut() else {
        return Err(format!(".baton/{FILE} is no object"));
    };
    let scripts = fields.entry("scripts").or_insert_with(|| json!({}));
    let Some(scripts) = scripts.as_object_mut() else {
        return Err(format!("`scripts` in .baton/{FILE} is no object"));
    };
    for (name, command) in changes {
        let length = name.chars().count();
        if length == 0 || length > MAX_NAME {
            return Err(format!("a script's name has 1 to {MAX_NAME} characters"));
        }
        match command {
            Value::Null => {
                scripts.remove(name);
            }
            Value::String(text) if !text.is_empty() && text.chars().count() <= MAX_COMMAND => {
                scripts.insert(name.clone(), command.clone());
            }
            Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => {
                return Err(format!(
                    "the script `{name}` must be a command of 1 to {MAX_COMMAND} characters, or null to remove it"
                ));
            }
        }
    }
    if scripts.len() > MAX_SCRIPTS {
        return Err(format!("a workspace has at most {MAX_SCRIPTS} scripts"));
    }
    let (name, applied, note) = match workspace.proposals {
        Proposals::Apply => (FILE, true, "A person approved it, and it is in the file."),
        Proposals::Leave => (
            PROPOSED,
            false,
            "A person must look at it and rename the file to .baton/config.json; until then nothing has changed.",
        ),
    };
    place::write(&workspace.folder, &workspace.secrets, name, &after)
        .map_err(|error| error.to_string())?;
    Ok(json!({
        "applied": applied,
        "file": format!(".baton/{name}"),
        "before": before,
        "after": after,
        "note": note,
    }))
}
