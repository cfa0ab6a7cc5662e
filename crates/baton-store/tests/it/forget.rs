//! What a log in memory lets go of.

use baton_protocol::{
    BlobId, Seq,
    event::{Attachment, MessageDelivered, UserMessage},
};
use baton_store::{Append, NewBlob, Store};
use uuid::Uuid;

use crate::support::{
    Scratch, answered, creating, draft, events, message_id, options, said, session,
};

fn blob(number: u128) -> BlobId {
    BlobId::from_uuid(Uuid::from_u128(number))
}

fn attached(number: u128) -> Append {
    let message = UserMessage {
        message_id: message_id(number),
        text: "look".to_owned(),
        attachments: vec![Attachment {
            name: "a.bin".to_owned(),
            media_type: "text/plain".to_owned(),
            bytes: 1,
            blob_id: Some(blob(number)),
        }],
        queued: true,
        client: None,
    };
    Append {
        blobs: vec![NewBlob {
            id: blob(number),
            media_type: "text/plain".to_owned(),
            bytes: vec![7; 100_000],
        }],
        ..events(session(1), vec![draft(message)])
    }
}

#[tokio::test]
async fn what_was_read_goes_and_the_rest_is_read_on() {
    let store = Store::in_memory(&options()).unwrap();
    let a = session(1);
    let begin = vec![said(1, "one"), answered("two"), answered("three")];
    store.append(creating(a, begin)).await.unwrap();
    store.forget(a, Seq(2)).await.unwrap();
    let left = store.read_after(a, Seq::START, 10).await.unwrap();
    let left: Vec<_> = left.iter().map(|event| event.seq).collect();
    assert_eq!(left, [Seq(1), Seq(3)], "the agent may not have the message");
    assert_eq!(store.head(a).await.unwrap(), Seq(3));
    let more = events(a, vec![answered("four")]);
    assert_eq!(store.append(more).await.unwrap().last, Seq(4));
}

#[tokio::test]
async fn a_file_is_kept_until_the_agent_has_its_message() {
    let store = Store::in_memory(&options()).unwrap();
    let a = session(1);
    store.append(creating(a, Vec::new())).await.unwrap();
    store.append(attached(1)).await.unwrap();
    store.forget(a, Seq(1)).await.unwrap();
    assert!(store.blob(a, blob(1)).await.unwrap().is_some());
    let delivered = MessageDelivered {
        message_id: message_id(1),
    };
    let append = events(a, vec![draft(delivered)]);
    store.append(append).await.unwrap();
    store.forget(a, Seq(2)).await.unwrap();
    assert!(store.blob(a, blob(1)).await.unwrap().is_none());
}

#[tokio::test]
async fn a_long_conversation_that_is_read_takes_no_more_and_no_more_memory() {
    let store = Store::in_memory(&options()).unwrap();
    let a = session(1);
    store.append(creating(a, Vec::new())).await.unwrap();
    let mut most = 0;
    let text = "word ".repeat(2000);
    for round in 0..200 {
        let batch: Vec<_> = (0..10).map(|_| answered(&text)).collect();
        let last = store.append(events(a, batch)).await.unwrap().last;
        store.forget(a, last).await.unwrap();
        let bytes = store.bytes_in_memory().await.unwrap();
        most = most.max(bytes);
        // One round has 100 KB of text; 200 of them would be 20 MB.
        assert!(bytes < 2_000_000, "{bytes} bytes after round {round}");
    }
    assert!(most > 0);
}

#[tokio::test]
async fn a_log_on_disk_forgets_nothing() {
    let scratch = Scratch::new();
    let store = scratch.open();
    let a = session(1);
    let begin = vec![answered("one"), answered("two")];
    store.append(creating(a, begin)).await.unwrap();
    store.forget(a, Seq(2)).await.unwrap();
    assert_eq!(store.read_after(a, Seq::START, 10).await.unwrap().len(), 2);
}
