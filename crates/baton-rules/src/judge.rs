//! The order in which rules and modes decide.
//!
//! A deny rule of any scope comes first, in every mode. Then plan mode denies
//! what changes anything. Then the nearest scope that has a match, and bypass
//! and acceptEdits for what no rule asks about. What is known to change nothing
//! is left to the agent; for the rest there is a person, or a denial where
//! nobody is asked.

use std::fmt;
use std::path::PathBuf;

use baton_protocol::words::{ApprovalKind, PermissionMode, RuleDecision, Scope};
use baton_protocol::{RuleId, ToolKind};

use crate::call::{Resolved, Subject, folder};
use crate::harmless::{self, Unsure};
use crate::limits::{self, Limit};
use crate::matching::{Hit, Part, allows, hits, hits_part, is_whole, parts};
use crate::paths::Paths;
use crate::pattern::{Access, Pattern};
use crate::plan::{self, Permit, Plans};
use crate::shell::{Simple, only_prints};

/// A rule that a person made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub id: RuleId,
    pub pattern: Pattern,
    pub decision: RuleDecision,
    pub scope: Scope,
}

/// When in a call's life the question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Before every use of a tool; the agent still decides by itself what it asks.
    BeforeUse,
    /// The agent wants an answer.
    Asked,
}

/// What a verdict needs to know beside the call.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// The agent's plans, of which it may write its own while planning.
    pub plans: Option<&'a dyn Plans>,
    /// The MCP server that Baton itself gave the agent, if it did. No other is
    /// its own, whatever it is called.
    pub own_server: Option<&'a str>,
    /// Folders beside the project that the session may edit in.
    pub extra: &'a [PathBuf],
    /// Further folders that it may read without asking: where the agent keeps
    /// what belongs to the session.
    pub readable: &'a [PathBuf],
    /// Files and folders that are never read without asking.
    pub secrets: &'a [PathBuf],
    /// Files in the project that hold credentials, such as git's settings with a
    /// token in an address: shown only when a person or a rule says so.
    pub credentials: &'a [PathBuf],
    /// Files in the project that run by themselves, because settings name them.
    /// A `*` in one stands for anything, and `?` as its last name for any name
    /// without an ending.
    pub obeyed: &'a [PathBuf],
    /// Folders of the agent's own settings, beside `.claude` in the home.
    pub settings: &'a [PathBuf],
    pub paths: &'a dyn Paths,
}

impl<'a> Surroundings<'a> {
    /// A call alone, with nothing known around it.
    pub(crate) const fn none(paths: &'a dyn Paths) -> Self {
        Self {
            plans: None,
            own_server: None,
            extra: &[],
            readable: &[],
            secrets: &[],
            credentials: &[],
            obeyed: &[],
            settings: &[],
            paths,
        }
    }
}

/// The rule that decided, or that a person made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRef {
    pub id: RuleId,
    /// The rule's canonical text.
    pub text: String,
    pub scope: Scope,
}

impl RuleRef {
    fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id,
            text: rule.pattern.to_string(),
            scope: rule.scope,
        }
    }
}

impl fmt::Display for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({} scope)", self.text, self.scope)
    }
}

/// Why a person is asked when there is nothing else to say.
pub const UNCOVERED: &str = "no rule covers it";

/// What a decision without a person rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    Rule(RuleRef),
    Mode(PermissionMode),
    /// The tools that the session has.
    Tools,
}

/// What is to happen with a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Verdict {
    Allow {
        by: By,
    },
    Deny {
        by: By,
        /// What the agent is told.
        message: String,
    },
    /// A person has to look, even if the agent would not have asked.
    Ask {
        reason: String,
        rule: Option<RuleRef>,
    },
    /// Nothing here has an opinion. When the agent asks, a person answers.
    #[default]
    Unmatched,
}

