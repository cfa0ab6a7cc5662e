//! Every recorded session, with its frames and without.

use std::path::PathBuf;

use baton_protocol::{Live, live::TextDelta};
use serde_json::Value;

use super::{
    super::{Overview, Paragraphs},
    script::{Given, Session},
};
use crate::machine::Facts;

/// The sessions that recordings became: `TURN TYPE [AGENT] PAYLOAD` for an
/// event, `~ TYPE MESSAGE BLOCK @OFFSET TEXT` for a frame.
fn recorded() -> Vec<(String, Session)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/events");
    let mut sessions = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut session = Session::default();
        for line in text.lines() {
            read(&mut session, line);
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        sessions.push((name, session));
    }
    assert!(sessions.len() > 30, "the recordings are here");
    sessions
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

#[test]
fn every_recorded_session_folds_to_what_the_engine_knows() {
    for (name, session) in recorded() {
        let (mut facts, mut view) = (Facts::default(), Overview::default());
        for given in &session.given {
            let Given::Event(envelope) = given else {
                continue;
            };
            facts.apply(envelope.ts, &envelope.event);
            view.event(envelope);
            let tools = view.tree().running_tools().iter();
            let mut tools: Vec<_> = tools.map(|tool| &tool.tool_use_id).collect();
            tools.sort();
            let ended = facts.state == Some(baton_protocol::words::SessionState::Ended);
            if !ended {
                assert_eq!(tools, facts.tools.keys().collect::<Vec<_>>(), "{name}");
                let tasks: Vec<_> = view.tasks().collect();
                assert_eq!(tasks, facts.tasks.values().collect::<Vec<_>>(), "{name}");
            }
            assert_eq!(view.todo(), facts.todo, "{name}");
            let open = view.open_approvals().into_iter().map(|one| &one.request);
            let mut open: Vec<_> = open.collect();
            open.sort_by_key(|request| request.approval_id);
            assert_eq!(open, facts.approvals.values().collect::<Vec<_>>(), "{name}");
            let queue: Vec<_> = view.queue().iter().map(|one| one.message_id).collect();
            let known: Vec<_> = facts.queue.iter().map(|one| one.id).collect();
            assert_eq!(queue, known, "{name}");
        }
    }
}
