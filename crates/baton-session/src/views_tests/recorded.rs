//! Every recorded session, with its frames and without.

use std::path::{Path, PathBuf};

use baton_protocol::{Live, live::TextDelta};
use serde_json::Value;

use super::{
    super::Paragraphs,
    script::{Given, Session},
};

/// The sessions that recordings became: `TURN TYPE [AGENT] PAYLOAD` for an
/// event, `~ TYPE MESSAGE BLOCK @OFFSET TEXT` for a frame.
pub(super) fn recorded() -> Vec<(String, Session)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/events");
    let mut sessions = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        sessions.push((name, session_in(&path)));
    }
    sessions.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(sessions.len() > 30, "the recordings are here");
    sessions
}

pub(super) fn session_in(file: &Path) -> Session {
    let mut session = Session::default();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        read(&mut session, line);
    }
    session
}

fn read(session: &mut Session, line: &str) {
    let (first, rest) = line.split_once(' ').unwrap_or_default();
    if first == "~" {
        let mut words = rest.splitn(5, ' ');
        let mut word = || words.next().unwrap_or_default();
        let (kind, message_id, block, offset) = (word(), word().to_owned(), word(), word());
        let text = word();
        let Some(offset) = offset.strip_prefix('@') else {
            return;
        };
        let delta = TextDelta {
            message_id,
            block: block.parse().unwrap(),
            offset: offset.parse().unwrap(),
            text: serde_json::from_str(text).unwrap(),
        };
        session.live(match kind {
            "assistant.delta" => Live::AssistantDelta(delta),
            _ => Live::ThinkingDelta(delta),
        });
    } else if first.parse::<u32>().is_ok() {
        let (name, rest) = rest.split_once(' ').unwrap();
        let (agent, payload) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (agent, payload) = rest.split_once("] ").unwrap();
                (Some(agent), payload)
            }
            None => (None, rest),
        };
        let payload: Value = serde_json::from_str(payload).unwrap();
        session.event(name, agent, &payload);
    }
}

#[test]
fn every_recorded_session_is_the_same_text_live_and_replayed() {
    for (name, session) in recorded() {
        let (mut live, mut replayed) = (Paragraphs::default(), Paragraphs::default());
        let (mut told, mut told_again) = (Vec::new(), Vec::new());
        for given in &session.given {
            match given {
                Given::Event(envelope) => {
                    told.extend(live.event(envelope));
                    told_again.extend(replayed.event(envelope));
                }
                Given::Live(frame) => told.extend(live.live(frame)),
            }
        }
        // Fixtures show long texts by their beginning, so those blocks differ.
        told.retain(|paragraph| !cut(&paragraph.message_id, &session));
        told_again.retain(|paragraph| !cut(&paragraph.message_id, &session));
        assert_eq!(told, told_again, "{name}");
        let said: String =
            session
                .given
                .iter()
                .filter_map(Given::block)
                .fold(String::new(), |all, block| {
                    if cut(&block.message_id, &session) {
                        all
                    } else {
                        all + &block.content
                    }
                });
        let paragraphs: String = told.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(paragraphs, said, "{name}");
    }
}

fn cut(message: &str, session: &Session) -> bool {
    let mut blocks = session.given.iter().filter_map(Given::block);
    blocks.any(|block| block.message_id == message && block.content.ends_with(" characters)"))
}
