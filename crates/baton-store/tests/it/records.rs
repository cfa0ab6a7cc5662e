//! What stands beside the events: messages, approvals, requests, holders, blobs, search.

use baton_protocol::{
    ApprovalId, BlobId, Seq, SeqNo,
    event::{
        MessageDelivered, MessageRemoved, SessionEnded, SessionStarted, SessionStateChanged,
        SessionUpdated, UserMessage,
    },
    words::{Decision, EndStatus, Json, Risk, SessionState},
};
use baton_store::{
    Append, HolderChange, JournalMark, MATCH_END, MATCH_START, MessageState, NewBlob,
    RequestChange, SessionFilter, SessionStatus, Store, StoreError,
};
use uuid::Uuid;

use crate::support::{
    NOW, Scratch, answered, asked, creating, decided, draft, draft_at, events, held_by, holder,
    message_id, note, options, project, put, runner, said, session,
};

fn store() -> Store {
    Store::in_memory(&options()).unwrap()
}

fn json(value: &serde_json::Value) -> Json {
    Json::of(value)
}

#[tokio::test]
async fn a_message_is_found_by_its_id_and_knows_where_it_stands() {
    let store = store();
    let a = session(1);
    let queued = UserMessage {
        message_id: message_id(2),
        text: "later".to_owned(),
        attachments: Vec::new(),
        queued: true,
        client: None,
    };
    put(
        &store,
        creating(a, vec![said(1, "hi"), draft(queued.clone())]),
    )
    .await;
    let first = store.message(a, message_id(1)).await.unwrap().unwrap();
    assert_eq!((first.seq, first.state), (Seq(1), MessageState::Sent));
    assert_eq!(first.message.text, "hi");
    let second = store.message(a, message_id(2)).await.unwrap().unwrap();
    assert_eq!(second.state, MessageState::Queued);
    assert_eq!(second.message, queued);
    assert_eq!(store.message(a, message_id(3)).await.unwrap(), None);
    assert_eq!(
        store.message(session(2), message_id(1)).await.unwrap(),
        None
    );

    let changes = vec![
        draft(MessageDelivered {
            message_id: message_id(1),
        }),
        draft(MessageRemoved {
            message_id: message_id(2),
            client: None,
            reason: None,
        }),
        said(1, "another text under the same id"),
    ];
    store.append(events(a, changes)).await.unwrap();
    let first = store.message(a, message_id(1)).await.unwrap().unwrap();
    assert_eq!(first.state, MessageState::Delivered);
    assert_eq!(first.message.text, "hi");
    let second = store.message(a, message_id(2)).await.unwrap().unwrap();
    assert_eq!(second.state, MessageState::Removed);
}

#[tokio::test]
async fn an_approval_is_open_until_its_first_answer() {
    let store = store();
    let (a, b) = (session(1), session(2));
    put(&store, creating(a, vec![draft(asked(1)), draft(asked(2))])).await;
    put(&store, creating(b, vec![draft(asked(3))])).await;
    let open = store.open_approvals(None).await.unwrap();
    let ids: Vec<_> = open
        .iter()
        .map(|approval| {
            (
                approval.session,
                approval.requested.approval_id.uuid().as_u128(),
            )
        })
        .collect();
    assert_eq!(ids, [(a, 1), (a, 2), (b, 3)]);
    assert_eq!(store.open_approvals(Some(b)).await.unwrap().len(), 1);

    let answers = vec![
        draft(decided(1, Decision::Allow)),
        draft(decided(1, Decision::Deny)),
    ];
    store.append(events(a, answers)).await.unwrap();
    let approval = store
        .approval(ApprovalId::from_uuid(Uuid::from_u128(1)))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(approval.requested, asked(1));
    assert_eq!(approval.resolved, Some(decided(1, Decision::Allow)));
    assert_eq!(store.open_approvals(Some(a)).await.unwrap().len(), 1);
    let row = store.session_row(a).await.unwrap().unwrap();
    assert_eq!(row.open_approvals, 1);
    assert_eq!(row.highest_risk, Some(Risk::High));
}

