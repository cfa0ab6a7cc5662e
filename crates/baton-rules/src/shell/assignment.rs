//! Variables that a command line sets, and texts that a shell would fill in.

/// Whether a word as written is `NAME=…`, `NAME+=…` or `NAME[…]=…`.
pub(super) fn assigns(source: &str) -> bool {
    let name = source.len()
        - source
            .trim_start_matches(|c: char| c == '_' || c.is_ascii_alphanumeric())
            .len();
    if name == 0 || source.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let mut rest = &source[name..];
    if rest.starts_with('[') {
        let Some(end) = rest.find(']') else {
            return false;
        };
        rest = &rest[end + 1..];
    }
    rest.starts_with('=') || rest.starts_with("+=")
}

/// Whether a text has something in it that a shell puts in when it runs it.
pub(crate) fn expands_later(text: &str) -> bool {
    text.contains('`')
        || text.match_indices('$').any(|(at, _)| {
            let next = text[at + 1..].chars().next();
            next.is_some_and(|c| c.is_alphabetic() || "_{(@*!".contains(c))
        })
}

/// Variables that say what runs, or how words are read.
pub(super) fn decides(assignment: &str) -> bool {
    let name = assignment.split(['=', '+', '[']).next().unwrap_or_default();
    let names = [
        "BASHOPTS",
        "BASH_ENV",
        "CDPATH",
        "ENV",
        "GLOBIGNORE",
        "IFS",
        "NODE_OPTIONS",
        "PATH",
        "PERL5OPT",
        "PROMPT_COMMAND",
        "PS4",
        "PYTHONSTARTUP",
        "RUBYOPT",
        "SHELL",
        "SHELLOPTS",
    ];
    names.contains(&name)
        || name.starts_with("LD_")
        || name.starts_with("DYLD_")
        || name.starts_with("GIT_")
        || name.ends_with("PAGER")
        || name.ends_with("EDITOR")
        || name.ends_with("_COMMAND")
}

/// Whether a variable that is set for later commands is an ordinary one: `$x`
/// is looked at where it is used.
pub(super) fn decides_nothing(assignment: &str) -> bool {
    let name = assignment.split(['=', '+', '[']).next().unwrap_or_default();
    !decides(assignment)
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}
