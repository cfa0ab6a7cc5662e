//! Remembered permission rules: kept and listed here, understood elsewhere.
//!
//! A rule that an answer to an approval leaves behind is committed with the
//! event of that answer. There are few of them, so a list is all of them.

use std::str::FromStr;

use baton_protocol::{
    ApprovalId, ProjectId, RuleId, SessionId, Timestamp,
    words::{ClientRef, RuleDecision, Scope},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::{error::StoreError, read::client};

/// Where a rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleScope {
    /// Goes when the session is removed.
    Session(SessionId),
    Project(ProjectId),
    User,
}

impl RuleScope {
    pub const fn scope(self) -> Scope {
        match self {
            Self::Session(_) => Scope::Session,
            Self::Project(_) => Scope::Project,
            Self::User => Scope::User,
        }
    }

    /// The session's or the project's id.
    pub fn id(self) -> Option<String> {
        match self {
            Self::Session(session) => Some(session.to_string()),
            Self::Project(project) => Some(project.to_string()),
            Self::User => None,
        }
    }
}

/// One remembered rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRecord {
    pub id: RuleId,
    pub scope: RuleScope,
    /// As it was written: `Bash(git status:*)`.
    pub rule: String,
    pub decision: RuleDecision,
    pub created_at: Timestamp,
    /// The screen it was made on.
    pub client: Option<ClientRef>,
    /// The approval whose answer was to be remembered.
    pub approval: Option<ApprovalId>,
}

/// A rule comes or goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleChange {
    Added(RuleRecord),
    Removed { id: RuleId },
}

/// What became of a [`RuleChange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleOutcome {
    Added(RuleId),
    /// The same rule for the same scope was there; it stays, under this id.
    Kept(RuleId),
    Removed(RuleId),
    /// There was none with this id to remove.
    Absent(RuleId),
}

/// Does one change inside an open transaction.
pub(crate) fn change(conn: &Connection, change: &RuleChange) -> Result<RuleOutcome, StoreError> {
    match change {
        RuleChange::Added(rule) => add(conn, rule),
        RuleChange::Removed { id } => {
            let gone = conn
                .prepare_cached("DELETE FROM rules WHERE id = ?1")?
                .execute([id.uuid()])?;
            Ok(if gone == 0 {
                RuleOutcome::Absent(*id)
            } else {
                RuleOutcome::Removed(*id)
            })
        }
    }
}

fn add(conn: &Connection, rule: &RuleRecord) -> Result<RuleOutcome, StoreError> {
    let (scope, scope_id) = (rule.scope.scope(), rule.scope.id());
    let alike: Option<uuid::Uuid> = conn
        .prepare_cached(
            "SELECT id FROM rules WHERE scope = ?1 AND coalesce(scope_id, '') = coalesce(?2, '')
             AND rule = ?3 AND decision = ?4",
        )?
        .query_row(
            params![scope.as_str(), scope_id, rule.rule, rule.decision.as_str()],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(first) = alike {
        return Ok(RuleOutcome::Kept(RuleId::from_uuid(first)));
    }
    if let RuleScope::Session(session) = rule.scope {
        // Nothing would ever take the rule of a session that does not exist away.
        let known = conn
            .prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")?
            .exists([session.uuid()])?;
        if !known {
            return Err(StoreError::UnknownSession(session));
        }
    }
    conn.prepare_cached(
        "INSERT INTO rules (id, scope, scope_id, rule, decision, created_at, client, approval)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        rule.id.uuid(),
        scope.as_str(),
        scope_id,
        rule.rule,
        rule.decision.as_str(),
        rule.created_at.as_millis(),
        client::text(rule.client.as_ref()),
        rule.approval.map(ApprovalId::uuid)
    ])?;
    Ok(RuleOutcome::Added(rule.id))
}

/// All rules, in the order of their ids.
pub(crate) fn all(conn: &Connection) -> Result<Vec<RuleRecord>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT id, scope, scope_id, rule, decision, created_at, client, approval
         FROM rules ORDER BY id",
    )?;
    let mut rows = select.query([])?;
    let mut rules = Vec::new();
    while let Some(row) = rows.next()? {
        rules.push(RuleRecord {
            id: RuleId::from_uuid(row.get(0)?),
            scope: scope(row)?,
            rule: row.get(3)?,
            decision: parse(&row.get::<_, String>(4)?)?,
            created_at: Timestamp::from_millis(row.get(5)?),
            client: client::read("rules", row.get(6)?)?,
            approval: row
                .get::<_, Option<uuid::Uuid>>(7)?
                .map(ApprovalId::from_uuid),
        });
    }
    Ok(rules)
}

fn scope(row: &Row<'_>) -> Result<RuleScope, StoreError> {
    let id: Option<String> = row.get(2)?;
    let id = id.unwrap_or_default();
    Ok(match parse(&row.get::<_, String>(1)?)? {
        Scope::Session => RuleScope::Session(parse(&id)?),
        Scope::Project => RuleScope::Project(parse(&id)?),
        Scope::User => RuleScope::User,
    })
}

fn parse<T>(text: &str) -> Result<T, StoreError>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    text.parse()
        .map_err(|error| StoreError::row("rules", error))
}
