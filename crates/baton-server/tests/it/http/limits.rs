//! What clients cannot do to the daemon, however slow, many or large they are.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use baton_protocol::{Timestamp, words::AccessScope};
use baton_server::{
    auth::STREAMS_OF_A_DEVICE,
    http::{HEADER_BYTES, HttpLimits, Pace},
};
use baton_session::RealWorld;
use baton_testkit::LIMIT;
use http_body_util::BodyExt as _;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{sleep, timeout},
};
use uuid::Uuid;

use super::client::Site;
use crate::world::World;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(20);
/// A time that runs out in a test.
const SHORT: Duration = Duration::from_millis(200);
/// One that never does.
const LONG: Duration = Duration::from_secs(3600);

async fn connect(site: &Site) -> TcpStream {
    TcpStream::connect(site.address).await.unwrap()
}

/// Everything that comes until the connection ends, however it ends.
async fn rest(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let reading = stream.read_to_end(&mut text);
    timeout(LIMIT, reading).await.expect("it ends").ok();
    String::from_utf8_lossy(&text).into_owned()
}

/// Asks the way anybody may until there is a place again.
async fn until_let_in(site: &Site) {
    let asking = async {
        loop {
            let mut stream = connect(site).await;
            let head = format!(
                "GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                site.address
            );
            stream.write_all(head.as_bytes()).await.ok();
            if rest(&mut stream).await.starts_with("HTTP/1.1 200") {
                return;
            }
            sleep(LOOK).await;
        }
    };
    timeout(LIMIT, asking).await.expect("a place comes free");
}

#[tokio::test]
async fn one_connection_too_many_is_told_and_a_place_comes_free() {
    let site = Site::limited(|limits| limits.connections = 2).await;
    let (one, two) = (connect(&site).await, connect(&site).await);
    let refused = rest(&mut connect(&site).await).await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(refused.contains("urn:baton:problem:too_many"), "{refused}");
    drop((one, two));
    until_let_in(&site).await;
}

#[tokio::test]
async fn a_websocket_is_a_connection_whether_it_has_signed_in_or_not() {
    let limits = HttpLimits {
        connections: 2,
        hello_time: LONG,
        ..HttpLimits::default()
    };
    let site = Site::with_limits(limits).await;
    let unsigned = site.upgrade_at("/api/v1/ws", &[]).await.unwrap();
    let signed = site.signed(&site.token).await;
    let refused = rest(&mut connect(&site).await).await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    drop(unsigned);
    until_let_in(&site).await;
    drop(signed);
}

/// The beginning of a WebSocket, byte by byte.
async fn raw_socket(site: &Site) -> TcpStream {
    let mut stream = connect(site).await;
    let head = format!(
        "GET /api/v1/ws HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        site.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(timeout(LIMIT, stream.read_u8()).await.unwrap().unwrap());
    }
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 101"), "{answer}");
    assert!(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{answer}");
    stream
}

#[tokio::test]
async fn who_has_not_signed_in_cannot_say_much() {
    let site = Site::limited(|limits| limits.hello_time = LONG).await;
    // A frame that says it will be long is refused before it comes.
    let mut announced = raw_socket(&site).await;
    let mut frame = vec![0x81, 0xff];
    frame.extend_from_slice(&(64_u64 << 20).to_be_bytes());
    frame.extend_from_slice(&[0; 4]);
    announced.write_all(&frame).await.unwrap();
    assert!(rest(&mut announced).await.contains("unauthorized"));
    // Many short ones are no way around it.
    let mut many = raw_socket(&site).await;
    let ping = [0x89, 0x80, 0, 0, 0, 0];
    for _ in 0..4000 {
        if many.write_all(&ping).await.is_err() {
            break;
        }
    }
    rest(&mut many).await;
    // And a message of the longest kind that a client may send.
    let mut long = site.upgrade_at("/api/v1/ws", &[]).await.unwrap();
    let hello = json!({"type": "hello", "token": "x".repeat(20 << 10)});
    long.say(&hello).await;
    let refused = long.next().await;
    let code = refused.map(|frame| frame["problem"]["code"].clone());
    assert!(code.is_err() || code == Ok(json!("unauthorized")));
}

#[tokio::test]
async fn nothing_that_comes_right_behind_hello_is_lost_and_then_much_may_come() {
    let site = Site::new().await;
    let mut socket = site.upgrade_at("/api/v1/ws", &[]).await.unwrap();
    let hello = json!({"type": "hello", "token": site.token});
    socket.say(&hello).await;
    for _ in 0..50 {
        socket.say(&json!({"type": "ping"})).await;
    }
    assert_eq!(socket.next().await.unwrap()["type"], "welcome");
    for _ in 0..50 {
        assert_eq!(socket.next().await.unwrap()["type"], "pong");
    }
    let long = json!({"q": "x".repeat(1 << 20)});
    let answer = socket.ask("search", None, long).await;
    assert_eq!(answer["id"], "1");
}

#[tokio::test]
async fn headers_that_do_not_come_close_the_connection() {
    let site = Site::limited(|limits| limits.header_time = SHORT).await;
    for beginning in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n"] {
        let mut stream = connect(&site).await;
        stream.write_all(beginning.as_bytes()).await.unwrap();
        let told = rest(&mut stream).await;
        assert!(!told.contains("200"), "{beginning:?}: {told}");
    }
    until_let_in(&site).await;
}