/// Decides on a call.
pub fn judge(
    stage: Stage,
    kind: ApprovalKind,
    mode: PermissionMode,
    rules: &[Rule],
    resolved: &Resolved,
    around: &Surroundings<'_>,
) -> Verdict {
    let doubt = match denied(rules, resolved, around.paths) {
        Denied::Yes(rule) => return deny_by_rule(rule),
        // A person has seen exactly this line, and what may speak against it.
        Denied::Maybe(..) if allowed_to_the_letter(rules, resolved) => None,
        Denied::Maybe(rule, why) => Some((rule, why)),
        Denied::No => None,
    };
    let person = matches!(kind, ApprovalKind::Question | ApprovalKind::Plan)
        || resolved.kind.is_for_person();
    if person {
        return Verdict::Unmatched;
    }
    let permit = match mode {
        PermissionMode::Plan => plan::permit(resolved, around),
        PermissionMode::Default
        | PermissionMode::AcceptEdits
        | PermissionMode::BypassPermissions
        | PermissionMode::DontAsk
        | PermissionMode::Auto => Permit::Rules,
    };
    if permit == Permit::No {
        return deny_by_plan(&resolved.tool);
    }
    let verdict = match doubt {
        Some((rule, why)) => {
            let rule = RuleRef::of(rule);
            Verdict::Ask {
                reason: format!("the rule {rule} may forbid it: {why}"),
                rule: Some(rule),
            }
        }
        // A request of an unknown kind is for a person to read.
        None if kind == ApprovalKind::Other => Verdict::Unmatched,
        None => by_rules_and_mode(mode, rules, resolved, around),
    };
    match (verdict, permit) {
        (Verdict::Ask { reason, .. }, _) if mode == PermissionMode::DontAsk => {
            deny_unasked(&reason)
        }
        (verdict @ (Verdict::Ask { .. } | Verdict::Deny { .. }), _) => verdict,
        (verdict, Permit::Rules) => by_habit(stage, kind, mode, verdict, resolved, around),
        // Some versions of the agent decide by themselves while planning, so
        // they are made to ask; the answer is given then.
        (verdict, permit) => match (stage, verdict) {
            (Stage::BeforeUse, _) => match permit {
                Permit::Asked(reason) => Verdict::Ask { reason, rule: None },
                Permit::Yes => uncovered(),
                Permit::Silently | Permit::No | Permit::Rules => Verdict::Unmatched,
            },
            (Stage::Asked, Verdict::Unmatched)
                if permit == Permit::Yes && !resolved.is_doubted() =>
            {
                Verdict::Allow { by: By::Mode(mode) }
            }
            (Stage::Asked, verdict) => verdict,
        },
    }
}

/// Whether a rule of this session or project allows exactly this command line.
/// One for all projects was made where the line may have meant something else.
fn allowed_to_the_letter(rules: &[Rule], resolved: &Resolved) -> bool {
    rules.iter().any(|rule| {
        rule.decision == RuleDecision::Allow
            && rule.scope != Scope::User
            && is_whole(&rule.pattern, resolved)
    })
}

/// What becomes of a call that no rule decided. Before use, what the agent
/// would do by itself does not count: it may have been told to by a file.
fn by_habit(
    stage: Stage,
    kind: ApprovalKind,
    mode: PermissionMode,
    verdict: Verdict,
    resolved: &Resolved,
    around: &Surroundings<'_>,
) -> Verdict {
    if verdict != Verdict::Unmatched || kind == ApprovalKind::Other {
        return verdict;
    }
    let quiet = mode == PermissionMode::DontAsk;
    match (stage, harmless::check(resolved, around)) {
        (Stage::BeforeUse, Ok(())) => Verdict::Unmatched,
        (Stage::Asked, _) | (_, Err(Unsure::Changes)) if quiet => deny_unasked("no rule allows it"),
        (_, Err(Unsure::Elsewhere(why))) if quiet => deny_unasked(&why),
        (Stage::Asked, _) => Verdict::Unmatched,
        (Stage::BeforeUse, Err(Unsure::Elsewhere(reason))) => Verdict::Ask { reason, rule: None },
        (Stage::BeforeUse, Err(Unsure::Changes)) if mode == PermissionMode::AcceptEdits => {
            Verdict::Ask {
                reason: "accepting edits covers file edits inside the project only".to_owned(),
                rule: None,
            }
        }
        (Stage::BeforeUse, Err(Unsure::Changes)) => uncovered(),
    }
}

fn uncovered() -> Verdict {
    Verdict::Ask {
        reason: UNCOVERED.to_owned(),
        rule: None,
    }
}

