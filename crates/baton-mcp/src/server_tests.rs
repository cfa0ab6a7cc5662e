use std::{path::Path, process::Stdio, sync::Arc};

use baton_project::{comments::Comments, secrets::SecretPlaces};
use baton_protocol::{
    Timestamp,
    api::{ReviewComment, Severity},
};
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;

use super::*;
use crate::{Git, IssueProvider, LinearIssues, LocalIssues, NAMES, Proposals};

/// A repository with one commit on `main`.
pub(super) struct Scene {
    dir: TempDir,
    pub(super) server: Server,
}

#[derive(Default, Clone, Copy)]
pub(super) struct With {
    pub(super) target: Option<&'static str>,
    pub(super) issue: Option<&'static str>,
    pub(super) linear: bool,
    pub(super) leave: bool,
    /// Baton's data folder, from the repository's.
    pub(super) data: Option<&'static str>,
    /// The workspace is this folder of the repository.
    pub(super) within: &'static str,
}

impl Scene {
    pub(super) fn new(with: With) -> Self {
        let dir = TempDir::new().unwrap();
        let workspace = workspace(dir.path(), &with);
        let scene = Self {
            server: Server::new(workspace, "1.2.3"),
            dir,
        };
        scene.git(&["init", "--quiet", "--initial-branch=main"]);
        std::fs::write(scene.folder().join("a.txt"), "one\ntwo\n").unwrap();
        scene.git(&["add", "."]);
        scene.git(&["commit", "--quiet", "-m", "first"]);
        scene
    }

    pub(super) fn folder(&self) -> std::path::PathBuf {
        self.dir.path().join("work")
    }

    /// Everything is in here, the user's home too.
    pub(super) fn root(&self) -> &Path {
        self.dir.path()
    }

    /// A folder on the user's PATH.
    pub(super) fn bin(&self) -> std::path::PathBuf {
        self.dir.path().join("bin")
    }

    /// The same with the whole repository as the workspace.
    pub(super) fn around(self) -> Self {
        let workspace = Workspace {
            folder: self.folder(),
            project: self.folder(),
            ..workspace(self.dir.path(), &With::default())
        };
        Self {
            server: Server::new(workspace, "1.2.3"),
            dir: self.dir,
        }
    }

    /// The same with a folder of the repository as the workspace, whose project
    /// is all of it.
    pub(super) fn below(self, within: &'static str) -> Self {
        let with = With {
            within,
            ..With::default()
        };
        let workspace = Workspace {
            project: self.folder(),
            ..workspace(self.dir.path(), &with)
        };
        Self {
            server: Server::new(workspace, "1.2.3"),
            dir: self.dir,
        }
    }

    /// Undoes what changed.
    pub(super) fn change_back(&self) {
        std::fs::write(self.folder().join("a.txt"), "one\ntwo\n").unwrap();
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a test makes its repository with git"
    )]
    pub(super) fn git(&self, args: &[&str]) {
        let mut command = std::process::Command::new("git");
        command.args(args).current_dir(self.folder()).env_clear();
        command.envs(env(self.dir.path())).stdin(Stdio::null());
        let done = command.output().unwrap();
        assert!(done.status.success(), "git {args:?}: {done:?}");
    }

    async fn ask(&self, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.server
            .answer(&message)
            .await
            .expect("a request is answered")
    }

    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        let answer = self
            .ask("tools/call", json!({"name": tool, "arguments": arguments}))
            .await;
        let result = &answer["result"];
        if result["isError"] == json!(false) {
            return Ok(result["structuredContent"].clone());
        }
        Err(result["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned())
    }
}

fn workspace(root: &Path, with: &With) -> Workspace {
    let folder = root.join("work").join(with.within);
    std::fs::create_dir_all(&folder).unwrap();
    let data = root.join("work").join(with.data.unwrap_or("../data"));
    let secrets = SecretPlaces::of(root, &root.join(".claude"), &data);
    let issues: Arc<dyn IssueProvider> = if with.linear {
        Arc::new(LinearIssues::of(&folder, secrets.clone()))
    } else {
        Arc::new(LocalIssues::of(&folder, secrets.clone()))
    };
    Workspace {
        conversation: Some("c1".into()),
        target_branch: with.target.map(str::to_owned),
        issue: with.issue.map(str::to_owned),
        issues,
        comments: Comments::at(&root.join("comments/prj.jsonl")),
        secrets,
        withheld: Arc::new(|_| false),
        proposals: if with.leave {
            Proposals::Leave
        } else {
            Proposals::Apply
        },
        git: Git::new(&env(root)),
        now: Arc::new(|| Timestamp::from_millis(1_794_725_041_522)),
        fresh_id: Arc::new(|| Uuid::from_u128(7)),
        project: folder.clone(),
        folder,
    }
}

