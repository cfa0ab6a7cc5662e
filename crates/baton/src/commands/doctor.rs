//! `baton doctor`: is everything here that Baton needs?

mod tools;

use std::{collections::BTreeMap, net::SocketAddr};

use baton_protocol::api::{
    DoctorCheck as Check, DoctorReport, DoctorVerdict as Verdict, GetStatus, Nothing, ask,
};
use baton_server::{Room, Spare, is_full};
use baton_session::agents::{AgentKind, probe};
use baton_store::{CheckReport, Store, StoreError};

use super::{folder::whole, shell::difference};
use crate::{
    cli::DoctorArgs,
    client::Client,
    config::{Config, Sources},
    daemon::{Taken, is_free},
    failure::{Exit, Failure, chain},
    owner::{Locked, Refused, database},
    setup::Setup,
    terminal::{Screen, Style, clean},
};

pub(crate) async fn doctor(setup: &Setup, args: &DoctorArgs) -> Result<Exit, Failure> {
    // Agents live with what the daemon finds, whatever this shell would.
    let report = match Client::existing(setup, "baton doctor").await? {
        Some(client) => of_daemon(setup, client).await?,
        None => examine(setup, Looker::Shell).await,
    };
    let mut screen = Screen::stdout(setup.colour);
    for check in &report.checks {
        if args.json {
            screen.json(&serde_json::to_string(check).unwrap_or_default())?;
        } else {
            show(&mut screen, check)?;
        }
    }
    Ok(match report.ok {
        true => Exit::Success,
        false => Exit::Failure,
    })
}

/// Who looks, and so whose environment decides what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looker {
    Daemon,
    /// None runs.
    Shell,
}

impl Looker {
    fn said(self) -> Check {
        const NAME: &str = "seen by";
        match self {
            Self::Daemon => {
                let pid = std::process::id();
                Check::ok(
                    NAME,
                    format!("the daemon (process {pid}), as its agents do"),
                )
            }
            Self::Shell => Check::ok(
                NAME,
                "this shell, as a daemon started from it would: none runs",
            ),
        }
    }
}

/// What the daemon finds, and where this shell differs.
async fn of_daemon(setup: &Setup, mut client: Client) -> Result<DoctorReport, Failure> {
    let told = client.ask::<ask::Doctor>(None, Nothing {}).await?;
    let mut report = told.answer;
    let here = whole(None);
    if let Some(difference) = difference(setup, &mut client, &here, &BTreeMap::new()).await {
        report.checks.push(Check::warning(
            "your shell",
            format!("it differs from what the daemon started with: {difference}"),
            "`baton restart` takes it over, and agents go on; `baton config show` says more.",
        ));
    }
    Ok(report)
}

/// Looks at everything. Each program that is asked has its time.
pub(crate) async fn examine(setup: &Setup, looker: Looker) -> DoctorReport {
    let mut checks = vec![looker.said(), data(setup).await];
    checks.extend(disk(setup));
    checks.push(port(setup).await);
    for kind in AgentKind::ALL {
        for mut check in setup.agents.examine(*kind).await {
            check.finding = clean(&check.finding, 500);
            checks.push(check);
        }
    }
    checks.extend(tools::check(setup).await);
    let remedy = "Install git: it gives facts about projects.";
    checks.push(tool(setup, "git", &["--version"], remedy).await);
    let remedy = "Install tmux if you want terminals that others can attach to.";
    checks.push(tool(setup, "tmux", &["-V"], remedy).await);
    DoctorReport {
        ok: checks.iter().all(|check| check.verdict != Verdict::Problem),
        checks,
    }
}

/// Whether the daemon serves, or could.
async fn port(setup: &Setup) -> Check {
    const NAME: &str = "port";
    if let Ok(Some(mut client)) = Client::existing(setup, "baton doctor").await {
        let status = client.tell(GetStatus).await.ok();
        if let Some(url) = status.and_then(|status| status.answer.url) {
            return Check::ok(NAME, format!("the daemon serves at {url}"));
        }
    }
    let config = Config::read(&Sources {
        env: setup.process_env(),
        data: &setup.data,
        folder: None,
        config: None,
        flags: &[],
    });
    let runner = match config {
        Ok(config) => config.runner,
        Err(failure) => return Check::problem(NAME, failure.what, &failure.remedy),
    };
    let address = SocketAddr::new(runner.host, runner.port);
    match is_free(runner.host, runner.port) {
        Some(true) if runner.port == 0 => Check::ok(NAME, "a free one is taken at each start"),
        Some(true) => Check::ok(NAME, format!("{address} is free")),
        Some(false) => {
            let taken = Taken::at(address);
            Check::problem(NAME, taken.to_string(), taken.remedy())
        }
        None => Check::problem(
            NAME,
            format!("{address} cannot be listened on"),
            "Check runner.host and runner.port.",
        ),
    }
}

fn show(screen: &mut Screen, check: &Check) -> Result<(), Failure> {
    let (word, style) = match check.verdict {
        Verdict::Ok => ("ok     ", Style::Good),
        Verdict::Warning => ("warning", Style::Warn),
        Verdict::Problem => ("problem", Style::Bad),
    };
    let word = screen.styled(style, word);
    let one_line = |text: &str| clean(text, usize::MAX);
    let finding = one_line(&check.finding);
    screen.line(&format!("{word}  {:<12} {finding}", check.name))?;
    if let Some(remedy) = &check.remedy {
        screen.line(&format!("         {:<12} {}", "", one_line(remedy)))?;
    }
    Ok(())
}

