//! Ways to write a word so that the shell makes the same word of it, or might.

use super::random::Random;

/// What has to stand before the line for a spelling to work.
pub(super) type Before = Vec<String>;

/// Writes `word` in some way; most of the time plainly.
pub(super) fn spell(random: &mut Random, word: &str, before: &mut Before) -> String {
    if random.below(5) < 3 {
        return word.to_owned();
    }
    odd(random, word, before)
}

/// Writes `word` in some way other than plainly.
pub(super) fn odd(random: &mut Random, word: &str, before: &mut Before) -> String {
    if word.is_empty() || !word.is_ascii() {
        return format!("'{word}'");
    }
    match random.below(5) {
        0 => quoted(random, word),
        1 => braced(random, word),
        2 => matched(random, word),
        3 => variable(random, word, before),
        _ => substituted(random, word),
    }
}

/// Cuts a word in two, neither of which is empty if that can be.
fn cut<'a>(random: &mut Random, word: &'a str) -> (&'a str, &'a str) {
    word.split_at(1 + random.below(word.len().saturating_sub(1).max(1)))
}

fn quoted(random: &mut Random, word: &str) -> String {
    let (left, right) = cut(random, word);
    let byte = word.as_bytes()[0];
    let rest = &word[1..];
    match random.below(16) {
        0 => format!("'{word}'"),
        1 => format!("\"{word}\""),
        2 => format!("\\{word}"),
        3 => format!("{left}''{right}"),
        4 => format!("{left}\"{right}\""),
        5 => format!("'{left}'{right}"),
        6 => format!("{left}\\{right}"),
        7 => format!("$'{word}'"),
        8 => format!("$'\\x{byte:02x}'{rest}"),
        9 => format!("$'\\{byte:03o}{rest}'"),
        10 => format!("$'\\u{byte:04x}{rest}'"),
        11 => format!("{left}$'{right}'"),
        12 => format!("{left}\\\n{right}"),
        13 => format!("$\"{word}\""),
        14 => format!("{left}$''{right}"),
        _ => format!("\"{left}\"'{right}'"),
    }
}

fn braced(random: &mut Random, word: &str) -> String {
    let (left, right) = cut(random, word);
    let last = &word[word.len() - 1..];
    let lead = &word[..word.len() - 1];
    let first = &word[..1];
    match random.below(9) {
        0 => format!("{lead}{{{last}..{last}}}"),
        1 => format!("{{{first}..{first}}}{}", &word[1..]),
        2 => format!("{{{word},}}"),
        3 => format!("{left}{{{right},}}"),
        4 => format!("{{{left},}}{right}"),
        5 => format!("{{{word},{word}}}"),
        6 => format!("{left}{{,{right}}}"),
        7 => format!("{{,{word}}}"),
        _ => format!("{lead}{{{last}..{last}..1}}"),
    }
}

fn matched(random: &mut Random, word: &str) -> String {
    let (left, right) = cut(random, word);
    match random.below(10) {
        0 => format!("{left}*"),
        1 => format!("*{right}"),
        2 => format!("{left}?{}", &right[right.len().min(1)..]),
        3 => format!(
            "{left}[{}]{}",
            &right[..right.len().min(1)],
            &right[right.len().min(1)..]
        ),
        4 => format!("./{word}"),
        5 => format!("~+/{word}"),
        6 => format!("$PWD/{word}"),
        7 => format!("{left}[!%]{}", &right[right.len().min(1)..]),
        8 => format!(".//{word}"),
        _ => format!("/home/user/proj/{word}"),
    }
}

fn variable(random: &mut Random, word: &str, before: &mut Before) -> String {
    let (left, right) = cut(random, word);
    let name = *random.pick(&["v", "w", "x", "_a", "A1"]);
    let mut after = |text: String, use_: String| {
        before.push(text);
        use_
    };
    match random.below(24) {
        0 => after(format!("{name}={word}; "), format!("${name}")),
        1 => after(format!("{name}={word}; "), format!("\"${name}\"")),
        2 => after(format!("{name}={word}; "), format!("${{{name}}}")),
        3 => after(format!("{name}={right}; "), format!("{left}${name}")),
        4 => after(format!("{name}={left}; "), format!("${{{name}}}{right}")),
        5 => after(format!("set -- {word}; "), "$1".to_owned()),
        6 => after(format!("set -- {word}; "), "$@".to_owned()),
        7 => after(format!("set -- {word}; "), "\"$@\"".to_owned()),
        8 => after(format!("set {word}; "), "$*".to_owned()),
        9 => after(format!("{name}=({word}); "), format!("${{{name}[0]}}")),
        10 => after(format!("{name}=({word}); "), format!("${{{name}[@]}}")),
        11 => after(format!("{name}=zz{word}; "), format!("${{{name}#zz}}")),
        12 => after(format!("{name}={word}zz; "), format!("${{{name}%zz}}")),
        13 => after(
            format!("{name}={word}zz; "),
            format!("${{{name}:0:{}}}", word.len()),
        ),
        14 => after(
            format!("{name}={}; ", word.to_ascii_uppercase()),
            format!("${{{name},,}}"),
        ),
        15 => after(format!("{name}={word}; n={name}; "), "${!n}".to_owned()),
        16 => after(format!("declare {name}={word}; "), format!("${name}")),
        17 => after(format!("export {name}={word}; "), format!("${name}")),
        18 => after(format!("read {name} <<< {word}; "), format!("${name}")),
        19 => after(format!("printf -v {name} %s {word}; "), format!("${name}")),
        20 => after(
            format!("for {name} in {word}; do :; done; "),
            format!("${name}"),
        ),
        21 => after(format!(": {word}; "), "$_".to_owned()),
        22 => after(
            format!("declare -n r={name}; {name}={word}; "),
            "$r".to_owned(),
        ),
        _ => after(
            format!("{name}={left}Z{right}; "),
            format!("${{{name}/Z/}}"),
        ),
    }
}

fn substituted(random: &mut Random, word: &str) -> String {
    let (left, right) = cut(random, word);
    match random.below(17) {
        0 => format!("$(echo {word})"),
        1 => format!("`echo {word}`"),
        2 => format!("\"$(echo {word})\""),
        3 => format!("{left}$(echo {right})"),
        4 => format!("$(printf %s {word})"),
        5 => format!("${{u:-{word}}}"),
        6 => format!("${{u-{word}}}"),
        7 => format!("{left}${{u:-{right}}}"),
        8 => format!("${{u:={word}}}"),
        9 => format!("{left}$u{right}"),
        10 => format!("$u{word}"),
        11 => format!("{word}$u"),
        12 => format!("{left}$@{right}"),
        13 => format!("$(cat <<< {word})"),
        14 => format!("${{HOME:+{word}}}"),
        15 => format!("{left}`echo {right}`"),
        _ => format!("${{u:-{left}}}{right}"),
    }
}
