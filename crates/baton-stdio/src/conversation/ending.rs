//! Why a conversation ends, and how.

use std::time::Duration;

use baton_protocol::words::EndStatus;
use tokio::time::Instant;

use super::{Ending, Signals, Stage, Talk, until};
use crate::{
    act::{Done, error},
    outbox::{Last, Outbox},
    output::{Complete, Error, Shutdown},
};

/// How long the agent may take to end before the conversation ends without it.
const ENDING: Duration = Duration::from_secs(30);

/// How long the parent may take to read the last lines after a signal.
const LAST_LINES: Duration = Duration::from_secs(10);

/// How long after a signal the agent's last words are waited for though the
/// parent does not read them.
const UNREAD: Duration = Duration::from_secs(3);

/// Why it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    Stop,
    InputClosed,
    Signal(&'static str),
    /// Nobody reads the output.
    ParentGone,
    /// The session ended by itself.
    SessionEnded,
    /// The log cannot be read or written.
    Broken,
    /// The session's task has ended without a word.
    Crashed,
    /// The agent does not end.
    Stuck,
}

impl Why {
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::InputClosed => "stdin_closed",
            Self::Signal(name) => name,
            Self::ParentGone => "parent_gone",
            Self::SessionEnded => "session_ended",
            Self::Broken | Self::Stuck => "error",
            Self::Crashed => "panic",
        }
    }

    /// Whether the parent may take its time with the last lines.
    pub(super) const fn has_time(self) -> bool {
        matches!(self, Self::Stop | Self::InputClosed)
    }

    pub(super) const fn is_failure(self) -> bool {
        matches!(self, Self::Broken | Self::Crashed | Self::Stuck)
    }
}

impl Talk<'_> {
    /// Tells the session to end. Its own last events tell when it has.
    pub(super) fn end(&mut self, why: Why) {
        let signalled = matches!(why, Why::Signal(_));
        // A parent that does not read hears of the end in any case late.
        let blocked = signalled && !self.unsaid.is_empty();
        let patience = if blocked { UNREAD } else { ENDING };
        if let Stage::Ending {
            until,
            hurried,
            impatient,
            ..
        } = &mut self.stage
        {
            if signalled {
                // A second signal does not wait any longer.
                let now = Instant::now();
                *until = if *hurried { now } else { now + patience };
                *impatient |= *hurried;
                *hurried = true;
            }
            return;
        }
        self.stage = Stage::Ending {
            why,
            until: Instant::now() + patience,
            hurried: signalled,
            impatient: false,
        };
        // Its last words must not wait for anybody.
        self.actions.session.let_run();
        let status = if why == Why::InputClosed {
            EndStatus::Completed
        } else {
            EndStatus::Stopped
        };
        let session = self.actions.session.clone();
        self.acting.push(Box::pin(async move {
            session.end(status, why.reason()).await.ok();
            Done::Nothing
        }));
    }

    /// The parent reads on, and with it the log is: the agent's time to end
    /// begins anew.
    pub(super) fn reads_again(&mut self) {
        if let Stage::Ending {
            why,
            until,
            hurried: false,
            ..
        } = &mut self.stage
            && why.has_time()
        {
            *until = Instant::now() + ENDING;
        }
    }

    pub(super) fn is_over(&self) -> Option<Why> {
        self.state.ended()?;
        Some(match &self.stage {
            Stage::Ending { why, .. } => *why,
            Stage::Talking | Stage::LastTurns { .. } => Why::SessionEnded,
        })
    }

    pub(super) fn overdue(&mut self) -> Why {
        if self.lost.is_some() {
            return self.crashed();
        }
        match &self.stage {
            // Whatever waits there does not begin by itself any more.
            Stage::LastTurns { .. } | Stage::Talking => Why::InputClosed,
            Stage::Ending { why, hurried, .. } if *hurried || !why.has_time() => *why,
            Stage::Ending { .. } => {
                let told = Error {
                    fatal: true,
                    ..error("agent_stuck", "the agent did not end in time", None)
                };
                self.trouble = Some(told.into());
                Why::Stuck
            }
        }
    }

    /// The session's task is gone, and the log does not say why.
    fn crashed(&mut self) -> Why {
        let failed = self.actions.session.progress().failed;
        let (why, told) = match failed {
            Some(failed) => (Why::Broken, error("storage", failed.text, None)),
            None => {
                let text = "Baton stopped because of a bug";
                (Why::Crashed, error("internal", text, None))
            }
        };
        let told = Error {
            fatal: true,
            hint: Some("Look at its standard error, and start it again.".into()),
            ..told
        };
        self.trouble = Some(told.into());
        why
    }

    pub(super) async fn finish(mut self, why: Why, signals: &mut Signals) -> Ending {
        self.state.release(&mut self.out);
        let (turns, total_cost_usd) = self.state.totals();
        let last = Last {
            error: self.trouble.take(),
            complete: why.has_time().then_some(Complete {
                turns,
                total_cost_usd,
            }),
            shutdown: Shutdown {
                reason: why.reason().to_owned(),
                exit_code: u8::from(why.is_failure()),
            },
        };
        let outbox = self.outbox;
        let mut out = std::mem::take(&mut self.unsaid);
        out.extend(std::mem::take(&mut self.out));
        let saying = async {
            for said in out {
                outbox.say(said).await;
            }
            outbox.finish(last).await;
        };
        let mut hurry = match self.stage {
            Stage::Ending {
                impatient: true, ..
            } => Hurry::Now,
            Stage::Ending { hurried: true, .. } => Hurry::Soon,
            Stage::Ending { .. } | Stage::Talking | Stage::LastTurns { .. } => Hurry::None,
        };
        let said = unless_hurried(saying, &mut hurry, signals).await;
        let hurried = hurry != Hurry::None;
        match why {
            Why::Broken | Why::Crashed | Why::Stuck => Ending::Failed,
            _ if !said => Ending::Abandoned,
            Why::Signal(_) | Why::ParentGone => Ending::Signalled,
            Why::Stop | Why::InputClosed | Why::SessionEnded if hurried => Ending::Signalled,
            Why::Stop | Why::InputClosed | Why::SessionEnded => Ending::Ended,
        }
    }
}

