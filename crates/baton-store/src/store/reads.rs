//! What can be asked of the log. Each is one short read on a reader thread.

use baton_protocol::{ApprovalId, BlobId, HolderId, MessageId, ProjectId, Seq, SeqNo, SessionId};

use super::Store;
use crate::{
    append::JournalMark,
    error::StoreError,
    moves::{self, ProjectMove},
    projection::SessionRow,
    projects::{self, ProjectEntry, ProjectKey},
    read::{
        self, ApprovalRecord, Blob, CheckpointRecord, HolderRecord, MessageRecord, Page,
        PastRequest, ProjectRow, RequestRecord, SessionCursor, SessionFilter, StoredEvent,
    },
    removed::{self, RemovedRecord},
    rules::{self, RuleRecord},
    search::{self, Hit},
    trust::{self, TrustRecord},
    usage::{self, Day, UsageFilter, UsageRow},
};

impl Store {
    /// At most `limit` events after a cursor, fewer when they are large; at
    /// least one unless there is none.
    pub async fn read_after(
        &self,
        session: SessionId,
        after: Seq,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        self.read(move |conn| read::read_after(conn, session, after, limit))
            .await
    }

    /// The same over all sessions, in the order of their commits.
    pub async fn read_all_after(
        &self,
        after: SeqNo,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        self.read(move |conn| read::read_all_after(conn, after, limit))
            .await
    }

    /// The number of a session's last event; 0 before the first.
    pub async fn head(&self, session: SessionId) -> Result<Seq, StoreError> {
        self.read(move |conn| read::head(conn, session)).await
    }

    /// `None` for an unknown session.
    pub async fn session_row(&self, session: SessionId) -> Result<Option<SessionRow>, StoreError> {
        self.read(move |conn| read::session_row(conn, session))
            .await
    }

    /// Sessions, the latest activity first, to the second.
    pub async fn sessions(
        &self,
        filter: SessionFilter,
        cursor: Option<SessionCursor>,
        limit: usize,
    ) -> Result<Page<SessionRow, SessionCursor>, StoreError> {
        let read = self.read(move |conn| read::sessions(conn, filter, cursor, limit));
        let page = read.await?;
        if page.unreadable > 0 {
            self.shared()
                .came_upon(|| "sessions in the list cannot be read".to_owned());
        }
        Ok(page)
    }

    /// The sessions whose agent knows them by one of these ids, the oldest first.
    pub async fn sessions_by_agent_session(
        &self,
        ids: Vec<String>,
    ) -> Result<Vec<SessionRow>, StoreError> {
        self.read(move |conn| read::sessions_by_agent_session(conn, &ids))
            .await
    }

    /// Projects that sessions were made in, the last used first.
    pub async fn projects(&self) -> Result<Vec<ProjectRow>, StoreError> {
        self.read(read::projects).await
    }

    /// Projects on the list, the last used or added first.
    pub async fn project_list(&self) -> Result<Vec<ProjectEntry>, StoreError> {
        self.read(projects::listed).await
    }

    /// Folders of sessions that never were on the list of projects.
    pub async fn unlisted_folders(&self) -> Result<Vec<ProjectRow>, StoreError> {
        self.read(projects::unlisted).await
    }

    /// A project that is or was on the list.
    pub async fn project(&self, key: ProjectKey) -> Result<Option<ProjectEntry>, StoreError> {
        self.read(move |conn| projects::find(conn, &key)).await
    }

    /// The user's message with this id, to recognise it when it is sent again.
    pub async fn message(
        &self,
        session: SessionId,
        id: MessageId,
    ) -> Result<Option<MessageRecord>, StoreError> {
        self.read(move |conn| read::message(conn, session, id))
            .await
    }

    /// Sessions that are copies of others, each with the one it is a copy of.
    pub async fn forks(&self) -> Result<Vec<(SessionId, SessionId)>, StoreError> {
        self.read(read::forks).await
    }

    /// Moves that were begun and not finished.
    pub async fn pending_moves(&self) -> Result<Vec<ProjectMove>, StoreError> {
        self.read(moves::pending).await
    }

    /// The sessions that have a message with this id, the oldest first.
    pub async fn sessions_with_message(&self, id: MessageId) -> Result<Vec<SessionId>, StoreError> {
        self.read(move |conn| read::sessions_with_message(conn, id))
            .await
    }

