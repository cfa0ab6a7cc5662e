//! Two hundred lives with the fake CLI, each cut at points of its own.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use baton_testkit::{Sandbox, bin};

use super::{
    house::{House, Victims},
    life::{Cue, Kill, Life, Moment, Pause, Said},
    verdict,
};

const LIVES: u64 = 200;
/// More than cores: a life waits for its processes most of the time.
const LANES: usize = 6;
/// About as many frames as a life has that nobody disturbs.
const FRAMES: u64 = 90;

/// The same numbers for the same seed, for ever.
struct Dice(u64);

impl Dice {
    /// One of `0..sides`.
    fn throw(&mut self, sides: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn kills(&mut self) -> Vec<Kill> {
        let mut frames: Vec<_> = (0..=self.throw(2)).map(|_| self.throw(FRAMES)).collect();
        frames.sort_unstable();
        let kill = |frame: u64| {
            let victims = [
                (true, false, false),
                (true, false, false),
                (false, false, true),
                (false, true, false),
                (true, false, true),
                (true, true, false),
                (true, true, true),
            ];
            let pick = usize::try_from(self.throw(victims.len() as u64)).unwrap();
            let (daemon, holder, agent) = victims[pick];
            Kill {
                moment: Moment::Frames(usize::try_from(frame).unwrap()),
                pause: Pause::Reaction(Duration::from_micros(self.throw(4) * self.throw(1000))),
                victims: Victims {
                    daemon,
                    holder,
                    agent,
                },
            }
        };
        frames.into_iter().map(kill).collect()
    }
}

fn script() -> Vec<Said> {
    let first = "say one\nbash echo a >> effects\nquestion Which?|A|B\nsay two";
    let second = "tok 5\nbash echo b >> effects\nbackground echo c >> effects\nsay three";
    let third = "think hm\nsay four\nbash echo d >> effects";
    vec![
        Said::new(1, Cue::Quiet, first),
        Said::new(2, Cue::Busy, second),
        Said::new(3, Cue::Quiet, third),
    ]
}

fn life(seed: u64) {
    let mut house = House::new(Sandbox::new(), bin("fake-claude"));
    let mut life = Life::new(&mut house, script(), Dice(seed).kills());
    life.live();
    life.stop();
    let Life { seen, script, .. } = life;
    verdict::check(&house, &seen, &script);
}

/// One seed to look at, or all of them.
#[expect(
    clippy::disallowed_methods,
    reason = "how a person runs one life again"
)]
fn seeds() -> std::ops::Range<u64> {
    let wanted = std::env::var("BATON_TEST_SEED").ok();
    match wanted.and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..seed + 1,
        None => 0..LIVES,
    }
}

#[test]
fn whatever_is_killed_whenever_nothing_is_lost_and_nothing_runs_twice() {
    let seeds = seeds();
    let next = AtomicU64::new(seeds.start);
    let failed = Mutex::new(Vec::new());
    let lane = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if !seeds.contains(&seed) {
                return;
            }
            if catch_unwind(AssertUnwindSafe(|| life(seed))).is_err() {
                failed.lock().unwrap().push(seed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(lane);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(
        failed.is_empty(),
        "these lives failed (BATON_TEST_SEED runs one alone): {failed:?}"
    );
}
