//! Sessions follow their project when its folder was moved.

use std::path::Path;

use baton_protocol::{event::Moved, words::SessionState};
use baton_store::{ProjectMove, SessionFilter, SessionRow, TrustRecord};

use super::{PAGE, Supervisor, SupervisorError};
use crate::{actor::CommandError, blob};

/// How often a session is told whose task goes while it is told.
const TRIES: usize = 20;

impl Supervisor {
    /// What is to move when the folder `from` has become `to`: its project, and
    /// those in folders below it. Both are real paths.
    pub async fn moves(&self, from: &str, to: &str) -> Result<Vec<ProjectMove>, SupervisorError> {
        let mut paths = vec![from.to_owned()];
        let known = self.store.project_list().await?.into_iter();
        let known = known.map(|entry| entry.path);
        let used = self.store.projects().await?.into_iter().map(|row| row.path);
        let below = |path: &String| path != from && Path::new(path).starts_with(from);
        paths.extend(known.chain(used).filter(below));
        paths.sort();
        paths.dedup();
        let moved = Moved {
            from: from.to_owned(),
            to: to.to_owned(),
            project_id: blob::project_id(to),
        };
        let moves = paths.into_iter().map(|from_path| {
            let to_path = moved.place(&from_path);
            ProjectMove {
                from: blob::project_id(&from_path),
                to: blob::project_id(&to_path),
                from_path,
                to_path,
            }
        });
        Ok(moves.collect())
    }

    /// A session of these projects that is at work.
    pub async fn at_work(
        &self,
        moves: &[ProjectMove],
    ) -> Result<Option<SessionRow>, SupervisorError> {
        for one in moves {
            let rows = self.sessions_of(one).await?;
            let busy = rows.into_iter().find(|row| {
                let rests = matches!(row.state, SessionState::Idle | SessionState::Ended);
                !rests || !row.work.is_empty()
            });
            if busy.is_some() {
                return Ok(busy);
            }
        }
        Ok(None)
    }

    /// What was answered about the folders holds where they are now: a refusal
    /// always, and an acceptance of just what is there.
    pub async fn carry_trust(&self, moves: &[ProjectMove]) -> Result<(), SupervisorError> {
        for one in moves {
            let moved = moved(one);
            let mut folders = vec![one.from_path.clone()];
            let rows = self.sessions_of(one).await?;
            folders.extend(rows.into_iter().filter_map(|row| row.cwd));
            folders.sort();
            folders.dedup();
            for folder in folders {
                let answered = self.store.trust(blob::project_id(&folder)).await?;
                let Some(answered) = answered else { continue };
                // A folder that is not there any more has nothing to trust.
                let Ok(now) = self.trust(Path::new(&moved.place(&folder))).await else {
                    continue;
                };
                let project_id = blob::project_id(&now.path);
                let asked = self.store.trust(project_id).await?.is_some();
                let same = now.survey.complete && now.digest == answered.digest;
                if asked || (answered.accepted && !same) {
                    continue;
                }
                let carried = TrustRecord {
                    project_id,
                    path: now.path,
                    ..answered
                };
                self.store.set_trust(carried).await?;
            }
        }
        Ok(())
    }

    /// Lets every session of moved projects follow, and the rules.
    pub async fn follow_moves(&self, moves: &[ProjectMove]) -> Result<(), SupervisorError> {
        self.rules.replace(&self.store.rules().await?);
        for one in moves {
            for row in self.sessions_of(one).await? {
                self.follow(&row, one).await?;
            }
        }
        Ok(())
    }

    async fn follow(&self, row: &SessionRow, one: &ProjectMove) -> Result<(), SupervisorError> {
        let mut left = TRIES;
        loop {
            let session = self.open(row.id).await?;
            match session.follow(moved(one)).await {
                // Its task was about to go.
                Err(CommandError::Gone) if left > 0 && !self.cancel.is_cancelled() => {
                    left -= 1;
                    session.finished().await;
                }
                done => return Ok(done?),
            }
        }
    }

    /// The sessions that have not followed yet.
    async fn sessions_of(&self, one: &ProjectMove) -> Result<Vec<SessionRow>, SupervisorError> {
        let filter = SessionFilter {
            project: Some(one.from),
            ..SessionFilter::default()
        };
        let (mut rows, mut cursor) = (Vec::new(), None);
        loop {
            let page = self.store.sessions(filter, cursor, PAGE).await?;
            rows.extend(page.items);
            cursor = page.next;
            if cursor.is_none() {
                return Ok(rows);
            }
        }
    }
}

fn moved(one: &ProjectMove) -> Moved {
    Moved {
        from: one.from_path.clone(),
        to: one.to_path.clone(),
        project_id: one.to,
    }
}
