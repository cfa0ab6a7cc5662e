use serde_json::Value;

use super::*;
use crate::{
    output::{ToolStart, TurnStarted},
    validate,
};

/// Keeps what was written; may refuse.
#[derive(Clone, Default)]
struct Kept {
    bytes: Arc<Mutex<Vec<u8>>>,
    gone: bool,
    /// So much is taken at once; the rest waits for `may_go`.
    at_once: Arc<AtomicUsize>,
    may_go: Arc<AtomicBool>,
}

impl Kept {
    /// Takes this many bytes at once, and no more before it is told.
    fn that_waits_after(bytes: usize) -> Self {
        Self {
            at_once: Arc::new(AtomicUsize::new(bytes)),
            ..Self::default()
        }
    }

    fn go(&self) {
        self.may_go.store(true, Ordering::Release);
    }
}

impl Out for Kept {
    fn write_now(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let left = self.at_once.load(Ordering::Acquire);
        let count = left.min(bytes.len());
        self.at_once.store(left - count, Ordering::Release);
        self.bytes
            .lock()
            .unwrap()
            .extend_from_slice(&bytes[..count]);
        Ok(count)
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        while !self.may_go.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        self.bytes.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn lines(&self) -> Vec<Value> {
        let text = String::from_utf8(self.bytes.lock().unwrap().clone()).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

fn begun() -> Vec<Output> {
    let ready = r#"{"type":"ready","conversationId":"c","sessionId":"ses_00000000000000000000000000000007","cwd":"/","agent":"demo","version":"0","permissionMode":"default","toolPreset":"full","forked":false}"#;
    let tool = r#"{"type":"hook_pre_tool","toolUseId":"t","toolName":"Bash","input":{}}"#;
    vec![
        serde_json::from_str(ready).unwrap(),
        TurnStarted {
            turn: baton_protocol::Turn(1),
            origin: baton_protocol::words::Origin::User,
            because: Vec::new(),
            message_ids: Vec::new(),
        }
        .into(),
        serde_json::from_str(tool).unwrap(),
        ToolStart {
            tool_use_id: "t".into(),
            name: "Bash".into(),
            input: baton_protocol::words::Json::null(),
            label: "Running".into(),
            agent_id: None,
            parent_tool_use_id: None,
        }
        .into(),
    ]
}

#[tokio::test]
async fn a_speaker_that_vanishes_leaves_nothing_open() {
    let kept = Kept::default();
    kept.go();
    let outbox = Outbox::to(kept.clone(), Arc::new(baton_session::RealWorld)).unwrap();
    for said in begun() {
        outbox.say(said).await;
    }
    outbox.close(None);
    let lines = kept.lines();
    assert_eq!(
        validate::problems(&lines),
        Vec::<String>::new(),
        "{lines:?}"
    );
    let names: Vec<&str> = lines
        .iter()
        .map(|line| line["type"].as_str().unwrap())
        .collect();
    let wanted: Vec<&str> = "ready, turn_started, hook_pre_tool, tool_start, hook_post_tool, \
        tool_end, result, turn_complete, error, shutdown"
        .split(", ")
        .collect();
    assert_eq!(names, wanted);
    assert_eq!(lines[9]["reason"], "panic");
}

#[tokio::test]
async fn a_parent_that_is_gone_is_noticed() {
    let kept = Kept {
        gone: true,
        ..Kept::default()
    };
    let outbox = Outbox::to(kept, Arc::new(baton_session::RealWorld)).unwrap();
    let mut broken = outbox.broken();
    outbox.say(begun().remove(0)).await;
    assert!(*broken.wait_for(|broken| *broken).await.unwrap());
    outbox.close(None);
}

fn names(lines: &[Value]) -> Vec<&str> {
    let names = lines.iter().map(|line| line["type"].as_str().unwrap());
    names.collect()
}

#[test]
fn a_line_that_is_taken_at_once_needs_no_thread() {
    let kept = Kept::that_waits_after(1 << 20);
    let outbox = Outbox::to(kept.clone(), Arc::new(baton_session::RealWorld)).unwrap();
    for said in begun() {
        outbox.try_say(said).unwrap();
    }
    // The thread may not write yet, so these were not written by it.
    let wanted = ["ready", "turn_started", "hook_pre_tool", "tool_start"];
    assert_eq!(names(&kept.lines()), wanted);
    kept.go();
    outbox.close(None);
}

#[tokio::test]
async fn a_line_taken_by_half_is_ended_before_the_next() {
    for taken in 1..400 {
        let kept = Kept::that_waits_after(taken);
        let outbox = Outbox::to(kept.clone(), Arc::new(baton_session::RealWorld)).unwrap();
        for said in begun() {
            outbox.try_say(said).unwrap();
        }
        kept.go();
        outbox.close(None);
        let lines = kept.lines();
        let problems = validate::problems(&lines);
        assert_eq!(problems, Vec::<String>::new(), "{taken}: {lines:?}");
        assert_eq!(names(&lines)[..2], ["ready", "turn_started"]);
    }
}

#[test]
fn a_full_queue_gives_lines_back_and_takes_them_later_in_order() {
    let kept = Kept::that_waits_after(0);
    let outbox = Outbox::to(kept.clone(), Arc::new(baton_session::RealWorld)).unwrap();
    outbox.try_say(begun().remove(0)).unwrap();
    let line = || begun().remove(1);
    let mut said = 0;
    while outbox.try_say(line()).is_ok() {
        said += 1;
        assert!(said <= QUEUE + 2, "nothing bounds it");
    }
    assert!(said >= QUEUE - 1);
    kept.go();
    // With room again, those said later come after those that waited.
    while outbox.try_say(begun().remove(2)).is_err() {
        std::thread::yield_now();
    }
    outbox.close(None);
    let lines = kept.lines();
    let names = names(&lines);
    assert_eq!(names[0], "ready");
    assert!(names[1..=said].iter().all(|name| *name == "turn_started"));
    assert_eq!(names[said + 1], "hook_pre_tool");
}

#[tokio::test]
async fn nothing_is_said_after_the_last_line() {
    let kept = Kept::that_waits_after(1 << 20);
    kept.go();
    let outbox = Outbox::to(kept.clone(), Arc::new(baton_session::RealWorld)).unwrap();
    outbox.say(begun().remove(0)).await;
    outbox
        .finish(Last {
            error: None,
            complete: None,
            shutdown: Shutdown {
                reason: "stop".into(),
                exit_code: 0,
            },
        })
        .await;
    outbox.written().await;
    outbox.try_say(begun().remove(1)).unwrap();
    outbox.close(None);
    assert_eq!(names(&kept.lines()), ["ready", "shutdown"]);
}

/// Whoever has waited for the last line finds the writer gone, and does not say
/// that nobody read it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waited_for_the_last_line_does_not_take_it_for_unread() {
    for _ in 0..200 {
        let kept = Kept::that_waits_after(1 << 20);
        kept.go();
        let mut outbox = Outbox::to(kept, Arc::new(baton_session::RealWorld)).unwrap();
        outbox
            .finish(Last {
                error: None,
                complete: None,
                shutdown: Shutdown {
                    reason: "stop".into(),
                    exit_code: 0,
                },
            })
            .await;
        outbox.written().await;
        let written = outbox.written.take().unwrap().into_inner().unwrap();
        let ended = written.recv_timeout(Duration::ZERO);
        assert_eq!(ended, Err(RecvTimeoutError::Disconnected));
    }
}

/// Each speaker's lines stay in their order and whole, though some are written
/// at once and others by the thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn lines_of_many_speakers_are_whole_and_each_ones_in_order() {
    const SPEAKERS: u32 = 4;
    const LINES: u32 = 200;
    let kept = Kept::that_waits_after(100);
    kept.go();
    let outbox = Outbox::to(kept.clone(), Arc::new(baton_session::RealWorld)).unwrap();
    let outbox = Arc::new(outbox);
    let mut speakers = tokio::task::JoinSet::new();
    for speaker in 0..SPEAKERS {
        let (outbox, at_once) = (Arc::clone(&outbox), Arc::clone(&kept.at_once));
        speakers.spawn(async move {
            for line in 0..LINES {
                // A part of the next line is taken at once.
                at_once.store(30, Ordering::Release);
                let started = TurnStarted {
                    turn: baton_protocol::Turn(speaker * LINES + line),
                    origin: baton_protocol::words::Origin::User,
                    because: Vec::new(),
                    message_ids: Vec::new(),
                };
                outbox.say(started.into()).await;
            }
        });
    }
    while let Some(spoken) = speakers.join_next().await {
        spoken.unwrap();
    }
    Arc::into_inner(outbox).unwrap().close(None);
    let lines = kept.lines();
    let seqs: Vec<_> = lines.iter().map(|line| line["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=lines.len() as u64).map(Some).collect::<Vec<_>>());
    for speaker in 0..u64::from(SPEAKERS) {
        let turns = lines.iter().filter(|line| line["type"] == "turn_started");
        let turns = turns.filter_map(|line| line["turn"].as_u64());
        let lines = u64::from(LINES);
        let own: Vec<u64> = turns.filter(|turn| turn / lines == speaker).collect();
        assert_eq!(
            own,
            (speaker * lines..(speaker + 1) * lines).collect::<Vec<_>>()
        );
    }
}
