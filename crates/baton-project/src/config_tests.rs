use std::{fs, path::Path, process::Command};

use proptest::prelude::*;

use super::*;

fn entries(text: &str) -> Vec<(String, Option<String>)> {
    let config = parse(text.as_bytes());
    assert_eq!(config.bad_line, None, "{text}");
    let all = config.entries.into_iter();
    all.map(|entry| (entry.name, entry.value)).collect()
}

#[test]
fn settings_are_read_with_their_quotes_escapes_and_comments() {
    for (text, name, value) in [
        ("[core]\nfsmonitor = x", "core.fsmonitor", Some("x")),
        ("[CORE] FsMonitor=x # no", "core.fsmonitor", Some("x")),
        ("[core]\n\tbare", "core.bare", None),
        ("[core]\nbare =", "core.bare", Some("")),
        (
            "[filter \"Big \\\"File\\\"\"]\nclean = \"a  b\" ; c",
            "filter.Big \"File\".clean",
            Some("a  b"),
        ),
        ("[Alias.St]\nx=!rm", "alias.st.x", Some("!rm")),
        ("[a]\nb = one \\\n  two\n", "a.b", Some("one   two")),
        ("[a]\r\nb = c\\td\r\n", "a.b", Some("c\td")),
        ("\u{feff}[a]b=\"#;\"", "a.b", Some("#;")),
    ] {
        let expected = (name.to_owned(), value.map(str::to_owned));
        assert_eq!(entries(text), [expected], "{text}");
    }
}

#[test]
fn a_section_ends_at_the_first_dot_and_a_key_begins_after_the_last() {
    let config = parse(b"[a \"b.c\"]d=1\n[a]e=2");
    let parts = config
        .entries
        .iter()
        .map(|entry| (entry.section(), entry.key()));
    assert_eq!(parts.collect::<Vec<_>>(), [("a", "d"), ("a", "e")]);
}

#[test]
fn what_git_refuses_is_said_with_its_line() {
    for (text, line) in [
        ("[a\nb=c", 2),
        ("[a]\n1=2", 2),
        ("[a]\nb=\"open\n", 3),
        ("[a]\nb=\\x", 2),
        ("[a \"b]\nc=d", 2),
        ("[a \"b\"c]", 1),
        ("[a]\nb?c", 2),
        ("[]", 1),
    ] {
        assert_eq!(parse(text.as_bytes()).bad_line, Some(line), "{text}");
    }
    // What stands before the bad line counts.
    assert_eq!(parse(b"[a]\nb=c\n!").entries.len(), 1);
}

/// What git itself reads, as it prints it with NUL between; `None` if it refuses
/// the file. The outer `None`: there is no git here.
fn by_git(file: &Path) -> Option<Option<Vec<u8>>> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the real git is what this parser is compared with"
    )]
    let output = Command::new("git")
        .args(["config", "--no-includes", "--list", "-z", "-f"])
        .arg(file)
        .current_dir(file.parent().unwrap())
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", file.parent().unwrap())
        .output();
    let output = output.ok()?;
    Some(output.status.success().then_some(output.stdout))
}

fn as_git_prints(config: &Config) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in &config.entries {
        bytes.extend(entry.name.as_bytes());
        if let Some(value) = &entry.value {
            bytes.push(b'\n');
            bytes.extend(value.as_bytes());
        }
        bytes.push(0);
    }
    bytes
}

fn any_piece() -> impl Strategy<Value = String> {
    let words = [
        "[core]",
        "[a \"b\"]",
        "[x.Y]",
        "[a \"b\\\"c\\\\\"]",
        "[",
        "]",
        "\"",
        "\\",
        "=",
        "#",
        ";",
        " ",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "\\n",
        "\\t",
        "\\b",
        "\\\"",
        "\\\\",
        "key",
        "Name-1",
        "1",
        ".",
        "-",
        "!",
        "= v",
        "=\"q r\"",
        "ä",
        "  x  ",
        "\u{feff}",
        "\\\n",
        "\u{b}",
        "a = b\n",
    ];
    prop::sample::select(words.to_vec()).prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        parse(&bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_file_says_what_git_reads_in_it(
        pieces in prop::collection::vec(any_piece(), 0..24),
        begun in any::<bool>(),
    ) {
        let head = if begun { "[s]\n" } else { "" };
        let text = head.to_owned() + &pieces.concat();
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("config");
        fs::write(&file, &text).unwrap();
        if let Some(expected) = by_git(&file) {
            let config = parse(text.as_bytes());
            prop_assert_eq!(config.bad_line.is_some(), expected.is_none(), "{:?}", text);
            if let Some(expected) = expected {
                prop_assert_eq!(as_git_prints(&config), expected, "{:?}", text);
            }
        }
    }
}
