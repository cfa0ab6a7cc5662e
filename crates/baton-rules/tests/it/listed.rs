//! Options, contents and variables: only what is listed is known.

use baton_protocol::words::PermissionMode;
use baton_rules::Verdict;

use crate::found::{asked_or_denied, project};
use crate::support::{World, world};

#[track_caller]
fn passes(world: &World, line: &str) {
    let verdict = world.verdict(&format!("Bash {line}"));
    let free = matches!(verdict, Verdict::Unmatched | Verdict::Allow { .. });
    assert!(free, "{line}: {verdict:?}");
}

/// Each has an option that runs, writes, or reads what nobody named; some only
/// where the program is not GNU's, or in a form that GNU's tools take too.
const UNKNOWN: &str = "
grep -d dereference-recurse X . · grep --directories=recurse X . · grep --dereference-rec X .
grep -nd recurse X · grep -D read X . · grep -Sr X . · grep -rz X . · grep -Zr X .
grep --from=list X · grep --from=- X · grep --fr=list X · grep --pager X f · grep --view=evil X f
grep --config=f X f · grep ---f X f · grep --save-config X · grep --filter=*:evil X f
grep --filter='*:evil %' X f · grep -O sh X . · grep -M x X . · grep --file-magic=x X .
grep --include-from=list X . · grep --exclude-from=list X . · grep --ignore-files=list X .
grep -C -R X . · git log --format -p · git log --since -p · grep -Q · grep -@ X · grep --index X · egrep --from=list X · fgrep -d recurse X .
rg --pre evil X · rg -z X · rg --search-zip X · rg --hostname-bin evil X · rg --ignore-file x X
sort -o x f · sort --outp=x f · sort -uox f · sort -T /tmp f · sort --compress-program=evil f
sort --random-source=x f · wc --files0-from=list · wc --files0=list · du --files0-from=list
du -X list . · du --exclude-from=list . · tree -o x · tree -aR · tree -Lo 2 x · tree --fromfile x
tree --fromtabfile x · tree --infofile=x · diff -l a b · diff -X list a b · diff --to-file=x a
jq -f x f · jq -L /tmp . f · jq --slurpfile a x . · jq --rawfile a x . · md5sum -c list
sha256sum --check list · b2sum -c list · base64 -o x f · date -s now · date -f list · date 01010101
file -f list · file -m x f · file -C · file -z f · file -S f · xxd -r f x · xxd -rc 5 x
xxd -ps f x · uniq f x · hexdump -f x f · awk -f x f · gawk -i inplace 1 f · sed -f x f
sed -ni p f · find . -rm · find -files0-from list · find . -fls x · strings @x
git log --outp=x · git log -Olist · git diff --ext-diff · git diff --textconv · git show --textconv
git grep -Oevil X · git grep --open-files-in-pager=evil X · git log --stdin · git ls-files -X list
git blame -S list f · git blame --contents list f · git cat-file --textconv HEAD:x
git cat-file --filters HEAD:x · git stash list --output=x · git rev-list --stdin
git status --fsmon · git reflog expire · git reflog -5 expire";

#[test]
fn an_option_that_is_not_listed_is_asked_about() {
    let lines = || UNKNOWN.split([',', '\n']).flat_map(|row| row.split(" · "));
    for line in lines().map(str::trim).filter(|line| !line.is_empty()) {
        for mode in [PermissionMode::Default, PermissionMode::AcceptEdits] {
            asked_or_denied(&project("").before_use().mode(mode), line);
        }
        asked_or_denied(&project("").mode(PermissionMode::Plan), line);
        // A rule for the program does not cover it either.
        let name = line.split(' ').next().unwrap_or_default();
        let verdict = project(&format!("allow Bash({name}:*)")).verdict(&format!("Bash {line}"));
        let odd = matches!(name, "gawk" | "base64") || line.contains("expire");
        assert!(
            odd || !matches!(verdict, Verdict::Allow { .. }),
            "{line}: {verdict:?}"
        );
    }
}

#[test]
fn what_is_listed_goes_on() {
    let lines = "grep -rnE 'a b' src · grep -rn --include=*.rs X src · grep -A3 -B 2 X README.md
        grep --color=never -c X README.md · grep -5 X README.md · rg -n -A 3 X src · rg --files -g '*.ts'
        rg -t rust X · sort -t: -k2 -rn README.md · sort -u README.md · du -sh . · tree -L 2 -I 'a|b'
        tree -aL2 src · diff -u README.md src/main.rs · diff -U5 README.md src/main.rs · ls -1 src
        ls -la --color=never · tail -n 5 README.md · tail -20f README.md · head -c 20 README.md
        wc -lw README.md · md5sum README.md · date +%F · date -u -d yesterday +%s · file -b README.md
        xxd -l64 README.md · od -c README.md · comm -12 README.md src/main.rs · jq -r '.a | keys' x.json
        jq --arg a b '.[$a]' x.json · git log --oneline -5 -- src · git log -n 3 --stat · git shortlog -sn
        git reflog -5 · git status -sb · git status -uno · git stash list -3 · git blame -L 1,5 README.md
        git diff HEAD~1 --stat · git log -p -1 · git show HEAD~2 --name-only · git grep -n 'fn main'
        cut -d: -f1 README.md · stat -c %s README.md · ps aux · find . -name x -newer README.md";
    for line in lines
        .split(['·', '\n'])
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        passes(&project("").before_use(), line);
    }
}

