//! Sessions that outlive their processes.

use baton_session::ForkAt;
use baton_testkit::model::{self, Request, Script};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check,
    talk::{allow, soon},
    world::wait_until,
};

#[test]
fn a_closed_session_goes_on_where_it_was() {
    check(
        |setup| setup.replies([model::text("first"), model::text("second")]),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            talk.close().await;
            assert!(world.agent_pids().is_empty());
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "first"
            turn 2 in a new process of 1 with claude-sonnet-4-5, mode default: "two"
            end of turn 2, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "second"
            The model heard 1: ["one"]; 3: ["two"]
        "#]],
    );
}

#[test]
fn a_process_killed_between_turns_is_not_missed() {
    check(
        |setup| setup.replies([model::text("first"), model::text("second")]),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            // The older CLI writes its rows a moment after its result.
            world.remembers(&talk).await;
            world.kill_agent();
            let gone = talk.handle.wait_for(|progress| !progress.has_process);
            soon("the end is noticed", gone).await;
            talk.turn("two").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "first"
            turn 2 in a new process of 1 with claude-sonnet-4-5, mode default: "two"
            end of turn 2, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "second"
            The model heard 1: ["one"]; 3: ["two"]
        "#]],
    );
}

#[test]
fn a_fork_has_the_history_and_leaves_the_source_alone() {
    check(
        |setup| {
            setup.replies([
                model::text("first"),
                model::text("second"),
                model::text("third"),
            ])
        },
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            world.remembers(&talk).await;
            let fork = world.supervisor.fork(talk.id(), ForkAt::End).await.unwrap();
            let mut fork = world.follow(fork);
            fork.turn("two, elsewhere").await;
            talk.turn("two, here").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "first"
            turn 2: "two, here"
            end of turn 2, agentUuid2, msg_test_3, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "third"
            --
            session.created {"agent":"claude","cwd":"[PROJECT]","forkedFrom":"ses_1","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5","permissionMode":"default"},"resumes":"agentSessionId1","runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId2"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId3","text":"two, elsewhere"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId2","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId3"}
            checkpoint.created {"checkpointId":"messageId3"}
            325: session.started {"agentSessionId":"agentSessionId2","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            assistant.message {"agentUuid":"agentUuid3","content":"second","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId3"],"result":"second","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            The model heard 1: ["one"]; 3: ["two, elsewhere"]; 3: ["two, here"]
        "#]],
    );
}

