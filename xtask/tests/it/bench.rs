use serde_json::json;
use xtask::bench::benches;
use xtask::metadata::Metadata;

#[test]
fn only_benchmarks_of_members_with_the_filter_in_their_name_run() {
    let target = |name: &str, kind: &str| json!({"name": name, "kind": [kind]});
    let package = |name: &str, targets: &[serde_json::Value]| {
        json!({"id": name, "name": name, "version": "0.0.0", "license": null, "source": null,
            "dependencies": [], "targets": targets})
    };
    let json = json!({
        "packages": [
            package("store", &[target("append", "bench"), target("it", "test")]),
            package("claude", &[target("codec", "bench")]),
            package("outside", &[target("append", "bench")]),
        ],
        "workspace_members": ["store", "claude"],
    });
    let metadata = Metadata::parse(&json.to_string()).unwrap();
    let pair = |package: &str, bench: &str| (package.to_owned(), bench.to_owned());
    assert_eq!(
        benches(&metadata, ""),
        [pair("store", "append"), pair("claude", "codec")]
    );
    assert_eq!(benches(&metadata, "cod"), [pair("claude", "codec")]);
}
