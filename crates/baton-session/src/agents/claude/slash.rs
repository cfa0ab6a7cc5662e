//! Slash commands that are not sent on.

/// Commands that change the user's own settings or sign-in for every later
/// session, wherever it runs, or that only make sense in a terminal of the
/// CLI's own. Everything else is the CLI's business.
const REFUSED: &[(&[&str], &str)] = &[
    (
        &[
            "config",
            "settings",
            "theme",
            "vim",
            "output-style",
            "statusline",
            "keybindings",
        ],
        "it would change your settings for every session, not only this one; run it in `claude` itself",
    ),
    (
        &["model"],
        "it would change the model of every later session; change this session's model instead",
    ),
    (
        &["heapdump"],
        "it would write all that the agent has in memory to a file; run it in `claude` itself",
    ),
    (
        &["permissions", "allowed-tools"],
        "permissions are Baton's here; use its rules",
    ),
    (
        &[
            "login",
            "logout",
            "upgrade",
            "privacy-settings",
            "extra-usage",
        ],
        "it would change your sign-in or account; run it in `claude` itself",
    ),
    (
        &[
            "plugin",
            "plugins",
            "marketplace",
            "mcp",
            "hooks",
            "install-github-app",
            "install-slack-app",
            "terminal-setup",
            "ide",
            "chrome",
        ],
        "it would change what every session loads; run it in `claude` itself",
    ),
];

/// The command's name and why it is not sent, if it is not.
pub(in crate::agents) fn refused_command(text: &str) -> Option<(String, &'static str)> {
    let rest = text.trim_start().strip_prefix('/')?;
    let name: String = rest
        .chars()
        .take_while(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    let (_, why) = REFUSED
        .iter()
        .find(|(names, _)| names.contains(&name.as_str()))?;
    Some((name, why))
}

/// Commands that other programs send to the CLI and no person types, and those
/// that it only lists to say that they are gone.
pub(in crate::agents) fn is_for_people(name: &str, description: Option<&str>) -> bool {
    const PROGRAMS: &[&str] = &["workflow-launch-exec"];
    !name.starts_with('_')
        && !PROGRAMS.contains(&name)
        && !description.is_some_and(|text| text.starts_with("(removed)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_nobody_types_are_not_for_people() {
        assert!(!is_for_people("__remote-workflow", None));
        assert!(!is_for_people("workflow-launch-exec", None));
        assert!(!is_for_people("agents", Some("(removed) Ask Claude to …")));
        assert!(is_for_people("compact", Some("Free up context")));
        assert!(is_for_people("plugin:greet", None));
    }

    #[test]
    fn only_commands_that_reach_beyond_the_session_are_refused() {
        for refused in [
            "/config model=haiku",
            " /Logout",
            "/model\nx",
            "/mcp",
            "/heapdump",
            "/HeapDump now",
        ] {
            assert!(refused_command(refused).is_some(), "{refused}");
        }
        for sent in [
            "/compact",
            "/clear",
            "/configure-me",
            "/etc/x",
            "see /config",
            "/context",
            "/heapdumps",
        ] {
            assert!(refused_command(sent).is_none(), "{sent}");
        }
    }
}
