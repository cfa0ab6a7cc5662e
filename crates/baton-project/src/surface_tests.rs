use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

fn parse(text: &str) -> Result<Surface, String> {
    Surface::parse(text.as_bytes()).map_err(|error| error.to_string())
}

fn tools(text: &str) -> String {
    parse(text).unwrap().tools.unwrap().join(" ")
}

fn only(tools: &str) -> ToolLimit {
    ToolLimit::Only(tools.split(' ').map(str::to_owned).collect())
}

fn wants(tools: &str) -> Surface {
    let ToolLimit::Only(tools) = only(tools) else {
        unreachable!("just made");
    };
    Surface {
        tools: Some(tools),
        note: None,
    }
}

#[test]
fn a_tier_is_a_list_of_tools() {
    for (text, expected) in [
        (
            r#"{"tier":"readonly"}"#,
            "Read Glob Grep WebSearch WebFetch",
        ),
        (
            r#"{"tier":"standard"}"#,
            "Read Glob Grep WebSearch WebFetch Edit",
        ),
        (
            r#"{"tier":"full"}"#,
            "Read Glob Grep WebSearch WebFetch Edit Bash Write",
        ),
        (
            r#"{"tier":"custom","tools":["Read","mcp__a__b","Read"]}"#,
            "Read mcp__a__b",
        ),
        (r#"{"tier":"custom","tools":[]}"#, ""),
    ] {
        assert_eq!(tools(text), expected, "{text}");
    }
    let note = parse(r#"{"note":"mind\nthe \u0007\u202egap"}"#).unwrap();
    assert_eq!(note.tools, None);
    assert_eq!(note.note.as_deref(), Some("mind the gap"));
    let long = format!(r#"{{"note":"{}"}}"#, "ä".repeat(2_000));
    assert_eq!(parse(&long).unwrap().note.unwrap().chars().count(), 1_000);
}

#[test]
fn a_file_that_cannot_be_obeyed_leaves_reading_and_says_why() {
    for (text, reason) in [
        ("", "not as it should be"),
        ("[]", "not as it should be"),
        (r#"{"teir":"readonly"}"#, "not as it should be"),
        (r#"{"tier":"everything"}"#, "not as it should be"),
        (r#"{"tier":"custom"}"#, "no list `tools`"),
        (r#"{"tier":"full","tools":["Read"]}"#, "only tier `custom`"),
        (r#"{"tools":["Read"]}"#, "only tier `custom`"),
        (r#"{"tier":"custom","tools":["default"]}"#, "`default`"),
        (r#"{"tier":"custom","tools":["Read,Bash"]}"#, "`Read,Bash`"),
        (r#"{"tier":"custom","tools":["--x"]}"#, "`--x`"),
        (r#"{"tier":"custom","tools":[""]}"#, "``"),
    ] {
        let error = Surface::parse(text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(reason), "{text}: {error}");
        let closed = Surface::fail_closed(&error);
        let tools = closed.tools.unwrap().join(" ");
        assert_eq!(tools, "Read Glob Grep WebSearch WebFetch");
        assert!(closed.note.unwrap().contains(reason), "{text}");
    }
}

#[test]
fn a_project_takes_away_and_never_adds() {
    let project = wants("Read Bash Edit");
    for (user, project, expected) in [
        (ToolLimit::All, None, ToolLimit::All),
        (only("Read"), None, only("Read AskUserQuestion")),
        (
            ToolLimit::All,
            Some(&project),
            only("Read Bash Edit AskUserQuestion"),
        ),
        (
            only("Read Write"),
            Some(&project),
            only("Read AskUserQuestion"),
        ),
        (
            Preset::NoBash.limit(),
            Some(&project),
            only("Read Edit AskUserQuestion"),
        ),
        (only("Write"), Some(&project), only("AskUserQuestion")),
        (
            ToolLimit::Except(vec!["Bash".to_owned(), ALWAYS.to_owned()]),
            None,
            ToolLimit::Except(vec!["Bash".to_owned()]),
        ),
    ] {
        assert_eq!(narrow(&user, project), expected, "{user:?} {project:?}");
    }
}

#[test]
fn presets_have_their_names_and_limits() {
    for preset in Preset::ALL {
        assert_eq!(preset.as_str().parse(), Ok(*preset));
    }
    assert!("everything".parse::<Preset>().is_err());
    assert_eq!(Preset::Full.limit(), ToolLimit::All);
    let reading = only("Read Glob Grep WebSearch WebFetch");
    assert_eq!(Preset::ReadOnly.limit(), reading);
    let editing = only("Read Glob Grep WebSearch WebFetch Edit");
    assert_eq!(Preset::SafeEdit.limit(), editing);
}

#[test]
fn the_file_is_read_from_the_folder() {
    let folder = TempDir::new().unwrap();
    let read = || Surface::read(folder.path()).map(|file| file.surface);
    assert!(read().is_none());
    fs::create_dir(folder.path().join(".baton")).unwrap();
    fs::write(folder.path().join(FILE), r#"{"tier":"readonly"}"#).unwrap();
    let surface = read().unwrap().unwrap();
    assert_eq!(surface.tools.unwrap().len(), 5);
    fs::write(folder.path().join(FILE), vec![b' '; 100_000]).unwrap();
    let error = read().unwrap().unwrap_err();
    assert!(error.to_string().contains("is larger than"), "{error}");
    fs::remove_file(folder.path().join(FILE)).unwrap();
    fs::create_dir(folder.path().join(FILE)).unwrap();
    assert!(read().unwrap().is_err());
}

fn any_tools() -> impl Strategy<Value = Vec<String>> {
    let names = ["Read", "Bash", "Edit", "Write", ALWAYS, "mcp__a__b"].map(str::to_owned);
    prop::sample::subsequence(names.to_vec(), 0..=6)
}

fn any_limit() -> impl Strategy<Value = ToolLimit> {
    prop_oneof![
        Just(ToolLimit::All),
        any_tools().prop_map(ToolLimit::Only),
        any_tools().prop_map(ToolLimit::Except),
    ]
}

fn allows(limit: &ToolLimit, tool: &str) -> bool {
    match limit {
        ToolLimit::All => true,
        ToolLimit::Only(tools) => tools.iter().any(|name| name == tool),
        ToolLimit::Except(tools) => !tools.iter().any(|name| name == tool),
    }
}

proptest! {
    #[test]
    fn a_tool_is_there_exactly_if_both_allow_it(
        user in any_limit(),
        wanted in prop::option::of(any_tools()),
    ) {
        let surface = Surface { tools: wanted.clone(), note: None };
        let left = narrow(&user, Some(&surface));
        for tool in ["Read", "Bash", "Edit", "Write", "mcp__a__b", "Other"] {
            let wanted = wanted.as_ref().is_none_or(|tools| tools.iter().any(|name| name == tool));
            prop_assert_eq!(allows(&left, tool), allows(&user, tool) && wanted, "{}", tool);
        }
        prop_assert!(allows(&left, ALWAYS));
    }
}
