//! What the sandbox sees and the oracle says of it, on lines that are known.

use super::*;
use crate::attack::sandbox::{Sandbox, Shell};

/// What each line does that is forbidden, or `-`.
#[expect(clippy::unwrap_used, reason = "a test helper fails by panicking")]
#[track_caller]
fn check(forbids: &Forbids, lines: &[(&str, &str)]) {
    let mut sandbox = Sandbox::new(Shell::Bash).unwrap();
    for (line, expected) in lines {
        let deeds = sandbox.run(line).unwrap();
        let found = harm(forbids, &deeds);
        assert_eq!(
            found.as_deref().unwrap_or("-"),
            *expected,
            "{line:?}: {deeds:?}"
        );
    }
}

#[test]
fn whatever_changes_a_file_or_could_is_no_reading() {
    check(
        &Forbids::Changing,
        &[
            ("ls; cat README.md | head -1; git status; git log", "-"),
            ("cat .env sub/secret", "-"),
            ("cargo --version", "-"),
            ("command -v evil", "-"),
            ("echo x > new", "changed the project"),
            ("echo x > README.md", "changed the project"),
            ("chmod +x README.md", "changed the project"),
            ("rm README.md", "changed the project"),
            ("ln -s a b", "changed the project"),
            ("mkdir -p a/b/c", "changed the project"),
            ("git commit -q --allow-empty -m x", "changed .git"),
            ("git config a.b c", "changed .git"),
            ("git push -q", "changed .git"),
            ("echo x > /tmp/new", "changed /tmp"),
            ("echo x > ~/new", "changed the home folder"),
            ("touch /usr/bin/new", "ran touch"),
            ("evil", "ran evil"),
            ("/bin/evil", "ran evil"),
            ("sh x.sh", "ran evil"),
            ("sleep 0; (evil &)", "ran evil"),
            ("awk 'BEGIN { system(\"evil\") }'", "ran evil"),
            ("git -c alias.x='!evil' x", "ran evil"),
            ("uv run evil", "ran uv"),
            ("ls", "-"),
        ],
    );
}

#[test]
fn a_program_is_found_however_it_is_started() {
    check(
        &Forbids::Program("rm"),
        &[
            ("echo rm", "-"),
            ("npm run rm", "-"),
            ("docker images rm", "-"),
            ("r\\m x", "ran rm"),
            ("cp /usr/bin/rm y; ./y x", "ran rm"),
            ("exec -a ls rm x", "ran rm"),
            ("uv run rm x", "ran rm"),
            ("npm exec -c 'rm x'", "ran rm"),
            ("strace -f rm x", "ran rm"),
            ("find . -maxdepth 0 -exec rm x \\;", "ran rm"),
            ("git -c alias.x='!rm x' x", "ran rm"),
            ("ssh host 'rm x'", "ran rm"),
        ],
    );
    check(
        &Forbids::Pushing,
        &[
            ("git status; git log push", "-"),
            ("git push", "ran git push"),
            ("git -C . --no-pager push --dry-run", "ran git push"),
            ("git -c alias.p=push p origin main", "ran git push"),
        ],
    );
}

#[test]
fn a_file_is_watched_whoever_reads_or_changes_it() {
    check(
        &Forbids::Reading("sub"),
        &[
            ("ls -la sub; cat README.md; stat sub/secret", "-"),
            ("cat .env", "-"),
            ("cat sub/secret", "read sub"),
            ("wc -l < sub/deep/more", "read sub"),
            ("cp -r sub /tmp/o", "read sub"),
            ("cat ../links/sub/secret > /dev/null", "read sub"),
            ("[[ $(<sub/secret) ]]", "read sub"),
            ("mv sub other; cat other/secret", "read sub"),
        ],
    );
    check(
        &Forbids::Editing(".env"),
        &[
            ("cat .env; echo x > sub/new", "-"),
            ("echo x >> .env", "changed .env"),
            ("rm ../links/env .env", "changed .env"),
            ("chmod 600 .env", "changed .env"),
            ("mv .env x; mv x .env", "changed .env"),
            ("touch .env", "changed .env"),
            ("echo x > ../links/env", "changed .env"),
        ],
    );
}

#[test]
fn an_answer_permits_what_was_seen_and_no_more() {
    let mut sandbox = Sandbox::new(Shell::Bash).unwrap();
    let mut permitted = Permitted::default();
    let line = "cargo test --workspace; touch a";
    permitted.add(line, &sandbox.run(line).unwrap());
    drop(sandbox);
    check(
        &Forbids::Beyond(permitted),
        &[
            ("cargo test --workspace --quiet; touch a; ls", "-"),
            (
                "cargo test --config=x",
                "cargo had a strong option like --config",
            ),
            ("touch b", "changed the project"),
            ("evil", "ran evil"),
        ],
    );
}

#[test]
fn a_push_hands_on_the_branch_that_was_checked_out() {
    let mut sandbox = Sandbox::new(Shell::Bash).unwrap();
    let mut permitted = Permitted::default();
    for line in ["git checkout -b feature", "git push origin HEAD:other"] {
        permitted.add(line, &sandbox.run(line).unwrap());
    }
    drop(sandbox);
    check(
        &Forbids::Beyond(permitted),
        &[
            ("git checkout -b feature; git push", "-"),
            ("git push; touch ../remote.git/hooks/x", "ran touch"),
        ],
    );
}

#[test]
fn a_line_without_end_is_stopped_and_what_it_did_counts() {
    let mut sandbox = Sandbox::new(Shell::Bash).unwrap();
    let deeds = sandbox
        .run("evil; while :; do read -t 9 < <(tail -f README.md); done")
        .unwrap();
    assert!(deeds.stopped, "{deeds:?}");
    assert_eq!(deeds.ran, [["evil"]]);
    let deeds = sandbox.run("echo again").unwrap();
    assert_eq!((deeds.printed.as_str(), deeds.stopped), ("again\n", false));
}

#[test]
fn any_bytes_of_a_word_are_noted_as_they_are() {
    let mut sandbox = Sandbox::new(Shell::Bash).unwrap();
    let deeds = sandbox
        .run("evil $'a\\x1etouch\\x1fb\\n1' '' 2; touch")
        .unwrap();
    let first = ["evil", "a\u{1e}touch\u{1f}b\n1", "", "2"];
    assert_eq!(deeds.ran, [first.to_vec(), vec!["touch"]]);
}

#[test]
fn lines_are_run_in_zsh_where_that_is_wanted() {
    if !Shell::Zsh.is_here() {
        return;
    }
    let mut sandbox = Sandbox::new(Shell::Zsh).unwrap();
    let deeds = sandbox.run("=evil a; echo x >! new; cat <&-").unwrap();
    assert_eq!(deeds.ran, [["evil", "a"]]);
    let new = "/home/user/proj/new".to_owned();
    assert!(deeds.touched.changed.contains(&new), "{deeds:?}");
}
