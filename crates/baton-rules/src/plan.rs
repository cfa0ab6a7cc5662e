//! What may be done while planning: whatever changes nothing.

use crate::call::{Resolved, Subject, folder};
use crate::judge::Surroundings;
use crate::pattern::Access;
use crate::{shell, tools};

/// Whether a shell command is known to change nothing.
///
/// The list of such commands is short, and wrappers, substitutions,
/// variables, several lines and redirections to files are not among them.
pub fn read_only_command(command: &str) -> bool {
    let text = command.trim_matches([' ', '\t', '\n']);
    shell::hidden(text).is_none()
        && shell::parse(text).is_ok_and(|script| shell::is_read_only(&script))
}

/// Whether a call may go on while planning.
pub(crate) fn permits(resolved: &Resolved, around: &Surroundings<'_>) -> bool {
    let tool = resolved.tool.as_str();
    match &resolved.subject {
        Subject::Shell(shell) => read_only_command(&shell.text),
        Subject::File(call) if call.access == Access::Edit => {
            let inside = || {
                let path = call.path.as_ref()?.canonical.as_ref()?;
                Some(path.starts_with(folder(around.plans?, around.paths)))
            };
            inside().unwrap_or(false)
        }
        Subject::File(_) | Subject::Web(_) => true,
        Subject::Plain => {
            let own = around.own_server;
            tools::PERSON.contains(&tool)
                || tools::HARMLESS.contains(&tool)
                || own.is_some_and(|server| tools::tool_of_server(server, tool).is_some())
        }
    }
}