fn env(home: &Path) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let path = baton_testkit::Sandbox::new().env()["PATH"].clone();
    let path = format!("{}:{path}", home.join("bin").display());
    let pairs = [
        ("PATH", path.as_str()),
        ("HOME", home.to_str().unwrap()),
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_NAME", "A"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
    ];
    pairs
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec()
}

#[tokio::test]
async fn the_handshake_names_a_version_that_the_client_knows() {
    let scene = Scene::new(With::default());
    let told = scene
        .ask("initialize", json!({"protocolVersion": "2024-11-05"}))
        .await;
    assert_eq!(told["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(told["result"]["serverInfo"]["version"], "1.2.3");
    let told = scene
        .ask("initialize", json!({"protocolVersion": "1999-01-01"}))
        .await;
    assert_eq!(told["result"]["protocolVersion"], VERSIONS[0]);
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(scene.server.answer(&initialized).await, None);
    assert_eq!(scene.ask("ping", Value::Null).await["result"], json!({}));
}

#[tokio::test]
async fn every_tool_is_listed_with_a_schema_that_takes_nothing_else() {
    let scene = Scene::new(With::default());
    let listed = scene.ask("tools/list", Value::Null).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, NAMES);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert!(tool["inputSchema"]["properties"].is_object(), "{tool}");
    }
}

#[tokio::test]
async fn what_is_no_request_is_answered_with_a_code() {
    let scene = Scene::new(With::default());
    let code = async |message: Value| {
        scene.server.answer(&message).await.unwrap()["error"]["code"].clone()
    };
    assert_eq!(code(json!([])).await, INVALID_REQUEST);
    assert_eq!(code(json!({"id": 1})).await, INVALID_REQUEST);
    let wanted = INVALID_REQUEST;
    assert_eq!(code(json!({"id": null, "method": "ping"})).await, wanted);
    assert_eq!(
        code(json!({"id": 1, "method": "resources/list"})).await,
        NO_METHOD
    );
    let nameless = json!({"id": 1, "method": "tools/call", "params": {}});
    assert_eq!(code(nameless).await, INVALID_PARAMS);
    let unknown = json!({"id": 1, "method": "tools/call", "params": {"name": "rm"}});
    assert_eq!(code(unknown).await, INVALID_PARAMS);
}

#[tokio::test]
async fn bad_arguments_are_told_to_the_model() {
    let scene = Scene::new(With::default());
    for (tool, arguments) in [
        ("get_session_status", json!({"more": 1})),
        ("get_workspace_diff", json!({"detail": "everything"})),
        ("get_recent_activity", json!({"limit": 0})),
        ("get_recent_activity", json!([])),
        ("add_review_comment", json!({"path": "a.txt"})),
        (
            "add_review_comment",
            json!({"path": "../a.txt", "body": "x"}),
        ),
        (
            "add_review_comment",
            json!({"path": "/etc/passwd", "body": "x"}),
        ),
        ("add_review_comment", json!({"path": "a.txt", "body": " "})),
        (
            "add_review_comment",
            json!({"path": "a.txt", "body": "x", "line": 3, "endLine": 2}),
        ),
        ("list_review_comments", json!({"limit": 100_000})),
        ("get_issue_context", json!({"issue": "../../x"})),
        ("get_issue_context", json!({})),
        ("start_issue", json!({"issue": "NONE-1"})),
        ("update_issue_status", json!({"issue": "L-1"})),
        ("propose_scripts_config", json!({"scripts": {}})),
        ("propose_scripts_config", json!({"scripts": {"run": 7}})),
    ] {
        let text = scene.call(tool, arguments.clone()).await.unwrap_err();
        assert!(!text.is_empty(), "{tool} {arguments}");
    }
}

#[tokio::test]
async fn status_diff_and_log_tell_what_git_knows() {
    let scene = Scene::new(With {
        target: Some("main"),
        ..With::default()
    });
    scene.git(&["switch", "--quiet", "-c", "topic"]);
    std::fs::write(scene.folder().join("a.txt"), "one\nTWO\nthree\n").unwrap();
    std::fs::write(scene.folder().join("new.txt"), "x\n").unwrap();
    let status = scene.call("get_session_status", json!({})).await.unwrap();
    assert_eq!(status["git"]["branch"], "topic");
    assert_eq!(status["git"]["unstaged"], 1);
    assert_eq!(status["git"]["untracked"], 1);
    assert_eq!(status["git"]["aheadOfTarget"], 0);
    let summary = scene.call("get_workspace_diff", Value::Null).await.unwrap();
    assert_eq!(summary["files"][0]["path"], "a.txt");
    assert_eq!(summary["added"], 2);
    assert_eq!(summary["removed"], 1);
    assert_eq!(summary["untracked"], json!(["new.txt"]));
    let full = scene
        .call(
            "get_workspace_diff",
            json!({"detail": "full", "path": "a.txt"}),
        )
        .await
        .unwrap();
    assert!(full["diff"].as_str().unwrap().contains("+three"), "{full}");
    assert_eq!(full["truncated"], false);
    let log = scene
        .call("get_recent_activity", json!({"limit": 3}))
        .await
        .unwrap();
    assert_eq!(log["commits"][0]["subject"], "first");
}

