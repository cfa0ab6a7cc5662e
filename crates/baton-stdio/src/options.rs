//! The flags: checked one by one, so that a bad one is told by its name.

use baton_protocol::{
    event::SessionOptions,
    words::{Json, PermissionMode},
};
use uuid::Uuid;

use crate::{output::Budget, output_schema};

/// The flags as they were given. `None` is not given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    pub conversation_id: Option<String>,
    pub resume: Option<String>,
    pub fork: bool,
    pub linear_issue: Option<String>,
    pub target_branch: Option<String>,
    pub tool_preset: Option<String>,
    pub enable_checkpointing: bool,
    pub structured_output: Option<String>,
    pub max_budget_usd: Option<String>,
    pub max_turns: Option<String>,
    pub max_thinking_tokens: Option<String>,
    pub permission_mode: Option<String>,
    pub setting_sources: Option<String>,
    pub betas: Option<String>,
    pub model: Option<String>,
    pub fallback_model: Option<String>,
}

/// The flags, understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    pub conversation: String,
    pub resume: Option<Uuid>,
    pub fork: bool,
    pub linear_issue: Option<String>,
    pub target_branch: Option<String>,
    pub permission_mode: PermissionMode,
    pub tool_preset: String,
    pub session: SessionOptions,
}

/// A flag that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{flag}: {why}")]
pub struct BadOption {
    pub flag: &'static str,
    pub why: String,
}

const PRESETS: &[&str] = &["full", "read-only", "no-bash", "safe-edit"];
const SOURCES: &[&str] = &["user", "project", "local"];

impl Options {
    pub fn check(flags: Flags) -> Result<Self, BadOption> {
        let conversation = flags.conversation_id.unwrap_or_else(|| "default".into());
        plain("--conversation-id", &conversation, 200)?;
        let resume = flags.resume.as_deref().map(uuid).transpose()?;
        if flags.fork && resume.is_none() {
            return Err(bad("--fork", "it needs --resume"));
        }
        if let Some(issue) = &flags.linear_issue {
            let mut chars = issue.chars();
            let fits = chars.next().is_some_and(|c| c.is_ascii_alphanumeric())
                && chars.all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
            if !fits || issue.len() > 64 {
                return Err(bad("--linear-issue", "it is an identifier such as LIN-123"));
            }
        }
        if let Some(branch) = &flags.target_branch {
            plain("--target-branch", branch, 255)?;
            if branch.starts_with('-') || branch.contains(char::is_whitespace) {
                return Err(bad("--target-branch", "it is the name of a branch"));
            }
        }
        let preset = flags.tool_preset.unwrap_or_else(|| "full".into());
        one_of("--tool-preset", &preset, PRESETS)?;
        let mode = flags.permission_mode.as_deref().unwrap_or("default");
        let permission_mode: PermissionMode = mode
            .parse()
            .map_err(|error| bad("--permission-mode", error))?;
        for (flag, model) in [
            ("--model", &flags.model),
            ("--fallback-model", &flags.fallback_model),
        ] {
            if let Some(model) = model {
                plain(flag, model, 200)?;
            }
        }
        let session = SessionOptions {
            model: flags.model,
            fallback_model: flags.fallback_model,
            permission_mode: Some(permission_mode),
            tool_preset: Some(preset.clone()),
            max_budget_usd: flags.max_budget_usd.as_deref().map(money).transpose()?,
            max_turns: number("--max-turns", flags.max_turns.as_deref())?,
            max_thinking_tokens: number(
                "--max-thinking-tokens",
                flags.max_thinking_tokens.as_deref(),
            )?,
            setting_sources: flags.setting_sources.as_deref().map(sources).transpose()?,
            betas: flags.betas.as_deref().map(betas).transpose()?,
            output_schema: flags.structured_output.as_deref().map(schema).transpose()?,
            checkpointing: Some(flags.enable_checkpointing),
            ..SessionOptions::default()
        };
        Ok(Self {
            conversation,
            resume,
            fork: flags.fork,
            linear_issue: flags.linear_issue,
            target_branch: flags.target_branch,
            permission_mode,
            tool_preset: preset,
            session,
        })
    }

    pub fn budget(&self) -> Budget {
        Budget {
            max_budget_usd: self.session.max_budget_usd,
            max_turns: self.session.max_turns,
            max_thinking_tokens: self.session.max_thinking_tokens,
        }
    }
}

fn bad(flag: &'static str, why: impl std::fmt::Display) -> BadOption {
    BadOption {
        flag,
        why: why.to_string(),
    }
}

fn plain(flag: &'static str, text: &str, limit: usize) -> Result<(), BadOption> {
    let length = text.chars().count();
    if length == 0 || length > limit || text.chars().any(char::is_control) {
        return Err(bad(
            flag,
            format!("it is a text of 1 to {limit} characters"),
        ));
    }
    Ok(())
}

fn one_of(flag: &'static str, text: &str, known: &[&str]) -> Result<(), BadOption> {
    if known.contains(&text) {
        return Ok(());
    }
    let text: String = text.chars().take(80).collect();
    Err(bad(
        flag,
        format!("`{text}` is none of: {}", known.join(", ")),
    ))
}

fn uuid(text: &str) -> Result<Uuid, BadOption> {
    Uuid::try_parse(text).map_err(|_| {
        let why = match text.starts_with("ses_") {
            true => {
                "that is Baton's own name of a session; it takes the agent's, the `sessionId` of `init` or `session_id_update`"
            }
            false => "it is the id of a conversation, a UUID",
        };
        bad("--resume", why)
    })
}

fn money(text: &str) -> Result<f64, BadOption> {
    let amount = text.parse::<f64>().ok();
    amount
        .filter(|amount| amount.is_finite() && *amount > 0.0)
        .ok_or_else(|| bad("--max-budget-usd", "it is an amount above 0"))
}

fn number(flag: &'static str, text: Option<&str>) -> Result<Option<u32>, BadOption> {
    let Some(text) = text else {
        return Ok(None);
    };
    let number = text.parse::<u32>().ok().filter(|number| *number > 0);
    number
        .map(Some)
        .ok_or_else(|| bad(flag, "it is a whole number above 0"))
}

/// Nothing between the commas is nothing: `--setting-sources ""` loads none.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(',').map(str::trim);
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

fn sources(text: &str) -> Result<Vec<String>, BadOption> {
    let sources: Vec<String> = words(text).collect();
    for source in &sources {
        one_of("--setting-sources", source, SOURCES)?;
    }
    Ok(sources)
}

fn betas(text: &str) -> Result<Vec<String>, BadOption> {
    let betas: Vec<String> = words(text).collect();
    for beta in &betas {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if beta.len() > 100 || !beta.chars().all(allowed) {
            return Err(bad("--betas", "they are names with commas between"));
        }
    }
    Ok(betas)
}

fn schema(text: &str) -> Result<Json, BadOption> {
    let parsed: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| bad("--structured-output", format!("it is no JSON: {error}")))?;
    output_schema::check(&parsed).map_err(|why| bad("--structured-output", why))?;
    Ok(Json::of(&parsed))
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
