//! Folders, files and arguments that mean harm.

use serde_json::{Value, json};

use super::tests::{Scene, With};

/// Makes a pipe that nobody writes to.
#[expect(
    clippy::disallowed_methods,
    reason = "a test makes a pipe with the system's own tool"
)]
fn pipe(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success(), "mkfifo {}", path.display());
}

#[tokio::test]
async fn a_pipe_in_place_of_a_file_is_refused_and_not_waited_for() {
    let scene = Scene::new(With {
        issue: Some("I-1"),
        ..With::default()
    });
    let own = scene.folder().join(".baton");
    std::fs::create_dir_all(own.join("issues")).unwrap();
    pipe(&own.join("config.json"));
    pipe(&own.join("issues/I-1.json"));
    for tool in ["get_workspace_scripts_config", "get_issue_context"] {
        let told = scene.call(tool, json!({})).await.unwrap_err();
        assert!(told.contains("it is no file"), "{told}");
    }
}

#[tokio::test]
async fn what_a_file_of_an_issue_says_beside_is_kept() {
    let scene = Scene::new(With {
        issue: Some("I-1"),
        ..With::default()
    });
    let file = scene.folder().join(".baton/issues/I-1.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = json!({"title": "T", "labels": ["a", "b"], "estimate": 3});
    std::fs::write(&file, before.to_string()).unwrap();
    let told = scene.call("update_issue_status", json!({"status": "in_review"}));
    assert_eq!(told.await.unwrap()["issue"]["labels"], json!(["a", "b"]));
    let after: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        after,
        json!({"id": "I-1", "provider": "local", "title": "T", "status": "in_review",
            "labels": ["a", "b"], "estimate": 3})
    );
}

#[tokio::test]
async fn a_commit_cannot_pass_for_several() {
    let scene = Scene::new(With::default());
    let subject = "one\u{1e}0000\u{1f}Mallory\u{1f}2020-01-01\u{1f}two";
    scene.git(&["commit", "--quiet", "--allow-empty", "-m", subject]);
    let told = scene.call("get_recent_activity", json!({})).await.unwrap();
    let commits = told["commits"].as_array().unwrap();
    assert_eq!(commits.len(), 2, "{told}");
    assert_eq!(commits[0]["subject"], subject);
    assert_eq!(commits[1]["author"], "A");
}

#[tokio::test]
async fn a_diff_stays_in_the_workspace_and_names_files_as_it_does() {
    let scene = Scene::new(With {
        within: "inner",
        ..With::default()
    });
    let folder = scene.folder();
    let secret = folder.join("secret.txt");
    std::fs::write(&secret, "one\n").unwrap();
    std::fs::write(folder.join("inner/b.txt"), "one\n").unwrap();
    scene.git(&["add", "."]);
    scene.git(&["commit", "--quiet", "-m", "second"]);
    std::fs::write(&secret, "two\n").unwrap();
    std::fs::write(folder.join("inner/b.txt"), "two\n").unwrap();
    std::fs::write(folder.join("inner/c.txt"), "new\n").unwrap();
    std::fs::write(folder.join("other.txt"), "new\n").unwrap();
    let told = scene.call("get_workspace_diff", json!({})).await.unwrap();
    assert_eq!(told["files"][0]["path"], "b.txt", "{told}");
    assert_eq!(told["fileCount"], 1, "{told}");
    assert_eq!(told["untracked"], json!(["c.txt"]));
    for path in ["..", "../secret.txt", "/etc", "a/../../secret.txt"] {
        let told = scene.call("get_workspace_diff", json!({"path": path}));
        let told = told.await.unwrap_err();
        assert!(told.contains("stays in it"), "{path}: {told}");
    }
    // No magic: a name is a name.
    for path in [":/", ":(top)secret.txt", ":!b.txt", "*"] {
        let told = scene.call(
            "get_workspace_diff",
            json!({"path": path, "detail": "full"}),
        );
        let told = told.await.unwrap();
        assert_eq!(told["diff"], "", "{path}");
        assert_eq!(told["untrackedCount"], 0, "{path}");
    }
}

#[tokio::test]
async fn a_comment_names_a_file_in_the_workspace_or_is_refused() {
    let scene = Scene::new(With::default());
    for path in [
        "../x",
        "/etc/passwd",
        "a/../../x",
        "",
        ".",
        "a\u{0}b",
        "a\u{1b}[2Jb",
    ] {
        let told = scene.call("add_review_comment", json!({"path": path, "body": "b"}));
        let told = told.await.unwrap_err();
        assert!(told.starts_with("`path` "), "{path:?}: {told}");
    }
    let long = "x".repeat(10_001);
    let told = scene.call("add_review_comment", json!({"path": "a.txt", "body": long}));
    assert!(told.await.unwrap_err().starts_with("`body` "));
    let told = scene.call("get_review_comment_stats", json!({})).await;
    assert_eq!(told.unwrap()["total"], 0);
}

#[tokio::test]
async fn a_last_line_without_its_end_is_answered_too() {
    let scene = Scene::new(With::default());
    let input: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mut output = Vec::new();
    crate::serve(&scene.server, input, &mut output)
        .await
        .unwrap();
    let told: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(told["id"], 1, "{told}");
}