/// Waits until the parent has the last lines.
/// How it ended at last: lines that could not be written, though somebody may
/// wait for them, are a failure too.
pub async fn farewell(outbox: Outbox, ending: Ending, signals: &mut Signals) -> Ending {
    let mut hurry = match ending {
        Ending::Abandoned => Hurry::Now,
        Ending::Signalled => Hurry::Soon,
        Ending::Ended | Ending::Failed => Hurry::None,
    };
    if !unless_hurried(outbox.written(), &mut hurry, signals).await {
        tracing::warn!("the parent does not read the last lines");
    }
    let unwritable = outbox.is_unwritable();
    outbox.close(Some(Duration::ZERO));
    if unwritable { Ending::Failed } else { ending }
}

/// How much time there is for a parent that does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hurry {
    None,
    Soon,
    Now,
}

/// Waits for a parent that may read nothing: as long as it takes, but only a
/// while once somebody has sent a signal, and no longer after another one.
/// False when the time was over.
async fn unless_hurried(
    work: impl Future<Output = ()>,
    hurry: &mut Hurry,
    signals: &mut Signals,
) -> bool {
    let now = Instant::now();
    let mut limit = match hurry {
        Hurry::None => None,
        Hurry::Soon => Some(now + LAST_LINES),
        Hurry::Now => Some(now),
    };
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            biased;
            () = &mut work => return true,
            () = until(limit) => return false,
            Some(_) = signals.recv() => {
                let now = Instant::now();
                (*hurry, limit) = match hurry {
                    Hurry::None => (Hurry::Soon, Some(now + LAST_LINES)),
                    Hurry::Soon | Hurry::Now => (Hurry::Now, Some(now)),
                };
            }
        }
    }
}
