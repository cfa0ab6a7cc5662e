//! Paths, options and texts that somebody made to do harm.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use baton_server::http::{HttpLimits, openapi};
use baton_testkit::Sandbox;
use serde_json::{Value, json};

use super::client::Site;
use crate::world::World;

const SECRET: &str = "nobody may see this";

/// Every route that names a file, with and without the project before it.
fn file_routes() -> Vec<String> {
    let document = openapi::document();
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for operation in methods.as_object().unwrap().values() {
            let parameters = operation["parameters"].as_array();
            let mut parameters = parameters.into_iter().flatten();
            if !parameters.any(|one| one["name"] == "path" && one["in"] == "query") {
                continue;
            }
            let path = path.replace("{slug}", "project");
            if operation["x-in-project"] == true {
                routes.push(format!("/p/project{path}"));
            }
            routes.push(path);
        }
    }
    assert!(routes.len() >= 6, "{routes:?}");
    routes
}

/// A project with a file in it, and one beside it.
async fn site_with_files() -> Site {
    let world = World::with_git().await;
    let folder = world.sandbox.project();
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("src/main.rs"), "fn main() {}\n").unwrap();
    let beside = world.sandbox.root().join("beside");
    fs::create_dir(&beside).unwrap();
    fs::write(beside.join("main.rs"), SECRET).unwrap();
    std::os::unix::fs::symlink(&beside, folder.join("out")).unwrap();
    std::os::unix::fs::symlink("../beside/main.rs", folder.join("one")).unwrap();
    let site = Site::over(world, HttpLimits::default(), None).await;
    let path = site.world.sandbox.project().display().to_string();
    let added = site.post("/api/v1/projects", json!({"path": path})).await;
    assert_eq!(added.expect(201)["slug"], "project");
    site
}

#[tokio::test]
async fn no_file_route_leads_out_of_the_project() {
    let site = site_with_files().await;
    let own = site.world.sandbox.root().join("beside/main.rs");
    let absolute = own.display().to_string();
    for route in file_routes() {
        for odd in [
            "../beside/main.rs",
            "src/../../beside/main.rs",
            "..%2fbeside%2fmain.rs",
            "%2e%2e%2fbeside%2fmain.rs",
            "%252e%252e%252fbeside%252fmain.rs",
            "..%5cbeside%5cmain.rs",
            "....%2f%2fbeside%2fmain.rs",
            "%c0%ae%c0%ae%2fbeside%2fmain.rs",
            "%ff%fe",
            "%ef%bc%8e%ef%bc%8e%2fbeside%2fmain.rs",
            "src/main.rs%00",
            "src%00/../../beside/main.rs",
            "out/main.rs",
            "out",
            "one",
            "./one",
            ".git/config",
            ".git",
            "%2fetc%2fpasswd",
            "%7e%2f.ssh%2fid_rsa",
            "file:%2f%2f%2fetc%2fpasswd",
            &absolute,
        ] {
            let answer = site.get(&format!("{route}?path={odd}")).await;
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            assert!(!text.contains(SECRET), "{route} {odd}: {text}");
            assert!(!text.contains("root:"), "{route} {odd}: {text}");
            assert!(answer.status < 500, "{route} {odd}: {text}");
            if answer.status == 200 {
                // A list or a diff may say of a link that it is one.
                assert!(!route.ends_with("/file"), "{route} {odd}: {text}");
                assert!(!text.contains("[core]"), "{route} {odd}: {text}");
            }
        }
        let twice = site.get(&format!("{route}?path=src&path=../beside")).await;
        assert_eq!(twice.problem().0, 400, "{route}");
    }
    let file = "/api/v1/projects/project/file?path=src/main.rs";
    assert_eq!(site.get(file).await.expect(200)["text"], "fn main() {}\n");
}

#[tokio::test]
async fn a_folder_that_becomes_a_link_while_it_is_asked_for_shows_nothing_foreign() {
    let site = site_with_files().await;
    let folder = site.world.sandbox.project();
    let beside = site.world.sandbox.root().join("beside");
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, swapped) = (Arc::clone(&stop), folder.join("src"));
    let swapping = std::thread::spawn(move || {
        let kept = swapped.with_file_name("kept");
        while !stopped.load(Ordering::Relaxed) {
            fs::rename(&swapped, &kept).unwrap();
            std::os::unix::fs::symlink(&beside, &swapped).unwrap();
            fs::remove_file(&swapped).unwrap();
            fs::rename(&kept, &swapped).unwrap();
        }
    });
    let mut seen = 0;
    for turn in 0..150 {
        let route = if turn % 3 == 0 {
            "files?path=src"
        } else {
            "file?path=src/main.rs"
        };
        let answer = site.get(&format!("/api/v1/projects/project/{route}")).await;
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!text.contains(SECRET), "{text}");
        assert!(answer.status < 500, "{text}");
        seen += u32::from(answer.status == 200);
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    let file = "/api/v1/projects/project/file?path=src/main.rs";
    assert_eq!(site.get(file).await.status, 200, "{seen}");
}

