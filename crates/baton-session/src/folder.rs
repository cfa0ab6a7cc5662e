//! What a session's folder adds and takes away: trust, tools, a note.

use std::path::{Path, PathBuf};

use baton_project::{
    surface::{Preset, Surface, ToolLimit, UnknownPreset, both, narrow},
    trust::{Answer, Decision, Survey},
};
use baton_protocol::{
    RuleId, ToolUse,
    event::{FolderTools, SessionOptions},
    words::{RuleDecision, Scope},
};
use baton_rules::{Pattern, Rule};
use baton_store::TrustRecord;
use uuid::Uuid;

use crate::agents::{AgentHome, AgentKind};

/// What holds in a folder at this moment. The default trusts nothing and
/// limits nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FolderRules {
    /// Whether what is in it may run by itself.
    pub(crate) trusted: bool,
    /// Something in it would, if it were trusted.
    pub(crate) has_more: bool,
    /// Something in it would run or change something, and nobody accepted it.
    pub(crate) foreign: bool,
    /// Names all that would: a process is given it as it was, or given what
    /// keeps it out, so another one needs another process.
    pub(crate) digest: String,
    pub(crate) tools: ToolLimit,
    /// For the prompt.
    pub(crate) note: Option<String>,
    /// Folders beside it that the agent gets.
    pub(crate) extra: Vec<PathBuf>,
    /// Rules of the folder's own that deny or ask.
    pub(crate) rules: Vec<Rule>,
    /// Those that deny and that only the CLI understands.
    pub(crate) for_the_cli: Vec<String>,
    /// Scripts in it that its hooks and servers run.
    pub(crate) scripts: Vec<PathBuf>,
}

impl Default for FolderRules {
    fn default() -> Self {
        Self {
            trusted: false,
            has_more: false,
            foreign: false,
            digest: String::new(),
            tools: ToolLimit::All,
            note: None,
            extra: Vec::new(),
            rules: Vec::new(),
            for_the_cli: Vec::new(),
            scripts: Vec::new(),
        }
    }
}

impl FolderRules {
    /// Names these rules, to tell whether a process was started on others.
    pub(crate) fn terms(&self) -> String {
        format!("{self:?}")
    }
}

/// What a look at a folder found for one session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Look {
    pub(crate) rules: FolderRules,
    /// What the folder's files leave of this session's tools.
    pub(crate) left: FolderTools,
    /// A file would leave more than that, if somebody accepted it.
    pub(crate) withheld: bool,
    /// Folders beside it that the agent does not get before they are trusted.
    pub(crate) left_out: Vec<PathBuf>,
}

/// A folder beside the session's own, and what was answered about it.
#[derive(Debug, Clone)]
pub(crate) struct Beside {
    /// With all links followed.
    pub(crate) path: PathBuf,
    pub(crate) answered: Option<TrustRecord>,
}

/// Who looks: what the user chose, and what a session was left with before.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    pub(crate) user: ToolLimit,
    pub(crate) left: FolderTools,
}

impl Before {
    /// What holds where the folder cannot be looked at: nothing is trusted, and
    /// what was taken away stays away.
    pub(crate) fn unseen(self) -> Look {
        let (rules, for_the_cli) = stricter(&self.left);
        Look {
            rules: FolderRules {
                tools: limit(&self.user, self.left.only.as_deref()),
                rules,
                for_the_cli,
                ..FolderRules::default()
            },
            left: self.left,
            ..Look::default()
        }
    }
}

/// Looks at a folder. Blocks; the user's own limit comes first, and the
/// folder's file can only narrow it, trusted or not.
pub(crate) fn look(
    folder: &Path,
    home: &AgentHome,
    answered: Option<&TrustRecord>,
    beside: &[Beside],
    before: &Before,
) -> Look {
    let seen = home.survey(folder);
    // An empty survey is no trust: the folder's instructions are text that
    // nobody has looked at.
    let decision = Decision::of(answered.map(answer), &seen);
    let trusted = decision == Decision::Trusted;
    // The agent takes up the agents, skills and commands of such a folder, and
    // nothing keeps it from that but not getting the folder.
    let (extra, left_out) = beside.iter().partition::<Vec<_>, _>(|one| {
        let seen = home.survey(&one.path);
        Decision::of(one.answered.as_ref().map(answer), &seen).is_trusted()
    });
    let paths = |folders: Vec<&Beside>| folders.into_iter().map(|one| one.path.clone()).collect();
    let wanted = wanted(&seen);
    let left = left(&before.left, &wanted, trusted);
    let (rules, for_the_cli) = stricter(&left);
    Look {
        rules: FolderRules {
            trusted,
            foreign: !decision.is_trusted(),
            digest: seen.digest(),
            has_more: !seen.is_empty() || folder.join("CLAUDE.md").is_file(),
            tools: limit(&before.user, left.only.as_deref()),
            note: seen
                .surface
                .as_ref()
                .filter(|_| trusted)
                .and_then(|surface| surface.note.clone()),
            extra: paths(extra),
            rules,
            for_the_cli,
            scripts: seen
                .scripts
                .iter()
                .cloned()
                .chain(linked(home, folder))
                .collect(),
        },
        left_out: paths(left_out),
        withheld: gives_more(&wanted, &left),
        left,
    }
}