async fn data(setup: &Setup) -> Check {
    const NAME: &str = "data folder";
    let place = setup.data.display().to_string();
    match Locked::open(setup).await {
        Ok(locked) => {
            let checked = locked.store.check().await;
            locked.store.close().await;
            sound(checked)
                .or_else(|| room(setup))
                .unwrap_or_else(|| Check::ok(NAME, place))
        }
        Err(Refused::Owned { by }) => {
            let who = by.map_or_else(String::new, |pid| format!(" by process {pid}"));
            let in_use = || Check::ok(NAME, format!("{place} (in use{who})"));
            let looked = match Store::open_read_only(&database(&setup.data)) {
                Ok(store) => {
                    let checked = store.check().await;
                    store.close().await;
                    sound(checked)
                }
                Err(error) => {
                    let failure = Failure::from(error);
                    Some(Check::problem(NAME, failure.what, &failure.remedy))
                }
            };
            looked.or_else(|| room(setup)).unwrap_or_else(in_use)
        }
        Err(refused) => {
            let failure = refused.failure(&setup.data);
            Check::problem(NAME, failure.what, &failure.remedy)
        }
    }
}

/// Whether the disk has room for what is said next. What is kept for a full
/// one may be there still, or be gone already.
fn room(setup: &Setup) -> Option<Check> {
    const BYTES: usize = 64 * 1024;
    let probe = setup.data.join(format!("doctor-{}", std::process::id()));
    let written = std::fs::write(&probe, vec![0xb5; BYTES]);
    std::fs::remove_file(&probe).ok();
    let is_full = written.is_err_and(|error| is_full(&error));
    (is_full || Spare::of(&setup.data).keep() == Room::Spent).then(|| {
        Check::problem(
            "data folder",
            format!("no space left on the disk of {}", setup.data.display()),
            "Free some space: until then sessions can be read, stopped and removed, and no turn begins.",
        )
    })
}

/// How much the disk of the data folder still takes, before it is too late.
fn disk(setup: &Setup) -> Option<Check> {
    let told = rustix::fs::statvfs(&setup.data).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(told.f_frsize);
    Some(space(bytes(told.f_bavail), bytes(told.f_blocks)))
}

fn space(free: u64, all: u64) -> Check {
    const NAME: &str = "disk";
    /// A long session with pictures has some hundred megabytes.
    const ENOUGH: u64 = 1 << 30;
    let finding = format!("{} free of {}", size(free), size(all));
    if free >= ENOUGH {
        return Check::ok(NAME, finding);
    }
    Check::warning(
        NAME,
        finding,
        "Free some space before the log needs it: on a full disk no turn begins.",
    )
}

fn size(bytes: u64) -> String {
    match bytes >> 20 {
        mega @ 0..1024 => format!("{mega} MB"),
        mega => format!("{} GB", mega >> 10),
    }
}

/// What is wrong with the event log, if anything is.
fn sound(checked: Result<CheckReport, StoreError>) -> Option<Check> {
    const NAME: &str = "data folder";
    const SHOWN: usize = 3;
    let report = match checked {
        Ok(report) if report.is_ok() => return None,
        Ok(report) => report,
        Err(error) => return Some(Check::problem(NAME, chain(&error), "Check the disk.")),
    };
    let first: Vec<_> = report.problems.iter().take(SHOWN).cloned().collect();
    let mut finding = format!(
        "the event log is damaged, {} findings: {}",
        report.problems.len(),
        first.join("; ")
    );
    if !report.unreadable.is_empty() {
        let ids: Vec<_> = report.unreadable.iter().map(ToString::to_string).collect();
        finding += &format!("; not all can be read of {}", ids.join(", "));
    }
    Some(Check::problem(
        NAME,
        finding,
        "Save what can be read with `baton export SESSION`, then `baton stop`, move baton.db, baton.db-wal and baton.db-shm away and put a backup there as baton.db. Without a backup, begin a new log in another folder with --data-dir.",
    ))
}

async fn tool(setup: &Setup, name: &'static str, args: &[&str], remedy: &str) -> Check {
    let Some(program) = setup.find_program(name) else {
        return Check::warning(name, "not found on PATH", remedy);
    };
    match probe(program, args, setup.tool_env()).await {
        Ok(output) => Check::ok(name, first_line(&String::from_utf8_lossy(&output.stdout))),
        Err(error) => Check::warning(name, error, remedy),
    }
}

/// A program may say anything when asked for its version.
fn first_line(text: &str) -> String {
    clean(text.trim().lines().next().unwrap_or_default(), 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_space_is_a_warning_before_there_is_none() {
        let plenty = space(5 << 30, 100 << 30);
        assert_eq!(plenty.verdict, Verdict::Ok);
        assert_eq!(plenty.finding, "5 GB free of 100 GB");
        let little = space(300 << 20, 100 << 30);
        assert_eq!(little.verdict, Verdict::Warning);
        assert_eq!(little.finding, "300 MB free of 100 GB");
        assert!(
            little
                .remedy
                .is_some_and(|remedy| remedy.contains("no turn begins"))
        );
    }
}
