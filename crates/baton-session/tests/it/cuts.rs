//! Owners that die before and after everything they do that lasts: each commit,
//! each effect, each line to the agent. The next owner goes on, and the log
//! looks as if nothing had happened.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};

use baton_protocol::{
    ApprovalId, Envelope, Event, MessageId, Seq, SessionId, Timestamp, Turn,
    words::{ApprovalKind, EndStatus, SessionState, StopReason},
};
use baton_session::{
    CommandError, Item, Outbound, RealWorld, SessionHandle, Step, World as _,
    agents::AskDecision,
    machine::{Facts, Phase, WhenBusy},
};
use baton_store::SessionFilter;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    accounts, rules,
    talk::{allow, allow_with, outbound, soon},
    world::{Setup, World},
};

/// More than cores: a life waits for its processes most of the time.
const LANES: usize = 4;

/// Surroundings in which an owner dies at its n-th step.
#[derive(Debug)]
struct Cut {
    left: AtomicI64,
    fired: CancellationToken,
}

impl Cut {
    fn at(step: i64) -> Arc<Self> {
        Arc::new(Self {
            left: AtomicI64::new(step),
            fired: CancellationToken::new(),
        })
    }

    fn never() -> Arc<Self> {
        Self::at(i64::MAX)
    }
}

impl baton_session::World for Cut {
    fn now(&self) -> Timestamp {
        RealWorld.now()
    }

    fn id(&self) -> Uuid {
        RealWorld.id()
    }

    fn random_id(&self) -> Uuid {
        RealWorld.random_id()
    }

    fn reaches(&self, _step: Step) {
        // The dead stay dead.
        if self.left.fetch_sub(1, Ordering::SeqCst) <= 1 {
            self.fired.cancel();
            // As a panic unwinds, but without its words.
            resume_unwind(Box::new("cut"));
        }
    }
}

/// When a message is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cue {
    /// Into the middle of the turn before, or after it.
    Busy,
    /// When nothing is left to do.
    Quiet,
}

/// What is said in a life, and how it ends.
struct Story {
    lines: &'static [(Cue, &'static str)],
    /// The session is ended, not only its process.
    ends: bool,
    /// Something goes wrong in it besides the cut.
    troubled: bool,
    /// The first turn is interrupted.
    interrupted: bool,
}

/// A client that does not give up: whatever dies, it reads the log, says again
/// what was not confirmed, and goes on.
struct Person<'a> {
    story: &'a Story,
    ids: Vec<MessageId>,
    confirmed: usize,
    answered: BTreeSet<ApprovalId>,
    session: Option<SessionId>,
    seen: Vec<Envelope>,
    facts: Facts,
}

impl<'a> Person<'a> {
    fn new(story: &'a Story) -> Self {
        let id = |_: &_| MessageId::from_uuid(RealWorld.random_id());
        Self {
            story,
            ids: story.lines.iter().map(id).collect(),
            confirmed: 0,
            answered: BTreeSet::new(),
            session: None,
            seen: Vec::new(),
            facts: Facts::default(),
        }
    }

    /// Lives to the end, unless the owner dies first.
    async fn live(&mut self, world: &mut World) {
        let handle = self.find(world).await;
        world.follow(handle.clone());
        self.session = Some(handle.id());
        self.answered.clear();
        self.seen = world.log(handle.id()).await;
        self.facts = Facts::replay(&self.seen);
        let mut feed = handle.subscribe(self.last());
        // A dead owner may have had no time for it.
        self.interrupt(&handle).await;
        while !self.is_over() {
            self.react(&handle).await;
            // What was done before the cut is told by no further event.
            if self.is_over() {
                break;
            }
            match soon("an event", feed.next()).await.unwrap() {
                Item::Event(stored) => {
                    let event = stored.envelope().unwrap();
                    self.facts.apply(event.ts, &event.event);
                    self.seen.push(event);
                }
                Item::Live(_) => self.interrupt(&handle).await,
            }
        }
        if self.story.ends {
            // It may have been ended before the cut.
            done(handle.end(EndStatus::Stopped, "done").await).await;
        } else {
            done(handle.close().await).await;
        }
        let gone = handle.wait_for(|progress| !progress.has_process);
        soon("the process ends", gone).await;
        if self.story.ends {
            let gone = handle.wait_for(|progress| progress.ended);
            soon("the session ends", gone).await;
        }
    }

