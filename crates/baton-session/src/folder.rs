//! What a session's folder adds and takes away: trust, tools, a note.

use std::path::{Path, PathBuf};

use baton_project::{
    surface::{Preset, Surface, ToolLimit, UnknownPreset, both, narrow},
    trust::{Answer, Decision, survey},
};
use baton_protocol::event::SessionOptions;
use baton_store::TrustRecord;

use crate::agents::AgentHome;

/// What holds in a folder at this moment. The default trusts nothing and
/// limits nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FolderRules {
    /// Whether what is in it may run by itself.
    pub(crate) trusted: bool,
    /// Something in it would, if it were trusted.
    pub(crate) has_more: bool,
    pub(crate) tools: ToolLimit,
    /// For the prompt.
    pub(crate) note: Option<String>,
    /// Folders beside it that the agent gets.
    pub(crate) extra: Vec<PathBuf>,
}

impl Default for FolderRules {
    fn default() -> Self {
        Self {
            trusted: false,
            has_more: false,
            tools: ToolLimit::All,
            note: None,
            extra: Vec::new(),
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
    /// What the folder's file leaves of this session's tools; `None` is all.
    pub(crate) left: Option<Vec<String>>,
    /// The file would leave more than that, if somebody accepted it.
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
    pub(crate) left: Option<Vec<String>>,
}

impl Before {
    /// What holds where the folder cannot be looked at: nothing is trusted, and
    /// what was taken away stays away.
    pub(crate) fn unseen(self) -> Look {
        Look {
            rules: FolderRules {
                tools: limit(&self.user, self.left.as_deref()),
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
    let seen = survey(folder, &home.claude_config, &home.home());
    // An empty survey is no trust: the folder's instructions are text that
    // nobody has looked at.
    let trusted = Decision::of(answered.map(answer), &seen) == Decision::Trusted;
    // The agent takes up the agents, skills and commands of such a folder, and
    // nothing keeps it from that but not getting the folder.
    let (extra, left_out) = beside.iter().partition::<Vec<_>, _>(|one| {
        let seen = survey(&one.path, &home.claude_config, &home.home());
        Decision::of(one.answered.as_ref().map(answer), &seen).is_trusted()
    });
    let paths = |folders: Vec<&Beside>| folders.into_iter().map(|one| one.path.clone()).collect();
    let wanted = seen.surface.as_ref();
    let wanted = wanted.and_then(|surface| surface.tools.as_deref());
    let left = left(before.left.as_deref(), wanted, trusted);
    Look {
        rules: FolderRules {
            trusted,
            has_more: !seen.is_empty() || folder.join("CLAUDE.md").is_file(),
            tools: limit(&before.user, left.as_deref()),
            note: seen
                .surface
                .as_ref()
                .filter(|_| trusted)
                .and_then(|surface| surface.note.clone()),
            extra: paths(extra),
        },
        left_out: paths(left_out),
        withheld: gives_more(wanted, left.as_deref()),
        left,
    }
}

fn answer(record: &TrustRecord) -> Answer<'_> {
    Answer {
        digest: &record.digest,
        accepted: record.accepted,
    }
}

/// What a session keeps of its tools. A file that a person accepted as it is
/// now means what it says; any other only takes away from what the session had,
/// or an agent could give itself tools by writing to it or removing it.
fn left(
    before: Option<&[String]>,
    wanted: Option<&[String]>,
    accepted: bool,
) -> Option<Vec<String>> {
    if accepted {
        return wanted.map(<[String]>::to_vec);
    }
    both(before, wanted)
}

/// Whether a file leaves something that the session does not have.
fn gives_more(wanted: Option<&[String]>, left: Option<&[String]>) -> bool {
    match (wanted, left) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(wanted), Some(left)) => wanted.iter().any(|tool| !left.contains(tool)),
    }
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
pub(crate) fn permits(limit: &ToolLimit, tool: &str, own_server: Option<&str>) -> bool {
    const FREE: &[&str] = &[
        "AskUserQuestion",
        "EnterPlanMode",
        "ExitPlanMode",
        "StructuredOutput",
    ];
    let own = own_server.and_then(|server| baton_rules::tool_of_server(server, tool));
    if FREE.contains(&tool) || own.is_some() {
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

    fn tools(names: &str) -> Option<Vec<String>> {
        match names {
            "all" => None,
            names => Some(names.split_whitespace().map(str::to_owned).collect()),
        }
    }

    #[test]
    fn a_file_that_nobody_accepted_takes_away_and_never_gives_back() {
        for (before, wanted, accepted, after) in [
            ("all", "all", false, "all"),
            ("all", "Read Edit", false, "Read Edit"),
            // Widened, removed, or made something else: what is in both stays.
            ("Read Edit", "Read Edit Bash", false, "Read Edit"),
            ("Read Edit", "all", false, "Read Edit"),
            ("Read Edit", "Edit Bash", false, "Edit"),
            ("Read Edit", "Read", false, "Read"),
            ("Read", "Edit Bash", false, ""),
            // A person looked at it.
            ("Read", "Read Edit Bash", true, "Read Edit Bash"),
            ("Read", "all", true, "all"),
            ("Read Edit", "Read", true, "Read"),
        ] {
            let wanted = tools(wanted);
            let found = left(tools(before).as_deref(), wanted.as_deref(), accepted);
            assert_eq!(found, tools(after), "{before} {wanted:?} {accepted}");
            let more = gives_more(wanted.as_deref(), found.as_deref());
            let kept_back = wanted.is_none_or(|wanted| {
                let found = found.as_deref().unwrap_or_default();
                wanted.iter().any(|tool| !found.contains(tool))
            });
            assert_eq!(more, found.is_some() && kept_back && !accepted, "{before}");
        }
    }

    #[test]
    fn a_server_that_somebody_called_baton_is_within_the_limit_like_any_other() {
        let limit = ToolLimit::Only(vec!["Read".into()]);
        assert!(permits(&limit, "Read", None) && permits(&limit, "AskUserQuestion", None));
        assert!(!permits(&limit, "mcp__baton__session_status", None));
        assert!(permits(&limit, "mcp__baton__session_status", Some("baton")));
        assert!(!permits(&limit, "mcp__baton2__x", Some("baton")));
    }
}