/// Bypass and acceptEdits allow, unless a rule asks; then the nearest scope.
fn by_rules_and_mode(
    mode: PermissionMode,
    rules: &[Rule],
    resolved: &Resolved,
    around: &Surroundings<'_>,
) -> Verdict {
    let limits = limits::touched(resolved, around);
    if mode == PermissionMode::BypassPermissions {
        return match (by_scope(rules, resolved, around.paths), limits) {
            (verdict @ Verdict::Ask { rule: Some(_), .. }, _) => verdict,
            (Verdict::Unmatched, _) if may_pass_on(rules, resolved) => Verdict::Ask {
                reason: "rules of this session do not hold for what others are told to do"
                    .to_owned(),
                rule: None,
            },
            (_, Some(Limit::Tools)) => ask_about_limits(),
            (_, Some(Limit::Other) | None) => Verdict::Allow { by: By::Mode(mode) },
        };
    }
    if limits.is_some() {
        let rules = limits::that_name_it(rules, resolved);
        let verdict = by_scope(&rules, resolved, around.paths);
        return if verdict == Verdict::Unmatched {
            ask_about_limits()
        } else {
            verdict
        };
    }
    let verdict = by_scope(rules, resolved, around.paths);
    // A rule is about commands and files in general; these are not.
    if matches!(verdict, Verdict::Allow { .. })
        && let Some(reason) = harmless::secret(resolved, around)
    {
        return Verdict::Ask { reason, rule: None };
    }
    let accepts = mode == PermissionMode::AcceptEdits && edits_inside(resolved, around);
    if accepts && verdict == Verdict::Unmatched {
        return if limits::may_be_obeyed(resolved, around) {
            ask_about_limits()
        } else {
            Verdict::Allow { by: By::Mode(mode) }
        };
    }
    verdict
}

/// Whether a call may have another agent do what a rule here denies or asks about.
fn may_pass_on(rules: &[Rule], resolved: &Resolved) -> bool {
    let holds = |rule: &Rule| rule.decision != RuleDecision::Allow;
    resolved.kind == ToolKind::Message && rules.iter().any(holds)
}

fn ask_about_limits() -> Verdict {
    Verdict::Ask {
        reason: "it changes what the agent may do, or what runs by itself".to_owned(),
        rule: None,
    }
}

enum Denied<'a> {
    Yes(&'a Rule),
    Maybe(&'a Rule, String),
    No,
}

fn denied<'a>(rules: &'a [Rule], resolved: &Resolved, paths: &dyn Paths) -> Denied<'a> {
    let mut doubt = Denied::No;
    for rule in rules
        .iter()
        .filter(|rule| rule.decision == RuleDecision::Deny)
    {
        match hits(&rule.pattern, resolved, paths) {
            Hit::Yes => return Denied::Yes(rule),
            Hit::Maybe(why) if matches!(doubt, Denied::No) => doubt = Denied::Maybe(rule, why),
            Hit::Maybe(_) | Hit::No => {}
        }
    }
    doubt
}

/// Whether the call edits a file inside the project or its extra folders.
pub(crate) fn edits_inside(resolved: &Resolved, around: &Surroundings<'_>) -> bool {
    let Subject::File(call) = &resolved.subject else {
        return false;
    };
    let Some(path) = call.path.as_ref().and_then(|path| path.canonical.as_ref()) else {
        return false;
    };
    let mut folders = resolved
        .project
        .canonical
        .clone()
        .into_iter()
        .collect::<Vec<_>>();
    folders.extend(around.extra.iter().map(|extra| folder(extra, around.paths)));
    call.access == Access::Edit && folders.iter().any(|folder| path.starts_with(folder))
}

/// What the rules that allow or ask say, the nearest scope first.
fn by_scope(rules: &[Rule], resolved: &Resolved, paths: &dyn Paths) -> Verdict {
    let mut allowed = None;
    let mut missing = false;
    for part in parts(resolved) {
        match nearest(rules, resolved, part, paths) {
            Some((RuleDecision::Ask, rule, why)) => return ask(rule, why),
            Some((_, rule, _)) => allowed = Some(rule),
            None => missing |= !passes_on(part, resolved),
        }
    }
    if let Some(why) = never_allowed(resolved) {
        // A rule that asks might be about what is hidden here.
        let asks = |rule: &&Rule| rule.decision == RuleDecision::Ask && rule.pattern.is_shell();
        return match rules.iter().find(asks) {
            Some(rule) if why.hides => ask(rule, Some(why.reason)),
            _ if why.unread => Verdict::Ask {
                reason: why.reason,
                rule: None,
            },
            _ => Verdict::Unmatched,
        };
    }
    match allowed {
        Some(rule) if !missing => Verdict::Allow {
            by: By::Rule(RuleRef::of(rule)),
        },
        _ => Verdict::Unmatched,
    }
}

