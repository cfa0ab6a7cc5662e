//! Token counts and prices.

use serde::Deserialize;

use crate::json;

/// Token counts of one API call or one turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens read outside the cache.
    #[serde(deserialize_with = "json::opt_u64")]
    pub input_tokens: Option<u64>,
    /// Tokens written by the model.
    #[serde(deserialize_with = "json::opt_u64")]
    pub output_tokens: Option<u64>,
    /// Tokens written to the cache.
    #[serde(deserialize_with = "json::opt_u64")]
    pub cache_creation_input_tokens: Option<u64>,
    /// Tokens read from the cache.
    #[serde(deserialize_with = "json::opt_u64")]
    pub cache_read_input_tokens: Option<u64>,
    /// Such as `standard`.
    #[serde(deserialize_with = "json::opt_string")]
    pub service_tier: Option<String>,
}

/// What one model has cost this process so far (2.1.325 continues the count of
/// a resumed session, 2.1.197 starts at zero).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ModelUsage {
    /// Tokens read outside the cache.
    #[serde(deserialize_with = "json::opt_u64")]
    pub input_tokens: Option<u64>,
    /// Tokens written by the model.
    #[serde(deserialize_with = "json::opt_u64")]
    pub output_tokens: Option<u64>,
    /// Tokens read from the cache.
    #[serde(deserialize_with = "json::opt_u64")]
    pub cache_read_input_tokens: Option<u64>,
    /// Tokens written to the cache.
    #[serde(deserialize_with = "json::opt_u64")]
    pub cache_creation_input_tokens: Option<u64>,
    /// Tokens spent thinking (2.1.325).
    #[serde(deserialize_with = "json::opt_u64")]
    pub thinking_tokens: Option<u64>,
    /// Searches made by the API.
    #[serde(deserialize_with = "json::opt_u64")]
    pub web_search_requests: Option<u64>,
    /// Price in US dollars.
    #[serde(rename = "costUSD", deserialize_with = "json::opt_f64")]
    pub cost_usd: Option<f64>,
    /// Size of the context window in tokens.
    #[serde(deserialize_with = "json::opt_u64")]
    pub context_window: Option<u64>,
    /// Longest answer in tokens.
    #[serde(deserialize_with = "json::opt_u64")]
    pub max_output_tokens: Option<u64>,
}