/// What programs obey in the user's home, where it really lies in this folder:
/// some keep it in a repository, under other names.
fn linked(home: &AgentHome, folder: &Path) -> Vec<PathBuf> {
    let Ok(folder) = folder.canonicalize() else {
        return Vec::new();
    };
    let names = baton_rules::obeyed_names();
    let own = home.home();
    let places = names.map(|name| own.join(name));
    let places = places.chain(home.settings().map(Path::to_owned));
    let real = places.filter_map(|place| place.canonicalize().ok());
    real.filter(|real| real.starts_with(&folder) && *real != folder)
        .collect()
}

fn answer(record: &TrustRecord) -> Answer<'_> {
    Answer {
        digest: &record.digest,
        accepted: record.accepted,
    }
}

/// What a folder's files say at this moment.
fn wanted(seen: &Survey) -> FolderTools {
    let of = |decision| {
        let rules = seen.denials.iter();
        let rules = rules.filter(move |rule| rule.decision == decision);
        let mut rules: Vec<String> = rules.map(|rule| rule.rule.clone()).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    };
    FolderTools {
        only: seen.surface.as_ref().and_then(|one| one.tools.clone()),
        deny: of(RuleDecision::Deny),
        ask: of(RuleDecision::Ask),
    }
}

/// What a session keeps of its tools. Files that a person accepted as they are
/// now mean what they say; any others only take away from what the session had,
/// or an agent could give itself tools by writing to them or removing them.
fn left(before: &FolderTools, wanted: &FolderTools, accepted: bool) -> FolderTools {
    if accepted {
        return wanted.clone();
    }
    let all = |one: &[String], other: &[String]| {
        let mut all = [one, other].concat();
        all.sort_unstable();
        all.dedup();
        all
    };
    FolderTools {
        only: both(before.only.as_deref(), wanted.only.as_deref()),
        deny: all(&before.deny, &wanted.deny),
        ask: all(&before.ask, &wanted.ask),
    }
}

/// Whether the files leave something that the session does not have.
fn gives_more(wanted: &FolderTools, left: &FolderTools) -> bool {
    let tools = match (&wanted.only, &left.only) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(wanted), Some(left)) => wanted.iter().any(|tool| !left.contains(tool)),
    };
    tools || wanted.deny != left.deny || wanted.ask != left.ask
}

/// The folder's rules as Baton reads them, and those that deny as the CLI does
/// where Baton cannot: there they narrow all the same.
fn stricter(left: &FolderTools) -> (Vec<Rule>, Vec<String>) {
    let mut rules = Vec::new();
    let mut for_the_cli = Vec::new();
    let lists = [
        (&left.deny, RuleDecision::Deny),
        (&left.ask, RuleDecision::Ask),
    ];
    for (list, decision) in lists {
        for text in list {
            match Pattern::parse(text) {
                // The agent can always ask a person, whatever a folder says.
                _ if reaches_a_person(text) => {}
                Ok(pattern) => rules.push(Rule {
                    // Nobody made it here, so no rule of the log is meant.
                    id: RuleId::from_uuid(Uuid::nil()),
                    pattern,
                    decision,
                    scope: Scope::Project,
                }),
                Err(_) if decision == RuleDecision::Deny && is_whole(text) => {
                    for_the_cli.push(text.clone());
                }
                Err(_) => {}
            }
        }
    }
    for_the_cli.truncate(MOST_FOR_THE_CLI);
    (rules, for_the_cli)
}

/// Whether some agent calls a tool so that reaches a person.
fn reaches_a_person(tool: &str) -> bool {
    let mut uses = AgentKind::ALL
        .iter()
        .map(|kind| kind.tool_use(tool, &serde_json::Value::Null));
    uses.any(|what| what.kind.is_for_person())
}

/// Rules travel to the CLI on its command line, so there are not too many of
/// them, and none runs into the next.
const MOST_FOR_THE_CLI: usize = 100;

/// Whether a text is one entry of a list: a name, and perhaps something in
/// parentheses behind it.
fn is_whole(text: &str) -> bool {
    let (name, content) = text.split_once('(').unwrap_or((text, ")"));
    let named = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.' | ':');
    let inside = content.strip_suffix(')');
    text.len() <= 300
        && name.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && name.chars().all(named)
        && inside.is_some_and(|inside| !inside.contains(['(', ')']))
        && !text.contains(char::is_control)
}

fn limit(user: &ToolLimit, left: Option<&[String]>) -> ToolLimit {
    let surface = left.map(|tools| Surface {
        tools: Some(tools.to_vec()),
        note: None,
    });
    narrow(user, surface.as_ref())
}

