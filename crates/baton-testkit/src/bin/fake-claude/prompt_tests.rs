use super::*;

fn done() -> Step {
    Step::Round(Round {
        say: Some("Done.".to_owned()),
        ..Round::default()
    })
}

#[test]
fn talk_before_a_tool_call_is_part_of_the_same_answer() {
    let call = Round {
        tokens: Some(3),
        tools: vec![Tool::Run("ls".to_owned())],
        ..Round::default()
    };
    assert_eq!(steps("tok 3\nbash ls"), [Step::Round(call), done()]);
}

#[test]
fn a_crash_comes_with_the_answer_it_interrupts() {
    let talk = Round {
        tokens: Some(2),
        ..Round::default()
    };
    let crash = Step::Misbehave(Misbehaviour::CrashAt(Point::Delta));
    assert_eq!(steps("crash at delta\ntok 2"), [crash, Step::Round(talk)]);
}

#[test]
fn a_pace_is_read_from_a_sentence() {
    for (prompt, paragraphs) in [
        ("rate 50 per second for 3 s", false),
        ("paragraphs 50 per second for 3 s", true),
    ] {
        let rate = Misbehaviour::Rate {
            per_second: 50,
            seconds: 3,
            paragraphs,
        };
        assert_eq!(steps(prompt), [Step::Misbehave(rate)]);
    }
}

#[test]
fn events_are_counted_and_the_answer_ends_after_them() {
    let events = Step::Misbehave(Misbehaviour::Events(7));
    assert_eq!(steps("events 7"), [events, done()]);
}

#[test]
fn other_prompts_are_read_as_the_scripted_model_reads_them() {
    let expected: Vec<Step> = directive::rounds("RUN[ls] TOK[2]")
        .into_iter()
        .map(Step::Round)
        .collect();
    assert_eq!(steps("RUN[ls] TOK[2]"), expected);
}
