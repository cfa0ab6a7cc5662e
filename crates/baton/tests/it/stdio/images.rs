//! Images that tools give reach the parent.

use baton_testkit::{
    Sandbox, Version, claude_cli,
    model::{ModelServer, Script, text, tool_use},
};
use serde_json::json;

use super::{Parent, names, only};
use crate::Bench;

/// One red dot.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

#[test]
fn an_image_that_is_read_is_told_with_its_bytes_and_its_call() {
    use base64::{Engine, engine::general_purpose::STANDARD};
    for version in Version::ALL {
        let claude = claude_cli(version).display().to_string();
        let sandbox = Sandbox::new();
        let file = sandbox.project().join("dot.png");
        std::fs::write(&file, STANDARD.decode(PNG).unwrap()).unwrap();
        let read = tool_use("Read", json!({"file_path": file.display().to_string()}));
        let server = ModelServer::start(Script::new().reply(read).reply(text("Red.")));
        let bench =
            Bench::in_sandbox(sandbox.with_model(&server)).with("BATON_AGENT_CLAUDE_PATH", &claude);
        let parent = Parent::start(&bench, &[]);
        parent.turn("look");
        let lines = parent.stop();
        let image = only(&lines, "image_output");
        let end = only(&lines, "tool_end");
        assert_eq!(image["mediaType"], "image/png", "{version:?} {image}");
        assert_eq!(image["toolUseId"], end["toolUseId"]);
        assert_eq!(end["images"], json!([image["imageId"]]));
        let data = STANDARD.decode(image["data"].as_str().unwrap()).unwrap();
        assert!(data.starts_with(b"\x89PNG"), "{version:?}");
        assert_eq!(data.len() as u64, image["bytes"].as_u64().unwrap());
        let names = names(&lines);
        let at = |name: &str| names.iter().position(|one| *one == name);
        assert!(at("image_output") < at("tool_end"), "{names:?}");
    }
}
