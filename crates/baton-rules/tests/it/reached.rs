//! What a call reaches beside the file that it plainly names: the work tree of
//! git, folders that are not there yet, what steers the agent, and a file whose
//! edit shows what it holds.

use baton_protocol::words::PermissionMode;
use baton_rules::{FakePaths, Verdict};

use crate::found::{asked_or_denied, project};
use crate::support::{HOME, PROJECT, World, world};

#[track_caller]
fn passes(world: &World, line: &str) {
    let verdict = world.verdict(line);
    assert!(
        matches!(verdict, Verdict::Allow { .. }),
        "{line}: {verdict:?}"
    );
}

fn bypass(world: World) -> World {
    world.mode(PermissionMode::BypassPermissions)
}

#[test]
fn git_is_asked_about_unless_it_is_known_to_leave_the_work_tree_alone() {
    let world = bypass(project("deny Edit(src/**)"));
    let asked = "git sparse-checkout set x · git checkout-index -af · \
        git checkout-index --all --force · git read-tree -m -u HEAD~1 · \
        git read-tree --reset -u HEAD~1 · git submodule update · git bisect start HEAD HEAD~9 · \
        git worktree add x · git rerere · git lfs pull · git own-alias · git --no-pager read-tree -u x · \
        /usr/bin/git read-tree -um HEAD · git merge-recursive a -- b c · git clone https://x.example/src · \
        git format-patch HEAD~3 · git filter-branch x · git stash pop · git reset --hard · \
        git-read-tree -u -m HEAD · /usr/lib/git-core/git-checkout-index -af";
    for line in asked.split(" · ") {
        asked_or_denied(&world, line);
    }
    // Where the agent is does not say which part of the tree git changes.
    let below = bypass(project("deny Edit(src/**)")).at("sub");
    for line in ["git read-tree -m -u HEAD~1", "git reset --hard HEAD~1"] {
        asked_or_denied(&below, line);
    }
    let free = "git status · git add -A · git commit -m x · git push · git fetch --all · git log -p · \
        git diff HEAD~1 · git branch x · git tag v1 · git config user.name x · git stash list · \
        git worktree list · git show HEAD · git rev-parse HEAD · git update-ref refs/heads/x HEAD · \
        git remote add o https://x.example/y · git gc · git blame README.md · git ls-files";
    for line in free.split(" · ") {
        passes(&world, &format!("Bash {line}"));
    }
}

#[test]
fn a_rule_about_a_folder_does_not_need_the_folder_to_be_there() {
    let gone = world("deny Edit(src/**)\ndeny Edit(a/b/c.txt)").files(["README.md", "sub/x"]);
    let gone = bypass(gone);
    let asked = "wget -q -P src https://x.example · wget -qPsrc https://x.example · \
        wget --directory-prefix=src https://x.example · rm -rf src · mv src src2 · mv sub src · \
        rsync -a sub/ src/ · cp -r sub ./src · tar -C src -xf x.tar · unzip x.zip -d src · \
        curl --output-dir src -O https://x.example · ln -s sub src · git clone https://x.example/y src · \
        mv sub a · cp -r sub a/b";
    for line in asked.split(" · ") {
        asked_or_denied(&gone, line);
    }
    let free = "rm -rf srcs · mv sub sub2 · wget -P out https://x.example · npm run build · \
        rm -rf b · cat README.md · rsync -a sub/ out/src2/";
    for line in free.split(" · ") {
        passes(&gone, &format!("Bash {line}"));
    }
}

