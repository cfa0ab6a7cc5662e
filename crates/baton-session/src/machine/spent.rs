//! What a turn has used up, as far as its processes told.

use baton_protocol::words::Usage;
use serde::{Deserialize, Serialize};

/// A price and a count of tokens; none is not known, which is not zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    pub cost_usd: Option<f64>,
    pub usage: Option<Usage>,
}

impl Spent {
    /// Both together; what one of them does not know the other tells alone.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(one), Some(two)) => Some(to_nanos(one + two)),
            (one, two) => one.or(two),
        };
        let usage = match (self.usage, other.usage) {
            (Some(one), Some(two)) => Some(one.plus(two)),
            (one, two) => one.or(two),
        };
        Self { cost_usd, usage }
    }
}

/// Sums of prices without the dust of binary fractions.
pub(crate) fn to_nanos(price: f64) -> f64 {
    (price * 1e9).round() / 1e9
}
