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

impl Unanswered {
    /// What is open now, in one session or in all. Nothing is known of what a
    /// daemon does not tell, and what is to stop stops all the same.
    pub(crate) async fn look(client: &mut Client, session: Option<SessionId>) -> Self {
        Self(client.approvals(session).await.unwrap_or_default())
    }

    /// Says it beside the answer; `goes_on` is whether the agents do.
    pub(crate) fn say(&self, setup: &Setup, goes_on: bool) -> Result<(), Failure> {
        let mut screen = Screen::stderr(setup.colour);
        let what = match (self.0.len(), goes_on) {
            (0, _) => return Ok(()),
            // Until the turn is over somebody may still answer.
            (1, false) => "1 request is open. Unless it is answered first, it ends with the turn and is denied:".into(),
            (many, false) => format!(
                "{many} requests are open. Unless they are answered first, they end with their turns and are denied:"
            ),
            (1, true) => "1 request stays open:".into(),
            (many, true) => format!("{many} requests stay open:"),
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
