//! `baton serve`, `start`, `stop`, `restart` and `status`.

use std::{collections::BTreeMap, time::Duration};

use baton_protocol::api::{GetStatus, Shutdown};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{
    config::plain,
    folder::whole,
    shell::{difference, running},
    unanswered::{Fate, Unanswered},
};
use crate::{
    cli::{ListenArgs, ServeArgs, StartArgs, StatusArgs, StopArgs},
    client::Client,
    config::FlagValue,
    daemon::{self, ServeOptions, VERSION},
    failure::{Exit, Failure},
    owner::is_owned,
    setup::Setup,
    terminal::{Screen, Style, brief, shown_path},
};

/// How long a daemon may take to let go of the folder once it has ended.
const LEAVE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);

pub(crate) async fn serve(setup: &Setup, args: &ServeArgs) -> Result<Exit, Failure> {
    let idle = args.exit_when_idle.map(Duration::from_secs);
    let options = ServeOptions {
        config: args.config.clone(),
        flags: flags(&args.listen),
        open: args.open,
        background: args.background,
        idle_exit: idle.or(setup.idle_exit),
    };
    daemon::serve(setup, options).await
}

fn flags(listen: &ListenArgs) -> Vec<FlagValue> {
    let flag = |flag, key, value: Option<String>| value.map(|value| FlagValue { flag, key, value });
    let host = flag("--host", "runner.host", listen.host.clone());
    let port = flag(
        "--port",
        "runner.port",
        listen.port.map(|port| port.to_string()),
    );
    host.into_iter().chain(port).collect()
}

pub(crate) async fn start(setup: &Setup, args: &StartArgs) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    let told = |pid: u32, started: bool| json!({"ok": true, "pid": pid, "started": started});
    if let Some(client) = Client::existing(setup, "baton start").await? {
        if args.json {
            screen.json(&told(client.pid, false).to_string())?;
        } else {
            screen.line(&format!("the daemon runs already (process {})", client.pid))?;
        }
        return Ok(Exit::Success);
    }
    let client = Client::connect(setup, "baton start").await?;
    if args.json {
        screen.json(&told(client.pid, true).to_string())?;
    } else {
        screen.line(&format!(
            "the daemon runs (process {}, {})",
            client.pid,
            shown_path(&setup.data)
        ))?;
    }
    Ok(Exit::Success)
}

pub(crate) async fn stop(setup: &Setup, args: &StopArgs) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    let how = Shutdown {
        keep_agents: args.keep_agents,
        force: args.now,
        grace_ms: args.grace.map(|seconds| seconds.saturating_mul(1000)),
    };
    let pid = shut_down(setup, "baton stop", how).await?;
    if args.json {
        let told = json!({"ok": true, "pid": pid, "stopped": pid.is_some()});
        screen.json(&told.to_string())?;
        return Ok(Exit::Success);
    }
    let Some(pid) = pid else {
        screen.line("no daemon runs")?;
        return Ok(Exit::Success);
    };
    let agents = if args.keep_agents {
        "; its agents go on"
    } else {
        ""
    };
    screen.line(&format!("the daemon (process {pid}) has stopped{agents}"))?;
    Ok(Exit::Success)
}

pub(crate) async fn restart(setup: &Setup, args: &StartArgs) -> Result<Exit, Failure> {
    let before = flags_before(setup).await;
    detach_daemon(setup).await?;
    let exit = start(setup, args).await?;
    let given = flags(&args.listen);
    let mut screen = Screen::stderr(setup.colour);
    let place = shown_path(&setup.data.join("config.yaml"));
    for (key, value, flag) in before {
        if given.iter().all(|given| given.key != key) {
            screen.line(&format!(
                "{key} was {value} by {flag}, which held for the daemon before; `{flag} {value}` says it again, and {key} in {place} keeps it"
            ))?;
        }
    }
    for given in &given {
        screen.line(&format!(
            "{} holds until the next restart; {} in {place} keeps it",
            given.flag, given.key
        ))?;
    }
    Ok(exit)
}

/// The settings that the running daemon has from flags, with the flags.
async fn flags_before(setup: &Setup) -> Vec<(String, String, String)> {
    let Ok(Some(mut client)) = Client::existing(setup, "baton restart").await else {
        return Vec::new();
    };
    // One of another version cannot say, and is to be replaced all the same.
    let Ok(running) = running(setup, &mut client, "/").await else {
        return Vec::new();
    };
    let settings = running.settings.into_iter();
    let flagged = settings.filter(|setting| setting.origin.starts_with("--"));
    let told = flagged.map(|setting| {
        let value = plain(&setting.value);
        (setting.setting, value, setting.origin)
    });
    told.collect()
}

