//! Questions and plans.

use baton_protocol::words::PermissionMode;
use baton_testkit::model::{self, RequestKind, Script};
use expect_test::expect;
use serde_json::json;

use crate::{
    both::check,
    talk::{allow_into, allow_with, deny},
};

#[test]
fn a_question_is_answered_by_its_text() {
    let questions = json!({"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}],
    }]});
    check(
        |setup| {
            setup.replies([
                model::tool_use("AskUserQuestion", questions.clone()),
                model::text("Blue it is."),
            ])
        },
        async |world| {
            let mut talk = world.session().await;
            let mut answered = questions.clone();
            answered["answers"] = json!({"Which colour?": "Blue"});
            talk.turn_with("ask me", allow_with(answered)).await;
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "ask me"
            tool.requested {"input":{"questions":[{"header":"Colour","options":[{"description":"warm","label":"Red"},{"description":"cold","label":"Blue"}],"question":"Which colour?"}]},"label":"Asking you","name":"AskUserQuestion","toolKind":"question","toolUseId":"toolu_test_1"}
            approval.requested {"approvalId":"apr_1","expiresAt":"[TIME]","input":{"questions":[{"header":"Colour","options":[{"description":"warm","label":"Red"},{"description":"cold","label":"Blue"}],"question":"Which colour?"}]},"kind":"question","risk":"low","toolKind":"question","toolName":"AskUserQuestion","toolUseId":"toolu_test_1"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow","modifiedInput":{"answers":{"Which colour?":"Blue"},"questions":[{"header":"Colour","options":[{"description":"warm","label":"Red"},{"description":"cold","label":"Blue"}],"question":"Which colour?"}]}
            tool.completed {"detail":{"answers":{"Which colour?":"Blue"},"questions":[{"header":"Colour","options":[{"description":"warm","label":"Red"},{"description":"cold","label":"Blue"}],"question":"Which colour?"}]},"name":"AskUserQuestion","output":"Your questions have been answered: \"Which colour?\"=\"Blue\". You can now continue with these answers in mind.","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0012 for "inputTokens":200,"outputTokens":40: "Blue it is." "stats":{"toolCalls":1,"toolsByType":{"AskUserQuestion":1}},
            The model heard 1: ["ask me"]; 3: [{"result":"Your questions have been answered: \"Which colour?\"=\"Blue\". You can now continue with these answers in mind."}]
        "#]],
    );
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

#[test]
fn an_approved_plan_goes_on_in_the_chosen_mode() {
    check(
        |setup| setup.script(planner("Off we go.")),
        async |world| {
            let mut talk = world.session_in(PermissionMode::Plan).await;
            talk.turn_with("plan it", allow_into(PermissionMode::AcceptEdits))
                .await;
        },
        expect![[r##"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5","permissionMode":"plan"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode plan: "plan it"
            Write","subject":{"path":"[HOME]/.claude/plans/plan1.md"},"toolKind":"write runs unasked in toolu_test_1: "Writing …/plan1.md" {"content":"# Plan\n\nWrite it.","file_path":"[HOME]/.claude/plans/plan1.md"} "detail":{"content":"# Plan\n\nWrite it.","filePath":"[HOME]/.claude/plans/plan1.md","type":"create"},"name":"Write","output":"File created successfully at: [HOME]/.claude/plans/plan1.md (file state is current in your context — no need to Read it back)"
            tool.requested {"input":{"plan":"# Plan\n\nWrite it.","planFilePath":"[HOME]/.claude/plans/plan1.md"},"label":"Presenting a plan","name":"ExitPlanMode","toolKind":"plan","toolUseId":"toolu_test_2"}
            approval.requested {"approvalId":"apr_1","expiresAt":"[TIME]","input":{"plan":"# Plan\n\nWrite it.","planFilePath":"[HOME]/.claude/plans/plan1.md"},"kind":"plan","risk":"low","toolKind":"plan","toolName":"ExitPlanMode","toolUseId":"toolu_test_2"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "allow"
            permission_mode.changed {"by":"user","mode":"acceptEdits"}
            197: tool.completed {"detail":{"filePath":"[HOME]/.claude/plans/plan1.md","hasTaskTool":true,"plan":"# Plan\n\nWrite it.","planWasEdited":true},"name":"ExitPlanMode","output":"User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: [HOME]/.claude/plans/plan1.md\nYou can refer back to it if needed d… (236 more)","toolUseId":"toolu_test_2"}
            325: tool.completed {"detail":{"filePath":"[HOME]/.claude/plans/plan1.md","hasTaskTool":true,"plan":"# Plan\n\nWrite it."},"name":"ExitPlanMode","output":"User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: [HOME]/.claude/plans/plan1.md\nYou can refer back to it if needed d… (219 more)","toolUseId":"toolu_test_2"}
            end of turn 1, agentUuid1, msg_test_3, window 200000, 0.0018 for "inputTokens":300,"outputTokens":60: "Off we go." "stats":{"filesWritten":1,"toolCalls":2,"toolsByType":{"ExitPlanMode":1,"Write":1}},
            197: The model heard 1: ["plan it"]; 3: [{"result":"File created successfully at: [HOME]/.claude/plans/plan1.md (file state is current in your context — no need to Read it back)"}]; 5: [{"result":"User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: [HOME]/.claude/plans/plan1.md\nYou can refer back to it if needed d… (236 more)"}]
            325: The model heard 1: ["plan it"]; 3: [{"result":"File created successfully at: [HOME]/.claude/plans/plan1.md (file state is current in your context — no need to Read it back)"}]; 5: [{"result":"User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: [HOME]/.claude/plans/plan1.md\nYou can refer back to it if needed d… (219 more)"}]
        "##]],
    );
}

#[test]
fn a_plan_that_is_sent_back_stays_a_plan() {
    check(
        |setup| setup.script(planner("I shall think again.")),
        async |world| {
            let mut talk = world.session_in(PermissionMode::Plan).await;
            talk.turn_with("plan it", deny("Add tests")).await;
        },
        expect![[r##"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5","permissionMode":"plan"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode plan: "plan it"
            Write","subject":{"path":"[HOME]/.claude/plans/plan1.md"},"toolKind":"write runs unasked in toolu_test_1: "Writing …/plan1.md" {"content":"# Plan\n\nWrite it.","file_path":"[HOME]/.claude/plans/plan1.md"} "detail":{"content":"# Plan\n\nWrite it.","filePath":"[HOME]/.claude/plans/plan1.md","type":"create"},"name":"Write","output":"File created successfully at: [HOME]/.claude/plans/plan1.md (file state is current in your context — no need to Read it back)"
            tool.requested {"input":{"plan":"# Plan\n\nWrite it.","planFilePath":"[HOME]/.claude/plans/plan1.md"},"label":"Presenting a plan","name":"ExitPlanMode","toolKind":"plan","toolUseId":"toolu_test_2"}
            approval.requested {"approvalId":"apr_1","expiresAt":"[TIME]","input":{"plan":"# Plan\n\nWrite it.","planFilePath":"[HOME]/.claude/plans/plan1.md"},"kind":"plan","risk":"low","toolKind":"plan","toolName":"ExitPlanMode","toolUseId":"toolu_test_2"}
            session.state {"state":"waiting"}
            apr_1 is answered by the user: "deny","message":"Add tests"
            tool.completed {"isError":true,"name":"ExitPlanMode","output":"Add tests","toolUseId":"toolu_test_2"}
            end of turn 1, agentUuid1, msg_test_3, window 200000, 0.0018 for "inputTokens":300,"outputTokens":60: "I shall think again." "stats":{"filesWritten":1,"toolCalls":2,"toolsByType":{"ExitPlanMode":1,"Write":1}},
            The model heard 1: ["plan it"]; 3: [{"result":"File created successfully at: [HOME]/.claude/plans/plan1.md (file state is current in your context — no need to Read it back)"}]; 5: [{"error":"Add tests"}]
        "##]],
    );
}