    /// The session, which may have been made without a word.
    async fn find(&self, world: &World) -> SessionHandle {
        let store = world.supervisor.store();
        let known = store.sessions(SessionFilter::default(), None, 1).await;
        if let Some(row) = known.unwrap().items.first() {
            return world.supervisor.open(row.id).await.unwrap();
        }
        let spec = world.spec(baton_protocol::event::SessionOptions::default());
        match world.supervisor.create(spec).await {
            Ok(handle) => handle,
            Err(_) => std::future::pending().await,
        }
    }

    async fn interrupt(&self, handle: &SessionHandle) {
        let runs = self.facts.open.turn == Turn(1) && self.facts.phase != Phase::Idle;
        if self.story.interrupted && runs {
            done(handle.interrupt().await).await;
        }
    }

    fn last(&self) -> Seq {
        self.seen.last().map_or(Seq::START, |last| last.seq)
    }

    fn is_over(&self) -> bool {
        let facts = &self.facts;
        let idle = facts.phase == Phase::Idle && facts.state == Some(SessionState::Idle);
        let rests = idle && facts.open.queue.is_empty() && facts.open.tasks.is_empty();
        self.confirmed == self.ids.len()
            && self.ids.iter().all(|id| facts.messages.contains_key(id))
            && (rests || facts.state == Some(SessionState::Ended))
    }

    async fn react(&mut self, handle: &SessionHandle) {
        let open = self.facts.open.asked();
        let open: Vec<_> = open.map(|asked| (asked.approval_id, asked.kind)).collect();
        for (id, kind) in open {
            if self.answered.insert(id) {
                done(handle.answer(id, decision(kind), None).await).await;
            }
        }
        let Some((cue, text)) = self.story.lines.get(self.confirmed) else {
            return;
        };
        let id = self.ids[self.confirmed];
        let rests = self.facts.phase == Phase::Idle && self.facts.open.queue.is_empty();
        let busy = self.seen.iter().any(|envelope| {
            matches!(
                envelope.event,
                Event::ToolRequested(_) | Event::TurnCompleted(_)
            )
        });
        let due = match cue {
            Cue::Busy => busy,
            Cue::Quiet => rests,
        };
        if due || self.facts.messages.contains_key(&id) {
            let message = outbound(text, WhenBusy::Queue);
            let sent = handle.send(Outbound { id, ..message }).await;
            done(sent).await;
            self.confirmed += 1;
        }
    }
}

fn decision(kind: ApprovalKind) -> AskDecision {
    match kind {
        ApprovalKind::Question => allow_with(json!({"answers": {"Which?": "A"}})),
        _ => allow(),
    }
}

/// A dead owner does not answer. What a living one refuses was done before.
async fn done<T>(result: Result<T, CommandError>) {
    match result {
        Ok(_) | Err(CommandError::Rejected(_)) => {}
        // Its death is told elsewhere.
        Err(_) => std::future::pending().await,
    }
}

