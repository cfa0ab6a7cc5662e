//! The server's loop: accept, read a request, answer as the script says.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::http::{Connection, RawRequest};
use super::reply::{Body, Cut, Reply, error_body, events, message};
use super::request::{Request, RequestKind};
use super::script::Answer;
use super::{Log, Shared};

/// Serves until stopped; open connections end with it.
pub(crate) async fn serve(listener: TcpListener, shared: Arc<Shared>, stop: CancellationToken) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => {
                if let Ok((stream, _)) = accepted {
                    let shared = Arc::clone(&shared);
                    connections.spawn(async move {
                        if let Ok(connection) = Connection::new(stream) {
                            // A client that goes away is an everyday event; what it
                            // missed is counted where it happened.
                            drop(converse(connection, &shared).await);
                        }
                    });
                }
            }
        }
    }
    connections.shutdown().await;
}

async fn converse(mut connection: Connection, shared: &Shared) -> io::Result<()> {
    while let Some(raw) = connection.read_request().await? {
        shared.update(|log| log.answering += 1);
        let answered = answer(&mut connection, shared, raw).await;
        shared.update(|log| {
            log.answering -= 1;
            if answered.is_err() {
                log.abandoned += 1;
            }
        });
        answered?;
    }
    Ok(())
}

async fn answer(connection: &mut Connection, shared: &Shared, raw: RawRequest) -> io::Result<()> {
    let body = serde_json::from_slice(&raw.body).unwrap_or(Value::Null);
    let is_head = raw.method == "HEAD";
    let request = Request::new(raw.method, raw.path, raw.headers, body);
    let headers = [("content-type".to_owned(), "application/json".to_owned())];
    let simple = match request.kind {
        RequestKind::Main | RequestKind::Subagent | RequestKind::Side => None,
        RequestKind::CountTokens => Some(json!({"input_tokens": 100})),
        RequestKind::Other if request.path.starts_with("/v1/models") => {
            Some(json!({"data": [], "has_more": false, "first_id": null, "last_id": null}))
        }
        RequestKind::Other => Some(json!({})),
    };
    if let Some(body) = simple {
        shared.update(|log| log.requests.push(request));
        return connection
            .respond(200, &headers, body.to_string().as_bytes(), is_head)
            .await;
    }

    let model = request.model().to_owned();
    let stream = request.is_stream();
    let (number, reply) = shared.update(|log| log.answer(request));
    match &reply.body {
        Body::Error {
            status,
            kind,
            message,
        } => {
            let mut headers = headers.to_vec();
            headers.push(("request-id".to_owned(), format!("req_test_{number}")));
            headers.extend(reply.headers.iter().cloned());
            let body = error_body(kind, message).to_string();
            connection
                .respond(*status, &headers, body.as_bytes(), is_head)
                .await
        }
        Body::Blocks(blocks) if stream => {
            let events = events(&format!("msg_test_{number}"), &model, blocks, &reply);
            send_events(connection, shared, &reply, number, &events).await
        }
        Body::Blocks(blocks) => {
            let body = message(&format!("msg_test_{number}"), &model, blocks, &reply);
            let mut headers = headers.to_vec();
            headers.extend(reply.headers.iter().cloned());
            connection
                .respond(200, &headers, body.to_string().as_bytes(), is_head)
                .await
        }
    }
}

impl Log {
    /// Chooses the reply, numbers it and its tool calls, and keeps the request.
    fn answer(&mut self, request: Request) -> (u64, Reply) {
        let mut reply = match self.script.next(&request) {
            Answer::Scripted(reply) => reply,
            Answer::Unscripted(reply) => {
                self.unscripted.push(request.clone());
                reply
            }
        };
        self.requests.push(request);
        let tools = &mut self.tools;
        reply.name_tools(|| {
            *tools += 1;
            format!("toolu_test_{tools}")
        });
        self.messages += 1;
        (self.messages, reply)
    }
}

async fn send_events(
    connection: &mut Connection,
    shared: &Shared,
    reply: &Reply,
    number: u64,
    events: &[Value],
) -> io::Result<()> {
    let mut headers = vec![
        ("content-type".to_owned(), "text/event-stream".to_owned()),
        ("cache-control".to_owned(), "no-cache".to_owned()),
        ("request-id".to_owned(), format!("req_test_{number}")),
    ];
    headers.extend(reply.headers.iter().cloned());
    connection.start_chunks(&headers).await?;
    for (index, event) in events.iter().enumerate() {
        if let Some((after, cut)) = reply.cut
            && after == index
        {
            match cut {
                Cut::Stall => stall(connection, shared).await?,
                Cut::Drop => return Err(io::ErrorKind::ConnectionAborted.into()),
            }
        }
        if !reply.delay.is_zero() {
            tokio::time::sleep(reply.delay).await;
        }
        let kind = event["type"].as_str().unwrap_or_default();
        connection
            .chunk(format!("event: {kind}\ndata: {event}\n\n").as_bytes())
            .await?;
    }
    connection.end_chunks().await
}

async fn stall(connection: &mut Connection, shared: &Shared) -> io::Result<()> {
    // Subscribed before the stall is announced: a release after that is never missed.
    let mut release = shared.release.subscribe();
    shared.update(|log| log.stalled += 1);
    tokio::select! {
        _ = release.changed() => Ok(()),
        () = connection.client_gone() => Err(io::ErrorKind::ConnectionReset.into()),
    }
}
