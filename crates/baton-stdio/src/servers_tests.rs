use serde_json::json;

use super::*;

fn map(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else {
        panic!("an object");
    };
    map
}

#[test]
fn a_name_goes_to_the_first_of_builtin_user_and_project() {
    let user = map(json!({"baton": {"command": "evil"}, "notes": {"command": "n"}}));
    let project = ["notes".to_owned(), "docs".to_owned()];
    let merged = merge("baton", user, &project, true);
    assert_eq!(merged.source("baton"), Some(McpSource::Builtin));
    assert_eq!(merged.source("notes"), Some(McpSource::User));
    assert_eq!(merged.source("docs"), Some(McpSource::Project));
    assert_eq!(merged.user.keys().collect::<Vec<_>>(), ["notes"]);
    let conflicts: Vec<_> = merged
        .conflicts
        .iter()
        .map(|one| (one.name.as_str(), one.used, one.ignored))
        .collect();
    assert_eq!(
        conflicts,
        [
            ("baton", McpSource::Builtin, McpSource::User),
            ("notes", McpSource::User, McpSource::Project),
        ]
    );
}

#[test]
fn an_untrusted_projects_servers_are_left_out_and_named() {
    let file = r#"{"mcpServers":{"docs":{"command":"d"},"odd.name":{"type":"sdk"},"bad":7}}"#;
    let project = names_of(file.as_bytes());
    let merged = merge("baton", Map::new(), &project, false);
    assert_eq!(merged.source("docs"), None);
    let mut untrusted = merged.untrusted;
    untrusted.sort();
    assert_eq!(untrusted, ["bad", "docs", "odd.name"]);
    for nothing in ["", "{", "[]", r#"{"mcpServers":[]}"#] {
        assert!(names_of(nothing.as_bytes()).is_empty(), "{nothing}");
    }
}

#[test]
fn a_servers_file_is_checked_before_the_agent_sees_it() {
    let bad = |text: &str| servers_of(text.as_bytes()).unwrap_err().to_string();
    assert!(bad("{").starts_with("it is no JSON"));
    assert_eq!(bad("{}"), "it has no object `mcpServers`");
    assert_eq!(
        bad(r#"{"mcpServers":{"a b":{"command":"x"}}}"#),
        "the server `a b` needs a name of letters, digits, - and _, 64 at most"
    );
    assert_eq!(
        bad(r#"{"mcpServers":{"a":{}}}"#),
        "the server `a` has no `command`"
    );
    assert_eq!(
        bad(r#"{"mcpServers":{"a":{"type":"http"}}}"#),
        "the server `a` has no `url`"
    );
    assert_eq!(
        bad(r#"{"mcpServers":{"a":{"type":"sdk"}}}"#),
        "the server `a` has a `type` other than stdio, sse and http"
    );
    let good =
        r#"{"mcpServers":{"a":{"command":"x"},"b":{"type":"sse","url":"http://127.0.0.1:9/"}}}"#;
    assert_eq!(servers_of(good.as_bytes()).unwrap().len(), 2);
}
