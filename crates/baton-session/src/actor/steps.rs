//! Where a crash would leave something behind: the world is told of each such
//! step, before it is done and after.

use baton_store::{Append, Committed, StoreError};

use super::Parts;
use crate::world::Step;

impl Parts {
    pub(super) fn reaches(&self, step: Step) {
        self.world.reaches(step);
    }

    /// The only way to the log.
    pub(super) async fn append(&self, append: Append) -> Result<Committed, StoreError> {
        self.reaches(Step::Record);
        let committed = self.store.append(append).await;
        self.reaches(Step::Record);
        committed
    }
}
