use expect_test::{Expect, expect};

use super::*;

/// Every command on a line of its own, then what stands in the way.
#[expect(clippy::needless_pass_by_value, reason = "expect! makes a value")]
fn check(command: &str, expected: Expect) {
    let text = match parse(command) {
        Err(error) => format!("unparsed: {error}"),
        Ok(script) => {
            let mut lines: Vec<String> = script.commands.iter().map(show).collect();
            lines.extend(script.special.iter().map(|what| format!("special: {what}")));
            lines.extend(script.obscure().map(|what| format!("opaque: {what}")));
            lines.join("\n")
        }
    };
    expected.assert_eq(&text);
}

fn show(simple: &Simple) -> String {
    let redirects = simple.redirects.iter().map(|redirect| match redirect {
        Redirect::Read(word) => format!("<{}", word.render()),
        Redirect::Write(word) => format!(">{}", word.render()),
    });
    let words = simple.words.iter().map(|word| match word.value {
        Value::Known(_) => word.render(),
        Value::Home(_) | Value::Wild(_) | Value::Unknown { .. } => format!("«{}»", word.source),
    });
    let all: Vec<String> = simple
        .assignments
        .iter()
        .cloned()
        .chain(words)
        .chain(redirects)
        .collect();
    all.join(" ")
}