/// Links that lead out of the project are followed by options in every form.
#[test]
fn links_are_followed_by_options_in_every_form() {
    let linked = |rules: &str| {
        world(rules)
            .links([("/home/user/proj/docs", "/home/user/notes")])
            .files(["src/main.rs", "README.md"])
    };
    let lines = "grep -R X ., grep -nR X ., grep -d dereference-recurse X ., \
        grep --directories=dereference-recurse X ., grep --dereference-rec X ., grep -rS X ., \
        rg -L X ., rg -nL X ., rg --follow X, tree -l ., tree -al, du -L ., ls -RL, diff -r . src";
    for line in lines.split(", ") {
        asked_or_denied(&linked("").before_use(), line);
        let bypass = linked("deny Read(~/notes/**)").mode(PermissionMode::BypassPermissions);
        let names_only = ["tree", "du", "ls"]
            .iter()
            .any(|name| line.starts_with(name));
        if !names_only {
            asked_or_denied(&bypass, line);
        }
    }
}

/// A denied file is shown by what does not name it, too.
#[test]
fn what_may_show_files_that_it_does_not_name_is_asked_about() {
    let lines = "grep -d recurse X · grep -nd recurse X · grep --directories=recurse X
        grep --from=- X · grep -r X · grep -5 X · grep -n2 X · grep --include=a/b X · egrep -r X · zgrep -r X · ugrep X · ug X · rg X · rg --unknown X src
        git status -v · git status -vv · git status --verbose · git status --verb · git log -p
        git log -U1 · git log -U 1 · git log --unified=1 · git log -L1,5:x · git log --patch-with-stat
        git log --patch-with-raw · git log --pat · git log -c · git log --cc · git log -m -1 · git log -u
        git log --binary · git log --word-diff · git log -GX · git log --stat -p · git log --check
        git log --remerge-diff · git log -sp · git log -Sx --oneline · git diff · git diff HEAD --stat -p
        git diff --patch-with-stat · git diff --word-diff · git show · git show --stat HEAD:.env
        git stash show -p · git stash list -p · git reflog -p · git grep X · git cat-file -p HEAD:.env
        git cat-file --batch · git cat-file blob abc · git diff-tree -p HEAD · git range-diff a b c
        git whatchanged -p · git archive HEAD · git fast-export HEAD · git format-patch -1
        git commit --dry-run -v · git add -p · git rerere diff · git merge-tree a b · git bundle create x
        git for-each-ref --format='%(raw)' · git somealias · git difftool · git -C . log -p
        git --no-pager log -p · git -c a.b=c log -p · git blame .env · hg diff · jj show · svn diff";
    let denying = |mode| project("deny Read(.env)").mode(mode);
    for line in lines.split(['·', '\n']).map(str::trim) {
        asked_or_denied(&denying(PermissionMode::BypassPermissions), line);
        asked_or_denied(&denying(PermissionMode::Default).before_use(), line);
    }
    let lines = "git status · git status -sb · git log --oneline -5 · git log --stat -3
        git log --graph --all · git diff --stat · git diff --name-only HEAD · git diff-tree --name-only HEAD
        git branch -vv · git remote -v · git rev-parse HEAD · git ls-files · git stash list · git reflog
        git commit -m done · git commit -am done · git push origin main · git fetch --all · git tag -l
        git cat-file -t HEAD · git shortlog -sn · git blame src/main.rs · git config --get user.name
        grep X README.md · grep -rn X src · grep -c X src/main.rs · rg X src · git add src/main.rs";
    for line in lines.split(['·', '\n']).map(str::trim) {
        passes(&denying(PermissionMode::BypassPermissions), line);
    }
}

/// The environment may hold secrets, however a line comes to show it.
#[test]
fn a_variable_is_shown_in_no_form() {
    let lines = [
        "cat <<< $X",
        "wc <<< \"$SECRET\"",
        "cat <<< \"a ${TOKEN} b\"",
        "cat <<E\n$TOKEN\nE",
        "echo for X $X",
        "echo \"for TOKEN in $TOKEN\"",
        "echo for X in; echo $X",
        "echo $_",
        "echo ~TOKEN",
        "case $TOKEN in a*) echo yes;; esac",
        "case a in $TOKEN) echo yes;; esac",
        "jq -n 'e''nv'",
        "jq -n '$E'NV",
        "jq -n '$ ENV'",
        "jq -n '$__prog_args'",
        "jq -n '[env]'",
        "jq -n '\"\\(env.A)\"'",
        "jq '{a: env}' x.json",
        "awk 'BEGIN{for(k in ENVI''RON)print k}'",
        "awk 'BEGIN{print SYMTAB[\"ENV\" \"IRON\"][\"A\"]}'",
        "awk 'BEGIN{for(k in PROCINFO)print PROCINFO[k]}'",
        "ps -auxeww",
        "ps -eu nobody",
        "ps axe",
        "ps -ef e",
        "ps -eo pid,environ",
        "ps aux --sort=environ",
        "ps -wwE",
        "ps -opid,e",
        "cat /proc/self/environ",
        "cat /proc/*/environ",
        "head -c 100 /proc/1/environ",
    ];
    for line in lines {
        asked_or_denied(&project("").before_use(), line);
        asked_or_denied(&project("").before_use().mode(PermissionMode::Plan), line);
    }
    for line in [
        "cat <<< hello",
        "cat <<< \"$HOME\"",
        "wc -c <<< '$TOKEN'",
        "case $HOME in /*) echo yes;; esac",
        "jq '.env' x.json",
        "jq '{env, name: .x}' x.json",
        "jq -r '.[] | select(.environment == \"env\")' x.json",
        "awk '/ENV/ {print $1}' README.md",
        "ps -eo pid,etime,cmd",
        "ps aux --sort=-%mem",
        "ps -ef",
        "echo \"$PWD $LC_ALL\"",
    ] {
        passes(&project("").before_use(), line);
    }
}
