//! The settings as the parts of the program take them: plain and typed.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
    time::Duration,
};

use baton_protocol::api::Secret;
use baton_protocol::words::{PermissionMode, Remedy, Runtime};

use super::{
    layers::Table,
    value::{Value, Variables},
};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunnerSettings {
    pub(crate) name: Option<String>,
    /// Where to listen.
    pub(crate) host: IpAddr,
    /// 0 takes a free one.
    pub(crate) port: u16,
    /// Origins, without a slash at the end.
    pub(crate) public_urls: Vec<String>,
    pub(crate) tls: TlsChoice,
    pub(crate) tls_certificate: Option<PathBuf>,
    pub(crate) tls_key: Option<PathBuf>,
    pub(crate) keep_awake: bool,
}

impl RunnerSettings {
    /// Whether others than this machine can reach it.
    pub(crate) const fn is_exposed(&self) -> bool {
        !self.host.to_canonical().is_loopback()
    }
}

/// Where the certificate comes from, if there is to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TlsChoice {
    Off,
    /// Baton makes it.
    Own,
    Files,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuthSettings {
    pub(crate) token: Option<Secret>,
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) pin: Option<Secret>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoreSettings {
    /// Ended sessions older than this are removed; none keeps them for ever.
    pub(crate) retention: Option<Duration>,
    /// Beyond so many events the sessions that ended first are removed.
    pub(crate) retention_events: Option<u64>,
}

/// How agents are run. An `Option` that is none means "no limit" or "not set".
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AgentSettings {
    pub(crate) claude_path: Option<PathBuf>,
    pub(crate) runtime: Runtime,
    pub(crate) model: Option<String>,
    pub(crate) fallback_model: Option<String>,
    /// None leaves it to the agent's own default, which is `default`.
    pub(crate) permission_mode: Option<PermissionMode>,
    pub(crate) allow_bypass: bool,
    pub(crate) tools: ToolChoice,
    /// In a trusted folder; before trust only `user`.
    pub(crate) setting_sources: Vec<String>,
    pub(crate) append_system_prompt: Option<String>,
    pub(crate) agent_teams: bool,
    pub(crate) skill_shell: bool,
    pub(crate) lost_memory: Remedy,
    pub(crate) env: Variables,
    pub(crate) login_shell: LoginShell,
    pub(crate) approval_timeout: Option<Duration>,
    pub(crate) question_timeout: Option<Duration>,
    pub(crate) turn_timeout: Option<Duration>,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) lifetime: Option<Duration>,
    pub(crate) hang_timeout: Option<Duration>,
    pub(crate) process_idle: Option<Duration>,
    pub(crate) max_turns: Option<u32>,
    pub(crate) max_processes: usize,
    pub(crate) max_sessions: usize,
    pub(crate) max_sessions_per_project: usize,
    pub(crate) budget_usd_per_session: Option<f64>,
    pub(crate) budget_usd_per_day: Option<f64>,
    /// Where images come from that messages name by address.
    pub(crate) image_hosts: Vec<String>,
    pub(crate) demo_pace: Duration,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProjectSettings {
    /// Folders whose folders are projects.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) exclude_patterns: Vec<String>,
    pub(crate) scan_claude: bool,
    /// Variables for agents in a folder and below it.
    pub(crate) env: BTreeMap<PathBuf, Variables>,
}

/// The tools agents have where a project names none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolChoice {
    /// `readonly`, `standard` or `full`.
    Tier(String),
    Named(Vec<String>),
}

/// When the agents' environment is the login shell's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoginShell {
    /// When Baton runs as a service.
    Auto,
    Always,
    Never,
}

impl RunnerSettings {
    pub(super) fn of(table: &Table<'_>) -> Self {
        Self {
            name: text(table, "runner.name"),
            host: word(table, "runner.host").unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            port: number(table, "runner.port").map_or(0, |port| u16::try_from(port).unwrap_or(0)),
            public_urls: list(table, "runner.publicUrls"),
            tls: match text(table, "runner.tls").as_deref() {
                Some("self") => TlsChoice::Own,
                Some("files") => TlsChoice::Files,
                _ => TlsChoice::Off,
            },
            tls_certificate: path(table, "runner.tlsCertificate"),
            tls_key: path(table, "runner.tlsKey"),
            keep_awake: *table.value("runner.keepAwake") == Value::Flag(true),
        }
    }
}

impl AuthSettings {
    pub(super) fn of(table: &Table<'_>) -> Self {
        Self {
            token: secret(table, "auth.token"),
            token_file: path(table, "auth.tokenFile"),
            pin: secret(table, "auth.pin"),
        }
    }
}

impl StoreSettings {
    pub(super) fn of(table: &Table<'_>) -> Self {
        const DAY: u64 = 24 * 60 * 60;
        let days = number(table, "store.retentionDays");
        Self {
            retention: days.map(|days| Duration::from_secs(days * DAY)),
            retention_events: number(table, "store.retentionEvents"),
        }
    }
}

