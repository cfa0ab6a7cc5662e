//! What events refer to: whole outputs of tools, and images.

use baton_protocol::{
    BlobId, Envelope, Event, EventKind, Seq, SessionId,
    api::{Problem, ProblemCode},
};
use baton_store::Blob;

use super::Api;
use crate::problem::Told as _;

/// Events read at once when something is looked for.
const PAGE: u64 = 500;

impl Api {
    /// The whole output of a tool call, as the model saw it.
    pub(crate) async fn tool_output(&self, id: SessionId, tool: &str) -> Result<Vec<u8>, Problem> {
        let none = || {
            let detail = format!("no tool call of {id} with this id has ended");
            Problem::new(ProblemCode::NotFound, detail)
        };
        let name = serde_json::to_string(tool).map_err(|_| none())?;
        let mut end = self.head(id).await?;
        while end > Seq::START {
            let from = Seq(end.0.saturating_sub(PAGE));
            let wanted = usize::try_from(end.0 - from.0).unwrap_or(usize::MAX);
            let mut after = from;
            let mut left = wanted;
            // A page may end early when its events are large.
            while left > 0 {
                let page = self.store().read_after(id, after, left).await.told()?;
                let Some(last) = page.last() else { break };
                after = last.seq;
                left = usize::try_from(end.0.saturating_sub(after.0)).unwrap_or(0);
                let completed = Some(EventKind::ToolCompleted);
                let mut ended = page.iter().filter(|event| {
                    Envelope::kind(&event.text) == completed && event.text.contains(&name)
                });
                let ended = ended.find_map(|event| {
                    let Event::ToolCompleted(ended) = event.envelope().ok()?.event else {
                        return None;
                    };
                    (ended.tool_use_id == tool).then_some(ended)
                });
                if let Some(ended) = ended {
                    return match ended.output_blob {
                        Some(blob) => Ok(self.blob(id, blob).await?.bytes),
                        None => Ok(ended.output.into_bytes()),
                    };
                }
            }
            end = from;
        }
        Err(none())
    }

    /// Bytes that an event of this session refers to.
    pub(crate) async fn blob(&self, session: SessionId, id: BlobId) -> Result<Blob, Problem> {
        let blob = self.store().blob(session, id).await.told()?;
        blob.ok_or_else(|| {
            let detail = format!("{session} has no {id}");
            Problem::new(ProblemCode::NotFound, detail)
        })
    }
}
