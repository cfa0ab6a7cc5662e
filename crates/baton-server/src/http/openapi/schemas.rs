//! Schemas put into the places where OpenAPI wants them.

use baton_protocol::{ApprovalId, BlobId, DeviceId, MessageId, RuleId, SessionId, schema};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::super::answer::problem_type;

const HERE: &str = "#/components/schemas/";

/// Events and live frames, from the document that describes them alone.
pub(super) fn events() -> Map<String, Value> {
    let documents = schema::documents();
    let mut schemas = Map::new();
    for (_, document) in documents {
        if let Some(Value::Object(definitions)) = document.get("$defs") {
            schemas.extend(definitions.clone());
        }
    }
    for schema in schemas.values_mut() {
        move_references(schema);
    }
    schemas
}

fn move_references(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(target)) = fields.get_mut("$ref")
                && let Some(name) = target.strip_prefix("#/$defs/")
            {
                *target = format!("{HERE}{name}");
            }
            fields.values_mut().for_each(move_references);
        }
        Value::Array(items) => items.iter_mut().for_each(move_references),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A problem has a `type` on HTTP, as RFC 9457 wants it.
pub(super) fn add_type(schemas: &mut Map<String, Value>) {
    let Some(problem) = schemas.get_mut("Problem") else {
        return;
    };
    let example = problem_type(baton_protocol::api::ProblemCode::Busy);
    problem["properties"]["type"] = json!({
        "type": "string", "format": "uri",
        "description": "Names the kind of problem, as `code` does; on HTTP only.",
        "examples": [example],
    });
}

/// The parts of a path that name something.
pub(super) fn path_parameters(path: &str, generator: &mut SchemaGenerator) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| {
        let name = part.strip_prefix('{')?;
        name.strip_suffix('}')
    });
    names
        .map(|name| {
            let schema = match name {
                "id" => generator.subschema_for::<SessionId>().to_value(),
                "approvalId" => generator.subschema_for::<ApprovalId>().to_value(),
                "messageId" => generator.subschema_for::<MessageId>().to_value(),
                "ruleId" => generator.subschema_for::<RuleId>().to_value(),
                "imageId" => generator.subschema_for::<BlobId>().to_value(),
                "deviceId" => generator.subschema_for::<DeviceId>().to_value(),
                _ => json!({"type": "string", "minLength": 1}),
            };
            json!({"name": name, "in": "path", "required": true, "schema": schema})
        })
        .collect()
}

/// A payload without the fields that the path gives.
pub(super) fn without(
    schema: &Schema,
    fields: &[(&str, &str)],
    generator: &SchemaGenerator,
) -> Value {
    let schema = schema.clone().to_value();
    let mut resolved = resolve(&schema, generator);
    if fields.is_empty() && !resolved["properties"].is_null() {
        return schema;
    }
    for (field, _) in fields {
        if let Some(properties) = resolved["properties"].as_object_mut() {
            properties.remove(*field);
        }
        if let Some(required) = resolved["required"].as_array_mut() {
            required.retain(|name| name != field);
            if required.is_empty()
                && let Some(whole) = resolved.as_object_mut()
            {
                whole.remove("required");
            }
        }
    }
    resolved
}

fn resolve(schema: &Value, generator: &SchemaGenerator) -> Value {
    let name = schema["$ref"]
        .as_str()
        .and_then(|target| target.strip_prefix(HERE));
    let found = name.and_then(|name| generator.definitions().get(name));
    found.cloned().unwrap_or_else(|| schema.clone())
}

/// Fields of a payload, each as a parameter of the query.
pub(super) fn query_parameters(schema: &Value, generator: &SchemaGenerator) -> Vec<Value> {
    let schema = resolve(schema, generator);
    let Some(properties) = schema["properties"].as_object() else {
        return Vec::new();
    };
    let required = schema["required"].as_array();
    let is_required =
        |name: &str| required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)));
    properties
        .iter()
        .map(|(name, schema)| {
            let mut schema = schema.clone();
            let description = schema
                .as_object_mut()
                .and_then(|all| all.remove("description"));
            let mut parameter = json!({
                "name": name, "in": "query", "required": is_required(name),
                "schema": without_null(schema),
            });
            if let Some(description) = description {
                parameter["description"] = description;
            }
            parameter
        })
        .collect()
}

/// A query leaves out what is null.
fn without_null(mut schema: Value) -> Value {
    if let Some(types) = schema["type"].as_array_mut() {
        types.retain(|one| one != "null");
        if let [only] = types.as_slice() {
            schema["type"] = only.clone();
        }
    }
    if let Some(any) = schema["anyOf"].as_array_mut() {
        any.retain(|one| one["type"] != "null");
        if let [only] = any.as_slice() {
            return only.clone();
        }
    }
    if let Some(fields) = schema.as_object_mut() {
        fields.retain(|name, value| !value.is_null() || name == "const");
    }
    schema
}