#[tokio::test]
async fn a_request_is_kept_until_its_answer_is_confirmed() {
    let store = store();
    let a = session(1);
    let opened = |holder_number, id: &str, body: u32| RequestChange::Opened {
        holder: holder(holder_number),
        request_id: id.to_owned(),
        approval: Some(ApprovalId::from_uuid(Uuid::from_u128(1))),
        body: Json::of(&body),
    };
    let with = |requests| Append {
        requests,
        ..Append::to(a)
    };
    let begin = Append {
        holder: Some(HolderChange::Added {
            holder: holder(1),
            facts: json(&serde_json::json!({"pid": 7})),
        }),
        requests: vec![opened(1, "r1", 1), opened(1, "r2", 2)],
        ..creating(a, Vec::new())
    };
    store.append(begin).await.unwrap();
    let answered = RequestChange::Answered {
        request_id: "r1".to_owned(),
        answer: Json::of("yes"),
    };
    // Seen again, as when a journal is read twice: the answer stays.
    put(&store, with(vec![answered.clone(), opened(1, "r1", 9)])).await;
    let open = store.open_requests(a).await.unwrap();
    assert_eq!(open.len(), 2);
    assert_eq!(open[0].answer, Some(Json::of("yes")));
    assert_eq!((&open[0].body, open[0].holder), (&Json::of(&1), holder(1)));
    assert_eq!(open[1].answer, None);

    let settle = vec![
        RequestChange::Confirmed {
            request_id: "r1".to_owned(),
        },
        RequestChange::Dropped {
            request_id: "r2".to_owned(),
        },
    ];
    store.append(with(settle)).await.unwrap();
    assert!(store.open_requests(a).await.unwrap().is_empty());
    let late = store.append(with(vec![answered])).await;
    assert!(matches!(late, Err(StoreError::UnknownRequest { .. })));
    let stranger = store.append(with(vec![opened(2, "r3", 3)])).await;
    assert!(matches!(stranger, Err(StoreError::UnknownHolder(_))));
}

#[tokio::test]
async fn a_journal_mark_moves_forward_with_its_events_or_not_at_all() {
    let store = store();
    let a = session(1);
    let mark = |position| JournalMark {
        holder: holder(1),
        position,
        translator: Some(format!("{{\"at\":{position}}}")),
    };
    let marked = |position, text: &str| Append {
        journal: Some(mark(position)),
        ..events(a, vec![note(text)])
    };
    let begin = Append {
        holder: Some(held_by(1)),
        ..creating(a, Vec::new())
    };
    let committed = store.append(begin.clone()).await.unwrap();
    assert_eq!((committed.first, committed.last), (Seq(1), Seq(0)));
    assert_eq!(committed.rules, []);
    store.append(marked(100, "one")).await.unwrap();
    let backwards = store.append(marked(99, "again")).await;
    assert!(matches!(
        backwards,
        Err(StoreError::JournalBackwards {
            stored: 100,
            given: 99,
            ..
        })
    ));
    assert_eq!(store.head(a).await.unwrap(), Seq(1));
    let wanted = Some(mark(100));
    assert_eq!(store.journal_mark(holder(1)).await.unwrap(), wanted);
    let holders = store.holders().await.unwrap();
    assert_eq!((holders[0].session, &holders[0].mark), (a, &mark(100)));

    let gone = Append {
        holder: Some(HolderChange::Removed { holder: holder(1) }),
        ..marked(120, "exit")
    };
    store.append(gone.clone()).await.unwrap();
    assert!(store.holders().await.unwrap().is_empty());
    assert_eq!(store.journal_mark(holder(1)).await.unwrap(), None);
    assert!(matches!(
        store.append(gone).await,
        Err(StoreError::UnknownHolder(_))
    ));
    assert!(matches!(
        store.append(begin).await,
        Err(StoreError::SessionExists(_))
    ));
    assert_eq!(store.head(a).await.unwrap(), Seq(2));
}

