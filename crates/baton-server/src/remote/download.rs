//! One request, one answer, counted while it comes.

use std::pin::pin;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::{
    Request, Response,
    body::Incoming,
    client::conn::http1::{SendRequest, handshake},
    header::{
        ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST,
        HeaderName, USER_AGENT,
    },
};
use hyper_util::rt::TokioIo;

use super::{HttpsAddress, RemoteError, net::Net};

/// What came.
#[derive(Debug)]
pub(super) struct Got {
    /// As the host says.
    pub(super) media_type: Option<String>,
    pub(super) bytes: Vec<u8>,
}

impl Net {
    /// Fetches at most `most` bytes; more is refused, by what the host says and
    /// by what it sends.
    pub(super) async fn download(
        &self,
        link: &HttpsAddress,
        most: usize,
    ) -> Result<Got, RemoteError> {
        let stream = self.connect(link.host()).await?;
        let broken = |source| broken(link, source);
        let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(broken)?;
        let mut connection = pin!(connection);
        let mut exchange = pin!(exchange(sender, link, most));
        // The connection may end before all that it brought was taken.
        tokio::select! {
            biased;
            got = &mut exchange => return got,
            _ = &mut connection => {}
        }
        exchange.await
    }
}

async fn exchange(
    mut sender: SendRequest<Empty<Bytes>>,
    link: &HttpsAddress,
    most: usize,
) -> Result<Got, RemoteError> {
    let mut request = Request::new(Empty::new());
    *request.uri_mut() = link.request().parse().map_err(|_| RemoteError::Address {
        why: "it is no address",
    })?;
    let headers = request.headers_mut();
    let host = link.host().parse();
    headers.insert(
        HOST,
        host.map_err(|_| RemoteError::Address {
            why: "it is no address",
        })?,
    );
    for (name, value) in [
        (ACCEPT, "image/png, image/jpeg, image/webp, image/gif"),
        (ACCEPT_ENCODING, "identity"),
        (USER_AGENT, "baton"),
        (CONNECTION, "close"),
    ] {
        headers.insert(name, hyper::header::HeaderValue::from_static(value));
    }
    let response = sender.send_request(request).await;
    let response = response.map_err(|source| broken(link, source))?;
    check(&response, link, most)?;
    let media_type = header(&response, CONTENT_TYPE).map(str::to_owned);
    let bytes = read(response.into_body(), link, most).await?;
    Ok(Got { media_type, bytes })
}

fn check(
    response: &Response<Incoming>,
    link: &HttpsAddress,
    most: usize,
) -> Result<(), RemoteError> {
    let name = || link.name().to_owned();
    let host = || link.host().to_owned();
    let status = response.status();
    if status.is_redirection() {
        return Err(RemoteError::Redirect {
            name: name(),
            host: host(),
        });
    }
    if status.as_u16() != 200 {
        return Err(RemoteError::Status {
            name: name(),
            host: host(),
            status: status.as_u16(),
        });
    }
    let packed = response.headers().get(CONTENT_ENCODING);
    if packed.is_some_and(|packed| !packed.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(RemoteError::Packed { name: name() });
    }
    let length = header(response, CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > most as u64) {
        return Err(RemoteError::TooLarge { name: name(), most });
    }
    Ok(())
}

async fn read(
    mut body: Incoming,
    link: &HttpsAddress,
    most: usize,
) -> Result<Vec<u8>, RemoteError> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|source| broken(link, source))?;
        let Ok(chunk) = frame.into_data() else {
            continue;
        };
        if chunk.len() > most - bytes.len() {
            return Err(RemoteError::TooLarge {
                name: link.name().to_owned(),
                most,
            });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn header(response: &Response<Incoming>, name: HeaderName) -> Option<&str> {
    response.headers().get(name)?.to_str().ok()
}

fn broken(link: &HttpsAddress, source: hyper::Error) -> RemoteError {
    RemoteError::Broken {
        name: link.name().to_owned(),
        source,
    }
}
