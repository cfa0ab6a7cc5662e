//! What cannot be read is not passed over: everything is asked about.

use baton_protocol::{
    RuleId,
    words::{PermissionMode, RuleDecision},
};
use baton_session::{RealWorld, World as _};
use baton_store::{RuleChange, RuleRecord, RuleScope};
use baton_testkit::model::{self, Script};
use expect_test::expect;

use crate::{both::check_story, owners::bash, talk::allow, world::World};

/// A rule that only a newer version could have written.
async fn strange_rule(world: &mut World, decision: RuleDecision) {
    let record = RuleRecord {
        id: RuleId::from_uuid(RealWorld.id()),
        scope: RuleScope::User,
        rule: "Bash(touch:*) && Read(".into(),
        decision,
        created_at: RealWorld.now(),
        client: None,
        approval: None,
    };
    let store = world.supervisor.store();
    let added = store.change_rules(vec![RuleChange::Added(record)]).await;
    added.unwrap();
    world.let_go().await;
    world.take_over().await;
}

#[test]
fn a_deny_rule_that_cannot_be_read_makes_every_call_a_question() {
    check_story(
        |setup| {
            setup.replies([
                bash("ls"),
                model::text("Listed."),
                bash("ls"),
                model::text("Not listed."),
            ])
        },
        async |world| {
            strange_rule(world, RuleDecision::Deny).await;
            let mut story = String::new();
            let mut talk = world.session_in(PermissionMode::BypassPermissions).await;
            talk.turn_with("list", allow()).await;
            talk.close().await;
            story += &talk.story();
            let mut talk = world.session_in(PermissionMode::DontAsk).await;
            talk.turn("list").await;
            talk.close().await;
            story + &talk.story()
        },
        expect![[r#"
            Bash: Running ls → asked: the rule `Bash(touch:*) && Read(` cannot be read and may forbid it → allow by user → done
            Bash: Running ls → asked: - → deny by mode → failed: This was not run: nobody is asked in this session, and the rule `Bash(touch:*) && Read(` cannot be read and may forbid it. Go on with what is allowed, or say at the end what was left undone.
        "#]],
    );
}

#[test]
fn an_allow_rule_that_cannot_be_read_allows_nothing_and_disturbs_nobody() {
    let script =
        || Script::new().replies([bash("ls"), bash("touch made.txt"), model::text("Made.")]);
    check_story(
        |setup| setup.script(script()),
        async |world| {
            strange_rule(world, RuleDecision::Allow).await;
            let mut talk = world.session().await;
            talk.turn_with("make", allow()).await;
            talk.close().await;
            talk.story()
        },
        expect![[r#"
            Bash: Running ls → done
            Bash: Running touch made.txt → asked: - → allow by user → done
        "#]],
    );
}
