//! From the configuration to what the session engine takes.

use std::ffi::OsString;

use baton_project::{
    discovery::Excludes,
    surface::{Preset, ToolLimit},
};
use baton_server::ProjectSearch;
use baton_session::{Defaults, PoolLimits, Settings, Tie, machine::Limits};
use baton_store::RetentionPolicy;

use crate::config::{Config, ToolChoice};

pub(crate) fn of(config: &Config) -> Settings {
    let agent = &config.agent;
    Settings {
        limits: Limits {
            approval_timeout: agent.approval_timeout,
            question_timeout: agent.question_timeout,
            turn_timeout: agent.turn_timeout,
            idle_timeout: agent.idle_timeout,
            lifetime: agent.lifetime,
            hang_timeout: agent.hang_timeout,
            process_idle: agent.process_idle,
            bypass_allowed: agent.allow_bypass,
            session_budget_usd: agent.budget_usd_per_session,
            day_budget_usd: agent.budget_usd_per_day,
            ..Limits::default()
        },
        pool: PoolLimits {
            sessions: agent.max_sessions,
            per_project: agent.max_sessions_per_project,
            warm: agent.max_processes,
        },
        host: None,
        tie: Tie::Free,
        defaults: Defaults {
            runtime: agent.runtime,
            model: agent.model.clone(),
            fallback_model: agent.fallback_model.clone(),
            permission_mode: agent.permission_mode,
            max_turns: agent.max_turns,
            tools: tools(&agent.tools),
            setting_sources: agent.setting_sources.clone(),
            append_system_prompt: agent.append_system_prompt.clone(),
            agent_teams: agent.agent_teams,
            skill_shell: agent.skill_shell,
            lost_memory: agent.lost_memory,
            folder_env: config
                .projects
                .env
                .iter()
                .map(|(folder, variables)| {
                    let variables = variables.iter();
                    let variables = variables
                        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
                    (folder.clone(), variables.collect())
                })
                .collect(),
        },
    }
}

/// Where projects are looked for.
pub(crate) fn search(config: &Config) -> ProjectSearch {
    let projects = &config.projects;
    ProjectSearch {
        roots: projects.roots.clone(),
        // Each was tried when the settings were read.
        excludes: Excludes::new(&projects.exclude_patterns).unwrap_or_default(),
        claude: projects.scan_claude,
    }
}

/// What may leave the log.
pub(crate) fn retention(config: &Config) -> RetentionPolicy {
    RetentionPolicy {
        max_age: config.store.retention,
        max_events: config.store.retention_events,
        delivered_up_to: None,
    }
}

fn tools(choice: &ToolChoice) -> ToolLimit {
    match choice {
        ToolChoice::Named(tools) => ToolLimit::Only(tools.clone()),
        // A tier that is the user's own choice takes nothing away at its top.
        ToolChoice::Tier(tier) => match tier.as_str() {
            "readonly" => Preset::ReadOnly.limit(),
            "standard" => Preset::SafeEdit.limit(),
            _ => ToolLimit::All,
        },
    }
}
