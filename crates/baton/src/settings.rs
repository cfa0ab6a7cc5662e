//! From the configuration to what the session engine takes.

use std::ffi::OsString;

use baton_project::surface::{Preset, ToolLimit};
use baton_session::{Defaults, PoolLimits, Settings, machine::Limits};

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
