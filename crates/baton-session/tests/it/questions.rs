//! Questions and plans.

use baton_protocol::words::PermissionMode;
use baton_testkit::model::{self, RequestKind, Script};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check,
    talk::{allow_into, allow_with, deny},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_is_answered_by_its_text() {
    let questions = json!({"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
    }]});
    let script = || {
        Script::new().replies([
            model::tool_use("AskUserQuestion", questions.clone()),
            model::text("Blue it is."),
        ])
    };
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            let mut answered = questions.clone();
            answered["answers"] = json!({"Which colour?": "Blue"});
            talk.turn_with("ask me", allow_with(answered)).await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"ask me"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            tool.requested {"input":{"questions":[{"header":"Colour","options":[{"description":"warm","label":"Red"},{"description":"cold","label":"Blue"}],"question":"Which colour?"}]},"label":"Asking you","name":"AskUserQuestion","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","expiresAt":"[TIME]","input":{"questions":[{"header":"Colour","options":[{"description":"warm","label":"Red"},{"description":"cold","label":"Blue"}],"question":"Which colour?"}]},"kind":"question","risk":"low","toolName":"AskUserQuestion","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"allow","modifiedInput":{"answers":{"Which colour?":"Blue"},"questions":[{"header":"Colour","options":[{"description":"warm","label":"Red"},{"description":"cold","label":"Blue"}],"question":"Which colour?"}]}}
            session.state {"state":"processing"}
            tool.completed {"detail":{"answers":{"Which colour?":"Blue"},"questions":[{"header":"Colour","options":[{"description":"warm","label":"Red"},{"description":"cold","label":"Blue"}],"question":"Which colour?"}]},"name":"AskUserQuestion","output":"Your questions have been answered: \"Which colour?\"=\"Blue\". You can now continue with these answers in mind.","toolUseId":"toolu_test_1"}
            assistant.message {"agentUuid":"agentUuid1","content":"Blue it is.","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0012,"messageIds":["messageId1"],"result":"Blue it is.","stats":{"toolCalls":1,"toolsByType":{"AskUserQuestion":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":200,"outputTokens":40}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["ask me"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"result":"Your questions have been answered: \"Which colour?\"=\"Blue\". You can now continue with these answers in mind."}]
        "#]],
    )
    .await;
}

/// Where the CLI wants the plan.
pub(crate) fn plan_file(told: &str) -> Option<&str> {
    let (before, after) = told.split_once("/plans/")?;
    let start = before.rfind(' ')? + 1;
    let end = before.len() + "/plans/".len() + after.find(".md")? + ".md".len();
    Some(&told[start..end])
}