/// What would be an option, a line or a command of its own.
fn injections(marker: &Path) -> Vec<String> {
    let marker = marker.display();
    vec![
        "--dangerously-skip-permissions".into(),
        format!("--output={marker}"),
        format!("x\n--dangerously-skip-permissions\n`touch {marker}`"),
        format!("\"; touch '{marker}'; $(touch {marker}) \"'"),
    ]
}

/// Every field of a new session whose text reaches the agent's command line.
fn fields(text: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("model", json!(text)),
        ("fallbackModel", json!(text)),
        ("effort", json!(text)),
        ("tools", json!([text])),
        ("toolPreset", json!(text)),
        ("appendSystemPrompt", json!(text)),
        ("addDirs", json!([text])),
        ("cwd", json!(text)),
        ("env", json!({"OF_SESSION": text})),
        ("settingSources", json!([text])),
        ("betas", json!([text])),
        ("debugFile", json!(text)),
        (
            "mcpServers",
            json!({text: {"command": text, "args": [text]}}),
        ),
        ("outputSchema", json!({"title": text})),
        ("permissionMode", json!(text)),
        ("title", json!(text)),
        ("prompt", json!(text)),
    ]
}

/// The documented fields of a new session that are text somewhere inside.
#[test]
fn every_text_of_a_new_session_is_among_those_that_are_tried() {
    let document = openapi::document();
    let create = &document["components"]["schemas"]["Create"]["properties"];
    let tried: Vec<&str> = fields("x").iter().map(|(name, _)| *name).collect();
    // These are an id, numbers, switches, names from a closed list, or files.
    let others = [
        "project",
        "messageId",
        "attachments",
        "agent",
        "runtime",
        "mode",
        "maxBudgetUsd",
        "maxTurns",
        "maxThinkingTokens",
        "strictMcpConfig",
        "checkpointing",
        "resume",
        "fork",
    ];
    for name in create.as_object().unwrap().keys() {
        let name = name.as_str();
        assert!(tried.contains(&name) || others.contains(&name), "{name}");
    }
}

#[tokio::test]
async fn no_text_of_a_session_becomes_an_option_of_the_agent() {
    let sandbox = Sandbox::new();
    let started = sandbox.root().join("started");
    let marker = sandbox.root().join("marker");
    let sandbox = sandbox.with_env("FAKE_CLAUDE_ARGV", started.display().to_string());
    let world = World::inside(sandbox).await;
    let site = Site::over(world, HttpLimits::default(), None).await;
    let path = site.world.sandbox.project().display().to_string();
    site.posted(201, "/api/v1/projects", json!({"path": path}))
        .await;
    let mut tried = 0;
    for text in injections(&marker) {
        for (field, value) in fields(&text) {
            let mut body = json!({"agent": "claude", "prompt": "say hello"});
            body[field] = value;
            let made = site.post("/api/v1/projects/project/sessions", body).await;
            assert!(made.status < 500, "{field}: {:?}", made.body);
            if made.status != 201 {
                continue;
            }
            let id = made.json()["id"].as_str().unwrap().to_owned();
            site.until_one_of(&id, &["idle", "waiting", "ended"]).await;
            let stop = format!("/api/v1/sessions/{id}/stop");
            site.post(&stop, json!({})).await;
            tried += 1;
        }
    }
    assert!(tried > 10, "{tried}");
    let mut seen = 0;
    for line in fs::read_to_string(&started).unwrap().lines() {
        let start: Value = serde_json::from_str(line).unwrap();
        for argument in start["argv"].as_array().unwrap() {
            let argument = argument.as_str().unwrap();
            let harmful = ["dangerously-skip", "--output=", "touch"];
            if !harmful.iter().any(|part| argument.contains(part)) {
                continue;
            }
            // Only as the value of an option that Baton chose.
            let (option, _) = argument.split_once('=').unwrap_or((argument, ""));
            let known: Vec<&str> = "--model, --fallback-model, --tools, --append-system-prompt, \
                --add-dir, --betas, --debug-file, --mcp-config, --json-schema, --name, \
                --setting-sources, --allowedTools, --settings"
                .split(", ")
                .collect();
            assert!(known.contains(&option), "{argument}");
            seen += 1;
        }
    }
    assert!(seen > 0, "the agent was never told any of it");
    assert!(!marker.exists(), "something ran");
}

