//! What a session was made with that is nobody else's business.

use std::{fs, os::unix::fs::PermissionsExt};

use baton_protocol::words::Json;
use baton_testkit::model::{self};
use expect_test::expect;
use serde_json::json;

use crate::{both::check_story, world::command_lines};

#[test]
fn no_secret_stands_on_a_command_line() {
    const SECRET: &str = "Bearer only-for-the-server";
    check_story(
        |setup| setup.replies([model::text("one"), model::text("two")]),
        async |world| {
            let servers = json!({"m": {
                "type": "http", "url": "http://127.0.0.1:9/", "headers": {"Authorization": SECRET},
            }});
            let mut talk = world
                .session_with(|options| options.mcp_servers = Some(Json::of(&servers)))
                .await;
            talk.turn("one").await;
            let data = world.sandbox.data().display().to_string();
            let lines = command_lines(&data);
            let holders = lines
                .iter()
                .filter(|line| line.contains("__holder"))
                .count();
            let shown = lines
                .iter()
                .filter(|line| line.contains("only-for-the"))
                .count();
            let files = files_with(&world.sandbox.data().join("holders"), SECRET);
            let mut story = format!(
                "{} processes, {holders} of them a holder, {shown} with the secret\n",
                lines.len()
            );
            for (name, mode) in &files {
                story += &format!("{name} {mode:o}\n");
            }
            talk.close().await;
            let left = files_with(&world.sandbox.data().join("holders"), SECRET);
            story += &format!("left {}\n", left.len());
            // The next process gets it again.
            talk.turn("two").await;
            let again = files_with(&world.sandbox.data().join("holders"), SECRET);
            story + &format!("again {}\n", again.len())
        },
        expect![[r#"
            2 processes, 1 of them a holder, 0 with the secret
            mcp.json 600
            left 0
            again 1
        "#]],
    );
}

/// The agents' own files that hold a text, with their modes. What the agent
/// says is beside them.
fn files_with(holders: &std::path::Path, text: &str) -> Vec<(String, u32)> {
    let folders = fs::read_dir(holders).into_iter().flatten().flatten();
    let entries = folders.flat_map(|folder| {
        fs::read_dir(folder.path().join("files"))
            .into_iter()
            .flatten()
    });
    let files = entries.flatten().filter(|file| {
        let bytes = fs::read(file.path()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(text)
    });
    files
        .map(|file| {
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            (file.file_name().to_string_lossy().into_owned(), mode)
        })
        .collect()
}
