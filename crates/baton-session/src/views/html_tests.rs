use baton_protocol::event::{
    AssistantBlock, AssistantMessage, ImageOutput, ToolCompleted, UserMessage,
};
use uuid::Uuid;

use super::*;

fn answer(content: &str) -> Event {
    let block = format!(
        r#"{{"messageId":"m","block":0,"content":{}}}"#,
        json(content)
    );
    Event::AssistantMessage(AssistantMessage(
        serde_json::from_str::<AssistantBlock>(&block).unwrap(),
    ))
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn shown(event: &Event) -> String {
    Html::default().show("A title", event).unwrap()
}

#[test]
fn nothing_that_somebody_wrote_is_an_element_or_runs() {
    let hostile = [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "</main></body><iframe src=//evil.example>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1) \"onmouseover=x\")",
        "[x](data:text/html,<script>alert(1)</script>)",
        "![x](https://evil.example/pixel.png)",
        "[x](https://ok.example/\"onclick=\"alert(1))",
        "<https://ok.example/'\"><script>>",
        "```html\n</code></pre><script>alert(1)</script>\n```",
        "| <b>a</b> |\n|---|\n| <style>*{}</style> |",
        "[^1]\n\n[^1]: <object data=x>",
        "<meta http-equiv=refresh content=0>",
    ];
    let allowed = [
        "section", "h2", "p", "pre", "code", "a", "span", "div", "table", "thead", "tr", "th",
        "td", "sup", "main", "body", "html", "br",
    ];
    for text in hostile {
        let page = shown(&answer(text));
        for tag in page.split('<').skip(1) {
            let name: String = tag
                .trim_start_matches('/')
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            assert!(allowed.contains(&name.as_str()), "{text}\n{page}");
            let inside = tag.split('>').next().unwrap_or_default();
            let named = inside.split_whitespace().skip(1);
            for attribute in named.filter_map(|part| part.split_once('=')) {
                let known = ["class", "dir", "href", "rel", "tabindex", "start"];
                let word = attribute.0;
                assert!(
                    known.contains(&word) || word.contains("noreferrer"),
                    "{text}\n{page}"
                );
            }
        }
        assert!(
            !page.contains("<iframe") && !page.contains("</main>"),
            "{page}"
        );
        let lower = page.to_lowercase();
        assert!(
            !lower.contains("href=\"javascript") && !lower.contains("href=\"data"),
            "{page}"
        );
    }
}

#[test]
fn the_head_forbids_everything_but_its_own_style() {
    let head = Html::begins("A </title><script>");
    assert!(
        head.contains("<title>A &lt;/title&gt;&lt;script&gt;</title>"),
        "{head}"
    );
    let hash = STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
    assert!(
        head.contains(&format!("style-src 'sha256-{hash}'")),
        "{head}"
    );
    assert!(head.contains("default-src 'none'") && !head.contains("<script"));
    assert!(!STYLE.contains("url(") && !STYLE.contains('<'));
    let mut page = Html::default();
    let queued = UserMessage {
        message_id: baton_protocol::MessageId::from_uuid(Uuid::from_u128(1)),
        text: "later".into(),
        attachments: Vec::new(),
        queued: true,
        client: None,
    };
    assert_eq!(page.show("", &Event::UserMessage(queued)), None);
    let end = page.ends();
    assert!(end.contains("later") && end.ends_with("</html>\n"), "{end}");
}

#[test]
fn an_answer_reads_as_it_was_meant() {
    let page = shown(&answer(
        "Some *words*:\n\n| a | b |\n|---|---|\n| 1 | שלום |\n\n- [x] done\n",
    ));
    for part in [
        "<h2 dir=\"auto\">Agent</h2>",
        "<em>words</em>",
        "<th dir=\"auto\">a</th>",
        "<td dir=\"auto\">שלום</td>",
        "☑ done",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let output: ToolCompleted = serde_json::from_str(
        r#"{"toolUseId":"t","name":"Bash","durationMs":1,"output":"</code>ok","isError":false}"#,
    )
    .unwrap();
    let page = shown(&Event::ToolCompleted(output));
    assert!(
        page.starts_with("<details class=\"output\"><summary>Output</summary>"),
        "{page}"
    );
    assert!(page.contains("&lt;/code&gt;ok"), "{page}");
}

#[test]
fn pictures_are_put_in_within_a_bound_and_only_plain_ones() {
    let image = |bytes: u64, media_type: &str| {
        Event::ImageOutput(ImageOutput {
            image_id: BlobId::from_uuid(Uuid::from_u128(1)),
            media_type: media_type.into(),
            bytes,
            width: None,
            height: None,
            tool_use_id: None,
        })
    };
    let mut page = Html::default();
    assert!(page.pictures(&image(10, "image/svg+xml")).is_empty());
    assert!(page.pictures(&image(PICTURE + 1, "image/png")).is_empty());
    let taken: usize = (0..10)
        .map(|_| page.pictures(&image(PICTURE, "image/png")).len())
        .sum();
    assert_eq!(taken as u64, PICTURES / PICTURE);
    let picture = Html::default().pictures(&image(3, "image/png")).remove(0);
    let shown = Html::picture(&picture, b"abc");
    assert!(
        shown.contains("src=\"data:image/png;base64,YWJj\""),
        "{shown}"
    );
}
