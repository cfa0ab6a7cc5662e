//! Results and errors, in words that say what to do.

use baton_claude::{ApiRetry, AssistantError, Ending, TurnResult};
use baton_protocol::{
    Timestamp,
    event::{AgentRetry, ContextUsage, ErrorRaised},
    words::{ErrorCode, StopReason},
};

use super::{Translator, chat, event, json, message_id};
use crate::{
    agents::{AgentOutput, TurnEnd},
    machine::to_nanos,
};

const SIGN_IN: &str =
    "Run `claude` in a terminal, sign in with /login, then send the message again.";

impl Translator {
    pub(super) fn result(&mut self, result: &TurnResult, out: &mut Vec<AgentOutput>) {
        if self.repeated(result.uuid.as_deref()) {
            return;
        }
        self.open = super::stream::OpenMessage::default();
        self.cut_short = false;
        // Slash commands are answered without having begun.
        self.unheard = false;
        self.interrupt = None;
        self.compact_error = None;
        self.context(result, out);
        let ending = result.ending();
        let text = result
            .result
            .clone()
            .unwrap_or_else(|| result.errors.join("\n"));
        let failed = result.is_error && ending != Ending::Interrupted;
        if failed && !self.error_told {
            let error = match ending {
                Ending::TurnLimit => turn_limit(&text),
                Ending::BudgetLimit => budget_limit(&text),
                Ending::ApiFailed { .. }
                | Ending::BadStructuredOutput
                | Ending::Failed
                | Ending::Completed
                | Ending::Interrupted => failure(&text),
            };
            self.told_error(error, out);
        }
        let price = self.price(result).map(|price| price + self.carried);
        let of_its_own = result.origin.as_ref().is_some_and(|by| by.kind.is_some());
        if of_its_own && self.prompted.is_some() {
            // A turn the CLI began by itself just before it was given our
            // message: that message's own turn is still to come.
            self.carried = price.unwrap_or(self.carried);
            self.error_told = false;
            return;
        }
        self.carried = 0.0;
        self.used = Default::default();
        // Some slash commands are never confirmed, only answered.
        let answered = self.prompted.take().filter(|_| ending != Ending::Failed);
        out.extend(answered.map(AgentOutput::Taken));
        let uuids = result.user_message_uuids.as_deref().unwrap_or_default();
        out.push(AgentOutput::TurnEnded(TurnEnd {
            stop_reason: Some(match ending {
                Ending::Interrupted => StopReason::Interrupted,
                Ending::Completed => StopReason::End,
                Ending::TurnLimit => StopReason::MaxTurns,
                Ending::BudgetLimit => StopReason::Budget,
                Ending::ApiFailed { .. } | Ending::BadStructuredOutput | Ending::Failed => {
                    StopReason::Error
                }
            }),
            is_error: failed,
            result: Some(text).filter(|text| ending != Ending::Interrupted && !text.is_empty()),
            structured_output: result
                .structured_output
                .as_ref()
                .map(|data| json(data.get())),
            cost_usd: price.map(to_nanos),
            usage: result.usage.as_ref().map(chat::usage),
            messages: uuids.iter().filter_map(|uuid| message_id(uuid)).collect(),
        }));
    }

    /// This turn's price: told by newer versions, else its part of the total,
    /// which older ones count from zero in each process.
    fn price(&mut self, result: &TurnResult) -> Option<f64> {
        let total = result.total_cost_usd?;
        let before = std::mem::replace(&mut self.cost_total, total);
        let told = result.model_usage_since_last_result.as_ref();
        Some(match told {
            Some(models) => models.values().filter_map(|model| model.cost_usd).sum(),
            None => (total - before).max(0.0),
        })
    }

    fn context(&self, result: &TurnResult, out: &mut Vec<AgentOutput>) {
        let model = self.model.as_deref().unwrap_or_default();
        let window = result
            .model_usage
            .get(model)
            .and_then(|usage| usage.context_window);
        if let (Some(tokens), Some(window)) = (self.context_tokens, window) {
            out.push(event(ContextUsage { tokens, window }));
        }
    }

    /// Tells one error per turn: the CLI repeats itself in its result.
    pub(super) fn told_error(&mut self, error: ErrorRaised, out: &mut Vec<AgentOutput>) {
        self.error_told = true;
        let retry_at = if error.code == ErrorCode::RateLimit {
            self.limit_resets.or_else(|| reset_in(&error.message))
        } else {
            None
        };
        let retry_at = retry_at.and_then(|seconds| i64::try_from(seconds).ok());
        let retry_at = retry_at.and_then(|seconds| seconds.checked_mul(1000));
        out.push(event(ErrorRaised {
            retry_at: retry_at.map(Timestamp::from_millis).or(error.retry_at),
            ..error
        }));
    }
}

pub(super) fn retry(retry: &ApiRetry) -> AgentRetry {
    let delay = retry.retry_delay_ms.unwrap_or_default().max(0.0) / 1000.0;
    AgentRetry {
        attempt: small(retry.attempt).unwrap_or_default(),
        delay_ms: std::time::Duration::try_from_secs_f64(delay).map_or(0, |delay| {
            u64::try_from(delay.as_millis()).unwrap_or(u64::MAX)
        }),
        reason: match (&retry.error, retry.error_status) {
            (Some(error), Some(status)) => format!("{error} ({status})"),
            (Some(error), None) if error == "unknown" => "the service cannot be reached".into(),
            (Some(error), None) => error.clone(),
            (None, Some(status)) => format!("HTTP {status}"),
            (None, None) => "unknown".into(),
        },
        max_attempts: small(retry.max_retries),
    }
}

