//! Outputs that the CLI does not show its model whole.

use baton_protocol::{Event, words::PermissionMode};
use baton_testkit::model;
use serde_json::json;

use crate::both::both;

#[test]
fn an_output_that_the_cli_puts_aside_is_in_the_log_whole() {
    both(
        |setup| {
            let call = json!({"command": "seq 1 200000", "description": "x"});
            setup.replies([model::tool_use("Bash", call), model::text("Done.")])
        },
        async |world| {
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            talk.turn("count").await;
            let ended = talk.seen.iter().find_map(|one| match &one.event {
                Event::ToolCompleted(ended) => Some(ended.clone()),
                _ => None,
            });
            let ended = ended.unwrap();
            assert!(ended.output.starts_with("<persisted-output>"));
            assert!(ended.truncated);
            let whole: String = (1..=200_000).map(|line| format!("{line}\n")).collect();
            assert_eq!(ended.bytes, Some(whole.len() as u64));
            let store = world.store();
            let kept = store.blob(talk.id(), ended.output_blob.unwrap()).await;
            let kept = kept.unwrap().unwrap();
            assert_eq!(String::from_utf8_lossy(&kept.bytes), whole);
        },
    );
}
