//! Every setting there is, with its kind, default and meaning.

/// One setting.
#[derive(Debug)]
pub(crate) struct Key {
    /// Section and name: `agent.maxTurns`.
    pub(crate) name: &'static str,
    pub(crate) kind: SettingKind,
    /// As it would be written in the environment.
    pub(crate) default: &'static str,
    pub(crate) reach: Reach,
    pub(crate) doc: &'static str,
}

/// What a setting's value may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SettingKind {
    /// Text of at most so many characters.
    Text(usize),
    Path,
    /// Text that is never shown, of at least so many characters.
    Secret(usize),
    /// An address of this machine.
    Host,
    /// Where a browser finds Baton: schemes and hosts, perhaps with ports.
    Urls,
    /// Names of hosts.
    Hosts,
    /// Folders.
    Paths,
    /// Patterns for names, as in a `.gitignore`.
    Patterns,
    Flag,
    /// A whole number within bounds.
    Number(u64, u64),
    /// Milliseconds.
    Time,
    /// US dollars.
    Money,
    Word(&'static [&'static str]),
    Words(&'static [&'static str]),
    /// A tier, or names of tools.
    Tools,
    /// Environment variables.
    Variables,
    /// Environment variables by folder.
    FolderVariables,
}

/// Where a setting may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In every file.
    Anywhere,
    /// Not in a `baton.yaml` that merely lies in the current folder: it runs
    /// programs, widens what agents may do, or lifts a limit.
    Personal,
}

/// Settings that can change while the daemon runs. For the others `baton
/// restart` does it, under which agents go on.
pub(crate) const LIVE: &[&str] = &[
    "auth.pin",
    "auth.token",
    "auth.tokenFile",
    "runner.keepAwake",
];

/// The word for "no value".
pub(crate) const NONE: &str = "none";

/// The longest appended system prompt, in characters.
const MAX_PROMPT: usize = 4000;

use Reach::{Anywhere, Personal};
use SettingKind::{
    Flag, FolderVariables, Host, Hosts, Money, Number, Path, Paths, Patterns, Secret, Text, Time,
    Tools, Urls, Variables, Word, Words,
};

const fn key(
    name: &'static str,
    kind: SettingKind,
    default: &'static str,
    reach: Reach,
    doc: &'static str,
) -> Key {
    Key {
        name,
        kind,
        default,
        reach,
        doc,
    }
}

pub(crate) const TIERS: &[&str] = &["readonly", "standard", "full"];
pub(crate) const SOURCES: &[&str] = &["user", "project", "local"];
const RUNTIMES: &[&str] = &["streaming", "resume"];
const TLS: &[&str] = &["off", "self", "files"];
const REMEDIES: &[&str] = &["log", "none", "refuse"];
const SHELLS: &[&str] = &["auto", "always", "never"];
/// A test holds this to the protocol's list.
pub(super) const MODES: &[&str] = &[
    "default",
    "acceptEdits",
    "plan",
    "dontAsk",
    "bypassPermissions",
    "auto",
];