    pub async fn approval(&self, id: ApprovalId) -> Result<Option<ApprovalRecord>, StoreError> {
        self.read(move |conn| read::approval(conn, id)).await
    }

    /// Unanswered approvals of one session, or of all; the oldest first.
    pub async fn open_approvals(
        &self,
        session: Option<SessionId>,
    ) -> Result<Vec<ApprovalRecord>, StoreError> {
        self.read(move |conn| read::open_approvals(conn, session))
            .await
    }

    /// Requests from the agent that are not settled.
    pub async fn open_requests(
        &self,
        session: SessionId,
    ) -> Result<Vec<RequestRecord>, StoreError> {
        self.read(move |conn| read::open_requests(conn, session))
            .await
    }

    /// Holders that were added and not removed, of all sessions.
    pub async fn holders(&self) -> Result<Vec<HolderRecord>, StoreError> {
        self.read(read::holders).await
    }

    /// How far a holder's journal is in the log; `None` for an unknown holder.
    pub async fn journal_mark(&self, holder: HolderId) -> Result<Option<JournalMark>, StoreError> {
        self.read(move |conn| read::journal_mark(conn, holder))
            .await
    }

    /// A blob of this session; another session's is not found.
    pub async fn blob(&self, session: SessionId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        self.read(move |conn| read::blob(conn, session, id)).await
    }

    /// All remembered rules, in the order of their making.
    pub async fn rules(&self) -> Result<Vec<RuleRecord>, StoreError> {
        self.read(rules::all).await
    }

    /// What was last answered about trusting this project; `None` if nothing was.
    pub async fn trust(&self, project: ProjectId) -> Result<Option<TrustRecord>, StoreError> {
        self.read(move |conn| trust::of(conn, project)).await
    }

    /// What turns that ended on `day` cost in dollars, over all projects.
    pub async fn spent_on(&self, day: Day) -> Result<f64, StoreError> {
        self.read(move |conn| usage::spent_on(conn, day)).await
    }

    /// Cost and tokens by day, project and model; the newest day first.
    pub async fn usage(&self, filter: UsageFilter) -> Result<Vec<UsageRow>, StoreError> {
        self.read(move |conn| usage::rows(conn, filter)).await
    }

    /// At most `limit` requests for approval with their answers, the newest
    /// first; fewer when they are large.
    pub async fn past_requests(
        &self,
        project: Option<ProjectId>,
        limit: usize,
    ) -> Result<Vec<PastRequest>, StoreError> {
        self.read(move |conn| read::past_requests(conn, project, limit))
            .await
    }

    /// Requests that were answered, the newest first, of one project or of
    /// all; fewer than `limit` when they are large.
    pub async fn past_approvals(
        &self,
        project: Option<ProjectId>,
        limit: usize,
        cursor: Option<SeqNo>,
    ) -> Result<Page<PastRequest, SeqNo>, StoreError> {
        self.read(move |conn| read::past_approvals(conn, project, limit, cursor))
            .await
    }

    /// What is remembered of a session that was removed.
    pub async fn removed_session(
        &self,
        session: SessionId,
    ) -> Result<Option<RemovedRecord>, StoreError> {
        self.read(move |conn| removed::find(conn, session)).await
    }

    /// At most `limit` removals after a number, in their order.
    pub async fn removed_after(
        &self,
        number: u64,
        limit: usize,
    ) -> Result<Vec<RemovedRecord>, StoreError> {
        self.read(move |conn| removed::after(conn, number, limit))
            .await
    }

    /// The number of the last removal; 0 before the first.
    pub async fn last_removed(&self) -> Result<u64, StoreError> {
        self.read(removed::last).await
    }

    /// The messages of a session that files can be brought back to, the oldest first.
    pub async fn checkpoints(
        &self,
        session: SessionId,
    ) -> Result<Vec<CheckpointRecord>, StoreError> {
        self.read(move |conn| read::checkpoints(conn, session))
            .await
    }

    /// Messages and titles in which every word of `query` occurs, the newest
    /// first, of one project or of all.
    pub async fn search(
        &self,
        query: &str,
        project: Option<ProjectId>,
        limit: usize,
        cursor: Option<SeqNo>,
    ) -> Result<Page<Hit, SeqNo>, StoreError> {
        let query = query.to_owned();
        self.read(move |conn| search::search(conn, &query, project, limit, cursor))
            .await
    }
}