#[tokio::test]
async fn headers_that_are_too_long_or_too_many_are_refused() {
    let site = Site::new().await;
    let long = format!("X-Long: {}\r\n", "x".repeat(64 << 10));
    let many = "X-Many: 1\r\n".repeat(200);
    for headers in [long, many] {
        let mut stream = connect(&site).await;
        let head = format!(
            "GET /healthz HTTP/1.1\r\nHost: {}\r\n{headers}\r\n",
            site.address
        );
        stream.write_all(head.as_bytes()).await.ok();
        let told = rest(&mut stream).await;
        // The rest of what was sent may take the answer away with it.
        assert!(
            told.is_empty() || told.starts_with("HTTP/1.1 431"),
            "{told}"
        );
    }
    until_let_in(&site).await;
}

#[tokio::test]
async fn headers_may_have_32_kb_and_not_one_more() {
    let site = Site::new().await;
    let ask = async |bytes: usize| {
        let mut stream = connect(&site).await;
        let head = format!(
            "GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nX-Long: ",
            site.address
        );
        // Two line ends close it.
        let long = "x".repeat(bytes - head.len() - 4);
        stream
            .write_all(format!("{head}{long}\r\n\r\n").as_bytes())
            .await
            .unwrap();
        rest(&mut stream).await
    };
    let told = ask(HEADER_BYTES - 64).await;
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    for bytes in [HEADER_BYTES + 64, 40_000] {
        let told = ask(bytes).await;
        assert!(told.starts_with("HTTP/1.1 431"), "{told}");
        assert!(told.contains("connection: close"), "{told}");
    }
}

/// Room for one body of 800 KB and not for two.
const ONE: HttpLimits = HttpLimits {
    held: 1 << 20,
    connections: 512,
    header_time: Duration::from_secs(30),
    hello_time: Duration::from_secs(5),
    body: PACE,
    reading: PACE,
};
const PACE: Pace = Pace {
    time: Duration::from_secs(30),
    bytes: 1,
};

