//! Copies of a conversation, cut where a person says.

use baton_session::ForkAt;
use baton_testkit::model::{self, Script};
use expect_test::expect;

use crate::both::check_story;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_is_cut_before_a_message() {
    let script = || Script::new().replies(["One.", "Two.", "Copied.", "Begun."].map(model::text));
    check_story(
        |setup| setup.script(script()),
        async |world| {
            let mut talk = world.session().await;
            let first = talk.turn("one").await;
            let second = talk.turn("second thought").await;
            let mut story = String::new();
            for at in [second, first] {
                let fork = world.supervisor.fork(talk.id(), ForkAt::Message(at)).await;
                let mut copy = world.follow(fork.unwrap());
                copy.turn("instead").await;
                copy.close().await;
                let requests = world.model.requests();
                let body = &requests.last().unwrap().body;
                let said = body["messages"].as_array().unwrap().len();
                story += &format!(
                    "{said} messages, {}\n",
                    body.to_string().contains("second thought")
                );
            }
            story
        },
        expect![[r#"
            3 messages, false
            1 messages, false
        "#]],
    )
    .await;
}
