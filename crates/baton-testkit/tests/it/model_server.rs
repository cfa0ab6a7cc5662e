//! The server alone, through a plain socket.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use baton_testkit::model::{self, ModelServer, RequestKind, Script, Usage};
use baton_testkit::{LIMIT, Sandbox, bin};
use serde_json::{Value, json};

/// One request on a connection of its own; returns the whole response.
fn send(url: &str, method: &str, path: &str, body: &Value) -> String {
    let mut stream = connect(url, method, path, body);
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap_or_default();
    response
}

fn connect(url: &str, method: &str, path: &str, body: &Value) -> TcpStream {
    let address = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    stream
}

fn conversation(text: &str) -> Value {
    json!({"model": "m", "stream": true, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": text}]})
}

/// The data of every server-sent event.
fn events(response: &str) -> Vec<Value> {
    let data = response
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

#[test]
fn text_is_streamed_in_the_given_pieces() {
    let reply = model::text_chunks(["Hel", "lo"]).usage(Usage {
        input: 7,
        output: 9,
        cache_creation: 1,
        cache_read: 2,
    });
    let server = ModelServer::start(Script::new().reply(reply));
    let response = send(
        &server.url(),
        "POST",
        "/v1/messages?beta=true",
        &conversation("hi"),
    );
    let events = events(&response);
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    let expected = [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ];
    assert_eq!(kinds, expected);
    let wanted = json!({"type": "text_delta", "text": "lo"});
    assert_eq!(events[3]["delta"], wanted);
    let usage = json!({"input_tokens": 7, "output_tokens": 9, "cache_creation_input_tokens": 1, "cache_read_input_tokens": 2});
    assert_eq!(events[0]["message"]["usage"], usage);
    assert_eq!(events[5]["usage"]["output_tokens"], 9);
    server.assert_finished();
}

#[test]
fn a_request_without_stream_gets_the_whole_message() {
    let server = ModelServer::start(
        Script::new().reply(model::text("hi").and(model::tool_use("Bash", json!({"a": 1})))),
    );
    let mut body = conversation("hi");
    body["stream"] = json!(false);
    let response = send(&server.url(), "POST", "/v1/messages", &body);
    let message: Value = serde_json::from_str(response.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let content = json!([{"type": "text", "text": "hi"}, {"type": "tool_use", "id": "toolu_test_1", "name": "Bash", "input": {"a": 1}}]);
    assert_eq!(message["content"], content);
    assert_eq!(message["stop_reason"], "tool_use");
}

#[test]
fn rules_go_before_the_queue_and_side_calls_eat_nothing() {
    let script = Script::new()
        .on(
            |request| request.last_user_text() == "special",
            model::text("ruled"),
        )
        .reply(model::text("queued"));
    let server = ModelServer::start(script);
    let side = json!({"model": "small", "messages": [{"role": "user", "content": "title?"}]});
    send(&server.url(), "POST", "/v1/messages", &side);
    assert!(
        send(
            &server.url(),
            "POST",
            "/v1/messages",
            &conversation("special")
        )
        .contains("ruled")
    );
    assert!(
        send(
            &server.url(),
            "POST",
            "/v1/messages",
            &conversation("special")
        )
        .contains("queued")
    );
    server.assert_finished();
    assert_eq!(server.requests().len(), 2);
    assert_eq!(server.all_requests()[0].kind, RequestKind::Side);

    let refused = send(&server.url(), "POST", "/v1/messages", &conversation("more"));
    assert!(refused.starts_with("HTTP/1.1 400"), "{refused}");
    assert_eq!(server.unscripted().len(), 1);
}

#[test]
fn probes_and_token_counts_are_answered_harmlessly() {
    let server = ModelServer::start(Script::new());
    assert!(send(&server.url(), "HEAD", "/", &Value::Null).starts_with("HTTP/1.1 200"));
    assert!(send(&server.url(), "GET", "/v1/models", &Value::Null).contains("\"data\":[]"));
    assert!(
        send(
            &server.url(),
            "POST",
            "/v1/messages/count_tokens",
            &conversation("x")
        )
        .contains("\"input_tokens\":100")
    );
    server.assert_finished();
}

#[test]
fn errors_carry_status_type_and_headers() {
    let server = ModelServer::start(
        Script::new().reply(model::error(429, "rate_limit_error").header("retry-after", "1")),
    );
    let response = send(&server.url(), "POST", "/v1/messages", &conversation("x"));
    assert!(response.starts_with("HTTP/1.1 429"), "{response}");
    assert!(
        response.contains("retry-after: 1\r\n") && response.contains("\"rate_limit_error\""),
        "{response}"
    );
}

#[test]
fn a_stalled_stream_goes_on_when_released() {
    let server = ModelServer::start(Script::new().reply(model::tokens(3).stall_after(3)));
    let url = server.url();
    let client = std::thread::spawn(move || {
        let address = url.strip_prefix("http://").unwrap().to_owned();
        let mut stream = TcpStream::connect(&address).unwrap();
        let body = conversation("x").to_string();
        // The write side stays open: a client that closes it counts as gone.
        write!(
            stream,
            "POST /v1/messages HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut response = String::new();
        let mut buffer = [0; 4096];
        while !response.contains("message_stop") {
            let count = stream.read(&mut buffer).unwrap();
            response.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
        }
        response
    });
    server.wait_for_stalls(1, LIMIT);
    server.release();
    assert_eq!(events(&client.join().unwrap()).len(), 8);
}

#[test]
fn a_dropped_stream_ends_in_the_middle() {
    let server = ModelServer::start(Script::new().reply(model::tokens(3).drop_after(3)));
    let response = send(&server.url(), "POST", "/v1/messages", &conversation("x"));
    assert_eq!(events(&response).len(), 3);
    assert!(!response.ends_with("0\r\n\r\n"));
}

#[test]
fn the_program_follows_directives_and_ends_with_its_stdin() {
    let sandbox = Sandbox::new();
    let program = sandbox.start(bin("scripted-model"), ["--idle-exit", "60"]);
    let url = program.wait_for(|line| line["url"].is_string(), LIMIT)["url"]
        .as_str()
        .unwrap()
        .to_owned();
    let response = send(
        &url,
        "POST",
        "/v1/messages",
        &conversation("THINK[hm] TOK[2]"),
    );
    let deltas = events(&response)
        .iter()
        .filter(|event| event["type"] == "content_block_delta")
        .count();
    assert_eq!(deltas, 4, "{response}");
    assert!(
        send(&url, "POST", "/v1/messages", &conversation("ERR[529x1] x"))
            .starts_with("HTTP/1.1 529")
    );
    assert!(
        send(&url, "POST", "/v1/messages", &conversation("ERR[529x1] x"))
            .starts_with("HTTP/1.1 200")
    );
    program.close_stdin();
    assert_eq!(program.wait_exit(LIMIT).code(), Some(0));
}

#[test]
fn the_program_ends_by_itself_when_idle() {
    let sandbox = Sandbox::new();
    let program = sandbox.start(bin("scripted-model"), ["--idle-exit", "0"]);
    assert_eq!(program.wait_exit(LIMIT).code(), Some(0));
}
