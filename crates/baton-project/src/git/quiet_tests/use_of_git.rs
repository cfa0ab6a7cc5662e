//! What people do with git still works under the settings.

use std::collections::BTreeMap;

use super::Place;

/// Everyday work, all of whose output is compared.
const WORK: &str = "
    git status --short && git diff && git diff --stat && git log --oneline | wc -l
    git add --all && git commit --quiet --message more && git show --stat --format=%s
    git checkout --quiet -b new && git merge --quiet --no-edit other
    git checkout --quiet --theirs m.mrg && git add m.mrg && git commit --quiet --no-edit
    git fetch --quiet ../neighbour.git && git push --quiet ../neighbour.git new
    git clone --quiet ../neighbour.git ../copy && git -C ../copy log --format=%s -1
    git worktree add --quiet ../tree && git stash list && git branch --format='%(refname)'
    git tag -a -m tag v1 && git archive HEAD | wc -c
    git submodule status && git blame -s a.txt && git grep -c two && git rev-parse --show-toplevel";

#[tokio::test]
async fn everyday_work_gives_the_same() {
    let mut said = Vec::new();
    for under in [false, true] {
        let place = Place::new();
        let env = if under {
            place.overrides().await
        } else {
            BTreeMap::new()
        };
        let text = place.run(WORK, &env);
        let root = place.sandbox.root().display().to_string();
        // Commits carry the time that they were made at.
        let text = text.replace(&root, "[ROOT]");
        said.push(without_ids(&text));
    }
    assert_eq!(said[0], said[1]);
    assert!(!said[1].contains("fatal"), "{}", said[1]);
}

fn without_ids(text: &str) -> String {
    let words = text.split_inclusive(|sign: char| !sign.is_ascii_hexdigit());
    let short = |word: &str| {
        word.trim_end_matches(|sign: char| !sign.is_ascii_hexdigit())
            .len()
            >= 7
    };
    words
        .map(|word| if short(word) { "# " } else { word })
        .collect()
}

/// A repository's filter, comparer and merge driver are as if they were not set.
#[tokio::test]
async fn what_is_left_out_leaves_git_usable() {
    let place = Place::new();
    place.run(
        "git config filter.x.clean $TRAP && git config filter.x.required true
         git config diff.x.command $TRAP && git config diff.external $TRAP
         git config diff.x.textconv $TRAP && git config merge.x.driver \"$TRAP %A\"",
        &BTreeMap::new(),
    );
    let env = place.overrides().await;
    let said = place.run(
        "git status --short; git diff | grep '^[-+]'
         git commit --quiet --all --message more; git merge --quiet other 2>&1; grep -c '<<<' m.mrg",
        &env,
    );
    let changed = "-one\n+two\n";
    let expected = [
        " M a.txt\n M c.bin\n M d.drv\n M f.dat\n",
        &["a.txt", "c.bin", "d.drv", "f.dat"]
            .map(|name| format!("--- a/{name}\n+++ b/{name}\n{changed}"))
            .concat(),
        "Auto-merging m.mrg\nCONFLICT (content): Merge conflict in m.mrg\nAutomatic merge failed; fix conflicts and then commit the result.\n1\n",
    ];
    assert_eq!(said, expected.concat());
    assert!(!place.ran());
}

#[tokio::test]
async fn the_users_own_settings_hold() {
    let place = Place::new();
    let own = place.run(
        "git config --global core.sshCommand 'ssh -v'
         git config --global core.editor nano
         git config --global core.hooksPath .githooks
         git config --global core.pager ./pager
         git config --global --add credential.helper store
         git config --global --add credential.https://h.helper cache
         git config --global filter.x.clean 'own-clean %f'
         git config filter.x.clean $TRAP && git config credential.helper $TRAP",
        &BTreeMap::new(),
    );
    assert_eq!(own, "");
    let env = place.overrides().await;
    let said = place.run(
        "for key in core.sshCommand core.editor sequence.editor core.hooksPath core.pager \
             filter.x.clean; do git config $key; done
         git config --get-all credential.helper; git config credential.https://h.helper",
        &env,
    );
    let trap = place.sandbox.root().join("trap").display().to_string();
    let expected = format!(
        "ssh -v\nnano\nnano\n/dev/null\ncat\nown-clean %f\nstore\n{trap}\n\nstore\ncache\n"
    );
    assert_eq!(said, expected);
}