impl AgentSettings {
    pub(super) fn of(table: &Table<'_>) -> Self {
        let count = |name: &str| number(table, name).map_or(1, clamp);
        Self {
            claude_path: path(table, "agent.claudePath"),
            runtime: word(table, "agent.runtime").unwrap_or(Runtime::Streaming),
            model: text(table, "agent.model"),
            fallback_model: text(table, "agent.fallbackModel"),
            permission_mode: word(table, "agent.permissionMode")
                .filter(|mode| *mode != PermissionMode::Default),
            allow_bypass: *table.value("agent.allowBypass") == Value::Flag(true),
            tools: tools(table),
            setting_sources: list(table, "agent.settingSources"),
            append_system_prompt: text(table, "agent.appendSystemPrompt"),
            agent_teams: *table.value("agent.agentTeams") == Value::Flag(true),
            skill_shell: *table.value("agent.skillShell") == Value::Flag(true),
            lost_memory: word(table, "agent.lostMemory").unwrap_or(Remedy::Log),
            env: variables(table, "agent.env"),
            login_shell: match text(table, "agent.loginShell").as_deref() {
                Some("always") => LoginShell::Always,
                Some("never") => LoginShell::Never,
                _ => LoginShell::Auto,
            },
            approval_timeout: time(table, "agent.approvalTimeoutMs"),
            question_timeout: time(table, "agent.questionTimeoutMs"),
            turn_timeout: time(table, "agent.turnTimeoutMs"),
            idle_timeout: time(table, "agent.idleTimeoutMs"),
            lifetime: time(table, "agent.lifetimeMs"),
            hang_timeout: time(table, "agent.hangTimeoutMs"),
            process_idle: time(table, "agent.processIdleMs"),
            max_turns: number(table, "agent.maxTurns").and_then(|max| u32::try_from(max).ok()),
            max_processes: count("agent.maxProcesses"),
            max_sessions: count("agent.maxSessions"),
            max_sessions_per_project: count("agent.maxSessionsPerProject"),
            budget_usd_per_session: money(table, "agent.budgetUsdPerSession"),
            budget_usd_per_day: money(table, "agent.budgetUsdPerDay"),
            image_hosts: list(table, "agent.imageHosts"),
            demo_pace: time(table, "agent.demoPaceMs").unwrap_or_default(),
        }
    }
}

impl ProjectSettings {
    pub(super) fn of(table: &Table<'_>) -> Self {
        let mut env: BTreeMap<PathBuf, Variables> = BTreeMap::new();
        let folders = if let Value::FolderVariables(folders) = table.value("projects.env") {
            Some(folders)
        } else {
            None
        };
        for (path, variables) in folders.into_iter().flatten() {
            // Sessions know their folder by its true path.
            let path = table.path(path);
            let path = path.canonicalize().unwrap_or(path);
            env.entry(path).or_default().extend(variables.clone());
        }
        let roots = list(table, "projects.roots");
        Self {
            roots: roots.iter().map(|root| table.path(root)).collect(),
            exclude_patterns: list(table, "projects.excludePatterns"),
            scan_claude: *table.value("projects.scanClaudeProjects") == Value::Flag(true),
            env,
        }
    }
}

fn tools(table: &Table<'_>) -> ToolChoice {
    match text(table, "agent.tools") {
        Some(tier) => ToolChoice::Tier(tier),
        None => ToolChoice::Named(list(table, "agent.tools")),
    }
}

// What has another type than its kind gives cannot be in the table.

fn text(table: &Table<'_>, name: &str) -> Option<String> {
    let Value::Text(text) = table.value(name) else {
        return None;
    };
    Some(text.clone())
}

fn path(table: &Table<'_>, name: &str) -> Option<PathBuf> {
    text(table, name).map(|path| table.path(&path))
}

fn secret(table: &Table<'_>, name: &str) -> Option<Secret> {
    let Value::Secret(secret) = table.value(name) else {
        return None;
    };
    Some(secret.clone())
}

fn word<T: std::str::FromStr>(table: &Table<'_>, name: &str) -> Option<T> {
    text(table, name)?.parse().ok()
}

fn list(table: &Table<'_>, name: &str) -> Vec<String> {
    let Value::List(words) = table.value(name) else {
        return Vec::new();
    };
    words.clone()
}

fn variables(table: &Table<'_>, name: &str) -> Variables {
    let Value::Variables(variables) = table.value(name) else {
        return Variables::new();
    };
    variables.clone()
}

fn number(table: &Table<'_>, name: &str) -> Option<u64> {
    let Value::Number(number) = table.value(name) else {
        return None;
    };
    Some(*number)
}

fn money(table: &Table<'_>, name: &str) -> Option<f64> {
    let Value::Money(money) = table.value(name) else {
        return None;
    };
    Some(*money)
}

fn time(table: &Table<'_>, name: &str) -> Option<Duration> {
    number(table, name).map(Duration::from_millis)
}

fn clamp(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
