//! Rules of the agent's own settings: shown as they are, taken when chosen.

use std::path::Path;

use serde_json::{Value, json};

use super::client::Site;

fn settings(folder: &Path, file: &str, permissions: &Value) {
    let file = folder.join(".claude").join(file);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let text = json!({"permissions": permissions}).to_string();
    std::fs::write(file, text).unwrap();
}

/// `decision rule scope` and what is said of each.
fn told(offered: &Value) -> Vec<String> {
    let items = offered["items"].as_array().unwrap().iter();
    items
        .map(|item| {
            let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
            let mut line = format!("{} {} {}", text("decision"), text("rule"), text("scope"));
            for mark in ["unreadable", "warning"] {
                if item[mark].is_string() {
                    line = format!("{line} {mark}");
                }
            }
            if item["known"] == true {
                line += " known";
            }
            assert_ne!(item["words"].is_string(), item["unreadable"].is_string());
            line
        })
        .collect()
}

#[tokio::test]
async fn the_agents_own_rules_are_offered_and_taken_over_when_chosen() {
    let site = Site::new().await;
    let project = site.world.sandbox.project();
    let user = json!({
        "allow": ["Bash(npm test:*)", "Bash", "Edit(/src/**)", 7],
        "deny": ["Read(.env)"],
        "ask": ["WebFetch"],
    });
    settings(&site.world.sandbox.home(), "settings.json", &user);
    let own = json!({"allow": ["Edit(/src/**)"]});
    settings(&project, "settings.json", &own);
    let server = json!({"mcpServers": {"own": {"command": "true"}}});
    std::fs::write(project.join(".mcp.json"), server.to_string()).unwrap();
    let path = format!("/api/v1/rules/import?project={}", project.display());
    let offered = site.get(&path).await.expect(200);
    let of_user = [
        "allow Bash(npm test:*) user",
        "allow Bash user warning",
        "allow Edit(/src/**) user unreadable",
        "deny Read(.env) user",
        "ask WebFetch user",
    ];
    assert_eq!(told(&offered), of_user);
    assert!(offered["notes"][0].as_str().unwrap().contains("trusted"));
    // Offering changes nothing.
    let rules = site.get("/api/v1/rules").await.expect(200);
    assert_eq!(rules["items"], json!([]));

    let shown = site.world.supervisor.trust(&project).await.unwrap();
    let accepted = site
        .world
        .supervisor
        .set_trust(&project, &shown.digest, true, None);
    accepted.await.unwrap();
    let offered = site.get(&path).await.expect(200);
    assert_eq!(offered["notes"], json!([]));
    assert_eq!(told(&offered)[5], "allow Edit(/src/**) project");

    let take = |rules: Value, scope: &str| {
        let body = json!({"rules": rules, "scope": scope, "project": project});
        site.post("/api/v1/rules/import", body)
    };
    let chosen = json!([
        {"rule": "Bash(npm test:*)", "decision": "allow"},
        {"rule": "Read(.env)", "decision": "deny"},
    ]);
    let taken = take(chosen.clone(), "user").await.expect(200);
    assert_eq!(taken["items"].as_array().unwrap().len(), 2);
    assert_eq!(taken["items"][0]["client"]["id"], "token");
    let again = take(chosen, "user").await.expect(200);
    assert_eq!(again["items"], json!([]));
    let offered = site.get(&path).await.expect(200);
    assert_eq!(told(&offered)[0], "allow Bash(npm test:*) user known");
    let path = json!([{"rule": "Edit(/src/**)", "decision": "allow"}]);
    let taken = take(path.clone(), "project").await.expect(200);
    assert_eq!(taken["items"][0]["scope"], "project");

    // Only what is offered, all or none, and for somebody.
    let good = json!({"rule": "WebFetch", "decision": "ask"});
    for bad in [
        json!({"rule": "Bash(rm:*)", "decision": "allow"}),
        json!({"rule": "WebFetch", "decision": "allow"}),
    ] {
        assert_eq!(take(json!([good, bad]), "user").await.problem().0, 400);
    }
    assert_eq!(take(json!([good]), "session").await.problem().0, 400);
    let nowhere = json!({"rules": [good], "scope": "project"});
    let nowhere = site.post("/api/v1/rules/import", nowhere).await;
    assert_eq!(nowhere.problem().0, 400);
    let nobody = json!({"rules": path, "scope": "user"});
    let nobody = site.post("/api/v1/rules/import", nobody).await;
    assert_eq!(nobody.problem().0, 400, "unreadable without the project");
    let rules = site.get("/api/v1/rules").await.expect(200);
    assert_eq!(rules["items"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn within_a_project_rules_are_taken_over_for_it_alone() {
    let site = Site::new().await;
    site.session("hello").await;
    let user = json!({"allow": ["Bash(npm test:*)"]});
    settings(&site.world.sandbox.home(), "settings.json", &user);
    let chosen = json!([{"rule": "Bash(npm test:*)", "decision": "allow"}]);
    let take = |scope: &str| {
        let body = json!({"rules": chosen, "scope": scope});
        site.post("/p/project/api/v1/rules/import", body)
    };
    assert_eq!(take("user").await.problem().0, 403);
    let taken = take("project").await.expect(200);
    assert_eq!(taken["items"][0]["scope"], "project");
}
