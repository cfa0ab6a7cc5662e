//! Numbers, read as Prometheus reads them.

use std::collections::{BTreeMap, BTreeSet};

use super::client::Site;

/// A family of numbers: its kind, and each sample's name, labels and value.
#[derive(Debug, Default)]
struct Family {
    kind: String,
    samples: Vec<(String, BTreeMap<String, String>, f64)>,
}

/// Reads the text format, and fails on anything that it does not allow.
fn read(text: &str) -> BTreeMap<String, Family> {
    assert!(text.ends_with('\n'), "the last line ends too");
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let mut helped = BTreeSet::new();
    let mut current = String::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').unwrap();
            assert!(!words.trim().is_empty(), "{line}");
            assert!(helped.insert(name.to_owned()), "told twice: {line}");
            continue;
        }
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert!(is_name(name) && helped.contains(name), "{line}");
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(!families.contains_key(name), "two parts: {line}");
            current = name.to_owned();
            families.entry(current.clone()).or_default().kind = kind.to_owned();
            continue;
        }
        let (name, labels, value) = sample(line);
        let family = families.get_mut(&current).expect("a type comes first");
        let ending = name.strip_prefix(current.as_str()).expect(line);
        let allowed: &[&str] = match family.kind.as_str() {
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        assert!(allowed.contains(&ending), "{line}");
        assert!(
            !family
                .samples
                .iter()
                .any(|one| one.0 == name && one.1 == labels),
            "twice: {line}"
        );
        family.samples.push((name, labels, value));
    }
    families
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn sample(line: &str) -> (String, BTreeMap<String, String>, f64) {
    let (head, value) = line.rsplit_once(' ').expect(line);
    let (name, labels) = match head.split_once('{') {
        Some((name, labels)) => (name, labels.strip_suffix('}').expect(line)),
        None => (head, ""),
    };
    assert!(is_name(name), "{line}");
    let labels = labels.split(',').filter(|label| !label.is_empty());
    let labels = labels.map(|label| {
        let (name, value) = label.split_once('=').expect(line);
        let value = value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let value = value.expect(line);
        assert!(
            is_name(name) && !value.contains(['"', '\\', '\n']),
            "{line}"
        );
        (name.to_owned(), value.to_owned())
    });
    (
        name.to_owned(),
        labels.collect(),
        value.parse().expect(line),
    )
}

/// Classes grow, and the last holds all.
fn check_histogram(name: &str, family: &Family) {
    let of = |ending: &str| {
        let wanted = format!("{name}{ending}");
        let samples = family.samples.iter();
        samples.filter(move |one| one.0 == wanted)
    };
    let classes: Vec<(f64, f64)> = of("_bucket")
        .map(|(_, labels, count)| (labels["le"].parse().unwrap(), *count))
        .collect();
    assert!(
        classes.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1),
        "{name}"
    );
    let (bound, all) = *classes.last().unwrap();
    assert!(bound.is_infinite(), "{name}");
    assert_eq!(of("_count").next().unwrap().2, all, "{name}");
    assert!(of("_sum").next().unwrap().2 >= 0.0, "{name}");
}

#[tokio::test]
async fn the_numbers_are_valid_and_count_what_happens() {
    let (site, id) = Site::at("hello", "idle").await;
    let mut socket = site.signed(&site.token).await;
    socket.ask("sessions", None, serde_json::json!({})).await;
    let answer = site.get("/metrics").await;
    assert!(
        answer
            .header("content-type")
            .starts_with("text/plain; version=0.0.4")
    );
    let families = read(std::str::from_utf8(&answer.body).unwrap());
    for (name, family) in &families {
        assert!(!family.samples.is_empty(), "{name}");
        match family.kind.as_str() {
            "histogram" => check_histogram(name, family),
            "counter" => assert!(name.ends_with("_total"), "{name}"),
            _ => {}
        }
    }
    let value = |name: &str, label: Option<(&str, &str)>| {
        let samples = &families.get(name).expect(name).samples;
        let mut samples = samples.iter().filter(|(_, labels, _)| {
            label.is_none_or(|(name, value)| labels.get(name).is_some_and(|one| one == value))
        });
        samples.next().expect(name).2
    };
    let row = site.got(200, &format!("/api/v1/sessions/{id}")).await;
    let events = row["eventCount"].as_f64().unwrap();
    assert_eq!(value("baton_store_events_total", None), events);
    assert_eq!(value("baton_events_total", None), events);
    assert_eq!(value("baton_sessions", Some(("state", "idle"))), 1.0);
    assert_eq!(value("baton_http_streams", None), 1.0);
    assert_eq!(
        value("baton_store_append_seconds", Some(("le", "+Inf"))),
        value("baton_store_appends_total", None)
    );
    for queue in ["store_writes", "store_reads", "clients", "fullest_client"] {
        assert!(value("baton_queue_depth", Some(("queue", queue))) >= 0.0);
    }
    assert!(value("process_resident_memory_bytes", None) > 0.0);
}