#[tokio::test]
async fn no_tool_tells_what_baton_keeps_in_a_workspace_that_holds_its_data() {
    let scene = Scene::new(With {
        issue: Some("I-1"),
        data: Some(".baton"),
        ..With::default()
    });
    let own = scene.folder().join(".baton");
    std::fs::create_dir_all(own.join("issues")).unwrap();
    for file in ["token", "config.json", "issues/I-1.json"] {
        let text = r#"{"title": "the-secret-itself"}"#;
        std::fs::write(own.join(file), text).unwrap();
    }
    scene.git(&["add", "--force", ".baton/token"]);
    scene.git(&["commit", "--quiet", "-m", "a mistake"]);
    std::fs::write(own.join("token"), "the-secret-itself, changed\n").unwrap();
    std::fs::hard_link(own.join("token"), scene.folder().join("twin")).unwrap();
    std::fs::write(scene.folder().join("a.txt"), "one\nchanged\n").unwrap();
    for (tool, arguments) in [
        ("get_workspace_diff", json!({"detail": "full"})),
        ("get_workspace_diff", json!({"detail": "summary"})),
        (
            "get_workspace_diff",
            json!({"detail": "full", "path": ".baton"}),
        ),
        ("get_workspace_scripts_config", json!({})),
        ("get_session_status", json!({})),
    ] {
        let told = scene.call(tool, arguments.clone()).await.unwrap();
        let text = told.to_string();
        for hidden in ["the-secret-itself", ".baton/token", "twin"] {
            assert!(!text.contains(hidden), "{tool} {arguments}: {text}");
        }
    }
    let full = json!({"detail": "full"});
    let full = scene.call("get_workspace_diff", full).await.unwrap();
    assert!(
        full["diff"].as_str().unwrap().contains("+changed"),
        "{full}"
    );
    scene
        .call("get_issue_context", json!({}))
        .await
        .unwrap_err();
    let change = json!({"scripts": {"test": "x"}});
    let text = scene.call("propose_scripts_config", change).await;
    assert!(text.unwrap_err().contains("secrets"));
}

#[tokio::test]
async fn remarks_of_an_agent_in_a_folder_below_are_the_projects() {
    let scene = Scene::new(With::default()).around();
    std::fs::create_dir(scene.folder().join("src")).unwrap();
    std::fs::write(scene.folder().join("src/b.rs"), "fn b() {}\n").unwrap();
    let add = "add_review_comment";
    let said = json!({"path": "a.txt", "line": 2, "body": "from above"});
    scene.call(add, said).await.unwrap();
    let scene = scene.below("src");
    let said = json!({"path": "b.rs", "line": 1, "body": "from below"});
    let added = scene.call(add, said).await.unwrap();
    assert_eq!(added["comment"]["path"], "b.rs");
    for outside in ["../a.txt", "/etc/passwd"] {
        let said = json!({"path": outside, "body": "x"});
        scene.call(add, said).await.unwrap_err();
    }
    let paths = |listed: Value| -> Vec<String> {
        let listed = listed["comments"].as_array().unwrap().clone();
        let paths = listed.iter().map(|one| one["path"].as_str().unwrap());
        paths.map(str::to_owned).collect()
    };
    let list = "list_review_comments";
    let seen = paths(scene.call(list, json!({})).await.unwrap());
    assert_eq!(seen, ["../a.txt", "b.rs"]);
    let seen = paths(scene.call(list, json!({"path": "b.rs"})).await.unwrap());
    assert_eq!(seen, ["b.rs"]);
    let counted = scene.call("get_review_comment_stats", json!({})).await;
    assert_eq!(counted.unwrap()["files"][1]["path"], "b.rs");
    let scene = scene.around();
    let seen = paths(scene.call(list, json!({})).await.unwrap());
    assert_eq!(seen, ["a.txt", "src/b.rs"]);
}

#[tokio::test]
async fn what_is_kept_from_the_agent_is_left_out_and_said_so() {
    let mut scene = Scene::new(With {
        issue: Some("I-1"),
        ..With::default()
    });
    let folder = scene.folder();
    std::fs::create_dir_all(folder.join(".baton/issues")).unwrap();
    let kept = [
        "old.env",
        "new.env",
        ".baton/config.json",
        ".baton/issues/I-1.json",
    ];
    for name in kept.iter().filter(|name| !name.starts_with("new")) {
        std::fs::write(folder.join(name), "{\"id\": \"hush\"}\n").unwrap();
    }
    scene.git(&["add", "."]);
    scene.git(&["commit", "--quiet", "-m", "second"]);
    let remark = json!({"path": "old.env", "body": "Why?", "line": 1});
    let remarked = scene.call("add_review_comment", remark.clone()).await;
    assert!(remarked.unwrap().to_string().contains("hush"));
    for name in kept {
        std::fs::write(folder.join(name), "{\"id\": \"hush, hush\"}\n").unwrap();
    }
    std::fs::write(folder.join("a.txt"), "changed\n").unwrap();
    let withheld = kept.map(|name| folder.join(name));
    let withheld = move |path: &std::path::Path| withheld.iter().any(|one| one == path);
    scene.server = scene.server.clone().without(std::sync::Arc::new(withheld));
    for (tool, arguments, told) in [
        ("get_workspace_diff", json!({}), true),
        ("get_workspace_diff", json!({"detail": "full"}), true),
        ("list_review_comments", json!({}), true),
        (
            "resolve_review_comment",
            json!({"id": uuid::Uuid::from_u128(7)}),
            true,
        ),
        ("add_review_comment", remark, false),
        ("get_issue_context", json!({}), false),
        ("get_workspace_scripts_config", json!({}), false),
    ] {
        let answer = scene.call(tool, arguments).await;
        assert_eq!(answer.is_ok(), told, "{tool}: {answer:?}");
        let text = answer.map_or_else(|error| error, |answer| answer.to_string());
        assert!(!text.contains("hush"), "{tool}: {text}");
        if tool == "get_workspace_diff" {
            assert!(
                text.contains("a.txt") && text.contains("\"leftOut\":4"),
                "{text}"
            );
        }
    }
}