#[test]
fn a_rewind_puts_files_back() {
    check(
        |setup| setup,
        async |world| {
            let file = world.sandbox.project().join("notes.txt");
            let write =
                |text: &str| model::tool_use("Write", json!({"file_path": file, "content": text}));
            world.model.push(write("first"));
            world.model.push(model::text("Written."));
            let read = json!({"file_path": file});
            world.model.push(model::tool_use("Read", read));
            world.model.push(write("second"));
            world.model.push(model::text("Written again."));
            let mut talk = world.session().await;
            talk.turn_with("write", allow()).await;
            let checkpoint = talk.turn_with("write again", allow()).await;
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "second");
            let dry = talk.handle.rewind(checkpoint, true).await.unwrap();
            world.note(format!("a dry run: {}", dry.files_changed.join(" ")));
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "second");
            talk.handle.rewind(checkpoint, false).await.unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), "first");
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "write"
            tool.requested {"input":{"content":"first","file_path":"[PROJECT]/notes.txt"},"label":"Writing …/notes.txt","name":"Write","subject":{"path":"[PROJECT]/notes.txt"},"toolKind":"write","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"content":"first","file_path":"[PROJECT]/notes.txt"},"kind":"tool","preview":{"hunks":[{"lines":[{"kind":"added","text":"first"}],"newStart":1,"oldStart":1}],"path":"[PROJECT]/notes.txt"},"risk":"medium","subject":{"path":"[PROJECT]/notes.txt"},"suggestions":[{"rule":"Edit(/notes.txt)","scope":"session"}],"toolKind":"write","toolName":"Write","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            tool.completed {"detail":{"content":"first","filePath":"[PROJECT]/notes.txt","type":"create"},"name":"Write","output":"File created successfully at: [PROJECT]/notes.txt (file state is current in your context — no need to Read it back)","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0012 for "inputTokens":200,"outputTokens":40: "Written." "stats":{"filesWritten":1,"toolCalls":1,"toolsByType":{"Write":1}},
            turn 2: "write again"
            Read","subject":{"path":"[PROJECT]/notes.txt"},"toolKind":"read runs unasked in toolu_test_2: "Reading …/notes.txt" {"file_path":"[PROJECT]/notes.txt"} "detail":{"file":{"content":"first","filePath":"[PROJECT]/notes.txt","numLines":1,"startLine":1,"totalLines":1},"type":"text"},"name":"Read","output":"1\tfirst"
            tool.requested {"input":{"content":"second","file_path":"[PROJECT]/notes.txt"},"label":"Writing …/notes.txt","name":"Write","subject":{"path":"[PROJECT]/notes.txt"},"toolKind":"write","toolUseId":"toolu_test_3"}
            approval.requested {"approvalId":"apr_2","input":{"content":"second","file_path":"[PROJECT]/notes.txt"},"kind":"tool","preview":{"hunks":[{"lines":[{"kind":"removed","text":"first"},{"kind":"added","text":"second"}],"newStart":1,"oldStart":1}],"path":"[PROJECT]/notes.txt"},"risk":"medium","subject":{"path":"[PROJECT]/notes.txt"},"suggestions":[{"rule":"Edit(/notes.txt)","scope":"session"}],"toolKind":"write","toolName":"Write","toolUseId":"toolu_test_3"}
            session.state {"state":"waiting"}
            apr_2 is answered by the user: "allow"
            tool.completed {"detail":{"content":"second","filePath":"[PROJECT]/notes.txt","originalFile":"first","structuredPatch":[{"lines":["-first","\\ No newline at end of file","+second","\\ No newline at end of file"],"newLines":1,"newStart":1,"oldLines":1,"oldStart":1}],"type":"update"},"name":"Write","output":"The file [PROJECT]/notes.txt has been updated successfully. (file state is current in your context — no need to Read it back)","toolUseId":"toolu_test_3"}
            end of turn 2, agentUuid2, msg_test_5, window 200000, 0.0018 for "inputTokens":300,"outputTokens":60: "Written again." "stats":{"filesRead":1,"filesWritten":1,"toolCalls":2,"toolsByType":{"Read":1,"Write":1}},
            files.rewound {"checkpointId":"messageId2","files":["[PROJECT]/notes.txt"]}
            a dry run: [PROJECT]/notes.txt
            The model heard 1: ["write"]; 3: [{"result":"File created successfully at: [PROJECT]/notes.txt (file state is current in your context — no need to Read it back)"}]; 5: ["write again"]; 7: [{"result":"1\tfirst"}]; 9: [{"result":"The file [PROJECT]/notes.txt has been updated successfully. (file state is current in your context — no need to Read it back)"}]
        "#]],
    );
}

