//! Whether Baton knows every tool that the agent has. What it does not know it
//! asks about, so this is for whoever wonders why.

use baton_protocol::{
    Event, Seq,
    api::{DoctorCheck as Check, GateLevel},
    event::SessionStarted,
};
use baton_session::agents::AgentKind;
use baton_store::{SessionFilter, Store, StoreError};

use crate::setup::Setup;

/// How many sessions are looked at for one that tells its tools.
const SESSIONS: usize = 8;
/// An agent tells its tools at the beginning.
const EVENTS: usize = 64;

/// `None` while no session has told.
pub(super) async fn check(setup: &Setup) -> Option<Check> {
    let store = Store::open_read_only(&crate::owner::database(&setup.data)).ok()?;
    let told = newest(&store).await;
    store.close().await;
    let (kind, started) = told.ok().flatten()?;
    Some(judged(
        kind,
        started.agent_version.as_deref(),
        &started.tools,
    ))
}

async fn newest(store: &Store) -> Result<Option<(AgentKind, SessionStarted)>, StoreError> {
    let page = store
        .sessions(SessionFilter::default(), None, SESSIONS)
        .await?;
    for row in page.items {
        let kind = AgentKind::from_name(&row.agent);
        // Of one that asks for nothing no tool need be known.
        let judged = kind.filter(|kind| kind.capabilities().gate == GateLevel::Every);
        let Some(kind) = judged else {
            continue;
        };
        for stored in store.read_after(row.id, Seq::START, EVENTS).await? {
            if let Event::SessionStarted(started) = stored.envelope()?.event
                && !started.tools.is_empty()
            {
                return Ok(Some((kind, started)));
            }
        }
    }
    Ok(None)
}

fn judged(kind: AgentKind, version: Option<&str>, tools: &[String]) -> Check {
    let name = format!("{} tools", kind.name());
    let version = version.unwrap_or_else(|| kind.name());
    let unknown = kind.unknown_tools(tools);
    if unknown.is_empty() {
        return Check::ok(name, format!("all that {version} has are known"));
    }
    Check::warning(
        name,
        format!(
            "{version} has some that are not known: {}",
            unknown.join(", ")
        ),
        "Calls of them are asked about in every mode but bypass, and denied in plan mode; a rule \
         can decide them. A newer Baton may know them.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(tools: &[&str]) -> Check {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        judged(AgentKind::Claude, Some("9.9.9"), &tools)
    }

    #[test]
    fn a_tool_that_is_new_is_named() {
        assert_eq!(with(&["Bash", "Read", "mcp__x__y"]).remedy, None);
        let check = with(&["Bash", "Teleport"]);
        assert!(check.finding.contains("9.9.9") && check.finding.contains("Teleport"));
        assert!(!check.finding.contains("Bash"));
    }
}
