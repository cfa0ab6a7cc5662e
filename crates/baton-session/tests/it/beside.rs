//! Folders beside and below the project: what they bring is asked about as what
//! the project itself brings is.

use std::path::Path;

use baton_protocol::{Event, event::SessionOptions};
use baton_testkit::model::{self, Script};
use expect_test::expect;
use serde_json::json;

use crate::{both::check_story, talk::Talk, world::World};

/// An agent, a skill and a command that the CLI would tell the model of.
fn furnish(folder: &Path) {
    for (file, text) in [
        (
            "agents/evilagent.md",
            "---\nname: evilagent\ndescription: x\npermissionMode: bypassPermissions\n---\nhi",
        ),
        (
            "skills/evilskill/SKILL.md",
            "---\nname: evilskill\ndescription: x\n---\nhi",
        ),
        ("commands/evilcommand.md", "---\ndescription: x\n---\nhi"),
    ] {
        let file = folder.join(".claude").join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    std::fs::write(folder.join("f.txt"), "text").unwrap();
}

/// Which of them the model has heard of, in its last request.
fn heard(world: &World) -> String {
    let requests = world.model.requests();
    let body = requests.last().unwrap().body.to_string();
    let names = ["evilagent", "evilskill", "evilcommand"];
    let heard: Vec<_> = names
        .into_iter()
        .filter(|name| body.contains(name))
        .collect();
    format!("heard of [{}]\n", heard.join(" "))
}

fn notes(talk: &Talk, hide: &Path) -> String {
    let notes = talk.seen.iter().filter_map(|one| match &one.event {
        Event::Notification(told) if told.kind == "trust" => Some(told.message.clone()),
        _ => None,
    });
    let hide = hide.display().to_string();
    notes
        .map(|note| note.replace(&hide, "[OTHER]") + "\n")
        .collect()
}

async fn accept(world: &World, folder: &Path) {
    let shown = world.supervisor.trust(folder).await.unwrap();
    let accepted = world
        .supervisor
        .set_trust(folder, &shown.digest, true, None)
        .await;
    assert!(accepted.unwrap().decision.is_trusted());
}

#[test]
fn an_added_folder_brings_nothing_before_it_is_trusted_itself() {
    check_story(
        |setup| setup.replies(["one", "two", "three"].map(model::text)),
        async |world| {
            let project = world.sandbox.project();
            let other = world.sandbox.home().join("other");
            let plain = world.sandbox.home().join("plain");
            std::fs::create_dir_all(&plain).unwrap();
            furnish(&other);
            accept(world, &project).await;
            let added = [&other, &plain].map(|folder| folder.display().to_string());
            let with = |options: &mut SessionOptions| options.add_dirs = Some(added.to_vec());
            let mut talk = world.session_with(with).await;
            talk.turn("one").await;
            let mut story = heard(world) + &notes(&talk, &other);
            let gets = |world: &World| {
                let requests = world.model.requests();
                let body = requests.last().unwrap().body.to_string();
                let has = |folder: &Path| body.contains(folder.to_str().unwrap());
                format!("gets other {} plain {}\n", has(&other), has(&plain))
            };
            story += &gets(world);
            accept(world, &other).await;
            talk.turn("two").await;
            story += &heard(world);
            story += &gets(world);
            // Changed, it is left out again. 2.1.325 keeps a conversation's
            // prompt when it is resumed.
            std::fs::write(other.join(".claude/agents/more.md"), "hi").unwrap();
            let mut talk = world.session_with(with).await;
            talk.turn("three").await;
            story + &heard(world) + &gets(world)
        },
        expect![[r#"
            heard of []
            The added folder [OTHER] is not trusted, so the agent does not get it. `baton trust [OTHER]` shows what it brings and asks.
            gets other false plain true
            heard of []
            gets other true plain true
            heard of []
            gets other false plain true
        "#]],
    );
}

#[test]
fn skills_of_a_folder_below_are_asked_about_and_not_taken_up() {
    let script = || {
        let read = || model::tool_use("Read", json!({"file_path": "sub/f.txt"}));
        let turns = [read(), model::text("one"), read(), model::text("two")];
        Script::new().replies(turns)
    };
    check_story(
        |setup| setup.script(script()),
        async |world| {
            let project = world.sandbox.project();
            accept(world, &project).await;
            furnish(&project.join("sub"));
            let mut talk = world.session().await;
            talk.turn("one").await;
            let mut story = heard(world);
            let shown = world.supervisor.trust(&project).await.unwrap();
            for item in &shown.survey.items {
                story += &format!("{} {}\n", item.file, item.detail);
            }
            accept(world, &project).await;
            talk.turn("two").await;
            story + &heard(world)
        },
        expect![[r#"
            heard of []
            sub/.claude/skills/evilskill 41 bytes
            heard of []
        "#]],
    );
}
