//! What the CLI's answer to `initialize` lets people choose.

use baton_protocol::{
    api::{ModelChoice, SlashCommand},
    words::Json,
};
use serde::Deserialize;

use crate::choices::Choices;

#[derive(Deserialize)]
struct Greeting {
    #[serde(default)]
    models: Vec<Model>,
    #[serde(default)]
    commands: Vec<SlashCommand>,
    claude_code_version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Model {
    value: String,
    display_name: Option<String>,
    description: Option<String>,
    #[serde(default)]
    supported_effort_levels: Vec<String>,
}

pub(in crate::agents) fn choices(greeting: &Json) -> Option<Choices> {
    let told: Greeting = greeting.parse()?;
    let models = told.models.into_iter().map(|model| ModelChoice {
        name: model.display_name.unwrap_or_else(|| model.value.clone()),
        is_default: model.value == "default",
        value: model.value,
        about: model.description,
        efforts: model.supported_effort_levels,
    });
    Some(Choices {
        version: told.claude_code_version,
        models: models.collect(),
        commands: told.commands,
    })
}
