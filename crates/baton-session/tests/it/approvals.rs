//! Tools that ask first.

use baton_testkit::model::{self, Reply};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check,
    talk::{allow, allow_with, deny},
};

fn write(path: &str, content: &str) -> Reply {
    model::tool_use("Write", json!({"file_path": path, "content": content}))
}

fn bash(command: &str) -> Reply {
    model::tool_use(
        "Bash",
        json!({"command": command, "description": "run a command"}),
    )
}

#[test]
fn an_allowed_tool_runs() {
    check(
        |setup| setup.replies([bash("touch made.txt"), model::text("Done.")]),
        async |world| {
            let mut talk = world.session().await;
            talk.turn_with("make a file", allow()).await;
            assert!(world.sandbox.project().join("made.txt").exists());
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "make a file"
            tool.requested {"input":{"command":"touch made.txt","description":"run a command"},"label":"Running touch made.txt","name":"Bash","subject":{"command":"touch made.txt"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made.txt","description":"run a command"},"kind":"tool","risk":"medium","subject":{"command":"touch made.txt"},"suggestions":[{"rule":"Bash(touch made.txt)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            tool.completed {"detail":{"noOutputExpected":true,"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0012 for "inputTokens":200,"outputTokens":40: "Done." "stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},
            The model heard 1: ["make a file"]; 3: [{"result":"(Bash completed with no output)"}]
        "#]],
    );
}

#[test]
fn a_denied_tool_does_not_run_and_the_model_reads_why() {
    check(
        |setup| setup.replies([bash("touch made.txt"), model::text("Understood.")]),
        async |world| {
            let mut talk = world.session().await;
            talk.turn_with("make a file", deny("Not today")).await;
            assert!(!world.sandbox.project().join("made.txt").exists());
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "make a file"
            tool.requested {"input":{"command":"touch made.txt","description":"run a command"},"label":"Running touch made.txt","name":"Bash","subject":{"command":"touch made.txt"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made.txt","description":"run a command"},"kind":"tool","risk":"medium","subject":{"command":"touch made.txt"},"suggestions":[{"rule":"Bash(touch made.txt)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "deny","message":"Not today"
            tool.completed {"isError":true,"name":"Bash","output":"Not today","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0012 for "inputTokens":200,"outputTokens":40: "Understood." "stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},
            The model heard 1: ["make a file"]; 3: [{"error":"Not today"}]
        "#]],
    );
}

#[test]
fn a_changed_input_is_what_runs() {
    check(
        |setup| setup.replies([bash("touch made.txt"), model::text("Done.")]),
        async |world| {
            let mut talk = world.session().await;
            let changed = json!({"command": "touch other.txt", "description": "run a command"});
            talk.turn_with("make a file", allow_with(changed)).await;
            let made = |name: &str| world.sandbox.project().join(name).exists();
            assert!(made("other.txt") && !made("made.txt"));
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "make a file"
            tool.requested {"input":{"command":"touch made.txt","description":"run a command"},"label":"Running touch made.txt","name":"Bash","subject":{"command":"touch made.txt"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch made.txt","description":"run a command"},"kind":"tool","risk":"medium","subject":{"command":"touch made.txt"},"suggestions":[{"rule":"Bash(touch made.txt)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow","modifiedInput":{"command":"touch other.txt","description":"run a command"},"modifiedSubject":{"command":"touch other.txt"}
            tool.completed {"detail":{"noOutputExpected":true,"stderr":"","stdout":""},"name":"Bash","output":"(Bash completed with no output)","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0012 for "inputTokens":200,"outputTokens":40: "Done." "stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},
            The model heard 1: ["make a file"]; 3: [{"result":"(Bash completed with no output)"}]
        "#]],
    );
}

#[test]
fn an_edit_is_shown_before_it_is_allowed() {
    check(
        |setup| setup,
        async |world| {
            let file = world.sandbox.project().join("notes.txt");
            std::fs::write(&file, "one\ntwo\n").unwrap();
            let path = file.to_str().unwrap();
            world
                .model
                .push(model::tool_use("Read", json!({"file_path": path})));
            world.model.push(write(path, "one\n2\n"));
            world.model.push(model::text("Edited."));
            let mut talk = world.session().await;
            talk.turn_with("edit it", allow()).await;
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n2\n");
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "edit it"
            Read","subject":{"path":"[PROJECT]/notes.txt"},"toolKind":"read runs unasked in toolu_test_1: "Reading …/notes.txt" {"file_path":"[PROJECT]/notes.txt"} "detail":{"file":{"content":"one\ntwo\n","filePath":"[PROJECT]/notes.txt","numLines":3,"startLine":1,"totalLines":3},"type":"text"},"name":"Read","output":"1\tone\n2\ttwo\n3\t"
            tool.requested {"input":{"content":"one\n2\n","file_path":"[PROJECT]/notes.txt"},"label":"Writing …/notes.txt","name":"Write","subject":{"path":"[PROJECT]/notes.txt"},"toolKind":"write","toolUseId":"toolu_test_2"}
            approval.requested {"approvalId":"apr_1","input":{"content":"one\n2\n","file_path":"[PROJECT]/notes.txt"},"kind":"tool","preview":{"hunks":[{"lines":[{"kind":"same","text":"one"},{"kind":"removed","text":"two"},{"kind":"added","text":"2"}],"newStart":1,"oldStart":1}],"path":"[PROJECT]/notes.txt"},"risk":"medium","subject":{"path":"[PROJECT]/notes.txt"},"suggestions":[{"rule":"Edit(/notes.txt)","scope":"session"}],"toolKind":"write","toolName":"Write","toolUseId":"toolu_test_2"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            tool.completed {"detail":{"content":"one\n2\n","filePath":"[PROJECT]/notes.txt","originalFile":"one\ntwo\n","structuredPatch":[{"lines":[" one","-two","+2"],"newLines":2,"newStart":1,"oldLines":2,"oldStart":1}],"type":"update"},"name":"Write","output":"The file [PROJECT]/notes.txt has been updated successfully. (file state is current in your context — no need to Read it back)","toolUseId":"toolu_test_2"}
            end of turn 1, agentUuid1, msg_test_3, window 200000, 0.0018 for "inputTokens":300,"outputTokens":60: "Edited." "stats":{"filesRead":1,"filesWritten":1,"toolCalls":2,"toolsByType":{"Read":1,"Write":1}},
            The model heard 1: ["edit it"]; 3: [{"result":"1\tone\n2\ttwo\n3"}]; 5: [{"result":"The file [PROJECT]/notes.txt has been updated successfully. (file state is current in your context — no need to Read it back)"}]
        "#]],
    );
}
