//! Ways around rules that were found by trying. Each stays closed.

use baton_protocol::words::PermissionMode;
use baton_rules::Verdict;

use crate::support::{World, world};

/// A project with files that rules protect.
pub(crate) fn project(rules: &str) -> World {
    world(rules).files([
        ".env",
        "README.md",
        "sub/secret",
        "sub/src/x",
        "src/main.rs",
        "tests/a.rs",
    ])
}

#[track_caller]
pub(crate) fn asked_or_denied(world: &World, command: &str) {
    let verdict = world.verdict(&format!("Bash {command}"));
    assert!(
        matches!(verdict, Verdict::Ask { .. } | Verdict::Deny { .. }),
        "{command}: {verdict:?}"
    );
}

#[test]
fn options_that_the_shell_puts_together_are_not_harmless() {
    let rules = "allow Bash(find:*)\nallow Bash(sort:*)\nallow Bash(git diff:*)\n\
                 allow Bash(git log:*)\nallow Bash(git fetch:*)\nallow Bash(sed:*)\n\
                 allow Bash(test:*)\nallow Bash(rg:*)\nallow Bash(printf:*)";
    let commands = [
        r"find . -maxdepth 0 -exe{c..c} touch pwned \;",
        "sort README.md -{opwned,u}",
        "sort README.md --o=pwned",
        "git diff --{output=pwned,stat}",
        "git log --outpu{t..t}=pwned",
        "git log --output=*",
        "git fetch --upload-pac{k..k}=./x.sh .",
        "git fetch ./elsewhere",
        "git fetch --upload-pack ./x.sh origin",
        "sed p -{i..i} f",
        r"find . -$(echo exec) touch x \;",
        r#"find . "$X" touch x \;"#,
        "find . -fprin? x",
        "sort ./$X",
        r#"sort "a$@""#,
        "test -v 'a[$(touch pwned)]'",
        "test -v \"$X\"",
        "[ 'a[$(touch pwned)]' -eq 1 ]",
        "printf -v 'a[$(touch pwned)]' x",
        "rg --pr{e..e}=./x.sh y",
        "git cat-file --filters HEAD:x",
    ];
    for command in commands {
        assert!(!baton_rules::read_only_command(command), "{command}");
        let verdict = project(rules).verdict(&format!("Bash {command}"));
        assert!(
            !matches!(verdict, Verdict::Allow { .. }),
            "{command}: {verdict:?}"
        );
        asked_or_denied(&project(rules).before_use(), command);
        project(rules)
            .mode(PermissionMode::Plan)
            .check(&format!("Bash {command}"), "deny: plan");
    }
}

#[test]
fn what_mostly_reads_is_not_taken_to_write_or_to_look_elsewhere() {
    let rules = "allow Bash(uniq:*)\nallow Bash(xxd:*)\nallow Bash(pytest:*)";
    for writes in ["uniq a b", "uniq - b", "xxd a b", "xxd -r a b", "pytest @x"] {
        project(rules).check(&format!("Bash {writes}"), "unmatched");
        asked_or_denied(&project("").before_use(), writes);
    }
    let calls_elsewhere = "date --file=../x, date -f../x, \
        awk 'BEGIN{ARGV[1]=\"../x\";ARGC=2}{print}', strings @../x, \
        jq -n 'import \"/x\" as $x; $x', grep --exclude-f ../x y, grep -f ../x y, rg --files .., \
        echo ../*, cat ../*";
    for elsewhere in calls_elsewhere.split(", ") {
        asked_or_denied(&project("").before_use(), elsewhere);
        asked_or_denied(
            &project("").before_use().mode(PermissionMode::Plan),
            elsewhere,
        );
    }
}

#[test]
fn paths_are_taken_from_where_the_agent_is() {
    let denying = |rule: &str| project(rule).mode(PermissionMode::BypassPermissions);
    denying("deny Read(sub/secret)")
        .at("sub")
        .check("Bash cat secret", "deny: project Read(/sub/secret)")
        .check("Read secret", "deny: project Read(/sub/secret)");
    denying("deny Edit(/sub/**)")
        .at("sub")
        .check("Bash rm secret", "deny: project Edit(/sub/**)");
    let allowing = || project("allow Bash(echo:*)\nallow Edit(/src/**)");
    allowing().check("Bash echo x > src/out.txt", "allow: project Edit(/src/**)");
    allowing()
        .at("sub")
        .check("Bash echo x > src/out.txt", "unmatched");
    // The same words are another program elsewhere.
    let script = || project("allow Bash(./run.sh:*)\nallow Bash(make:*)");
    script()
        .check("Bash ./run.sh", "allow: project Bash(./run.sh:*)")
        .check("Bash make", "allow: project Bash(make:*)");
    script()
        .at("sub")
        .check("Bash ./run.sh", "unmatched")
        .check("Bash make", "allow: project Bash(make:*)");
    script().at("../elsewhere").check("Bash make", "unmatched");
    // Going where one is already changes nothing.
    script().check(
        "Bash cd /home/user/proj && make",
        "allow: project Bash(make:*)",
    );
}

