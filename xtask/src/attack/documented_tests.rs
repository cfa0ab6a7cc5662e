//! Only a text that does not name it, to another program than the shell, is
//! beyond what a rule sees.

use super::*;

fn check(line: &str, ran: &[&str], expected: bool) {
    let deeds = Deeds {
        ran: vec![ran.iter().map(|word| (*word).to_owned()).collect()],
        ..Deeds::default()
    };
    let found = is_documented(&Forbids::Program("evil"), line, &deeds);
    assert_eq!(found, expected, "{line}");
}

#[test]
fn a_text_that_makes_the_name_is_not_seen() {
    check("awk 'BEGIN { system(\"ev\" \"il\") }'", &["evil"], true);
    check(
        "npx -c 'ev$(echo il)'",
        &["npx", "-c", "ev$(echo il)"],
        true,
    );
}

#[test]
fn a_text_that_names_it_is_seen_and_so_is_the_shell() {
    check("awk 'BEGIN { system(\"evil\") }'", &["evil"], false);
    check("npx -c 'e\"vil\" x'", &["npx", "-c", "e\"vil\" x"], false);
    check("echo 'ev\\il' > y.sh; . ./y.sh", &["evil"], false);
    check("ls > y; ev${u}il", &["evil"], false);
    check("ev$(echo il)", &["evil"], false);
    check("bash -c 'ev$(echo il)'", &["evil"], false);
    check("npx ev$(echo il)", &["npx", "evil"], false);
}

#[test]
fn a_file_that_is_read_from_beside_a_text_is_not_named_for_a_change() {
    let perl = ["perl", "-e", "unlink \".e\".\"nv\""];
    let deeds = Deeds {
        ran: vec![perl.iter().map(|word| (*word).to_owned()).collect()],
        ..Deeds::default()
    };
    for (beside, expected) in [
        ("grep x  <.env", true),
        ("cat < .env; ls", true),
        ("cat <> .env", false),
        ("rm .env", false),
        ("cat <.env.example; rm .env", false),
        ("cat <.env; rm .env", false),
    ] {
        let line = format!("perl -e 'unlink \".e\".\"nv\"';{beside}");
        let found = is_documented(&Forbids::Editing(".env"), &line, &deeds);
        assert_eq!(found, expected, "{line}");
    }
}