/// The tools that a session was made with, or else the user's own.
pub(crate) fn chosen(
    options: &SessionOptions,
    default: &ToolLimit,
) -> Result<ToolLimit, UnknownPreset> {
    let preset = match &options.tool_preset {
        Some(preset) => Some(preset.parse::<Preset>()?.limit()),
        None => None,
    };
    Ok(match (&options.tools, preset) {
        (Some(tools), _) => ToolLimit::Only(tools.clone()),
        (None, Some(limit)) => limit,
        (None, None) => default.clone(),
    })
}

/// Whether a call of this tool is within the limit. What reaches a person, and
/// what is Baton's own, always is. Only the server that Baton itself gave the
/// agent is its own: anybody may call theirs `baton`.
pub(crate) fn permits(
    limit: &ToolLimit,
    tool: &str,
    what: &ToolUse,
    own_server: Option<&str>,
) -> bool {
    let own = own_server.and_then(|server| baton_rules::tool_of_server(server, tool));
    if what.is_basic || own.is_some() {
        return true;
    }
    match limit {
        ToolLimit::All => true,
        ToolLimit::Only(tools) => tools.iter().any(|one| one == tool),
        ToolLimit::Except(tools) => !tools.iter().any(|one| one == tool),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(names: &str) -> FolderTools {
        FolderTools {
            only: match names {
                "all" => None,
                names => Some(names.split_whitespace().map(str::to_owned).collect()),
            },
            ..FolderTools::default()
        }
    }

    #[test]
    fn a_file_that_nobody_accepted_takes_away_and_never_gives_back() {
        for (before, wanted, accepted, after, more) in [
            ("all", "all", false, "all", false),
            ("all", "Read Edit", false, "Read Edit", false),
            // Widened, removed, or made something else: what is in both stays.
            ("Read Edit", "Read Edit Bash", false, "Read Edit", true),
            ("Read Edit", "all", false, "Read Edit", true),
            ("Read Edit", "Edit Bash", false, "Edit", true),
            ("Read Edit", "Read", false, "Read", false),
            ("Read", "Edit Bash", false, "", true),
            // A person looked at it.
            ("Read", "Read Edit Bash", true, "Read Edit Bash", false),
            ("Read", "all", true, "all", false),
            ("Read Edit", "Read", true, "Read", false),
        ] {
            let wanted = tools(wanted);
            let found = left(&tools(before), &wanted, accepted);
            assert_eq!(found, tools(after), "{before} {wanted:?} {accepted}");
            assert_eq!(gives_more(&wanted, &found), more, "{before} {wanted:?}");
        }
    }

    fn rules(deny: &[&str], ask: &[&str]) -> FolderTools {
        let owned = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect();
        FolderTools {
            deny: owned(deny),
            ask: owned(ask),
            ..FolderTools::default()
        }
    }

    #[test]
    fn what_a_folder_denies_and_asks_stays_until_somebody_accepted_that_it_goes() {
        let before = rules(&["Bash(rm:*)"], &["WebFetch"]);
        let other = rules(&["Read(.env)"], &[]);
        let kept = left(&before, &other, false);
        assert_eq!(kept, rules(&["Bash(rm:*)", "Read(.env)"], &["WebFetch"]));
        assert!(gives_more(&other, &kept));
        assert_eq!(left(&before, &other, true), other);
        assert!(!gives_more(&other, &other));
    }

    #[test]
    fn rules_that_baton_cannot_read_go_to_the_cli_and_nowhere_else() {
        let deny = [
            "Bash(rm:*)",
            "Skill(x)",
            "AskUserQuestion",
            "Skill(a),Bash(b",
            "-x(y)",
            "Write(a b)",
        ];
        let (rules, for_the_cli) = stricter(&rules(&deny, &["Skill(y)", "WebFetch"]));
        let rules: Vec<_> = rules
            .iter()
            .map(|rule| format!("{} {}", rule.decision, rule.pattern))
            .collect();
        assert_eq!(rules, ["deny Bash(rm:*)", "ask WebFetch"]);
        assert_eq!(for_the_cli, ["Skill(x)", "Write(a b)"]);
    }

    #[test]
    fn a_server_that_somebody_called_baton_is_within_the_limit_like_any_other() {
        let limit = ToolLimit::Only(vec!["Read".into()]);
        let permits = |limit: &ToolLimit, tool: &str, own: Option<&str>| {
            let what = AgentKind::Claude.tool_use(tool, &serde_json::Value::Null);
            super::permits(limit, tool, &what, own)
        };
        assert!(permits(&limit, "Read", None) && permits(&limit, "AskUserQuestion", None));
        assert!(!permits(&limit, "mcp__baton__session_status", None));
        assert!(permits(&limit, "mcp__baton__session_status", Some("baton")));
        assert!(!permits(&limit, "mcp__baton2__x", Some("baton")));
    }
}