/// Ends the daemon, if there is one, and lets its agents go on.
pub(super) async fn detach_daemon(setup: &Setup) -> Result<(), Failure> {
    let how = Shutdown {
        keep_agents: true,
        ..Shutdown::default()
    };
    shut_down(setup, "baton restart", how).await?;
    Ok(())
}

/// Tells the daemon to end and waits until it has. None if there is none.
async fn shut_down(setup: &Setup, name: &str, how: Shutdown) -> Result<Option<u32>, Failure> {
    let Some(mut client) = Client::existing(setup, name).await? else {
        return Ok(None);
    };
    let pid = client.pid;
    let open = Unanswered::look(&mut client, None).await;
    let fate = if how.keep_agents {
        Fate::StaysOpen
    } else {
        Fate::EndsWithDaemon
    };
    client.tell(how).await?;
    open.say(setup, fate)?;
    client.until_closed().await;
    let until = Instant::now() + LEAVE;
    while is_owned(&setup.data) {
        if Instant::now() >= until {
            return Err(Failure::new(
                format!("the daemon (process {pid}) does not end"),
                format!(
                    "End it with `kill {pid}`; its agents go on, and the next one takes them over."
                ),
            ));
        }
        sleep(PAUSE).await;
    }
    Ok(Some(pid))
}

pub(crate) async fn status(setup: &Setup, args: &StatusArgs) -> Result<Exit, Failure> {
    let mut screen = Screen::stdout(setup.colour);
    let Some(mut client) = Client::existing(setup, "baton status").await? else {
        if args.json {
            screen.json(&json!({"ok": false, "running": false}).to_string())?;
        } else {
            screen.line("no daemon runs; `baton start` starts one, and so does `baton run`")?;
        }
        return Ok(Exit::Failure);
    };
    let status = client.tell(GetStatus).await?;
    if args.json {
        screen.json(status.text())?;
        return Ok(Exit::Success);
    }
    let word = if status.stopping {
        "is stopping"
    } else {
        "runs"
    };
    let head = format!(
        "the daemon {word}: process {}, version {}, up {}",
        status.pid,
        status.version,
        span(status.uptime_s)
    );
    screen.line(&screen.styled(Style::Bold, &head))?;
    if status.version != VERSION {
        screen.line(&format!(
            "  this program is version {VERSION}: `baton restart` brings them together"
        ))?;
    }
    if let Some(url) = &status.url {
        screen.line(&format!("  address: {url}"))?;
    }
    let counts = status.sessions;
    screen.line(&format!(
        "  sessions: {} ({} at work, {} waiting for a person, {} idle, {} asleep, {} ended)",
        counts.total(),
        counts.working(),
        counts.waiting,
        counts.idle,
        counts.asleep,
        counts.ended
    ))?;
    screen.line(&format!(
        "  approvals waiting: {}",
        status.pending_approvals
    ))?;
    screen.line(&format!("  projects: {}", status.projects))?;
    let agents = status.agents.iter().map(|agent| match &agent.version {
        Some(version) => format!("{} {}", agent.name, crate::terminal::clean(version, 40)),
        None => agent.name.clone(),
    });
    let agents: Vec<String> = agents.collect();
    screen.line(&format!("  agents: {}", agents.join(", ")))?;
    screen.line(&format!("  data: {}", shown_path(&setup.data)))?;
    if let Some(difference) = difference(setup, &mut client, &whole(None), &BTreeMap::new()).await {
        let called = &setup.called;
        screen.line(&format!(
            "  your shell differs in {difference}: `{called} restart` takes it over, `{called} config show` says more"
        ))?;
    }
    open_approvals(&mut screen, setup, &mut client).await?;
    Ok(Exit::Success)
}

async fn open_approvals(
    screen: &mut Screen,
    setup: &Setup,
    client: &mut Client,
) -> Result<(), Failure> {
    for open in client.approvals(None).await? {
        let request = &open.approval;
        screen.line(&format!(
            "? {} in {} ({} risk): {} approve {}",
            crate::terminal::clean(&request.tool_name, 60),
            open.session_id,
            request.risk,
            setup.called,
            request.approval_id
        ))?;
        brief(screen, request)?;
    }
    Ok(())
}

fn span(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
