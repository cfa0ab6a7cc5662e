use super::*;

fn shown(patch: &Patch) -> String {
    let mut out = String::new();
    for hunk in &patch.hunks {
        for row in &hunk.lines {
            let number = |number: Option<u64>| number.map_or("-".into(), |n| n.to_string());
            let end = if row.no_newline { " (no newline)" } else { "" };
            out += &format!(
                "{} {} {:?}{end}\n",
                number(row.old),
                number(row.new),
                row.text
            );
        }
    }
    out
}

#[test]
fn a_patch_inside_a_file_is_text() {
    let text = b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ fn\n \
--- a/y\n-old\n+@@ -1 +1 @@\n++++ b/z\n\\ No newline at end of file\n\
diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +0,0 @@\n-gone\n";
    let patches = parse(text, false);
    let names: Vec<_> = patches
        .keys()
        .map(|name| String::from_utf8_lossy(name))
        .collect();
    assert_eq!(names, ["x", "y"]);
    assert_eq!(
        shown(&patches[&b"x"[..]]),
        "1 1 \"--- a/y\"\n2 - \"old\"\n- 2 \"@@ -1 +1 @@\"\n- 3 \"+++ b/z\" (no newline)\n"
    );
}

#[test]
fn odd_names_are_read_back() {
    let text = b"diff --git \"a/\\t\" \"b/\\t\"\n--- \"a/q\\\"\\n\\303\\244\"\n+++ \"b/q\\\"\\n\\303\\244\"\n@@ -1 +1 @@\n-a\n+b\n\
diff --git a/a b b/a b\n--- a/a b\t\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let patches = parse(text, false);
    let names: Vec<_> = patches
        .keys()
        .map(|name| String::from_utf8_lossy(name))
        .collect();
    assert_eq!(names, ["a b", "q\"\nä"]);
}

#[test]
fn a_patch_that_is_cut_says_so() {
    let text = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n one\n two\n";
    let patches = parse(text, true);
    let patch = &patches[&b"x"[..]];
    assert!(patch.truncated);
    assert_eq!(patch.hunks[0].lines.len(), 2);
    assert!(!parse(b"", true).contains_key(&b"x"[..]));
}

#[test]
fn no_bytes_are_too_odd() {
    for text in [
        &b"@@ -1 +1 @@\n+x\n"[..],
        b"--- a/x\n+++ b/x\n@@ -99999999999999999999 +1 @@\n+x",
        b"--- \"a/\\9\"\n+++ \"b/\n@@ -1 +1 @@\n\xff\xfe",
        b"diff --git ",
    ] {
        parse(text, true);
    }
}
