//! Sub-agents and commands that outlive the turn that began them.

use baton_protocol::{
    Envelope, Event,
    event::{ApprovalRequested, RunningWork},
    words::{Origin, SessionState, StopReason, TaskStatus},
};
use baton_testkit::model::{self, Request, RequestKind, Script};
use serde_json::json;

use crate::{
    both::both,
    talk::{Talk, allow},
};

const fn is_agent(request: &Request) -> bool {
    matches!(request.kind, RequestKind::Subagent)
}

/// The model sends a sub-agent that asks for permission, and does not wait for it.
fn sends_someone() -> Script {
    let agent = json!({
        "description": "look", "prompt": "look around",
        "subagent_type": "general-purpose", "run_in_background": true,
    });
    let call = json!({"command": "touch by-agent", "description": "run a command"});
    let asks = model::text("Looking.").and(model::tool_use("Bash", call));
    let script = Script::new().on(is_agent, asks);
    script.replies([
        model::tool_use("Agent", agent),
        model::text("I sent someone."),
    ])
}

/// The model begins a command that runs until the file `go` is there.
fn begins_a_command() -> Script {
    let call = json!({
        "command": "until test -e go; do sleep 0.1; done; echo finished",
        "description": "wait", "run_in_background": true,
    });
    Script::new().replies([model::tool_use("Bash", call), model::text("It runs.")])
}

fn running(work: &[RunningWork]) -> Vec<&str> {
    let named = work.iter().filter_map(|one| one.description.as_deref());
    named.collect()
}

/// Reads until the sub-agent asks and the turn that sent it is over, in
/// whichever order, and says what it asks.
async fn open_question(talk: &mut Talk) -> ApprovalRequested {
    loop {
        let mut seen = talk.seen.iter().map(|one| &one.event);
        let over = seen
            .clone()
            .any(|event| matches!(event, Event::TurnCompleted(_)));
        let asked = seen.find_map(|event| match event {
            Event::ApprovalRequested(asked) => Some(asked.clone()),
            _ => None,
        });
        if let Some(asked) = asked.filter(|_| over) {
            return asked;
        }
        talk.until("anything", |_| true).await;
    }
}

#[test]
fn a_subagent_in_the_background_keeps_its_session_at_work() {
    let script = || {
        let answer = model::text("All quiet.");
        let script = sends_someone().on(is_agent, answer);
        script.replies([model::text("It is quiet.")])
    };
    both(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("send someone").await;
            let asked = open_question(&mut talk).await;
            talk.answer(&asked, allow()).await;
            let over = until!(talk, SubagentStopped);
            assert_eq!(over.result.as_deref(), Some("All quiet."));
            let next = talk.until("the agent's own turn", |event| {
                matches!(event, Event::TurnStarted(_))
            });
            let Event::TurnStarted(next) = next.await.event else {
                unreachable!("the condition above");
            };
            let why = &next.because[0];
            assert_eq!((next.origin, next.because.len()), (Origin::Agent, 1));
            assert_eq!(why.id, over.agent_id);
            assert_eq!(why.status, TaskStatus::Completed);
            let idle = |one: &Envelope| matches!(&one.event, Event::SessionState(state) if state.state == SessionState::Idle);
            let began = talk
                .seen
                .iter()
                .skip_while(|one| !matches!(one.event, Event::TurnStarted(_)));
            assert!(!began.clone().any(idle), "a session with work is not idle");
            talk.until_turn_end().await;
            assert!(world.sandbox.project().join("by-agent").exists());
        },
    );
}

#[test]
fn lists_say_what_runs_and_since_when() {
    both(
        |setup| setup.script(begins_a_command().replies([model::text("It has ended.")])),
        async |world| {
            let mut talk = world.session().await;
            talk.send("start it").await;
            let began = talk
                .until("the task", |event| matches!(event, Event::TaskUpdated(_)))
                .await;
            let end = talk.until_over().await;
            assert_eq!(running(&end.still_running), ["wait"]);
            let row = world.supervisor.store().session_row(talk.id()).await;
            let row = row.unwrap().unwrap();
            assert_eq!(row.state, SessionState::Processing);
            assert_eq!(running(&row.work), ["wait"]);
            assert_eq!(row.work[0].started_at, began.ts);
            // A process with such work is not closed for want of any other.
            talk.handle.close().await.unwrap();
            assert!(!talk.handle.progress().closing);
            std::fs::write(world.sandbox.project().join("go"), "").unwrap();
            talk.until_turn_end().await;
            let row = world.supervisor.store().session_row(talk.id()).await;
            let row = row.unwrap().unwrap();
            assert_eq!((row.state, row.work), (SessionState::Idle, Vec::new()));
        },
    );
}

#[test]
fn a_command_in_the_background_can_be_stopped() {
    both(
        |setup| setup.script(begins_a_command()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("start it").await;
            let end = talk.until_over().await;
            let unknown = talk.handle.stop_task("none").await.unwrap_err();
            assert!(unknown.to_string().contains("none"), "{unknown}");
            let task = end.still_running[0].id.clone();
            talk.handle.stop_task(&task).await.unwrap();
            talk.until_idle().await;
            assert!(talk.handle.stop_task(&task).await.is_err());
        },
    );
}

/// The agent would tell that its sub-agent was stopped; the person who stopped
/// everything does not want to hear it.
#[test]
fn an_interrupt_reaches_subagents_in_the_background_and_what_they_ask() {
    both(
        |setup| {
            // What the agent would say of the stop; it may not come to it.
            let of_the_stop =
                |request: &Request| !is_agent(request) && request.messages().len() > 4;
            let said = model::text("It was stopped.").stall_after(1);
            setup.script(sends_someone().always(of_the_stop, said))
        },
        async |world| {
            let mut talk = world.session().await;
            talk.send("send someone").await;
            open_question(&mut talk).await;
            talk.handle.interrupt().await.unwrap();
            until!(talk, ApprovalResolved);
            until!(talk, SubagentStopped);
            let end = talk.until_over().await;
            assert_eq!(end.stop_reason, StopReason::Interrupted);
            talk.until_idle().await;
            assert!(!world.sandbox.project().join("by-agent").exists());
        },
    );
}
