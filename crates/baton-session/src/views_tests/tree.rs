use baton_protocol::{api::SessionFacts, words::TaskStatus};
use expect_test::expect;
use serde_json::json;

use super::script::Session;

fn drawn(facts: &SessionFacts, parent: Option<&str>, depth: usize) -> String {
    let mut text = String::new();
    let indent = "  ".repeat(depth);
    let tools = facts.tools.iter();
    for tool in tools.filter(|tool| tool.agent_id.as_deref() == parent) {
        text.push_str(&format!("{indent}~ {}\n", tool.label));
    }
    let agents = facts.subagents.iter();
    for agent in agents.filter(|agent| agent.parent_agent_id.as_deref() == parent) {
        let what = agent.description.as_deref().unwrap_or("?");
        let under = agent.parent_tool_use_id.as_deref().unwrap_or("-");
        text.push_str(&format!(
            "{indent}{} ({what}, under {under}, turn {}): {}, {} calls\n",
            agent.agent_id, agent.turn, agent.status, agent.tool_calls
        ));
        text.push_str(&drawn(facts, Some(&agent.agent_id), depth + 1));
    }
    text
}

fn begins(session: &mut Session, agent: &str, call: &str, what: &str) {
    let payload = json!({"agentId": agent, "parentToolUseId": call, "description": what});
    session.event("subagent.started", Some(agent), &payload);
}

fn ends(session: &mut Session, agent: &str, status: &str) {
    let payload = json!({"agentId": agent, "status": status});
    session.event("subagent.stopped", Some(agent), &payload);
}

#[test]
fn sub_agents_nest_under_the_calls_that_began_them_across_turns() {
    let mut session = Session::default();
    session.turn(1).calls("t1", "Agent", "Sub-agent: outer");
    begins(&mut session, "a1", "t1", "outer");
    // In the background: the call ends before the sub-agent does.
    session.returns("t1");
    session.calls_in(Some("a1"), Some("t1"), "t2", "Agent", "Sub-agent: inner");
    begins(&mut session, "a2", "t2", "inner");
    // An event without the agent's id is placed by the call it is under.
    session.calls_in(None, Some("t2"), "t3", "Read", "Reading x");
    session.done(None).turn(2).calls("t4", "Bash", "Running ls");
    let view = session.facts();
    expect![[r#"
        ~ Running ls
        a1 (outer, under t1, turn 1): running, 1 calls
          ~ Sub-agent: inner
          a2 (inner, under t2, turn 1): running, 1 calls
            ~ Reading x
    "#]]
    .assert_eq(&drawn(&view, None, 0));

    session.returns("t3").returns("t2").returns("t4");
    ends(&mut session, "a2", "completed");
    ends(&mut session, "a1", "failed");
    let view = session.facts();
    expect![[r#"
        a1 (outer, under t1, turn 1): failed, 1 calls
          a2 (inner, under t2, turn 1): completed, 1 calls
    "#]]
    .assert_eq(&drawn(&view, None, 0));

    // One that goes on keeps its place.
    session.calls("t5", "Agent", "Sub-agent: again");
    begins(&mut session, "a2", "t5", "again");
    let view = session.facts();
    let again = &view.subagents[1];
    assert_eq!(
        (again.status, again.parent_agent_id.as_deref()),
        (TaskStatus::Running, Some("a1"))
    );
    assert_eq!(again.ended_at, None);
}

#[test]
fn an_agent_that_was_never_announced_is_there_and_nothing_runs_after_the_end() {
    let mut session = Session::default();
    session
        .turn(1)
        .calls_in(Some("a9"), Some("t0"), "t1", "Read", "Reading x")
        .event("session.ended", None, &json!({"status": "failed"}));
    let view = session.facts();
    assert_eq!(
        drawn(&view, None, 0),
        "a9 (?, under -, turn 1): stopped, 1 calls\n"
    );
    assert_eq!(view.activity, None);
}

#[test]
fn an_overview_holds_what_is_open_waiting_and_running() {
    let message = |number: u32, text: &str| json!({"messageId": format!("00000000-0000-4000-8000-00000000000{number}"), "text": text});
    let task = |status: &str| json!({"taskId": "b1", "status": status, "description": "server"});
    let todo = json!({"items": [{"content": "write", "status": "in_progress"}]});
    let approval = json!({
        "approvalId": "apr_01930000000070008000000000000001",
        "kind": "tool", "toolName": "Bash", "input": {}, "risk": "high",
    });
    let mut session = Session::default();
    session
        .event("user.message", None, &message(1, "first"))
        .turn(1)
        .event("user.message", None, &message(2, "second"))
        .event("user.message", None, &message(3, "third"))
        .event("message.removed", None, &message(2, ""))
        .event("task.updated", None, &task("running"))
        .event("todo.updated", None, &todo)
        .event("context.usage", None, &json!({"tokens": 10, "window": 100}))
        .event("approval.requested", None, &approval);
    let view = session.facts();
    let queue: Vec<_> = view.queue.iter().map(|m| m.text.as_str()).collect();
    let tasks: Vec<_> = view
        .tasks
        .iter()
        .map(|task| task.task_id.as_str())
        .collect();
    assert_eq!((queue, tasks), (vec!["third"], vec!["b1"]));
    assert_eq!(view.todo[0].content, "write");
    assert_eq!(view.context.map(|usage| usage.tokens), Some(10));
    assert_eq!(view.approvals.len(), 1);
    assert_eq!(view.activity.as_deref(), Some("Waiting for you"));
    assert_eq!(view.seq.0, 9);

    session
        .event("task.updated", None, &task("completed"))
        .event("context.compacted", None, &json!({"trigger": "auto"}));
    let later = session.facts();
    assert_eq!((later.tasks.len(), later.context), (0, None));
}
