//! What may be done while planning: whatever changes nothing, where the session
//! belongs. Reading elsewhere is a person's to allow.

use std::path::Path;

use baton_protocol::ToolKind;

use crate::call::{Resolved, Subject, folder};
use crate::harmless::{self, Unsure};
use crate::judge::Surroundings;
use crate::paths::PathForms;
use crate::pattern::Access;
use crate::shell;

/// Whether a shell command is known to change nothing.
///
/// The list of such commands is short, and wrappers, substitutions,
/// variables, several lines, redirections to files and changes of the folder
/// are not among them. Where it reads is not looked at.
pub fn read_only_command(command: &str) -> bool {
    let text = command.trim_matches([' ', '\t', '\n']);
    shell::hidden(text).is_none()
        && shell::parse(text).is_ok_and(|script| {
            let moves = |simple: &shell::Simple| simple.name() == Some("cd");
            shell::is_read_only(&script) && !script.commands.iter().any(moves)
        })
}

/// The plans that an agent keeps, in one folder for all its sessions.
pub trait Plans {
    fn folder(&self) -> &Path;

    /// Whether a plan that is there, at a path without links, is the session's own.
    fn is_own(&self, plan: &Path) -> bool;
}

/// Whether a path is a plan that the session may write: a text right in the
/// folder of plans, which is its own or not there yet. What another session
/// plans is not this one's to change.
pub(crate) fn is_own_plan(path: &PathForms, around: &Surroundings<'_>) -> bool {
    let (Some(path), Some(plans)) = (path.canonical.as_deref(), around.plans) else {
        return false;
    };
    path.extension().is_some_and(|end| end == "md")
        && path.parent() == Some(&folder(plans.folder(), around.paths))
        && (!around.paths.exists(path) || plans.is_own(path))
}

/// What planning says to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Permit {
    /// The mode says nothing: rules and habits decide.
    Rules,
    /// It goes on, and every version of the agent lets it.
    Silently,
    /// It goes on, though some versions of the agent would not let it.
    Yes,
    /// A person may allow it. Says why one is asked.
    Asked(String),
    No,
}

pub(crate) fn permit(resolved: &Resolved, around: &Surroundings<'_>) -> Permit {
    let known = harmless::check(resolved, around);
    match (&resolved.subject, known) {
        (Subject::File(call), _) if call.access == Access::Edit => {
            let mut path = call.path.iter();
            if path.any(|path| is_own_plan(path, around)) {
                Permit::Silently
            } else {
                Permit::No
            }
        }
        (_, Err(Unsure::Elsewhere(reason))) => Permit::Asked(reason),
        (Subject::File(_), _) => Permit::Silently,
        (Subject::Shell(_), Ok(())) => Permit::Yes,
        (Subject::Plain, Ok(())) if matches!(resolved.kind, ToolKind::Agent | ToolKind::Mcp) => {
            Permit::Yes
        }
        (Subject::Plain, Ok(())) => Permit::Silently,
        (Subject::Web(_), _) => Permit::Asked("it reaches into the network".to_owned()),
        (Subject::Plain, Err(_)) if resolved.kind == ToolKind::Fetch => {
            Permit::Asked("it reaches into the network".to_owned())
        }
        (Subject::Shell(_) | Subject::Plain, Err(Unsure::Changes)) => Permit::No,
    }
}
