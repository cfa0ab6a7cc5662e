//! One case for each surveyed key, and for what is surveyed beside the table.

/// How it is seen that a key does nothing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Proof {
    /// This script runs the trap as things are, and does not under the settings.
    Runs(&'static str),
    /// What would run it is not here, or needs a terminal: git says another
    /// value under the settings.
    Setting(&'static str),
    /// Git runs nothing for it in any case.
    Never(&'static str),
}

pub(super) struct Case {
    /// As in the survey's table.
    pub(super) key: &'static str,
    /// The repository's own settings.
    pub(super) prepare: &'static str,
    pub(super) proof: Proof,
}

const fn case(key: &'static str, prepare: &'static str, proof: Proof) -> Case {
    Case {
        key,
        prepare,
        proof,
    }
}

use Proof::{Never, Runs, Setting};

const WEB: &str = "git web--browse --tool=x http://127.0.0.1:9/; sleep 0.2";
const CREDENTIAL: &str = "printf 'protocol=https\\nhost=h\\n\\n' | git credential fill";
const PARTIAL: &str = "git -C ../neighbour.git config uploadpack.allowFilter true
    git -C ../neighbour.git config uploadpack.allowAnySHA1InWant true
    git clone --quiet --no-checkout --filter=blob:none file://$ROOT/neighbour.git ../partial
    rm -rf .git && mv ../partial/.git .git";
const PULL_IN: &str = "git merge --quiet --no-edit other";

pub(super) const CASES: &[Case] = &[
    case("browser.cmd", "git config browser.x.cmd $TRAP", Runs(WEB)),
    case(
        "browser.path",
        "git config browser.x.path $TRAP",
        Setting("browser.x.path"),
    ),
    case(
        "core.alternaterefscommand",
        "git config core.alternateRefsCommand $TRAP
         git clone --quiet --bare ../neighbour.git ../more.git
         git -C ../more.git update-ref refs/heads/new \
             $(git -C ../more.git commit-tree -m new HEAD^{tree})
         echo $ROOT/neighbour.git/objects > .git/objects/info/alternates",
        Runs("git fetch --quiet ../more.git new"),
    ),
    case(
        "core.askpass",
        "git config core.askPass $TRAP",
        Runs(CREDENTIAL),
    ),
    case(
        "core.attributesfile",
        "git config core.attributesFile $TRAP",
        Never("git status"),
    ),
    case(
        "core.editor",
        "git config core.editor $TRAP",
        Runs("git commit --allow-empty"),
    ),
    case(
        "core.fsmonitor",
        "git config core.fsmonitor $TRAP",
        Runs("git status"),
    ),
    case(
        "core.gitproxy",
        "git config core.gitProxy $TRAP",
        Runs("git ls-remote git://127.0.0.1:9/x"),
    ),
    case(
        "core.hookspath",
        "mkdir hooks && cp $TRAP hooks/post-checkout && git config core.hooksPath hooks",
        Runs("git checkout --quiet -b new"),
    ),
    case(
        "hooks beside the settings",
        "cp $TRAP .git/hooks/post-checkout",
        Runs("git checkout --quiet -b new"),
    ),
    case(
        "core.pager",
        "git config core.pager $TRAP",
        Runs("git log | sh -c \"$(git var GIT_PAGER)\""),
    ),
    case(
        "core.sshcommand",
        "git config core.sshCommand $TRAP",
        Runs("git ls-remote ssh://127.0.0.1:9/x"),
    ),
    case(
        "core.worktree",
        "git config core.worktree $ROOT/home",
        Never("git status"),
    ),
    case(
        "credential.helper",
        "git config credential.helper $TRAP",
        Runs(CREDENTIAL),
    ),
    case(
        "a helper for one address",
        "git config credential.https://h.helper \"!$TRAP\"",
        Runs(CREDENTIAL),
    ),
    case(
        "diff.command",
        "git config diff.x.command $TRAP",
        Runs("git diff d.drv"),
    ),
    case(
        "diff.external",
        "git config diff.external $TRAP",
        Runs("git diff a.txt"),
    ),
    case(
        "diff.textconv",
        "git config diff.x.textconv $TRAP",
        Runs("git diff c.bin"),
    ),
    case(
        "difftool.cmd",
        "git config difftool.x.cmd $TRAP",
        Runs("git difftool --no-prompt --tool=x a.txt"),
    ),
    case(
        "difftool.path",
        "git config difftool.meld.path $TRAP",
        Runs("git difftool --no-prompt --tool=meld a.txt"),
    ),
    case(
        "filter.clean",
        "git config filter.x.clean $TRAP",
        Runs("git status"),
    ),
    case(
        "a name that is no text",
        "printf '[filter \"\\377=.\"]\\n\\tclean = %s\\n' $TRAP >> .git/config
         printf '*.dat filter=\\377=.\\n' > .gitattributes",
        Runs("git diff f.dat"),
    ),
    case(
        "filter.process",
        "git config filter.x.process $TRAP",
        Runs("git add f.dat"),
    ),
    case(
        "filter.smudge",
        "git config filter.x.smudge $TRAP",
        Runs("rm f.dat; git checkout f.dat"),
    ),
    case(
        "a filter that is required",
        "git config filter.x.clean $TRAP && git config filter.x.required true",
        Runs("git add f.dat && git cat-file -p :f.dat | grep two"),
    ),
    case(
        "gpg.program",
        "git config gpg.program $TRAP",
        Runs("git commit --gpg-sign --allow-empty --message x"),
    ),
    case(
        "the program of one format",
        "git config gpg.format ssh && git config gpg.ssh.program $TRAP
         git config user.signingKey key::ssh-ed25519",
        Runs("git commit --gpg-sign --allow-empty --message x"),
    ),
    case(
        "gpg.defaultkeycommand",
        "git config gpg.format ssh && git config gpg.ssh.defaultKeyCommand $TRAP",
        Runs("git commit --gpg-sign --allow-empty --message x"),
    ),
    case(
        "guitool.cmd",
        "git config guitool.x.cmd $TRAP",
        Setting("guitool.x.cmd"),
    ),
    case(
        "hook.command",
        "git config hook.x.command $TRAP",
        Setting("hook.x.command"),
    ),
    case(
        "imap.tunnel",
        "git config imap.tunnel $TRAP",
        Setting("imap.tunnel"),
    ),
    case(
        "include.path",
        "printf '[filter \"x\"]\\n\\tclean = %s\\n' $TRAP > $ROOT/home/deep.config
         printf '[include]\\n\\tpath = ~/deep.config\\n' > .git/far.config
         git config include.path far.config",
        Runs("git diff f.dat"),
    ),
    case(
        "includeif.path",
        "printf '[filter \"x\"]\\n\\tclean = %s\\n' $TRAP > $ROOT/far.config
         git config includeIf.gitdir:**.path $ROOT/far.config",
        Runs("git diff f.dat"),
    ),
    case(
        "init.templatedir",
        "mkdir -p $ROOT/template/hooks && cp $TRAP $ROOT/template/hooks/post-commit
         git config init.templateDir $ROOT/template",
        Never("git init --quiet new && git -C new commit --quiet --allow-empty -m x"),
    ),
    case(
        "instaweb.browser",
        "git config instaweb.browser $TRAP",
        Setting("instaweb.browser"),
    ),
    case(
        "instaweb.httpd",
        "git config instaweb.httpd $TRAP",
        Setting("instaweb.httpd"),
    ),
    case(
        "interactive.difffilter",
        "git config interactive.diffFilter $TRAP",
        Runs("git -c color.ui=always add --patch a.txt"),
    ),
    case(
        "lfs.clean",
        "git config lfs.extension.x.clean $TRAP",
        Setting("lfs.extension.x.clean"),
    ),
    case(
        "lfs.path",
        "git config lfs.customtransfer.x.path $TRAP",
        Setting("lfs.customtransfer.x.path"),
    ),
    case(
        "lfs.smudge",
        "git config lfs.extension.x.smudge $TRAP",
        Setting("lfs.extension.x.smudge"),
    ),
    case(
        "man.cmd",
        "git config man.x.cmd $TRAP && git config man.viewer x",
        Runs("git help --man status"),
    ),
    case(
        "man.path",
        "git config man.man.path $TRAP && git config man.viewer man",
        Runs("git help --man status"),
    ),
    case(
        "merge.driver",
        "git config merge.x.driver \"$TRAP %A\"",
        Runs(PULL_IN),
    ),
    case(
        "mergetool.cmd",
        "git config mergetool.x.cmd $TRAP && git merge --quiet other",
        Runs("git mergetool --no-prompt --tool=x"),
    ),
    case(
        "mergetool.path",
        "git config mergetool.meld.path $TRAP && git merge --quiet other",
        Runs("git mergetool --no-prompt --tool=meld"),
    ),
    case(
        "pager.*",
        "git config pager.log $TRAP",
        Setting("pager.log"),
    ),
    case(
        "protocol.allow",
        "git config protocol.ext.allow always && git config protocol.allow always
         git config remote.x.url \"ext::$TRAP\"",
        Runs("git ls-remote x"),
    ),
    case(
        "remote.receivepack",
        "git config remote.x.url $ROOT/neighbour.git && git config remote.x.receivepack $TRAP",
        Runs("git push x HEAD:refs/heads/new"),
    ),
    case(
        "remote.uploadpack",
        "git config remote.x.url $ROOT/neighbour.git && git config remote.x.uploadpack $TRAP",
        Runs("git fetch x"),
    ),
    case(
        "remote.vcs",
        "git config remote.x.vcs ext && git config remote.x.url \"$TRAP\"
         git config protocol.ext.allow always",
        Runs("git fetch x"),
    ),
    case(
        "sendemail.cccmd",
        "git config sendemail.ccCmd $TRAP",
        Setting("sendemail.ccCmd"),
    ),
    case(
        "sendemail.headercmd",
        "git config sendemail.headerCmd $TRAP",
        Setting("sendemail.headerCmd"),
    ),
    case(
        "sendemail.sendmailcmd",
        "git config sendemail.x.sendmailCmd $TRAP",
        Setting("sendemail.x.sendmailCmd"),
    ),
    case(
        "sendemail.smtpserver",
        "git config sendemail.smtpServer $TRAP",
        Setting("sendemail.smtpServer"),
    ),
    case(
        "sendemail.tocmd",
        "git config sendemail.toCmd $TRAP",
        Setting("sendemail.toCmd"),
    ),
    case(
        "sequence.editor",
        "git config sequence.editor $TRAP && git stash --quiet",
        Runs("git rebase --interactive HEAD~1"),
    ),
    case(
        "tar.command",
        "git config tar.x.command $TRAP",
        Runs("git archive --format=x HEAD"),
    ),
    case(
        "trailer.cmd",
        "git config trailer.x.key X && git config trailer.x.cmd $TRAP",
        Runs("git interpret-trailers --trailer x=1"),
    ),
    case(
        "trailer.command",
        "git config trailer.x.key X && git config trailer.x.command $TRAP",
        Runs("git interpret-trailers --trailer x=1"),
    ),
    case(
        "uploadpack.packobjectshook",
        "git -C ../neighbour.git config uploadpack.packObjectsHook $TRAP
         git config uploadpack.packObjectsHook $TRAP",
        Never("git clone --quiet file://$ROOT/neighbour.git new"),
    ),
    case(
        "url.insteadof",
        "git config protocol.ext.allow always
         git config \"url.ext::$TRAP .insteadOf\" far:",
        Runs("git ls-remote far:x"),
    ),
    case(
        "url.pushinsteadof",
        "git config protocol.ext.allow always
         git config \"url.ext::$TRAP .pushInsteadOf\" far:",
        Runs("git push far:x HEAD"),
    ),
    case(
        "web.browser",
        "git config web.browser x && git config browser.x.cmd $TRAP",
        Runs("git web--browse http://127.0.0.1:9/; sleep 0.2"),
    ),
    case("an alias", "git config alias.x \"!$TRAP\"", Runs("git x")),
    case(
        "an alias with options",
        "git config alias.x \"fetch --upload-pack=$TRAP $ROOT/neighbour.git\"",
        Runs("git x"),
    ),
    case(
        "a submodule's update",
        "git config submodule.x.update \"!$TRAP\"",
        Setting("submodule.x.update"),
    ),
    case(
        "a repository below",
        "git init --quiet sub/deep && cd sub/deep && echo one > f.dat
         echo '*.dat filter=y' > .gitattributes && git add --all && git commit --quiet -m x
         git config filter.y.clean $TRAP && git config core.fsmonitor $TRAP && echo two > f.dat",
        Runs("git -C sub/deep diff"),
    ),
    case(
        "a bare repository among the files",
        "git init --quiet --bare bare && git -C bare config core.worktree . \
             && git -C bare config core.bare false && git -C bare config core.fsmonitor $TRAP",
        Runs("cd bare && git status"),
    ),
    case(
        "a submodule",
        "git -c protocol.file.allow=always submodule --quiet add $ROOT/neighbour.git module
         git commit --quiet --all -m module && cd module
         git config filter.x.clean $TRAP && echo two > f.dat",
        Runs("git status"),
    ),
    case(
        "another work tree's settings",
        "git config extensions.worktreeConfig true
         git config --worktree filter.x.clean $TRAP",
        Runs("git diff f.dat"),
    ),
    case(
        "an object that is not there",
        "git config extensions.partialClone x && git config remote.x.promisor true
         git config remote.x.url $ROOT/neighbour.git && git config remote.x.uploadpack $TRAP",
        Runs("git cat-file -p 0123456789012345678901234567890123456789"),
    ),
    case(
        "a partial clone of a plain remote",
        PARTIAL,
        Runs("git show HEAD~:a.txt >/dev/null && $TRAP"),
    ),
    case(
        "a partial clone, and what changed in it",
        PARTIAL,
        Runs("git --no-pager log -p >/dev/null && $TRAP"),
    ),
    case(
        "a partial clone whose remote is a command",
        "git config extensions.partialClone x
         git config remote.x.promisor true && git config remote.x.url \"ext::$TRAP\"
         git config protocol.ext.allow always",
        Runs("git cat-file -p 0123456789012345678901234567890123456789"),
    ),
];