#[tokio::test]
async fn a_blob_comes_back_whole_and_twice_is_once() {
    let store = store();
    let blob = NewBlob {
        id: BlobId::from_uuid(Uuid::from_u128(5)),
        media_type: "image/png".to_owned(),
        bytes: vec![0, 1, 2, 255],
    };
    let append = Append {
        blobs: vec![blob.clone()],
        ..creating(session(1), vec![note("image")])
    };
    store.append(append).await.unwrap();
    let stored = store.blob(session(1), blob.id).await.unwrap().unwrap();
    assert_eq!(stored.session, session(1));
    assert_eq!(stored.media_type, blob.media_type.clone());
    assert_eq!(stored.bytes, blob.bytes.clone());
    let again = Append {
        blobs: vec![blob.clone()],
        ..events(session(1), vec![note("again")])
    };
    store.append(again).await.unwrap();
    assert_eq!(store.head(session(1)).await.unwrap(), Seq(2));
    // Another session has the same bytes under the same name, for itself.
    let id = blob.id;
    let create = creating(session(2), vec![note("image")]);
    store.append(create).await.unwrap();
    assert_eq!(store.blob(session(2), id).await.unwrap(), None);
    let other = Append {
        blobs: vec![blob],
        ..events(session(2), vec![note("image")])
    };
    store.append(other).await.unwrap();
    assert!(store.blob(session(2), id).await.unwrap().is_some());
    let nothing = BlobId::from_uuid(Uuid::from_u128(6));
    assert_eq!(store.blob(session(1), nothing).await.unwrap(), None);
}

#[tokio::test]
async fn search_finds_messages_and_titles_and_pages_through_them() {
    let store = store();
    let titled = draft(SessionUpdated {
        title: Some("Login work".to_owned()),
        ..SessionUpdated::default()
    });
    put(
        &store,
        creating(session(1), vec![said(1, "Fix the login"), titled]),
    )
    .await;
    put(
        &store,
        creating(
            session(2),
            vec![answered("The login is fixed"), note("login")],
        ),
    )
    .await;
    let first = store.search("login", None, 2, None).await.unwrap();
    let places: Vec<_> = first
        .items
        .iter()
        .map(|hit| (hit.session, hit.seq))
        .collect();
    assert_eq!(places, [(session(2), Seq(1)), (session(1), Seq(2))]);
    let wanted = format!("The {MATCH_START}login{MATCH_END} is fixed");
    assert_eq!(first.items[0].snippet, wanted);
    assert_eq!(first.next, Some(SeqNo(2)));
    let second = store.search("login", None, 2, first.next).await.unwrap();
    assert_eq!(second.items.len(), 1);
    assert_eq!(second.next, None);
    assert!(
        store
            .search("\"(", None, 2, None)
            .await
            .unwrap()
            .items
            .is_empty()
    );
}

#[tokio::test]
async fn lists_show_the_latest_activity_first_and_page_without_gaps() {
    let store = store();
    let mut expected = Vec::new();
    for number in 0..7 {
        let at = NOW + [3, 1, 4, 1, 5, 9, 2][number] * 1000;
        let id = session(u128::try_from(number).unwrap());
        let text = note("x").event;
        put(&store, creating(id, vec![draft_at(at, text)])).await;
        expected.push((at, number, id));
    }
    expected.sort();
    expected.reverse();
    let mut cursor = None;
    let mut seen = Vec::new();
    loop {
        let page = store
            .sessions(SessionFilter::default(), cursor, 3)
            .await
            .unwrap();
        seen.extend(page.items.into_iter().map(|row| row.id));
        let Some(next) = page.next else { break };
        let text = next.to_string();
        assert_eq!(text.parse(), Ok(next));
        cursor = Some(next);
    }
    let wanted = expected.iter().map(|entry| entry.2).collect::<Vec<_>>();
    assert_eq!(seen, wanted);

    let none = SessionFilter {
        state: Some(SessionState::Ended),
        ..SessionFilter::default()
    };
    assert!(
        store
            .sessions(none, None, 9)
            .await
            .unwrap()
            .items
            .is_empty()
    );
    let all = SessionFilter {
        project: Some(project()),
        running: true,
        ..SessionFilter::default()
    };
    assert_eq!(store.sessions(all, None, 9).await.unwrap().items.len(), 7);
    let projects = store.projects().await.unwrap();
    assert_eq!(projects[0].id, project());
    assert_eq!(projects[0].path.as_str(), "/p");
    assert_eq!(store.runner_id(), runner());
}

