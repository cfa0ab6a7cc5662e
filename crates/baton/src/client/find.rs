//! What a person means by `ID`: an id, the beginning of one, or `last`.

use baton_protocol::{
    ApprovalId, Seq, SessionId,
    api::{
        ListPart, ListSessions, Nothing, OpenApproval, SessionRow, SessionStatus, SessionView,
        Sessions, ask,
    },
    event::ApprovalRequested,
    words::SessionState,
};

use super::Client;
use crate::{failure::Failure, setup::Setup, terminal::Screen};

const LIST: &str = "`baton sessions` lists the sessions there are, and `last` is the newest.";

/// Beginnings shorter than this mean too much.
const SHORTEST: usize = 4;

/// What was open in a session at event `after`.
pub(crate) fn open_at(session: SessionView, after: Seq) -> Vec<ApprovalRequested> {
    let open = session.facts.approvals.into_iter();
    let open = open.filter(|open| open.seq <= after);
    open.map(|open| open.approval).collect()
}

impl Client {
    pub(crate) async fn session(&mut self, id: SessionId) -> Result<SessionView, Failure> {
        let told = self.ask::<ask::Session>(Some(id), Nothing {}).await?;
        Ok(told.answer)
    }

    pub(crate) async fn approvals(
        &mut self,
        session: Option<SessionId>,
    ) -> Result<Vec<OpenApproval>, Failure> {
        let all = ListPart::default();
        let told = self.ask::<ask::Approvals>(session, all).await?;
        Ok(told.answer.items)
    }

    /// Takes a session up again that has ended: whoever has a message for it
    /// wants it to go on, and hears that it had.
    pub(crate) async fn wake(&mut self, setup: &Setup, row: &SessionRow) -> Result<(), Failure> {
        if row.state != SessionState::Ended {
            return Ok(());
        }
        self.ask::<ask::Resume>(Some(row.id), Nothing {}).await?;
        let told = match row.status {
            SessionStatus::Asleep => format!("{} was asleep and is woken", row.id),
            ended @ (SessionStatus::Running
            | SessionStatus::Completed
            | SessionStatus::Stopped
            | SessionStatus::Failed) => {
                format!("{} had ended ({ended}) and is taken up again", row.id)
            }
        };
        Screen::stderr(setup.colour).prose(None, &told)
    }

    /// The newest sessions first, at most `limit` from a cursor on.
    async fn sessions(&mut self, limit: u32, cursor: Option<String>) -> Result<Sessions, Failure> {
        let list = ListSessions {
            limit: Some(limit),
            cursor,
            ..ListSessions::default()
        };
        let told = self.ask::<ask::Sessions>(None, list).await?;
        Ok(told.answer)
    }
}

/// The session a person names.
pub(crate) async fn find_session(client: &mut Client, name: &str) -> Result<SessionId, Failure> {
    if name == "last" {
        let newest = client.sessions(1, None).await?;
        let first = newest.items.first().map(|row| row.id);
        return first.ok_or_else(|| {
            Failure::new("there are no sessions yet", "Start one with `baton run`.")
        });
    }
    if let Ok(id) = name.parse::<SessionId>() {
        return client.session(id).await.map(|found| found.session.id);
    }
    let mut found = Vec::new();
    let mut cursor = None;
    loop {
        let page = client.sessions(1000, cursor).await?;
        let ids = page.items.iter().map(|row| row.id);
        found.extend(ids.filter(|id| begins_with(*id, name)));
        cursor = page.next;
        if cursor.is_none() {
            return one_session(&found, name);
        }
    }
}

/// Whether the text is the beginning of a session's id.
pub(crate) fn begins_with(id: SessionId, name: &str) -> bool {
    is_beginning(name, "ses") && begins(&id.to_string(), name)
}

/// The one session that a beginning means.
pub(crate) fn one_session(found: &[SessionId], name: &str) -> Result<SessionId, Failure> {
    match found {
        [one] => Ok(*one),
        [] => Err(match name.parse::<SessionId>() {
            Err(error) => Failure::new(error.to_string(), LIST),
            Ok(id) => Failure::new(format!("there is no session {id}"), LIST),
        }),
        several => Err(Failure::new(
            format!("`{name}` is the beginning of {} sessions", several.len()),
            "Write more of it.",
        )),
    }
}

/// An approval that a person named.
#[derive(Debug, Clone)]
pub(crate) struct NamedApproval {
    pub(crate) id: ApprovalId,
    /// None if it is not open.
    pub(crate) open: Option<OpenApproval>,
}

/// The approval a person names, by itself or by its session.
pub(crate) async fn find_approval(
    client: &mut Client,
    name: &str,
) -> Result<NamedApproval, Failure> {
    let found = |open: &OpenApproval| NamedApproval {
        id: open.approval.approval_id,
        open: Some(open.clone()),
    };
    let all = client.approvals(None).await?;
    let named = |open: &&OpenApproval| {
        is_beginning(name, "apr") && begins(&open.approval.approval_id.to_string(), name)
    };
    let matching: Vec<&OpenApproval> = all.iter().filter(named).collect();
    if let [open] = matching[..] {
        return Ok(found(open));
    }
    if matching.len() > 1 {
        return Err(Failure::new(
            format!("`{name}` is the beginning of {} approvals", matching.len()),
            "Write more of it.",
        ));
    }
    // One that is closed is still answered by the daemon: with who was first.
    if let Ok(id) = name.parse::<ApprovalId>() {
        return Ok(NamedApproval { id, open: None });
    }
    if name != "last" && !is_beginning(name, "ses") {
        return Err(Failure::new(
            format!("`{name}` is neither a request that is open nor a session"),
            "`baton status` lists what waits for you.",
        ));
    }
    let session = find_session(client, name).await?;
    let mut here = all.into_iter().filter(|open| open.session_id == session);
    match (here.next(), here.next()) {
        (Some(open), None) => Ok(found(&open)),
        (None, _) => Err(Failure::new(
            format!("nothing waits for an answer in {session}"),
            "`baton status` says where something does.",
        )),
        (Some(first), Some(second)) => {
            let rest = here.map(|open| open.approval.approval_id.to_string());
            let ids = [&first, &second].map(|open| open.approval.approval_id.to_string());
            let ids: Vec<String> = ids.into_iter().chain(rest).collect();
            Err(Failure::new(
                format!("{} approvals wait in {session}", ids.len()),
                format!("Name one of them: {}", ids.join(", ")),
            ))
        }
    }
}

/// Whether the text can be the beginning of an id of this kind.
fn is_beginning(name: &str, prefix: &str) -> bool {
    let rest = name
        .strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .unwrap_or(name);
    rest.len() >= SHORTEST && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// With or without the kind in front.
fn begins(id: &str, name: &str) -> bool {
    let bare = id.split_once('_').map_or(id, |(_, bare)| bare);
    id.starts_with(name) || bare.starts_with(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_ids_are_known_with_and_without_their_kind() {
        assert!(is_beginning("ses_0193", "ses") && is_beginning("0193ab", "ses"));
        assert!(!is_beginning("apr_0193", "ses") && !is_beginning("ses_01", "ses"));
        assert!(begins("ses_0193ab", "0193") && begins("ses_0193ab", "ses_01"));
        assert!(!begins("ses_0193ab", "93ab"));
    }
}