#[tokio::test]
async fn no_parameter_becomes_an_option_of_git() {
    let site = site_with_files().await;
    let marker = site.world.sandbox.root().join("marker");
    let accept = json!({"accept": true});
    let trust = "/api/v1/projects/project/trust";
    site.post(trust, accept).await;
    let mut odd = injections(&marker);
    odd.extend([
        "--no-index".into(),
        "-O/etc/passwd".into(),
        ":(top)..".into(),
        ":!x".into(),
        "--".into(),
        "HEAD".into(),
        "--ext-diff".into(),
    ]);
    for route in file_routes() {
        for text in &odd {
            let query: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
            let answer = site.get(&format!("{route}?path={query}")).await;
            assert!(answer.status < 500, "{route} {text}: {:?}", answer.body);
            let told = String::from_utf8_lossy(&answer.body).into_owned();
            assert!(!told.contains(SECRET), "{route} {text}: {told}");
        }
    }
    // A project is a folder with an absolute path, and nothing else.
    for text in &odd {
        let added = site.post("/api/v1/projects", json!({"path": text})).await;
        assert_eq!(added.problem().0, 400, "{text}");
    }
    assert!(!marker.exists(), "something ran");
}

#[tokio::test]
async fn text_of_others_is_told_as_it_is_and_never_as_a_page() {
    let world = World::inside(Sandbox::new()).await;
    let site = Site::over(world, HttpLimits::default(), None).await;
    let path = site.world.sandbox.project().display().to_string();
    site.posted(201, "/api/v1/projects", json!({"path": path}))
        .await;
    let evil = "<script>alert(1)</script><img src=x onerror=alert(2)>\u{1b}[2J\u{1b}]0;x\u{7}";
    let rule = json!({"rule": "Bash", "decision": "allow", "scope": "user"});
    site.post("/api/v1/rules", rule).await.expect(201);
    let body = json!({
        "agent": "claude", "title": evil,
        "prompt": "bash printf '<script>alert(3)</script>\\033[2J'",
    });
    let made = site
        .posted(201, "/api/v1/projects/project/sessions", body)
        .await;
    let id = made["id"].as_str().unwrap();
    site.until_state(id, "idle").await;
    let shown = site.get(&format!("/api/v1/sessions/{id}")).await;
    assert_eq!(shown.expect(200)["title"], evil);
    let events = site
        .get(&format!("/api/v1/sessions/{id}/events?limit=5000"))
        .await;
    let list = events.expect(200);
    let mut list = list["events"].as_array().unwrap().iter();
    let ended = list
        .find(|event| event["type"] == "tool.completed")
        .unwrap();
    let tool = ended["payload"]["toolUseId"].as_str().unwrap();
    let output = format!("/api/v1/sessions/{id}/tools/{tool}/output");
    let output = site.get(&output).await;
    assert_eq!(output.status, 200);
    assert!(String::from_utf8_lossy(&output.body).contains("<script>alert(3)"));
    assert_eq!(output.header("content-type"), "text/plain; charset=utf-8");
    let export = site.get(&format!("/api/v1/sessions/{id}/export")).await;
    for answer in [&shown, &events, &output, &export] {
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        let policy = answer.header("content-security-policy");
        let part = "sandbox; default-src 'none'";
        assert!(policy.starts_with(part), "{policy}");
        assert!(!answer.header("content-type").contains("html"));
        // JSON has no control characters in it, so no terminal obeys them.
        let plain = answer.header("content-type").starts_with("text/plain");
        assert!(plain || !answer.body.contains(&0x1b));
    }
    assert!(
        export
            .header("content-disposition")
            .starts_with("attachment")
    );
}

#[tokio::test]
async fn bytes_are_kept_by_one_browser_and_asked_for_each_time() {
    let site = Site::new().await;
    let body = json!({"rule": "Bash", "decision": "allow", "scope": "user"});
    site.post("/api/v1/rules", body).await.expect(201);
    let path = site.world.sandbox.project().display().to_string();
    site.posted(201, "/api/v1/projects", json!({"path": path}))
        .await;
    let body = json!({"agent": "claude", "prompt": "bash printf hello"});
    let made = site
        .posted(201, "/api/v1/projects/project/sessions", body)
        .await;
    let id = made["id"].as_str().unwrap();
    site.until_state(id, "idle").await;
    let events = site
        .get(&format!("/api/v1/sessions/{id}/events?limit=5000"))
        .await;
    let list = events.expect(200);
    let mut list = list["events"].as_array().unwrap().iter();
    let ended = list
        .find(|event| event["type"] == "tool.completed")
        .unwrap();
    let tool = ended["payload"]["toolUseId"].as_str().unwrap();
    let path = format!("/api/v1/sessions/{id}/tools/{tool}/output");
    let token = site
        .device(baton_protocol::words::AccessScope::Observe)
        .await;
    let first = site.ask("GET", &path).bearer(&token).send().await;
    assert_eq!(first.header("cache-control"), "private, no-cache");
    let etag = first.header("etag").to_owned();
    assert!(!etag.is_empty());
    let again = site.ask("GET", &path).header("if-none-match", &etag);
    let kept = again.clone().bearer(&token).send().await;
    assert_eq!((kept.status, kept.body.len()), (304, 0));
    assert_eq!(kept.header("cache-control"), "private, no-cache");
    let out = site.ask("POST", "/api/v1/auth/logout").bearer(&token);
    assert_eq!(out.send().await.status, 204);
    assert_eq!(again.bearer(&token).send().await.problem().0, 401);
}
