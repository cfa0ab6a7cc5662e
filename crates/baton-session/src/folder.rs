//! What a session's folder adds and takes away: trust, tools, a note.

use std::path::Path;

use baton_project::{
    surface::{Preset, Surface, ToolLimit, UnknownPreset, narrow},
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
}

impl Default for FolderRules {
    fn default() -> Self {
        Self {
            trusted: false,
            has_more: false,
            tools: ToolLimit::All,
            note: None,
        }
    }
}

impl FolderRules {
    /// Names these rules, to tell whether a process was started on others.
    pub(crate) fn terms(&self) -> String {
        format!("{self:?}")
    }
}

/// Looks at a folder. Blocks; the user's own limit comes first, the folder's
/// file can only narrow it, and only once the folder is trusted.
pub(crate) fn look(
    folder: &Path,
    home: &AgentHome,
    answered: Option<&TrustRecord>,
    user: &ToolLimit,
) -> FolderRules {
    let seen = survey(folder, &home.claude_config, &home.home());
    let answer = answered.map(|record| Answer {
        digest: &record.digest,
        accepted: record.accepted,
    });
    // An empty survey is no trust: the folder's instructions are text that
    // nobody has looked at.
    let trusted = Decision::of(answer, &seen) == Decision::Trusted;
    let surface = if trusted {
        match Surface::read(folder) {
            Ok(surface) => surface,
            Err(error) => Some(Surface::fail_closed(&error)),
        }
    } else {
        None
    };
    FolderRules {
        trusted,
        has_more: !seen.is_empty() || folder.join("CLAUDE.md").is_file(),
        tools: narrow(user, surface.as_ref()),
        note: surface.and_then(|surface| surface.note),
    }
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

    #[test]
    fn a_server_that_somebody_called_baton_is_within_the_limit_like_any_other() {
        let limit = ToolLimit::Only(vec!["Read".into()]);
        assert!(permits(&limit, "Read", None) && permits(&limit, "AskUserQuestion", None));
        assert!(!permits(&limit, "mcp__baton__session_status", None));
        assert!(permits(&limit, "mcp__baton__session_status", Some("baton")));
        assert!(!permits(&limit, "mcp__baton2__x", Some("baton")));
    }
}