#[tokio::test]
async fn a_large_diff_is_cut_at_a_line_and_says_so() {
    let scene = Scene::new(With::default());
    let long = "a line of some length, again and again\n".repeat(10_000);
    std::fs::write(scene.folder().join("a.txt"), long).unwrap();
    let full = scene
        .call("get_workspace_diff", json!({"detail": "full"}))
        .await
        .unwrap();
    let diff = full["diff"].as_str().unwrap();
    assert!(
        diff.len() <= 100 << 10 && diff.ends_with('\n'),
        "{}",
        diff.len()
    );
    assert_eq!(full["truncated"], true);
}

#[tokio::test]
async fn a_comment_follows_its_line_and_says_when_it_is_gone() {
    let scene = Scene::new(With::default());
    let remark = json!({"path": "a.txt", "body": "why?", "line": 2});
    scene.call("add_review_comment", remark).await.unwrap();
    let listed = async || {
        let listed = scene.call("list_review_comments", json!({})).await;
        listed.unwrap()["comments"][0].clone()
    };
    std::fs::write(scene.folder().join("a.txt"), "new\nnew\none\ntwo\n").unwrap();
    let moved = listed().await;
    assert_eq!(moved["line"], 4);
    assert_eq!(moved["quote"], "two");
    assert!(moved.get("outdated").is_none(), "{moved}");
    std::fs::remove_file(scene.folder().join("a.txt")).unwrap();
    assert_eq!(listed().await["outdated"], true);
    let beyond = json!({"path": "a.txt", "body": "why?", "line": 99_999});
    scene.call("add_review_comment", beyond).await.unwrap_err();
}

#[tokio::test]
async fn comments_are_kept_listed_and_counted() {
    let scene = Scene::new(With::default());
    std::fs::create_dir(scene.folder().join("src")).unwrap();
    std::fs::write(scene.folder().join("src/b.rs"), "one\ntwo\n").unwrap();
    for (path, body) in [("a.txt", "one"), ("./src/b.rs", "two"), ("a.txt", "three")] {
        let added = scene
            .call(
                "add_review_comment",
                json!({"path": path, "body": body, "line": 2}),
            )
            .await;
        assert_eq!(added.unwrap()["comment"]["severity"], "suggestion");
    }
    let of_a = scene
        .call("list_review_comments", json!({"path": "a.txt"}))
        .await
        .unwrap();
    assert_eq!(of_a["total"], 2);
    assert_eq!(of_a["comments"][1]["body"], "three");
    let some = scene
        .call("list_review_comments", json!({"limit": 1}))
        .await
        .unwrap();
    assert_eq!(some["total"], 3);
    assert_eq!(some["truncated"], true);
    let stats = scene
        .call("get_review_comment_stats", json!({}))
        .await
        .unwrap();
    let files = json!([{"path": "a.txt", "comments": 2}, {"path": "src/b.rs", "comments": 1}]);
    assert_eq!(stats, json!({"total": 3, "files": files}));

    // A settled one stays listed and is not counted; it can be opened again.
    let id = &of_a["comments"][1]["id"];
    let settle = async |fields: Value| scene.call("resolve_review_comment", fields).await;
    let settled = settle(json!({"id": id})).await.unwrap();
    assert_eq!(settled["comment"]["path"], "a.txt");
    assert!(settled["comment"]["resolved"].is_object(), "{settled}");
    let counted = async || {
        let stats = scene.call("get_review_comment_stats", json!({})).await;
        stats.unwrap()["files"][0]["comments"].clone()
    };
    assert_eq!(counted().await, 1);
    let open = settle(json!({"id": id, "resolved": false})).await.unwrap();
    assert!(open["comment"].get("resolved").is_none(), "{open}");
    assert_eq!(counted().await, 2);
    settle(json!({"id": "nobody's"})).await.unwrap_err();
}

#[tokio::test]
async fn a_comment_after_a_torn_line_is_not_lost() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("c.jsonl");
    std::fs::write(&file, "{\"id\":\"to").unwrap();
    let comments = Comments::at(&file);
    let comment = ReviewComment {
        id: "1".into(),
        path: "a".into(),
        line: None,
        end_line: None,
        severity: Severity::Note,
        body: "b".into(),
        author: None,
        created_at: Timestamp::from_millis(0),
        quote: None,
        outdated: None,
        resolved: None,
    };
    comments.add(&comment).unwrap();
    assert_eq!(comments.all().unwrap(), [comment]);
}

