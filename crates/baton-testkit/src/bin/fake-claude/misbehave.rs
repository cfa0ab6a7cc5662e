//! What a well-behaved CLI would not do.

use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

use baton_testkit::directive::Round;
use rustix::process::{Signal, getpid, kill_process, setsid};
use serde_json::json;

use crate::clock::monotonic_nanos;
use crate::engine::{Engine, Flow, Stop};
use crate::messages;
use crate::prompt::{Misbehaviour, Point};
use crate::turn::Turn;

/// A flood looks at its inputs every so many deltas.
const POLL_EVERY: u64 = 256;

impl Engine {
    pub(crate) fn misbehave(&mut self, turn: &mut Turn, misbehaviour: &Misbehaviour) -> Flow<()> {
        match misbehaviour {
            Misbehaviour::Flood(count) => self.flood(turn, *count),
            Misbehaviour::Events(count) => self.events(*count),
            Misbehaviour::Rate {
                per_second,
                seconds,
                paragraphs,
            } => {
                let end = if *paragraphs { "\n\n" } else { " " };
                self.rate(turn, *per_second, *seconds, end)
            }
            Misbehaviour::Hang => {
                let chunks = ["Let me ".to_owned(), "see ".to_owned()];
                self.begin_answer(turn)?;
                self.text_block(
                    turn,
                    0,
                    &chunks,
                    &Round {
                        stall: true,
                        ..Round::default()
                    },
                )
            }
            Misbehaviour::HangOnNext => {
                self.wedge_next = true;
                Ok(())
            }
            Misbehaviour::DeafHang => self.hang_deaf(),
            Misbehaviour::Duplicate => {
                self.out.twice = true;
                Ok(())
            }
            Misbehaviour::Garbage => Ok(self
                .out
                .raw(b"not json at all\n{\"type\":\"assistant\",\n\xff\xfe{}\n[]\n\n42\n")?),
            Misbehaviour::HalfLine => {
                self.out
                    .raw(b"{\"type\":\"assistant\",\"message\":{\"id\":\"msg_ha")?;
                self.out.flush()?;
                Err(Stop::Exit(1))
            }
            Misbehaviour::Huge(bytes) => {
                self.begin_answer(turn)?;
                self.text_block(turn, 0, &["x".repeat(*bytes)], &Round::default())?;
                turn.text.truncate(32);
                self.end_answer("end_turn")
            }
            Misbehaviour::BigLine(bytes) => {
                self.system("fake_big", json!({"filler": "x".repeat(*bytes)}))
            }
            Misbehaviour::CrashAt(point) => {
                self.crash = Some(*point);
                Ok(())
            }
            Misbehaviour::Exit(code) => {
                self.out.flush()?;
                Err(Stop::Exit(*code))
            }
            Misbehaviour::IgnoreSigterm => {
                self.sigterm_exits.store(false, Ordering::SeqCst);
                Ok(())
            }
            Misbehaviour::Grandchild { keeps_stdout } => self.leave_grandchild(*keeps_stdout),
            Misbehaviour::Stderr(text) => {
                Self::complain(text);
                Ok(())
            }
            Misbehaviour::UnknownType => {
                let line = json!({"type": "from_the_future", "uuid": self.out.ids.uuid(), "session_id": self.session, "new": [1]});
                Ok(self.out.line(&line)?)
            }
            Misbehaviour::AuthError => self.fail(
                turn,
                "Not logged in \u{b7} Please run /login",
                "authentication_failed",
                None,
            ),
        }
    }

    /// Dies without another word when a test asked for it at this point.
    pub(crate) fn reached(&mut self, point: Point) -> Flow<()> {
        if self.crash == Some(point) {
            self.out.flush()?;
            // It cannot fail for the process itself, and nothing runs after it.
            let _ = kill_process(getpid(), Signal::KILL);
        }
        Ok(())
    }

    /// Never reads, writes or ends again.
    pub(crate) fn hang_deaf(&mut self) -> Flow<()> {
        self.out.flush()?;
        // The only sign that it has read what wedges it.
        writeln!(std::io::stderr(), "fake-claude: wedged").ok();
        loop {
            std::thread::park();
        }
    }

    fn flood(&mut self, turn: &mut Turn, count: u64) -> Flow<()> {
        let said = |count: u64| "tok ".repeat(usize::try_from(count).unwrap_or_default());
        self.paced(turn, |engine, turn, line| {
            for number in 0..count {
                engine.out.delta(line, "tok ")?;
                if number % POLL_EVERY == 0
                    && let Err(stop) = engine.poll()
                {
                    turn.partial = said(number + 1);
                    return Err(stop);
                }
            }
            turn.partial = said(count);
            Ok(())
        })
    }

    fn events(&mut self, count: u64) -> Flow<()> {
        let said = "x".repeat(200);
        for number in 0..count {
            let line = if number % 10 == 0 {
                let block = json!({"type": "text", "text": format!("message {number}")});
                messages::assistant(self, &block, None).1
            } else {
                let text = format!("{number} {said}");
                messages::system(self, "notification", json!({"key": "fake", "text": text}))
            };
            self.out.line(&line)?;
            if number % POLL_EVERY == 0 {
                self.poll()?;
            }
        }
        Ok(())
    }

    fn rate(&mut self, turn: &mut Turn, per_second: u64, seconds: u64, end: &str) -> Flow<()> {
        let per_second = per_second.max(1);
        self.paced(turn, |engine, turn, line| {
            let start = monotonic_nanos();
            for number in 0..per_second * seconds {
                let due = start + number * 1_000_000_000 / per_second;
                engine.pause(Duration::from_nanos(due.saturating_sub(monotonic_nanos())))?;
                let stamp = format!("{}{end}", monotonic_nanos());
                engine.out.delta(line, &stamp)?;
                engine.out.flush()?;
                turn.partial.push_str(&stamp);
            }
            Ok(())
        })
    }

    /// One answer whose deltas `write` makes; they are written even without partial messages.
    fn paced(
        &mut self,
        turn: &mut Turn,
        write: impl FnOnce(&mut Self, &mut Turn, &crate::output::DeltaLine) -> Flow<()>,
    ) -> Flow<()> {
        self.begin_answer(turn)?;
        self.event(&json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}))?;
        let line = self.delta_line(0);
        write(self, turn, &line)?;
        turn.text = std::mem::take(&mut turn.partial);
        let block = json!({"type": "text", "text": turn.text});
        self.whole_block(turn, 0, &block)?;
        self.end_answer("end_turn")
    }

    pub(crate) fn leave_grandchild(&mut self, keeps_stdout: bool) -> Flow<()> {
        self.out.flush()?;
        #[expect(
            clippy::disallowed_methods,
            reason = "the point is a process that nobody owns"
        )]
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg(crate::SLEEPER)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        if !keeps_stdout {
            command.stdout(Stdio::null());
        }
        let child = command.spawn()?;
        self.system("fake_grandchild", json!({"pid": child.id()}))
    }
}

/// The grandchild: away from the group and the session, asleep until killed.
pub(crate) fn sleep_in_own_session() -> ExitCode {
    // A failure leaves it in the parent's session, where it sleeps as well.
    let _ = setsid();
    loop {
        std::thread::park();
    }
}