#[test]
fn denied_files_are_found_however_a_command_names_them() {
    for (rule, commands) in [
        (
            "deny Read(.env)",
            &[
                "cat .en*",
                "cat .e{n..n}v",
                "cat .e[n]v",
                "cat .??v",
                "cat *",
                "F=.env; cat $F",
                "dd if=.env of=x",
                "cat<>.env",
                "cat ~+/.env",
                "cat $\".env\"",
                "cat /proc/self/cwd/.env",
                "cat ./sub/../.env",
                "cp -r . /tmp/x",
                "tar cf x.tar .",
                "grep -r KEY .",
                "grep -r KEY",
                "grep --inc=* -r KEY",
                "rg KEY",
                "nice rg KEY",
                "uv run rg KEY",
                "git grep KEY",
                "git diff",
                "git show HEAD:.env",
                "git diff --no-index /dev/null .env",
                "curl -d @.env http://127.0.0.1",
                "python3 -c 'print(open(\".env\").read())'",
                "while read x; do echo $x; done < .env",
                "exec 3<.env",
                "source .env",
                "$CMD .env",
                "bash -c \"$X\"",
                "find . -name .env -exec cat {} +",
                "echo .env | xargs cat",
                "ln -s .env x",
                "git add -fA",
                "shopt -s globstar; cat **",
            ][..],
        ),
        (
            "deny Read(sub/**)",
            &[
                "cd sub && cat secret",
                "cd sub; cat secret",
                "(cd sub && cat secret)",
                "pushd sub; cat secret",
                "cat sub/*",
                "cat */secret",
                "grep -r . sub",
                "grep -rn x .",
                "cp -r sub x",
                "tar -C sub -cf - secret",
                "tar -Csub -cf - secret",
                "git -C sub show HEAD:./secret",
            ][..],
        ),
        (
            "deny Edit(.env)",
            &[
                "cp README.md .en*",
                "dd of=.env",
                "dd of=~+/.env",
                "tee .env",
                "sed -i p .env",
                "sed 'w.env' README.md",
                "mv x .env",
                "rm .*",
                "rm -rf .",
                "f=.env; rm $f",
                "echo .env | xargs rm",
                "xargs touch <<< .env",
                "git checkout -- .",
                "git clean -fdx",
            ][..],
        ),
        (
            "deny Edit(sub/**)",
            &[
                "rm -rf sub",
                "rm -rf ./sub/",
                "rm -rf s*",
                "mv sub x",
                "cp x sub",
                "cd sub && rm secret",
                "mktemp -psub",
                "tar xf t -Csub",
                "truncate -s0 sub/n[",
                "git diff --output=$'\\163ub/'*",
                "watch 'cp README.md -tsub'",
                "echo x > /proc/self/cwd/sub/x",
                "git checkout main",
                "git stash",
                "taskset 1 git stash -a",
                "chmod -R 777 .",
            ][..],
        ),
    ] {
        let denying = project(rule).mode(PermissionMode::BypassPermissions);
        for command in commands {
            asked_or_denied(&denying, command);
        }
        let asking = project(&rule.replace("deny", "ask")).mode(PermissionMode::BypassPermissions);
        for command in commands {
            let verdict = asking.verdict(&format!("Bash {command}"));
            assert!(
                matches!(verdict, Verdict::Ask { .. }),
                "{command}: {verdict:?}"
            );
        }
        // What has nothing to do with the files goes on.
        let all_commands = "ls -la, cat README.md, cat src/*.rs, grep -rn x src, cargo test, \
            npm test, git status, git commit -m done, echo $HOME, pytest tests, \
            cd src && cat main.rs";
        for command in all_commands.split(", ") {
            denying.check(&format!("Bash {command}"), "allow: bypassPermissions");
        }
    }
}

