//! The line that ends a turn.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::chat::Origin;
use super::usage::{ModelUsage, Usage};
use crate::json::{self, RawJson, word_enum};

word_enum! {
    /// The kind of a result. It does not tell failure from success: an API
    /// failure is a `Success` with `is_error`.
    ResultSubtype {
        /// The turn ran to its end, well or not.
        Success = "success",
        /// Interrupted, refused with interrupt, or a resume that failed.
        ErrorDuringExecution = "error_during_execution",
        /// The turn allowance is used up.
        ErrorMaxTurns = "error_max_turns",
        /// The budget of the process is used up.
        ErrorMaxBudgetUsd = "error_max_budget_usd",
        /// The model never produced output of the wanted shape.
        ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
    }
}

/// One `result` line.
///
/// Counts and prices in `total_cost_usd`, `duration_api_ms` and `model_usage`
/// are totals of the process; `usage` is of this turn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TurnResult {
    /// The kind of result.
    pub subtype: ResultSubtype,
    /// Whether the turn failed.
    pub is_error: bool,
    /// The HTTP status of a failed API call.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub api_error_status: Option<u64>,
    /// The final text, or the error text. Absent on `error_*` subtypes.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub result: Option<String>,
    /// What went wrong, for `error_*` subtypes. Noise when interrupted.
    #[serde(default, deserialize_with = "json::or_default")]
    pub errors: Vec<String>,
    /// Why the turn ended; absent for local commands and in some errors.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub terminal_reason: Option<String>,
    /// Why the model stopped.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub stop_reason: Option<String>,
    /// Output of the wanted shape, when a schema was given.
    #[serde(default)]
    pub structured_output: Option<RawJson>,
    /// Calls that were refused.
    #[serde(default, deserialize_with = "json::or_default")]
    pub permission_denials: Vec<PermissionDenial>,
    /// Who started the turn, when not the host.
    #[serde(default)]
    pub origin: Option<Origin>,
    /// The session.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub session_id: Option<String>,
    /// Names this line.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub uuid: Option<String>,
    /// Model calls in this turn.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub num_turns: Option<u64>,
    /// Duration of the turn.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub duration_ms: Option<u64>,
    /// Time spent in API calls, total of the process.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub duration_api_ms: Option<u64>,
    /// Time to the first token.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub ttft_ms: Option<u64>,
    /// Time to the first stream event.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub ttft_stream_ms: Option<u64>,
    /// Time until the request was sent.
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub time_to_request_ms: Option<u64>,
    /// Price in US dollars, total of the process.
    #[serde(default, deserialize_with = "json::opt_f64")]
    pub total_cost_usd: Option<f64>,
    /// Counts of this turn.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// Counts per model, total of the process.
    #[serde(default, rename = "modelUsage", deserialize_with = "json::or_default")]
    pub model_usage: BTreeMap<String, ModelUsage>,
    /// Counts per model since the result before (2.1.325).
    #[serde(default)]
    pub model_usage_since_last_result: Option<BTreeMap<String, ModelUsage>>,
    /// Fast mode: `off`, `on`, …
    #[serde(default, deserialize_with = "json::opt_string")]
    pub fast_mode_state: Option<String>,
    /// All user messages this turn consumed (2.1.325).
    #[serde(default)]
    pub user_message_uuids: Option<Vec<String>>,
    /// Turns still waiting (2.1.325).
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub queued_turn_count: Option<u64>,
    /// Counts results of this process from zero (2.1.325).
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub result_index: Option<u64>,
    /// What sub-agents did (2.1.325).
    #[serde(default)]
    pub subagent_stats: Option<RawJson>,
    /// Answers stopped for safety (2.1.325).
    #[serde(default, deserialize_with = "json::opt_u64")]
    pub safety_stops: Option<u64>,
}

/// A call that was refused during the turn.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PermissionDenial {
    /// The tool.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_name: Option<String>,
    /// The call.
    #[serde(default, deserialize_with = "json::opt_string")]
    pub tool_use_id: Option<String>,
    /// The input it had.
    #[serde(default)]
    pub tool_input: Option<RawJson>,
}

/// How a turn ended, in the order of checks the subtype alone gets wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Someone stopped it; not an error to show.
    Interrupted,
    /// It ran to its end.
    Completed,
    /// The API refused or failed, after the CLI's own retries.
    ApiFailed {
        /// The HTTP status; absent when nothing answered or nobody is logged in.
        status: Option<u64>,
    },
    /// The turn allowance is used up.
    TurnLimit,
    /// The budget of the process is used up.
    BudgetLimit,
    /// The model never produced output of the wanted shape.
    BadStructuredOutput,
    /// Anything else that failed.
    Failed,
}

impl TurnResult {
    /// How the turn ended.
    #[must_use]
    pub fn ending(&self) -> Ending {
        if self
            .terminal_reason
            .as_deref()
            .is_some_and(|reason| reason.starts_with("aborted_"))
        {
            return Ending::Interrupted;
        }
        if !self.is_error {
            return Ending::Completed;
        }
        match self.subtype {
            ResultSubtype::Success => Ending::ApiFailed {
                status: self.api_error_status,
            },
            ResultSubtype::ErrorMaxTurns => Ending::TurnLimit,
            ResultSubtype::ErrorMaxBudgetUsd => Ending::BudgetLimit,
            ResultSubtype::ErrorMaxStructuredOutputRetries => Ending::BadStructuredOutput,
            ResultSubtype::ErrorDuringExecution | ResultSubtype::Other(_) => Ending::Failed,
        }
    }
}
