//! JSON Schema of both directions, generated from the types.
//!
//! The documents are committed under `schema/`; a test fails when they drift.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

use crate::{input::Input, output::Output};

/// File name and content of every generated document.
pub fn documents() -> Vec<(&'static str, Value)> {
    vec![
        (
            "stdio-input.schema.json",
            document::<Input>("What a parent says to `baton stdio`, one object per line."),
        ),
        (
            "stdio-output.schema.json",
            stamped(document::<Output>(
                "What `baton stdio` says, one object per line. Readers ignore unknown types and fields.",
            )),
        ),
    ]
}

fn document<T: JsonSchema>(about: &str) -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".into(), json!(about));
    }
    schema
}

/// What every line has beside its event.
fn stamped(mut schema: Value) -> Value {
    let cut = json!({
        "description": "What was cut so that the line is not too long: the way to each text or field, as a JSON pointer, and how many bytes it had.",
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"field": {"type": "string"}, "bytes": {"type": "integer"}},
            "required": ["field", "bytes"],
        },
    });
    let stamps = json!({
        "seq": {"description": "Counts the lines of this process: 1, 2, 3, …", "type": "integer", "minimum": 1},
        "ts": {"description": "When the line was said, in UTC.", "type": "string", "format": "date-time"},
        "cut": cut,
    });
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("properties".into(), stamps);
        fields.insert("required".into(), json!(["seq", "ts"]));
    }
    schema
}
