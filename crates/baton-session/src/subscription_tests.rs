//! Readers that come and go at any moment while a session writes.

use std::{collections::BTreeMap, time::Duration};

use baton_protocol::{
    Event, EventDraft, Live, ProjectId, RunnerId, SessionId, Timestamp, Turn,
    event::{AssistantBlock, AssistantMessage, Notification, TurnCompleted, TurnStats},
    live::TextDelta,
    words::StopReason,
};
use baton_store::{Append, NewSession, Store, StoreOptions};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(0);

/// What may happen next.
#[derive(Debug, Clone)]
enum Step {
    /// The agent writes on in the open block.
    Text(&'static str),
    /// The open block is complete.
    Complete,
    /// Something else is recorded, with or without the block's end.
    Note,
    /// The turn is over; an open block never completes.
    TurnOver,
    /// A reader looks this many times.
    Look { reader: usize, times: usize },
    /// A reader comes, so many events behind.
    Join { behind: u64 },
}

/// A session that writes as the actor does: the log first, then the buffer.
struct Writer {
    store: Store,
    live: Arc<LiveBuffer>,
    session: SessionId,
    head: Seq,
    message: u32,
    /// Every block's text so far, by message.
    texts: BTreeMap<String, String>,
    /// The event after which a block is gone.
    gone_at: BTreeMap<String, Seq>,
}

impl Writer {
    async fn new() -> Self {
        let session = SessionId::from_uuid(Uuid::from_u128(1));
        let runner = RunnerId::from_uuid(Uuid::from_u128(2));
        let store = Store::in_memory(&StoreOptions::new(runner)).unwrap();
        let live = Arc::new(LiveBuffer::new(session, Seq::START, Turn(1), NOW));
        let mut writer = Self {
            store,
            live,
            session,
            head: Seq::START,
            message: 0,
            texts: BTreeMap::new(),
            gone_at: BTreeMap::new(),
        };
        let create = NewSession {
            project_id: ProjectId::from_digest(&[0; 32]),
            project_path: "/home/user/project".into(),
            created_at: NOW,
        };
        writer.commit(note(), Some(create), false).await;
        writer
    }

    fn open(&self) -> String {
        format!("m{}", self.message)
    }

    fn text(&mut self, text: &str) {
        let id = self.open();
        let so_far = self.texts.entry(id.clone()).or_default();
        let delta = TextDelta {
            message_id: id,
            block: 0,
            offset: units(so_far),
            text: text.to_owned(),
        };
        so_far.push_str(text);
        self.live.push(NOW, Live::AssistantDelta(delta));
    }

    async fn complete(&mut self) {
        let id = self.open();
        let content = self.texts.entry(id.clone()).or_default().clone();
        let block = AssistantBlock {
            message_id: id,
            agent_uuid: None,
            block: 0,
            content,
            model: None,
            usage: None,
            parent_tool_use_id: None,
            aborted: false,
        };
        self.commit(AssistantMessage(block).into(), None, true)
            .await;
    }

    async fn turn_over(&mut self) {
        let completed = TurnCompleted {
            turn: Turn(1),
            message_ids: Vec::new(),
            stop_reason: StopReason::End,
            exit_code: None,
            is_error: false,
            result: None,
            structured_output: None,
            duration_ms: 0,
            cost_usd: None,
            usage: None,
            stats: TurnStats::default(),
            still_running: Vec::new(),
        };
        self.commit(completed.into(), None, true).await;
    }

    async fn commit(&mut self, event: Event, create: Option<NewSession>, ends_block: bool) {
        let turn_over = matches!(event, Event::TurnCompleted(_));
        let mut append = Append::to(self.session);
        append.create = create;
        append.events.push(EventDraft {
            ts: NOW,
            turn: Turn(1),
            agent_id: None,
            event,
        });
        self.head = self.store.append(append).await.unwrap().last;
        let mut done = Vec::new();
        if ends_block {
            self.gone_at.insert(self.open(), self.head);
            done.push((self.open(), 0));
            self.message += 1;
        }
        self.live.committed(self.head, Turn(1), &done, turn_over);
    }

