//! A claude that knows no stream-json: one answer per process, in plain text.

use std::path::PathBuf;

use baton_protocol::{
    Event,
    words::{PermissionMode, RuleDecision},
};
use baton_store::RuleScope;
use expect_test::expect;

use crate::world::{Setup, World, wait_until};

/// It refuses what it does not know, keeps what it was started with, and does
/// what the prompt says.
fn old_claude() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/old-claude.sh")
}

/// The arguments of each start, without the name of the session.
fn started(world: &World) -> Vec<String> {
    let text = std::fs::read_to_string(world.sandbox.project().join("started"));
    let without = |line: &str| {
        let words = line
            .split(' ')
            .filter(|word| !word.starts_with("--session-id"))
            // A folder of the process's own.
            .map(|word| match word.strip_prefix("--settings=") {
                Some(_) => "--settings=FILE",
                None => word,
            });
        words.collect::<Vec<_>>().join(" ")
    };
    text.unwrap().lines().map(without).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claude_without_stream_json_answers_in_plain_text_and_only_reads() {
    let mut world = Setup::of(old_claude()).start();
    let mut talk = world.session().await;
    talk.turn("one").await;
    talk.turn("--two").await;
    talk.turn("fail").await;
    let told = talk
        .seen
        .iter()
        .filter_map(|envelope| match &envelope.event {
            Event::RuntimeFallback(fallback) => Some(format!("text {}", fallback.text_output)),
            Event::AssistantMessage(said) => Some(said.0.content.trim_end().replace('\n', " ")),
            Event::MessageDelivered(_) => Some("delivered".into()),
            Event::Error(error) => Some(error.code.to_string()),
            Event::TurnCompleted(end) => Some(format!("{} {:?}", end.stop_reason, end.result)),
            _ => None,
        });
    let told = told.collect::<Vec<_>>().join("\n");
    expect![[r#"
        text true
        delivered
        You said: one
        end Some("You said:\none")
        delivered
        You said: --two
        end Some("You said:\n--two")
        delivered
        I cannot
        agent_exited
        error None
        --print --output-format text --model=claude-sonnet-4-5 --permission-mode=default --setting-sources=user --settings=FILE --tools=Read,Glob,Grep,WebSearch,WebFetch --strict-mcp-config -- one
        --print --output-format text --model=claude-sonnet-4-5 --permission-mode=default --setting-sources=user --settings=FILE --tools=Read,Glob,Grep,WebSearch,WebFetch --strict-mcp-config -- --two
        --print --output-format text --model=claude-sonnet-4-5 --permission-mode=default --setting-sources=user --settings=FILE --tools=Read,Glob,Grep,WebSearch,WebFetch --strict-mcp-config -- fail"#]].assert_eq(&format!("{told}\n{}", started(&world).join("\n")));
    let refused = talk.handle.rewind(talk.send("three").await, true).await;
    assert!(refused.unwrap_err().to_string().contains("plain text"));
    talk.until_turn_end().await;
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_in_plain_text_is_stopped_at_once() {
    let mut world = Setup::of(old_claude()).start();
    let mut talk = world.session().await;
    talk.send("wait").await;
    let waits = world.sandbox.project().join("waits");
    wait_until("it waits", || waits.exists()).await;
    talk.handle.interrupt().await.unwrap();
    until!(talk, TurnCompleted, |end| end.stop_reason.as_str()
        == "interrupted");
    talk.until_gone().await;
    world.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_bypass_without_rules_gives_plain_text_every_tool() {
    let mut world = Setup::of(old_claude()).start();
    let bypass = |options: &mut baton_protocol::event::SessionOptions| {
        options.permission_mode = Some(PermissionMode::BypassPermissions);
    };
    let mut talk = world.session_with(bypass).await;
    talk.turn("one").await;
    let rule = world
        .supervisor
        .add_rule("Bash(rm:*)", RuleDecision::Deny, RuleScope::User, None);
    rule.await.unwrap();
    talk.turn("two").await;
    expect![[r#"
        --print --output-format text --model=claude-sonnet-4-5 --dangerously-skip-permissions --setting-sources=user --settings=FILE -- one
        --print --output-format text --model=claude-sonnet-4-5 --permission-mode=default --setting-sources=user --settings=FILE --tools=Read,Glob,Grep,WebSearch,WebFetch --disallowedTools=Bash(rm:*) --strict-mcp-config -- two"#]].assert_eq(&started(&world).join("\n"));
    world.finish().await;
}