fn started(pid: u32) -> baton_protocol::EventDraft {
    draft(SessionStarted {
        agent_session_id: None,
        model: None,
        tools: Vec::new(),
        mcp_servers: Vec::new(),
        slash_commands: Vec::new(),
        permission_mode: None,
        agent_version: None,
        pid: Some(pid),
    })
}

#[tokio::test]
async fn a_session_shows_a_process_until_its_last_holder_has_gone() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let a = session(1);
    let added = |number| Some(held_by(number));
    let removed = |number| Append {
        holder: Some(HolderChange::Removed {
            holder: holder(number),
        }),
        ..Append::to(a)
    };
    let pid = async |store: &Store| store.session_row(a).await.unwrap().unwrap().pid;
    let first = Append {
        holder: added(1),
        ..creating(a, vec![started(7)])
    };
    store.append(first).await.unwrap();
    assert_eq!(pid(&store).await, Some(7));
    // The next process is there before the holder of the first has gone.
    let second = Append {
        holder: added(2),
        ..events(a, vec![started(8)])
    };
    store.append(second).await.unwrap();
    store.append(removed(1)).await.unwrap();
    assert_eq!(pid(&store).await, Some(8));
    // Its removal carries no event and is seen all the same, now and later.
    store.append(removed(2)).await.unwrap();
    assert_eq!(pid(&store).await, None);
    store.close().await;
    let store = scratch.open();
    assert_eq!(pid(&store).await, None);
    store.append(events(a, vec![started(9)])).await.unwrap();
    assert_eq!(pid(&store).await, Some(9));
}

#[tokio::test]
async fn a_session_that_leaves_its_end_is_whole_again() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let a = session(1);
    let ended = draft(SessionEnded {
        status: EndStatus::Failed,
        reason: None,
        exit_code: Some(3),
        error: Some("boom".to_owned()),
    });
    let begin = vec![draft(asked(1)), draft(asked(2)), ended];
    store.append(creating(a, begin)).await.unwrap();
    let row = store.session_row(a).await.unwrap().unwrap();
    assert_eq!(row.status, SessionStatus::Failed);
    assert_eq!((row.exit_code, row.open_approvals), (Some(3), 2));
    store.close().await;

    let store = scratch.open();
    let idle = draft(SessionStateChanged {
        state: SessionState::Idle,
        reason: None,
    });
    let resume = vec![idle, draft(decided(1, Decision::Deny))];
    store.append(events(a, resume)).await.unwrap();
    let row = store.session_row(a).await.unwrap().unwrap();
    assert_eq!(row.status, SessionStatus::Running);
    assert_eq!(row.state, SessionState::Idle);
    assert_eq!((row.ended_at, row.exit_code, row.error), (None, None, None));
    assert_eq!(row.open_approvals, 1);
    assert_eq!(row.highest_risk, Some(Risk::High));
    assert_eq!(store.open_approvals(Some(a)).await.unwrap().len(), 1);
    let running = SessionFilter {
        running: true,
        ..SessionFilter::default()
    };
    let listed = store.sessions(running, None, 9).await.unwrap().items;
    assert_eq!(listed.len(), 1);
}