/// A model in plan mode: it writes the file that it is told to keep its plan
/// in, presents the plan, and ends.
fn planner(last: &'static str) -> Script {
    let mut round = 0;
    Script::new().respond(move |request| {
        if request.kind != RequestKind::Main {
            return None;
        }
        round += 1;
        Some(match round {
            1 => {
                let told = request.body.to_string();
                let file = plan_file(&told)?;
                let plan = "# Plan\n\nWrite it.";
                model::tool_use("Write", json!({"file_path": file, "content": plan}))
            }
            2 => model::tool_use("ExitPlanMode", json!({})),
            _ => model::text(last),
        })
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approved_plan_goes_on_in_the_chosen_mode() {
    check(
        |setup| setup.script(planner("Off we go.")),
        async |world| {
            let mut talk = world
                .session_with(|options| options.permission_mode = Some(PermissionMode::Plan))
                .await;
            talk.turn_with("plan it", allow_into(PermissionMode::AcceptEdits))
                .await;
        },
        expect![[r##"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5","permissionMode":"plan"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"plan it"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"plan","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"plan","slashCommands":"…","tools":"…"}
            tool.requested {"input":{"content":"# Plan\n\nWrite it.","file_path":"[HOME]/.claude/plans/plan1.md"},"label":"Writing …/plan1.md","name":"Write","toolUseId":"toolu_test_1"}
            tool.completed {"detail":{"content":"# Plan\n\nWrite it.","filePath":"[HOME]/.claude/plans/plan1.md","type":"create"},"name":"Write","output":"File created successfully at: [HOME]/.claude/plans/plan1.md (file state is current in your context — no need to Read it back)","toolUseId":"toolu_test_1"}
            tool.requested {"input":{"plan":"# Plan\n\nWrite it.","planFilePath":"[HOME]/.claude/plans/plan1.md"},"label":"Presenting a plan","name":"ExitPlanMode","toolUseId":"toolu_test_2"}
            approval.requested {"approvalId":"apr_1","expiresAt":"[TIME]","input":{"plan":"# Plan\n\nWrite it.","planFilePath":"[HOME]/.claude/plans/plan1.md"},"kind":"plan","risk":"low","toolName":"ExitPlanMode","toolUseId":"toolu_test_2"}
            session.state {"state":"waiting"}
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"allow"}
            session.state {"state":"processing"}
            permission_mode.changed {"by":"user","mode":"acceptEdits"}
            197: tool.completed {"detail":{"filePath":"[HOME]/.claude/plans/plan1.md","hasTaskTool":true,"plan":"# Plan\n\nWrite it.","planWasEdited":true},"name":"ExitPlanMode","output":"User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: [HOME]/.claude/plans/plan1.md\nYou can refer back to it if needed d… (236 more)","toolUseId":"toolu_test_2"}
            325: tool.completed {"detail":{"filePath":"[HOME]/.claude/plans/plan1.md","hasTaskTool":true,"plan":"# Plan\n\nWrite it."},"name":"ExitPlanMode","output":"User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: [HOME]/.claude/plans/plan1.md\nYou can refer back to it if needed d… (219 more)","toolUseId":"toolu_test_2"}
            assistant.message {"agentUuid":"agentUuid1","content":"Off we go.","messageId":"msg_test_3","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0018,"messageIds":["messageId1"],"result":"Off we go.","stats":{"filesWritten":1,"toolCalls":2,"toolsByType":{"ExitPlanMode":1,"Write":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":300,"outputTokens":60}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["plan it"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"result":"File created successfully at: [HOME]/.claude/plans/plan1.md (file state is current in your context — no need to Read it back)"}]
            197: Main request to claude-sonnet-4-5, 5 messages, 0 images: [{"result":"User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: [HOME]/.claude/plans/plan1.md\nYou can refer back to it if needed d… (236 more)"}]
            325: Main request to claude-sonnet-4-5, 5 messages, 0 images: [{"result":"User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: [HOME]/.claude/plans/plan1.md\nYou can refer back to it if needed d… (219 more)"}]
        "##]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_is_sent_back_stays_a_plan() {
    check(
        |setup| setup.script(planner("I shall think again.")),
        async |world| {
            let mut talk = world
                .session_with(|options| options.permission_mode = Some(PermissionMode::Plan))
                .await;
            talk.turn_with("plan it", deny("Add tests")).await;
        },
        expect![[r##"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5","permissionMode":"plan"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"plan it"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"plan","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"plan","slashCommands":"…","tools":"…"}
            tool.requested {"input":{"content":"# Plan\n\nWrite it.","file_path":"[HOME]/.claude/plans/plan1.md"},"label":"Writing …/plan1.md","name":"Write","toolUseId":"toolu_test_1"}
            tool.completed {"detail":{"content":"# Plan\n\nWrite it.","filePath":"[HOME]/.claude/plans/plan1.md","type":"create"},"name":"Write","output":"File created successfully at: [HOME]/.claude/plans/plan1.md (file state is current in your context — no need to Read it back)","toolUseId":"toolu_test_1"}
            tool.requested {"input":{"plan":"# Plan\n\nWrite it.","planFilePath":"[HOME]/.claude/plans/plan1.md"},"label":"Presenting a plan","name":"ExitPlanMode","toolUseId":"toolu_test_2"}
            approval.requested {"approvalId":"apr_1","expiresAt":"[TIME]","input":{"plan":"# Plan\n\nWrite it.","planFilePath":"[HOME]/.claude/plans/plan1.md"},"kind":"plan","risk":"low","toolName":"ExitPlanMode","toolUseId":"toolu_test_2"}
            session.state {"state":"waiting"}
            approval.resolved {"approvalId":"apr_1","by":"user","decision":"deny","message":"Add tests"}
            session.state {"state":"processing"}
            tool.completed {"isError":true,"name":"ExitPlanMode","output":"Add tests","toolUseId":"toolu_test_2"}
            assistant.message {"agentUuid":"agentUuid1","content":"I shall think again.","messageId":"msg_test_3","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0018,"messageIds":["messageId1"],"result":"I shall think again.","stats":{"filesWritten":1,"toolCalls":2,"toolsByType":{"ExitPlanMode":1,"Write":1}},"stopReason":"end","turn":1,"usage":{"inputTokens":300,"outputTokens":60}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["plan it"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: [{"result":"File created successfully at: [HOME]/.claude/plans/plan1.md (file state is current in your context — no need to Read it back)"}]
            Main request to claude-sonnet-4-5, 5 messages, 0 images: [{"error":"Add tests"}]
        "##]],
    )
    .await;
}
