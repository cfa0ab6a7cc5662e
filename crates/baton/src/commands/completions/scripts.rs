//! The scripts of shells, taught to ask for sessions and projects.

use std::fmt::Write as _;

use crate::cli::{Known, Shell};

/// Where a session or a project is named.
pub(super) struct NamedWord {
    /// The commands before it: `rules add`.
    commands: Vec<String>,
    /// The option whose value it is; none for the first word.
    option: Option<String>,
    what: Known,
}

/// Every place of a command line, by what the help says that it takes.
pub(super) fn places(all: &clap::Command) -> Vec<NamedWord> {
    let mut found = Vec::new();
    look(all, &mut Vec::new(), &mut found);
    found
}

fn look(command: &clap::Command, above: &mut Vec<String>, found: &mut Vec<NamedWord>) {
    for sub in command.get_subcommands() {
        above.push(sub.get_name().to_owned());
        let first = sub.get_positionals().next().map(clap::Arg::get_id);
        for arg in sub.get_arguments() {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let Some(what) = taken(&help) else { continue };
            let option = arg.get_long().map(str::to_owned);
            if option.is_some() || first == Some(arg.get_id()) {
                found.push(NamedWord {
                    commands: above.clone(),
                    option,
                    what,
                });
            }
        }
        look(sub, above, found);
        above.pop();
    }
}

fn taken(help: &str) -> Option<Known> {
    if help.contains("its id, the beginning of it") || help.contains("or a session in") {
        Some(Known::Sessions)
    } else if help.contains("slug") {
        Some(Known::Projects)
    } else {
        None
    }
}

pub(super) fn knowing(shell: Shell, script: &str, places: &[NamedWord]) -> String {
    match shell {
        Shell::Bash => bash(script, places),
        Shell::Zsh => zsh(script),
        Shell::Fish => fish(script, places),
    }
}

fn bash(script: &str, places: &[NamedWord]) -> String {
    let mut cases = String::new();
    for place in places {
        let commands = place.commands.join(" ");
        let what = place.what.as_str();
        // Writing to a String cannot fail.
        let _ = match (&place.option, place.commands.last()) {
            (Some(option), _) => {
                writeln!(
                    cases,
                    "        \"{commands}\"*\"|--{option}\") what={what} ;;"
                )
            }
            (None, Some(last)) => {
                writeln!(cases, "        \"{commands}|{last}\") what={what} ;;")
            }
            (None, None) => Ok(()),
        };
    }
    let known = format!(
        r#"_baton_known() {{
    _baton "$@"
    local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" before="" word what=""
    [[ $cur == -* ]] && return 0
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        [[ $word == -* ]] || before="$before${{before:+ }}$word"
    done
    case "$before|$prev" in
{cases}        *) return 0 ;;
    esac
    COMPREPLY=( $(compgen -W "$("${{COMP_WORDS[0]}}" __known "$what" 2>/dev/null | cut -f1)" -- "$cur") )
}}

"#
    );
    let script = script.replace("complete -F _baton ", "complete -F _baton_known ");
    match script.find("if [[ \"${BASH_VERSINFO[0]}\" -eq 4 && ") {
        Some(at) => format!("{}{known}{}", &script[..at], &script[at..]),
        None => script,
    }
}

fn zsh(script: &str) -> String {
    let mut all = String::new();
    for line in script.lines() {
        if line.starts_with("if [ \"$funcstack[1]\"") {
            all.push_str(ZSH);
        }
        let what = taken(line).filter(|_| line.contains(":_default'"));
        match what {
            Some(what) => {
                let ask = format!(":_baton_{}'", what.as_str());
                all.push_str(&line.replace(":_default'", &ask));
            }
            None => all.push_str(line),
        }
        all.push('\n');
    }
    all
}

const ZSH: &str = r#"_baton_ask() {
    local -a known
    known=(${(f)"$(baton __known $1 2>/dev/null | sed 's/:/\\:/g; s/\t/:/')"})
    _describe -V $1 known
}
_baton_sessions() { _baton_ask sessions }
_baton_projects() { _baton_ask projects }

"#;

fn fish(script: &str, places: &[NamedWord]) -> String {
    let mut all = script.to_owned();
    for place in places {
        let mut commands = place.commands.iter();
        let first = commands.next().map(String::as_str).unwrap_or_default();
        let mut when = format!("__fish_baton_using_subcommand {first}");
        for command in commands {
            when.push_str("; and __fish_seen_subcommand_from ");
            when.push_str(command);
        }
        let option = place.option.as_ref();
        let option = option.map_or_else(|| "-f".to_owned(), |option| format!("-l {option} -x"));
        let what = place.what.as_str();
        // Writing to a String cannot fail.
        let _ = writeln!(
            all,
            "complete -c baton -n \"{when}\" {option} -a \"(baton __known {what} 2>/dev/null)\""
        );
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command_line;

    #[test]
    fn every_place_for_a_session_or_a_project_is_known() {
        let places = places(&command_line());
        let named = |commands: &str, option: Option<&str>| {
            places.iter().any(|place| {
                place.commands.join(" ") == commands && place.option.as_deref() == option
            })
        };
        for commands in [
            "send", "watch", "export", "fork", "end", "delete", "approve",
        ] {
            assert!(named(commands, None), "{commands}");
        }
        for (commands, option) in [
            ("run", "resume"),
            ("rules add", "session"),
            ("search", "project"),
        ] {
            assert!(named(commands, Some(option)), "{commands} --{option}");
        }
        assert!(named("remove", None) && named("projects move", None));
        // A text is no name.
        assert!(!named("run", None) && !named("search", None));
    }
}