/// A life whose first owners die at these steps. Says whether the first did.
async fn life(story: &Story, cuts: &[i64]) -> bool {
    let mut owners = cuts.iter().map(|step| Cut::at(*step)).collect::<Vec<_>>();
    owners.push(Cut::never());
    let setup = Setup::fake().surroundings(Arc::clone(&owners[0]) as Arc<dyn baton_session::World>);
    let mut world = setup.start();
    let mut person = Person::new(story);
    for (number, cut) in owners.iter().enumerate() {
        if number > 0 {
            let owner = Arc::clone(cut) as Arc<dyn baton_session::World>;
            world.take_over_in(owner).await;
        }
        let was_cut = tokio::select! {
            biased;
            () = cut.fired.cancelled() => true,
            () = person.live(&mut world) => false,
        };
        if !was_cut {
            break;
        }
        world.let_go().await;
    }
    let session = person.session.unwrap();
    let log = world.log(session).await;
    let texts = story.lines.iter().map(|(_, text)| *text);
    let said = person.ids.iter().copied().zip(texts);
    accounts::messages(&log, said.skip(usize::from(story.interrupted)));
    let end = log.iter().find_map(|envelope| match &envelope.event {
        Event::TurnCompleted(end) => Some(end.stop_reason),
        _ => None,
    });
    let interrupted = end == Some(StopReason::Interrupted);
    assert_eq!(interrupted, story.interrupted, "in\n{}", rules::text(&log));
    let effects = std::fs::read_to_string(world.sandbox.project().join("effects"));
    let effects: Vec<String> = effects
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect();
    accounts::effects(&log, &effects);
    if !story.troubled {
        accounts::undisturbed(&log);
    }
    let holders = world.sandbox.data().join("holders");
    let left: Vec<_> = std::fs::read_dir(holders).unwrap().flatten().collect();
    assert!(
        left.is_empty(),
        "{left:?} is left\nin\n{}",
        rules::text(&log)
    );
    world.finish().await;
    owners[0].fired.is_cancelled()
}

/// Cuts at the first step, the second, and so on until nothing is left to cut.
fn cut_everywhere(story: &Story, again: Option<i64>) {
    let next = AtomicI64::new(1);
    let over = AtomicBool::new(false);
    let failed = Mutex::new(Vec::new());
    let lane = || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        while !over.load(Ordering::SeqCst) {
            let step = next.fetch_add(1, Ordering::SeqCst);
            let cuts: Vec<_> = [step]
                .into_iter()
                .chain(again.map(|of| 1 + step % of))
                .collect();
            let run = AssertUnwindSafe(|| runtime.block_on(life(story, &cuts)));
            match catch_unwind(run) {
                Ok(was_cut) => over.fetch_or(!was_cut, Ordering::SeqCst),
                Err(_) => {
                    failed.lock().unwrap().push(cuts);
                    failed.lock().unwrap().len() > 9 && over.fetch_or(true, Ordering::SeqCst)
                }
            };
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(lane);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "failed when cut at steps {failed:?}");
    let steps = next.into_inner();
    assert!(steps > 40, "a life has more than {steps} steps");
}

#[test]
fn an_owner_cut_anywhere_in_a_turn_with_an_approval_leaves_no_trace() {
    let lines = &[(Cue::Quiet, "say one\nbash echo a >> effects\nsay two")];
    let story = Story {
        lines,
        ends: true,
        troubled: false,
        interrupted: false,
    };
    cut_everywhere(&story, None);
}

#[test]
fn an_owner_cut_anywhere_in_a_turn_with_a_question_and_a_queue_leaves_no_trace() {
    let lines = &[
        (Cue::Quiet, "question Which?|A|B\nsay two"),
        (Cue::Busy, "bash echo b >> effects"),
    ];
    let story = Story {
        lines,
        ends: false,
        troubled: false,
        interrupted: false,
    };
    cut_everywhere(&story, None);
}

#[test]
fn an_owner_cut_anywhere_in_a_fall_back_loses_nothing_and_runs_nothing_twice() {
    let lines = &[
        (
            Cue::Quiet,
            "crash at before-result\nsay one\nbash echo c >> effects",
        ),
        (Cue::Quiet, "crash at init\nsay two"),
    ];
    let story = Story {
        lines,
        ends: false,
        troubled: true,
        interrupted: false,
    };
    cut_everywhere(&story, None);
}

#[test]
fn an_owner_cut_while_it_takes_over_leaves_no_trace() {
    let lines = &[(Cue::Quiet, "bash echo d >> effects\nsay two")];
    let story = Story {
        lines,
        ends: true,
        troubled: false,
        interrupted: false,
    };
    cut_everywhere(&story, Some(5));
}

#[test]
fn an_owner_cut_anywhere_in_an_interrupted_turn_ends_it_once() {
    let lines = &[(Cue::Quiet, "hang"), (Cue::Quiet, "say two")];
    let story = Story {
        lines,
        ends: true,
        troubled: true,
        interrupted: true,
    };
    cut_everywhere(&story, None);
}
