//! Time to judge a call, without disk: `cargo bench -p baton-rules`.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::unwrap_used, reason = "a benchmark may fail loudly")]
#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use baton_protocol::ToolUse;
use baton_protocol::words::{ApprovalKind, PermissionMode, RuleDecision, Scope};
use baton_rules::{Call, FakePaths, Pattern, Resolved, Rule, Stage, Surroundings, judge};
use serde_json::json;

const COMMANDS: &[&str] = &[
    "ls -la",
    "git status --short",
    "git log --oneline -20 | head -5",
    "cat README.md",
    "grep -rn 'fn main' src",
    "find . -name '*.rs' -not -path './target/*'",
    "cargo test --workspace --lib -- --nocapture",
    "npm run lint",
    "cd web && npm test 2>&1 | tail -40",
    "git add -A && git commit -m 'area: what changes'",
    "sed -n '1,200p' crates/a/src/lib.rs | grep -n pub | head -50",
    "for f in src/*.rs; do wc -l \"$f\"; done",
    "python3 -c 'import json,sys; print(json.load(sys.stdin)[\"x\"])' < a.json",
    "docker compose up -d && docker compose logs --tail=50 web",
    "rm -rf node_modules && npm ci",
    "curl -s http://127.0.0.1:8080/health | jq .status",
];

const RULES: &[(&str, RuleDecision)] = &[
    ("Bash(rm:*)", RuleDecision::Deny),
    ("Bash(git push:*)", RuleDecision::Deny),
    ("Read(.env)", RuleDecision::Deny),
    ("Edit(secrets/**)", RuleDecision::Deny),
    ("Bash(docker:*)", RuleDecision::Ask),
    ("Bash(cargo test:*)", RuleDecision::Allow),
    ("Bash(npm run lint:*)", RuleDecision::Allow),
    ("Bash(git add:*)", RuleDecision::Allow),
    ("Bash(git commit:*)", RuleDecision::Allow),
    ("Edit(src/**)", RuleDecision::Allow),
];

fn main() {
    let paths = FakePaths::default().and_files([
        "/home/user/proj/.env",
        "/home/user/proj/src/main.rs",
        "/home/user/proj/web/package.json",
    ]);
    println!("| Rules | p50 | p99 | longest command's mean |");
    println!("|---|---|---|---|");
    for rules in [&RULES[..0], RULES] {
        row(rules, &paths);
    }
}

fn row(rules: &[(&str, RuleDecision)], paths: &FakePaths) {
    let rules: Vec<Rule> = rules
        .iter()
        .map(|(text, decision)| Rule {
            id: "rul_00000000000000000000000000000001".parse().unwrap(),
            pattern: Pattern::parse(text).unwrap(),
            decision: *decision,
            scope: Scope::Project,
        })
        .collect();
    let mut times: Vec<Duration> = Vec::new();
    let mut slowest = Duration::ZERO;
    for command in COMMANDS {
        let mut sum = Duration::ZERO;
        for _ in 0..2_000 {
            let began = Instant::now();
            black_box(judged(black_box(command), &rules, paths));
            let took = began.elapsed();
            times.push(took);
            sum += took;
        }
        slowest = slowest.max(sum / 2_000);
    }
    times.sort_unstable();
    let at = |share: usize| times[times.len() * share / 100].as_nanos() as f64 / 1_000.0;
    println!(
        "| {} | {:.1} µs | {:.1} µs | {:.1} µs |",
        rules.len(),
        at(50),
        at(99),
        slowest.as_nanos() as f64 / 1_000.0
    );
}

fn judged(command: &str, rules: &[Rule], paths: &FakePaths) -> baton_rules::Verdict {
    let input = json!({ "command": command });
    let project = Path::new("/home/user/proj");
    let call = Call {
        tool: "Bash",
        what: &ToolUse::shell(command),
        input: &input,
        cwd: project,
        moving: false,
        doubt: None,
        project,
        home: Path::new("/home/user"),
    };
    let around = Surroundings {
        plans: None,
        own_server: None,
        extra: &[],
        readable: &[],
        secrets: &[],
        credentials: &[],
        obeyed: &[],
        settings: &[],
        paths,
    };
    let resolved = Resolved::of(&call, paths);
    judge(
        Stage::BeforeUse,
        ApprovalKind::Tool,
        PermissionMode::Default,
        rules,
        &resolved,
        &around,
    )
}
