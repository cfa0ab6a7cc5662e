//! The decoder survives anything.

use baton_claude::{Message, decode};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::recordings::recordings;

proptest! {
    // A fixed seed: the same inputs on every machine and every run.
    #![proptest_config(ProptestConfig {
        cases: 512,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_leave_the_decoder_alive(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        drop(decode(&bytes));
    }

    #[test]
    fn any_object_comes_out_whole(text in r#"\{"type":"(system|user|assistant|result|stream_event|control_request|x)","(subtype|event|message|request|response)":("(init|success)"|[1-9][0-9]{0,2}|null|\[\]|\{"type":"[a-z_]{0,9}"\})\}"#) {
        let message = decode(text.as_bytes()).unwrap();
        if let Message::Unknown(unknown) = message {
            prop_assert_eq!(unknown.raw.get(), text);
        }
    }
}

/// Real lines, damaged in one place: closer to what goes wrong than noise.
#[test]
fn damaged_recorded_lines_leave_the_decoder_alive() {
    let mut tried = 0;
    for rows in recordings().into_values() {
        for row in rows.iter().filter(|row| row.dir == "out").step_by(7) {
            let line = row.msg.get().as_bytes();
            for at in (0..line.len()).step_by(line.len() / 23 + 1) {
                drop(decode(&line[..at]));
                let mut damaged = line.to_vec();
                damaged[at] = damaged[at].wrapping_add(1);
                drop(decode(&damaged));
                damaged[at] = b'"';
                drop(decode(&damaged));
                tried += 3;
            }
        }
    }
    assert!(tried > 10_000, "{tried}");
}