#[test]
fn a_long_conversation_is_compacted() {
    let script = || {
        let summary = "<analysis>Little.</analysis><summary>They counted.</summary>";
        let compacts = |request: &Request| request.last_user_text().contains("<summary>");
        Script::new()
            .always(compacts, model::text(summary))
            .replies([
                model::text("first"),
                model::text("second"),
                model::text("third"),
            ])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            talk.turn("two").await;
            let compact = talk.turn("/compact").await;
            talk.turn("three").await;
            let rewind = talk.handle.rewind(compact, true).await;
            world.note(format!("a rewind to the command: {rewind:?}"));
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "one"
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "first"
            turn 2: "two"
            end of turn 2, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "second"
            user.message {"messageId":"messageId3","text":"/compact"}
            turn.started {"origin":"user","turn":3}
            session.state {"state":"processing"}
            325: message.delivered {"messageId":"messageId3"}
            context.compacted {"tokensAfter":"an estimate","tokensBefore":120,"trigger":"manual"}
            197: notification {"kind":"synthetic","message":"This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\nThey counted.\n\nIf you need specific de… (463 more)"}
            325: notification {"kind":"synthetic","message":"This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n<system-reminder>\n<tools-used-before-summary></… (779 more)"}
            context.usage {"tokens":"an estimate","window":200000}
            197: message.delivered {"messageId":"messageId3"}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId3"],"stopReason":"end","turn":3}
            session.state {"state":"idle"}
            turn 4: "three"
            end of turn 4, agentUuid3, msg_test_4, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "third"
            a rewind to the command: Err(Agent("No file checkpoint found for this message."))
            197: The model heard 1: ["one"]; 3: ["two"]; 3: ["two\n\nCRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT use Read, Bash, Grep, Glob, Edit, Write, or ANY other tool.\n- You already have all the context you need in the conversation abov… (5783 more)"]; 3: ["<local-command-caveat>Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user e… (245 more)"]
            325: The model heard 1: ["one"]; 3: ["two"]; 3: ["two\n\nCRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\n- Do NOT use Read, Bash, Grep, Glob, Edit, Write, or ANY other tool.\n- You already have all the context you need in the conversation abov… (6166 more)"]; 3: ["<local-command-caveat>The command below was run directly in Claude Code, not sent to you as a request, and its output goes straight to the user. It's recorded here as context for later messages.</loca… (217 more)"]
        "#]],
    );
}

#[test]
fn a_killed_agents_turn_goes_on_in_another_process() {
    let script = || {
        let command = "touch started; tail -f /dev/null";
        let call = json!({"command": command, "description": "wait"});
        Script::new().replies([
            model::text("Wait.").and(model::tool_use("Bash", call)),
            model::text("on we go"),
            model::text("and on"),
        ])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.send("wait").await;
            let asked = talk.until_ask().await;
            talk.answer(&asked, allow()).await;
            let started = world.sandbox.project().join("started");
            wait_until("the command runs", || started.exists()).await;
            until!(talk, SessionState);
            world.answer_is_whole().await;
            world.transcript_has("touch started").await;
            world.kill_agent();
            talk.until_turn_end().await;
            talk.close().await;
            talk.turn("go on").await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "wait"
            assistant.message {"agentUuid":"agentUuid1","content":"Wait.","messageId":"msg_test_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            tool.requested {"input":{"command":"touch started; tail -f /dev/null","description":"wait"},"label":"Running touch started; tail -f /dev/null","name":"Bash","subject":{"command":"touch started; tail -f /dev/null"},"toolKind":"shell","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","input":{"command":"touch started; tail -f /dev/null","description":"wait"},"kind":"tool","risk":"medium","subject":{"command":"touch started; tail -f /dev/null"},"suggestions":[{"rule":"Bash(touch started; tail -f /dev/null)","scope":"session"}],"toolKind":"shell","toolName":"Bash","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            tool.completed {"isError":true,"name":"Bash","output":"The agent stopped before this tool reported a result.","toolUseId":"toolu_test_1"}
            runtime.fallback {"continuedBy":"continuedBy1","from":"streaming","reason":"the agent's process ended (killed by signal 9)","to":"streaming","usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            325: message.delivered {"messageId":"continuedBy1"}
            session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            197: message.delivered {"messageId":"continuedBy1"}
            end of turn 1, agentUuid2, msg_test_2, window 200000, 0.0006 for "inputTokens":200,"outputTokens":40: "on we go" "stats":{"bashCommands":1,"toolCalls":1,"toolsByType":{"Bash":1}},
            turn 2 in a new process of 1 with claude-sonnet-4-5, mode default: "go on"
            end of turn 2, agentUuid3, msg_test_3, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "and on"
            197: The model heard 1: ["wait"]; 3: ["The program running you stopped in the middle of this task and was started again. Go on where you were. A tool call without a result may or may not have taken effect: look before you repeat it."]; 5: ["go on"]
            325: The model heard 1: ["wait"]; 5: ["The program running you stopped in the middle of this task and was started again. Go on where you were. A tool call without a result may or may not have taken effect: look before you repeat it."]; 7: ["go on"]
        "#]],
    );
}
