//! The control socket: one frame per line.
//!
//! Whoever may open the socket's file may say anything; its mode is the guard.

use std::{io, sync::Arc, time::Duration};

use baton_protocol::{api::ServerFrame, words::ClientRef};
use tokio::{
    io::{AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream},
    sync::mpsc,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::{
    api::Api,
    connection::{Connection, Line, QUEUE},
    lines::{MAX_LINE, Read, next_line},
};

/// Without a descriptor left, looking again at once would only spin.
const BREATH: Duration = Duration::from_millis(50);

/// A client that is told goodbye reads it within this time or not at all.
const GOODBYE: Duration = Duration::from_millis(500);

/// Serves clients until `cancel`, then closes their connections and waits.
pub async fn serve(listener: UnixListener, api: Arc<Api>, cancel: CancellationToken) {
    let mut clients = JoinSet::new();
    let mut number: u64 = 0;
    loop {
        let accepted = tokio::select! {
            biased;
            () = cancel.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        while clients.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                number += 1;
                let client = ClientRef {
                    id: format!("socket-{number}"),
                    name: "control socket".into(),
                };
                let span = tracing::info_span!("client", id = client.id);
                let talk = talk(stream, Arc::clone(&api), client, cancel.clone());
                clients.spawn(talk.instrument(span));
            }
            Err(error) => {
                tracing::warn!(%error, "a client cannot be let in");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
    drop(listener);
    while clients.join_next().await.is_some() {}
}

async fn talk(stream: UnixStream, api: Arc<Api>, client: ClientRef, cancel: CancellationToken) {
    let (read, mut write) = stream.into_split();
    let (out, lines) = mpsc::channel(QUEUE);
    let mut connection = match Connection::open(&api, client, out) {
        Ok(connection) => connection,
        Err(problem) => {
            let frame = ServerFrame::refused(None, problem);
            let line = serde_json::to_string(&frame).unwrap_or_default() + "\n";
            let told = write.write_all(line.as_bytes());
            tokio::time::timeout(GOODBYE, told).await.ok();
            return;
        }
    };
    let gone = CancellationToken::new();
    let mut writer = JoinSet::new();
    let left = gone.clone();
    writer.spawn(async move {
        if let Err(error) = write_lines(write, lines).await {
            tracing::debug!(%error, "a client left");
        }
        left.cancel();
    });
    let mut reader = BufReader::with_capacity(64 << 10, read);
    let talking = async {
        let mut line = Vec::new();
        loop {
            match next_line(&mut reader, &mut line, MAX_LINE).await {
                Ok(Read::Line) if line.iter().all(u8::is_ascii_whitespace) => {}
                Ok(Read::Line) => connection.frame(&line).await,
                Ok(Read::TooLong(bytes)) => connection.too_long(bytes, MAX_LINE).await,
                Ok(Read::End) | Err(_) => return,
            }
        }
    };
    tokio::select! {
        () = cancel.cancelled() => {}
        () = gone.cancelled() => {}
        () = talking => {}
    }
    // What is queued is still written, if the client reads it.
    let closing = async {
        connection.close().await;
        writer.join_next().await;
    };
    tokio::time::timeout(GOODBYE, closing).await.ok();
    writer.shutdown().await;
}

/// Writes what is there in one go.
async fn write_lines(
    mut write: tokio::net::unix::OwnedWriteHalf,
    mut lines: mpsc::Receiver<Line>,
) -> io::Result<()> {
    let mut batch = Vec::new();
    let mut bytes = Vec::new();
    while lines.recv_many(&mut batch, QUEUE).await > 0 {
        for line in batch.drain(..) {
            bytes.extend_from_slice(&line);
            bytes.push(b'\n');
        }
        write.write_all(&bytes).await?;
        bytes.clear();
        bytes.shrink_to(1 << 20);
    }
    Ok(())
}