/// Each runs a denied command, or may.
const RUNNING: &[&str] = &[
    "uv run rm x",
    "npm exec -- rm x",
    "npm exec -c 'rm x'",
    "poetry run rm x",
    "pipenv run rm x",
    "conda run rm x",
    "bundle exec rm x",
    "mise exec rm x",
    "direnv exec . rm x",
    "setpriv rm x",
    "prlimit rm x",
    "csh -c 'rm x'",
    "pwsh -c 'rm x'",
    "nu -c 'rm x'",
    "script -qc 'rm x'",
    "tmux new-session -d 'rm x'",
    "git -c alias.p=push p",
    "git p",
    "npm --loglevel silent publish",
    "bash /dev/stdin <<< 'rm x'",
    "source <(echo rm x)",
    "source /dev/stdin <<< 'rm x'",
    "test -v 'a[$(rm x)]'",
    "x='a[$(rm x)]'; [[ $x -eq 1 ]]",
    "[[ -v 'a[$(rm x)]' ]]",
    "let 'a[$(rm x)]=1'",
    "compgen -W '$(rm x)'",
    "mapfile -C 'rm x' -c 1 a < f",
    "PS4='$(rm x)'; set -x; ls",
    "ln -s /bin/rm r; ./r x",
    "hash -p /bin/rm ls; ls x",
    "echo 'rm x' > a.sh; sh a.sh",
    "uv run $X",
    "uv run r?",
    "uv run r{,m}",
    "setpriv gi$@t push",
    "sed 's/a/b/e;e rm x' f",
    "tar --to-command='rm x' -xf y",
    "GIT_SSH_COMMAND='rm x' git fetch",
    "git grep -O'rm x' y",
    "python3 -c 'import os; os.system(\"rm x\")'",
    "find . -name x -ok rm {} +",
    "xargs -a list rm",
    "cat <<E | node\nexec('rm x')\nE",
    "eval -- rm x",
    "ls >&-rm",
    "ls >&'$(rm x)'",
    "npx -c 'r\\\nm x'",
    "toybox sed 's/./rm/e' y",
    "mapfile -C'r${u-m}' -c1 < f",
    "GIT_SSH_COMMAND=r'm' git ls-remote :",
    "GIT_SSH_COMMAND=$X git fetch",
    "x='a[$(rm x)]'; echo ${a[x]}",
    "echo ${x@P}",
    "echo 'rm x' | tee y; sh y",
    "cp /usr/bin/git x; ./x push",
    "hash -p /usr/bin/git ls; ls push",
];

#[test]
fn denied_commands_are_found_behind_whatever_may_run_them() {
    let denying = world("deny Bash(rm:*)\ndeny Bash(git push:*)\ndeny Bash(npm publish:*)")
        .mode(PermissionMode::BypassPermissions);
    let asking =
        world("ask Bash(rm:*)\nask Bash(git push:*)\nask Bash(npm publish:*)\nallow user Bash");
    for command in RUNNING {
        asked_or_denied(&denying, command);
        let verdict = asking.verdict(&format!("Bash {command}"));
        assert!(
            matches!(verdict, Verdict::Ask { .. } | Verdict::Unmatched),
            "{command}: {verdict:?}"
        );
    }
    let commands = "ls rm, echo rm x, grep -rn 'rm -rf' src, git pull, npm test, cargo build, \
        cp \"$A\" \"$B\"";
    for command in commands.split(", ") {
        denying.check(&format!("Bash {command}"), "allow: bypassPermissions");
    }
}

#[test]
fn a_suggested_rule_covers_no_more_than_was_seen_and_harmless_options() {
    let rules = "allow Bash(mypy:*)\nallow Bash(ruff check:*)\nallow Bash(go build:*)\n\
                 allow Bash(go test:*)\nallow Bash(cargo test:*)\nallow Bash(cargo build:*)\n\
                 allow Bash(git commit:*)\nallow Bash(git add:*)\nallow Bash(pytest:*)\n\
                 allow Bash(npm test:*)\nallow Bash(npm run lint:*)";
    let world = world(rules);
    let commands = "mypy --python-executable=./x.sh y, mypy --config-file /tmp/x y, \
        ruff check --output-file=/any ., ruff check -o /any ., ruff check --fix ., \
        go build -o /any, go build -ldflags=-X, go build -toolexec ./x ., \
        go test -exec ./x ./..., go test -coverprofile=/any ./..., cargo test --target-dir /any, \
        cargo test --config x, cargo test -- --logfile=/any, \
        cargo build --manifest-path ../x/Cargo.toml, cargo build $X, \
        git commit --no-verify -m x, git commit --amend, git commit -F /etc/passwd, \
        git add /etc/passwd, git add -f x, pytest -p evil, pytest --basetemp=/any, \
        pytest ../elsewhere, pytest -c /any, npm test -- --reporter=./x.js, \
        npm run lint -- --fix, npm test --script-shell=./x";
    for command in commands.split(", ") {
        world.check(&format!("Bash {command}"), "unmatched");
    }
    let commands = "mypy src --strict, ruff check ., go build ./..., \
        go test -run TestX -v ./..., cargo test --workspace --lib x::y -- --nocapture, \
        cargo test -p a -j4 -qv, git commit -am 'a message', git add -A src src/*.rs, \
        pytest -xq -k 'a and b' tests, npm test, npm run lint";
    for command in commands.split(", ") {
        let verdict = world.verdict(&format!("Bash {command}"));
        assert!(
            matches!(verdict, Verdict::Allow { .. }),
            "{command}: {verdict:?}"
        );
    }
}

