//! `baton config show`: every setting, and what agents get to see, as the daemon
//! has it. `baton config reload`: what of it can change while the daemon runs.

use std::path::Path;

use baton_protocol::api::{ReloadConfig, Restart, Running, ShownSetting};
use serde_json::{Value, json};

use super::shell::running;
use crate::{
    cli::{ConfigReloadArgs, ConfigShowArgs},
    client::Client,
    config::{Config, Sources},
    environment::AgentEnvironment,
    failure::{Exit, Failure},
    running::{Whole, words},
    setup::Setup,
    terminal::{Screen, Style, clean},
};

/// The longest value on a line for people.
const WIDTH: usize = 60;
/// The room for names and for most values there.
const NAMES: usize = 37;
const VALUES: usize = 18;

pub(crate) async fn config_show(setup: &Setup, args: &ConfigShowArgs) -> Result<Exit, Failure> {
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    // A file that is named is asked about, whatever a daemon has.
    let client = match &args.config {
        Some(_) => None,
        None => Client::existing(setup, "baton config show").await?,
    };
    let (running, whose) = match client {
        Some(mut client) => {
            let folder = here.display().to_string();
            let running = running(setup, &mut client, &folder).await?;
            (running, Whose::Daemon { pid: client.pid })
        }
        None => {
            let running = of_shell(setup, args, &here).await?;
            (running, Whose::Shell)
        }
    };
    let shown = Shown {
        running: &running,
        whose,
        named: args.config.is_some(),
        here: &here,
        called: &setup.called,
    };
    let mut screen = Screen::stdout(setup.colour);
    if args.json {
        shown.for_programs(&mut screen)?;
    } else {
        shown.for_people(&mut screen)?;
    }
    Ok(Exit::Success)
}

/// What a daemon would have that is started here.
async fn of_shell(setup: &Setup, args: &ConfigShowArgs, here: &Path) -> Result<Running, Failure> {
    let config = Config::read(&Sources {
        env: setup.process_env(),
        data: &setup.data,
        folder: Some(here),
        config: args.config.as_deref(),
        flags: &[],
    })?;
    let environment = AgentEnvironment::read(setup.process_env(), &config).await;
    let mut setup = setup.clone();
    setup.configure(&config, &environment);
    let whole = Whole {
        config: &config,
        environment: &environment,
        setup: &setup,
        folder: here,
    };
    Ok(whole.shown())
}

pub(crate) async fn config_reload(setup: &Setup, args: &ConfigReloadArgs) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    let Some(mut client) = Client::existing(setup, "baton config reload").await? else {
        screen.line("no daemon runs; the next one reads the settings when it starts")?;
        return Ok(Exit::Success);
    };
    let answer = client.tell(ReloadConfig {}).await?;
    if args.json {
        screen.json(answer.text())?;
        return Ok(Exit::Success);
    }
    let (changed, later) = (&answer.changed, &answer.need_restart);
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

/// Who has, or would have, what is shown.
#[derive(Debug, Clone, Copy)]
enum Whose {
    Daemon {
        pid: u32,
    },
    /// None runs, or a file was named.
    Shell,
}

struct Shown<'a> {
    running: &'a Running,
    whose: Whose,
    /// By a file that the caller chose.
    named: bool,
    here: &'a Path,
    called: &'a str,
}

impl Shown<'_> {
    fn for_programs(&self, screen: &mut Screen) -> Result<(), Failure> {
        let mut lines = vec![match self.whose {
            Whose::Daemon { pid } => json!({"of": "daemon", "pid": pid}),
            Whose::Shell => json!({"of": "shell"}),
        }];
        let running = self.running;
        lines.extend(running.settings.iter().map(|setting| json!(setting)));
        lines.extend(running.variables.iter().map(|variable| json!(variable)));
        lines.extend(running.left_out.iter().map(|left_out| json!(left_out)));
        let notices = running.notices.iter();
        lines.extend(notices.map(|notice| json!({"notice": notice})));
        if let Some(restart) = &running.restart {
            lines.push(json!({"restart": restart}));
        }
        for line in lines {
            screen.json(&line.to_string())?;
        }
        Ok(())
    }

    fn for_people(&self, screen: &mut Screen) -> Result<(), Failure> {
        let running = self.running;
        let from = match running.files.as_slice() {
            [] => "no file".to_owned(),
            files => clean(&files.join(" and "), 2000),
        };
        let whose = match self.whose {
            Whose::Daemon { pid } => format!("Settings of the daemon, process {pid} (from {from})"),
            Whose::Shell if self.named => format!("Settings (from {from})"),
            Whose::Shell => {
                screen
                    .line("No daemon runs: this is what one started from this shell would have.")?;
                format!("Settings (from {from})")
            }
        };
        heading(screen, &whose)?;
        settings(screen, &running.settings)?;
        screen.line("")?;
        let claude = running.claude.as_deref().unwrap_or("not found");
        screen.line(&format!("The claude program: {}", clean(claude, 1000)))?;
        screen.line("")?;
        let here = clean(&self.here.display().to_string(), 1000);
        heading(screen, &format!("Environment of agents in {here}"))?;
        for variable in &running.variables {
            row(
                screen,
                &variable.variable,
                &variable.value,
                &variable.origin,
            )?;
        }
        if !running.left_out.is_empty() {
            screen.line("")?;
            heading(screen, "Left out of it")?;
            for left in &running.left_out {
                row(screen, &left.left_out, "", &left.reason)?;
            }
        }
        for notice in &running.notices {
            let word = screen.styled(Style::Warn, "Note:");
            screen.line(&format!("\n{word} {}", clean(notice, 1000)))?;
        }
        match &running.restart {
            Some(restart) => self.differences(screen, restart),
            None => Ok(()),
        }
    }

    /// Where the caller's shell says something else than the daemon has.
    fn differences(&self, screen: &mut Screen, restart: &Restart) -> Result<(), Failure> {
        if *restart == Restart::default() {
            return Ok(());
        }
        screen.line("")?;
        heading(screen, "Your shell differs")?;
        settings(screen, &restart.settings)?;
        if let Some(claude) = &restart.claude {
            row(screen, "The claude program", claude, "")?;
        }
        for variable in &restart.variables {
            let name = clean(&variable.variable, 200);
            screen.line(&format!("  {name:<NAMES$} {}", words(variable.change)))?;
        }
        let called = self.called;
        let what = match &restart.problem {
            Some(problem) => format!(
                "A daemon could not be started from it: {}",
                clean(problem, 1000)
            ),
            None => format!("`{called} restart` takes over what your shell has; agents go on."),
        };
        screen.line(&what)
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

fn settings(screen: &mut Screen, settings: &[ShownSetting]) -> Result<(), Failure> {
    settings.iter().try_for_each(|setting| {
        let value = plain(&setting.value);
        row(screen, &setting.setting, &value, &setting.origin)
    })
}

/// Text without quotes, `none` for nothing.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