    fn reader(&self, after: Seq) -> Reader {
        let follow = self.store.follow(self.session, after);
        Reader {
            subscription: Subscription::new(follow, &self.live, after),
            last: after,
            seen: BTreeMap::new(),
        }
    }
}

/// A reader that believes nothing.
struct Reader {
    subscription: Subscription,
    last: Seq,
    /// What it has read of each block.
    seen: BTreeMap<String, String>,
}

impl Reader {
    /// Looks once, without waiting long; says whether there was something.
    async fn look(&mut self, writer: &Writer, patience: Duration) -> bool {
        let next = tokio::time::timeout(patience, self.subscription.next()).await;
        match next {
            Err(_) => return false,
            Ok(Ok(Item::Event(event))) => {
                assert_eq!(event.seq, self.last.next(), "every event once, in order");
                self.last = event.seq;
            }
            Ok(Ok(Item::Live(frame))) => self.frame(&frame, writer),
            Ok(Err(error)) => panic!("{error}"),
        }
        true
    }

    fn frame(&mut self, frame: &LiveFrame, writer: &Writer) {
        assert_eq!(frame.after, self.last, "a frame follows what was just read");
        let Live::AssistantDelta(delta) = &frame.live else {
            panic!("{frame:?}");
        };
        let gone = writer.gone_at.get(&delta.message_id);
        assert!(
            gone.is_none_or(|gone| self.last < *gone),
            "text of a finished block"
        );
        let seen = self.seen.entry(delta.message_id.clone()).or_default();
        assert_eq!(delta.offset, units(seen), "neither gap nor overlap");
        seen.push_str(&delta.text);
        assert!(writer.texts[&delta.message_id].starts_with(seen.as_str()));
    }
}

fn units(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

fn note() -> Event {
    Event::Notification(Notification {
        title: None,
        message: "something".into(),
        kind: "note".into(),
    })
}

fn step() -> impl Strategy<Value = Step> {
    let words = proptest::sample::select(&["a ", "😀", "日本 ", "some words "][..]);
    prop_oneof![
        6 => words.prop_map(Step::Text),
        2 => Just(Step::Complete),
        1 => Just(Step::Note),
        1 => Just(Step::TurnOver),
        5 => (0_usize..4, 1_usize..6).prop_map(|(reader, times)| Step::Look { reader, times }),
        1 => (0_u64..10).prop_map(|behind| Step::Join { behind }),
    ]
}

async fn run(steps: &[Step]) {
    let mut writer = Writer::new().await;
    let mut readers = vec![writer.reader(Seq::START)];
    for step in steps {
        match step {
            Step::Text(text) => writer.text(text),
            Step::Complete => writer.complete().await,
            Step::Note => writer.commit(note(), None, false).await,
            Step::TurnOver => writer.turn_over().await,
            Step::Look { reader, times } => {
                let reader = *reader % readers.len();
                for _ in 0..*times {
                    readers[reader]
                        .look(&writer, Duration::from_millis(1))
                        .await;
                }
            }
            Step::Join { behind } => {
                let after = Seq(writer.head.0.saturating_sub(*behind));
                readers.push(writer.reader(after));
            }
        }
    }
    let open = writer.open();
    for reader in &mut readers {
        // Events are waited for; what the open block says comes with them.
        while reader.last < writer.head {
            assert!(
                reader.look(&writer, Duration::from_secs(20)).await,
                "an event is missing"
            );
        }
        while reader.seen.get(&open) != writer.texts.get(&open) {
            assert!(
                reader.look(&writer, Duration::from_secs(20)).await,
                "text is missing"
            );
        }
        let more = reader.look(&writer, Duration::from_millis(1)).await;
        assert!(!more, "something was told twice");
    }
    drop(readers);
    writer.store.close().await;
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_reader_sees_each_event_once_and_text_without_gap_or_overlap(
        steps in proptest::collection::vec(step(), 1..60)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(&steps));
    }
}

#[test]
fn a_waiting_reader_is_woken_by_text_and_by_events() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut writer = Writer::new().await;
        let mut reader = writer.reader(writer.head);
        let limit = Duration::from_secs(20);
        let waiting = tokio::time::timeout(limit, reader.subscription.next());
        let (item, ()) = tokio::join!(waiting, async { writer.text("x") });
        assert!(matches!(item, Ok(Ok(Item::Live(_)))));
        let waiting = tokio::time::timeout(limit, reader.subscription.next());
        let (item, ()) = tokio::join!(waiting, writer.complete());
        assert!(matches!(item, Ok(Ok(Item::Event(_)))));
        drop(reader);
        writer.store.close().await;
    });
}
