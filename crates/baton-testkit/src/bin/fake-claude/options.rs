//! The command line and the few variables the fake looks at.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Which real version's habits to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V197,
    V325,
}

impl Version {
    pub(crate) fn number(self) -> &'static str {
        match self {
            Self::V197 => "2.1.197",
            Self::V325 => "2.1.325",
        }
    }

    pub(crate) fn is_325(self) -> bool {
        self == Self::V325
    }

    pub(crate) fn default_model(self) -> &'static str {
        match self {
            Self::V197 => "claude-opus-4-8[1m]",
            Self::V325 => "claude-opus-5-5",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "197" | "2.1.197" => Some(Self::V197),
            "325" | "2.1.325" => Some(Self::V325),
            _ => None,
        }
    }
}

/// Everything decided before the first line is read.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) version: Version,
    pub(crate) partial: bool,
    pub(crate) replay: bool,
    /// Whether `--permission-prompt-tool stdio` was given.
    pub(crate) asks: bool,
    pub(crate) mode: String,
    pub(crate) may_bypass: bool,
    pub(crate) model: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) resume: Option<String>,
    pub(crate) resume_at: Option<String>,
    pub(crate) fork: bool,
    pub(crate) keep_transcript: bool,
    pub(crate) config_dir: PathBuf,
    pub(crate) cwd: PathBuf,
    pub(crate) logged_in: bool,
    pub(crate) checkpoints: bool,
    pub(crate) max_retries: u32,
    pub(crate) script: Option<PathBuf>,
}

/// Why the fake ends before a session begins, as the real CLI would.
pub(crate) struct Refused(pub(crate) String);

const WITH_VALUE: [&str; 32] = [
    "--input-format",
    "--output-format",
    "--permission-prompt-tool",
    "--permission-mode",
    "--model",
    "--session-id",
    "--resume",
    "--resume-session-at",
    "--setting-sources",
    "--settings",
    "--mcp-config",
    "--tools",
    "--allowedTools",
    "--disallowedTools",
    "--max-turns",
    "--max-budget-usd",
    "--max-thinking-tokens",
    "--thinking",
    "--effort",
    "--fallback-model",
    "--append-system-prompt",
    "--append-system-prompt-file",
    "--system-prompt",
    "--json-schema",
    "--add-dir",
    "--debug-file",
    "--betas",
    "--agents",
    "--agent",
    "--plugin-dir",
    "--name",
    "--claude-version",
];
const ALONE: [&str; 14] = [
    "-v",
    "--version",
    "-p",
    "--print",
    "--verbose",
    "--include-partial-messages",
    "--replay-user-messages",
    "--continue",
    "--allow-dangerously-skip-permissions",
    "--dangerously-skip-permissions",
    "--fork-session",
    "--strict-mcp-config",
    "--no-session-persistence",
    "--include-hook-events",
];

impl Options {
    /// Reads flags (`--flag value` and `--flag=value`) and environment.
    pub(crate) fn parse(
        args: &[String],
        env: &BTreeMap<String, String>,
        cwd: PathBuf,
    ) -> Result<Self, Refused> {
        let flags = flags(args)?;
        let value = |name: &str| flags.get(name).cloned().flatten();
        let has = |name: &str| flags.contains_key(name);
        let set = |name: &str| {
            env.get(name)
                .is_some_and(|value| !value.is_empty() && value != "0" && value != "false")
        };
        let named = value("--claude-version").or_else(|| env.get("FAKE_CLAUDE_VERSION").cloned());
        let version = named
            .as_deref()
            .and_then(Version::parse)
            .unwrap_or(Version::V197);
        let home = env
            .get("HOME")
            .map_or_else(|| PathBuf::from("/"), PathBuf::from);
        let config_dir = env
            .get("CLAUDE_CONFIG_DIR")
            .map_or_else(|| home.join(".claude"), PathBuf::from);
        let bypass = has("--dangerously-skip-permissions");
        let mode = value("--permission-mode").unwrap_or_else(|| "default".to_owned());
        let options = Self {
            version,
            partial: has("--include-partial-messages"),
            replay: has("--replay-user-messages"),
            asks: value("--permission-prompt-tool").as_deref() == Some("stdio"),
            may_bypass: bypass
                || has("--allow-dangerously-skip-permissions")
                || mode == "bypassPermissions",
            mode: if bypass {
                "bypassPermissions".to_owned()
            } else {
                mode
            },
            model: value("--model"),
            session_id: value("--session-id"),
            resume: value("--resume"),
            resume_at: value("--resume-session-at"),
            fork: has("--fork-session"),
            keep_transcript: !has("--no-session-persistence"),
            config_dir,
            cwd,
            logged_in: env.contains_key("ANTHROPIC_API_KEY"),
            checkpoints: set("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"),
            max_retries: env
                .get("CLAUDE_CODE_MAX_RETRIES")
                .and_then(|n| n.parse().ok())
                .unwrap_or(10),
            script: env.get("FAKE_CLAUDE_SCRIPT").map(PathBuf::from),
        };
        options.check(&value("--output-format"), has("--verbose"))?;
        Ok(options)
    }

    fn check(&self, output_format: &Option<String>, verbose: bool) -> Result<(), Refused> {
        let refuse = |text: &str| Err(Refused(text.to_owned()));
        if output_format.as_deref() == Some("stream-json") && !verbose {
            return refuse(
                "Error: When using --print, --output-format=stream-json requires --verbose",
            );
        }
        if !MODES.contains(&self.mode.as_str()) {
            return Err(Refused(format!(
                "error: option '--permission-mode <mode>' argument '{}' is invalid. Allowed choices are {}.",
                self.mode,
                MODES.join(", ")
            )));
        }
        if self.session_id.as_deref().is_some_and(|id| !is_uuid(id)) {
            return refuse("Error: Invalid session ID. Must be a valid UUID.");
        }
        if self.session_id.is_some() && self.resume.is_some() && !self.fork {
            return refuse(
                "Error: --session-id can only be used with --continue or --resume if --fork-session is also specified.",
            );
        }
        Ok(())
    }
}

/// The permission modes the CLI knows.
pub(crate) const MODES: [&str; 6] = [
    "acceptEdits",
    "auto",
    "bypassPermissions",
    "default",
    "dontAsk",
    "plan",
];

type Flags = BTreeMap<String, Option<String>>;

fn flags(args: &[String]) -> Result<Flags, Refused> {
    let mut found = Flags::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (name, inline) = match arg.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (arg.as_str(), None),
        };
        let name = if name == "-r" { "--resume" } else { name };
        if WITH_VALUE.contains(&name) {
            let value = inline.or_else(|| args.next().cloned());
            found.insert(name.to_owned(), value);
        } else if ALONE.contains(&name) {
            found.insert(name.to_owned(), None);
        } else if name.starts_with('-') {
            return Err(Refused(format!("error: unknown option '{name}'")));
        }
    }
    Ok(found)
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths == [8, 4, 4, 4, 12]
        && parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