#[rustfmt::skip]
pub(crate) const KEYS: &[Key] = &[
    key("runner.name", Text(100), NONE, Anywhere,
        "What this machine is called where several are shown; none means its host name."),
    key("runner.host", Host, "127.0.0.1", Personal,
        "The address to listen on; anything but this machine's own needs a PIN (`baton pin set`)."),
    key("runner.port", Number(0, 65_535), "2633", Anywhere,
        "The port to listen on; 0 takes a free one."),
    key("runner.publicUrls", Urls, NONE, Personal,
        "Further addresses by which browsers reach Baton, such as `https://baton.example.org` in front of a proxy."),
    key("runner.tls", Word(TLS), "off", Personal,
        "Whether to speak HTTPS: off, with a certificate that Baton makes (self), or with one from files."),
    key("runner.tlsCertificate", Path, NONE, Personal,
        "The certificate and those up to its issuer, as PEM; for `tls: files`."),
    key("runner.tlsKey", Path, NONE, Personal,
        "The certificate's private key, as PEM; for `tls: files`."),
    key("runner.keepAwake", Flag, "false", Personal,
        "Whether the machine is kept from going to sleep while agents work (by systemd-inhibit or caffeinate)."),
    key("auth.token", Secret(32), NONE, Personal,
        "The API token, of at least 32 characters; none uses the one that Baton makes in the data folder."),
    key("auth.tokenFile", Path, NONE, Personal,
        "A file that holds the API token instead."),
    key("auth.pin", Secret(6), NONE, Personal,
        "The PIN, of at least 6 digits; none uses the one that `baton pin set` sets."),
    key("store.retentionDays", Number(1, 36_500), NONE, Personal,
        "How many days an ended session is kept; none keeps everything for ever."),
    key("store.retentionEvents", Number(1_000, 1_000_000_000), NONE, Personal,
        "How many events are kept: beyond that, the sessions that ended first go; none keeps everything."),
    key("agent.claudePath", Path, NONE, Personal,
        "The claude program; none takes the one on the agent's PATH."),
    key("agent.runtime", Word(RUNTIMES), "streaming", Anywhere,
        "One process for a whole session (streaming), or one per turn (resume)."),
    key("agent.model", Text(200), NONE, Anywhere,
        "The model of new sessions; none leaves the choice to the agent."),
    key("agent.fallbackModel", Text(200), NONE, Anywhere,
        "The model to use while the chosen one is overloaded."),
    key("agent.permissionMode", Word(MODES), "default", Personal,
        "What agents of new sessions may do without asking."),
    key("agent.allowBypass", Flag, "true", Personal,
        "Whether a session may be created with bypassPermissions at all."),
    key("agent.tools", Tools, "full", Personal,
        "The tools agents have where a project names none: readonly, standard, full, or a list of tool names."),
    key("agent.settingSources", Words(SOURCES), "user,project,local", Personal,
        "Which of claude's settings are loaded in a folder that you trust; before that, only user ever is."),
    key("agent.appendSystemPrompt", Text(MAX_PROMPT), NONE, Personal,
        "Text added to the agent's own system prompt, of at most 4,000 characters."),
    key("agent.agentTeams", Flag, "true", Personal,
        "Whether agents may work in teams (CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS)."),
    key("agent.skillShell", Flag, "false", Personal,
        "Whether skills and slash commands may run shell commands of their own (!`command`), which pass no rule, mode or person."),
    key("agent.lostMemory", Word(REMEDIES), "log", Personal,
        "What is done when an agent lacks a part of a session's past: it is given what Baton's log has (log), goes on without (none), or gets no message before you choose (refuse)."),
    key("agent.env", Variables, NONE, Personal,
        "Variables added to the environment of every agent."),
    key("agent.loginShell", Word(SHELLS), "auto", Personal,
        "Whether the agents' environment comes from your login shell: auto means when Baton runs as a service; folders of Baton's own PATH stay before those that they stood before."),
    key("agent.approvalTimeoutMs", Time, NONE, Anywhere,
        "How long a tool call waits for a person before it is denied; none waits for ever."),
    key("agent.questionTimeoutMs", Time, "86400000", Anywhere,
        "How long questions and plans wait for a person."),
    key("agent.turnTimeoutMs", Time, "1800000", Anywhere,
        "How long a turn may take before it is stopped, not counting the time it waits for a person."),
    key("agent.idleTimeoutMs", Time, "1800000", Anywhere,
        "How long a session may be idle before it falls asleep; the next message wakes it."),
    key("agent.lifetimeMs", Time, "14400000", Anywhere,
        "How long a session may last before it falls asleep; the next message wakes it."),
    key("agent.hangTimeoutMs", Time, "300000", Anywhere,
        "How long an agent may say nothing, with no tool running, before it counts as hung."),
    key("agent.processIdleMs", Time, "300000", Anywhere,
        "How long an idle session keeps its process."),
    key("agent.maxTurns", Number(1, 100_000), NONE, Personal,
        "The most rounds with the model that an agent may take in one turn."),
    key("agent.maxProcesses", Number(1, 1000), "8", Personal,
        "The most processes kept for sessions that are idle."),
    key("agent.maxSessions", Number(1, 1000), "16", Personal,
        "The most sessions with a process at once."),
    key("agent.maxSessionsPerProject", Number(1, 1000), "8", Personal,
        "The most sessions with a process at once in one project."),
    key("agent.budgetUsdPerSession", Money, NONE, Personal,
        "What a session may cost over its life, in US dollars, unless it has a budget of its own; a turn under way is stopped there."),
    key("agent.budgetUsdPerDay", Money, NONE, Personal,
        "What all sessions together may cost in one day, in US dollars; turns under way are stopped there. A `baton stdio` without a data folder counts its own conversation only."),
    key("agent.imageHosts", Hosts, "cdn.discordapp.com,media.discordapp.net", Personal,
        "Hosts from which images that messages name by address are fetched; none fetches from nowhere."),
    key("agent.demoPaceMs", Number(0, 10_000), "20", Anywhere,
        "The time between two words of the demo agent, in milliseconds."),
    key("projects.roots", Paths, NONE, Personal,
        "Folders whose folders are projects; one that is not there is passed over."),
    key("projects.excludePatterns", Patterns, "node_modules,.git", Anywhere,
        "Names of folders in them that are no projects."),
    key("projects.scanClaudeProjects", Flag, "true", Anywhere,
        "Whether folders in which Claude Code was used are projects."),
    key("projects.env", FolderVariables, NONE, Personal,
        "Variables added to the environment of agents in a folder and below it, by the folder's path."),
];

impl Key {
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    pub(crate) fn section(&self) -> &'static str {
        self.name
            .split_once('.')
            .map_or(self.name, |(section, _)| section)
    }

    /// The setting that a variable stands for.
    pub(crate) fn of_variable(name: &str) -> Option<&'static str> {
        let key = KEYS.iter().find(|key| key.variable() == name);
        key.map(|key| key.name)
    }

    /// `agent.maxTurns` is `BATON_AGENT_MAX_TURNS` there.
    pub(crate) fn variable(&self) -> String {
        let mut variable = String::from("BATON_");
        for c in self.name.chars() {
            match c {
                '.' => variable.push('_'),
                _ if c.is_ascii_uppercase() => {
                    variable.push('_');
                    variable.push(c);
                }
                _ => variable.push(c.to_ascii_uppercase()),
            }
        }
        variable
    }

    /// Whether the setting can be left without a value: a time or something
    /// that has none to begin with.
    pub(crate) fn may_be_none(&self) -> bool {
        self.default == NONE || matches!(self.kind, Time | Words(_) | Patterns | Hosts)
    }
}

/// The sections, in the order of the table.
pub(crate) fn sections() -> Vec<&'static str> {
    let mut sections: Vec<&str> = KEYS.iter().map(Key::section).collect();
    sections.dedup();
    sections
}
