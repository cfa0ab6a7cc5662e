//! Cost and tokens by day, project and model, counted with every turn that ends.
//!
//! Money is kept in whole nano-dollars, so that a sum over thousands of turns
//! is the sum and a budget is met exactly. What a removed session cost stays.

use std::{fmt, str::FromStr};

use baton_protocol::{ProjectId, Timestamp, event::TurnCompleted, words::Usage};
use rusqlite::{Connection, params};

use crate::{error::StoreError, projection::SessionRow};

const MILLIS_PER_DAY: i64 = 24 * 3600 * 1000;

const NANOS_PER_DOLLAR: f64 = 1e9;

/// No turn counts for more than this; sums then stay far from what a column can hold.
const MOST_DOLLARS: f64 = 1e6;
const MOST_TOKENS: u64 = 1_000_000_000_000;

/// A day in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    /// Since 1970-01-01.
    days: i64,
}

impl Day {
    pub const fn of(time: Timestamp) -> Self {
        Self {
            days: time.as_millis().div_euclid(MILLIS_PER_DAY),
        }
    }

    /// Its first moment.
    pub const fn start(self) -> Timestamp {
        Timestamp::from_millis(self.days.saturating_mul(MILLIS_PER_DAY))
    }

    #[must_use]
    pub const fn plus(self, days: i64) -> Self {
        Self {
            days: self.days.saturating_add(days),
        }
    }
}

/// As `2026-11-15`.
impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.start().to_string();
        f.write_str(time.split_once('T').map_or(&*time, |(day, _)| day))
    }
}

/// The text is no day such as `2026-11-15`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a day such as `2026-11-15`")]
pub struct BadDay;

impl FromStr for Day {
    type Err = BadDay;

    fn from_str(text: &str) -> Result<Self, BadDay> {
        let start: Timestamp = format!("{text}T00:00:00Z").parse().map_err(|_| BadDay)?;
        let day = Self::of(start);
        // Only the one way of writing it.
        (day.to_string() == text).then_some(day).ok_or(BadDay)
    }
}

/// Which usage is wanted. The default is all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UsageFilter {
    pub from: Option<Day>,
    /// This day included.
    pub to: Option<Day>,
    pub project: Option<ProjectId>,
}

/// What turns of one model cost in one project on one day.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageRow {
    pub day: Day,
    pub project_id: ProjectId,
    /// `None` for turns whose model was not known.
    pub model: Option<String>,
    pub cost_usd: f64,
    pub usage: Usage,
    pub turns: u64,
}

/// Counts a turn of the session that `row` shows as it was when the turn ended.
pub(crate) fn count(
    conn: &Connection,
    row: &SessionRow,
    at: Timestamp,
    turn: &TurnCompleted,
) -> rusqlite::Result<()> {
    let usage = turn.usage.unwrap_or_default();
    conn.prepare_cached(
        "INSERT INTO usage (day, project, model, cost, input_tokens, output_tokens,
         cache_read_tokens, cache_creation_tokens, turns)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1)
         ON CONFLICT DO UPDATE SET cost = cost + excluded.cost,
         input_tokens = input_tokens + excluded.input_tokens,
         output_tokens = output_tokens + excluded.output_tokens,
         cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
         cache_creation_tokens = cache_creation_tokens + excluded.cache_creation_tokens,
         turns = turns + 1",
    )?
    .execute(params![
        Day::of(at).days,
        row.project_id.to_string(),
        row.model.as_deref().unwrap_or_default(),
        nanos(turn.cost_usd.unwrap_or(0.0)),
        usage.input_tokens.min(MOST_TOKENS),
        usage.output_tokens.min(MOST_TOKENS),
        usage.cache_read_input_tokens.min(MOST_TOKENS),
        usage.cache_creation_input_tokens.min(MOST_TOKENS),
    ])?;
    Ok(())
}

/// What turns that ended on `day` cost.
pub(crate) fn spent_on(conn: &Connection, day: Day) -> Result<f64, StoreError> {
    let nanos: i64 = conn
        .prepare_cached("SELECT coalesce(sum(cost), 0) FROM usage WHERE day = ?1")?
        .query_row([day.days], |row| row.get(0))?;
    Ok(dollars(nanos))
}

/// The newest day first.
pub(crate) fn rows(conn: &Connection, filter: UsageFilter) -> Result<Vec<UsageRow>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT day, project, model, cost, input_tokens, output_tokens, cache_read_tokens,
         cache_creation_tokens, turns FROM usage
         WHERE day BETWEEN ?1 AND ?2 AND (?3 IS NULL OR project = ?3)
         ORDER BY day DESC, project, model",
    )?;
    let mut found = select.query(params![
        filter.from.map_or(i64::MIN, |day| day.days),
        filter.to.map_or(i64::MAX, |day| day.days),
        filter.project.map(|project| project.to_string())
    ])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let project: String = row.get(1)?;
        let model: String = row.get(2)?;
        rows.push(UsageRow {
            day: Day { days: row.get(0)? },
            project_id: project
                .parse()
                .map_err(|error| StoreError::row("usage", error))?,
            model: (!model.is_empty()).then_some(model),
            cost_usd: dollars(row.get(3)?),
            usage: Usage {
                input_tokens: row.get(4)?,
                output_tokens: row.get(5)?,
                cache_read_input_tokens: row.get(6)?,
                cache_creation_input_tokens: row.get(7)?,
            },
            turns: row.get(8)?,
        });
    }
    Ok(rows)
}

/// A price below zero is none: it must not give a budget room.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounded, and at most a million dollars in nano-dollars"
)]
fn nanos(dollars: f64) -> i64 {
    // What is not a number stays none here and becomes zero as an integer.
    (dollars.clamp(0.0, MOST_DOLLARS) * NANOS_PER_DOLLAR).round() as i64
}

#[expect(
    clippy::cast_precision_loss,
    reason = "below nine million dollars every nano-dollar is kept"
)]
fn dollars(nanos: i64) -> f64 {
    nanos as f64 / NANOS_PER_DOLLAR
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