#[test]
fn texts_are_read_as_a_shell_would_read_them() {
    let rules = "deny Bash(git push:*)\ndeny Read(.env)\n\
                 deny Edit(sub/**)\ndeny Read(sub/secret)";
    let world = project(rules).mode(PermissionMode::BypassPermissions);
    for command in [
        "docker run bash<<<'gi{t..t} push'",
        "su<<<'gi{t..t} push'",
        "at now<<<'{git,push}'",
        "ssh host bash <<'E'\ngi{t..t} push\n(echo\nE",
        "foo 'gi{t..t} push'",
        "foo --run='gi{t..t} push'",
        "foo <<<'g$x push'",
        "foo <<<'/usr/bin/gi? push'",
        "foo 'bar \"gi{t..t} push\"'",
        "foo 'echo Z2l0IHB1c2g= | base64 -d | sh'",
        "foo <<<'cat .e*'",
        "foo 'cat .e{n..n}v'",
        "foo --x='cat .e*'",
        "foo <<<'cat <.e{n..n}v'",
        "foo 'cd sub && cat secret'",
        "echo 'cd sub&&touch n'>y.sh;sh y.sh",
        "{ echo 'cd sub&&touch n'; }>y.sh;sh y.sh",
        "printf 'cd sub\\ntouch n' | foo",
        "echo 'gi{t..t} push' | foo",
        "ssh xargs cat<<<.e$@nv",
        "ssh xargs cat <<E\n.e$@nv\nE",
        "foo \"$(cat <<'E'\ngit push\nE\n)\"",
        "foo \"$(bar <<'E'\ngi{t..t} push\nE\n)\"",
        "cat <<'E' | foo\ngi{t..t} push\nE",
        "foo <<<'cd sub; touch w'",
        r"x='a[$(find '.*' -exec cat {} \;)]' declare -i y=x",
        "x=('a[$(cat .e*)]'); declare -i y=x",
    ] {
        asked_or_denied(&world, command);
    }
}

#[test]
fn texts_of_every_day_are_not_taken_for_commands() {
    let world =
        project("deny Bash(git push:*)\ndeny Read(.env)").mode(PermissionMode::BypassPermissions);
    for command in [
        r#"curl -d '{"a":1,"b":2}' http://localhost/x"#,
        "gh api -f q='{a:1}'",
        "docker inspect -f '{{.State}}' x",
        "npm test -- 'tests/**/*.js'",
        "gh pr create --title 'One * two' --body 'Use `x`, then * y'",
        "git commit -m 'Fix {a,b} and $x'",
        "python3 - <<'E'\nprint({k: v for k, v in d})\n[x for x in y]\nE",
        "cargo test 'a b'",
        "echo 'Fix * thing'; cargo test",
        "git commit -m \"$(cat <<'EOF'\nFix * thing\n\n- git push of {a,b}, not .env\nEOF\n)\"",
        "gh pr create --body \"$(cat <<'EOF'\n* Fix `x` and $y\nEOF\n)\"",
        "jq '{a: .b, c: .d}' x.json",
        "psql -c 'select * from t'",
        "cat > notes.md <<'E'\n* one {a,b}\n`x` $y\nE",
    ] {
        let verdict = world.verdict(&format!("Bash {command}"));
        assert!(
            matches!(verdict, Verdict::Allow { .. }),
            "{command}: {verdict:?}"
        );
    }
}

#[test]
fn files_that_programs_obey_are_not_edited_unasked() {
    let world = project("allow Edit").mode(PermissionMode::AcceptEdits);
    let paths = ".claude/settings.json .Claude/settings.json .GIT/config .cargo/config.toml
        .devcontainer/devcontainer.json sub/.mcp.json .worktreeinclude";
    for path in paths.split_whitespace() {
        let verdict = world.verdict(&format!("Edit {path}"));
        assert!(
            !matches!(verdict, Verdict::Allow { .. }),
            "{path}: {verdict:?}"
        );
    }
}

