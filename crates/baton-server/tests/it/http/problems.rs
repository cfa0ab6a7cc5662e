//! Everything that can be wrong with a request is told in one form.

use serde_json::json;

use super::client::Site;

#[tokio::test]
async fn what_is_not_there_or_not_taken_is_a_problem() {
    let site = Site::new().await;
    let wanted = (404, "not_found".into());
    assert_eq!(site.get("/api/v1/nothing").await.problem(), wanted);
    let wanted = (404, "not_found".into());
    assert_eq!(site.get("/nothing.js").await.problem(), wanted);
    let wrong = site.ask("PUT", "/api/v1/status").send().await;
    assert_eq!(wrong.problem(), (405, "method_not_allowed".into()));
    assert_eq!(wrong.header("allow"), "GET,HEAD");
    let missing = site
        .get("/api/v1/sessions/ses_00000000000000000000000000000001")
        .await;
    assert_eq!(missing.problem(), (404, "not_found".into()));
    let other_kind = site.get("/api/v1/sessions/prj_0000000000000001").await;
    assert_eq!(other_kind.problem(), (404, "not_found".into()));
    assert!(
        other_kind.json()["detail"]
            .as_str()
            .unwrap()
            .contains("a project")
    );
}

#[tokio::test]
async fn a_wrong_body_says_which_field() {
    let site = Site::new().await;
    let path = "/api/v1/rules";
    let ask = || site.ask("POST", path);
    let text = ask().body("{").header("content-type", "application/json");
    assert_eq!(text.send().await.problem(), (400, "bad_json".into()));
    let twice = ask()
        .body("{} {}")
        .header("content-type", "application/json");
    assert_eq!(twice.send().await.problem().0, 400);
    let form = ask()
        .body("rule=x")
        .header("content-type", "application/x-www-form-urlencoded");
    let wanted = (415, "unsupported_media_type".into());
    assert_eq!(form.send().await.problem(), wanted);
    let plain = ask().body("{}");
    assert_eq!(plain.send().await.problem().0, 415);
    let wrong = site
        .post(
            path,
            json!({"rule": "Bash", "decision": "perhaps", "scope": "user"}),
        )
        .await;
    assert_eq!(wrong.problem(), (400, "invalid_request".into()));
    assert_eq!(wrong.json()["errors"][0]["field"], "decision");
    let unknown = site
        .post(
            path,
            json!({"rule": "Bash", "decision": "allow", "scope": "user", "x": 1}),
        )
        .await;
    assert_eq!(unknown.json()["errors"][0]["field"], "x");
    let array = ask().body("[]").header("content-type", "application/json");
    assert_eq!(array.send().await.problem().0, 400);
}

#[tokio::test]
async fn a_wrong_query_says_which_field() {
    let site = Site::new().await;
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=many", "limit"),
        ("cursor=x", "cursor"),
        ("state=sleepy", "state"),
        ("nonsense=1", "nonsense"),
    ] {
        let answer = site.get(&format!("/api/v1/sessions?{query}")).await;
        assert_eq!(answer.problem(), (400, "invalid_request".into()), "{query}");
        assert_eq!(answer.json()["errors"][0]["field"], field, "{query}");
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_before_it_is_read() {
    let site = Site::new().await;
    let body = vec![b' '; (1 << 20) + 1];
    let ask = site.ask("POST", "/api/v1/rules").body(body);
    let answer = ask.header("content-type", "application/json").send().await;
    assert_eq!(answer.problem(), (413, "too_long".into()));
}

#[tokio::test]
async fn a_request_id_is_taken_if_it_is_harmless() {
    let site = Site::new().await;
    let ask = || site.ask("GET", "/healthz");
    let mine = ask().header("x-request-id", "abc-1.2_3").send().await;
    assert_eq!(mine.header("x-request-id"), "abc-1.2_3");
    for odd in ["a b", "<script>", &"x".repeat(65)] {
        let answer = ask().header("x-request-id", odd).send().await;
        assert_ne!(answer.header("x-request-id"), odd);
        assert!(!answer.header("x-request-id").is_empty());
    }
}
