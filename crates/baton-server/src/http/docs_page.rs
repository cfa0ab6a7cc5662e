//! The document for people: plain HTML with nothing to run in it.

use std::fmt::Write as _;

use axum::{body::Body, http::StatusCode};
use serde_json::Value;

use super::{
    answer::{Answer, Reply, with_type},
    openapi,
    page::of_the_page,
    route::{Call, Content, Replies},
};
use baton_protocol::api::Problem;

/// A page of this program's own.
pub(crate) struct Html(String);

impl Answer for Html {
    fn replies() -> Vec<Replies> {
        vec![Replies {
            status: 200,
            content: Content::Text("text/html"),
        }]
    }

    fn reply(self) -> Reply {
        let kind = "text/html; charset=utf-8";
        of_the_page(with_type(StatusCode::OK, kind, Body::from(self.0)))
    }
}

pub(crate) async fn show(_: Call, (): ()) -> Result<Html, Problem> {
    Ok(Html(page(&openapi::document())))
}

fn page(document: &Value) -> String {
    let mut html = String::from(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Baton: HTTP API</title></head><body><h1>Baton: HTTP API</h1>",
    );
    let text = |value: &Value| escape(value.as_str().unwrap_or(""));
    for part in document["info"]["description"]
        .as_str()
        .unwrap_or("")
        .split("\n\n")
    {
        write!(html, "<p>{}</p>", escape(part)).ok();
    }
    html.push_str("<p>The whole document for programs: <code>GET /api/openapi.json</code></p>");
    let paths = document["paths"].as_object().into_iter().flatten();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let method = method.to_ascii_uppercase();
            let id = text(&operation["operationId"]);
            write!(
                html,
                "<h2 id=\"{id}\"><code>{method} {}</code></h2><p>{}</p>",
                escape(path),
                text(&operation["summary"])
            )
            .ok();
            operation_details(&mut html, operation);
        }
    }
    html.push_str("<h2>Types</h2>");
    let schemas = document["components"]["schemas"].as_object();
    for (name, schema) in schemas.into_iter().flatten() {
        let pretty = serde_json::to_string_pretty(schema).unwrap_or_default();
        let name = escape(name);
        write!(
            html,
            "<details id=\"type-{name}\"><summary><code>{name}</code> {}</summary><pre>{}</pre></details>",
            text(&schema["description"]),
            escape(&pretty)
        )
        .ok();
    }
    html.push_str("</body></html>");
    html
}

fn operation_details(html: &mut String, operation: &Value) {
    let scope = operation["x-scope"].as_str();
    let who = scope.map_or_else(
        || "Anyone may ask.".to_owned(),
        |scope| format!("Needs the scope <code>{}</code>.", escape(scope)),
    );
    write!(html, "<p>{who}</p><ul>").ok();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or("");
        let place = parameter["in"].as_str().unwrap_or("");
        let meaning = parameter["description"].as_str().unwrap_or("");
        write!(
            html,
            "<li><code>{}</code> ({place}) {}</li>",
            escape(name),
            escape(meaning)
        )
        .ok();
    }
    let body = &operation["requestBody"]["content"]["application/json"];
    if !body["schema"].is_null() {
        write!(html, "<li>body: {}</li>", type_of(&body["schema"])).ok();
    }
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        let content = response["content"].as_object().into_iter().flatten();
        let types: Vec<String> = content.map(|(_, one)| type_of(&one["schema"])).collect();
        let meaning = response["description"].as_str().unwrap_or("");
        write!(
            html,
            "<li>{status}: {} {}</li>",
            escape(meaning),
            types.join(", ")
        )
        .ok();
    }
    html.push_str("</ul>");
}

/// A link to a type, or its schema.
fn type_of(schema: &Value) -> String {
    match schema["$ref"].as_str() {
        Some(target) => {
            let name = escape(target.rsplit('/').next().unwrap_or(""));
            format!("<a href=\"#type-{name}\">{name}</a>")
        }
        None => format!("<code>{}</code>", escape(&schema.to_string())),
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn nothing_in_the_document_becomes_a_part_of_the_page() {
        let evil = "<script>alert('1')</script>\"&";
        let document = serde_json::json!({
            "info": {"title": evil, "description": evil},
            "paths": {(evil): {"get": {"summary": evil, "operationId": evil}}},
            "components": {"schemas": {(evil): {"description": evil}}},
        });
        let html = page(&document);
        assert!(!html.contains("<script>alert"), "{html}");
        assert!(html.contains("&lt;script&gt;alert(&#39;1&#39;)"), "{html}");
    }
}