fn small(number: Option<u64>) -> Option<u32> {
    number.and_then(|number| u32::try_from(number).ok())
}

/// An API failure that the CLI tells as a message of its own.
pub(super) fn api_error(error: &AssistantError, text: &str) -> ErrorRaised {
    let (code, hint, retryable) = match error {
        AssistantError::AuthenticationFailed => return auth(text),
        AssistantError::BillingError => (
            ErrorCode::Auth,
            "Check the billing of your Claude account, then send the message again.",
            true,
        ),
        AssistantError::RateLimit => (
            ErrorCode::RateLimit,
            "Wait until the limit resets, then send the message again.",
            true,
        ),
        AssistantError::Overloaded => return overloaded(text),
        AssistantError::ServerError if http_status(text) == Some(529) => return overloaded(text),
        AssistantError::ServerError => (
            ErrorCode::Network,
            "The model's service failed or cannot be reached. Try again in a minute.",
            true,
        ),
        AssistantError::ModelNotFound => (
            ErrorCode::ModelNotFound,
            "Choose another model and send the message again.",
            true,
        ),
        AssistantError::InvalidRequest | AssistantError::MaxOutputTokens => (
            ErrorCode::InvalidRequest,
            "Send a shorter message, or fewer and smaller attachments.",
            true,
        ),
        AssistantError::Unknown | AssistantError::Other(_) if http_status(text) == Some(400) => (
            ErrorCode::InvalidRequest,
            "The model's service does not take this request. Change the message, or start anew.",
            false,
        ),
        AssistantError::Unknown | AssistantError::Other(_) => return failure(text),
    };
    raised(code, text, hint, retryable)
}

fn overloaded(text: &str) -> ErrorRaised {
    let hint = "The model's service is overloaded. Try again in a minute.";
    raised(ErrorCode::Overloaded, text, hint, true)
}

/// The end of an allowance in the CLI's words: `usage limit reached|1794837600`.
fn reset_in(text: &str) -> Option<u64> {
    let (_, seconds) = text.trim_end().rsplit_once('|')?;
    seconds.parse().ok()
}

/// The status in the CLI's words for a failed call: `API Error: 529 …`.
fn http_status(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once("API Error: ")?;
    rest.get(..3)?.parse().ok()
}

/// Trouble with the sign-in, in plain words.
pub(super) fn auth(detail: &str) -> ErrorRaised {
    ErrorRaised {
        detail: Some(detail.to_owned()),
        ..raised(
            ErrorCode::Auth,
            "Claude Code is not signed in, or its sign-in has run out",
            SIGN_IN,
            true,
        )
    }
}

pub(super) fn refused(text: &str) -> ErrorRaised {
    raised(
        ErrorCode::AgentRefused,
        text,
        "Look at `baton doctor`: this version of claude may be too old or too new.",
        false,
    )
}

fn budget_limit(text: &str) -> ErrorRaised {
    let hint = "Raise it with `baton budget SESSION AMOUNT`, in the page's menu of the session, or in \
                the settings.";
    raised(ErrorCode::Budget, text, hint, false)
}

/// The allowance is each message's own, so another message goes on.
fn turn_limit(text: &str) -> ErrorRaised {
    let hint = "Send another message to go on: each has the whole allowance.";
    raised(ErrorCode::TurnLimit, text, hint, true)
}

/// A failure known only by its text.
fn failure(text: &str) -> ErrorRaised {
    if is_auth(text) {
        return auth(text);
    }
    if text.starts_with("No conversation found") || text.starts_with("No message found") {
        let hint = "Start a new session: what this one goes on from is not there any more.";
        return raised(ErrorCode::AgentRefused, text, hint, false);
    }
    raised(
        ErrorCode::Internal,
        text,
        "Send the message again, or look at the details.",
        true,
    )
}

fn raised(code: ErrorCode, message: &str, hint: &str, retryable: bool) -> ErrorRaised {
    ErrorRaised {
        code,
        message: message.to_owned(),
        hint: Some(hint.to_owned()),
        retryable,
        retry_at: None,
        detail: None,
    }
}

/// What a process that just died said of why.
pub(in crate::agents) fn last_words(stderr: &str) -> Option<ErrorRaised> {
    is_auth(stderr).then(|| auth(stderr))
}

/// Words by which a failed sign-in is known, also when the CLI just dies.
pub(in crate::agents) fn is_auth(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "authentication_error",
        "authentication_failed",
        "oauth token has expired",
        "invalid api key",
        "invalid x-api-key",
        "401 unauthorized",
        "not logged in",
        "please run /login",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// Whether a CLI that refused to start did so because it is too old for
/// stream-json.
pub(in crate::agents) fn speaks_only_text(stderr: &str) -> bool {
    let text = stderr.to_lowercase();
    let refuses = [
        "unknown option",
        "unrecognized option",
        "unknown argument",
        "invalid",
    ];
    let about = [
        "--input-format",
        "--output-format",
        "--permission-prompt-tool",
        "stream-json",
    ];
    refuses.iter().any(|words| text.contains(words))
        && about.iter().any(|option| text.contains(option))
}