#[tokio::test]
async fn bodies_at_once_are_bounded_in_all_and_short_ones_always_pass() {
    let site = Site::with_limits(ONE).await;
    let session = site.session("text").await;
    site.until_state(&session, "idle").await;
    let path = format!("/api/v1/sessions/{session}/messages");
    let begin = async || {
        let mut stream = connect(&site).await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: 800000\r\n\r\n{{",
            site.address, site.token
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    };
    let first = begin().await;
    // The first has its room once the second has none.
    let told = loop {
        let mut second = begin().await;
        let told = timeout(SHORT, rest(&mut second)).await;
        if let Ok(told) = told {
            break told;
        }
    };
    assert!(told.starts_with("HTTP/1.1 429"), "{told}");
    assert!(told.contains("retry-after: 5"), "{told}");
    let sent = json!({"text": "text"});
    site.post(&path, sent).await.expect(202);
    // A message of a WebSocket is held in the same room.
    let mut socket = site.signed(&site.token).await;
    let long = json!({"type": "ping", "more": "x".repeat(800_000)});
    socket.say_or_lose(&long).await;
    assert_eq!(socket.closed().await, Some(1013));
    drop(first);
    let waiting = async {
        loop {
            let mut socket = site.signed(&site.token).await;
            socket.say_or_lose(&long).await;
            if let Ok(frame) = socket.next().await {
                return frame;
            }
        }
    };
    let frame = timeout(LIMIT, waiting).await.expect("the room comes back");
    assert_eq!(frame["type"], "pong");
}

#[tokio::test]
async fn a_body_that_comes_drop_by_drop_is_given_up() {
    let limits = HttpLimits {
        body: Pace {
            time: SHORT,
            bytes: 1 << 20,
        },
        ..HttpLimits::default()
    };
    let site = Site::with_limits(limits).await;
    let length = 4000;
    let stream = connect(&site).await;
    let head = format!(
        "POST /api/v1/auth/login HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n",
        site.address
    );
    let (mut read, mut write) = stream.into_split();
    write.write_all(head.as_bytes()).await.unwrap();
    let dripping = async {
        // Never silent for long, and never done.
        for _ in 1..length {
            if write.write_all(b" ").await.is_err() {
                break;
            }
            sleep(LOOK).await;
        }
    };
    let answering = async {
        let mut answer = [0; 512];
        let length = timeout(LIMIT, read.read(&mut answer)).await;
        let length = length.expect("an answer comes").unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    };
    let answer = tokio::select! {
        answer = answering => answer,
        () = dripping => panic!("all of it was taken"),
    };
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[tokio::test]
async fn who_asks_and_does_not_read_is_cut_off() {
    let limits = HttpLimits {
        reading: Pace {
            time: SHORT,
            bytes: 1 << 20,
        },
        ..HttpLimits::default()
    };
    let site = Site::with_limits(limits).await;
    let mut deaf = connect(&site).await;
    let head = format!(
        "GET /api/openapi.json HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        site.address, site.token
    );
    // More answers than the system keeps for anybody.
    let asking = async {
        loop {
            if deaf.write_all(head.as_bytes()).await.is_err() {
                return;
            }
        }
    };
    timeout(LIMIT, asking).await.expect("it is closed");
    until_let_in(&site).await;
}

#[tokio::test]
async fn a_device_opens_so_many_streams_and_others_still_open_theirs() {
    let site = Site::new().await;
    let id = site.session("text").await;
    let greedy = site.device(AccessScope::Observe).await;
    let other = site.device(AccessScope::Observe).await;
    let path = format!("/api/v1/sessions/{id}/events");
    let follow = |token: &str| {
        let ask = site.ask("GET", &path).bearer(token);
        ask.header("accept", "text/event-stream").open()
    };
    let mut open = Vec::new();
    for _ in 0..STREAMS_OF_A_DEVICE {
        let stream = follow(&greedy).await;
        assert_eq!(stream.response.status(), 200);
        open.push(stream);
    }
    let export = format!("/api/v1/sessions/{id}/export");
    for path in [&path, &export] {
        let ask = site.ask("GET", path).bearer(&greedy);
        let refused = ask.header("accept", "text/event-stream").send().await;
        assert_eq!(refused.problem(), (429, "too_many".into()), "{path}");
    }
    let mut socket = site.signed(&greedy).await;
    let refused = socket.next().await.unwrap();
    assert_eq!(refused["problem"]["code"], "too_many");
    assert_eq!(socket.next().await, Err(Some(1013)));
    assert_eq!(follow(&other).await.response.status(), 200);
    open.pop();
    let again = async {
        while follow(&greedy).await.response.status() != 200 {
            sleep(LOOK).await;
        }
    };
    timeout(LIMIT, again).await.expect("a place comes free");
}

#[tokio::test]
async fn an_export_that_is_cut_short_does_not_look_whole() {
    let (site, id) = Site::at("approval", "waiting").await;
    // More than anything between here and there keeps.
    for _ in 0..8 {
        let message = json!({"text": "x".repeat(4 << 20), "queue": true});
        let path = format!("/api/v1/sessions/{id}/messages");
        site.post(&path, message).await.expect(202);
    }
    let path = format!("/api/v1/sessions/{id}/export");
    let whole = site.get(&path).await;
    let token = site.device(AccessScope::Observe).await;
    let mut cut = site.ask("GET", &path).bearer(&token).open().await;
    assert_eq!(cut.response.status(), 200);
    let out = site.ask("POST", "/api/v1/auth/logout").bearer(&token);
    assert_eq!(out.send().await.status, 204);
    let body = cut.response.body_mut().collect();
    let body = timeout(LIMIT, body).await.expect("it ends");
    assert!(body.is_err(), "{} bytes", whole.body.len());
}

/// A clock that breaks when it is told to.
#[derive(Debug, Default)]
struct Broken(AtomicBool);

impl baton_session::World for Broken {
    fn now(&self) -> Timestamp {
        assert!(!self.0.load(Ordering::SeqCst), "this clock is broken");
        RealWorld.now()
    }

    fn id(&self) -> Uuid {
        RealWorld.id()
    }

    fn random_id(&self) -> Uuid {
        RealWorld.random_id()
    }
}

#[tokio::test]
async fn a_handler_that_panics_is_a_problem_and_the_daemon_lives() {
    let clock = Arc::new(Broken::default());
    let world = World::new().await.in_time(Arc::<Broken>::clone(&clock));
    let site = Site::over(world, HttpLimits::default(), None).await;
    site.get("/api/v1/status").await.expect(200);
    clock.0.store(true, Ordering::SeqCst);
    let answer = site.get("/api/v1/status").await;
    assert_eq!(answer.problem(), (500, "internal".into()));
    assert!(!answer.header("content-security-policy").is_empty());
    assert!(!answer.json()["detail"].to_string().contains("broken"));
    clock.0.store(false, Ordering::SeqCst);
    site.get("/api/v1/status").await.expect(200);
}

#[tokio::test]
async fn readiness_is_whether_the_log_can_be_written() {
    let site = Site::new().await;
    let asking = || site.ask("GET", "/readyz").bearer("").send();
    assert_eq!(asking().await.status, 200);
    site.world.supervisor.store().close().await;
    // What was found a moment ago may be said for a moment.
    let unready = async {
        loop {
            let answer = asking().await;
            if answer.status != 200 {
                return answer;
            }
            sleep(LOOK).await;
        }
    };
    let answer = timeout(LIMIT, unready).await.expect("it is told");
    assert_eq!(answer.problem().0, 503);
    assert_eq!(site.get("/healthz").await.status, 200);
}
