//! What is added to the agent's system prompt.

use baton_protocol::event::SessionOptions;
use baton_session::agents::AgentKind;
use baton_testkit::model::{self, Request, RequestKind};

use crate::{both::both, world::MODEL};

fn instructed(text: &str) -> SessionOptions {
    SessionOptions {
        model: Some(MODEL.into()),
        append_system_prompt: Some(text.into()),
        ..SessionOptions::default()
    }
}

/// Newer versions keep the prompt of a session's first request, unless they are
/// told not to.
#[test]
fn a_changed_instruction_reaches_a_session_that_is_taken_up_again() {
    both(
        |setup| setup.replies([model::text("one"), model::text("two")]),
        async |world| {
            let mut talk = world
                .session_with(|options| *options = instructed("Answer in verse."))
                .await;
            talk.turn("one").await;
            talk.close().await;
            let changed = instructed("Answer in prose.");
            let resumed = world
                .supervisor
                .resume_with(talk.id(), AgentKind::Claude, changed);
            resumed.await.unwrap();
            talk.turn("two").await;
            let requests = world.model.requests();
            let main = requests.iter().filter(|one| one.kind == RequestKind::Main);
            let prompts: Vec<_> = main.map(Request::system_text).collect();
            assert_eq!(prompts.len(), 2);
            assert!(prompts[0].contains("Answer in verse."));
            assert!(prompts[1].contains("Answer in prose."), "{}", prompts[1]);
            assert!(!prompts[1].contains("Answer in verse."));
        },
    );
}
