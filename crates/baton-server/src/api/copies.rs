//! Which copies of a session began with something that was said in it.

use std::collections::{BTreeMap, btree_map::Entry};

use baton_protocol::{Seq, SessionId, api::Problem};
use baton_session::{Past, past};

use super::Api;
use crate::problem::Told as _;

/// So many copies of one session are named at most.
const MOST: usize = 20;

/// All copies there are, and what was looked up of their pasts.
#[derive(Debug)]
pub(super) struct Copies {
    forks: Vec<(SessionId, SessionId)>,
    pasts: BTreeMap<SessionId, Vec<Past>>,
}

impl Copies {
    pub(super) async fn of(api: &Api) -> Result<Self, Problem> {
        let forks = api.store().forks().await;
        Ok(Self {
            forks: forks.told()?,
            pasts: BTreeMap::new(),
        })
    }

    /// The copies of a session, and copies of those, that have an event of it in
    /// their past.
    pub(super) async fn with(
        &mut self,
        api: &Api,
        session: SessionId,
        seq: Seq,
    ) -> Result<Vec<SessionId>, Problem> {
        let mut sources = vec![session];
        let mut at = 0;
        while let Some(source) = sources.get(at).copied() {
            at += 1;
            let copies = self.forks.iter().filter(|(_, from)| *from == source);
            let copies: Vec<SessionId> = copies.map(|(copy, _)| *copy).collect();
            for copy in copies {
                if sources.len() > MOST {
                    break;
                }
                let has = |part: &Past| part.session == session && part.up_to >= seq;
                if self.past(api, copy).await?.iter().any(has) {
                    sources.push(copy);
                }
            }
        }
        sources.remove(0);
        Ok(sources)
    }

    async fn past(&mut self, api: &Api, copy: SessionId) -> Result<&[Past], Problem> {
        match self.pasts.entry(copy) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => {
                let found = past(api.store(), copy).await;
                Ok(new.insert(found.told()?))
            }
        }
    }
}
