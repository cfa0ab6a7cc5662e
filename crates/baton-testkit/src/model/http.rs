//! Just enough HTTP/1.1 for one local client: keep-alive, bodies with a
//! length, fixed and chunked answers. No TLS, no pipelining, no limits on time.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// Long conversations with images are tens of megabytes.
const MAX_BODY: usize = 256 * 1024 * 1024;

/// The parts of a request the server looks at.
pub(crate) struct RawRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// One accepted connection.
pub(crate) struct Connection {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let (reader, writer) = stream.into_split();
        Ok(Self {
            reader: BufReader::new(reader),
            writer,
        })
    }

    /// Reads the next request; `None` when the client closed between requests.
    pub(crate) async fn read_request(&mut self) -> io::Result<Option<RawRequest>> {
        let mut line = String::new();
        if self.reader.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(invalid("request line"));
        };
        let path = target.split('?').next().unwrap_or(target).to_owned();
        let method = method.to_owned();
        let headers = self.read_headers().await?;
        let body = self.read_body(&headers).await?;
        Ok(Some(RawRequest {
            method,
            path,
            headers,
            body,
        }))
    }

    async fn read_headers(&mut self) -> io::Result<Vec<(String, String)>> {
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            if self.reader.read_line(&mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end();
            if line.is_empty() {
                return Ok(headers);
            }
            let (name, value) = line.split_once(':').ok_or_else(|| invalid("header line"))?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    async fn read_body(&mut self, headers: &[(String, String)]) -> io::Result<Vec<u8>> {
        let find = |wanted: &str| headers.iter().find(|(name, _)| name == wanted);
        if find("transfer-encoding").is_some() {
            return Err(invalid("body without a length"));
        }
        let length = match find("content-length") {
            None => 0,
            Some((_, value)) => value
                .parse::<usize>()
                .map_err(|_| invalid("content-length"))?,
        };
        if length > MAX_BODY {
            return Err(invalid("body length"));
        }
        if find("expect").is_some() {
            self.writer
                .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
                .await?;
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).await?;
        Ok(body)
    }

    /// Sends a whole answer. A `HEAD` answer carries the length but no body.
    pub(crate) async fn respond(
        &mut self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        is_head: bool,
    ) -> io::Result<()> {
        let mut out = head(status, headers);
        out.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        let mut out = out.into_bytes();
        if !is_head {
            out.extend_from_slice(body);
        }
        self.writer.write_all(&out).await
    }

    /// Starts a chunked answer.
    pub(crate) async fn start_chunks(&mut self, headers: &[(String, String)]) -> io::Result<()> {
        let mut out = head(200, headers);
        out.push_str("transfer-encoding: chunked\r\n\r\n");
        self.writer.write_all(out.as_bytes()).await
    }

    /// Sends one chunk.
    pub(crate) async fn chunk(&mut self, data: &[u8]) -> io::Result<()> {
        let mut out = format!("{:x}\r\n", data.len()).into_bytes();
        out.extend_from_slice(data);
        out.extend_from_slice(b"\r\n");
        self.writer.write_all(&out).await
    }

    /// Ends a chunked answer.
    pub(crate) async fn end_chunks(&mut self) -> io::Result<()> {
        self.writer.write_all(b"0\r\n\r\n").await
    }

    /// Completes when the client has closed its side (or, against the rules,
    /// sent something in the middle of an answer).
    pub(crate) async fn client_gone(&mut self) {
        let closed = self.reader.fill_buf().await;
        drop(closed);
    }
}

fn head(status: u16, headers: &[(String, String)]) -> String {
    let mut out = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    for (name, value) in headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        404 => "Not Found",
        429 => "Too Many Requests",
        _ => "Scripted",
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("unexpected {what}"))
}
