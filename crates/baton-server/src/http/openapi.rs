//! The OpenAPI 3.1 document, made out of the table of routes.
//!
//! Schemas come from the same types that are read and written. The events, live
//! frames and WebSocket frames are in it too, so that one document is enough to
//! generate a client.

mod schemas;

use std::{collections::BTreeMap, sync::OnceLock};

use baton_protocol::api::{ClientFrame, Problem, ProblemCode, ServerFrame};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{
    route::{Access, Content, Route, Takes},
    router, routes,
};

const DESCRIPTION: &str = "Baton runs coding agents and hands every session to any screen.\n\n\
    Send `Authorization: Bearer` with a token. Errors are `application/problem+json` with a \
    stable `code`. Lists take `cursor` and `limit` and return `items` and `next`. Paths marked \
    with `x-in-project` are also there below `/p/{project}`, limited to that project. \
    Readers ignore unknown types and fields.";

/// The whole document.
pub fn document() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for route in routes::table() {
        let operation = operation(&route, &mut generator);
        // What is there twice is told once.
        let path = router::paths(&route).swap_remove(0);
        let methods = paths.entry(path).or_default();
        methods.insert(route.method.as_str().to_ascii_lowercase(), operation);
    }
    generator.subschema_for::<Problem>();
    generator.subschema_for::<ClientFrame>();
    generator.subschema_for::<ServerFrame>();
    let mut schemas = schemas::events();
    schemas.extend(generator.take_definitions(true));
    schemas::add_type(&mut schemas);
    json!({
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Baton",
            "version": "1",
            "description": DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {
                "type": "http", "scheme": "bearer",
                "description": "The daemon's token, or a device's from `/api/v1/auth/login`. \
                    Scopes: observe (read), operate (read, steer, approve), admin.",
            }},
            "schemas": schemas,
        },
    })
}

/// The document as it is served, made once.
pub(crate) fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| document().to_string())
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut parameters = schemas::path_parameters(&router::paths(route)[0], generator);
    let mut body = None;
    for takes in &route.takes {
        match takes {
            Takes::Nothing => {}
            Takes::Query(schema) => {
                let schema = schema.0(generator);
                let schema = schemas::without(&schema, route.from_path, generator);
                parameters.extend(schemas::query_parameters(&schema, generator));
            }
            Takes::Json(schema) => {
                let schema = schema.0(generator);
                let schema = schemas::without(&schema, route.from_path, generator);
                let mut content = json!({"schema": schema});
                if let Some(example) = route.example {
                    let example: Option<Value> = serde_json::from_str(example).ok();
                    content["example"] = example.unwrap_or_default();
                }
                body = Some(json!({
                    "required": route.needs_body,
                    "content": {"application/json": content},
                }));
            }
            Takes::Bytes => {
                body = Some(json!({
                    "required": true,
                    "content": {"application/octet-stream": {
                        "schema": {"type": "string", "format": "binary"},
                    }},
                }));
            }
        }
    }
    parameters.extend(route.headers.iter().map(|(name, meaning)| {
        json!({"name": name, "in": "header", "description": meaning, "schema": {"type": "string"}})
    }));
    let mut operation = json!({
        "operationId": route.id,
        "summary": route.summary,
        "tags": [tag(route.path)],
        "parameters": parameters,
        "responses": responses(route, generator),
    });
    if let Some(body) = body {
        operation["requestBody"] = body;
    }
    if route.in_project && !route.only_in_project {
        operation["x-in-project"] = json!(true);
    }
    match route.access {
        Access::Anyone => operation["security"] = json!([]),
        Access::Signed(scope) => operation["x-scope"] = json!(scope),
    }
    operation
}

/// The first part of the path that says what it is about.
fn tag(path: &str) -> &str {
    let rest = path.strip_prefix("/api/v1/").unwrap_or("daemon");
    rest.split('/').next().unwrap_or(rest)
}

fn responses(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut responses: BTreeMap<String, Value> = BTreeMap::new();
    for reply in &route.replies {
        let response = json!({"description": meaning(reply.status)});
        let (kind, schema) = match &reply.content {
            Content::None => {
                responses
                    .entry(reply.status.to_string())
                    .or_insert(response);
                continue;
            }
            Content::Json(schema) => ("application/json", schema.0(generator).to_value()),
            Content::Events => (
                "text/event-stream",
                json!({"type": "string", "description": "`session_event` with an Envelope, \
                    `session_live` with a LiveFrame, `session_done` at the end."}),
            ),
            Content::Text(kind) => (*kind, json!({"type": "string"})),
            Content::Bytes => ("*/*", json!({"type": "string", "format": "binary"})),
        };
        let entry = responses.entry(reply.status.to_string());
        let entry = entry.or_insert(response);
        if !entry["content"].is_object() {
            entry["content"] = json!({});
        }
        entry["content"][kind] = json!({"schema": schema});
    }
    let mut problems: BTreeMap<u16, Vec<&'static str>> = BTreeMap::new();
    for code in codes(route) {
        let names = problems.entry(code.status()).or_default();
        if !names.contains(&code.as_str()) {
            names.push(code.as_str());
        }
    }
    for (status, names) in problems {
        let listed = names.iter().map(|name| format!("`{name}`"));
        responses.insert(
            status.to_string(),
            json!({
                "description": listed.collect::<Vec<_>>().join(", "),
                "content": {"application/problem+json": {
                    "schema": {"$ref": "#/components/schemas/Problem"},
                }},
            }),
        );
    }
    json!(responses)
}

/// Every code a route may answer with.
pub(crate) fn codes(route: &Route) -> Vec<ProblemCode> {
    use ProblemCode as Code;
    let mut codes = vec![Code::WrongHost, Code::ForeignOrigin, Code::Internal];
    if route.access != Access::Anyone {
        codes.extend([
            Code::Unauthorized,
            Code::Forbidden,
            Code::Storage,
            Code::StorageFull,
            Code::ShuttingDown,
        ]);
    }
    let has_query = route
        .takes
        .iter()
        .any(|takes| matches!(takes, Takes::Query(_)));
    let has_json = route
        .takes
        .iter()
        .any(|takes| matches!(takes, Takes::Json(_)));
    let has_bytes = route
        .takes
        .iter()
        .any(|takes| matches!(takes, Takes::Bytes));
    if has_query || has_json {
        codes.push(Code::InvalidRequest);
    }
    if has_json || has_bytes {
        codes.extend([Code::TooLong, Code::RequestTimeout, Code::InvalidRequest]);
    }
    if has_json {
        codes.extend([Code::BadJson, Code::UnsupportedMediaType]);
    }
    if route.path.contains('{') || route.in_project {
        codes.push(Code::NotFound);
    }
    codes.extend(&route.problems);
    codes
}

const fn meaning(status: u16) -> &'static str {
    match status {
        101 => "From here on it is a WebSocket.",
        201 => "It was made.",
        202 => "It was taken.",
        204 => "Done; there is nothing to say.",
        _ => "As asked.",
    }
}
