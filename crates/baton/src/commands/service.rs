//! `baton service`: the daemon as a service of this user, by systemd or launchd.

mod files;

use std::path::PathBuf;

use baton_process::{Exit as ProcessExit, RunLimits, Spec, run_to_end};
use serde_json::json;

use self::files::{Manager, ServiceFile};
use super::daemon::detach_daemon;
use crate::{
    cli::{ServiceCommand, ServiceInstallArgs},
    config::Key,
    failure::{Exit, Failure, chain},
    setup::Setup,
    terminal::{self, Screen, clean},
};

pub(crate) async fn service(setup: &Setup, command: &ServiceCommand) -> Result<Exit, Failure> {
    let place = ServiceFile::find(setup)?;
    match command {
        ServiceCommand::Install(args) => install(setup, &place, args).await,
        ServiceCommand::Uninstall => uninstall(setup, &place).await,
        ServiceCommand::Status(args) => status(setup, &place, args.json).await,
    }
}

async fn install(
    setup: &Setup,
    place: &ServiceFile,
    args: &ServiceInstallArgs,
) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    let text = place.text(&setup.agents.baton, &setup.data);
    if args.print {
        screen.exact(&text)?;
        return Ok(Exit::Success);
    }
    if rustix::process::geteuid().is_root() && !args.allow_root {
        return Err(Failure::new(
            "this would run every agent as root",
            "Run it as the user whose agents they are; --allow-root does it all the same.",
        ));
    }
    crate::owner::make_folder(&setup.data)?;
    place.write(&text)?;
    screen.line(&format!("wrote {}", terminal::shown_path(&place.file)))?;
    let config = terminal::shown_path(&setup.data.join("config.yaml"));
    for (variable, setting) in left_out(setup) {
        screen.line(&match setting {
            Some(setting) => format!(
                "{variable} of this shell is not the service's: write {setting} to {config} to keep it"
            ),
            None => format!("{variable} of this shell is not the service's"),
        })?;
    }
    if args.no_start {
        for command in place.begin() {
            screen.line(&format!("  {}", command.join(" ")))?;
        }
        return Ok(Exit::Success);
    }
    // One daemon per folder: the one that runs makes room, and its agents go on.
    detach_daemon(setup).await?;
    for command in place.begin() {
        call(setup, &command).await?;
    }
    screen.line("the daemon runs as a service; agents of the one before go on")?;
    if let Some(hint) = place.hint() {
        screen.line(&hint)?;
    }
    Ok(Exit::Success)
}

/// Baton's variables that this shell has and a service does not get, with the
/// settings they stand for. The data folder is named in the service's file.
fn left_out(setup: &Setup) -> Vec<(String, Option<&'static str>)> {
    let names = setup
        .process_env()
        .keys()
        .map(|name| name.to_string_lossy());
    let ours = names.filter(|name| name.starts_with("BATON_") && name != "BATON_DATA_DIR");
    ours.map(|name| (clean(&name, 100), Key::of_variable(&name)))
        .collect()
}

async fn uninstall(setup: &Setup, place: &ServiceFile) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    if !place.file.exists() {
        screen.line("no service is installed")?;
        return Ok(Exit::Success);
    }
    let mut failed = None;
    for command in place.end() {
        if let Err(failure) = call(setup, &command).await {
            failed = Some(failure);
        }
    }
    place.remove()?;
    screen.line(&format!("removed {}", terminal::shown_path(&place.file)))?;
    if let Some(failure) = failed {
        screen.line(&format!("  but: {}", failure.what))?;
    }
    screen.line("agents that were running go on; the next daemon takes them over")?;
    Ok(Exit::Success)
}

async fn status(setup: &Setup, place: &ServiceFile, as_json: bool) -> Result<Exit, Failure> {
    let installed = place.file.exists();
    let running = installed && call(setup, &place.ask()).await.is_ok();
    let mut screen = Screen::stdout(setup.colour);
    if as_json {
        let file = place.file.display().to_string();
        let line = json!({"installed": installed, "running": running, "file": file});
        screen.json(&line.to_string())?;
    } else {
        screen.line(match (installed, running) {
            (false, _) => "no service is installed; `baton service install` installs one",
            (true, false) => "the service is installed and does not run",
            (true, true) => "the service is installed and runs",
        })?;
    }
    Ok(if running {
        Exit::Success
    } else {
        Exit::Failure
    })
}

/// Runs one command of the service manager.
async fn call(setup: &Setup, command: &[String]) -> Result<(), Failure> {
    let whole = command.join(" ");
    let remedy = format!("Run it yourself: {whole}");
    let name = command.first().map(String::as_str).unwrap_or_default();
    let program = setup
        .find_program(name)
        .ok_or_else(|| Failure::new(format!("{name} is not on this machine's PATH"), &remedy))?;
    let spec = Spec {
        program,
        args: command.iter().skip(1).map(Into::into).collect(),
        // It finds its manager by the user's own variables.
        env: setup.own_env(),
        cwd: PathBuf::from("/"),
    };
    let output = run_to_end(&spec, RunLimits::default()).await;
    let output = output.map_err(|error| Failure::new(chain(&error), &remedy))?;
    if output.exit == (ProcessExit::Exited { code: 0 }) {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::new(
        format!("{whole} failed: {}", clean(&why, 300)),
        remedy,
    ))
}

impl Manager {
    const fn of_this_system() -> Self {
        if cfg!(target_os = "macos") {
            Self::Launchd
        } else {
            Self::Systemd
        }
    }
}
