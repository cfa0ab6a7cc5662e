//! What one rule would have decided on past calls.

use std::path::Path;

use baton_protocol::words::{ApprovalKind, PermissionMode, RuleDecision, Scope};
use baton_protocol::{RuleId, ToolUse};
use serde_json::Value;

use crate::call::{Call, Resolved};
use crate::judge::{Rule, Stage, Surroundings, Verdict, judge};
use crate::paths::Paths;
use crate::pattern::Pattern;

/// A call that was made before.
#[derive(Debug, Clone, Copy)]
pub struct PastCall<'a> {
    pub kind: ApprovalKind,
    pub tool: &'a str,
    pub what: &'a ToolUse,
    pub input: &'a Value,
    pub cwd: &'a Path,
    pub project: &'a Path,
    pub home: &'a Path,
}

/// What the rule would have decided on one past call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewRow {
    /// The call's place in the list.
    pub index: usize,
    /// What the rule alone decides; `None` if it leaves the call to others.
    pub decision: Option<RuleDecision>,
    /// Why a person would be asked although the rule does not say so.
    pub reason: Option<String>,
}

/// Runs one rule over past calls, in the default mode.
pub fn preview(
    pattern: &Pattern,
    decision: RuleDecision,
    past: &[PastCall<'_>],
    paths: &dyn Paths,
) -> Vec<PreviewRow> {
    let row = |(index, past): (usize, &PastCall<'_>)| {
        let PastCall {
            kind,
            tool,
            what,
            input,
            cwd,
            project,
            home,
        } = *past;
        let call = Call {
            tool,
            what,
            input,
            cwd,
            moving: false,
            doubt: None,
            project,
            home,
        };
        let (decision, reason) = alone(pattern, decision, kind, &call, paths);
        PreviewRow {
            index,
            decision,
            reason,
        }
    };
    past.iter().enumerate().map(row).collect()
}

/// Whether a rule is about a call at all: it would decide it, or has a say in a
/// part of it, as a rule for one of several commands on a line has.
pub fn concerns(pattern: &Pattern, call: &Call<'_>, paths: &dyn Paths) -> bool {
    // Where the agent is decides what a rule does, not what it is about.
    let call = Call {
        moving: false,
        doubt: None,
        ..*call
    };
    [RuleDecision::Deny, RuleDecision::Allow]
        .into_iter()
        .any(|decision| {
            alone(pattern, decision, ApprovalKind::Tool, &call, paths)
                .0
                .is_some()
        })
}

/// What one rule alone decides, and why a person would be asked all the same.
fn alone(
    pattern: &Pattern,
    decision: RuleDecision,
    kind: ApprovalKind,
    call: &Call<'_>,
    paths: &dyn Paths,
) -> (Option<RuleDecision>, Option<String>) {
    let rules = [Rule {
        id: nobody(),
        pattern: pattern.clone(),
        decision,
        scope: Scope::User,
    }];
    let around = Surroundings::none(paths);
    let resolved = Resolved::of(call, paths);
    let mode = PermissionMode::Default;
    match judge(Stage::Asked, kind, mode, &rules, &resolved, &around) {
        Verdict::Allow { .. } => (Some(RuleDecision::Allow), None),
        Verdict::Deny { .. } => (Some(RuleDecision::Deny), None),
        Verdict::Ask { reason, rule } => (rule.map(|_| RuleDecision::Ask), Some(reason)),
        Verdict::Unmatched => (None, None),
    }
}

/// The id of a rule that is only tried; nobody sees it.
#[expect(clippy::expect_used, reason = "a constant text that is an id")]
pub(crate) fn nobody() -> RuleId {
    "rul_00000000000000000000000000000000"
        .parse()
        .expect("is an id")
}
