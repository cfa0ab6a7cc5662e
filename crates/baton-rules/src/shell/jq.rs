//! Programs for jq that reach nothing but their input.
//!
//! The language has no way to make a name from a text, so every name in it can
//! be looked at: fields and keys may be called anything, functions are known.

/// Functions and words of the language that look at nothing else.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "abs", "add", "all", "and", "any", "arrays", "as", "ascii", "ascii_downcase", "ascii_upcase",
    "booleans", "capture", "catch", "ceil", "combinations", "contains", "del", "delpaths", "elif",
    "else", "empty", "end", "endswith", "error", "explode", "fabs", "false", "first", "flatten",
    "floor", "foreach", "from_entries", "fromdate", "fromjson", "fromstream", "getpath", "gmtime",
    "group_by", "gsub", "has", "if", "implode", "in", "index", "indices", "infinite", "input",
    "inputs", "inside", "isempty", "isnan", "isvalid", "iterables", "join", "keys", "keys_unsorted",
    "last", "leaf_paths", "length", "limit", "ltrim", "ltrimstr", "map", "map_values", "match", "max",
    "max_by", "min", "min_by", "mktime", "nan", "not", "now", "nth", "null", "nulls", "numbers",
    "objects", "or", "path", "paths", "pick", "pow", "range", "recurse", "reduce", "repeat",
    "reverse", "rindex", "round", "rtrim", "rtrimstr", "scalars", "scan", "select", "setpath", "sort",
    "sort_by", "split", "splits", "sqrt", "startswith", "strftime", "strings", "strptime", "sub",
    "test", "then", "to_entries", "toarray", "todate", "tojson", "tonumber", "tostream", "tostring",
    "transpose", "trim", "true", "truncate_stream", "try", "type", "unique", "unique_by", "until",
    "utf8bytelength", "values", "walk", "while", "with_entries",
];

/// Whether a program is made of what is known.
pub(super) fn plain_jq(program: &str) -> bool {
    let text: Vec<char> = program.chars().collect();
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(&c) = text.get(at) {
        let start = at;
        at += 1;
        if open.last() == Some(&'"') {
            match c {
                '"' => drop(open.pop()),
                '\\' => {
                    if text.get(at) == Some(&'(') {
                        open.push('(');
                    }
                    at += 1;
                }
                _ => {}
            }
            continue;
        }
        match c {
            '"' | '(' | '[' | '{' => open.push(c),
            ')' | ']' | '}' => drop(open.pop()),
            // A comment hides where a text begins.
            '#' => return false,
            c if c == '_' || c.is_alphabetic() => {
                while text
                    .get(at)
                    .is_some_and(|c| *c == '_' || c.is_alphanumeric())
                {
                    at += 1;
                }
                if !is_known(&text, start, at, open.last() == Some(&'{')) {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

/// Whether a name is one of a field, a key, a variable of the program's own, or
/// of a function that is known.
fn is_known(text: &[char], start: usize, end: usize, in_object: bool) -> bool {
    let name: String = text[start..end].iter().collect();
    let before = text[..start].iter().rev().find(|c| !c.is_whitespace());
    let after = text[end..].iter().find(|c| !c.is_whitespace());
    let close = start.checked_sub(1).map(|at| text[at]);
    match (before, close) {
        (Some('$'), _) => name != "ENV" && !name.starts_with("__"),
        (_, Some('.')) => start < 2 || text[start - 2] != '.',
        (_, Some('@')) => true,
        (_, Some(c)) if c.is_alphanumeric() => c.is_numeric(),
        (Some('{' | ','), _) if in_object && matches!(after, Some(':' | ',' | '}')) => true,
        _ => KNOWN.contains(&name.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::plain_jq;

    #[test]
    fn every_name_is_looked_at() {
        for known in [
            ".",
            ".a.env[0]",
            "{env, include: .x, \"a\": 1}",
            ".x | map(select(.env == \"env\")) | length",
            "\"\\(.name) env: \\(.v)\"",
            ".a as $x | $x",
            "@base64 \"\\(.a)\"",
        ] {
            assert!(plain_jq(known), "{known}");
        }
        for unknown in [
            "env",
            "$ENV",
            "$ ENV.A",
            "[env]",
            "{a: env}",
            "{(env.A): 1}",
            "{$ENV}",
            "$__prog_args",
            "\"\\(env.A)\"",
            "\"\\(\"\\(env)\")\"",
            ".. env",
            "include \"x\"; y",
            "\"a\" | modulemeta",
            "1 # \"\n| env",
            "def f: env; f",
        ] {
            assert!(!plain_jq(unknown), "{unknown}");
        }
    }
}
