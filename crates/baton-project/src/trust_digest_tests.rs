//! What the digest covers, and what follows from it.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[test]
fn the_digest_names_what_is_there_and_nothing_else() {
    let files = [
        (".claude/settings.json", r#"{"env":{"A":"1","B":"2"}}"#),
        (".claude/skills/s/SKILL.md", "one"),
        (".claude/skills/s/run.sh", "one"),
        (".git/HEAD", "ref: refs/heads/main"),
        (".git/config", "[include]\npath = ../shared\n"),
        ("shared", "[core]\npager = x\n"),
    ];
    let tree = Tree::new(&files);
    let first = tree.run().digest();
    assert_eq!(first.len(), 64);
    assert_eq!(tree.run().digest(), first);
    // The same elsewhere, written in another order.
    let mut turned = files;
    turned.reverse();
    turned[5].1 = r#"{ "env": {"B":"2","A":"1"} }"#;
    assert_eq!(Tree::new(&turned).run().digest(), first);
    // The branch and the sources are none of it.
    tree.write("project/.git/HEAD", "ref: refs/heads/other");
    tree.write("project/src/main.rs", "fn main() {}");
    assert_eq!(tree.run().digest(), first);
    let mut seen = BTreeSet::from([first.clone()]);
    for (name, text) in [
        (".claude/settings.json", r#"{"env":{"A":"1","B":"3"}}"#),
        (".claude/skills/s/run.sh", "two"),
        ("shared", "[core]\npager = y\n"),
        (
            ".git/config",
            "[include]\npath = ../shared\n[core]\neditor=x",
        ),
        (".claude/settings.local.json", "{"),
        (".claude/settings.local.json", "{{"),
    ] {
        let path = format!("project/{name}");
        let before = fs::read_to_string(tree.home.join(&path)).unwrap_or_default();
        tree.write(&path, text);
        let changed = tree.run().digest();
        assert!(seen.insert(changed), "{name}: {text}");
        tree.write(&path, &before);
    }
    assert_eq!(tree.run().digest(), first);
    // What is cut on the screen counts all the same.
    let long = |end: &str| format!(r#"{{"env":{{"A":"{}{end}"}}}}"#, "x".repeat(5_000));
    let digest = |end| {
        Tree::new(&[(".claude/settings.json", &long(end))])
            .run()
            .digest()
    };
    assert_ne!(digest("1"), digest("2"));
}

#[test]
fn what_counts_in_no_case_may_change() {
    let of = |permissions: &str| {
        let settings = format!(r#"{{"permissions":{permissions}}}"#);
        Tree::new(&[(".claude/settings.local.json", &settings)]).run()
    };
    let accepted = of(r#"{"deny":["Read(.env)"],"allow":["Bash(ls)"],"defaultMode":"plan"}"#);
    let grown = of(r#"{"deny":["Read(.env)"],"allow":["Bash(ls)","Bash(rm:*)"]}"#);
    assert_ne!(lines(&accepted), lines(&grown));
    assert_eq!(accepted.digest(), grown.digest());
    assert!(of(r#"{"allow":["Bash(ls)"],"defaultMode":"plan"}"#).is_empty());
    for counts in [
        r#"{"allow":["Bash(ls)"]}"#,
        r#"{"deny":["Read(.env)"],"ask":["Bash(ls)"]}"#,
        r#"{"deny":["Read(.env)"],"additionalDirectories":{"allow":"/"}}"#,
        r#"{"deny":["Read(.env)"],"Allow":["Bash(ls)"]}"#,
        r#"["allow"]"#,
    ] {
        assert_ne!(of(counts).digest(), accepted.digest(), "{counts}");
    }
}

#[test]
fn scripts_that_settings_of_git_name_are_part_of_it() {
    let tree = Tree::new(&[
        (".git/HEAD", "ref: refs/heads/main"),
        (
            ".git/config",
            "[core]\nfsmonitor = tools/watch.sh\nhooksPath = hk\n\
             [diff \"x\"]\ntextconv = sh tools/show.sh --all\n[filter \"y\"]\nclean = cat\n",
        ),
        ("tools/watch.sh", "one"),
        ("tools/show.sh", "one"),
        ("tools/other.sh", "one"),
    ]);
    let survey = tree.run();
    let first = survey.digest();
    let project = tree.home.join("project");
    let names = survey.scripts.iter().map(|path| {
        let name = path.strip_prefix(&project).unwrap();
        name.display().to_string()
    });
    let names: BTreeSet<String> = names.collect();
    let wanted = ["hk", "tools/show.sh", "tools/watch.sh"].map(str::to_owned);
    assert_eq!(names, BTreeSet::from(wanted));
    for (name, counts) in [("watch", true), ("show", true), ("other", false)] {
        let path = format!("project/tools/{name}.sh");
        tree.write(&path, "two");
        assert_eq!(tree.run().digest() != first, counts, "{name}");
        tree.write(&path, "one");
    }
}

#[test]
fn scripts_that_heads_of_files_name_are_part_of_it() {
    let tree = Tree::new(&[
        (
            ".claude/agents/a.md",
            "---\nname: a\nhooks:\n  Stop:\n    - hooks:\n        - command: sh hk/s.sh\n---\n",
        ),
        ("hk/s.sh", "one"),
    ]);
    let survey = tree.run();
    let guarded = |name: &str| survey.scripts.contains(&tree.project().join(name));
    // Such a hook runs where the agent is.
    assert!(
        guarded("hk/s.sh") && guarded("*/hk/s.sh"),
        "{:?}",
        survey.scripts
    );
    tree.write("project/hk/s.sh", "two");
    assert_ne!(tree.run().digest(), survey.digest());
}

#[test]
fn a_command_whose_files_cannot_be_told_is_told() {
    let hook = |command: &str| {
        let hook = serde_json::json!({"hooks": {"Stop": [{"hooks": [{"command": command}]}]}});
        Tree::new(&[(".claude/settings.json", &hook.to_string())]).run()
    };
    let told = |survey: &Survey| {
        let danger = survey.items[0].danger.as_deref().unwrap_or_default();
        danger.contains("cannot be told")
    };
    assert!(told(&hook("sh \"$RUN\"")));
    assert!(!told(&hook("sh run.sh \"$FILE\"")));
}

#[test]
fn files_that_variables_and_included_settings_name_are_part_of_it() {
    let tree = Tree::new(&[
        (".git/HEAD", "ref: refs/heads/main"),
        (".git/config", "[include]\npath = ../inc/git.inc\n"),
        (
            ".claude/settings.json",
            r#"{"env": {"BASH_ENV": "./inc/env", "PATH": "./bin:/usr/bin", "NODE_OPTIONS": "--require ./inc/x.js", "LANG": "C"}}"#,
        ),
        ("inc/env", "one"),
        ("bin/wc", "one"),
    ]);
    let survey = tree.run();
    let project = tree.home.join("project");
    let is_guarded = |name: &str| {
        let path = project.join(name);
        survey.scripts.contains(&path)
    };
    for name in ["inc/env", "bin", "inc/x.js", ".git/../inc/git.inc"] {
        assert!(is_guarded(name), "{name}: {:?}", survey.scripts);
    }
    let first = survey.digest();
    tree.write("project/inc/env", "two");
    assert_ne!(tree.run().digest(), first);
}

#[test]
fn trust_holds_for_what_was_accepted_and_refusal_until_it_is_taken_back() {
    let empty = Tree::new(&[]).run();
    let tree = Tree::new(&[(".mcp.json", r#"{"mcpServers":{"a":{"command":"x"}}}"#)]);
    let full = tree.run();
    let cut = Survey {
        complete: false,
        ..full.clone()
    };
    let own = full.digest();
    let nothing = empty.digest();
    let answer = |digest, accepted| Some(Answer { digest, accepted });
    let untrusted = |changed| Decision::Untrusted { changed };
    for (answer, survey, expected) in [
        (None, &empty, Decision::Nothing),
        (None, &full, untrusted(false)),
        (answer(&own, true), &full, Decision::Trusted),
        (answer(&own, false), &full, untrusted(false)),
        (answer("old", true), &full, untrusted(true)),
        (answer("old", false), &full, untrusted(true)),
        (answer("old", true), &empty, Decision::Nothing),
        (answer("old", false), &empty, untrusted(true)),
        (answer(&nothing, true), &empty, Decision::Trusted),
        (answer(&nothing, true), &full, untrusted(true)),
        (answer(&own, true), &cut, untrusted(false)),
        (None, &cut, untrusted(false)),
    ] {
        let decision = Decision::of(answer, survey);
        assert_eq!(decision, expected, "{answer:?} {:?}", lines(survey));
        let wanted = !matches!(expected, Decision::Untrusted { .. });
        assert_eq!(decision.is_trusted(), wanted);
    }
}

#[test]
fn more_than_can_be_looked_at_is_never_trusted() {
    let tree = Tree::new(&[]);
    let folder = tree.project().join(".claude/commands");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..5_001 {
        fs::write(folder.join(format!("{number}.md")), "").unwrap();
    }
    let survey = tree.run();
    assert!(!survey.complete);
    assert!(
        survey
            .notes
            .iter()
            .any(|note| note.contains("cannot be trusted"))
    );
    let digest = survey.digest();
    let accepted = Answer {
        digest: &digest,
        accepted: true,
    };
    assert!(!Decision::of(Some(accepted), &survey).is_trusted());
}

#[test]
fn a_large_file_is_known_by_its_size_and_time() {
    let tree = Tree::new(&[(".claude/skills/s/SKILL.md", "text")]);
    let model = tree.project().join(".claude/skills/s/model.bin");
    let file = fs::File::create(&model).unwrap();
    file.set_len(17 << 20).unwrap();
    let survey = tree.run();
    assert_eq!(lines(&survey), ["skill s = 2 files, 17825796 bytes"]);
    assert!(survey.complete);
    let before = survey.digest();
    assert_eq!(tree.run().digest(), before);
    file.set_len(18 << 20).unwrap();
    assert_ne!(tree.run().digest(), before);
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i32>().prop_map(serde_json::Value::from),
        any_word().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::btree_map(any_word(), inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_word() -> impl Strategy<Value = String> {
    let words: Vec<&str> = "hooks, env, permissions, mcpServers, statusLine, command, args, url, \
        type, matcher, PreToolUse, allow, enabledPlugins, x"
        .split(", ")
        .collect();
    prop_oneof![
        prop::sample::select(words.to_vec()).prop_map(str::to_owned),
        any::<String>(),
    ]
}

/// Every word of a value that is not empty all the way down.
fn leaves(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(values) => values.iter().for_each(|value| leaves(value, found)),
        serde_json::Value::Object(map) => map.values().for_each(|value| leaves(value, found)),
        serde_json::Value::String(_)
        | serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_) => found.push(value.to_string()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn whatever_settings_say_is_in_the_survey(
        settings in prop::collection::btree_map(any_word(), any_json(), 0..5),
    ) {
        let settings = serde_json::Value::Object(settings.into_iter().collect());
        let tree = Tree::new(&[(".claude/settings.json", &settings.to_string())]);
        let survey = tree.run();
        let mut expected = Vec::new();
        leaves(&settings, &mut expected);
        prop_assert_eq!(survey.items.is_empty() && !expected.is_empty(), false, "{}", settings);
        let shown = lines(&survey).join(" ");
        for leaf in expected.iter().filter(|leaf| leaf.parse::<i32>().is_ok()) {
            prop_assert!(shown.contains(leaf.as_str()), "{} of {}", leaf, settings);
        }
    }
}