#[test]
fn a_text_that_names_what_limits_the_agent_is_asked_about() {
    let world = bypass(project(""));
    let asked = "dd if=README.md of=.claude/settings.json · dd of=.mcp.json if=README.md · \
        dd if=README.md of=.claude/settings.local.json · dd if=README.md of=.baton/permissions.json · \
        python3 -c \"open('.claude/settings.json','w').write('{}')\" · \
        node -e \"require('fs').writeFileSync('.mcp.json', '{}')\" · \
        node -e \"fs.writeFileSync(path.join('.claude', 'settings.json'), '')\" · \
        perl -e 'open(F, \">.claude/settings.json\"); print F 1' · \
        perl -e \"open(F, '>.claude/settings.json'); print F $x\" · \
        python3 -c \"open('.baton/permissions.json','w')\" · \
        ruby -e 'File.write(\"/home/user/.claude.json\", 1)' · \
        cd sub && python3 -c \"open('../.claude/settings.json','w')\" · \
        python3 -c \"open('/home/user/.claude/agents/x.md','w')\" · \
        python3 -c \"open(os.path.expanduser('~/.claude/agents/x.md'), 'w')\" · \
        perl -e \"open(F, '>$HOME/.claude/skills/x/SKILL.md')\" · \
        node -e \"fs.rmSync('${HOME}/.claude/hooks/x.sh')\" · \
        cp README.md .claude/settings.json · tee .mcp.json";
    for line in asked.split(" · ") {
        asked_or_denied(&world, line);
    }
    let free = "dd if=README.md of=out.bin · python3 -c \"print(open('README.md').read())\" · \
        node -e \"console.log(1)\" · git commit -m 'change .claude/settings.json' · \
        gh pr create --title x --body 'it reads .mcp.json' · grep -rn 'claude/settings.json' src · \
        cat .claude/settings.json · FOO=bar make · \
        cat README.md && gh issue create --body 'see .mcp.json'";
    for line in free.split(" · ") {
        passes(&world, &format!("Bash {line}"));
    }
}

#[test]
fn an_edit_reads_the_file_that_it_edits() {
    for mode in [
        PermissionMode::AcceptEdits,
        PermissionMode::BypassPermissions,
    ] {
        let mut world = project("deny Read(.env)\nask Read(sub/secret)").mode(mode);
        let name = |name: &str| format!("{PROJECT}/{name}");
        let (env, hard) = (name(".env"), name("sub/hard"));
        let files = [env.as_str(), hard.as_str()].map(|name| (name, 7));
        world.paths = FakePaths::default().and_shared(files);
        world
            .check("Edit .env", "deny: project Read(.env)")
            .check("Edit sub/hard", "deny: project Read(.env)")
            .check("MultiEdit sub/hard", "deny: project Read(.env)")
            .check("NotebookEdit sub/.env", "deny: project Read(.env)")
            .check("Edit sub/secret", "ask: project Read(/sub/secret)")
            // A whole file is written without a look at the old one, but what
            // has another name loses it.
            .check("Write sub/hard", "ask: project Read(.env)");
        passes(&world, "Write sub/secret");
        passes(&world, "Edit README.md");
        passes(&world, "Write sub/other");
    }
    let bypassed = bypass(project("deny Read(.env)"));
    passes(&bypassed, "Write .env");
}

/// A rule without a path means any file, and says of other tools what it says
/// with one: an edit reads, a redirection writes.
#[test]
fn a_rule_about_any_file_holds_for_edits_and_redirections() {
    let reading = bypass(project("deny Read"));
    for call in [
        "Read x",
        "Grep src",
        "Edit README.md",
        "NotebookEdit x.ipynb",
    ] {
        reading.check(call, "deny: project Read");
    }
    passes(&reading, "Write new.md");
    let asking = bypass(project("ask Read"));
    asking.check("Edit README.md", "ask: project Read");
    let editing = bypass(project("deny Edit"));
    for call in ["Edit x", "Write x", "Bash echo x > y", "Bash ls | cat >> y"] {
        editing.check(call, "deny: project Edit");
    }
    passes(&editing, "Bash ls 2>/dev/null");
    passes(&editing, "Read x");
    bypass(project("ask Edit")).check("Bash echo x > y", "ask: project Edit");
}

