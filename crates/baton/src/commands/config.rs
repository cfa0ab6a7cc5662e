//! `baton config show`: every setting, and what agents get to see. `baton config
//! reload`: what of it can change while the daemon runs.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use super::sign_in::ask;
use crate::{
    cli::{ConfigReloadArgs, ConfigShowArgs},
    client::Client,
    config::{Config, Key, Sources, shown_value},
    environment::AgentEnvironment,
    failure::{Exit, Failure},
    setup::Setup,
    terminal::{Screen, Style, clean},
};

/// The longest value on a line for people.
const WIDTH: usize = 60;
/// The room for names and for most values there.
const NAMES: usize = 37;
const VALUES: usize = 18;

pub(crate) async fn config_show(setup: &Setup, args: &ConfigShowArgs) -> Result<Exit, Failure> {
    let here = std::env::current_dir().ok();
    let config = Config::read(&Sources {
        env: setup.process_env(),
        data: &setup.data,
        folder: here.as_deref(),
        config: args.config.as_deref(),
        flags: &[],
    })?;
    let environment = AgentEnvironment::read(setup.process_env(), &config).await;
    let mut setup = setup.clone();
    setup.configure(&config, &environment);
    let here = here.unwrap_or_else(|| "/".into());
    let shown = Shown {
        config: &config,
        environment: &environment,
        setup: &setup,
        here: &here,
    };
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        shown.for_programs(&mut screen)?;
    } else {
        shown.for_people(&mut screen)?;
    }
    Ok(Exit::Success)
}

pub(crate) async fn config_reload(setup: &Setup, args: &ConfigReloadArgs) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    let Some(mut client) = Client::existing(setup, "baton config reload").await? else {
        screen.line("no daemon runs; the next one reads the settings when it starts")?;
        return Ok(Exit::Success);
    };
    let answer = ask(&mut client, &json!({"cmd": "reload_config"})).await?;
    if args.json {
        screen.json(answer.text())?;
        return Ok(Exit::Success);
    }
    let answer = answer.value();
    let names = |field: &str| {
        let names = answer[field].as_array().into_iter().flatten();
        let names = names.filter_map(Value::as_str);
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let (changed, later) = (names("changed"), names("needRestart"));
    if changed.is_empty() && later.is_empty() {
        screen.line("nothing has changed")?;
    }
    if !changed.is_empty() {
        screen.line(&format!("changed: {}", changed.join(", ")))?;
    }
    if !later.is_empty() {
        let called = &setup.called;
        screen.line(&format!(
            "with the next start, which `{called} restart` is: {}",
            later.join(", ")
        ))?;
    }
    Ok(Exit::Success)
}

struct Shown<'a> {
    config: &'a Config,
    environment: &'a AgentEnvironment,
    setup: &'a Setup,
    here: &'a Path,
}

impl Shown<'_> {
    fn for_programs(&self, screen: &mut Screen) -> Result<(), Failure> {
        for setting in &self.config.settings {
            let line = json!({
                "setting": setting.key,
                "value": setting.value.shown(),
                "origin": setting.origin.to_string(),
                "about": Key::find(setting.key).map(|key| key.doc),
            });
            screen.json(&line.to_string())?;
        }
        for (name, (value, origin)) in self.variables() {
            let line = json!({"variable": name, "value": value, "origin": origin});
            screen.json(&line.to_string())?;
        }
        for (name, why) in &self.environment.left_out {
            let line = json!({"leftOut": name.to_string_lossy(), "reason": why});
            screen.json(&line.to_string())?;
        }
        for notice in self.notices() {
            screen.json(&json!({"notice": notice}).to_string())?;
        }
        Ok(())
    }

    fn for_people(&self, screen: &mut Screen) -> Result<(), Failure> {
        let files = self.config.files.iter();
        let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
        let from = if files.is_empty() {
            "no file".to_owned()
        } else {
            files.join(" and ")
        };
        heading(screen, &format!("Settings (from {from})"))?;
        for setting in &self.config.settings {
            let value = plain(&setting.value.shown());
            row(screen, setting.key, &value, &setting.origin.to_string())?;
        }
        screen.line("")?;
        let claude = match &self.setup.agents.claude {
            Some(program) => program.display().to_string(),
            None => "not found".to_owned(),
        };
        screen.line(&format!("The claude program: {}", clean(&claude, 1000)))?;
        screen.line("")?;
        let here = clean(&self.here.display().to_string(), 1000);
        heading(screen, &format!("Environment of agents in {here}"))?;
        for (name, (value, origin)) in self.variables() {
            row(screen, &name, &value, &origin)?;
        }
        if !self.environment.left_out.is_empty() {
            screen.line("")?;
            heading(screen, "Left out of it")?;
            for (name, why) in &self.environment.left_out {
                row(screen, &name.to_string_lossy(), "", why)?;
            }
        }
        for notice in self.notices() {
            let word = screen.styled(Style::Warn, "Note:");
            screen.line(&format!("\n{word} {}", clean(notice, 1000)))?;
        }
        Ok(())
    }

    fn notices(&self) -> impl Iterator<Item = &String> {
        let notices = self.config.notices.iter();
        notices.chain(&self.environment.notices)
    }

    /// Name, value and origin, secrets hidden.
    fn variables(&self) -> BTreeMap<String, (String, String)> {
        let variables = self.environment.in_folder(self.here).into_iter();
        let shown = variables.map(|(name, variable)| {
            let name = name.to_string_lossy().into_owned();
            let value = variable.value.to_string_lossy();
            let value = shown_value(&name, &value).to_owned();
            (name, (value, variable.origin.to_string()))
        });
        shown.collect()
    }
}

fn heading(screen: &mut Screen, text: &str) -> Result<(), Failure> {
    let text = screen.styled(Style::Bold, text);
    screen.line(&text)
}

fn row(screen: &mut Screen, name: &str, value: &str, origin: &str) -> Result<(), Failure> {
    let origin = screen.styled(Style::Dim, &clean(origin, 1000));
    let (name, value) = (clean(name, 200), clean(value, WIDTH));
    screen.line(&format!("  {name:<NAMES$} {value:<VALUES$} {origin}"))
}

/// Text without quotes, `none` for nothing.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