#[test]
fn every_spelling_of_a_word_is_one_word() {
    check(
        r#"'rm' "-rf" \/ r"m"'x' $'a\x20b' ''"#,
        expect![[r#"
        rm -rf / rmx 'a b' ''"#]],
    );
    check(
        r#"echo "a\"b\\c\d$" 'it'\''s'"#,
        expect![[r#"echo 'a"b\c\d$' 'it'\''s'"#]],
    );
}

#[test]
fn what_is_only_known_later_is_marked() {
    check(
        "echo $x \"a $y\" ~/z ~me *.rs a{b,c} {} a[1] '*' \"~\"",
        expect!["echo «$x» «\"a $y\"» «~/z» «~me» «*.rs» «a{b,c}» '{}' «a[1]» '*' '~'"],
    );
}

#[test]
fn commands_are_found_wherever_they_are() {
    check(
        "a | b && c; d & (e; { f; }) && if g; then h; elif i; then j; else k; fi",
        expect![[r"
            a
            b
            c
            d
            e
            f
            g
            h
            i
            j
            k"]],
    );
    check(
        "echo $(a $(b)) `c \\`d\\`` \"$(e)\" <(f) >(g)",
        expect![[r#"
        b
        a «$(b)»
        d
        c «`d`»
        e
        f
        g
        echo «$(a $(b))» «`c \`d\``» «"$(e)"» «<(f)» «>(g)»"#]],
    );
    check(
        "while a; do b; done; until c; do d; done; for x in $(e); do f; done; case $(g) in h|i) j;; (k) l; esac",
        expect![[r"
        a
        b
        c
        d
        e
        f
        g
        j
        l
        special: it sets the variable x"]],
    );
    check(
        "f() { a; }; function g { b; }; h () ( c )",
        expect![[r"
        a
        b
        c
        special: it defines the function f
        special: it defines the function g
        special: it defines the function h"]],
    );
}

#[test]
fn redirections_are_told_apart() {
    check(
        "a <b >c 2>>d &>e >|f 3<>g 2>&1 >&- <&3 >&h <<<i",
        expect!["a <b >c >d >e >f <g >g >h"],
    );
    check(
        "{ a; } >b; (c) <d",
        expect![[r#"
        a
        >b
        c
        <d"#]],
    );
}

#[test]
fn here_documents_are_read_to_their_end() {
    check(
        "cat <<E | a; b\n$(c) `d` \\$(no) 'x\nE\ne",
        expect![[r"
        cat
        a
        b
        c
        d
        e"]],
    );
    check(
        "cat <<'E'\n$(no)\nE\na",
        expect![[r"
        cat
        a"]],
    );
    check(
        "a \"$(cat <<'E'\nit's (odd\nE\n)\" b",
        expect![[r#"
        cat
        a «"$(cat <<'E'
        it's (odd
        E
        )"» b"#]],
    );
    check(
        "cat <<-E\n\tx\n\tE\na",
        expect![[r"
        cat
        a"]],
    );
}

#[test]
fn the_command_inside_a_wrapper_is_found() {
    check(
        "sudo -u root env -i A=b nice -n 5 timeout -k 1 5 rm x",
        expect![[r"
        sudo -u root env -i A=b nice -n 5 timeout -k 1 5 rm x
        env -i A=b nice -n 5 timeout -k 1 5 rm x
        A=b nice -n 5 timeout -k 1 5 rm x
        timeout -k 1 5 rm x
        rm x"]],
    );
    check(
        "find . -name x -exec rm -f {} \\; -exec ls {} +",
        expect![[r"
        find . -name x -exec rm -f '{}' ';' -exec ls '{}' +
        rm -f «{}»
        ls «{}» «…»"]],
    );
    check(
        "bash -euc 'a; b $1' x; sh -c -e 'c'; eval d '&&' e; trap 'f' EXIT",
        expect![[r"
        bash -euc 'a; b $1' x
        a
        b «$1»
        sh -c -e c
        c
        eval d '&&' e
        d
        e
        trap f EXIT
        f
        special: trap may change what later commands mean"]],
    );
    check(
        "ls | xargs -0 -n 1 rm",
        expect![[r"
        ls
        xargs -0 -n 1 rm
        rm «…»"]],
    );
}

#[test]
fn what_hides_a_command_is_opaque() {
    check(
        "$x a; env -S 'rm x'; sudo -s; bash; xargs --odd rm; timeout $t rm; bash -c \"$y\"",
        expect![[r#"
        «$x» a
        env -S 'rm x'
        sudo -s
        bash
        xargs --odd rm
        timeout «$t» rm
        bash -c «"$y"»
        opaque: the name of a command is only known when it runs: $x
        opaque: the command that env runs cannot be told apart from its options
        opaque: the command that sudo runs cannot be told apart from its options
        opaque: bash runs what it reads
        opaque: the command that xargs runs cannot be told apart from its options
        opaque: the command that timeout runs cannot be told apart from its options
        opaque: the command that bash runs cannot be told apart from its options"#]],
    );
}

#[test]
fn what_lies_outside_the_subset_is_not_parsed() {
    for text in [
        "((x))",
        "echo $((1))",
        "echo $[1]",
        "echo ${x:-$(a)}",
        "echo ${x:-'}'}",
        "a &&",
        "| a",
        "a ;; b",
        "(a",
        "a)",
        "{ a",
        "fi",
        "if a; fi",
        "for ((;;)); do a; done",
        "select x in a; do b; done",
        "coproc a",
        "echo 'x",
        "echo \"x",
        "echo `x",
        "echo $(x",
        "cat <<E",
        "cat <<E\nx",
        "cat <<$E\nx\n$E",
        "a\\\nb",
        "a \\",
        "echo \"$\\\n(b)\"",
        "echo $\"x\"",
        "[[ a =~ (b) ]]",
        "echo @(a)",
        "case x in a) b ;& c) d;; esac",
        "a b()",
        "()",
        "",
        "# only a comment",
        ";",
        "&",
        "time -p a",
        "echo $'\\0'",
        "echo $'\\xff'",
    ] {
        let script = parse(text);
        assert!(
            script.as_ref().is_err()
                || script
                    .as_ref()
                    .is_ok_and(|script| script.commands.is_empty()),
            "{text:?} {script:?}"
        );
    }
}

#[test]
fn depth_and_length_are_bounded() {
    for deep in [
        format!("{}a{}", "( ".repeat(4000), " )".repeat(4000)),
        format!("{}a{}", "$( ".repeat(2000), " )".repeat(2000)),
        format!("{}a{}", "{ ".repeat(2000), "; }".repeat(2000)),
        "if ".repeat(2000),
        "env ".repeat(2000),
        "! ".repeat(4000),
        "a|".repeat(4000),
        "f()".repeat(2000),
        "\"$(".repeat(2000),
        "`".repeat(4001),
        "<(".repeat(4000),
        "a ".repeat(5000),
        format!("{}a {}", "env ".repeat(50), "x ".repeat(3800)),
    ] {
        assert!(parse(&deep).is_err(), "{}", &deep[..20]);
    }
    // What is not too deep is read.
    assert_eq!(
        parse(&format!("{}a{}", "( ".repeat(50), " )".repeat(50)))
            .unwrap()
            .commands
            .len(),
        1
    );
}