#[test]
fn what_steers_the_agent_everywhere_is_asked_about_in_bypass_mode_too() {
    let world = bypass(project(""));
    let files = "/etc/claude-code/managed-settings.json · /etc/claude-code/managed-settings.d/x.json · \
        /etc/claude-code/managed-mcp.json · /etc/claude-code · \
        /Library/Application\u{20}Support/ClaudeCode/managed-settings.json · \
        ~/.claude/remote-settings.json · ~/.claude/plugins/x/hooks.json · ~/.claude/agents/x.md · \
        ~/.claude/skills/x/SKILL.md · ~/.claude/commands/x.md · ~/.claude/output-styles/x.md · \
        ~/.claude/hooks/x.sh · ~/.claude/shell-snapshots/x.sh · ~/.claude/session-env/1/x.sh · ~/.claude/AGENTS/x.md · ~/.claude/settings.json · ~/.claude/CLAUDE.md";
    for file in files.split(" · ") {
        let full = file.replace('~', HOME);
        let verdict = world.verdict(&format!("Write {full}"));
        assert!(
            matches!(verdict, Verdict::Ask { .. }),
            "{full}: {verdict:?}"
        );
        asked_or_denied(&world, &format!("echo x > '{full}'"));
        asked_or_denied(&world, &format!("cp README.md '{full}'"));
        asked_or_denied(&world, &format!("rm -rf '{full}'"));
    }
    asked_or_denied(&world, "rm ~/.claude/agents/*");
    asked_or_denied(&world, "rm ~/.cl*/agents/x.md");
    asked_or_denied(&world, "cp README.md ~/.claude/agents/");
    asked_or_denied(&world, "touch ~/.claude/new-thing");
    for file in [
        "projects/p/x.jsonl",
        "projects/p/memory/MEMORY.md",
        "plans/other.md",
        "todos/x.json",
        "tasks/1/2.json",
    ] {
        passes(&world, &format!("Write {HOME}/.claude/{file}"));
        passes(&world, &format!("Bash rm -f ~/.claude/{file}"));
    }
    passes(&world, "Write .claude/agents/x.md");
    passes(&world, "Bash cat /etc/claude-code/managed-settings.json");
}

/// The agent may have been told to have its folder elsewhere.
#[test]
fn the_agents_own_folder_is_guarded_wherever_it_is() {
    for own in ["/srv/cfg", "/home/user/proj/cfg"] {
        let mut world = bypass(project(""));
        world.settings = vec![own.into()];
        for line in [
            format!("Write {own}/settings.json"),
            format!("Edit {own}/agents/x.md"),
            format!("Bash echo x > {own}/settings.json"),
            format!("Bash cp README.md {own}/"),
            format!("Bash cp README.md {own}"),
            format!("Bash rm -rf {own}"),
            format!("Bash tar xf x.tar -C {own}"),
            format!("Bash cp README.md {}*/settings.json", &own[..own.len() - 1]),
            format!("Bash D={own}; cp README.md \"$D\"/settings.json"),
            format!("Bash python3 -c \"open('{own}/settings.json', 'w')\""),
        ] {
            let verdict = world.verdict(&line);
            assert!(
                matches!(verdict, Verdict::Ask { .. }),
                "{line}: {verdict:?}"
            );
        }
        passes(&world, &format!("Write {own}/projects/p/x.jsonl"));
        passes(&world, &format!("Bash cat {own}/settings.json"));
    }
    let mut world = project("").mode(PermissionMode::AcceptEdits);
    world.settings = vec![format!("{PROJECT}/cfg").into()];
    let verdict = world.verdict("Edit cfg/settings.json");
    assert!(matches!(verdict, Verdict::Ask { .. }), "{verdict:?}");
    passes(&world, "Edit src/settings.json");
}

/// What the settings of git outside the project hold may be secret.
#[test]
fn git_shows_settings_of_the_project_or_harmless_ones_unasked() {
    let world = project("").before_use();
    for line in [
        "git config --list",
        "git config -l",
        "git config --get http.extraheader",
        "git config --get-all url.x.insteadof",
        "git config --get",
        "git config --global --list",
        "git config --list --show-origin",
    ] {
        asked_or_denied(&world, line);
    }
    for line in [
        "git config --local --list",
        "git config --list --local",
        "git config --get user.name",
        "git config --get remote.origin.url",
        "git config --get --local a.b",
        "git remote -v",
    ] {
        let verdict = world.verdict(&format!("Bash {line}"));
        assert_eq!(verdict, Verdict::Unmatched, "{line}");
    }
}
