use proptest::prelude::*;
use serde_json::{Value, json};

use super::{json as masked_json, *};
use crate::{event::SessionOptions, words::Json};

const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\n\
    b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n\
    QyNTUxOQAAACB0aGlzIGlzIG5vdCBhIGtleSwganVzdCBzb21lIHRleHQh=\n\
    -----END OPENSSH PRIVATE KEY-----";

/// Texts with the secret that must not be left of each.
const SECRETS: &[(&str, &str)] = &[
    (
        "key sk-ant-api03-abcDEF1234567890abcdef here",
        "abcDEF1234567890",
    ),
    ("sk-proj-A1b2C3d4E5f6G7h8I9j0", "A1b2C3d4"),
    (
        "export X=ghp_abcdefghijklmnopqrstuvwxyz0123456789.",
        "abcdefghijklm",
    ),
    ("gho_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijklm"),
    ("github_pat_11ABCDEFG0abcdefghijkl_mnop", "11ABCDEFG0"),
    ("id AKIAIOSFODNN7EXAMPLE,", "IOSFODNN7"),
    ("xoxb-123456789012-abcdefABCDEF", "123456789012"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "SyA123456"),
    (
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r",
        "dBjftJeZ4",
    ),
    ("Authorization: Bearer 0123456789abcdef", "0123456789abcdef"),
    ("-H 'authorization: token abcdef123456'", "abcdef123456"),
    ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpw"),
    ("curl -H \"X-Api-Key: 9f8e7d6c5b4a\"", "9f8e7d6c5b4a"),
    ("PASSWORD=hunter22", "hunter22"),
    ("password = \"correct-horse\"", "correct-horse"),
    ("DB_PASSWORD: s3cretValue", "s3cretValue"),
    ("\"clientSecret\": \"a1b2c3d4e5f6\"", "a1b2c3d4e5f6"),
    (
        "{\\\"password\\\": \\\"hunter2hunter2\\\"}",
        "hunter2hunter2",
    ),
    (
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
        "wJalrXUtnFEMI",
    ),
    (
        "https://x.example/?access_token=abc123def456&page=2",
        "abc123def456",
    ),
    (
        "git clone https://user:p4ss-word@host.example/x.git",
        "p4ss-word",
    ),
    ("postgres://app:hunter2@db/prod", "hunter2"),
    ("tool --token abcdef123456 --verbose", "abcdef123456"),
    ("tool --api-key=abcdef123456", "abcdef123456"),
    (
        "open http://127.0.0.1:2633/#link=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA",
        "Zm9vYmFyYmF6",
    ),
    ("baton_api_Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA", "Zm9vYmFyYmF6"),
    ("PGPASSWORD=hunter22 psql", "hunter22"),
    ("<password>hunter22</password>", "hunter22"),
    ("curl -s -u admin:hunter2 http://x", "hunter2"),
    ("curl --user 'admin:hunt er2' http://x", "hunt er2"),
    ("curl -uadmin:hunter2 http://x", "hunter2"),
    ("Bash(curl -u admin:hunter2 http://x)", "hunter2"),
    ("ssh host 'mysql -u root -phunter2 shop'", "hunter2"),
    (
        r#"[["Bash",{"command":"curl -u admin:hunter2 -H 'X: y' http://x"}]]"#,
        "hunter2",
    ),
    (
        r#"{\"command\":\"cd x; curl -u admin:hunter2 -H 'X: y' http://x\"}"#,
        "hunter2",
    ),
    (r#"bash -c "redis-cli -a 'hunter2' ping""#, "hunter2"),
    ("mysql -u root -phunter2 shop", "hunter2"),
    ("sshpass -p hunter2 ssh host", "hunter2"),
    ("redis-cli -h x -a hunter2 ping", "hunter2"),
    ("docker login -u me -p hunter2 host", "hunter2"),
    ("echo x | smbclient -U me%hunter2 //h/s", "hunter2"),
    ("hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "abcdefghijklm"),
    (
        "SG.abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefg",
        "ABCDEFGHIJKLM",
    ),
    (KEY, "b3BlbnNzaC1rZXk"),
    ("SMTP_PASS=x7Kp2qLm9", "x7Kp2qLm9"),
    ("SMTP_PASS=correcthorse", "correcthorse"),
    ("db_pass: x7Kp2qLm9", "x7Kp2qLm9"),
    ("dbpass=x7Kp2qLm9", "x7Kp2qLm9"),
    ("{ \"pass\": \"x7Kp2qLm9\" }", "x7Kp2qLm9"),
    ("pass: x7Kp2qLm9", "x7Kp2qLm9"),
    ("tool --pass x7Kp2qLm9", "x7Kp2qLm9"),
    ("passwd x7Kp2qLm9", "x7Kp2qLm9"),
    ("the password x7Kp2qLm9.", "x7Kp2qLm9"),
    ("Password is x7Kp2qLm9", "x7Kp2qLm9"),
    ("the password is: `hunter22`, keep it", "hunter22"),
    ("passphrase was hunter22!", "hunter22"),
    ("CARD_PIN=483920", "483920"),
    (
        "post to https://hooks.slack.com/services/T0AB12CD3/B0EF45GH6/aBcDeFgHiJkLmNoPqRsTuVwX now",
        "aBcDeFgHiJkL",
    ),
    (
        "https://discord.com/api/webhooks/123456789012345678/abcdefghijKLMNOPqrstuvwx_yz-ABCDEF",
        "abcdefghijKL",
    ),
    (
        "https://discordapp.com/api/v10/webhooks/123456789012345678/abcdefghijKLMNOPqrstuvwx",
        "abcdefghijKL",
    ),
    ("Authorization: Bearer abcdefghijklmnop", "abcdefghijklmnop"),
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    (
        "headers = {\"Authorization\": \"Bearer abcdefghijklmnop\"}",
        "abcdefghijklmnop",
    ),
];

/// Ordinary text and code.
const PLAIN: &[&str] = &[
    "2fc31183c1d5a8f0c7e9b1d2a3f4e5c6b7a8d9e0",
    "commit 2fc31183c1d5a8f0c7e9b1d2a3f4e5c6b7a8d9e0 (HEAD -> main)",
    "550e8400-e29b-41d4-a716-446655440000",
    "ses_0193b2f0a7c87d1f9e6b5a4c3d2e1f00",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "\"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"",
    "fn token(&self) -> Option<Token> { self.token.clone() }",
    "let token = lexer.next_token();",
    "const password: string = form.password;",
    "token: &str, secret: &[u8], password: Option<String>",
    "if (token === null) return;",
    "max_tokens=200000, input_tokens: 12345678",
    "\"maxTokens\": 123456789012",
    "type=\"password\" autocomplete=\"current-password\"",
    "password: \"Please enter your password\"",
    "const TOKEN = process.env.GITHUB_TOKEN;",
    "token = os.environ[\"GITHUB_TOKEN\"]",
    "PASSWORD=$DB_PASSWORD TOKEN=${TOKEN1} SECRET=<your secret 1>",
    "password=********",
    "the secret is: never give up",
    "sk-learn-something-quite-long-name and risk-averse-sk-something",
    "Basic understanding of bearer instruments",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    "https://host.example/path?page=2&sort=name#section-12",
    "ssh git@github.com:owner/repo.git and mail user@host.example",
    "http://localhost:2633/p/shop and 12:30:45",
    "cargo test -p baton-protocol --test it mask_tests::secrets",
    "tokenizer=WordPiece2024 secretary: Miller2000 keyboard=Qwertz105",
    "key: Key2Something, primaryKey: id12345678",
    "mysql -u root -p shop",
    "docker run -p 8080:80 -u 1000:1000 image",
    "curl -u $USER:$PASS http://x",
    "mkdir -p a/b && ssh -p 22 host",
    "<name>hunter22</name> and Vec<Password>::new()",
    "secret_name = name_of_it; password_hash: argon2id",
    "--- PASS: TestParseV2Config12 (0.00s)",
    "PASS src/app2.test.js and 12 tests pass Config2Test",
    "the password is required and the password is base64 encoded",
    "Password is sha256-hashed; password argon2id hash, password field2 of the form",
    "bypass: Mode12345678 compass=North1234 led_pin = 13 pin: 4",
    "run passwd deploy and change the passphrase of key1",
    "Authorization: Bearer token, Authorization: Basic credentials",
    "Authorization: Bearer YOUR_API_KEY and Authorization: Bearer $TOKEN",
    "https://docs.example/webhooks/12345/settings and api/webhooks/list/everything-there-is-to-know",
    "https://hooks.slack.com/services/ is where they are",
];

#[test]
fn secrets_are_masked_and_the_rest_stays() {
    for (source, secret) in SECRETS {
        assert!(source.contains(secret), "{source}");
        let shown = text(source);
        assert!(!shown.contains(secret), "{source}: {shown}");
        assert!(shown.contains(MASK), "{source}: {shown}");
        let around = format!("before {source}\nafter");
        let shown = text(&around);
        assert!(shown.starts_with("before "), "{shown}");
        assert!(shown.ends_with("\nafter"), "{shown}");
        assert!(!shown.contains(secret), "{shown}");
        assert_eq!(text(&shown), shown, "a second look changes nothing");
    }
}

#[test]
fn ordinary_text_and_code_stay_as_they_are() {
    for source in PLAIN {
        assert_eq!(text(source), *source);
        let quoted = serde_json::to_string(source).unwrap();
        assert_eq!(masked_json(&quoted), quoted);
    }
}

#[test]
fn json_stays_json_with_its_names() {
    let secret = "s3cret-value-1";
    let value = json!({
        "type": "tool.requested",
        "payload": {
            "toolUseId": "toolu_01A09q90qw90lq917835lq9",
            "input": {
                "env": {"GITHUB_TOKEN": secret, "PATH": "/usr/bin"},
                "command": format!("curl -H 'Authorization: Bearer {secret}' \"x\"\n"),
                "nested": format!("{{\"password\": \"{secret}\"}}"),
            },
        },
        "password": "short",
    });
    let shown = masked_json(&value.to_string()).into_owned();
    assert!(!shown.contains(secret), "{shown}");
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["payload"]["input"]["env"]["GITHUB_TOKEN"], MASK);
    assert_eq!(shown["payload"]["input"]["env"]["PATH"], "/usr/bin");
    assert_eq!(shown["payload"]["toolUseId"], value["payload"]["toolUseId"]);
    assert_eq!(shown["password"], "short");
}

#[test]
fn a_key_that_is_told_line_by_line_is_masked_to_its_end() {
    let rows: Vec<Value> = KEY.lines().map(|line| json!({"text": line})).collect();
    let value = json!({"rows": rows, "after": "plain"});
    let shown = masked_json(&value.to_string()).into_owned();
    assert!(
        !shown.contains("b3Blbn") && !shown.contains("QyNTUx"),
        "{shown}"
    );
    assert!(shown.contains("plain"), "{shown}");
    // Also where its beginning is out of sight.
    let rows: Vec<Value> = KEY
        .lines()
        .skip(1)
        .map(|line| json!({"text": line}))
        .collect();
    let shown = masked_json(&json!({ "rows": rows }).to_string()).into_owned();
    assert!(
        !shown.contains("b3Blbn") && !shown.contains("QyNTUx"),
        "{shown}"
    );
}

#[test]
fn pieces_of_a_text_never_tell_a_secret_wherever_they_are_cut() {
    for (source, secret) in SECRETS {
        let source = format!("one two\nsay {source} and go on \nlast line");
        let whole = text(&source).into_owned();
        for first in 0..=source.len() {
            if !source.is_char_boundary(first) {
                continue;
            }
            for step in [1, 7] {
                let mut mask = LineMask::default();
                let mut told = mask.push(&source[..first]);
                let rest: Vec<char> = source[first..].chars().collect();
                for piece in rest.chunks(step) {
                    told += &mask.push(&piece.iter().collect::<String>());
                    let inner = secret.get(..6).unwrap();
                    assert!(!told.contains(inner), "{source} cut at {first}: {told}");
                }
                if !source.contains(KEY) {
                    assert!(whole.starts_with(&told), "{whole}\n{told}");
                }
            }
        }
    }
    let mut mask = LineMask::default();
    assert_eq!(mask.push("plain words come at "), "plain words come at ");
    assert_eq!(mask.push("on"), "");
    assert_eq!(mask.push("ce"), "");
    assert_eq!(mask.push(" now"), "once ");
}

/// Texts whose secret is on a line below its name.
const BELOW: &[(&str, &str)] = &[
    ("Password:\n  hunter22\n", "hunter22"),
    ("Password:\n\nhunter2\n", "hunter2"),
    ("password:\r\n  hunter22\r\nnext: 1\n", "hunter22"),
    (
        "db:\n  password: |\n    s3cret line\n    hunter22\n  host: x\n",
        "hunter22",
    ),
    (
        "  password: >-\n    correct-horse\n  host: x\n",
        "correct-horse",
    ),
    ("token: |2\n   abc123def456\n", "abc123def456"),
    (
        "{\n  \"password\":\n    \"hunter22\",\n  \"x\": 1\n}\n",
        "hunter22",
    ),
    ("const password =\n  'correct-horse';\n", "correct-horse"),
    ("<password>\n  hunter22\n</password>\n", "hunter22"),
    (
        "    1→password: |\n    2→  hunter22\n    3→host: x\n",
        "hunter22",
    ),
    ("1\tpassword:\n2\t  hunter22\n", "hunter22"),
    ("+api_key: |\n+  abc123def456\n+host: x\n", "abc123def456"),
    ("Your API token:\n`abc123def456`\n", "abc123def456"),
    ("secret:\ntoken:\n  abc123def456\n", "abc123def456"),
    ("password:\thunter22\n", "hunter22"),
];

#[test]
fn what_a_name_announces_is_masked_on_the_lines_below_too() {
    for (source, secret) in BELOW {
        let source = format!("one two\n{source}last line\n");
        let shown = text(&source).into_owned();
        assert!(!shown.contains(secret), "{source}: {shown}");
        assert!(shown.ends_with("last line\n"), "{shown}");
        assert_eq!(text(&shown), shown, "a second look changes nothing");
        let quoted = serde_json::to_string(&source).unwrap();
        assert!(!masked_json(&quoted).contains(secret), "{source}");
        for first in (0..=source.len()).filter(|at| source.is_char_boundary(*at)) {
            for step in [1, 7, 400] {
                let mut mask = LineMask::default();
                let mut told = mask.push(&source[..first]);
                for piece in source[first..].chars().collect::<Vec<_>>().chunks(step) {
                    told += &mask.push(&piece.iter().collect::<String>());
                    assert!(
                        !told.contains(&secret[..6]),
                        "{source} cut at {first}: {told}"
                    );
                    assert!(shown.starts_with(&told), "{shown}\n{told}");
                }
                assert_eq!(told, shown);
            }
        }
    }
}

#[test]
fn ordinary_lines_below_such_a_name_stay_as_they_are() {
    let sources = "password:\n  type: string\n  minLength: 12\n · password:\n  required\n · \
        PASSWORD=\nDB_HOST=localhost1\n · password:\nuser2:\n · \
        You need a token:\n1. open https://x.example/v2\n · \
        You need a token:\n\nSection2 says how to get one.\n · The secret:\nnever give up\n · \
        token:\n  - name1\n · let token =\n    lexer2.next_token(1);\n · \
        const password =\n  process.env.DB_PASS2;\n · \
        token: |\n  Says who you are.\n  Get it from a friend.\nport: 8080\n · \
        fn f(\n    token:\n        Option<[u8; 32]>,\n) {}\n · \
        password:\n\n\nhunter22 is far away\n · Enter the password:\n> \n2 files changed\n · \
        | token: | 12 |\n|---|---|\n";
    for source in sources.split(" · ") {
        assert_eq!(text(source), source);
        let mut mask = LineMask::default();
        let told = mask.push(source) + &mask.push("end\n");
        assert_eq!(told, format!("{source}end\n"));
    }
}

#[test]
fn a_block_without_an_end_is_not_kept_for_ever() {
    let mut mask = LineMask::default();
    let mut told = mask.push("token: |\n");
    for _ in 0..40 {
        told += &mask.push(&format!("  abc123{}\n", "x".repeat(10_000)));
    }
    told += &mask.push("host: x\n");
    assert_eq!(told, format!("token: |\n{MASK}\nhost: x\n"));
}

#[test]
fn a_line_without_an_end_is_not_kept_for_ever() {
    let mut mask = LineMask::default();
    let mut told = String::new();
    for _ in 0..40 {
        told += &mask.push(&"x".repeat(10_000));
    }
    assert_eq!(told, MASK);
    assert_eq!(mask.push("\nnext line \n"), "\nnext line \n");
}

#[test]
fn options_keep_their_names_and_lose_their_secrets() {
    let options = SessionOptions {
        model: Some("opus".into()),
        append_system_prompt: Some("Use ghp_abcdefghijklmnopqrstuvwxyz0123456789.".into()),
        mcp_servers: Some(Json::of(&json!({
            "web": {
                "type": "http",
                "url": "https://me:pw@host.example/mcp?key=abc&x=1#frag",
                "headers": {"Authorization": "Bearer S", "X-Any": "v"},
                "oauth": {"clientSecret": ["q"]},
            },
            "own": {
                "command": "npx",
                "args": ["-y", "@scope/server", "--token", "t1", "--api-key=k1", "--verbose"],
                "env": {"KEY": "e1"},
                "timeout": 5,
            },
        }))),
        ..SessionOptions::default()
    };
    let (shown, hidden) = hide(&options);
    let told = serde_json::to_value(&shown).unwrap();
    assert_eq!(
        told,
        json!({
            "model": "opus",
            "appendSystemPrompt": "Use •••.",
            "mcpServers": {
                "web": {
                    "type": "http",
                    "url": "https://•••@host.example/mcp?key=•••&x=•••#•••",
                    "headers": {"Authorization": MASK, "X-Any": MASK},
                    "oauth": {"clientSecret": [MASK]},
                },
                "own": {
                    "command": "npx",
                    "args": ["-y", "@scope/server", "--token", MASK, "--api-key=•••", "--verbose"],
                    "env": {"KEY": MASK},
                    "timeout": 5,
                },
            },
        })
    );
    assert_eq!(hidden.put_back(&shown), options);
    let (again, nothing) = hide(&shown);
    assert_eq!((again, nothing.is_empty()), (shown.clone(), true));
    // What was changed since stays changed.
    let changed = SessionOptions {
        mcp_servers: None,
        ..shown
    };
    assert_eq!(hidden.put_back(&changed).mcp_servers, None);
    let file = SessionOptions {
        mcp_servers: Some(Json::of("/srv/mcp.json")),
        ..SessionOptions::default()
    };
    assert!(hide(&file).1.is_empty());
    let inline = SessionOptions {
        mcp_servers: Some(Json::of(r#"{"mcpServers":{}}"#)),
        ..SessionOptions::default()
    };
    assert_eq!(hide(&inline).0.mcp_servers, Some(Json::of(MASK)));
}

#[test]
fn an_old_event_is_shown_without_the_secrets_of_its_options() {
    let old = r#"{"seq":1,"type":"session.created","payload":{"agent":"claude","options":{"mcpServers":{"m":{"type":"http","headers":{"Authorization":"Bearer S"}}}}}}"#;
    let shown = event_text(old);
    assert!(!shown.contains("Bearer S"), "{shown}");
    assert!(shown.contains(r#""Authorization":"•••""#), "{shown}");
    let other = r#"{"type":"user.message","payload":{"text":"\"session.created\" options"}}"#;
    assert_eq!(event_text(other), other);
}

proptest! {
    #[test]
    fn nothing_is_too_odd_to_be_looked_at(source in "\\PC{0,200}") {
        let shown = text(&source).into_owned();
        prop_assert_eq!(text(&shown).into_owned(), shown);
        let quoted = serde_json::to_string(&source).unwrap();
        let shown = masked_json(&quoted).into_owned();
        prop_assert!(serde_json::from_str::<String>(&shown).is_ok());
        masked_json(&source);
        LineMask::default().push(&source);
    }
}

/// What stands before a credential without a blank between.
const GLUE: &[&str] = &[
    "\u{1b}[31m",
    "\u{1b}[0;1;32m",
    "\u{1b}]0;t\u{7}",
    "\\n",
    "\\t",
    "\\u001b[1m",
    "\\x1b[m",
    "%20",
    "%3D",
    "_",
    "-",
    "x",
    "7",
    "a_b-",
    "null",
    "é",
    "\u{200b}",
];

/// One of every shape.
const SHAPED: &[&str] = &[
    "sk-ant-api03-abcDEF1234567890abcdef",
    "sk-proj-A1b2C3d4E5f6G7h8I9j0",
    "sk_live_a1b2c3d4e5f6g7",
    "whsec_0123456789abcdefgh",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "ghs_ABCDEFGHIJKLmnopqrstuvwx",
    "github_pat_11ABCDEFG0abcdefghijkl_mnop",
    "glpat-a1b2c3d4e5f6g7h8",
    "xoxb-123456789012-abcdefABCDEF",
    "xapp-1-A0123-456",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "ya29.a0AfH6SMBxxxxxxxxxxxx",
    "npm_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "SG.abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefg",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r",
    "Bearer 0123456789abcdef",
    "baton_api_Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MA",
    "token=abc123def456",
    "api_key: abc123def456",
];

#[test]
fn no_glue_before_or_behind_a_credential_shows_it() {
    for before in GLUE {
        for secret in SHAPED {
            for after in ["", "\u{1b}[0m", "\\n", "%20", " x", "\""] {
                let shown = text(&format!("say {before}{secret}{after}")).into_owned();
                let tail = &secret[secret.len() - 6..];
                assert!(!shown.contains(tail), "{before:?} {secret}: {shown}");
            }
        }
    }
}

#[test]
fn words_that_have_the_letters_of_a_shape_in_them_stay() {
    for plain in [
        "feature/task-1234-Fix-Login-Page-For-Everyone",
        "highs_and_lows_of_the_whole_long_year",
        "keyJsonDecoder.decodeValue(x)",
        "risk-based-Approach-2024-Quarter-Four",
        "MSG.SOMETHING_LONG_THAT_IS_A_CONSTANT_NAME_AND_MORE",
        "self.shelf_position_of_the_book_in_the_library",
        "OLDPWD=/srv/work1 compat: version12345",
    ] {
        assert_eq!(text(plain), plain);
    }
}

proptest! {
    #[test]
    fn a_credential_is_masked_whatever_stands_before_it(
        before in "[\\x00-\\x7f]{0,8}|\\PC{0,8}",
        one in 0..SHAPED.len(),
    ) {
        // A name that takes no value, or a quote that hides none.
        let source = format!("{before}{}", SHAPED[one]);
        let shown = text(&source).into_owned();
        let tail = &SHAPED[one][SHAPED[one].len() - 6..];
        prop_assert!(!shown.contains(tail), "{:?}: {:?}", source, shown);
    }
}

#[test]
fn secrets_are_told_with_their_kind_line_by_line_and_once() {
    let source = json!({
        "command": "curl -u joe:ab https://x.example -H 'Authorization: Bearer abc123def456ghi' && \
                    curl -u joe:ab https://y.example",
        "env": {"PGPASSWORD": "hunter22", "note": "hunter22 is not behind a name here"},
        "key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----\n",
    });
    let told: Vec<_> = secrets(&source.to_string())
        .into_iter()
        .map(|one| (one.text, one.kind.as_str(), one.before))
        .collect();
    let plain = |text: &str, kind| (text.to_owned(), kind, None);
    assert_eq!(
        told,
        [
            ("ab".to_owned(), "password", Some("curl -u joe:".to_owned())),
            plain("Bearer abc123def456ghi", "token"),
            plain("hunter22", "password"),
            plain("-----BEGIN PRIVATE KEY-----", "private_key"),
            plain("MIIEvQIBADANBgkqhkiG9w0B", "private_key"),
            plain("-----END PRIVATE KEY-----", "private_key"),
        ]
    );
    assert_eq!(secrets(r#"{"command":"cargo test"}"#), []);
}

#[test]
fn what_is_told_is_what_is_masked() {
    for (source, _) in SECRETS {
        let quoted = json!({ "command": source }).to_string();
        assert!(!secrets(&quoted).is_empty(), "{source}");
    }
}