#[tokio::test]
async fn an_issue_is_begun_on_a_branch_of_its_own() {
    let scene = Scene::new(With {
        target: Some("main"),
        issue: Some("LOC-7"),
        ..With::default()
    });
    let folder = scene.folder().join(".baton/issues");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("LOC-7.json"), r#"{"title":"Fix the parser!"}"#).unwrap();
    let known = scene.call("get_issue_context", json!({})).await.unwrap();
    assert_eq!(known["issue"]["title"], "Fix the parser!");
    let begun = scene.call("start_issue", json!({})).await.unwrap();
    assert_eq!(begun["branch"], "loc-7-fix-the-parser");
    assert_eq!(begun["created"], true);
    assert_eq!(begun["issue"]["status"], "in_progress");
    let again = scene.call("start_issue", json!({})).await.unwrap();
    assert_eq!(again["created"], false);
    let status = scene.call("get_session_status", json!({})).await.unwrap();
    assert_eq!(status["git"]["branch"], "loc-7-fix-the-parser");
    let moved = scene
        .call("update_issue_status", json!({"status": "in_review"}))
        .await
        .unwrap();
    assert_eq!(moved["issue"]["status"], "in_review");
    let text = scene
        .call("start_issue", json!({"branch": "--force"}))
        .await
        .unwrap_err();
    assert!(text.contains("no name for a branch"), "{text}");
}

#[tokio::test]
async fn an_issue_that_cannot_be_read_hides_nothing_else_of_the_status() {
    let scene = Scene::new(With {
        issue: Some("LOC-7"),
        ..With::default()
    });
    let folder = scene.folder().join(".baton/issues");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("LOC-7.json"), "{").unwrap();
    let status = scene.call("get_session_status", json!({})).await.unwrap();
    assert_eq!(status["git"]["branch"], "main");
    let problem = status["issue"]["problem"].as_str().unwrap();
    assert!(problem.contains("LOC-7.json is no JSON"), "{problem}");
}

#[tokio::test]
async fn an_issue_of_linear_is_known_by_its_name_and_kept_here() {
    let scene = Scene::new(With {
        issue: Some("LIN-123"),
        linear: true,
        ..With::default()
    });
    let known = scene.call("get_issue_context", json!({})).await.unwrap();
    let wanted = json!({"id": "LIN-123", "provider": "linear"});
    assert_eq!(known["issue"], wanted);
    scene
        .call("update_issue_status", json!({"status": "done"}))
        .await
        .unwrap();
    let known = scene.call("get_issue_context", json!({})).await.unwrap();
    assert_eq!(known["issue"]["status"], "done");
}

#[tokio::test]
async fn scripts_are_changed_when_approved_and_else_left_for_a_person() {
    let scene = Scene::new(With::default());
    let none = scene
        .call("get_workspace_scripts_config", json!({}))
        .await
        .unwrap();
    assert_eq!(none["exists"], false);
    assert!(
        !scene.folder().join(".baton").exists(),
        "looking makes nothing"
    );
    let change = json!({"scripts": {"test": "make test"}, "reason": "it has tests"});
    let done = scene
        .call("propose_scripts_config", change.clone())
        .await
        .unwrap();
    assert_eq!(done["applied"], true);
    let now = scene
        .call("get_workspace_scripts_config", json!({}))
        .await
        .unwrap();
    assert_eq!(now["config"], json!({"scripts": {"test": "make test"}}));

    let scene = Scene::new(With {
        leave: true,
        ..With::default()
    });
    let left = scene.call("propose_scripts_config", change).await.unwrap();
    assert_eq!(left["applied"], false);
    assert!(!scene.folder().join(".baton/config.json").exists());
    assert!(scene.folder().join(".baton/config.proposed.json").exists());
}

#[tokio::test]
async fn a_folder_that_leads_out_of_the_workspace_is_not_written() {
    let scene = Scene::new(With::default());
    let outside = scene.dir.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, scene.folder().join(".baton")).unwrap();
    let change = json!({"scripts": {"test": "x"}});
    let text = scene
        .call("propose_scripts_config", change)
        .await
        .unwrap_err();
    assert!(text.contains("out of the workspace"), "{text}");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[tokio::test]
async fn lines_are_answered_one_by_one_and_nonsense_does_not_end_it() {
    let scene = Scene::new(With::default());
    let long = format!("{{\"pad\":\"{}\"}}\n", "x".repeat(5 << 20));
    let input = format!("nonsense\n\n{long}{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}}\n");
    let mut output = Vec::new();
    crate::serve(&scene.server, input.as_bytes(), &mut output)
        .await
        .unwrap();
    let text = String::from_utf8(output).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert_eq!(lines[0]["error"]["code"], -32700);
    assert_eq!(lines[1]["error"]["code"], -32600);
    assert_eq!(lines[2]["id"], 9);
}
