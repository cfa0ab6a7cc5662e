//! The control socket itself: lines of any length and kind.

use std::{path::PathBuf, sync::Arc};

use baton_server::socket;
use baton_testkit::LIMIT;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::{
        UnixListener, UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    task::JoinSet,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::world::World;

struct Server {
    place: PathBuf,
    cancel: CancellationToken,
    task: JoinSet<()>,
}

fn serve(world: &World) -> Server {
    let place = world.sandbox.data().join("s");
    let listener = UnixListener::bind(&place).unwrap();
    let cancel = CancellationToken::new();
    let mut task = JoinSet::new();
    task.spawn(socket::serve(
        listener,
        Arc::clone(&world.api),
        cancel.clone(),
    ));
    Server {
        place,
        cancel,
        task,
    }
}

struct Peer {
    lines: Lines<BufReader<OwnedReadHalf>>,
    write: OwnedWriteHalf,
}

impl Peer {
    async fn connect(server: &Server) -> Self {
        let (read, write) = UnixStream::connect(&server.place)
            .await
            .unwrap()
            .into_split();
        Self {
            lines: BufReader::new(read).lines(),
            write,
        }
    }

    async fn say(&mut self, bytes: &[u8]) {
        let said = self.write.write_all(bytes);
        timeout(LIMIT, said).await.unwrap().unwrap();
    }

    async fn hear(&mut self) -> Option<Value> {
        let line = timeout(LIMIT, self.lines.next_line()).await.unwrap();
        line.ok()
            .flatten()
            .map(|line| serde_json::from_str(&line).unwrap())
    }
}

#[tokio::test]
async fn a_huge_line_is_skipped_and_answered() {
    let world = World::new().await;
    let server = serve(&world);
    let mut peer = Peer::connect(&server).await;
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..97 {
        peer.say(&chunk).await;
    }
    peer.say(b"\n{\"type\":\"ping\"}\n").await;
    let answer = peer.hear().await.unwrap();
    assert_eq!(answer["problem"]["code"], "too_long");
    assert_eq!(peer.hear().await.unwrap(), json!({"type": "pong"}));
}

#[tokio::test]
async fn bytes_that_are_no_text_and_empty_lines_do_no_harm() {
    let world = World::new().await;
    let server = serve(&world);
    let mut peer = Peer::connect(&server).await;
    peer.say(b"\n  \n\xff\xfe\n").await;
    let answer = peer.hear().await.unwrap();
    assert_eq!(answer["problem"]["code"], "bad_json");
    peer.say(b"{\"type\":\"hello\",\"client\":{\"id\":\"a\",\"name\":\"b\"}}\n")
        .await;
    let welcome = peer.hear().await.unwrap();
    assert_eq!(welcome["version"], "1.2.3");
}

#[tokio::test]
async fn the_end_is_said_to_every_client_and_waits_for_none() {
    let world = World::new().await;
    let mut server = serve(&world);
    let mut polite = Peer::connect(&server).await;
    polite.say(b"{\"type\":\"ping\"}\n").await;
    polite.hear().await.unwrap();
    // One that never reads, and one in the middle of a line.
    let mut silent = Peer::connect(&server).await;
    silent.say(b"{\"type\":").await;
    world.api.say_goodbye(true);
    server.cancel.cancel();
    let wanted = json!({"type": "goodbye", "agentsKept": true});
    assert_eq!(polite.hear().await.unwrap(), wanted);
    assert_eq!(polite.hear().await, None);
    let ended = timeout(LIMIT, server.task.join_next()).await.unwrap();
    ended.unwrap().unwrap();
}
