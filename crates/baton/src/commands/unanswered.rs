//! What the agents had asked when they were told to stop: it ends unanswered, and
//! whoever stops them hears what that was.

use baton_protocol::{SessionId, api::OpenApproval};

use crate::{
    client::Client,
    failure::Failure,
    setup::Setup,
    terminal::{Screen, brief, clean},
};

pub(crate) struct Unanswered(Vec<OpenApproval>);

/// What becomes of what is open.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fate {
    /// The agents go on, and so do their questions.
    StaysOpen,
    EndsWithTurn,
    EndsWithDaemon,
}

impl Unanswered {
    /// What is open now, in one session or in all. Nothing is known of what a
    /// daemon does not tell, and what is to stop stops all the same.
    pub(crate) async fn look(client: &mut Client, session: Option<SessionId>) -> Self {
        Self(client.approvals(session).await.unwrap_or_default())
    }

    /// Says it beside the answer.
    pub(crate) fn say(&self, setup: &Setup, fate: Fate) -> Result<(), Failure> {
        let mut screen = Screen::stderr(setup.colour);
        let (open, ends, stays) = match self.0.len() {
            0 => return Ok(()),
            1 => ("1 request is open", "It ends", "1 request stays".to_owned()),
            many => (
                &*format!("{many} requests are open"),
                "They end",
                format!("{many} requests stay"),
            ),
        };
        let what = match fate {
            Fate::StaysOpen => format!("{stays} open:"),
            Fate::EndsWithTurn => format!("{open}. {ends} unanswered now, with the turn:"),
            Fate::EndsWithDaemon => format!(
                "{open}. {ends} unanswered now, since no turn can finish while it waits for a \
                 person; `{} restart` would have kept what is open:",
                setup.called
            ),
        };
        screen.line(&what)?;
        for open in &self.0 {
            let tool = clean(&open.approval.tool_name, 60);
            screen.line(&format!("? {tool} in {}", open.session_id))?;
            brief(&mut screen, &open.approval)?;
        }
        Ok(())
    }
}
