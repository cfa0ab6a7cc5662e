//! Passwords that programs take on their command line.

use std::ops::Range;

use super::found::Found;

/// How a program is given a password.
struct Taken {
    programs: &'static [&'static str],
    /// The option before it, or with it in one word.
    options: &'static [&'static str],
    /// The password begins behind this sign of the word.
    behind: Option<char>,
}

const TAKEN: &[Taken] = &[
    Taken {
        programs: &["curl"],
        options: &["-u", "--user", "-U", "--proxy-user"],
        behind: Some(':'),
    },
    Taken {
        programs: &["smbclient", "rpcclient"],
        options: &["-U", "--user"],
        behind: Some('%'),
    },
    Taken {
        programs: &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mariadb",
            "mariadb-dump",
            "sshpass",
        ],
        options: &["-p"],
        behind: None,
    },
    Taken {
        programs: &["redis-cli"],
        options: &["-a", "--pass"],
        behind: None,
    },
    Taken {
        programs: &["ldapsearch", "ldapmodify", "ldapadd"],
        options: &["-w"],
        behind: None,
    },
    Taken {
        programs: &["docker", "podman", "helm"],
        options: &["-p", "--password"],
        behind: None,
    },
];

/// Programs of [`TAKEN`] whose option has the password in the same word only:
/// `mysql -p name` asks for it.
const ATTACHED: &[&str] = &[
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mariadb",
    "mariadb-dump",
];
/// Those that take one only when they sign in.
const SIGN_IN: &[&str] = &["docker", "podman", "helm"];

/// Whether a name is that of a program that takes a password.
pub(super) fn takes(name: &str) -> bool {
    TAKEN.iter().any(|taken| taken.programs.contains(&name))
}

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        for taken in TAKEN {
            if taken.programs.iter().any(|program| line.contains(program)) {
                in_line(line, start, taken, found);
            }
        }
        start += line.len();
    }
}

fn in_line(line: &str, start: usize, taken: &Taken, found: &mut Vec<Found>) {
    let words = words(line);
    in_quotes(line, &words, start, taken, found);
    let bare = |word: &Range<usize>| line[word.clone()].trim_matches(['"', '\'', '`', '$', '(']);
    let program = |word: &Range<usize>| {
        let name = bare(word).rsplit(['/', '(']).next().unwrap_or_default();
        taken.programs.iter().find(|program| **program == name)
    };
    let Some((first, name)) = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((at, *program(word)?)))
    else {
        return;
    };
    let signs_in = words[first..].iter().any(|word| bare(word) == "login");
    if SIGN_IN.contains(&name) && !signs_in {
        return;
    }
    for (at, word) in words.iter().enumerate().skip(first + 1) {
        let text = &line[word.clone()];
        for option in taken.options {
            let Some(rest) = text.strip_prefix(option) else {
                continue;
            };
            let rest = rest.strip_prefix('=').unwrap_or(rest);
            let value = match (rest.is_empty(), words.get(at + 1)) {
                (true, Some(next)) if !ATTACHED.contains(&name) => next.clone(),
                (true, _) => continue,
                (false, _) if option.starts_with("--") && !text.contains('=') => continue,
                (false, _) => word.end - rest.len()..word.end,
            };
            if let Some(secret) = secret(line, value, taken.behind) {
                let range = start + secret.start..start + secret.end;
                found.push(Found::password(range));
            }
        }
    }
}

/// A command may be a text that is given to another: `ssh host 'mysql -p…'`, or
/// the input of a tool as JSON.
fn in_quotes(
    line: &str,
    words: &[Range<usize>],
    start: usize,
    taken: &Taken,
    found: &mut Vec<Found>,
) {
    for word in words {
        let text = &line[word.clone()];
        if !text.contains(char::is_whitespace) {
            continue;
        }
        for quote in ['"', '\''] {
            let mut at = word.start;
            for piece in text.split(quote) {
                if piece.len() < text.len() && piece.contains(char::is_whitespace) {
                    in_line(piece, start + at, taken, found);
                }
                at += piece.len() + quote.len_utf8();
            }
        }
    }
}

/// The part of a word that is a password, and no variable.
fn secret(line: &str, value: Range<usize>, behind: Option<char>) -> Option<Range<usize>> {
    let text = &line[value.clone()];
    let quotes = ['"', '\''];
    let begin = text.len() - text.trim_start_matches(quotes).len();
    let end = text.trim_end_matches(quotes).len();
    let inner = text.get(begin..end)?;
    let skip = match behind {
        Some(sign) => inner.find(sign)? + sign.len_utf8(),
        None => 0,
    };
    let password = &inner[skip..];
    let sample = password.starts_with(['$', '<', '{', '%', '*', '-', '/', '•']);
    (!sample && password.len() >= 2).then(|| value.start + begin + skip..value.start + end)
}

/// Where the words of a line are; a quoted text is one.
fn words(line: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut open: Option<usize> = None;
    let mut quote: Option<char> = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, _) if c.is_whitespace() || ";|&".contains(c) => {
                words.extend(open.take().map(|from| from..at));
                continue;
            }
            (None, _) => {}
        }
        open.get_or_insert(at);
    }
    words.extend(open.map(|from| from..line.len()));
    words
}
