//! Variables that agents do not get, and why.
//!
//! Claude Code is configured by variables of which most are the user's choice
//! (`CLAUDE_CODE_USE_BEDROCK`, `CLAUDE_CODE_MAX_OUTPUT_TOKENS`,
//! `CLAUDE_CONFIG_DIR`, sign-in tokens, `CLAUDE_CODE_DISABLE_*`) and stay. What
//! goes is what a running Claude Code, or the host it runs under, tells only to
//! its own children: an agent that got it would take itself for a part of that
//! other session.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

const BATON: &str = "Baton's own";
const AGENT: &str = "marks an enclosing agent";
const HOST: &str = "is between an enclosing agent and its host";
const DANGER: &str = "would pass over the questions that Baton asks";
const TERMINAL: &str = "belongs to the terminal that Baton was started from";
const SHELL: &str = "belongs to the shell that Baton was started from";
const SERVICE: &str = "is between Baton and its service manager";

/// Names that go.
const NAMES: &[(&str, &str)] = &[
    ("CLAUDECODE", AGENT),
    ("AI_AGENT", AGENT),
    ("CLAUDE_CODE_ENTRYPOINT", AGENT),
    ("CLAUDE_CODE_CHILD_SESSION", AGENT),
    ("CLAUDE_CODE_TASK_LIST_ID", AGENT),
    ("CLAUDE_CODE_PROJECT_DIR_NAME", AGENT),
    ("CLAUDE_CODE_ACTION", AGENT),
    ("CLAUDE_CODE_SANDBOXED", AGENT),
    ("CLAUDE_PID", AGENT),
    ("CLAUDE_EFFORT", AGENT),
    ("CLAUDE_JOB_DIR", AGENT),
    ("CLAUDE_PROJECT_DIR", AGENT),
    ("CLAUDE_PROJECT_UUID", AGENT),
    ("CLAUDE_ENV_FILE", AGENT),
    ("CLAUDE_SKILL_DIR", AGENT),
    ("CLAUDE_CODE_SSE_PORT", HOST),
    ("CLAUDE_CODE_REMOTE", HOST),
    ("CLAUDE_CODE_CONTAINER_ID", HOST),
    ("CLAUDE_CODE_ENVIRONMENT_KIND", HOST),
    ("CLAUDE_CODE_WORKER_EPOCH", HOST),
    ("CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST", HOST),
    ("CLAUDE_CODE_TEE_SDK_STDOUT", HOST),
    ("CLAUDE_CODE_IS_COWORK", HOST),
    ("CLAUDE_SESSION_INGRESS_TOKEN_FILE", HOST),
    ("CLAUDE_CODE_EVEN_MORE_DANGEROUSLY_SKIP_PERMISSIONS", DANGER),
    ("TMUX", TERMINAL),
    ("TMUX_PANE", TERMINAL),
    ("STY", TERMINAL),
    ("WINDOW", TERMINAL),
    ("TERM_PROGRAM", TERMINAL),
    ("TERM_PROGRAM_VERSION", TERMINAL),
    ("TERM_SESSION_ID", TERMINAL),
    ("ITERM_SESSION_ID", TERMINAL),
    ("KITTY_LISTEN_ON", TERMINAL),
    ("KITTY_PUBLIC_KEY", TERMINAL),
    ("KITTY_WINDOW_ID", TERMINAL),
    ("LINES", TERMINAL),
    ("COLUMNS", TERMINAL),
    ("GPG_TTY", TERMINAL),
    ("SSH_TTY", TERMINAL),
    ("PWD", SHELL),
    ("OLDPWD", SHELL),
    ("SHLVL", SHELL),
    ("_", SHELL),
    ("INVOCATION_ID", SERVICE),
    ("JOURNAL_STREAM", SERVICE),
    ("NOTIFY_SOCKET", SERVICE),
    ("MAINPID", SERVICE),
    ("MANAGERPID", SERVICE),
    ("SYSTEMD_EXEC_PID", SERVICE),
    ("CREDENTIALS_DIRECTORY", SERVICE),
    ("XPC_SERVICE_NAME", SERVICE),
];

/// Beginnings of names that go.
const BEGINNINGS: &[(&str, &str)] = &[
    ("BATON_", BATON),
    ("CLAUDE_CODE_SESSION_", AGENT),
    ("CLAUDE_CODE_RESUME_", AGENT),
    ("CLAUDE_CODE_RELAUNCH_", AGENT),
    ("CLAUDE_CODE_TMUX_", AGENT),
    ("CLAUDE_CODE_EVAL_", AGENT),
    ("CLAUDE_PLUGIN_", AGENT),
    ("CLAUDE_RELAUNCH_", AGENT),
    ("CLAUDE_BG_", AGENT),
    ("CLAUDE_CODE_REMOTE_", HOST),
    ("CLAUDE_CODE_BRIDGE_", HOST),
    ("CLAUDE_CODE_HOST_", HOST),
    ("CLAUDE_CODE_MESSAGING_", HOST),
    ("CLAUDE_CODE_CCR_", HOST),
    ("CLAUDE_CODE_SDK_", HOST),
    ("CLAUDE_CODE_USER_DELEGATED_", HOST),
    ("CLAUDE_AGENT_SDK_", HOST),
    ("CLAUDE_BRIDGE_", HOST),
    ("CLAUDE_RUNNER_", HOST),
    ("ZELLIJ", TERMINAL),
    ("WEZTERM_", TERMINAL),
    ("LISTEN_", SERVICE),
    ("WATCHDOG_", SERVICE),
    ("MEMORY_PRESSURE_", SERVICE),
];

/// A number of an open file means nothing in another process.
const DESCRIPTOR: (&str, &[u8], &str) = ("CLAUDE_CODE_", b"_FILE_DESCRIPTOR", HOST);

/// Why a variable does not reach agents, if it does not.
pub(super) fn reason(name: &OsStr) -> Option<&'static str> {
    let bytes = name.as_bytes();
    let by_name = NAMES.iter().find(|(known, _)| bytes == known.as_bytes());
    let by_beginning = || {
        BEGINNINGS
            .iter()
            .find(|(known, _)| bytes.starts_with(known.as_bytes()))
    };
    if let Some((_, why)) = by_name.or_else(by_beginning) {
        return Some(why);
    }
    let (beginning, ending, why) = DESCRIPTOR;
    (bytes.starts_with(beginning.as_bytes()) && bytes.ends_with(ending)).then_some(why)
}
