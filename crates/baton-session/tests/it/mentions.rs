//! Files that a text names with `@`, which the CLI reads without a tool call.

use std::{fs, os::unix::fs::symlink};

use baton_protocol::words::{PermissionMode, RuleDecision};
use baton_store::RuleScope;
use baton_testkit::model::{self, Script};
use expect_test::expect;

use crate::{both::check_story, world::World};

/// Files that say who read them, and a command and a skill that name some.
fn furnish(world: &World) {
    let (home, project) = (world.sandbox.home(), world.sandbox.project());
    let write = |path: std::path::PathBuf, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let names = "denied/typed denied/body denied/skill denied/late odd[1]/x free late/x late/y";
    for name in names.split_whitespace() {
        write(project.join(name), &format!("HOLDS {name}\n"));
    }
    write(home.join("outside"), "HOLDS outside\n");
    symlink("denied/typed", project.join("link")).unwrap();
    let own = home.join(".claude");
    write(
        own.join("commands/look.md"),
        "Look at @denied/body and @odd[1]/x and @free now.",
    );
    let skill = "---\nname: see\ndescription: x\n---\nLook at @denied/skill now.";
    write(own.join("skills/see/SKILL.md"), skill);
}

#[test]
fn what_a_rule_denies_is_not_read_because_a_text_names_it() {
    let replies = || Script::new().replies([(); 5].map(|()| model::text("Done.")));
    check_story(
        |setup| setup.script(replies()),
        async |world| {
            furnish(world);
            let deny = async |world: &World, rule: &str| {
                let rule =
                    world
                        .supervisor
                        .add_rule(rule, RuleDecision::Deny, RuleScope::User, None);
                rule.await.unwrap();
            };
            deny(world, "Read(/denied/**)").await;
            deny(world, "Read(/odd\\[1\\]/**)").await;
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            let mut story = String::new();
            for text in [
                "see @denied/typed, please",
                "/look @denied/typed",
                "@link",
                "@/proc/self/cwd/denied/typed",
            ] {
                story += &format!("{text}: {}\n", talk.refused(text).await);
            }
            let secret = world.sandbox.home().join(".claude/.credentials.json");
            fs::write(&secret, "HOLDS credentials").unwrap();
            story += &format!("{}\n", talk.refused("@~//.claude/.credentials.json").await);
            talk.turn("/look").await;
            talk.turn("/see").await;
            talk.turn("mail me@denied/typed about @~/outside").await;
            let before = talk.turn("@late/y").await;
            // A rule that comes later holds for the process that is there, too.
            deny(world, "Read(/late/**)").await;
            story += &format!("{}\n", talk.refused("@late/x").await);
            // What was taken before it is not refused when it is sent again.
            assert!(talk.again(before, "@late/y").await);
            fs::write(
                world.sandbox.home().join(".claude/commands/look.md"),
                "Look at @late/x now.",
            )
            .unwrap();
            talk.turn("/look").await;
            let requests = world.model.requests();
            let read: String = requests
                .iter()
                .map(|request| request.body.to_string())
                .collect();
            for name in ["denied/", "odd", "credentials", "late/x", "free", "outside"] {
                story += &format!("{name} read: {}\n", read.contains(&format!("HOLDS {name}")));
            }
            story
        },
        expect![[r#"
            see @denied/typed, please: the message names denied/typed with @, and the rule Read(/denied/**) denies reading it
            /look @denied/typed: the message names denied/typed with @, and the rule Read(/denied/**) denies reading it
            @link: the message names link with @, and the rule Read(/denied/**) denies reading it
            @/proc/self/cwd/denied/typed: the message names /proc/self/cwd/denied/typed with @, and where that leads is not the same for every process
            the message names ~//.claude/.credentials.json with @, and it holds secrets, which are not given to agents
            the message names late/x with @, and the rule Read(/late/**) denies reading it
            denied/ read: false
            odd read: false
            credentials read: false
            late/x read: false
            free read: true
            outside read: true
        "#]],
    );
}
