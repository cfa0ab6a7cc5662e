//! Many sessions that talk at 50 tokens a second each.

use std::{cell::RefCell, rc::Rc, time::Duration};

use tokio::task::{JoinSet, LocalSet};

use crate::{
    client::{Client, live_text, whole_text},
    fleet::Fleet,
    now, permille, proc,
};

const PER_SECOND: u64 = 50;

/// What the client received.
#[derive(Default)]
struct Tally {
    /// When each token was written and how old it was when it came.
    tokens: Vec<(u64, u64)>,
    frames: u64,
    /// Sessions from which something came.
    begun: usize,
    /// Every token of whole answers.
    written: Vec<u64>,
    over: usize,
}

pub(crate) async fn run(counts: &[usize], window: Duration) {
    println!(
        "sessions at {PER_SECOND} tokens/s each, a connection per session, {} s\n",
        window.as_secs()
    );
    println!(
        "sessions  baton %  daemon %  holders %  us/token  p50 us  p99 us  p99.9 us  delivered %  merged %  daemon PSS MB  private MB/session  agents %  client %  machine %  load"
    );
    for count in counts {
        LocalSet::new().run_until(one(*count, window)).await;
    }
    println!();
}

async fn one(count: usize, window: Duration) {
    let fleet = Fleet::start().await;
    let tally = Rc::new(RefCell::new(Tally::default()));
    let mut client = Client::connect(&fleet.data()).await;
    let empty = proc::memory(fleet.daemon());
    let begin = now();
    let mut sessions = Vec::new();
    for _ in 0..count {
        let session = fleet.create(&mut client, "say Good day.").await;
        let mut reader = Client::connect(&fleet.data()).await;
        reader.subscribe(&session).await;
        reader.until_turn_over().await;
        sessions.push((session, reader));
    }
    // To tell them all takes less than that, so all talk through the window.
    let start = Duration::from_nanos(now() - begin);
    let seconds = (start + window).as_secs() + 3;
    let prompt = format!("rate {PER_SECOND} per second for {seconds} s");
    let mut readers = JoinSet::new();
    for (session, reader) in sessions {
        client.message(&session, &prompt).await;
        readers.spawn_local(listen(reader, Rc::clone(&tally)));
    }
    while tally.borrow().begun < count {
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(
            tally.borrow().over == 0,
            "the start took longer than the answers"
        );
    }
    let (holders, agents) = (fleet.holders(), fleet.agents());
    assert!(
        holders.len() == count && agents.len() == count,
        "{} holders, {} agents",
        holders.len(),
        agents.len()
    );
    let before = fleet.cpu(&holders, &agents);
    tokio::time::sleep(window).await;
    let after = fleet.cpu(&holders, &agents);
    assert!(tally.borrow().over == 0, "answers ended inside the window");
    let memory = proc::memory(fleet.daemon());
    let held = proc::memory_of(&holders);
    let load = proc::load();
    while readers.join_next().await.is_some() {}
    let tally = tally.borrow();
    let inside = |stamp: u64| (before.at..after.at).contains(&stamp);
    let written = tally.written.iter().filter(|stamp| inside(**stamp)).count();
    let mut ages: Vec<u64> = tally
        .tokens
        .iter()
        .filter(|(stamp, _)| inside(*stamp))
        .map(|(_, age)| *age / 1000)
        .collect();
    ages.sort_unstable();
    let spent = after.since(before);
    let per_session = |bytes: u64| bytes as f64 / 1e6 / count as f64;
    println!(
        "{count:8}  {:7.1}  {:8.1}  {:9.1}  {:8.1}  {:6}  {:6}  {:8}  {:11.2}  {:8.2}  {:13.1}  daemon {:.3} holder {:.3} (PSS {:.3})  {:8.1}  {:8.1}  {:9.1}  {load}",
        spent.percent(spent.baton()),
        spent.percent(spent.daemon),
        spent.percent(spent.holders),
        spent.baton() as f64 * 1e3 / ages.len() as f64,
        permille(&ages, 500),
        permille(&ages, 990),
        permille(&ages, 999),
        ages.len() as f64 * 100.0 / written as f64,
        100.0 - tally.frames as f64 * 100.0 / tally.tokens.len() as f64,
        memory.pss as f64 / 1e6,
        per_session(memory.private.saturating_sub(empty.private)),
        per_session(held.private),
        per_session(held.pss),
        spent.percent(spent.agents),
        spent.percent(spent.client),
        spent.percent(spent.machine),
    );
}

async fn listen(mut client: Client, tally: Rc<RefCell<Tally>>) {
    let mut begun = false;
    loop {
        let Some(line) = client.line().await else {
            panic!("the daemon closed");
        };
        let stamps = |text: &str| -> Vec<u64> {
            text.split_whitespace()
                .filter_map(|stamp| stamp.parse().ok())
                .collect()
        };
        if let Some(text) = live_text(line) {
            let stamps = stamps(text);
            let mut tally = tally.borrow_mut();
            let came = client.came;
            tally.frames += 1;
            tally.begun += usize::from(!begun);
            begun = true;
            let ages = stamps.iter().map(|stamp| (*stamp, came - stamp));
            tally.tokens.extend(ages);
        } else if let Some(text) = whole_text(line) {
            let stamps = stamps(&text);
            let mut tally = tally.borrow_mut();
            tally.written.extend(stamps);
            tally.over += 1;
            return;
        }
    }
}