fn ask(rule: &Rule, why: Option<String>) -> Verdict {
    let rule = RuleRef::of(rule);
    let reason = match why {
        Some(why) => format!("the rule {rule} may be about it: {why}"),
        None => format!("the rule {rule} asks"),
    };
    Verdict::Ask {
        reason,
        rule: Some(rule),
    }
}

/// Whether a part needs no rule of its own beside one that allows another part.
fn passes_on(part: Part<'_>, resolved: &Resolved) -> bool {
    match part {
        Part::Command(simple) => simple.transparent || prints(simple, resolved),
        Part::Mentions => true,
        Part::Whole | Part::Special | Part::Write(_) => false,
    }
}

/// Whether a command of a line only prints, shortens what others print, or
/// goes to where the agent is already.
fn prints(simple: &Simple, resolved: &Resolved) -> bool {
    if simple.name() == Some("cd") && simple.redirects.is_empty() && !resolved.moves() {
        return true;
    }
    let script = resolved
        .shell()
        .and_then(|shell| shell.script.as_ref().ok());
    script.is_some_and(|script| {
        let at = script
            .commands
            .iter()
            .position(|one| std::ptr::eq(one, simple));
        at.is_some_and(|at| only_prints(&script.commands, at))
    })
}

/// The decision of the nearest scope that has one for this part.
fn nearest<'a>(
    rules: &'a [Rule],
    resolved: &Resolved,
    part: Part<'_>,
    paths: &dyn Paths,
) -> Option<(RuleDecision, &'a Rule, Option<String>)> {
    [Scope::Session, Scope::Project, Scope::User]
        .into_iter()
        .find_map(|scope| {
            let of = |decision| {
                rules
                    .iter()
                    .filter(move |rule| rule.scope == scope && rule.decision == decision)
            };
            let asks = of(RuleDecision::Ask).find_map(|rule| {
                match hits_part(&rule.pattern, resolved, part, paths) {
                    Hit::Yes => Some((RuleDecision::Ask, rule, None)),
                    Hit::Maybe(why) => Some((RuleDecision::Ask, rule, Some(why))),
                    Hit::No => None,
                }
            });
            asks.or_else(|| {
                of(RuleDecision::Allow)
                    .find(|rule| allows(&rule.pattern, resolved, part))
                    .map(|rule| (RuleDecision::Allow, rule, None))
            })
        })
}

/// Why no rule allows a call.
struct NeverAllowed {
    reason: String,
    /// Part of it could not be looked at.
    hides: bool,
    /// None of it could be looked at.
    unread: bool,
}

fn never_allowed(resolved: &Resolved) -> Option<NeverAllowed> {
    let shell = resolved.shell()?;
    let script = match &shell.script {
        Ok(script) => script,
        Err(why) => {
            let reason = format!("the command cannot be read: {why}");
            return Some(NeverAllowed {
                reason,
                hides: true,
                unread: true,
            });
        }
    };
    let hidden = script.obscure().next().or(shell.hidden.as_ref());
    match hidden {
        Some(why) => Some(NeverAllowed {
            reason: why.clone(),
            hides: true,
            unread: false,
        }),
        None if shell.lines => {
            let reason = "the command has more than one line".to_owned();
            Some(NeverAllowed {
                reason,
                hides: false,
                unread: false,
            })
        }
        None => None,
    }
}

fn deny_by_rule(rule: &Rule) -> Verdict {
    let rule = RuleRef::of(rule);
    let message = format!(
        "The rule {rule} forbids this. Do not try to reach the same end in another way; go on without it, or tell the user what you need it for."
    );
    Verdict::Deny {
        by: By::Rule(rule),
        message,
    }
}

fn deny_by_plan(tool: &str) -> Verdict {
    let message = format!(
        "This session is planning, so {tool} was not run: only tools that change nothing are. Go on reading, write the plan, and hand it over with ExitPlanMode; the work begins when the user agrees."
    );
    Verdict::Deny {
        by: By::Mode(PermissionMode::Plan),
        message,
    }
}

fn deny_unasked(why: &str) -> Verdict {
    let message = format!(
        "This was not run: nobody is asked in this session, and {why}. Go on with what is allowed, or say at the end what was left undone."
    );
    Verdict::Deny {
        by: By::Mode(PermissionMode::DontAsk),
        message,
    }
}
