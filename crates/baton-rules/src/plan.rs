//! What may be done while planning: whatever changes nothing, where the session
//! belongs. Reading elsewhere is a person's to allow.

use std::path::Path;

use crate::call::{Resolved, Subject, folder};
use crate::harmless::{self, Unsure};
use crate::judge::Surroundings;
use crate::pattern::Access;
use crate::{shell, tools};

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

/// Whether a path is a plan of the agent's: a text right in the folder of plans.
pub(crate) fn is_plan(path: &Path, plans: &Path) -> bool {
    path.parent() == Some(plans) && path.extension().is_some_and(|end| end == "md")
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
    let tool = resolved.tool.as_str();
    let known = harmless::check(resolved, around);
    match (&resolved.subject, known) {
        (Subject::File(call), _) if call.access == Access::Edit => {
            let inside = || {
                let path = call.path.as_ref()?.canonical.as_ref()?;
                Some(is_plan(path, &folder(around.plans?, around.paths)))
            };
            match inside() {
                Some(true) => Permit::Silently,
                Some(false) | None => Permit::No,
            }
        }
        (_, Err(Unsure::Elsewhere(reason))) => Permit::Asked(reason),
        (Subject::File(_), _) => Permit::Silently,
        (Subject::Shell(_), Ok(())) => Permit::Yes,
        (Subject::Plain, Ok(())) if tools::SUB_AGENTS.contains(&tool) => Permit::Yes,
        (Subject::Plain, Ok(())) => Permit::Silently,
        (Subject::Web(_), _) => Permit::Asked("it reaches into the network".to_owned()),
        (Subject::Plain, Err(_)) if tool == "WebSearch" => {
            Permit::Asked("it reaches into the network".to_owned())
        }
        (Subject::Shell(_) | Subject::Plain, Err(Unsure::Changes)) => Permit::No,
    }
}
