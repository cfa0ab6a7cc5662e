use baton_protocol::api::ChangedFiles;
use serde_json::{Value, json};

use super::script::Session;
use crate::agents::AgentKind;

const APPROVAL: &str = "apr_00000000000000000000000000000001";

fn changed(session: &Session) -> ChangedFiles {
    session.facts().changed
}

fn calls(session: &mut Session, id: &str, tool: &str, input: &Value) {
    let what = AgentKind::Claude.tool_use(tool, input);
    let payload = json!({
        "toolUseId": id, "name": tool, "input": input, "label": "Working",
        "toolKind": what.kind, "subject": what.subject,
    });
    session.event("tool.requested", None, &payload);
}

fn ends(session: &mut Session, id: &str, is_error: bool) {
    let payload = json!({
        "toolUseId": id, "name": "x", "output": "", "isError": is_error, "durationMs": 1,
    });
    session.event("tool.completed", None, &payload);
}

fn ran(session: &mut Session, tool: &str, input: &Value) {
    calls(session, "t", tool, input);
    ends(session, "t", false);
}

#[test]
fn what_tools_wrote_is_listed_once_and_what_failed_is_not() {
    let mut session = Session::default();
    session.turn(1);
    ran(&mut session, "Write", &json!({"file_path": "/p/a"}));
    ran(&mut session, "Edit", &json!({"file_path": "/p/a"}));
    ran(
        &mut session,
        "NotebookEdit",
        &json!({"notebook_path": "/p/n"}),
    );
    ran(&mut session, "Read", &json!({"file_path": "/p/read"}));
    calls(&mut session, "bad", "Edit", &json!({"file_path": "/p/b"}));
    ends(&mut session, "bad", true);
    calls(&mut session, "open", "Edit", &json!({"file_path": "/p/c"}));
    let found = changed(&session);
    let wanted = ["/p/a", "/p/n"];
    assert_eq!(found.files.into_iter().collect::<Vec<_>>(), wanted);
    assert_eq!(found.untold, 0);
}

#[test]
fn what_cannot_be_told_is_counted() {
    let mut session = Session::default();
    session.turn(1);
    ran(&mut session, "Bash", &json!({"command": "ls -l"}));
    assert_eq!(changed(&session).untold, 0);
    ran(&mut session, "Bash", &json!({"command": "cargo fmt"}));
    ran(&mut session, "mcp__x__save", &json!({}));
    calls(&mut session, "bad", "Bash", &json!({"command": "make"}));
    ends(&mut session, "bad", true);
    assert_eq!(changed(&session).untold, 3);
    assert!(changed(&session).files.is_empty());
}

#[test]
fn a_file_that_a_person_named_instead_is_the_one_that_counts() {
    let mut session = Session::default();
    session.turn(1);
    calls(&mut session, "t", "Write", &json!({"file_path": "/p/a"}));
    let asked = json!({
        "approvalId": APPROVAL, "toolUseId": "t", "kind": "tool", "toolName": "Write",
        "input": {"file_path": "/p/a"}, "risk": "medium",
    });
    session.event("approval.requested", None, &asked);
    let answer = json!({
        "approvalId": APPROVAL, "decision": "allow", "by": "user",
        "modifiedInput": {"file_path": "/p/other"}, "modifiedSubject": {"path": "/p/other"},
    });
    session.event("approval.resolved", None, &answer);
    ends(&mut session, "t", false);
    assert!(changed(&session).files.into_iter().eq(["/p/other"]));
}

#[test]
fn what_was_written_is_found_after_its_folder_was_moved() {
    let mut session = Session::default();
    session.turn(1);
    for path in ["/old/p/a", "/old/p/b/c", "d", "/old/pp/e"] {
        ran(&mut session, "Write", &json!({"file_path": path}));
    }
    let moved = json!({
        "from": "/old/p", "to": "/new/q", "projectId": "prj_abababababababab",
    });
    session.event("session.updated", None, &json!({"moved": moved}));
    ran(&mut session, "Write", &json!({"file_path": "/new/q/a"}));
    let found: Vec<_> = changed(&session).files.into_iter().collect();
    assert_eq!(found, ["/new/q/a", "/new/q/b/c", "/old/pp/e", "d"]);
}
