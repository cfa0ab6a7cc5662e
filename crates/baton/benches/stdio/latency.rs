//! How long a paragraph takes from the agent's write to the parent's read.

use baton_testkit::{Sandbox, bin};

use crate::{
    bridge::{Talk, Way},
    load, percentile,
};

const SECONDS: u32 = 6;
const ROUNDS: usize = 5;

pub(crate) fn run() {
    println!(
        "\nlatency of paragraphs at 50/s, microseconds, in turns (load {})",
        load()
    );
    println!("\nround  way                  p50      p99    added p50  added p99");
    let mut all = [const { Vec::new() }; 3];
    for round in 1..=ROUNDS {
        // Two cores are too few for all at once: they would measure each other.
        let ages = Way::ALL.map(ages);
        print_rows(&round.to_string(), &ages);
        for (all, ages) in all.iter_mut().zip(ages) {
            all.extend(ages);
        }
    }
    print_rows("all", &all);
}

fn print_rows(round: &str, ages: &[Vec<u64>; 3]) {
    let micros = |samples: &[u64], percent| percentile(samples, percent, 1000.0);
    for (way, samples) in Way::ALL.iter().zip(ages) {
        let (p50, p99) = (micros(samples, 50), micros(samples, 99));
        let added = |value: f64, percent| value - micros(&ages[0], percent);
        println!(
            "{round:<6} {:<17} {p50:>7.0} {p99:>8.0} {:>12.0} {:>10.0}",
            way.name(),
            added(p50, 50),
            added(p99, 99)
        );
    }
}

fn ages(way: Way) -> Vec<u64> {
    let sandbox = Sandbox::new();
    let mut talk = Talk::start(way, &sandbox, &bin("fake-claude"));
    talk.say(&format!("paragraphs 50 per second for {SECONDS} s"));
    let ages = talk.ages();
    talk.end();
    let wanted = usize::try_from(50 * SECONDS).unwrap();
    assert_eq!(ages.len(), wanted, "{} lost some", way.name());
    // The first ones also wait for programs to start.
    ages[10..].to_vec()
}
