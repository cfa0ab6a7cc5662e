//! Wall-clock time as events carry it: UTC, to the millisecond.

use std::{fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text;

/// A point in time, written as `2026-11-15T06:44:01.522Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Milliseconds since the Unix epoch.
    millis: i64,
}

impl Timestamp {
    pub const fn from_millis(millis: i64) -> Self {
        Self { millis }
    }

    pub const fn as_millis(self) -> i64 {
        self.millis
    }

    #[must_use]
    pub fn plus(self, duration: std::time::Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.millis.saturating_add(millis))
    }

    /// Time since `earlier`; zero if the clock was set back meanwhile.
    pub fn since(self, earlier: Self) -> std::time::Duration {
        let millis = self.millis.saturating_sub(earlier.millis);
        std::time::Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.millis) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "{}ms", self.millis),
        }
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        let time: jiff::Timestamp = text.parse()?;
        Ok(Self::from_millis(time.as_millisecond()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::parsed(deserializer)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_written_with_three_decimals_and_reads_back() {
        for (millis, text) in [
            (1_794_725_041_522, "2026-11-15T06:44:01.522Z"),
            (1_794_725_041_000, "2026-11-15T06:44:01.000Z"),
        ] {
            let time = Timestamp::from_millis(millis);
            assert_eq!(time.to_string(), text);
            assert_eq!(text.parse::<Timestamp>().unwrap(), time);
        }
    }

    #[test]
    fn a_clock_set_back_gives_no_negative_span() {
        let (a, b) = (Timestamp::from_millis(5), Timestamp::from_millis(9));
        assert_eq!(a.since(b), std::time::Duration::ZERO);
        assert_eq!(b.since(a).as_millis(), 4);
    }
}
