//! Turns without tools.

use baton_testkit::model::{self, Script};
use expect_test::expect;

use crate::both::check;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_turns_run_on_one_process() {
    let script = || Script::new().replies([model::tokens(3), model::text("second answer")]);
    check(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            talk.turn("one").await;
            talk.turn("two").await;
        },
        expect![[r#"
            session.created {"agent":"claude","cwd":"[PROJECT]","mode":"structured","options":{"checkpointing":true,"model":"claude-sonnet-4-5"},"runtime":"streaming"}
            session.updated {"agentSessionId":"agentSessionId1"}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId1","text":"one"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            assistant.message {"agentUuid":"agentUuid1","content":"tok tok tok ","messageId":"msg_test_1","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId1"],"result":"tok tok tok ","stopReason":"end","turn":1,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            user.message {"messageId":"messageId2","text":"two"}
            turn.started {"origin":"user","turn":2}
            session.state {"state":"processing"}
            message.delivered {"messageId":"messageId2"}
            checkpoint.created {"checkpointId":"messageId2"}
            assistant.message {"agentUuid":"agentUuid2","content":"second answer","messageId":"msg_test_2","model":"claude-sonnet-4-5","usage":{"inputTokens":100,"outputTokens":20}}
            context.usage {"tokens":120,"window":200000}
            turn.completed {"costUsd":0.0006,"messageIds":["messageId2"],"result":"second answer","stopReason":"end","turn":2,"usage":{"inputTokens":100,"outputTokens":20}}
            session.state {"state":"idle"}
            --
            Main request to claude-sonnet-4-5, 1 messages, 0 images: ["one"]
            Main request to claude-sonnet-4-5, 3 messages, 0 images: ["two"]
        "#]],
    )
    .await;
}
