//! Images, to the agent and from it.

use baton_session::agents::PromptFile;
use baton_testkit::model::{self, Script};
use expect_test::expect;
use serde_json::json;

use crate::both::check;

/// One pixel, transparent.
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4,
    0x89, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x64, 0x60, 0xf8, 0x5f,
    0x0f, 0x00, 0x02, 0x87, 0x01, 0x80, 0xeb, 0x47, 0xba, 0x92, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45,
    0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

#[test]
fn an_attached_image_reaches_the_model() {
    check(
        |setup| setup.script(Script::new().reply(model::text("A pixel."))),
        async |world| {
            let mut talk = world.session().await;
            let file = PromptFile {
                name: "pixel.png".into(),
                media_type: "image/png".into(),
                bytes: PNG.to_vec(),
            };
            talk.send_files("what is this?", vec![file]).await;
            talk.until_turn_end().await;
            let requests = world.model.requests();
            world.note(format!(
                "the model saw {}",
                requests[0].images()[0]["source"]
            ));
        },
        expect![[r#"
            opened as 1
            user.message {"attachments":[{"blobId":"blb_1","bytes":70,"mediaType":"image/png","name":"pixel.png"}],"messageId":"messageId1","text":"what is this?"}
            turn.started {"origin":"user","turn":1}
            session.state {"state":"starting"}
            session.state {"state":"processing"}
            197: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            message.delivered {"messageId":"messageId1"}
            checkpoint.created {"checkpointId":"messageId1"}
            325: session.started {"agentSessionId":"agentSessionId1","agentVersion":"[VERSION]","model":"claude-sonnet-4-5","permissionMode":"default","slashCommands":"…","tools":"…"}
            end of turn 1, agentUuid1, msg_test_1, window 200000, 0.0006 for "inputTokens":100,"outputTokens":20: "A pixel."
            the model saw {"data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==","media_type":"image/png","type":"base64"}
            The model heard 1 as Main to claude-sonnet-4-5 with 1 images: ["what is this?"]
        "#]],
    );
}

#[test]
fn an_image_that_a_tool_reads_is_kept() {
    check(
        |setup| setup,
        async |world| {
            let file = world.sandbox.project().join("pixel.png");
            std::fs::write(&file, PNG).unwrap();
            world
                .model
                .push(model::tool_use("Read", json!({"file_path": file})));
            world.model.push(model::text("A pixel."));
            let mut talk = world.session().await;
            talk.send("look").await;
            let image = until!(talk, ImageOutput);
            talk.until_turn_end().await;
            let kept = world
                .supervisor
                .store()
                .blob(talk.id(), image.image_id)
                .await
                .unwrap();
            let kept = kept.unwrap();
            assert_eq!(kept.media_type.as_str(), "image/png");
            assert_eq!(kept.bytes.len() as u64, image.bytes);
            assert!(kept.bytes.starts_with(&PNG[..8]), "{:?}", kept.bytes);
        },
        expect![[r#"
            opened as 1
            turn 1 in a new process of 1 with claude-sonnet-4-5, mode default: "look"
            tool.requested {"input":{"file_path":"[PROJECT]/pixel.png"},"label":"Reading …/pixel.png","name":"Read","subject":{"path":"[PROJECT]/pixel.png"},"toolKind":"read","toolUseId":"toolu_test_1"}
            image.output {"bytes":70,"height":1,"imageId":"blb_1","mediaType":"image/png","toolUseId":"toolu_test_1","width":1}
            tool.completed {"images":["blb_1"],"name":"Read","output":"","toolUseId":"toolu_test_1"}
            end of turn 1, agentUuid1, msg_test_2, window 200000, 0.0012 for "inputTokens":200,"outputTokens":40: "A pixel." "stats":{"filesRead":1,"toolCalls":1,"toolsByType":{"Read":1}},
            The model heard 1: ["look"]; 3 as Main to claude-sonnet-4-5 with 1 images: [{"result":""}]
        "#]],
    );
}