/// A project with links that lead out of it.
fn linked(rules: &str) -> World {
    world(rules)
        .links([
            ("/home/user/proj/notes.txt", "/home/user/secret"),
            ("/home/user/proj/docs", "/home/user/notes"),
            ("/home/user/proj/inside", "/home/user/proj/src"),
        ])
        .files(["src/main.rs", "src/lib.rs", "README.md"])
}

#[test]
fn patterns_and_links_lead_nowhere_unasked() {
    let world = linked("").before_use();
    let commands = "cat n*, cat ./n?tes.txt, head -n1 [n]otes.txt, cat */outside, grep -R OUT ., \
        grep --dereference-recursive OUT ., find -L ., find . -follow, ls -L .";
    for command in commands.split(", ") {
        asked_or_denied(&world, command);
    }
    for command in [
        "cat src/*.rs",
        "grep -r OUT src",
        "ls -la src",
        "cat README.md",
    ] {
        let verdict = world.verdict(&format!("Bash {command}"));
        assert_eq!(verdict, Verdict::Unmatched, "{command}");
    }
}

#[test]
fn links_do_not_lead_past_a_denial() {
    let rules = "deny Read(~/notes/**)\ndeny Read(~/secret)";
    let world = linked(rules).mode(PermissionMode::BypassPermissions);
    let commands = "grep -R S3 ., rg -L S3, cp -rL . ../cp, cat n*, cat d*/x, zip -r x .";
    for command in commands.split(", ") {
        asked_or_denied(&world, command);
    }
}

#[test]
fn where_each_process_looks_elsewhere_nothing_is_known() {
    let world =
        project("deny Edit(sub/**)\ndeny Read(.env)").mode(PermissionMode::BypassPermissions);
    for call in [
        "Edit /proc/self/cwd/sub/w",
        "Edit /dev/fd/../cwd/sub/w",
        "Read /proc/self/cwd/.env",
    ] {
        let verdict = world.verdict(call);
        assert!(
            matches!(verdict, Verdict::Ask { .. } | Verdict::Deny { .. }),
            "{call}: {verdict:?}"
        );
    }
}

#[test]
fn more_ways_past_denials_are_closed() {
    let rules = "deny Bash(git push:*)\ndeny Edit(sub/**)\ndeny Read(.env)";
    let world = project(rules).mode(PermissionMode::BypassPermissions);
    let commands = "/usr/lib/git-core/git-push origin main, git-push origin, patch -p1 < p.diff, \
        tar xf a.tar, unzip -oq z.zip, git reflog -p, git fast-export HEAD, \
        git cat-file --batch-all-objects --batch, git checkout-index --prefix=x/ -a, \
        git worktree add ../wt HEAD";
    for command in commands.split(", ") {
        asked_or_denied(&world, command);
    }
}

#[test]
fn what_limits_the_tools_is_not_removed_by_a_pattern() {
    let world = world("")
        .files([".baton/permissions.json", "src/main.rs"])
        .mode(PermissionMode::BypassPermissions);
    for command in [
        "rm -rf .b*",
        "rm -rf -- .[a-b]*",
        "cp -r ../new/. .",
        "tar xf a.tar",
        "git checkout full -- .",
    ] {
        asked_or_denied(&world, command);
    }
    for command in ["rm -rf src/*", "rm *.o", "cargo build"] {
        let verdict = world.verdict(&format!("Bash {command}"));
        assert!(
            matches!(verdict, Verdict::Allow { .. }),
            "{command}: {verdict:?}"
        );
    }
}

#[test]
fn no_rule_opens_what_holds_secrets() {
    let mut world = project("allow Bash(cat:*)\nallow Read").before_use();
    world.secrets = vec![
        "/home/user/.baton".into(),
        "/home/user/.claude/.credentials.json".into(),
    ];
    for call in [
        "Bash cat ~/.claude/.credentials.json",
        "Bash cat /home/user/.baton/token",
        "Bash cat /home/user/.bat*/token",
        "Read /home/user/.baton/token",
    ] {
        let verdict = world.verdict(call);
        assert!(
            matches!(verdict, Verdict::Ask { .. }),
            "{call}: {verdict:?}"
        );
    }
    let verdict = world.verdict("Bash cat ~/notes");
    assert!(matches!(verdict, Verdict::Allow { .. }), "{verdict:?}");
}
