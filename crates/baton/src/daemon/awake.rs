//! Keeping the machine from going to sleep, by a program that can.
//!
//! `systemd-inhibit` or `caffeinate` holds it for as long as a `cat` below it
//! runs, which ends with its input: when the daemon ends in whatever way, the
//! machine may sleep again.

use std::{path::PathBuf, time::Duration};

use baton_process::{Child, Line, Spec, StopPlan};
use tokio::time::timeout;

use crate::{failure::chain, setup::Setup, terminal::clean};

/// How long it may take until it holds.
const BEGIN: Duration = Duration::from_secs(5);

pub(super) struct Awake {
    /// How to hold; none where no program can.
    spec: Option<Spec>,
    enabled: bool,
    held: Option<Child>,
}

impl Awake {
    pub(super) fn find(setup: &Setup) -> Self {
        let inhibit: &[&str] = &[
            "--what=idle:sleep",
            "--who=Baton",
            "--why=agents are working",
            "--mode=block",
            "cat",
        ];
        let known: [(&str, &[&str]); 2] =
            [("systemd-inhibit", inhibit), ("caffeinate", &["-i", "cat"])];
        let found = known.into_iter().find_map(|(name, args)| {
            let program = setup.find_program(name)?;
            Some(Spec {
                program,
                args: args.iter().map(Into::into).collect(),
                env: setup.tool_env(),
                cwd: PathBuf::from("/"),
            })
        });
        Self {
            spec: found,
            enabled: false,
            held: None,
        }
    }

    pub(super) const fn is_enabled(&self) -> bool {
        self.enabled
    }

    pub(super) const fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Tries it once before it promises anything.
    pub(super) async fn enable(&mut self, enabled: bool) -> Result<(), String> {
        if enabled && self.held.is_none() {
            self.hold().await?;
        }
        self.enabled = enabled;
        if !enabled {
            self.release().await;
        }
        Ok(())
    }

    pub(super) async fn hold_while(&mut self, works: bool) -> Result<(), String> {
        match (works && self.enabled, self.held.is_some()) {
            (true, false) => self.hold().await,
            (false, true) => {
                self.release().await;
                Ok(())
            }
            (true, true) | (false, false) => Ok(()),
        }
    }

    pub(super) async fn release(&mut self) {
        if let Some(mut child) = self.held.take() {
            child.handle.stop(StopPlan::default()).await;
        }
    }

    /// Holds, and has seen that it does: what goes in comes out again only
    /// once the program has got its lock.
    async fn hold(&mut self) -> Result<(), String> {
        let spec = self.spec.as_ref().ok_or(
            "this machine has neither systemd-inhibit nor caffeinate, which could keep it awake",
        )?;
        let mut child = Child::spawn(spec).map_err(|error| chain(&error))?;
        let begun = async {
            child.writer.line(b"awake").await.ok()?;
            let line = child.reader.next().await?;
            matches!(line, Line::Whole(b"awake")).then_some(())
        };
        if timeout(BEGIN, begun).await.ok().flatten().is_some() {
            self.held = Some(child);
            return Ok(());
        }
        child.handle.stop(StopPlan::default()).await;
        let tail = child.handle.stderr_tail();
        let why = clean(String::from_utf8_lossy(&tail).trim(), 200);
        let name = spec.program.display();
        Err(match why.as_str() {
            "" => format!("{name} does not keep it awake"),
            why => format!("{name} does not keep it awake: {why}"),
        })
    }
}
