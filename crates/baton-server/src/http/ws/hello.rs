//! The first message of a WebSocket that is not signed in yet.
//!
//! Whoever sends it may be anybody, so little of it is read. Its bytes are kept,
//! and once it was the right one the socket begins again from them, within the
//! bounds of one who is signed in: nothing that came behind it is lost.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use baton_protocol::api::{ClientFrame, Problem, ProblemCode};
use futures_util::StreamExt as _;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::timeout,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::Role},
};

use super::super::Site;
use crate::auth::Principal;

/// The most that is read before somebody is signed in, frames of all kinds
/// together.
const MOST: usize = 16 << 10;

/// Reads until it is known who is there. The bytes that were read come back in
/// any case, and the connection with them.
pub(super) async fn read<S>(
    io: S,
    site: &Site,
    time: Duration,
) -> (S, Vec<u8>, Result<Principal, Problem>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin,
{
    let config = super::within(MOST);
    let kept = Kept {
        io,
        bytes: Vec::new(),
    };
    let mut socket = WebSocketStream::from_raw_socket(kept, Role::Server, Some(config)).await;
    let who = match timeout(time, text(&mut socket)).await {
        Err(_) => Err(refused("nothing was said in time; begin with `hello`")),
        Ok(None) => Err(refused("begin with a short `hello` as text")),
        Ok(Some(text)) => judge(&text, site).await,
    };
    let Kept { io, bytes } = socket.into_inner();
    (io, bytes, who)
}

async fn text<S>(socket: &mut WebSocketStream<Kept<S>>) -> Option<String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match socket.next().await? {
            Ok(Message::Text(text)) => return Some(text.as_str().to_owned()),
            Ok(Message::Ping(_) | Message::Pong(_)) => {}
            Ok(Message::Binary(_) | Message::Close(_) | Message::Frame(_)) | Err(_) => return None,
        }
    }
}

async fn judge(said: &str, site: &Site) -> Result<Principal, Problem> {
    let Ok(ClientFrame::Hello {
        token: Some(token), ..
    }) = ClientFrame::parse(said.as_bytes())
    else {
        return Err(refused("begin with `hello` and a token"));
    };
    site.check(token.expose()).await
}

fn refused(detail: &str) -> Problem {
    Problem::new(ProblemCode::Unauthorized, detail)
}

/// Keeps what is read, and reads no more than [`MOST`].
struct Kept<S> {
    io: S,
    bytes: Vec<u8>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Kept<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut room = [0; 1024];
        let most = (MOST - self.bytes.len())
            .min(room.len())
            .min(buf.remaining());
        if self.bytes.len() >= MOST {
            let error = io::Error::new(io::ErrorKind::InvalidData, "too much came before `hello`");
            return Poll::Ready(Err(error));
        }
        let mut part = ReadBuf::new(&mut room[..most]);
        let done = Pin::new(&mut self.io).poll_read(cx, &mut part);
        self.bytes.extend_from_slice(part.filled());
        buf.put_slice(part.filled());
        done
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Kept<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
