//! What the daemon answers to messages of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::words::Json;

/// Writes the answer to a message of the daemon's own: its fields beside `ok`,
/// or why it was not done.
pub fn daemon_answer<T: Serialize>(result: Result<T, String>) -> Json {
    let ok = result.is_ok();
    let mut fields = match result {
        Ok(answer) => match serde_json::to_value(answer) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) | Err(_) => Map::new(),
        },
        Err(error) => Map::from_iter([("error".to_owned(), error.into())]),
    };
    fields.insert("ok".to_owned(), ok.into());
    Json::of(&fields)
}

/// Reads such an answer.
pub fn read_daemon_answer<T: DeserializeOwned>(
    answer: &Json,
) -> Result<Result<T, String>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Standing {
        ok: bool,
        error: Option<String>,
    }
    let standing: Standing = serde_json::from_str(answer.text())?;
    if standing.ok {
        return serde_json::from_str(answer.text()).map(Ok);
    }
    let error = standing.error;
    Ok(Err(error.unwrap_or_else(|| "the daemon refused".into())))
}

/// A project that was added or named anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedProject {
    pub slug: String,
}

/// Whether the machine is kept from going to sleep while agents work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeepAwake {
    pub keep_awake: bool,
    /// It is, right now.
    pub active: bool,
}

/// What became of settings that were read again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Reloaded {
    pub changed: Vec<String>,
    /// They count with the next start.
    pub need_restart: Vec<String>,
}

/// What a daemon runs with, secrets hidden.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Running {
    pub files: Vec<String>,
    pub settings: Vec<ShownSetting>,
    /// The claude program.
    pub claude: Option<String>,
    pub variables: Vec<ShownVariable>,
    pub left_out: Vec<LeftOut>,
    pub notices: Vec<String>,
    /// None where nobody's shell was compared.
    #[serde(default)]
    pub restart: Option<Restart>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShownSetting {
    pub setting: String,
    pub value: Value,
    pub origin: String,
    pub about: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShownVariable {
    pub variable: String,
    pub value: String,
    pub origin: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    pub left_out: String,
    pub reason: String,
}

/// What would be otherwise in a daemon that is started from a shell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Restart {
    /// As they would be.
    pub settings: Vec<ShownSetting>,
    pub variables: Vec<ChangedVariable>,
    /// The claude program, where it would be another.
    pub claude: Option<String>,
    /// Why none could be started so.
    pub problem: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedVariable {
    pub variable: String,
    pub change: VariableChange,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VariableChange {
    /// The shell has it, the daemon started without it.
    Missing,
    /// Both have it, with other values.
    Other,
    /// The daemon has it, the shell does not.
    Left,
}
