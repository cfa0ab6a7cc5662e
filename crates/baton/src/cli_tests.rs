//! What must be true of every command.

use super::command_line;

fn has_examples(command: &clap::Command, called: &str) {
    for sub in command.get_subcommands() {
        let called = format!("{called} {}", sub.get_name());
        let after = sub.get_after_help().map(ToString::to_string);
        let after = after.unwrap_or_default();
        assert!(after.contains("Example"), "`{called} --help`: {after}");
        assert!(sub.get_about().is_some(), "`{called} --help`");
        has_examples(sub, &called);
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    let all = command_line();
    assert!(all.get_after_help().is_some());
    has_examples(&all, "baton");
}
